//! The integrators of trees: their orders, what they keep, and what they do when something is wrong.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

#[path = "integrators/conservation.rs"]
mod conservation;
#[path = "integrators/extending.rs"]
mod extending;
#[path = "integrators/extremes.rs"]
mod extremes;
#[path = "integrators/failure.rs"]
mod failure;
#[path = "integrators/order.rs"]
mod order;
#[path = "integrators/reversal.rs"]
mod reversal;
#[path = "integrators/stiff.rs"]
mod stiff;

use common::{Draft, Random, Sketch};
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, Integrator, System};
use poinsot_core::model::{Joint, Model, Shape};
use poinsot_core::spatial::Pose;

const TREE_METHODS: [&str; 6] = ["semi-implicit", "implicit", "leapfrog", "rkmk4", "adaptive", "midpoint"];

/// Bodies of random inertia, each on the one before, a joint each.
fn chain(name: &str, gravity: V3, joints: Vec<Joint>) -> Sketch {
    let mut r = Random(7);
    let mut draft = |(parent, joint)| Draft {
        parent,
        pose: Pose { rot: r.rotation(), pos: r.vector(0.5) },
        inertia: r.inertia(),
        joints: vec![joint],
    };
    let bodies = joints.into_iter().enumerate().map(&mut draft).collect();
    Sketch { name: name.into(), gravity, bodies }
}

/// Floats in space; every kind of joint.
fn floating() -> Sketch {
    let axis = V3::new(0.4, -0.5, 0.8);
    let mut sketch = chain(
        "floating tree",
        V3::ZERO,
        vec![
            Joint::free(),
            Joint::revolute(axis),
            Joint::spherical(),
            Joint::prismatic(axis).spring(30.0, 0.0),
            Joint::universal(V3::X, V3::Y),
            Joint::helical(V3::Z, 0.1),
            Joint::cylindrical(V3::Y).spring(20.0, 0.1),
            Joint::planar(axis).spring(20.0, 0.0),
        ],
    );
    // a tree rather than a chain
    sketch.bodies[4].parent = 2;
    sketch.bodies[6].parent = 1;
    sketch
}

/// Two rods in a plane.
fn double_pendulum() -> Sketch {
    let rod = Shape::Capsule { radius: 0.03, length: 1.0 }.inertia(1.0).unwrap();
    let link = |parent, z| Draft {
        parent,
        pose: Pose::translation(V3::Z * z),
        inertia: rod,
        joints: vec![Joint::revolute(V3::Y).anchor(V3::Z * 0.5)],
    };
    Sketch {
        name: "double pendulum".into(),
        gravity: V3::Z * -9.81,
        bodies: vec![link(0, -0.5), link(1, -1.0)],
    }
}

/// Ball joints in space, under gravity.
fn ball_chain() -> Sketch {
    chain("ball chain", V3::Z * -9.81, vec![Joint::spherical(), Joint::spherical(), Joint::spherical()])
}

/// Springs and dampers of middling strength.
fn damped() -> Sketch {
    let joints = vec![
        Joint::revolute(V3::Y).spring(40.0, 0.3).damping(0.5),
        Joint::spherical().spring(20.0, 0.0).damping(0.3),
        Joint::prismatic(V3::X).spring(100.0, 0.1).damping(2.0),
    ];
    chain("damped springs", V3::Z * -9.81, joints)
}

/// Somewhere, moving.
fn start(model: &Model) -> State {
    let mut state = State::new(model);
    let lean = model.random_velocity(11);
    model.integrate(&mut state.q, &lean, 0.4);
    state.v = model.random_velocity(12);
    state
}

fn advance(system: &mut System, method: &mut dyn Integrator, state: &mut State, h: f64, steps: usize) {
    for _ in 0..steps {
        method.step(system, state, h).unwrap();
    }
}

/// The state of `model` after the time `t` in equal steps.
fn after(model: &Model, start: &State, method: &str, t: f64, steps: usize) -> State {
    let mut state = start.clone();
    let mut method = integrate::by_name(method, model).unwrap();
    advance(&mut System::new(model), &mut *method, &mut state, t / steps as f64, steps);
    state
}

/// The largest difference in positions and velocities.
fn distance(model: &Model, a: &State, b: &State) -> f64 {
    let mut apart = vec![0.0; model.nv()];
    model.difference(&a.q, &b.q, &mut apart);
    common::size(&apart).max(common::size(&common::minus(&a.v, &b.v)))
}
