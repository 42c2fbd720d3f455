//! A floating chain moves the same way whichever end is its root.
//!
//! A joint seen from the other side: with X the pose of the child, `X J(q)` becomes `X⁻¹ (X J(q)⁻¹ X⁻¹)`: the same
//! joint at the same place, its axes reversed and its parts in reverse order.

use crate::common::*;
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::{Joint, JointKind, Model};
use poinsot_core::spatial::{Pose, Quat};

/// The joint of a child with pose `x`, as a joint of its parent on the child.
fn reversed(joint: &Joint, x: Pose) -> Joint {
    let back = |axis: V3| -(x.rot * axis);
    let kind = match joint.kind {
        JointKind::Revolute { axis } => JointKind::Revolute { axis: back(axis) },
        JointKind::Prismatic { axis } => JointKind::Prismatic { axis: back(axis) },
        JointKind::Helical { axis, pitch } => JointKind::Helical { axis: back(axis), pitch },
        JointKind::Cylindrical { axis } => JointKind::Cylindrical { axis: back(axis) },
        JointKind::Universal { first, second } => {
            JointKind::Universal { first: back(second), second: back(first) }
        }
        other => other,
    };
    let mut out = joint.clone().anchor(x.point(joint.anchor));
    out.kind = kind;
    out
}

/// Coordinates, rates and forces of the reversed joint.
fn reversed_state(joint: &Joint, x: Pose, q: &[f64], v: &[f64], tau: &[f64]) -> [Vec<f64>; 3] {
    let swap = |x: &[f64]| x.iter().rev().copied().collect::<Vec<f64>>();
    match joint.kind {
        JointKind::Universal { .. } => [swap(q), swap(v), swap(tau)],
        JointKind::Spherical => {
            let (r, turn) = (Quat::from_matrix(x.rot), Quat { w: q[0], x: q[1], y: q[2], z: q[3] });
            let to_parent = x.rot * turn.matrix();
            let back = |v: &[f64]| (-(to_parent * V3::new(v[0], v[1], v[2]))).array().to_vec();
            [(r * turn.conjugate() * r.conjugate()).array().to_vec(), back(v), back(tau)]
        }
        _ => [q.to_vec(), v.to_vec(), tau.to_vec()],
    }
}

const N: usize = 4;

/// Body k of the forward chain is body N + 1 − k of the backward one.
fn chain(r: &mut Random) -> (Sketch, Sketch) {
    let kind = |r: &mut Random| {
        let axis = r.axis();
        let joint = match r.below(6) {
            0 => Joint::revolute(axis).reference(0.3),
            1 => Joint::prismatic(axis),
            2 => Joint::helical(axis, 0.3),
            3 => Joint::cylindrical(axis),
            4 => Joint::universal(axis, axis.cross(r.vector(1.0)).unit().unwrap()),
            _ => Joint::spherical(),
        };
        joint.anchor(r.vector(0.3)).armature(0.05)
    };
    let forward: Vec<Draft> = (0..N)
        .map(|k| {
            let joints = vec![if k == 0 { Joint::free() } else { kind(r) }];
            Draft { parent: k, pose: r.pose(0.5), inertia: r.inertia(), joints }
        })
        .collect();
    let backward = (0..N)
        .map(|k| {
            let own = &forward[N - 1 - k];
            let (pose, joint) = match forward.get(N - k) {
                Some(child) => (child.pose.inverse(), reversed(&child.joints[0], child.pose)),
                None => (Pose::IDENTITY, Joint::free()),
            };
            Draft { parent: k, pose, inertia: own.inertia, joints: vec![joint] }
        })
        .collect();
    let sketch = |name: &str, bodies| Sketch { name: name.into(), gravity: V3::new(1.0, 2.0, -9.0), bodies };
    (sketch("forward", forward), sketch("backward", backward))
}

/// The joint torques drive both chains; nothing drives the root.
fn backward_state(sketch: &Sketch, model: &Model, s: &Sample, root: Pose, w: [V3; 2]) -> Sample {
    let spin = root.rot.tr_mul(w[0]);
    let mut out = Sample {
        q: [root.pos.array().to_vec(), Quat::from_matrix(root.rot).array().to_vec()].concat(),
        v: [w[1].array(), spin.array()].concat(),
        a: vec![],
        tau: vec![0.0; 6],
    };
    for k in (1..N).rev() {
        let j = &model.joints()[k];
        let (own, x) = (&sketch.bodies[k].joints[0], sketch.bodies[k].pose);
        let [q, v, tau] = reversed_state(own, x, &s.q[j.coordinates()], &s.v[j.dofs()], &s.tau[j.dofs()]);
        out.q.extend(q);
        out.v.extend(v);
        out.tau.extend(tau);
    }
    out
}

#[test]
fn either_end_may_be_the_root() {
    let mut poses = Law::new("re-rooted chain: poses and velocities", 1e-12);
    let mut law = Law::new("re-rooted chain: accelerations of bodies", 1e-10);
    let mut r = Random(77);
    for _ in 0..20 {
        let (forward, backward) = chain(&mut r);
        let (model, turned) = (forward.build(), backward.build());
        let (mut w, mut w_turned) = (Workspace::new(&model), Workspace::new(&turned));
        let ids = (bodies(&model), bodies(&turned));
        for mut s in samples(&model) {
            s.tau[..6].fill(0.0);
            let mut acc = vec![0.0; model.nv()];
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut acc);
            let state = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
            let at = w.at(&model, &state);
            let tip = at.velocity(ids.0[N - 1]);
            let b = backward_state(&forward, &model, &s, at.pose(ids.0[N - 1]), [tip.ang, tip.lin]);
            let mut acc_turned = vec![0.0; turned.nv()];
            w_turned.forward_dynamics(&turned, &b.q, &b.v, &b.tau, &mut acc_turned);
            let state_turned = State { q: b.q, v: b.v, ..State::new(&model) };
            let at_turned = w_turned.at(&turned, &state_turned);
            for k in 0..N {
                let (i, j) = (ids.0[k], ids.1[N - 1 - k]);
                poses.equal("positions", &at.pose(i).pos.array(), &at_turned.pose(j).pos.array());
                poses.equal("velocities", &of_motion(at.velocity(i)), &of_motion(at_turned.velocity(j)));
                let (a, a_turned) = (at.acceleration(i, &acc), at_turned.acceleration(j, &acc_turned));
                law.equal("chain", &of_motion(a), &of_motion(a_turned));
            }
        }
    }
}
