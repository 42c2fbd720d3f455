//! The outward sweeps in world axes at each link's own origin, which all algorithms but inverse dynamics share.
//!
//! For link i on parent p, with X_i the rotation from p to i, d_i the offset of its origin in p's axes, z the joint
//! axis, all from the joint's coordinates alone:
//!
//! ```text
//! (1)  R_i = R_p X_i            r_i = R_p d_i
//! (2)  ω_i = ω_p + z q̇         α_i = α_p + ω_p × z q̇  [ + z q̈, which is 0 here ]
//! (3)  A_i = [α_i]× + ω_i ω_iᵀ − |ω_i|² 1         (x ↦ A x: acceleration relative to the origin)
//! (4)  a_i = a_p + A_p r_i  [ + 2 ω_p × z (b q̇) where the joint slides ]
//! (5)  f_i = m a_i + A_i h_i
//! (6)  n_i = h_i × a_i + tr(I_i) α_i − vex(A_i I_i)
//! ```
//! (6) is `∫ x × (a + A x) dm`: with Σ = ½ tr(I) 1 − I the second moments, `∫ x × A x dm = vex(A Σ)`, where
//! vex(B) = (B_zy − B_yz, B_xz − B_zx, B_yx − B_xy) and vex(A) = 2α. World axes cost no rotation of inertias or
//! forces in any inward sweep; the origin of each link keeps the numbers small, however far from the world's.

use super::sweep::*;
use crate::algebra::{Lanes, M3, Real, Sym3, V3};
use crate::model::{Kind, Tree};
use crate::spatial::Quat;

/// Writes three components.
#[inline(always)]
pub(crate) fn write_three<A: Arithmetic>(tau: &mut [A::In], k: usize, x: V3<A::R>) {
    (tau[k], tau[k + 1], tau[k + 2]) = (A::write(x.x), A::write(x.y), A::write(x.z));
}

/// Where every link is, at q: (1) and the positions.
#[inline(always)]
pub(crate) fn pose_sweep<A: Arithmetic>(tree: &Tree, s: &mut Scratch<A::Cell, A::In>, q: &[A::In]) {
    for block in 0..s.moving.len() {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            orient::<A>(tree, &mut s.moving, i, q);
            locate::<A>(tree, &mut s.moving, i);
        }
    }
}

/// Where every link is and how it moves, at (q, v): (1), positions, and (2) with velocities of the origins.
#[inline(always)]
pub(crate) fn velocity_sweep<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    q: &[A::In],
    qvel: &[A::In],
) {
    for block in 0..s.moving.len() {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            orient::<A>(tree, &mut s.moving, i, q);
            locate::<A>(tree, &mut s.moving, i);
            spin::<A>(tree, &mut s.moving, i, qvel);
            glide::<A>(tree, &mut s.moving, i, qvel);
        }
    }
}

/// How every link moves with q̈ = 0, the force its inertia then asks for, and its rigid inertia: (1) to (6).
/// Block by block: the parent of a link stands in the same block or an earlier one.
#[inline(always)]
pub(crate) fn bias_sweep<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    q: &[A::In],
    qvel: &[A::In],
    gravity: V3,
) {
    put_v3::<A>(&mut s.moving[0].a, 0, -gravity.lift::<A::R>());
    for block in 0..s.moving.len() {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            orient::<A>(tree, &mut s.moving, i, q);
            spin::<A>(tree, &mut s.moving, i, qvel);
        }
        weigh::<A>(tree, &s.moving[block], &mut s.weighing[block], &mut s.articulated[block], block);
        for i in links_of::<A>(tree, block) {
            accelerate::<A>(tree, &mut s.moving, &mut s.weighing, i);
        }
    }
}

/// The links of a block, without the world.
#[inline(always)]
pub(crate) fn links_of<A: Arithmetic>(tree: &Tree, block: usize) -> std::ops::Range<usize> {
    let first = block * A::WIDTH;
    first.max(1)..tree.links().min(first + A::WIDTH)
}

