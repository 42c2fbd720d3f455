//! Coordinates measured between bodies, and the polynomial that ties them: gears, mimics and tendons in maximal coordinates.
//!
//! With y and x sums of such coordinates, `C = y − y₀ − P(x − x₀)` as for [couplings](super::coupling). An angle is that of
//! [screws](super::joint), θ = atan2(s, c), of the turn nearest to the last one; its rate is a torque on b and its
//! opposite on a. A length is `e·(p_b − p_a)`, a force and its opposite at p_b. Of each term with wrenches W,
//!
//! ```math
//! ẋ = W·V      ẍ = Ẇ·V + W·V̇      J = W_y − P′ W_x      J̇ v = ÿ₀ − P′ ẍ₀ − P″ ẋ²
//! ```
//! where ÿ₀, ẍ₀ are those without acceleration of the joints.

use super::joint::{angle, axes, turning};
use super::{Pair, Wrenches};
use crate::algebra::Real;
use crate::model::{JointKind, Relative};
use std::f64::consts::TAU;

/// The coordinate, of the turn nearest to `near`.
pub(in crate::constraint) fn coordinate(term: &Relative, x: &Pair<f64>, near: f64) -> f64 {
    match term.kind {
        JointKind::Prismatic { axis } => term.reference + (x.a.rot * axis).dot(x.b.pos - x.a.pos),
        _ => {
            let principal = term.reference + angle(x, axes(&term.kind));
            principal + TAU * ((near - principal) / TAU).round()
        }
    }
}

/// The wrenches whose power is its rate: one row.
pub(in crate::constraint) fn rate<T: Real>(term: &Relative, x: &Pair<T>) -> Wrenches<T> {
    let mut out = Wrenches::none();
    match term.kind {
        JointKind::Prismatic { axis } => out.push_force(x, x.a.rot * axis.lift(), x.b.pos),
        _ => out.push_torque(turning(x, axes(&term.kind))),
    }
    out
}
