//! One joint: from its coordinates to the pose of mount b in mount a, and back.

use crate::algebra::V3;
use crate::model::{JointKind, axes_with_z};
use crate::spatial::{Motion, Pose, Quat, exp_so3};
use std::f64::consts::TAU;

/// `X_ab`, and the velocity of b relative to a: in the axes of a, linear part at the origin of b.
pub(super) fn placed(kind: &JointKind, reference: f64, q: &[f64], v: &[f64]) -> (Pose, Motion) {
    let turn = |axis: V3, angle: f64| exp_so3(axis * angle);
    let still = V3::ZERO;
    let part = |k: usize| q[k] - reference;
    match *kind {
        JointKind::Fixed => (Pose::IDENTITY, Motion::default()),
        JointKind::Revolute { axis } => {
            let x = Pose { rot: turn(axis, part(0)), pos: still };
            (x, Motion { ang: axis * v[0], lin: still })
        }
        JointKind::Prismatic { axis } => {
            (Pose::translation(axis * part(0)), Motion { ang: still, lin: axis * v[0] })
        }
        JointKind::Helical { axis, pitch } => {
            let x = Pose { rot: turn(axis, part(0)), pos: axis * (pitch * part(0)) };
            (x, Motion { ang: axis * v[0], lin: axis * (pitch * v[0]) })
        }
        JointKind::Cylindrical { axis } => {
            let x = Pose { rot: turn(axis, part(1)), pos: axis * part(0) };
            (x, Motion { ang: axis * v[1], lin: axis * v[0] })
        }
        JointKind::Universal { first, second } => {
            let rot = turn(first, part(0));
            let x = Pose { rot: rot * turn(second, part(1)), pos: still };
            (x, Motion { ang: first * v[0] + rot * second * v[1], lin: still })
        }
        JointKind::Planar { normal } => {
            let f = axes_with_z(normal);
            let x = Pose { rot: turn(normal, part(2)), pos: f.x * part(0) + f.y * part(1) };
            (x, Motion { ang: normal * v[2], lin: f.x * v[0] + f.y * v[1] })
        }
        JointKind::Spherical => {
            let rot = quat(q).matrix();
            (Pose { rot, pos: still }, Motion { ang: rot * V3::new(v[0], v[1], v[2]), lin: still })
        }
        JointKind::Free => {
            let rot = quat(&q[3..]).matrix();
            let x = Pose { rot, pos: V3::new(q[0], q[1], q[2]) };
            (x, Motion { ang: rot * V3::new(v[3], v[4], v[5]), lin: V3::new(v[0], v[1], v[2]) })
        }
    }
}

fn quat(q: &[f64]) -> Quat {
    Quat { w: q[0], x: q[1], y: q[2], z: q[3] }.normalized()
}

/// The angle unwrapped to the turn nearest to `near`.
#[inline(always)]
pub(super) fn nearest(angle: f64, near: f64) -> f64 {
    angle + TAU * ((near - angle) / TAU).round()
}

/// The coordinates of the pose `X_ab`; angles are unwrapped to the turns nearest to those in `q`, which are replaced.
#[inline(always)]
pub(super) fn coordinates(kind: &JointKind, reference: f64, x: Pose, q: &mut [f64]) {
    // the angle from `from` to `to` about the axis, unwrapped to the turn nearest to `near`
    let angle = |axis: V3, from: V3, to: V3, near: f64| {
        let (across, other) = (from - axis * axis.dot(from), axis.cross(from));
        nearest(libm::atan2(other.dot(to), across.dot(to)), near - reference)
    };
    let about = |axis: V3, near: f64| {
        let seed = axes_with_z(axis).x;
        angle(axis, seed, x.rot * seed, near)
    };
    match *kind {
        JointKind::Fixed => {}
        JointKind::Revolute { axis } | JointKind::Helical { axis, .. } => {
            q[0] = reference + about(axis, q[0]);
        }
        JointKind::Prismatic { axis } => q[0] = reference + axis.dot(x.pos),
        JointKind::Cylindrical { axis } => {
            (q[0], q[1]) = (reference + axis.dot(x.pos), reference + about(axis, q[1]));
        }
        JointKind::Universal { first, second } => {
            let one = angle(first, second, x.rot * second, q[0]);
            let rest = exp_so3(first * -one) * x.rot;
            let seed = axes_with_z(second).x;
            let two = angle(second, seed, rest * seed, q[1]);
            (q[0], q[1]) = (reference + one, reference + two);
        }
        JointKind::Planar { normal } => {
            let f = axes_with_z(normal);
            q[2] = reference + about(normal, q[2]);
            (q[0], q[1]) = (reference + f.x.dot(x.pos), reference + f.y.dot(x.pos));
        }
        JointKind::Spherical => q.copy_from_slice(&Quat::from_matrix(x.rot).array()),
        JointKind::Free => {
            q[..3].copy_from_slice(&x.pos.array());
            q[3..].copy_from_slice(&Quat::from_matrix(x.rot).array());
        }
    }
}