/// Local: X_i and d_i of every link with one coordinate; the reference frame of the others.
#[inline(always)]
pub(crate) fn place<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], block: usize, q: &[A::In]) {
    let out = &mut moving[block];
    let first = block * A::WIDTH;
    let mut coordinate = A::Cell::default();
    for link in links_of::<A>(tree, block) {
        A::put(&mut coordinate, link % A::WIDTH, A::read(q[tree.q[link]]));
    }
    let (frame, screw) = (&tree.frame[first / 8], &tree.screw[first / 8]);
    let moved = A::load(&coordinate) - A::constant(&screw[2], first);
    let (s, c) = (moved * A::constant(&screw[0], first)).sin_cos();
    let (x, y, z) = (
        constant_v3::<A>(&frame[0..3], first),
        constant_v3::<A>(&frame[3..6], first),
        constant_v3::<A>(&frame[6..9], first),
    );
    store_m3::<A>(&mut out.rot, M3::columns(y.mul_add(s, x * c), x.mul_add(-s, y * c), z));
    let advance = moved * A::constant(&screw[1], first);
    store_v3::<A>(&mut out.r, z.mul_add(advance, constant_v3::<A>(&frame[9..12], first)));
}

/// The attitude coordinates of a ball or free link as a rotation.
#[inline(always)]
pub(crate) fn attitude<A: Arithmetic>(q: &[A::In], at: usize) -> M3<A::R> {
    Quat { w: A::read(q[at]), x: A::read(q[at + 1]), y: A::read(q[at + 2]), z: A::read(q[at + 3]) }.matrix()
}

#[inline(always)]
pub(crate) fn three<A: Arithmetic>(v: &[A::In], at: usize) -> V3<A::R> {
    V3::new(A::read(v[at]), A::read(v[at + 1]), A::read(v[at + 2]))
}

/// Equation (1).
#[inline(always)]
fn orient<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], i: usize, q: &[A::In]) {
    let r_p = m3::<A>(&moving[tree.parent[i] / A::WIDTH].rot, tree.parent[i]);
    let own = &mut moving[i / A::WIDTH];
    let (mut x, mut d) = (m3::<A>(&own.rot, i), v3::<A>(&own.r, i));
    match tree.kind[i] {
        Kind::World | Kind::Hinge | Kind::Screw => {}
        Kind::Ball => x = x * attitude::<A>(q, tree.q[i]),
        Kind::Free => {
            d = x.mul_add(three::<A>(q, tree.q[i]), d);
            x = x * attitude::<A>(q, tree.q[i] + 3);
        }
    }
    put_m3::<A>(&mut own.rot, i, r_p * x);
    put_v3::<A>(&mut own.r, i, r_p * d);
}

/// The position of the origin in the world.
#[inline(always)]
fn locate<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], i: usize) {
    let p = v3::<A>(&moving[tree.parent[i] / A::WIDTH].p, tree.parent[i]);
    let own = &mut moving[i / A::WIDTH];
    put_v3::<A>(&mut own.p, i, p + v3::<A>(&own.r, i));
}

/// The velocity of the origin: u_p + ω_p × r, and the sliding of the joint.
#[inline(always)]
fn glide<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], i: usize, qvel: &[A::In]) {
    let (p, k) = (tree.parent[i], tree.v[i]);
    let above = &moving[p / A::WIDTH];
    let (w_p, u_p) = (v3::<A>(&above.w, p), v3::<A>(&above.u, p));
    let mut u = w_p.cross_add(v3::<A>(&moving[i / A::WIDTH].r, i), u_p);
    match tree.kind[i] {
        Kind::World | Kind::Hinge | Kind::Ball => {}
        Kind::Screw => {
            let advance = screw::<A>(tree, i).1 * A::read(qvel[k]);
            u = z_axis::<A>(&moving[i / A::WIDTH].rot, i).mul_add(advance, u);
        }
        Kind::Free => u = free_axes::<A>(tree, moving, i).mul_add(three::<A>(qvel, k), u),
    }
    put_v3::<A>(&mut moving[i / A::WIDTH].u, i, u);
}

/// The axes along which a free link's linear velocity is counted: those of its joint frame on the parent.
#[inline(always)]
pub(crate) fn free_axes<A: Arithmetic>(tree: &Tree, moving: &[Moving<A::Cell>], i: usize) -> M3<A::R> {
    let p = tree.parent[i];
    m3::<A>(&moving[p / A::WIDTH].rot, p) * frame_axes::<A>(tree, i)
}

/// The axes of a joint frame in its parent.
#[inline(always)]
pub(crate) fn frame_axes<A: Arithmetic>(tree: &Tree, i: usize) -> M3<A::R> {
    let (c, l) = (&tree.frame[i / 8], i % 8);
    M3::columns(
        V3::new(c[0].0[l], c[1].0[l], c[2].0[l]).lift(),
        V3::new(c[3].0[l], c[4].0[l], c[5].0[l]).lift(),
        V3::new(c[6].0[l], c[7].0[l], c[8].0[l]).lift(),
    )
}

