//! Coordinates measured between bodies, and the polynomial that relates them: gears, mimics and tendons in maximal coordinates.
//!
//! With y and x sums of such coordinates, `C = y − y₀ − P(x − x₀)` as for [couplings](super::coupling). An angle is that of
//! [screws](super::joint), θ = atan2(s, c), unwrapped to the turn nearest to the last one; its rate is a torque on b and its opposite on a.
//! A length is `e·(p_b − p_a)`, a force and its opposite at p_b. For each term with wrenches W,
//!
//! ```math
//! ẋ = W·V      ẍ = Ẇ·V + W·V̇      J = W_y − P′ W_x      J̇ v = ÿ₀ − P′ ẍ₀ − P″ ẋ²
//! ```
//! where ÿ₀, ẍ₀ are those for zero joint acceleration.

use super::joint::{angle, axes, turning};
use super::{Pair, Wrenches, rotor};
use crate::algebra::{M3, Real, V3};
use crate::model::{JointKind, Part, Relative, axes_with_z};
use crate::spatial::{Quat, exp_so3};
use std::f64::consts::TAU;

/// The coordinate; angles are unwrapped to the turn nearest to `near`.
#[inline(always)]
pub(in crate::constraint) fn coordinate(term: &Relative, x: &Pair<f64>, near: f64) -> f64 {
    let k = match term.part {
        Part::Coordinate(k) => k,
        Part::Swing => return Quat::from_matrix(x.a.rot.transpose() * x.b.rot).log().norm(),
        Part::Rate(_) => return 0.0,
    };
    let seen_along = |axis: V3| term.reference + (x.a.rot * axis).dot(x.b.pos - x.a.pos);
    let principal = match term.kind {
        JointKind::Prismatic { axis } => return seen_along(axis),
        JointKind::Cylindrical { axis } if k == 0 => return seen_along(axis),
        JointKind::Planar { normal } if k < 2 => {
            let plane = axes_with_z(normal);
            return seen_along([plane.x, plane.y][k]);
        }
        JointKind::Universal { first, second } => universal(x, first, second)[k],
        _ => angle(x, axes(&term.kind)),
    };
    let principal = term.reference + principal;
    principal + TAU * ((near - principal) / TAU).round()
}

/// The angles of a universal joint: about `first`, which carries `second` along, then about `second`.
#[inline(always)]
fn universal(x: &Pair<f64>, first: V3, second: V3) -> [f64; 2] {
    let turned: M3 = x.a.rot.transpose() * x.b.rot;
    let about = |axis: V3, from: V3, to: V3| {
        let across = from - axis * axis.dot(from);
        libm::atan2(axis.cross(from).dot(to), across.dot(to))
    };
    let one = about(first, second, turned * second);
    let seed = axes_with_z(second).x;
    [one, about(second, seed, exp_so3(first * -one) * (turned * seed))]
}

/// The wrenches whose power is its rate: one row.
#[inline(always)]
pub(in crate::constraint) fn rate<T: Real>(term: &Relative, x: &Pair<T>) -> Wrenches<T> {
    let mut out = Wrenches::none();
    match (term.part, term.kind) {
        (Part::Coordinate(_), JointKind::Prismatic { axis }) => {
            out.push_force(x, x.a.rot * axis.lift(), x.b.pos);
        }
        (Part::Coordinate(_), JointKind::Revolute { .. } | JointKind::Helical { .. }) => {
            out.push_torque(turning(x, axes(&term.kind)));
        }
        (Part::Swing, _) => out.push_torque(swing_axis(x)),
        (Part::Coordinate(k) | Part::Rate(k), kind) => {
            let mut all = Wrenches::none();
            rotor::wrenches(&kind, x, &mut all);
            out.push(all.on_a[k], all.on_b[k]);
        }
    }
    out
}

/// The axis n about which b is rotated from a: `R − Rᵀ = 2 sin θ n×`. Without rotation there is none.
#[inline(always)]
fn swing_axis<T: Real>(x: &Pair<T>) -> V3<T> {
    let cross = |a: V3<T>, b: V3<T>| a.cross(b);
    let (a, b) = (x.a.rot, x.b.rot);
    let twice = cross(a.x, b.x) + cross(a.y, b.y) + cross(a.z, b.z);
    let square = twice.dot(twice);
    if square == T::zero() { V3::zero() } else { twice * (T::one() / square.sqrt()) }
}
