//! The outward sweeps in world axes at each link's own origin, shared by all algorithms except inverse dynamics.
//!
//! For link i on parent p, with X_i the rotation from p to i, d_i the offset of its origin in p's axes and z the joint axis, where X_i and
//! d_i depend on the joint's coordinates alone:
//!
//! ```math
//! (1)  R_i = R_p X_i            r_i = R_p d_i
//! (2)  ω_i = ω_p + z q̇         α_i = α_p + ω_p × z q̇  [ + z q̈, which is 0 here ]
//! (3)  A_i = [α_i]× + ω_i ω_iᵀ − |ω_i|² 1         (x ↦ A x: acceleration relative to the origin)
//! (4)  a_i = a_p + A_p r_i  [ + 2 ω_p × z (b q̇) where the joint slides ]
//! (5)  f_i = m a_i + A_i h_i
//! (6)  n_i = h_i × a_i + tr(I_i) α_i − vex(A_i I_i)
//! ```
//! (6) is `∫ x × (a + A x) dm`: with Σ = ½ tr(I) 1 − I the second moments, `∫ x × A x dm = vex(A Σ)`, where vex(B) =
//! (B_zy − B_yz, B_xz − B_zx, B_yx − B_xy) and vex(A) = 2α. In world axes no inward sweep rotates inertias or forces; the origin
//! of each link keeps the numbers small, however far it is from the world's.

use super::sweep::*;
use crate::algebra::{Lanes, M3, Real, Sym3, V3};
use crate::model::{Kind, Tree};
use crate::spatial::Quat;
use std::ops::Range;

/// Writes three components.
#[inline(always)]
pub(crate) fn write_three<A: Arithmetic>(tau: &mut [A::In], k: usize, x: V3<A::R>) {
    A::write(&mut tau[k], x.x);
    A::write(&mut tau[k + 1], x.y);
    A::write(&mut tau[k + 2], x.z);
}

/// The poses of all links at q: (1) and the positions.
#[inline(always)]
pub(crate) fn pose_sweep<A: Arithmetic>(tree: &Tree, s: &mut Scratch<A::Cell, A::In>, q: &[A::In]) {
    let mut last = (M3::identity(), V3::zero());
    for block in blocks_of::<A>(s.moving.len()) {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            let p = tree.parent[i];
            let above = link_at::<A>(&s.moving, p);
            let (r_p, p_p) = if p + 1 == i { last } else { (above.rot(), above.p()) };
            let mut own = link_at_mut::<A>(&mut s.moving, i);
            let (rot, r) = orient(tree, &mut own, r_p, i, q);
            last = (rot, p_p + r);
            own.set_p(last.1);
        }
    }
}

/// The poses and velocities of all links at (q, v): (1), positions, ω of (2), and the velocities of the origins.
#[inline(always)]
pub(crate) fn velocity_sweep<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    q: &[A::In],
    qvel: &[A::In],
) {
    for block in blocks_of::<A>(s.moving.len()) {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            let p = tree.parent[i];
            let above = link_at::<A>(&s.moving, p);
            let (r_p, p_p) = (above.rot(), above.p());
            let mut own = link_at_mut::<A>(&mut s.moving, i);
            let (_, r) = orient(tree, &mut own, r_p, i, q);
            own.set_p(p_p + r);
            angular_velocity::<A>(tree, &mut s.moving, i, qvel);
            origin_velocity::<A>(tree, &mut s.moving, i, qvel);
        }
    }
}

/// The motion of a link as its children need it, in world axes. Stays in registers if the next link is a child.
#[derive(Clone, Copy)]
pub(super) struct ParentMotion<T> {
    pub rot: M3<T>,
    pub w: V3<T>,
    pub alpha: V3<T>,
    pub a: V3<T>,
    field: M3<T>,
}

impl<T: Real> ParentMotion<T> {
    #[inline(always)]
    fn of<A: Arithmetic<R = T>>(moving: &[Moving<A::Cell>], i: usize) -> Self {
        let m = link_at::<A>(moving, i);
        let (w, alpha) = (m.w(), m.alpha());
        let field = acceleration_field(w, alpha);
        ParentMotion { rot: m.rot(), w, alpha, a: m.a(), field }
    }

    /// The world, which accelerates by −g instead of gravity.
    #[inline(always)]
    pub fn world(gravity: V3) -> Self {
        let rest = V3::zero();
        let field = acceleration_field(rest, rest);
        ParentMotion { rot: M3::identity(), w: rest, alpha: rest, a: -gravity.lift::<T>(), field }
    }