/// Equation (2) with q̈ = 0, and the part of (4) that comes from sliding, left in `a`.
#[inline(always)]
fn spin<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], i: usize, qvel: &[A::In]) {
    let (p, k) = (tree.parent[i], tree.v[i]);
    let above = &moving[p / A::WIDTH];
    let (w_p, alpha_p) = (v3::<A>(&above.w, p), v3::<A>(&above.alpha, p));
    let turn = match tree.kind[i] {
        Kind::World => return,
        Kind::Hinge => z_axis::<A>(&moving[i / A::WIDTH].rot, i) * A::read(qvel[k]),
        Kind::Screw => {
            let (turn, advance) = screw::<A>(tree, i);
            let rate = z_axis::<A>(&moving[i / A::WIDTH].rot, i) * A::read(qvel[k]);
            put_sliding::<A>(&mut moving[i / A::WIDTH], i, w_p, rate * advance);
            rate * turn
        }
        Kind::Ball => m3::<A>(&moving[i / A::WIDTH].rot, i) * three::<A>(qvel, k),
        Kind::Free => {
            let rate = free_axes::<A>(tree, moving, i) * three::<A>(qvel, k);
            put_sliding::<A>(&mut moving[i / A::WIDTH], i, w_p, rate);
            m3::<A>(&moving[i / A::WIDTH].rot, i) * three::<A>(qvel, k + 3)
        }
    };
    let own = &mut moving[i / A::WIDTH];
    put_v3::<A>(&mut own.w, i, w_p + turn);
    put_v3::<A>(&mut own.alpha, i, w_p.cross_add(turn, alpha_p));
}

/// 2 ω_p × rate: the acceleration of a slider carried by a turning parent.
#[inline(always)]
fn put_sliding<A: Arithmetic>(own: &mut Moving<A::Cell>, i: usize, w_p: V3<A::R>, rate: V3<A::R>) {
    put_v3::<A>(&mut own.a, i, w_p.cross(rate + rate));
}

/// `carried + R q̈` for three components of q̈ counted along the columns of R.
#[inline(always)]
pub(crate) fn add_three<A: Arithmetic>(
    r: M3<A::R>,
    qacc: Option<&[A::In]>,
    k: usize,
    carried: V3<A::R>,
) -> V3<A::R> {
    match qacc {
        Some(a) => r.mul_add(three::<A>(a, k), carried),
        None => carried,
    }
}

/// Turn and advance per unit of q.
#[inline(always)]
pub(crate) fn screw<A: Arithmetic>(tree: &Tree, i: usize) -> (A::R, A::R) {
    let c = &tree.screw[i / 8];
    (A::R::from_f64(c[0].0[i % 8]), A::R::from_f64(c[1].0[i % 8]))
}

/// m, h and I of the links of a block, in link axes.
#[inline(always)]
pub(crate) fn inertia_constants<A: Arithmetic>(tree: &Tree, first: usize) -> (A::W, V3<A::W>, Sym3<A::W>) {
    let c = &tree.inertia[first / 8];
    let (x, y) = (constant_v3::<A>(&c[4..7], first), constant_v3::<A>(&c[7..10], first));
    let i = Sym3 { xx: x.x, xy: x.y, xz: x.z, yy: y.x, yz: y.y, zz: y.z };
    (A::constant(&c[0], first), constant_v3::<A>(&c[1..4], first), i)
}

/// m, h and I of the links of a block, in world axes.
#[inline(always)]
pub(crate) fn inertia_in_world<A: Arithmetic>(
    tree: &Tree,
    first: usize,
    r: M3<A::W>,
) -> (A::W, V3<A::W>, Sym3<A::W>) {
    let (mass, h, i) = inertia_constants::<A>(tree, first);
    (mass, r * h, i.rotated(r))
}

