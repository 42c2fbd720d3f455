//! The rates of a joint between two bodies, and the rotor that turns with them.
//!
//! With `s` the rates of the joint's coordinates, each row is a wrench with `s_k = n·ω + f·v`. A rotor of inertia I on a
//! rate resists with `λ = −I ṡ`: in the equations of motion that is a row `J v̇ + J̇ v + λ/I = 0`, a constraint with the
//! compliance 1/I. As a force, τ of the joint is `Jᵀ τ` on the bodies.
//!
//! | joint | rates |
//! |---|---|
//! | revolute, helical | z·(ω_b − ω_a) |
//! | prismatic | z·ṗ_b seen from a |
//! | cylindrical | both of these |
//! | universal | of ω_b − ω_a = u θ̇₁ + w θ̇₂: with n = u × w, `θ̇₁ = (w × n)·ω/(u·(w × n))`, `θ̇₂ = (u × n)·ω/(w·(u × n))` |
//! | planar | x·ṗ_b, y·ṗ_b seen from a, z·(ω_b − ω_a) |
//! | spherical | ω_b − ω_a in the axes of b |
//! | free | ṗ_b seen from a, in its axes; ω_b − ω_a in the axes of b |

use super::{Pair, Wrenches};
use crate::algebra::{Real, V3};
use crate::model::{JointKind, axes_with_z};

#[inline(always)]
pub(super) fn wrenches<T: Real>(kind: &JointKind, x: &Pair<T>, out: &mut Wrenches<T>) {
    let in_a = |v: V3| x.a.rot * v.lift();
    match *kind {
        JointKind::Fixed => {}
        JointKind::Revolute { axis } | JointKind::Helical { axis, .. } => out.push_torque(in_a(axis)),
        JointKind::Prismatic { axis } => out.push_force(x, in_a(axis), x.b.pos),
        JointKind::Cylindrical { axis } => {
            out.push_force(x, in_a(axis), x.b.pos);
            out.push_torque(in_a(axis));
        }
        JointKind::Universal { first, second } => {
            let (u, w) = (in_a(first), x.b.rot * second.lift());
            let n = u.cross(w);
            for (own, other) in [(u, w), (w, u)] {
                let across = other.cross(n);
                out.push_torque(across * (T::one() / own.dot(across)));
            }
        }
        JointKind::Planar { normal } => {
            let plane = axes_with_z(normal);
            out.push_force(x, in_a(plane.x), x.b.pos);
            out.push_force(x, in_a(plane.y), x.b.pos);
            out.push_torque(in_a(normal));
        }
        JointKind::Spherical | JointKind::Free => {
            if *kind == JointKind::Free {
                [x.a.rot.x, x.a.rot.y, x.a.rot.z].into_iter().for_each(|e| out.push_force(x, e, x.b.pos));
            }
            [x.b.rot.x, x.b.rot.y, x.b.rot.z].into_iter().for_each(|e| out.push_torque(e));
        }
    }
}
