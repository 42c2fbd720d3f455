//! Every joint type as a constraint: the relative motions of its mounts a and b that it does not allow.
//!
//! Two kinds of rows suffice. With e, u fixed in a and w fixed in b, all in world axes,
//!
//! ```math
//! (1)  C = e·(p_b − p_a)     Ċ = e·(ṗ_b − ṗ_a) + ω_a·(e × (p_b − p_a))
//! (2)  C = u·w − constant    Ċ = (ω_b − ω_a)·(w × u)
//! ```
//! (1) is the force e on b at p_b and −e on a at the same point; (2) is the torque w × u on b and its opposite on a.
//! With z the axis of the joint and x, y completing it:
//!
//! | joint | rows (1) along | rows (2), u·w |
//! |---|---|---|
//! | fixed | x, y, z | x·z, y·z, x·y |
//! | revolute | x, y, z | x·z, y·z |
//! | prismatic | x, y | x·z, y·z, x·y |
//! | helical | x, y, and (3) | x·z, y·z |
//! | cylindrical | x, y | x·z, y·z |
//! | universal | x, y, z | first·second |
//! | spherical | x, y, z | |
//! | planar | z | x·z, y·z |
//! | free | | |
//!
//! A screw of pitch h advances with its angle: `(3) C = z·(p_b − p_a) − h θ`, where with `c = x_a·x_b`, `s = y_a·x_b` the angle is θ =
//! atan2(s, c), counted from the turn nearest to the advance, and `θ̇ = (c ṡ − s ċ)/(c² + s²)`. The rows (2) u·w = 0 also hold for a
//! reversed axis. Beyond a quarter turn C is therefore `u·w ∓ 2`, of the other sign: its derivative is the same, its square is continuous,
//! and its only zero is where the axes point the same way.

use super::{Pair, Wrenches};
use crate::algebra::{M3, Real, V3};
use crate::model::{JointKind, axes_with_z};
use std::f64::consts::TAU;

/// The axes x, y, z of the table, in those of the mounts.
#[inline(always)]
pub(in crate::constraint) fn axes(kind: &JointKind) -> M3 {
    match *kind {
        JointKind::Revolute { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Helical { axis, .. }
        | JointKind::Cylindrical { axis }
        | JointKind::Planar { normal: axis } => axes_with_z(axis),
        _ => M3::IDENTITY,
    }
}

/// The number of rows (1) and (3).
#[inline(always)]
pub(super) fn lengths(kind: &JointKind) -> usize {
    match kind {
        JointKind::Fixed
        | JointKind::Revolute { .. }
        | JointKind::Universal { .. }
        | JointKind::Helical { .. }
        | JointKind::Spherical => 3,
        JointKind::Prismatic { .. } | JointKind::Cylindrical { .. } => 2,
        JointKind::Planar { .. } => 1,
        JointKind::Free => 0,
    }
}

/// The rows (1): which of x, y, z are locked.
#[inline(always)]
fn locked(kind: &JointKind) -> &'static [usize] {
    match kind {
        JointKind::Fixed
        | JointKind::Revolute { .. }
        | JointKind::Universal { .. }
        | JointKind::Spherical => &[0, 1, 2],
        JointKind::Prismatic { .. } | JointKind::Cylindrical { .. } | JointKind::Helical { .. } => &[0, 1],
        JointKind::Planar { .. } => &[2],
        JointKind::Free => &[],
    }
}

/// The pairs u, w of the rows (2), in the axes of the mounts.
#[inline(always)]
fn crossed(kind: &JointKind, f: M3) -> ([(V3, V3); 3], usize) {
    let upright = [(f.x, f.z), (f.y, f.z), (f.x, f.y)];
    match *kind {
        JointKind::Fixed | JointKind::Prismatic { .. } => (upright, 3),
        JointKind::Revolute { .. }
        | JointKind::Helical { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Planar { .. } => (upright, 2),
        JointKind::Universal { first, second } => ([(first, second); 3], 1),
        JointKind::Spherical | JointKind::Free => (upright, 0),
    }
}

#[inline(always)]
pub(super) fn values(kind: &JointKind, x: &Pair<f64>) -> [f64; 6] {
    let (f, mut out, mut row) = (axes(kind), [0.0; 6], 0);
    let mut put = |value: f64| {
        out[row] = value;
        row += 1;
    };
    let seen = x.a.rot.tr_mul(x.b.pos - x.a.pos);
    for &k in locked(kind) {
        put(seen.dot([f.x, f.y, f.z][k]));
    }
    if let JointKind::Helical { axis, pitch } = *kind {
        let (turn, advance) = (angle(x, f), seen.dot(axis));
        let whole = if pitch == 0.0 { 0.0 } else { ((advance / pitch - turn) / TAU).round() };
        put(advance - pitch * (turn + TAU * whole));
    }
    let (pairs, count) = crossed(kind, f);
    let cosine = |u: V3, w: V3| (x.a.rot * u).dot(x.b.rot * w);
    let over = count > 1 && cosine(f.z, f.z) < 0.0;
    let back = count > 2 && !over && cosine(f.x, f.x) < 0.0;
    for (k, &(u, w)) in pairs[..count].iter().enumerate() {
        let c = cosine(u, w) - u.dot(w);
        let beyond = if k < 2 { over } else { back };
        put(if beyond { c - 2.0f64.copysign(c) } else { c });
    }
    out
}

#[inline(always)]
pub(super) fn wrenches<T: Real>(kind: &JointKind, x: &Pair<T>, out: &mut Wrenches<T>) {
    let f = axes(kind);
    for &k in locked(kind) {
        out.push_force(x, x.a.rot * [f.x, f.y, f.z][k].lift(), x.b.pos);
    }
    if let JointKind::Helical { axis, pitch } = *kind {
        out.push_force(x, x.a.rot * axis.lift(), x.b.pos);
        let (turning, row) = (turning(x, f) * T::from_f64(-pitch), out.count - 1);
        out.on_a[row].moment -= turning;
        out.on_b[row].moment += turning;
    }
    let (pairs, count) = crossed(kind, f);
    for &(u, w) in &pairs[..count] {
        out.push_torque((x.b.rot * w.lift()).cross(x.a.rot * u.lift()));
    }
}

/// θ of (3), from −π to π.
#[inline(always)]
pub(super) fn angle(x: &Pair<f64>, f: M3) -> f64 {
    let x_b = x.a.rot.tr_mul(x.b.rot * f.x);
    libm::atan2(f.y.dot(x_b), f.x.dot(x_b))
}

/// The torque on b whose power, with that of its opposite on a, is θ̇.
#[inline(always)]
pub(super) fn turning<T: Real>(x: &Pair<T>, f: M3) -> V3<T> {
    let (x_a, y_a, x_b) = (x.a.rot * f.x.lift(), x.a.rot * f.y.lift(), x.b.rot * f.x.lift());
    let (c, s) = (x_a.dot(x_b), y_a.dot(x_b));
    (x_b.cross(y_a) * c - x_b.cross(x_a) * s) * (T::one() / c.mul_add(c, s * s))
}