/// Local: equation (3) and what (5) and (6) owe to the rotation alone, and the rigid inertias.
#[inline(always)]
fn weigh<A: Arithmetic>(
    tree: &Tree,
    moving: &Moving<A::Cell>,
    out: &mut Weighing<A::Cell>,
    rigid: &mut Articulated<A::Cell>,
    block: usize,
) {
    let (mass, h, i) = inertia_in_world::<A>(tree, block * A::WIDTH, load_m3::<A>(&moving.rot));
    store_sym3::<A>(&mut rigid.i, i);
    store_m3::<A>(&mut rigid.h, M3::skew(h));
    store_sym3::<A>(&mut rigid.m, Sym3::scalar(mass));
    let (w, alpha) = (load_v3::<A>(&moving.w), load_v3::<A>(&moving.alpha));
    let a = acceleration_field(w, alpha);
    store_m3::<A>(&mut out.field, a);
    store_v3::<A>(&mut out.h, h);
    store_v3::<A>(&mut out.f, a * h);
    store_v3::<A>(&mut out.n, inertial_moment(a, alpha, i));
}

/// Equation (3).
#[inline(always)]
pub(crate) fn acceleration_field<T: Real>(w: V3<T>, alpha: V3<T>) -> M3<T> {
    let (xx, yy, zz) = (w.x * w.x, w.y * w.y, w.z * w.z);
    let (xy, xz, yz) = (w.x * w.y, w.x * w.z, w.y * w.z);
    M3::columns(
        V3::new(-(yy + zz), xy + alpha.z, xz - alpha.y),
        V3::new(xy - alpha.z, -(xx + zz), yz + alpha.x),
        V3::new(xz + alpha.y, yz - alpha.x, -(xx + yy)),
    )
}

/// tr(I) α − vex(A I).
#[inline(always)]
pub(crate) fn inertial_moment<T: Real>(a: M3<T>, alpha: V3<T>, i: Sym3<T>) -> V3<T> {
    let (a_xx, a_yx, a_zx) = (a.x.x, a.x.y, a.x.z);
    let (a_xy, a_yy, a_zy) = (a.y.x, a.y.y, a.y.z);
    let (a_xz, a_yz, a_zz) = (a.z.x, a.z.y, a.z.z);
    let vex = V3::new(
        a_zx.mul_add(i.xy, a_zy.mul_add(i.yy, (a_zz - a_yy).mul_add(i.yz, -(a_yx * i.xz)))) - a_yz * i.zz,
        a_xy.mul_add(i.yz, a_xz.mul_add(i.zz, (a_xx - a_zz).mul_add(i.xz, -(a_zy * i.xy)))) - a_zx * i.xx,
        a_yx.mul_add(i.xx, a_yz.mul_add(i.xz, (a_yy - a_xx).mul_add(i.xy, -(a_xy * i.yy)))) - a_xz * i.yz,
    );
    alpha.mul_add(i.trace(), -vex)
}

/// Equation (4), then (5) and (6) completed.
#[inline(always)]
fn accelerate<A: Arithmetic>(
    tree: &Tree,
    moving: &mut [Moving<A::Cell>],
    weighing: &mut [Weighing<A::Cell>],
    i: usize,
) {
    let p = tree.parent[i];
    let field = m3::<A>(&weighing[p / A::WIDTH].field, p);
    let a_p = v3::<A>(&moving[p / A::WIDTH].a, p);
    let own = &mut moving[i / A::WIDTH];
    let mut a = field.mul_add(v3::<A>(&own.r, i), a_p);
    if matches!(tree.kind[i], Kind::Screw | Kind::Free) {
        a += v3::<A>(&own.a, i);
    }
    put_v3::<A>(&mut own.a, i, a);
    let mass = A::R::from_f64(tree.inertia[i / 8][0].0[i % 8]);
    let out = &mut weighing[i / A::WIDTH];
    let (f, n) = (v3::<A>(&out.f, i), v3::<A>(&out.n, i));
    let h = v3::<A>(&out.h, i);
    put_v3::<A>(&mut out.f, i, a.mul_add(mass, f));
    put_v3::<A>(&mut out.n, i, h.cross_add(a, n));
}

/// Adds forces from outside: for each link, what acts on it, in world axes about its own origin.
#[inline(always)]
pub(crate) fn push<A: Arithmetic>(weighing: &mut [Weighing<A::Cell>], external: &[[Lanes<8>; 6]]) {
    for (block, out) in weighing.iter_mut().enumerate() {
        let first = block * A::WIDTH;
        let c = &external[first / 8];
        let n = load_v3::<A>(&out.n) - constant_v3::<A>(&c[0..3], first);
        let f = load_v3::<A>(&out.f) - constant_v3::<A>(&c[3..6], first);
        store_v3::<A>(&mut out.n, n);
        store_v3::<A>(&mut out.f, f);
    }
}