    /// Equations (2) to (4) for a child with the rotation `rot`, at d in the axes of this link, whose joint rotates and slides with these
    /// velocities; also r of (1).
    #[inline(always)]
    fn child(&self, rot: M3<T>, d: V3<T>, turn: V3<T>, sliding: Option<V3<T>>) -> (V3<T>, ParentMotion<T>) {
        let r = self.rot * d; // (1)
        let mut a = self.field * r + self.a; // (4)
        if let Some(rate) = sliding {
            a = self.w.cross_add(rate + rate, a); // (4): 2 ω_p × z (b q̇)
        }
        let (w, alpha) = (self.w + turn, self.w.cross_add(turn, self.alpha)); // (2)
        (r, ParentMotion { rot, w, alpha, a, field: acceleration_field(w, alpha) }) // (3)
    }

    /// As [`ParentMotion::child`] for a free child: the frame (x, d) of its joint, its coordinates and their rates.
    #[inline(always)]
    pub fn free_child(
        &self,
        (x, d): (M3<T>, V3<T>),
        (position, attitude): (V3<T>, M3<T>),
        (rate, spin): (V3<T>, V3<T>),
    ) -> (V3<T>, ParentMotion<T>) {
        let axes = self.rot * x;
        let rot = axes * attitude;
        self.child(rot, x.mul_add(position, d), rot * spin, Some(axes * rate))
    }
}

/// The motion of the links of a run of blocks with q̈ = 0, their inertial forces and their inertia in world axes: (1) to (6).
/// Block by block: the parent of a link is in the same block or an earlier one.
#[inline(always)]
pub(crate) fn bias_sweep<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    run: &Range<usize>,
    q: &[A::In],
    qvel: &[A::In],
    gravity: V3,
) {
    link_at_mut::<A>(&mut s.moving, 0).set_a(-gravity.lift::<A::R>());
    let mut last = ParentMotion { rot: M3::identity(), ..ParentMotion::of::<A>(&s.moving, 0) };
    for block in blocks_of_run::<A>(run, s.moving.len()) {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            let p = tree.parent[i];
            let above = if p + 1 == i { last } else { ParentMotion::of::<A>(&s.moving, p) };
            let mut own = link_at_mut::<A>(&mut s.moving, i);
            last = propagate(tree, &mut own, &above, i, q, qvel);
            own.set_z(last.rot.z);
            if A::WIDTH > 1 || tree.whole[i] {
                own.set_rot(last.rot);
                own.set_w(last.w);
                own.set_alpha(last.alpha);
                own.set_a(last.a);
            }
        }
        block_inertial_forces::<A>(tree, &s.moving[block], &last, &mut s.inertial[block], block);
    }
}

/// Equations (1), (2) and (4) for one link.
#[inline(always)]
fn propagate<A: Arithmetic>(
    tree: &Tree,
    own: &mut LinkMut<A>,
    above: &ParentMotion<A::R>,
    i: usize,
    q: &[A::In],
    qvel: &[A::In],
) -> ParentMotion<A::R> {
    let k = tree.v[i];
    let (x, d) = (own.rot(), own.r());
    let (r, moved) = match tree.kind[i] {
        Kind::World => return *above,
        Kind::Hinge => {
            let rot = above.rot * x;
            above.child(rot, d, rot.z * A::read(&qvel[k]), None)
        }
        Kind::Screw => {
            let rot = above.rot * x;
            let ((turn, advance), rate) = (screw::<A>(tree, i), rot.z * A::read(&qvel[k]));
            above.child(rot, d, rate * turn, Some(rate * advance))
        }
        Kind::Ball => {
            let rot = above.rot * (x * attitude::<A>(q, tree.q[i]));
            above.child(rot, d, rot * three::<A>(qvel, k), None)
        }
        Kind::Free => {
            let at = (three::<A>(q, tree.q[i]), attitude::<A>(q, tree.q[i] + 3));
            above.free_child((x, d), at, (three::<A>(qvel, k), three::<A>(qvel, k + 3)))
        }
    };
    own.set_r(r);
    moved
}

/// The blocks of a sweep: all, except that of the world if it has a block to itself.
#[inline(always)]
pub(crate) fn blocks_of<A: Arithmetic>(count: usize) -> Range<usize> {
    if A::WIDTH > 1 { 0..count } else { 1..count }
}

