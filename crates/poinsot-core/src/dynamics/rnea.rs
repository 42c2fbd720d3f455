//! Inverse dynamics: the recursive Newton–Euler algorithm [Featherstone08, section 5.3], in link axes.
//!
//! Classical accelerations instead of spatial ones: then linear velocities are not needed at all. For link i on
//! parent p, X the rotation and d the offset from p to i, z = (0, 0, 1) the joint axis in link axes:
//!
//! ```text
//! (1)  ω_i = Xᵀ ω_p + z q̇                α_i = Xᵀ α_p + ω_i × z q̇ + z q̈
//! (2)  A_i = [α_i]× + ω_i ω_iᵀ − |ω_i|² 1
//! (3)  a_i = Xᵀ (a_p + A_p d)
//! (4)  f_i = m a_i + A_i h               n_i = h × a_i + tr(I) α_i − vex(A_i I)
//! (5)  τ_i = z · n_i                     f_p += X f_i          n_p += X n_i + d × X f_i
//! ```
//! (2) and (4) concern a link alone and are done for a block at once; see [`super::forward`] for (4). A joint that
//! slides adds `b (z q̈ + 2 Xᵀω_p × z q̇)` to (3) and feels `z · f_i`.

use super::forward::*;
use super::sweep::*;
use crate::algebra::{M3, Real, V3};
use crate::model::{Kind, Tree};

/// τ such that the tree at (q, v) moves with `qacc`; rotor inertia included.
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
    put_v3::<A>(&mut s.moving[0].a, 0, -gravity.lift::<A::R>());
    for block in 0..s.moving.len() {
        place::<A>(tree, &mut s.moving, block, q);
        for i in links_of::<A>(tree, block) {
            spin::<A>(tree, &mut s.moving, i, q, qvel, qacc);
        }
        let m = &s.moving[block];
        let field = acceleration_field(load_v3::<A>(&m.w), load_v3::<A>(&m.alpha));
        store_m3::<A>(&mut s.weighing[block].field, field);
        for i in links_of::<A>(tree, block) {
            accelerate::<A>(tree, s, i);
        }
        weigh::<A>(tree, &s.moving[block], &mut s.weighing[block], block);
    }
    gather::<A>(tree, s, tau);
    if let Some(qacc) = qacc {
        for (k, armature) in tree.armature.iter().enumerate() {
            tau[k] = A::write(A::read(qacc[k]).mul_add(A::R::from_f64(*armature), A::read(tau[k])));
        }
    }
}

/// Equation (1); completes X and d of joints that are not a single screw, and leaves what sliding adds to (3) in `a`.
#[inline(always)]
fn spin<A: Arithmetic>(
    tree: &Tree,
    moving: &mut [Moving<A::Cell>],
    i: usize,
    q: &[A::In],
    qvel: &[A::In],
    qacc: Option<&[A::In]>,
) {
    let (p, k) = (tree.parent[i], tree.v[i]);
    let above = &moving[p / A::WIDTH];
    let (w_p, alpha_p) = (v3::<A>(&above.w, p), v3::<A>(&above.alpha, p));
    let own = &mut moving[i / A::WIDTH];
    let mut x = m3::<A>(&own.rot, i);
    let (w, alpha);
    match tree.kind[i] {
        Kind::World => return,
        Kind::Hinge => {
            let rate = A::read(qvel[k]);
            let carried = x.tr_mul(w_p);
            let turned = x.tr_mul(alpha_p);
            w = V3::new(carried.x, carried.y, carried.z + rate);
            alpha = V3::new(
                carried.y.mul_add(rate, turned.x),
                (-carried.x).mul_add(rate, turned.y),
                plus::<A>(turned.z, qacc, k),
            );
        }
        Kind::Screw => {
            let (turn, advance) = screw::<A>(tree, i);
            let rate = A::read(qvel[k]);
            let carried = x.tr_mul(w_p);
            let zero = A::R::zero();
            // z q̈ + 2 Xᵀω_p × z q̇, of which the turning feels the second part once
            let acc = V3::new(carried.y * rate, -(carried.x * rate), plus::<A>(zero, qacc, k));
            w = V3::new(carried.x, carried.y, turn.mul_add(rate, carried.z));
            alpha = acc.mul_add(turn, x.tr_mul(alpha_p));
            let sliding = V3::new(acc.x + acc.x, acc.y + acc.y, acc.z) * advance;
            put_v3::<A>(&mut own.a, i, sliding);
        }
        Kind::Ball => {
            x = x * attitude::<A>(q, tree.q[i]);
            (w, alpha) = turn_freely::<A>(x, w_p, alpha_p, k, qvel, qacc);
        }
        Kind::Free => {
            let (rate, frame) = (x * three::<A>(qvel, k), x);
            let d = frame.mul_add(three::<A>(q, tree.q[i]), v3::<A>(&own.r, i));
            put_v3::<A>(&mut own.r, i, d);
            x = x * attitude::<A>(q, tree.q[i] + 3);
            (w, alpha) = turn_freely::<A>(x, w_p, alpha_p, k + 3, qvel, qacc);
            let coriolis = w_p.cross(rate);
            let sliding = add_three::<A>(frame, qacc, k, coriolis + coriolis);
            put_v3::<A>(&mut own.a, i, x.tr_mul(sliding));
        }
    }
    if matches!(tree.kind[i], Kind::Ball | Kind::Free) {
        put_m3::<A>(&mut own.rot, i, x);
    }
    put_v3::<A>(&mut own.w, i, w);
    put_v3::<A>(&mut own.alpha, i, alpha);
}

