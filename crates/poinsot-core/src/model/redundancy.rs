//! Redundant joints: joints whose motions no mass distinguishes.
//!
//! Joints without mass between them act together: everything outboard of them moves with `Σ S_i q̇_i`. If the S_i are linearly dependent,
//! some q̇ ≠ 0 moves nothing, its kinetic energy is 0, and the mass matrix is singular, unless a rotor (armature) moves. The S_i are
//! compared at a configuration in general position, so that only joints that are redundant everywhere are rejected, not those in gimbal
//! lock at the reference.

use super::compile::Draft;
use super::{Joint, Kind, ModelError};
use crate::algebra::V3;
use crate::spatial::{Inertia, Pose, exp_so3};

/// Motions count as dependent if one of unit size is this close to a combination of the others.
const SAME: f64 = 1e-8;

/// Rejects a joint without rotor whose motion is a combination of those before it.
pub(super) fn check_redundancy(links: &[Draft], joints: &[Joint]) -> Result<(), ModelError> {
    let mut children = vec![0; links.len()];
    for link in &links[1..] {
        children[link.parent] += 1;
    }
    let light = |i: usize| i > 0 && children[i] == 1 && links[i].inertia == Inertia::ZERO;
    let (mut basis, mut names, mut pose) = (Vec::new(), Vec::new(), Pose::IDENTITY);
    for (i, link) in links.iter().enumerate().skip(1) {
        // the only child of a link comes right after it
        if !light(link.parent) {
            basis.clear();
            names.clear();
            pose = Pose::IDENTITY;
        }
        pose = pose * link.frame;
        let joint = &joints[link.joint];
        if joint.armature == 0.0 {
            for column in motions(link, pose) {
                if !extend(&mut basis, column) {
                    return Err(ModelError::Redundant { joint: joint.name.clone(), others: names });
                }
            }
            if names.last() != Some(&joint.name) {
                names.push(joint.name.clone());
            }
        }
        pose = pose * in_general_position(link, i);
    }
    Ok(())
}

/// The motions a link's joint allows: angular and linear at the origin of the first joint.
fn motions(link: &Draft, pose: Pose) -> Vec<[f64; 6]> {
    let motion = |ang: V3, lin: V3| {
        let at_origin = lin + pose.pos.cross(ang);
        [ang.x, ang.y, ang.z, at_origin.x, at_origin.y, at_origin.z]
    };
    let r = pose.rot;
    let turns = || [r.x, r.y, r.z].map(|axis| motion(axis, V3::ZERO));
    match link.kind {
        Kind::World => vec![],
        Kind::Hinge | Kind::Screw => vec![motion(r.z * link.screw[0], r.z * link.screw[1])],
        Kind::Ball => turns().to_vec(),
        Kind::Free => [r.x, r.y, r.z].map(|axis| motion(V3::ZERO, axis)).into_iter().chain(turns()).collect(),
    }
}

/// A displacement of the joint in general position, different for each link.
fn in_general_position(link: &Draft, number: usize) -> Pose {
    let q = 0.6 + 0.17 * (number % 7) as f64;
    let [turn, advance, _] = link.screw;
    match link.kind {
        Kind::World => Pose::IDENTITY,
        Kind::Hinge | Kind::Screw => Pose { rot: exp_so3(V3::Z * (turn * q)), pos: V3::Z * (advance * q) },
        Kind::Ball => Pose { rot: exp_so3(V3::new(0.3, 0.5, 0.7) * q), pos: V3::ZERO },
        Kind::Free => Pose { rot: exp_so3(V3::new(0.3, 0.5, 0.7) * q), pos: V3::new(0.2, 0.3, 0.4) * q },
    }
}

/// Adds `x` to an orthonormal basis; false if it is a combination of it.
fn extend(basis: &mut Vec<[f64; 6]>, mut x: [f64; 6]) -> bool {
    let dot = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let normalise = |x: &mut [f64; 6]| {
        let length = dot(x, x).sqrt();
        x.iter_mut().for_each(|x| *x /= length);
        length
    };
    normalise(&mut x);
    // two passes are enough: the second removes the round-off of the first
    for _ in 0..2 {
        for b in basis.iter() {
            let along = dot(b, &x);
            x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
        }
    }
    let apart = normalise(&mut x);
    basis.push(x);
    apart > SAME
}