/// The blocks of a run of blocks of eight links, except that of the world if it has a block to itself.
#[inline(always)]
pub(crate) fn blocks_of_run<A: Arithmetic>(run: &Range<usize>, count: usize) -> Range<usize> {
    let all = blocks_of::<A>(count);
    all.start.max(run.start * 8 / A::WIDTH)..all.end.min(run.end * 8 / A::WIDTH)
}

/// The links of a run of blocks of eight, without the world.
#[inline(always)]
pub(crate) fn links_of_run(tree: &Tree, run: &Range<usize>) -> Range<usize> {
    (8 * run.start).max(1)..tree.links().min(8 * run.end)
}

/// The links of a block, without the world.
#[inline(always)]
pub(crate) fn links_of<A: Arithmetic>(tree: &Tree, block: usize) -> Range<usize> {
    let first = block * A::WIDTH;
    first.max(1)..tree.links().min(first + A::WIDTH)
}

/// Computes X_i and d_i of every link with one coordinate, and the reference frame of the others. Does so for eight links when the first of
/// them is reached, so that no sine waits for another.
#[inline(always)]
pub(crate) fn place<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], block: usize, q: &[A::In]) {
    let first_of_all = block == blocks_of::<A>(moving.len()).start;
    if !(block * A::WIDTH).is_multiple_of(8) && !first_of_all {
        return;
    }
    if first_of_all {
        link_at_mut::<A>(moving, 0).set_rot(M3::identity());
    }
    if q.is_empty() {
        return;
    }
    let end = moving.len().min((block * A::WIDTH / 8 + 1) * 8 / A::WIDTH);
    for (block, out) in moving[..end].iter_mut().enumerate().skip(block) {
        let first = block * A::WIDTH;
        let (x, d) = placed::<A>(tree, first, A::pick(q, &tree.q[first..]));
        store_m3::<A>(&mut out.rot, x);
        store_v3::<A>(&mut out.r, d);
    }
}

/// X_i and d_i of the links of a block, from the first coordinate of each.
#[inline(always)]
pub(super) fn placed<A: Arithmetic>(tree: &Tree, first: usize, q: A::W) -> (M3<A::W>, V3<A::W>) {
    let (frame, screw) = (&tree.frame[first / 8], &tree.screw[first / 8]);
    let moved = q - A::constant(&screw[2], first);
    let (s, c) = (moved * A::constant(&screw[0], first)).sin_cos();
    let (x, y, z) = (
        constant_v3::<A>(&frame[0..3], first),
        constant_v3::<A>(&frame[3..6], first),
        constant_v3::<A>(&frame[6..9], first),
    );
    let advance = moved * A::constant(&screw[1], first);
    let d = z.mul_add(advance, constant_v3::<A>(&frame[9..12], first));
    (M3::columns(y.mul_add(s, x * c), x.mul_add(-s, y * c), z), d)
}

/// The attitude coordinates of a ball or free link as a rotation.
#[inline(always)]
pub(crate) fn attitude<A: Arithmetic>(q: &[A::In], at: usize) -> M3<A::R> {
    Quat { w: A::read(&q[at]), x: A::read(&q[at + 1]), y: A::read(&q[at + 2]), z: A::read(&q[at + 3]) }
        .matrix()
}

#[inline(always)]
pub(crate) fn three<A: Arithmetic>(v: &[A::In], at: usize) -> V3<A::R> {
    V3::new(A::read(&v[at]), A::read(&v[at + 1]), A::read(&v[at + 2]))
}

/// Equation (1).
#[inline(always)]
fn orient<A: Arithmetic>(
    tree: &Tree,
    own: &mut LinkMut<A>,
    r_p: M3<A::R>,
    i: usize,
    q: &[A::In],
) -> (M3<A::R>, V3<A::R>) {
    let (mut x, mut d) = (own.rot(), own.r());
    match tree.kind[i] {
        Kind::World | Kind::Hinge | Kind::Screw => {}
        Kind::Ball => x = x * attitude::<A>(q, tree.q[i]),
        Kind::Free => {
            d = x.mul_add(three::<A>(q, tree.q[i]), d);
            x = x * attitude::<A>(q, tree.q[i] + 3);
        }
    }
    let (rot, r) = (r_p * x, r_p * d); // (1)
    own.set_rot(rot);
    own.set_r(r);
    (rot, r)
}

