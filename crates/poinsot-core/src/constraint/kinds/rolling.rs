//! A wheel that rolls: it touches the plane z = 0 of the ground mount, and its point there does not slip.
//!
//! The wheel is a ring of radius R about the axis u through c, with a tube of radius ρ. With n the normal of the ground and
//! `e = −(n − (n·u) u)/|…|` the radius pointing down, it touches at `p = c + R e − ρ n`:
//!
//! ```math
//! (1)  C = n·(p − o)                       o: the origin of the ground
//! (2)  Ċ = n·(ṗ_wheel − ṗ_ground)          velocities of the points of the bodies that are at p
//! (3)  t·(ṗ_wheel − ṗ_ground) = 0          for the two tangents t, x and y of the ground
//! ```
//! (2) is the derivative of (1): p moves along the rim at right angles to n. (3) are not derivatives of any position: they constrain
//! velocities alone. Each row is a force on the wheel at p and its opposite on the ground at p. A disc that lies flat has no lowest point;
//! there e is 0 and C is that of the centre.

use super::{Pair, Wrenches};
use crate::algebra::{Real, V3};

/// p.
fn contact<T: Real>(ring: f64, tube: f64, x: &Pair<T>) -> V3<T> {
    let (n, u, c) = (x.a.rot.z, x.b.rot.z, x.b.pos);
    let low = c - n * T::from_f64(tube);
    let across = n - u * n.dot(u);
    let squared = across.dot(across);
    if ring == 0.0 || squared == T::zero() {
        return low;
    }
    low - across * (T::from_f64(ring) / squared.sqrt())
}

#[inline(always)]
pub(super) fn values(ring: f64, tube: f64, x: &Pair<f64>) -> [f64; 6] {
    [x.a.rot.z.dot(contact(ring, tube, x) - x.a.pos), 0.0, 0.0, 0.0, 0.0, 0.0]
}

#[inline(always)]
pub(super) fn wrenches<T: Real>(ring: f64, tube: f64, x: &Pair<T>, out: &mut Wrenches<T>) {
    let p = contact(ring, tube, x);
    for e in [x.a.rot.z, x.a.rot.x, x.a.rot.y] {
        out.push_force(x, e, p);
    }
}
