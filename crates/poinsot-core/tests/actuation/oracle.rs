//! Against MuJoCo 4.0.0: the same arm written in MJCF, its numbers at one state.
//!
//! Made with the Python bindings from the model below at the state of `super` (both quaternions have length 1), by
//! `mj_forward` and then one `mj_step` (timestep 0.005, Euler, eulerdamp disabled):
//!
//! ```xml
//! <body name="base" pos="0.1 0.2 0.3"><freejoint name="root"/>
//!   <inertial pos="0.02 0.01 -0.03" mass="2" diaginertia="0.03 0.04 0.05"/>
//!   <body name="arm" pos="0.3 0 0" gravcomp="0.75"><joint name="shoulder" type="ball"/>
//!     <inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>
//!     <body name="fore" pos="0.2 0 0" gravcomp="1.5">
//!       <joint name="elbow" type="hinge" axis="0 1 0" actuatorfrclimited="true" actuatorfrcrange="-3 3"/>
//!       <inertial pos="0.1 0 0.02" mass="0.5" diaginertia="0.004 0.005 0.006"/>
//!       <body name="hand" pos="0.2 0 0"><joint name="slide" type="slide" axis="1 0 0"/>
//!         <inertial pos="0.01 0.02 0.03" mass="0.25" diaginertia="0.001 0.002 0.003"/>
//!         <site name="grip" pos="0.05 0.01 0.02" quat="0.8 0 0.6 0"/>
//! <fixed name="cable" stiffness="40" damping="3" springlength="0.1 0.2">
//!   <joint joint="elbow" coef="0.5"/><joint joint="slide" coef="-1.5"/></fixed>
//! <general joint="elbow" gear="2" gainprm="30" biastype="affine" biasprm="0.5 -30 -4"/>
//! <general joint="shoulder" gear="0.3 -0.2 0.5" gaintype="affine" gainprm="2 0.7 0.3" biastype="affine" biasprm="0.1 0.2 0.3"/>
//! <general jointinparent="shoulder" gear="0.4 0.6 -0.5" gainprm="2" biastype="affine" biasprm="0.2 -1 -0.5"/>
//! <general joint="root" gear="1 2 3 4 5 6" biastype="affine" biasprm="0 1 -0.1"/>
//! <general jointinparent="root" gear="-1 0.5 0.2 0.3 0.1 -0.4" biastype="affine" biasprm="0 1 -0.1"/>
//! <general tendon="cable" gear="3" gainprm="5" biastype="affine" biasprm="0 -2 -1" forcelimited="true" forcerange="-4 4"/>
//! <general site="grip" gear="1 -2 0.5 0.1 0.2 -0.3" ctrllimited="true" ctrlrange="-0.5 0.5" biastype="affine" biasprm="0.3 0 -0.6"/>
//! <general joint="slide" dyntype="integrator" actlimited="true" actrange="-0.3 0.8008"/>
//! <general joint="slide" dyntype="filter" dynprm="0.05" gainprm="2"/>
//! <general joint="slide" dyntype="filterexact" dynprm="0.05" gainprm="3"/>
//! ```

use super::*;
use crate::common::Law;
use poinsot_core::dynamics::{Control, State, Workspace};
use poinsot_core::integrate::{self, System};

#[rustfmt::skip]
mod mujoco {
    pub const LENGTH: [f64; 10] = [1.2, 0.17820498252256534, -0.868749289797506, 0.0, 0.0, 1.5749999999999997, 0.0, -0.15, -0.15, -0.15];
    pub const VELOCITY: [f64; 10] = [2.4, -1.02, -0.9104, 4.700000000000001, -0.9319999999999999, 7.65, 1.6790298393577938, -1.3, -1.3, -1.3];
    pub const FORCE: [f64; 10] = [-33.1, 1.4665101354937293, 0.12394928979750608, 0.12999999999999984, 0.3932, -4.0, -0.20741790361467616, 0.8, -0.2, 0.6000000000000001];
    pub const ACTUATORS: [f64; 11] = [-0.09058264546973352, 0.47337890982359, 0.026160398792648754, 0.43413445848135135, 0.871596493447299, 0.7959916101950164, 0.6324967715260457, -0.4033024502995227, 0.8677482760292866, -3.0, 19.042362393252848];
    pub const CARRIED: [f64; 11] = [0.0, 0.0, 14.715, -1.197338300805006, -1.5964510677400083, -4.7493890375435734, -0.18815204100252034, 2.2182840631701497, -1.8544498039231199, 0.5231160631701496, 0.0];
    pub const SPRING: [f64; 11] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -6.499999999999998, 19.499999999999993];
    pub const DAMPER: [f64; 11] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -3.825, 11.475000000000001];
    pub const ACCELERATION: [f64; 11] = [2.6929897358838955, -9.189917137447033, -20.77089391112841, -2.7222671768261293, -141.026260194257, 12.380761756464672, 149.99040079302506, 610.1760861715661, 155.0146755593096, -2171.8103831147027, 227.76450364030654];
    pub const NEXT_ACTIVATION: [f64; 3] = [0.8008, -0.065, 0.10959554713416167];
    pub const NEXT_V: [f64; 11] = [0.3134649486794195, -0.4459495856872352, 0.39614553044435796, 0.5863886641158693, -1.405131300971285, 0.8619038087823234, -0.15004799603487473, 4.050880430857831, -0.32492662220345203, -9.659051915573516, -0.16117748179846725];
    pub const NEXT_Q: [f64; 13] = [0.3015673247433971, -0.20222974792843618, 0.5019807276522218, 0.49631227204168443, 0.10098010856302249, -0.701232204100144, 0.5017474885121751, 0.699169715895502, -0.5053814830640696, 0.10649004259395917, 0.4943795462788698, 0.5517047404221324, -0.15080588740899234];
    /// Springs on a free and a ball joint, and their energy.
    pub const POSE_SPRINGS: [f64; 9] = [1.4, 4.4, 5.0, 1.083054968648674, 1.2799740538575237, -4.036841246781422, 3.3413434222981, -0.66826868445962, -3.3413434222981];
    pub const POSE_ENERGY: f64 = 20.152813018194532;
}

