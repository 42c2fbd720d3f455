//! Objectivity: the world moved and turned together with gravity shows the same motion, moved and turned.

use crate::common::*;
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{BodyId, JointKind, Model};
use poinsot_core::spatial::{Pose, Quat};

/// Where the free joints on the world keep their position and their linear velocity.
fn floating(model: &Model) -> Vec<(usize, usize)> {
    let roots = model.bodies()[1..].iter().filter(|b| b.parent == BodyId::WORLD);
    let joints = roots.flat_map(|b| &model.joints()[b.joints.clone()]);
    joints.filter(|j| j.kind == JointKind::Free).map(|j| (j.coordinates().start, j.dofs().start)).collect()
}

fn turn_three(x: Pose, v: &mut [f64]) {
    let turned = x.rot * V3::new(v[0], v[1], v[2]);
    v[..3].copy_from_slice(&turned.array());
}

/// The coordinates of the same state in the moved world.
pub fn move_configuration(model: &Model, x: Pose, q: &mut [f64]) {
    for (at, _) in floating(model) {
        let p = x.point(V3::new(q[at], q[at + 1], q[at + 2]));
        let turn = Quat::from_matrix(x.rot) * Quat { w: q[at + 3], x: q[at + 4], y: q[at + 5], z: q[at + 6] };
        q[at..at + 3].copy_from_slice(&p.array());
        q[at + 3..at + 7].copy_from_slice(&turn.array());
    }
}

/// Velocities, accelerations or forces of the same state in the moved world.
pub fn turn_tangent(model: &Model, x: Pose, v: &mut [f64]) {
    floating(model).into_iter().for_each(|(_, k)| turn_three(x, &mut v[k..k + 3]));
}

#[test]
fn a_moved_world_moves_the_same_way() {
    let mut accelerations = Law::new("objectivity: accelerations", 1e-10);
    let mut poses = Law::new("objectivity: poses", 1e-12);
    for (n, sketch) in sketches().iter().enumerate() {
        let x = Random(n as u64).pose(2.0);
        let (model, moved) = (sketch.build(), sketch.moved(x).build());
        let (mut w, mut w_moved) = (Workspace::new(&model), Workspace::new(&moved));
        for mut s in samples(&model) {
            let mut expected = vec![0.0; model.nv()];
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut expected);
            turn_tangent(&model, x, &mut expected);
            let before = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
            let at = w.at(&model, &before);
            let expected_poses: Vec<Pose> = bodies(&model).into_iter().map(|b| x * at.pose(b)).collect();

            move_configuration(&model, x, &mut s.q);
            turn_tangent(&model, x, &mut s.v);
            turn_tangent(&model, x, &mut s.tau);
            let mut acc = vec![0.0; model.nv()];
            w_moved.forward_dynamics(&moved, &s.q, &s.v, &s.tau, &mut acc);
            accelerations.equal(model.name(), &acc, &expected);
            let after = State { q: s.q, v: s.v, ..State::new(&model) };
            let at = w_moved.at(&moved, &after);
            for (body, expected) in bodies(&moved).into_iter().zip(expected_poses) {
                let (p, e) = (at.pose(body), expected);
                poses.equal(model.name(), p.rot.rows().as_flattened(), e.rot.rows().as_flattened());
                poses.equal(model.name(), &p.pos.array(), &e.pos.array());
            }
        }
    }
}
