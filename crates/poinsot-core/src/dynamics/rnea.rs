//! Inverse dynamics: the recursive Newton–Euler algorithm [Featherstone08, section 5.3], in link axes.
//!
//! Classical accelerations are used instead of spatial ones, so linear velocities are not needed at all. For link i on parent p, X the
//! rotation and d the offset from p to i, z = (0, 0, 1) the joint axis in link axes:
//!
//! ```math
//! (1)  ω_i = Xᵀ ω_p + z q̇                α_i = Xᵀ α_p + ω_i × z q̇ + z q̈
//! (2)  A_i = [α_i]× + ω_i ω_iᵀ − |ω_i|² 1
//! (3)  a_i = Xᵀ (a_p + A_p d)
//! (4)  f_i = m a_i + A_i h               n_i = h × a_i + tr(I) α_i − vex(A_i I)
//! (5)  τ_i = z · n_i                     f_p += X f_i          n_p += X n_i + d × X f_i
//! ```
//! (2) and (4) are local to a link and computed for a block at once; see [`super::outward`] for (4). A sliding joint adds
//! `b (z q̈ + 2 Xᵀω_p × z q̇)` to (3) and has the force `z · f_i`.

use super::outward::*;
use super::sweep::*;
use crate::algebra::{M3, Real, V3};
use crate::model::{Kind, Tree};

/// Computes the τ for which the tree at (q, v) accelerates with `qacc`, including rotor inertia.
#[inline(always)]
pub(crate) fn rnea<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    q: &[A::In],
    qvel: &[A::In],
    qacc: Option<&[A::In]>,
    gravity: V3,
    tau: &mut [A::In],
) {
    link_at_mut::<A>(&mut s.moving, 0).set_a(-gravity.lift::<A::R>());
    let mut last = ParentMotion::of::<A>(&s.moving, 0);
    for block in blocks_of::<A>(s.moving.len()) {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            let p = tree.parent[i];
            let above = if p + 1 == i { last } else { ParentMotion::of::<A>(&s.moving, p) };
            last = propagate(tree, link_at_mut::<A>(&mut s.moving, i), &above, i, q, qvel, qacc);
            if A::WIDTH > 1 || tree.fork[i] {
                last.keep(link_at_mut::<A>(&mut s.moving, i));
            }
        }
        block_inertial_forces::<A>(tree, &s.moving[block], &last, &mut s.inertial[block], block);
    }
    inward_sweep::<A>(tree, s, tau);
    if let Some(qacc) = qacc {
        for (k, armature) in tree.armature.iter().enumerate() {
            let rotor = A::read(&qacc[k]).mul_add(A::R::from_f64(*armature), A::read(&tau[k]));
            A::write(&mut tau[k], rotor);
        }
    }
}

/// The motion of a link as its children need it, in link axes. Stays in registers if the next link is a child.
#[derive(Clone, Copy)]
struct ParentMotion<T> {
    w: V3<T>,
    alpha: V3<T>,
    a: V3<T>,
    field: M3<T>,
}

impl<T: Real> ParentMotion<T> {
    #[inline(always)]
    fn of<A: Arithmetic<R = T>>(moving: &[Moving<A::Cell>], i: usize) -> Self {
        let m = link_at::<A>(moving, i);
        ParentMotion::new(m.w(), m.alpha(), m.a())
    }
    #[inline(always)]
    fn new(w: V3<T>, alpha: V3<T>, a: V3<T>) -> Self {
        ParentMotion { w, alpha, a, field: acceleration_field(w, alpha) } // (2)
    }
    #[inline(always)]
    fn keep<A: Arithmetic<R = T>>(&self, mut m: LinkMut<A>) {
        m.set_w(self.w);
        m.set_alpha(self.alpha);
        m.set_a(self.a);
    }
}

