//! What the builder refuses, and in which words.

use super::*;
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, System};

/// A hinge and a ball with something wrong.
fn refused(wrong: impl FnOnce(&mut ModelBuilder, JointId, JointId)) -> String {
    let mut b = ModelBuilder::new("wrong");
    let solid = || inertia(1.0, [0.1, 0.0, 0.0], [0.1; 3]);
    let first = b.body(BodyId::WORLD, BodySpec::new("first").inertia(solid()));
    let hinge = b.joint(first, Joint::revolute(V3::Y).named("hinge"));
    let second = b.body(first, BodySpec::new("second").inertia(solid()));
    let ball = b.joint(second, Joint::spherical().named("ball"));
    wrong(&mut b, hinge, ball);
    b.build().unwrap_err().to_string()
}

/// An id that only a larger model has given out.
fn strange() -> (JointId, TendonId) {
    let mut b = ModelBuilder::new("other");
    let id = b.body(BodyId::WORLD, BodySpec::new("b"));
    let joints: Vec<JointId> = (0..9).map(|_| b.joint(id, Joint::revolute(V3::Y))).collect();
    (joints[8], b.tendon(FixedTendon::new([])))
}

#[test]
fn mistakes_are_named() {
    let motor = |joint| Actuator::motor(joint).named("m");
    let tendon = |joint| FixedTendon::new([(joint, 1.0)]).named("t");
    let (joint, no_tendon) = strange();
    for (message, wanted) in [
        (
            refused(|b, _, _| {
                b.actuator(motor(joint));
            }),
            ["\"m\"", "no joint number 8"],
        ),
        (
            refused(|b, _, _| {
                b.actuator(Actuator::motor(no_tendon));
            }),
            ["actuator0", "no tendon number 0"],
        ),
        (
            refused(|b, j, _| {
                b.actuator(motor(j).gear_ratio(f64::NAN));
            }),
            ["\"m\"", "finite"],
        ),
        (
            refused(|b, j, _| {
                b.actuator(motor(j).control_range(1.0, -1.0));
            }),
            ["control range", "lower"],
        ),
        (
            refused(|b, j, _| {
                b.actuator(motor(j).force_range(f64::NAN, 1.0));
            }),
            ["force range", "lower"],
        ),
        (
            refused(|b, j, _| {
                b.actuator(motor(j).activation_range(2.0, 1.0));
            }),
            ["activation range", "2"],
        ),
        (
            refused(|b, j, _| {
                b.actuator(motor(j).dynamics(ActuatorDynamics::Filter { time_constant: 0.0 }));
            }),
            ["time constant", "positive"],
        ),
        (
            refused(|b, j, _| {
                b.actuator(motor(j));
                b.actuator(motor(j));
            }),
            ["two actuators", "\"m\""],
        ),
        (
            refused(|b, _, _| {
                b.tendon(tendon(joint));
            }),
            ["\"t\"", "no joint number 8"],
        ),
        (
            refused(|b, _, ball| {
                b.tendon(tendon(ball));
            }),
            ["\"ball\" is spherical", "one coordinate"],
        ),
        (
            refused(|b, j, _| {
                b.tendon(tendon(j).spring(-1.0, 0.0, 0.0));
            }),
            ["stiffness", "0 or more"],
        ),
        (
            refused(|b, j, _| {
                b.tendon(tendon(j).spring(1.0, 1.0, 0.0));
            }),
            ["spring range", "lower"],
        ),
        (
            refused(|b, _, _| {
                let spec = BodySpec::new("third").gravity_compensation(f64::INFINITY);
                b.body(BodyId::WORLD, spec);
            }),
            ["\"third\"", "compensation"],
        ),
        (
            refused(|b, _, _| {
                let third = b.body(BodyId::WORLD, BodySpec::new("third"));
                b.joint(third, Joint::revolute(V3::Y).actuator_force_range(1.0, -1.0));
            }),
            ["third_joint", "least actuator force"],
        ),
    ] {
        assert!(wanted.iter().all(|w| message.contains(w)), "{message} should say {wanted:?}");
    }
}

#[test]
fn joints_are_added_body_by_body() {
    let mut b = ModelBuilder::new("late");
    let first = b.body(BodyId::WORLD, BodySpec::new("first"));
    let second = b.body(first, BodySpec::new("second"));
    b.joint(second, Joint::revolute(V3::Y));
    b.joint(first, Joint::revolute(V3::Y).named("late"));
    let message = b.build().unwrap_err().to_string();
    assert!(message.contains("\"late\"") && message.contains("body by body"), "{message}");
}

/// A body whose weight is carried stays where it is, and one with a motor gets its force; limits are refused by name.
#[test]
fn free_body_methods_know_carried_weights_and_motors_and_refuse_limits() {
    let spec = || BodySpec::new("b").inertia(inertia(1.0, [0.0; 3], [0.1; 3]));
    let step = |model: &Model| {
        let (mut system, mut state) = (System::new(model), State::new(model));
        system.control_mut().fill(2.0);
        let mut method = integrate::by_name("exact", model).unwrap();
        method.step(&mut system, &mut state, 0.01).map(|()| state.v)
    };

    let mut b = ModelBuilder::new("carried");
    let id = b.body(BodyId::WORLD, spec().gravity_compensation(1.0));
    b.joint(id, Joint::free());
    let v = step(&b.build().unwrap()).unwrap();
    assert!(v.iter().all(|v| v.abs() < 1e-15), "{v:?}");

    let mut b = ModelBuilder::new("driven");
    b.gravity(V3::ZERO);
    let id = b.body(BodyId::WORLD, spec());
    let joint = b.joint(id, Joint::spherical());
    b.actuator(Actuator::motor(joint));
    let v = step(&b.build().unwrap()).unwrap();
    assert!((v[0].abs() - 0.2).abs() < 1e-12, "2 N m for 0.01 s on 0.1 kg m²: {v:?}");

    let mut b = ModelBuilder::new("limited");
    let id = b.body(BodyId::WORLD, spec());
    b.joint(id, Joint::free().friction_loss(1.0));
    let error = step(&b.build().unwrap()).unwrap_err();
    assert!(error.to_string().contains("limits or dry friction"), "{error}");
}
