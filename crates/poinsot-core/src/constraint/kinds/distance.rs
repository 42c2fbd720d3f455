//! A massless bar: `C = |p_a − p_b| − L`.
//!
//! ```math
//! Ċ = n·(ṗ_a − ṗ_b)        n = (p_a − p_b)/|p_a − p_b|
//! ```
//! One row: the force n on a at p_a, −n on b at p_b. If the points coincide, n is along z. A soft rope has the same row while it is taut;
//! while it is slack, `C = max(|p_a − p_b| − L, 0)` is 0 and so are its rows. An inextensible rope has the opposite sign, `C = L − |p_a −
//! p_b| ≥ 0`.

use super::{Pair, Wrenches};
use crate::algebra::{Real, V3};
use crate::spatial::Force;

#[inline(always)]
pub(super) fn values(length: f64, x: &Pair<f64>) -> [f64; 6] {
    [(x.a.pos - x.b.pos).norm() - length, 0.0, 0.0, 0.0, 0.0, 0.0]
}

#[inline(always)]
pub(super) fn wrenches<T: Real>(x: &Pair<T>, out: &mut Wrenches<T>) {
    let d = x.a.pos - x.b.pos;
    let squared = d.dot(d);
    let n = if squared == T::zero() { V3::Z.lift() } else { d * (T::one() / squared.sqrt()) };
    out.push(Force::at_point(n, x.a.pos - x.origin_a), Force::at_point(-n, x.b.pos - x.origin_b));
}
