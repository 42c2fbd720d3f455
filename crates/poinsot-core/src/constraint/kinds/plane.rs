//! A point in a plane, a frictionless bilateral contact: `C = n·(p_b − p_a)`, n the z axis of a.
//!
//! ```math
//! Ċ = n·(ṗ_b − ṗ_a) + (ω_a × n)·(p_b − p_a)
//! ```
//! One row: the force n on b at p_b, and −n on a at the same point.

use super::{Pair, Wrenches};
use crate::algebra::Real;

#[inline(always)]
pub(super) fn values(x: &Pair<f64>) -> [f64; 6] {
    [x.a.rot.z.dot(x.b.pos - x.a.pos), 0.0, 0.0, 0.0, 0.0, 0.0]
}

#[inline(always)]
pub(super) fn wrenches<T: Real>(x: &Pair<T>, out: &mut Wrenches<T>) {
    out.push_force(x, x.a.rot.z, x.b.pos);
}
