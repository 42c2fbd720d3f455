//! Joints that no mass tells apart are refused by name; everything else that is legal is not.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot_core::algebra::V3;
use poinsot_core::dynamics::Workspace;
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder, ModelError, Shape};

fn brick(name: &str) -> BodySpec {
    BodySpec::new(name).solid(&Shape::Box { size: V3::new(0.3, 0.2, 0.1) }, 1.0).unwrap()
}

fn with(joints: Vec<Joint>) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new("brick");
    let body = b.body(BodyId::WORLD, brick("brick"));
    for (k, joint) in joints.into_iter().enumerate() {
        b.joint(body, joint.named(format!("j{k}")));
    }
    b.build()
}

#[test]
fn redundant_joints_are_refused_by_name() {
    let hinge = Joint::revolute;
    let cases = [
        (vec![hinge(V3::Z), hinge(V3::Z), hinge(V3::Z)], "j1"),
        (vec![hinge(V3::Z), hinge(-V3::Z)], "j1"),
        (vec![hinge(V3::X), hinge(V3::Y), Joint::spherical()], "j2"),
        (vec![Joint::spherical(), Joint::spherical()], "j1"),
        (vec![Joint::prismatic(V3::X), Joint::prismatic(V3::Y), Joint::prismatic(V3::X + V3::Y)], "j2"),
        (vec![Joint::planar(V3::Z), Joint::cylindrical(V3::Z)], "j1"),
        (vec![Joint::helical(V3::Z, 0.1), Joint::cylindrical(V3::Z)], "j1"),
        ((0..4).map(|k| hinge(V3::Z).anchor(V3::X * f64::from(k))).collect(), "j3"),
        // seven ways to move one body, whatever they are
        (
            (1..8)
                .map(f64::from)
                .map(|k| hinge(V3::new(k, 1.0, 9.0 / k)).anchor(V3::new(0.0, k * k, k)))
                .collect(),
            "j6",
        ),
    ];
    for (joints, name) in cases {
        let error = with(joints).unwrap_err();
        assert!(matches!(&error, ModelError::Redundant { joint, .. } if joint == name), "{error}");
        assert!(error.to_string().contains("\"j0\""), "{error}");
    }
}

/// Massless bodies between the joints change nothing.
#[test]
fn redundancy_is_seen_through_massless_bodies() {
    let mut b = ModelBuilder::new("chain");
    let empty = b.body(BodyId::WORLD, BodySpec::new("empty"));
    b.joint(empty, Joint::revolute(V3::Y).named("first"));
    let body = b.body(empty, brick("brick"));
    b.joint(body, Joint::revolute(V3::Y).named("second"));
    let message = b.build().unwrap_err().to_string();
    assert!(message.contains("\"first\"") && message.contains("\"second\""), "{message}");
}

#[test]
fn legal_joints_pass_and_accelerate_sanely() {
    let hinge = Joint::revolute;
    let cases = [
        vec![Joint::universal(V3::X, V3::Y)],
        vec![Joint::planar(V3::new(1.0, 2.0, 3.0))],
        vec![Joint::cylindrical(V3::Z)],
        vec![Joint::spherical()],
        vec![Joint::free()],
        vec![hinge(V3::X), hinge(V3::Y), hinge(V3::Z)],
        // Euler angles: in gimbal lock at the reference only
        vec![hinge(V3::Z), hinge(V3::X), hinge(V3::Z)],
        vec![Joint::prismatic(V3::X), Joint::prismatic(V3::Y), Joint::prismatic(V3::Z), Joint::spherical()],
        vec![hinge(V3::Y), hinge(V3::Y).anchor(V3::X)],
        // a rotor has energy of its own
        vec![hinge(V3::Z).armature(0.1), hinge(V3::Z)],
        vec![hinge(V3::Z), hinge(V3::Z).armature(0.1), hinge(V3::Z).armature(0.1)],
    ];
    for joints in cases {
        let model = with(joints).unwrap();
        let (mut a, zero) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        let q = model.random_configuration(3);
        Workspace::new(&model).forward_dynamics(&model, &q, &zero, &zero, &mut a);
        assert!(a.iter().all(|a| a.abs() < 1e4), "{a:?}");
    }
}
