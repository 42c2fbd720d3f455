//! Servos: where they settle, and that `implicit` bears stiff ones.

use super::*;
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, System};

/// A horizontal rod on a hinge.
fn rod(actuator: impl Fn(JointId) -> Actuator, joint: Joint) -> Model {
    let mut b = ModelBuilder::new("rod");
    let body = BodySpec::new("rod").inertia(inertia(0.1, [0.2, 0.0, 0.0], [1e-5, 1e-4, 1e-4]));
    let id = b.body(BodyId::WORLD, body);
    let hinge = b.joint(id, joint);
    b.actuator(actuator(hinge));
    b.build().unwrap()
}

fn settle(model: &Model, method: &str, target: f64, dt: f64, steps: usize) -> State {
    let (mut system, mut state) = (System::new(model), State::new(model));
    system.control_mut()[0] = target;
    let mut method = integrate::by_name(method, model).unwrap();
    (0..steps).for_each(|_| system.step(&mut *method, &mut state, dt).unwrap());
    state
}

#[test]
fn a_servo_settles_where_its_spring_balances_the_weight() {
    let model = rod(|j| Actuator::position(j, 2.0).damping(0.2), Joint::revolute(V3::Y));
    for method in ["semi-implicit", "implicit", "rkmk4", "midpoint"] {
        let state = settle(&model, method, 0.4, 1e-3, 10_000);
        // turning about +y lowers the tip: the weight pulls towards larger angles
        let weight = 0.1 * 9.81 * 0.2 * state.q[0].cos();
        let servo = 2.0 * (0.4 - state.q[0]);
        assert!(
            weight > 0.1 && (servo + weight).abs() < 1e-9 && state.v[0].abs() < 1e-9,
            "{method} {state:?}"
        );
    }
}

#[test]
fn a_velocity_servo_reaches_its_velocity() {
    let mut b = ModelBuilder::new("slider");
    b.gravity(V3::ZERO);
    let id = b.body(BodyId::WORLD, BodySpec::new("s").inertia(inertia(2.0, [0.0; 3], [0.1; 3])));
    let slide = b.joint(id, Joint::prismatic(V3::X));
    b.actuator(Actuator::velocity(slide, 8.0).gear_ratio(2.0));
    let model = b.build().unwrap();
    let state = settle(&model, "rkmk4", 3.0, 1e-3, 5000);
    // l̇ = 2 v is to be 3; m v̇ = g kv (u − g v)
    let v = 1.5 * (1.0 - libm::exp(-4.0 * 8.0 / 2.0 * 5.0));
    assert!((state.v[0] - v).abs() < 1e-10, "{state:?}");
}

#[test]
fn implicit_bears_a_stiff_servo() {
    let model = rod(|j| Actuator::position(j, 1e5).damping(10.0), Joint::revolute(V3::Y));
    let state = settle(&model, "implicit", 0.4, 5e-3, 2000);
    assert!((state.q[0] - 0.4).abs() < 1e-5 && state.v[0].abs() < 1e-9, "{state:?}");
    // also where the damping is left to the joint
    let model = rod(|j| Actuator::position(j, 1e5), Joint::revolute(V3::Y).damping(0.1));
    let state = settle(&model, "implicit", 0.4, 5e-3, 2000);
    assert!((state.q[0] - 0.4).abs() < 1e-5 && state.v[0].abs() < 1e-9, "{state:?}");
    // and it is the implicitness that does it
    let (mut system, mut state) = (System::new(&model), State::new(&model));
    system.control_mut()[0] = 0.4;
    let mut explicit = integrate::by_name("semi-implicit", &model).unwrap();
    let blown =
        (0..2000).any(|_| system.step(&mut *explicit, &mut state, 5e-3).is_err() || state.v[0].abs() > 1e6);
    assert!(blown, "{state:?}");
}

/// At the end of its range a servo is a constant force, and the implicit step must not add inertia for it.
#[test]
fn a_saturated_servo_pushes_with_its_greatest_force() {
    let free = |a: Actuator| a.force_range(-0.5, 0.5);
    for model in [
        rod(|j| free(Actuator::position(j, 1e5)), Joint::revolute(V3::Z)),
        rod(|j| Actuator::position(j, 1e5), Joint::revolute(V3::Z).actuator_force_range(-0.5, 0.5)),
    ] {
        let state = settle(&model, "implicit", 1e3, 1e-3, 100);
        let inertia = 1e-4 + 0.1 * 0.04;
        assert!((state.v[0] - 0.5 / inertia * 0.1).abs() < 1e-9, "{state:?}");
    }
}

#[test]
fn exact_filters_are_exact_and_ranges_hold() {
    let filter = |dynamics| rod(move |j| Actuator::motor(j).dynamics(dynamics), Joint::revolute(V3::Z));
    let run = |model: &Model, dt: f64, steps: usize| {
        let (mut system, mut state) = (System::new(model), State::new(model));
        system.control_mut()[0] = 2.0;
        let mut method = integrate::by_name("semi-implicit", model).unwrap();
        (0..steps).for_each(|_| system.step(&mut *method, &mut state, dt).unwrap());
        state.activation[0]
    };
    let exact = filter(ActuatorDynamics::FilterExact { time_constant: 0.3 });
    let wanted = 2.0 * (1.0 - libm::exp(-1.0 / 0.3));
    assert!(
        (run(&exact, 0.1, 10) - wanted).abs() < 1e-14 && (run(&exact, 1e-3, 1000) - wanted).abs() < 1e-13
    );
    let euler = filter(ActuatorDynamics::Filter { time_constant: 0.3 });
    assert!(
        (run(&euler, 0.1, 10) - wanted).abs() > 1e-3 && (run(&euler, 1e-5, 100_000) - wanted).abs() < 1e-4
    );
    let integrator =
        |j| Actuator::motor(j).dynamics(ActuatorDynamics::Integrator).activation_range(-1.0, 1.5);
    let model = rod(integrator, Joint::revolute(V3::Z));
    assert!((run(&model, 0.01, 50) - 1.0).abs() < 1e-14);
    assert_eq!(run(&model, 0.01, 500), 1.5);
}
