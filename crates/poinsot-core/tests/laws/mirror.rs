//! Mirror images: a world reflected through its origin moves as the reflection of the motion.
//!
//! Reflection through a point, x ↦ −x, is a mirror and a half turn; with objectivity it stands for all mirrors.
//! Lengths and velocities change sign, turns and rotations do not.

use crate::common::*;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{JointKind, Model};

/// −1 where a coordinate (or a rate) is a length, 1 where it is a turn.
fn signs(model: &Model, tangent: bool) -> Vec<f64> {
    let of = |kind: JointKind| -> Vec<f64> {
        let n = if tangent { kind.nv() } else { kind.nq() };
        let lengths = match kind {
            JointKind::Prismatic { .. } | JointKind::Cylindrical { .. } => 1,
            JointKind::Planar { .. } => 2,
            JointKind::Free => 3,
            _ => 0,
        };
        (0..n).map(|k| if k < lengths { -1.0 } else { 1.0 }).collect()
    };
    model.joints().iter().flat_map(|j| of(j.kind)).collect()
}

fn times(x: &[f64], signs: &[f64]) -> Vec<f64> {
    x.iter().zip(signs).map(|(x, s)| x * s).collect()
}

#[test]
fn the_mirror_image_moves_as_the_image_of_the_motion() {
    let mut accelerations = Law::new("mirror: accelerations", 1e-10);
    let mut poses = Law::new("mirror: poses", 1e-12);
    for sketch in sketches() {
        let (model, image) = (sketch.build(), sketch.inverted().build());
        let (q_signs, v_signs) = (signs(&model, false), signs(&model, true));
        let (mut w, mut w_image) = (Workspace::new(&model), Workspace::new(&image));
        for s in samples(&model) {
            let (mut acc, mut acc_image) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            let (q, v) = (times(&s.q, &q_signs), times(&s.v, &v_signs));
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut acc);
            w_image.forward_dynamics(&image, &q, &v, &times(&s.tau, &v_signs), &mut acc_image);
            accelerations.equal(model.name(), &times(&acc_image, &v_signs), &acc);
            let (state, reflected) =
                (State { q: s.q, v: s.v, ..State::new(&model) }, State { q, v, ..State::new(&model) });
            let (at, at_image) = (w.at(&model, &state), w_image.at(&image, &reflected));
            for (a, b) in bodies(&model).into_iter().zip(bodies(&image)) {
                let (a, b) = (at.pose(a), at_image.pose(b));
                poses.equal(model.name(), &a.pos.array(), &(-b.pos).array());
                poses.equal(model.name(), a.rot.rows().as_flattened(), b.rot.rows().as_flattened());
            }
        }
    }
}