#[test]
fn actuators_tendons_and_compensation_agree_with_mujoco() {
    let model = arm();
    let mut law = Law::new("forces of the model against MuJoCo", 1e-12);
    let control = Control { signal: &SIGNAL, activation: &ACTIVATION };
    let mut w = Workspace::new(&model);
    for (k, id) in (0..10).map(|k| (k, model.actuator(&format!("actuator{k}")).unwrap())) {
        let r = w.actuator_reading(&model, id, &Q, &V, control);
        law.equal("length", &[r.length], &[mujoco::LENGTH[k]]);
        law.equal("velocity", &[r.velocity], &[mujoco::VELOCITY[k]]);
        law.equal("force", &[r.force], &[mujoco::FORCE[k]]);
    }
    let mut tau = [0.0; 11];
    w.add_actuator_forces(&model, &Q, &V, control, &mut tau);
    law.equal("actuators", &tau, &mujoco::ACTUATORS);
    tau.fill(0.0);
    w.add_gravity_compensation(&model, &Q, &mut tau);
    law.equal("gravity compensation", &tau, &mujoco::CARRIED);
    tau.fill(0.0);
    model.add_tendon_forces(&Q, &[0.0; 11], &mut tau);
    law.equal("tendon spring", &tau, &mujoco::SPRING);
    model.add_tendon_forces(&Q, &V, &mut tau);
    let both: Vec<f64> = mujoco::SPRING.iter().zip(mujoco::DAMPER).map(|(s, d)| 2.0 * s + d).collect();
    law.equal("tendon damper", &tau, &both);
}

#[test]
fn a_step_agrees_with_mujoco() {
    let model = arm();
    let mut law = Law::new("a step against MuJoCo", 1e-12);
    let mut system = System::new(&model);
    system.control_mut().copy_from_slice(&SIGNAL);
    let mut state = State { time: 0.0, q: Q.to_vec(), v: V.to_vec(), activation: ACTIVATION.to_vec() };
    let mut a = [0.0; 11];
    system.acceleration(&state, &mut a);
    law.equal("acceleration", &a, &mujoco::ACCELERATION);
    let mut euler = integrate::by_name("semi-implicit", &model).unwrap();
    system.step(&mut *euler, &mut state, 0.005).unwrap();
    law.equal("activation", &state.activation, &mujoco::NEXT_ACTIVATION);
    law.equal("velocity", &state.v, &mujoco::NEXT_V);
    law.equal("position", &state.q, &mujoco::NEXT_Q);
}

/// MJCF: bodies at pos="1 2 3", one with quat="0.8 0.6 0 0" on a free joint of stiffness 2, whose spring is at rest at
/// that pose; one with quat="0.8 0 0.6 0" on a ball joint of stiffness 3, at rest at the identity.
#[test]
fn springs_of_attitudes_agree_with_mujoco() {
    let rest = Pose { rot: Quat { w: 0.8, x: 0.6, y: 0.0, z: 0.0 }.matrix(), pos: V3::new(1.0, 2.0, 3.0) };
    let ball = || inertia(1.0, [0.1, 0.0, 0.0], [0.01, 0.02, 0.02]);
    let mut b = ModelBuilder::new("springs");
    b.gravity(V3::ZERO);
    let free = b.body(BodyId::WORLD, BodySpec::new("free").pose(rest).inertia(ball()));
    b.joint(free, Joint::free().spring_to(2.0, rest));
    let held = b.body(BodyId::WORLD, BodySpec::new("held").inertia(ball()));
    b.joint(held, Joint::spherical().spring(3.0, 0.0));
    let model = b.build().unwrap();
    let mut tau = [0.0; 9];
    model.add_spring_forces(&Q[..11], &mut tau);
    let mut law = Law::new("springs to a pose against MuJoCo", 1e-12);
    law.equal("forces", &tau, &mujoco::POSE_SPRINGS);
    law.equal("energy", &[model.spring_energy(&Q[..11])], &[mujoco::POSE_ENERGY]);
}

/// The methods for free bodies have the spring a second time, about the centre of mass.
#[test]
fn free_body_methods_know_springs_to_a_pose() {
    let rest = Pose { rot: Quat { w: 0.8, x: 0.6, y: 0.0, z: 0.0 }.matrix(), pos: V3::new(1.0, 2.0, 3.0) };
    let body = BodySpec::new("free").inertia(inertia(1.0, [0.1, 0.0, 0.0], [0.01, 0.02, 0.02]));
    let mut b = ModelBuilder::new("sprung");
    let id = b.body(BodyId::WORLD, body);
    b.joint(id, Joint::free().spring_to(2.0, rest).damping(0.1));
    let model = b.build().unwrap();
    let run = |name: &str| {
        let mut state = State { q: Q[..7].to_vec(), v: V[..6].to_vec(), ..State::new(&model) };
        let (mut system, mut method) = (System::new(&model), integrate::by_name(name, &model).unwrap());
        (0..1000).for_each(|_| method.step(&mut system, &mut state, 1e-3).unwrap());
        state
    };
    let (a, b) = (run("exact-4"), run("rkmk4"));
    let mut apart = [0.0; 6];
    model.difference(&a.q, &b.q, &mut apart);
    assert!(crate::common::size(&apart) < 1e-8, "{apart:?}");
}
