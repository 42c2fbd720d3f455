//! What actuators and dampers deliver is what the energy gains.

use super::*;
use crate::common::{Law, derivative, dot, minus};
use poinsot_core::dynamics::{Control, State, Workspace};
use poinsot_core::integrate::{self, System};

/// dE/dt along the motion (v, v̇) against the power of actuators and of the tendon's damper; the energy of the tendon's
/// spring and of carried weights is in E.
#[test]
fn power_is_the_rate_of_energy() {
    let model = arm();
    let mut law = Law::new("power of actuators and dampers = dE/dt", 1e-10);
    let mut system = System::new(&model);
    let mut w = Workspace::new(&model);
    for factor in [0.0, 0.5, 1.0, -2.0] {
        let signal = SIGNAL.map(|u| factor * u);
        let activation = ACTIVATION.map(|a| factor * a);
        system.control_mut().copy_from_slice(&signal);
        let control = Control { signal: &signal, activation: &activation };
        let (mut tau, mut spring) = ([0.0; 11], [0.0; 11]);
        w.add_actuator_forces(&model, &Q, &V, control, &mut tau);
        model.add_tendon_forces(&Q, &V, &mut tau);
        model.add_tendon_forces(&Q, &[0.0; 11], &mut spring);
        let power = dot(&minus(&tau, &spring), &V);
        let mut a = [0.0; 11];
        let here = State { time: 0.0, q: Q.to_vec(), v: V.to_vec(), activation: activation.to_vec() };
        system.acceleration(&here, &mut a);
        let rate = derivative(1e-3, |s| {
            let v = V.iter().zip(&a).map(|(v, a)| v + s * a).collect();
            let mut state = State { q: Q.to_vec(), v, ..State::new(&model) };
            model.integrate(&mut state.q, &V, s);
            vec![system.energy(&state)]
        });
        law.equal("arm", &rate, &[power]);
    }
}

/// Without dampers and actuators the energy, that of tendons and carried weights included, is off by no more than the
/// method: less by four at half the step (nearly: the spring has a corner where it goes slack).
#[test]
fn tendons_and_carried_weights_keep_energy() {
    let mut b = ModelBuilder::new("kept");
    let mut parent = BodyId::WORLD;
    let mut joints = Vec::new();
    for k in 0..3 {
        let spec = BodySpec::new(format!("b{k}")).at(V3::X * 0.3).gravity_compensation(0.2 * k as f64);
        parent = b.body(parent, spec.inertia(inertia(1.0, [0.1, 0.0, 0.05], [0.01, 0.02, 0.02])));
        joints.push((b.joint(parent, Joint::revolute(V3::new(0.2 * k as f64, 1.0, 0.1))), 1.0 + k as f64));
    }
    b.tendon(FixedTendon::new(joints).spring(30.0, -0.2, 0.1));
    let model = b.build().unwrap();
    assert!(model.is_conservative());
    let off = |h: f64, steps: usize| {
        let mut state = State::new(&model);
        state.q[0] = 0.7;
        let (mut system, mut method) = (System::new(&model), integrate::by_name("midpoint", &model).unwrap());
        let before = system.energy(&state);
        let mut most: f64 = 0.0;
        for _ in 0..steps {
            method.step(&mut system, &mut state, h).unwrap();
            most = most.max((system.energy(&state) - before).abs());
        }
        most
    };
    let (coarse, fine) = (off(2.5e-4, 8000), off(1.25e-4, 16_000));
    println!("energy off by {coarse:e}, by {fine:e} at half the step");
    assert!(coarse < 1e-2 && fine < coarse / 3.0, "{coarse} {fine}");
}
