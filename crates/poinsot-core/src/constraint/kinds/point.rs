//! Point to point, a ball joint: `C = p_a − p_b`, in world axes.
//!
//! ```math
//! Ċ = v_a + ω_a × r_a − v_b − ω_b × r_b        r = p − x
//! ∂C/∂(θ_a, x_a) = (−[r_a]×, 1)                ∂C/∂(θ_b, x_b) = ([r_b]×, −1)
//! ```
//! Row e: the force e on a at p_a, −e on b at p_b.

use super::{Pair, Wrenches, three};
use crate::algebra::{Real, V3};
use crate::spatial::Force;

#[inline(always)]
pub(super) fn values(x: &Pair<f64>) -> [f64; 6] {
    three(x.a.pos - x.b.pos)
}

#[inline(always)]
pub(super) fn wrenches<T: Real>(x: &Pair<T>, out: &mut Wrenches<T>) {
    for e in [V3::X, V3::Y, V3::Z] {
        let e: V3<T> = e.lift();
        let on_a = Force::at_point(e, x.a.pos - x.origin_a);
        out.push(on_a, Force::at_point(-e, x.b.pos - x.origin_b));
    }
}
