//! Against MuJoCo 4.0.0: `qfrc_fluid` of the model below, at the state of the test.
//!
//! ```xml
//! <option density="1000" viscosity="0.7" wind="0.3 -0.2 0.1"/>
//! <body name="base" pos="0.1 0.2 0.3"><freejoint/>
//!   <inertial pos="0.02 0.01 -0.03" mass="2" diaginertia="0.03 0.04 0.05"/>
//!   <body name="arm" pos="0.3 0 0"><joint axis="0 1 0"/>
//!     <inertial pos="0.1 0 0.05" mass="1" fullinertia="0.01 0.02 0.025 0.001 -0.002 0.003"/>
//!     <body name="tip" pos="0.2 0 0"><inertial pos="0.1 0.2 0.02" mass="0.5" diaginertia="0.004 0.005 0.006"/>
//! ```

use super::*;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::integrate::{self, System};

#[rustfmt::skip]
const FLUID: [f64; 7] = [12.330714452362853, 9.825486079692679, -7.254264041687495, -1.0356727579696563, 6.212125777140362, -1.9166173704717866, 2.1543010893359984];

fn swimmer(medium: Medium) -> Model {
    let mut b = ModelBuilder::new("swimmer");
    let spec = |name: &str, at: V3, i: Inertia| BodySpec::new(name).at(at).inertia(i);
    let base = inertia(2.0, [0.02, 0.01, -0.03], [0.03, 0.04, 0.05]);
    let base = b.body(BodyId::WORLD, spec("base", V3::new(0.1, 0.2, 0.3), base));
    b.joint(base, Joint::free());
    let tensor = Sym3 { xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001, xz: -0.002, yz: 0.003 };
    let arm = Inertia::new(1.0, V3::new(0.1, 0.0, 0.05), tensor).unwrap();
    let arm = b.body(base, spec("arm", V3::X * 0.3, arm));
    b.joint(arm, Joint::revolute(V3::Y));
    b.body(arm, spec("tip", V3::X * 0.2, inertia(0.5, [0.1, 0.2, 0.02], [0.004, 0.005, 0.006])));
    b.gravity(V3::ZERO).medium(medium);
    b.build().unwrap()
}

#[test]
fn the_medium_agrees_with_mujoco() {
    let model = swimmer(Medium { density: 1000.0, viscosity: 0.7, wind: V3::new(0.3, -0.2, 0.1) });
    let q = [0.3, -0.2, 0.5, 0.5, 0.1, -0.7, 0.5, 0.4];
    let v = [0.3, -0.4, 0.5, 0.6, -0.7, 0.8, 1.2];
    let mut tau = [0.0; 7];
    Workspace::new(&model).add_medium_forces(&model, &q, &v, &mut tau);
    let scale = FLUID.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    // MuJoCo finds the principal axes of the arm to about 1e-7
    for (ours, theirs) in tau.iter().zip(FLUID) {
        assert!((ours - theirs).abs() < 1e-7 * scale, "{tau:?}");
    }
}

#[test]
fn the_wind_carries_a_body_along() {
    let model = swimmer(Medium { density: 1.2, viscosity: 0.1, wind: V3::X });
    let mut system = System::new(&model);
    let mut state = State::new(&model);
    let mut integrator = integrate::by_name("rkmk4", &model).unwrap();
    for _ in 0..20_000 {
        system.step(&mut *integrator, &mut state, 1e-2).unwrap();
    }
    assert!((state.v[0] - 1.0).abs() < 1e-3, "drifts with the wind: {:?}", state.v);
}
