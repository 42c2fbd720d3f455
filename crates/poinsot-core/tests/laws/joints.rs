//! Every joint moves its body as the table of [`JointKind`] says: poses written out joint by joint.

use crate::common::*;
use poinsot_core::algebra::{M3, V3};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{Joint, JointKind, Model};
use poinsot_core::spatial::{Pose, Quat};

fn turn(axis: V3, angle: f64) -> Pose {
    Pose::rotation_vector(axis * angle)
}

fn slide(axis: V3, distance: f64) -> Pose {
    Pose::translation(axis * distance)
}

fn attitude(q: &[f64]) -> M3 {
    Quat { w: q[0], x: q[1], y: q[2], z: q[3] }.matrix()
}

fn plane(n: V3) -> [V3; 2] {
    let a = n.array().map(f64::abs);
    let seed = if a[0] >= a[1].max(a[2]) {
        V3::Y
    } else if a[1] >= a[2] {
        V3::Z
    } else {
        V3::X
    };
    let x = (seed - n * seed.dot(n)).unit().unwrap();
    [x, n.cross(x)]
}

/// The motion of the body in its own frame at the reference; a free joint instead gives the pose in the parent.
fn motion(joint: &Joint, q: &[f64]) -> Pose {
    let d = |k: usize| q[k] - joint.reference;
    let about_anchor = match joint.kind {
        JointKind::Fixed => Pose::IDENTITY,
        JointKind::Revolute { axis } => turn(axis, d(0)),
        JointKind::Prismatic { axis } => slide(axis, d(0)),
        JointKind::Helical { axis, pitch } => slide(axis, pitch * d(0)) * turn(axis, d(0)),
        JointKind::Cylindrical { axis } => slide(axis, d(0)) * turn(axis, d(1)),
        JointKind::Universal { first, second } => turn(first, d(0)) * turn(second, d(1)),
        JointKind::Spherical => Pose { rot: attitude(q), pos: V3::ZERO },
        JointKind::Planar { normal } => {
            let [x, y] = plane(normal);
            slide(x, d(0)) * slide(y, d(1)) * turn(normal, d(2))
        }
        JointKind::Free => return Pose { rot: attitude(&q[3..7]), pos: V3::new(q[0], q[1], q[2]) },
    };
    Pose::translation(joint.anchor) * about_anchor * Pose::translation(-joint.anchor)
}

fn poses(model: &Model, q: &[f64]) -> Vec<Pose> {
    let mut out = vec![Pose::IDENTITY];
    for body in &model.bodies()[1..] {
        let joints = &model.joints()[body.joints.clone()];
        let free = joints.iter().any(|j| j.kind == JointKind::Free);
        let start = out[body.parent.index()] * if free { Pose::IDENTITY } else { body.pose };
        out.push(joints.iter().fold(start, |x, j| x * motion(j, &q[j.coordinates()])));
    }
    out
}

#[test]
fn joints_move_bodies_as_the_table_says() {
    let mut law = Law::new("poses by the table of joints", 1e-12);
    for model in models() {
        let mut w = Workspace::new(&model);
        let neutral = model.neutral();
        for q in samples(&model).map(|s| s.q).chain([neutral]) {
            let state = State { q, ..State::new(&model) };
            let at = w.at(&model, &state);
            for (id, expected) in bodies(&model).into_iter().zip(&poses(&model, &state.q)[1..]) {
                let x = at.pose(id);
                law.equal(model.name(), x.rot.rows().as_flattened(), expected.rot.rows().as_flattened());
                law.equal(model.name(), &x.pos.array(), &expected.pos.array());
            }
        }
    }
}