/// The velocity of the origin: u_p + ω_p × r, and the sliding of the joint.
#[inline(always)]
fn origin_velocity<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], i: usize, qvel: &[A::In]) {
    let (p, k) = (tree.parent[i], tree.v[i]);
    let above = link_at::<A>(moving, p);
    let (w_p, u_p) = (above.w(), above.u());
    let own = link_at::<A>(moving, i);
    let mut u = w_p.cross_add(own.r(), u_p);
    match tree.kind[i] {
        Kind::World | Kind::Hinge | Kind::Ball => {}
        Kind::Screw => {
            let advance = screw::<A>(tree, i).1 * A::read(&qvel[k]);
            u = own.z().mul_add(advance, u);
        }
        Kind::Free => u = free_axes::<A>(tree, moving, i).mul_add(three::<A>(qvel, k), u),
    }
    link_at_mut::<A>(moving, i).set_u(u);
}

/// The axes of a free link's linear velocity: those of its joint frame on the parent.
#[inline(always)]
pub(crate) fn free_axes<A: Arithmetic>(tree: &Tree, moving: &[Moving<A::Cell>], i: usize) -> M3<A::R> {
    let p = tree.parent[i];
    link_at::<A>(moving, p).rot() * frame_axes::<A>(tree, i)
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

/// The angular velocity of (2).
#[inline(always)]
fn angular_velocity<A: Arithmetic>(tree: &Tree, moving: &mut [Moving<A::Cell>], i: usize, qvel: &[A::In]) {
    let (p, k) = (tree.parent[i], tree.v[i]);
    let w_p = link_at::<A>(moving, p).w();
    let mut own = link_at_mut::<A>(moving, i);
    let turn = match tree.kind[i] {
        Kind::World => return,
        Kind::Hinge => own.z() * A::read(&qvel[k]),
        Kind::Screw => own.z() * (screw::<A>(tree, i).0 * A::read(&qvel[k])),
        Kind::Ball => own.rot() * three::<A>(qvel, k),
        Kind::Free => own.rot() * three::<A>(qvel, k + 3),
    };
    own.set_w(w_p + turn); // (2)
}

/// `carried + R q̈` for three components of q̈ along the columns of R.
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

/// Rotation and translation per unit of q.
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

/// Local: equations (5) and (6), and the inertia in world axes.
#[inline(always)]
fn block_inertial_forces<A: Arithmetic>(
    tree: &Tree,
    m: &Moving<A::Cell>,
    last: &ParentMotion<A::R>,
    out: &mut InertialTerms<A::Cell>,
    block: usize,
) {
    let (mass, h, i) = inertia_in_world::<A>(tree, block * A::WIDTH, block_m3::<A>(&m.rot, last.rot));
    let (w, alpha) = (block_v3::<A>(&m.w, last.w), block_v3::<A>(&m.alpha, last.alpha));
    let (n, f) = inertial_force((mass, h, i), w, alpha, block_v3::<A>(&m.a, last.a));
    store_sym3::<A>(&mut out.i, i);
    store_v3::<A>(&mut out.h, h);
    A::store(&mut out.m, mass);
    store_v3::<A>(&mut out.f, f);
    store_v3::<A>(&mut out.n, n);
}

/// Equations (5) and (6): moment and force.
#[inline(always)]
pub(super) fn inertial_force<T: Real>(
    (mass, h, i): (T, V3<T>, Sym3<T>),
    w: V3<T>,
    alpha: V3<T>,
    a: V3<T>,
) -> (V3<T>, V3<T>) {
    let field = acceleration_field(w, alpha);
    (h.cross_add(a, inertial_moment(field, alpha, i)), field.mul_add(h, a * mass))
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

/// Adds external forces: for each link, in world axes about its own origin.
#[inline(always)]
pub(crate) fn push<A: Arithmetic>(
    inertial: &mut [InertialTerms<A::Cell>],
    run: &Range<usize>,
    external: &[[Lanes<8>; 6]],
) {
    for block in blocks_of_run::<A>(run, inertial.len()) {
        let (first, out) = (block * A::WIDTH, &mut inertial[block]);
        let c = &external[first / 8];
        let n = load_v3::<A>(&out.n) - constant_v3::<A>(&c[0..3], first);
        let f = load_v3::<A>(&out.f) - constant_v3::<A>(&c[3..6], first);
        store_v3::<A>(&mut out.n, n);
        store_v3::<A>(&mut out.f, f);
    }
}
