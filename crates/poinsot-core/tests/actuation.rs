//! The forces a model brings: actuators, tendons, gravity compensation, the medium, springs to a pose.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

#[path = "actuation/compensation.rs"]
mod compensation;
#[path = "actuation/medium.rs"]
mod medium;
#[path = "actuation/mistakes.rs"]
mod mistakes;
#[path = "actuation/oracle.rs"]
mod oracle;
#[path = "actuation/power.rs"]
mod power;
#[path = "actuation/servo.rs"]
mod servo;
#[path = "actuation/tendons.rs"]
mod tendons;

use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::model::*;
use poinsot_core::spatial::{Inertia, Pose, Quat};

fn inertia(mass: f64, com: [f64; 3], moments: [f64; 3]) -> Inertia {
    let [x, y, z] = com;
    let [a, b, c] = moments;
    Inertia::new(mass, V3::new(x, y, z), Sym3::diagonal(a, b, c)).unwrap()
}

fn affine(constant: f64, length: f64, velocity: f64) -> Bias {
    Bias::Affine { constant, length, velocity }
}

/// A floating base with an arm: a ball, a hinge and a slide, and actuators of every kind on them.
fn arm() -> Model {
    let mut b = ModelBuilder::new("arm");
    let base = b.body(
        BodyId::WORLD,
        BodySpec::new("base").inertia(inertia(2.0, [0.02, 0.01, -0.03], [0.03, 0.04, 0.05])),
    );
    let root = b.joint(base, Joint::free());
    let arm = BodySpec::new("arm").at(V3::X * 0.3).gravity_compensation(0.75);
    let arm = b.body(base, arm.inertia(inertia(1.0, [0.1, 0.0, 0.0], [0.01, 0.02, 0.02])));
    let shoulder = b.joint(arm, Joint::spherical());
    let fore = BodySpec::new("fore").at(V3::X * 0.2).gravity_compensation(1.5);
    let fore = b.body(arm, fore.inertia(inertia(0.5, [0.1, 0.0, 0.02], [0.004, 0.005, 0.006])));
    let elbow = b.joint(fore, Joint::revolute(V3::Y).actuator_force_range(-3.0, 3.0));
    let hand = BodySpec::new("hand").at(V3::X * 0.2);
    let hand = b.body(fore, hand.inertia(inertia(0.25, [0.01, 0.02, 0.03], [0.001, 0.002, 0.003])));
    let slide = b.joint(hand, Joint::prismatic(V3::X));

    let cable = FixedTendon::new([(elbow, 0.5), (slide, -1.5)]).spring(40.0, 0.1, 0.2).damping(3.0);
    let cable = b.tendon(cable);

    let on_joint = |joint| Transmission::Joint { joint, in_parent: false };
    let in_parent = |joint| Transmission::Joint { joint, in_parent: true };
    let tilted = Quat { w: 0.8, x: 0.0, y: 0.6, z: 0.0 }.matrix();
    let grip = Transmission::Site { body: hand, pose: Pose { rot: tilted, pos: V3::new(0.05, 0.01, 0.02) } };
    let slow = |dynamics| Actuator::general(slide).dynamics(dynamics);
    for actuator in [
        Actuator::general(elbow).gear_ratio(2.0).gain(Gain::Fixed(30.0)).bias(affine(0.5, -30.0, -4.0)),
        Actuator::general(on_joint(shoulder))
            .gear([0.3, -0.2, 0.5, 0.0, 0.0, 0.0])
            .gain(Gain::Affine { constant: 2.0, length: 0.7, velocity: 0.3 })
            .bias(affine(0.1, 0.2, 0.3)),
        Actuator::general(in_parent(shoulder))
            .gear([0.4, 0.6, -0.5, 0.0, 0.0, 0.0])
            .gain(Gain::Fixed(2.0))
            .bias(affine(0.2, -1.0, -0.5)),
        Actuator::general(on_joint(root)).gear([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).bias(affine(0.0, 1.0, -0.1)),
        Actuator::general(in_parent(root))
            .gear([-1.0, 0.5, 0.2, 0.3, 0.1, -0.4])
            .bias(affine(0.0, 1.0, -0.1)),
        Actuator::general(cable)
            .gear_ratio(3.0)
            .gain(Gain::Fixed(5.0))
            .bias(affine(0.0, -2.0, -1.0))
            .force_range(-4.0, 4.0),
        Actuator::general(grip)
            .gear([1.0, -2.0, 0.5, 0.1, 0.2, -0.3])
            .control_range(-0.5, 0.5)
            .bias(affine(0.3, 0.0, -0.6)),
        slow(ActuatorDynamics::Integrator).activation_range(-0.3, 0.8008),
        slow(ActuatorDynamics::Filter { time_constant: 0.05 }).gain(Gain::Fixed(2.0)),
        slow(ActuatorDynamics::FilterExact { time_constant: 0.05 }).gain(Gain::Fixed(3.0)),
    ] {
        b.actuator(actuator);
    }
    b.build().unwrap()
}

const Q: [f64; 13] = [0.3, -0.2, 0.5, 0.5, 0.1, -0.7, 0.5, 0.7, -0.5, 0.1, 0.5, 0.6, -0.15];
const V: [f64; 11] = [0.3, -0.4, 0.5, 0.6, -0.7, 0.8, -0.9, 1.0, -1.1, 1.2, -1.3];
const SIGNAL: [f64; 10] = [0.4, 0.9, -0.7, 0.6, 0.3, -0.2, 0.8, 0.5, 0.25, -0.75];
const ACTIVATION: [f64; 3] = [0.8, -0.1, 0.2];