/// Equations (1) to (3) for one link; completes X and d of joints that are not a single screw.
#[inline(always)]
fn propagate<A: Arithmetic>(
    tree: &Tree,
    mut own: LinkMut<A>,
    above: &ParentMotion<A::R>,
    i: usize,
    q: &[A::In],
    qvel: &[A::In],
    qacc: Option<&[A::In]>,
) -> ParentMotion<A::R> {
    let k = tree.v[i];
    let (mut x, mut d) = (own.rot(), own.r());
    let (w, alpha, a);
    match tree.kind[i] {
        Kind::World => return *above,
        Kind::Hinge => {
            let rate = A::read(&qvel[k]);
            let (turned, pulled) = (x.tr_mul(above.alpha), above.field * d);
            let carried = x.tr_mul(above.w);
            // (1): ω × z q̇ = (ω_y, −ω_x, 0) q̇ in link axes
            w = V3::new(carried.x, carried.y, carried.z + rate);
            alpha = V3::new(
                carried.y.mul_add(rate, turned.x),
                (-carried.x).mul_add(rate, turned.y),
                plus::<A>(turned.z, qacc, k),
            );
            a = x.tr_mul(above.a + pulled); // (3)
        }
        Kind::Screw => {
            let (turn, advance) = screw::<A>(tree, i);
            let rate = A::read(&qvel[k]);
            let carried = x.tr_mul(above.w);
            // z q̈ + Xᵀω_p × z q̇: rotation contains the second term once (1), translation twice (3)
            let acc = V3::new(carried.y * rate, -(carried.x * rate), plus::<A>(A::R::zero(), qacc, k));
            w = V3::new(carried.x, carried.y, turn.mul_add(rate, carried.z)); // (1)
            alpha = acc.mul_add(turn, x.tr_mul(above.alpha)); // (1)
            let sliding = V3::new(acc.x + acc.x, acc.y + acc.y, acc.z) * advance;
            a = x.tr_mul(above.field.mul_add(d, above.a)) + sliding; // (3)
        }
        Kind::Ball => {
            x = x * attitude::<A>(q, tree.q[i]);
            (w, alpha) = turn_freely::<A>(x, above, k, qvel, qacc); // (1)
            a = x.tr_mul(above.field.mul_add(d, above.a)); // (3)
        }
        Kind::Free => {
            let (rate, frame) = (x * three::<A>(qvel, k), x);
            d = frame.mul_add(three::<A>(q, tree.q[i]), d);
            x = x * attitude::<A>(q, tree.q[i] + 3);
            (w, alpha) = turn_freely::<A>(x, above, k + 3, qvel, qacc); // (1)
            let sliding = add_three::<A>(frame, qacc, k, above.w.cross(rate + rate));
            a = x.tr_mul(above.field.mul_add(d, above.a) + sliding); // (3)
        }
    }
    if matches!(tree.kind[i], Kind::Ball | Kind::Free) {
        own.set_rot(x);
        own.set_r(d);
    }
    ParentMotion::new(w, alpha, a)
}

/// (1) for an attitude, with its three rates in link axes.
#[inline(always)]
fn turn_freely<A: Arithmetic>(
    x: M3<A::R>,
    above: &ParentMotion<A::R>,
    k: usize,
    qvel: &[A::In],
    qacc: Option<&[A::In]>,
) -> (V3<A::R>, V3<A::R>) {
    let (carried, rate) = (x.tr_mul(above.w), three::<A>(qvel, k));
    let mut alpha = carried.cross_add(rate, x.tr_mul(above.alpha));
    if let Some(a) = qacc {
        alpha += three::<A>(a, k);
    }
    (carried + rate, alpha)
}

/// `x + q̈_k`, or x.
#[inline(always)]
fn plus<A: Arithmetic>(x: A::R, qacc: Option<&[A::In]>, k: usize) -> A::R {
    match qacc {
        Some(a) => x + A::read(&a[k]),
        None => x,
    }
}

/// Equation (4), which is local to each link of a block.
#[inline(always)]
fn block_inertial_forces<A: Arithmetic>(
    tree: &Tree,
    m: &Moving<A::Cell>,
    last: &ParentMotion<A::R>,
    out: &mut InertialTerms<A::Cell>,
    block: usize,
) {
    let (mass, h, i) = inertia_constants::<A>(tree, block * A::WIDTH);
    let (w, alpha) = (block_v3::<A>(&m.w, last.w), block_v3::<A>(&m.alpha, last.alpha));
    let (a, field) = (block_v3::<A>(&m.a, last.a), acceleration_field(w, alpha)); // (2)
    store_v3::<A>(&mut out.f, field.mul_add(h, a * mass)); // (4): f
    store_v3::<A>(&mut out.n, h.cross_add(a, inertial_moment(field, alpha, i))); // (4): n
}

/// Equation (5), from the leaves to the root.
#[inline(always)]
fn inward_sweep<A: Arithmetic>(tree: &Tree, s: &mut Scratch<A::Cell, A::In>, tau: &mut [A::In]) {
    // force and moment of the next link, in registers, if this one is its parent
    let (mut f_c, mut n_c) = (V3::zero(), V3::zero());
    for i in (1..tree.links()).rev() {
        let (p, k) = (tree.parent[i], tree.v[i]);
        let (own, m) = (inertial_at::<A>(&s.inertial, i), link_at::<A>(&s.moving, i));
        let (f, n) = (own.f() + f_c, own.n() + n_c);
        let x = m.rot();
        let carried = x * f;
        // (5): τ
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge => A::write(&mut tau[k], n.z),
            Kind::Screw => {
                let (turn, advance) = screw::<A>(tree, i);
                A::write(&mut tau[k], turn.mul_add(n.z, advance * f.z));
            }
            Kind::Ball => write_three::<A>(tau, k, n),
            Kind::Free => {
                write_three::<A>(tau, k, frame_axes::<A>(tree, i).tr_mul(carried));
                write_three::<A>(tau, k + 3, n);
            }
        }
        (f_c, n_c) = (carried, m.r().cross_add(carried, x * n)); // (5): to the parent
        if p + 1 != i && p != 0 {
            let mut above = inertial_at_mut::<A>(&mut s.inertial, p);
            let (f_p, n_p) = (above.f(), above.n());
            above.set_f(f_p + f_c);
            above.set_n(n_p + n_c);
        }
        if p + 1 != i {
            (f_c, n_c) = (V3::zero(), V3::zero());
        }
    }
}