/// (1) for an attitude: three rates in link axes.
#[inline(always)]
fn turn_freely<A: Arithmetic>(
    x: M3<A::R>,
    w_p: V3<A::R>,
    alpha_p: V3<A::R>,
    k: usize,
    qvel: &[A::In],
    qacc: Option<&[A::In]>,
) -> (V3<A::R>, V3<A::R>) {
    let (carried, rate) = (x.tr_mul(w_p), three::<A>(qvel, k));
    let mut alpha = carried.cross_add(rate, x.tr_mul(alpha_p));
    if let Some(a) = qacc {
        alpha += three::<A>(a, k);
    }
    (carried + rate, alpha)
}

/// `x + q̈_k`, or x.
#[inline(always)]
fn plus<A: Arithmetic>(x: A::R, qacc: Option<&[A::In]>, k: usize) -> A::R {
    match qacc {
        Some(a) => x + A::read(a[k]),
        None => x,
    }
}

/// Equation (3).
#[inline(always)]
fn accelerate<A: Arithmetic>(tree: &Tree, s: &mut Scratch<A::Cell, A::In>, i: usize) {
    let p = tree.parent[i];
    let field = m3::<A>(&s.weighing[p / A::WIDTH].field, p);
    let a_p = v3::<A>(&s.moving[p / A::WIDTH].a, p);
    let own = &mut s.moving[i / A::WIDTH];
    let x = m3::<A>(&own.rot, i);
    let mut a = x.tr_mul(field.mul_add(v3::<A>(&own.r, i), a_p));
    if matches!(tree.kind[i], Kind::Screw | Kind::Free) {
        a += v3::<A>(&own.a, i);
    }
    put_v3::<A>(&mut own.a, i, a);
}

/// Local: equation (4).
#[inline(always)]
fn weigh<A: Arithmetic>(tree: &Tree, m: &Moving<A::Cell>, out: &mut Weighing<A::Cell>, block: usize) {
    let (mass, h, i) = inertia_constants::<A>(tree, block * A::WIDTH);
    let (a, alpha, field) = (load_v3::<A>(&m.a), load_v3::<A>(&m.alpha), load_m3::<A>(&out.field));
    store_v3::<A>(&mut out.f, field.mul_add(h, a * mass));
    store_v3::<A>(&mut out.n, h.cross_add(a, inertial_moment(field, alpha, i)));
}

/// Equation (5), from the leaves to the root.
#[inline(always)]
fn gather<A: Arithmetic>(tree: &Tree, s: &mut Scratch<A::Cell, A::In>, tau: &mut [A::In]) {
    for i in (1..tree.links()).rev() {
        let (p, k) = (tree.parent[i], tree.v[i]);
        let (own, m) = (&s.weighing[i / A::WIDTH], &s.moving[i / A::WIDTH]);
        let (f, n) = (v3::<A>(&own.f, i), v3::<A>(&own.n, i));
        let x = m3::<A>(&m.rot, i);
        let carried = x * f;
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge => tau[k] = A::write(n.z),
            Kind::Screw => {
                let (turn, advance) = screw::<A>(tree, i);
                tau[k] = A::write(turn.mul_add(n.z, advance * f.z));
            }
            Kind::Ball => write_three::<A>(tau, k, n),
            Kind::Free => {
                write_three::<A>(tau, k, frame_axes::<A>(tree, i).tr_mul(carried));
                write_three::<A>(tau, k + 3, n);
            }
        }
        let d = v3::<A>(&m.r, i);
        let above = &mut s.weighing[p / A::WIDTH];
        let (f_p, n_p) = (v3::<A>(&above.f, p), v3::<A>(&above.n, p));
        put_v3::<A>(&mut above.f, p, f_p + carried);
        put_v3::<A>(&mut above.n, p, d.cross_add(carried, x.mul_add(n, n_p)));
    }
}
