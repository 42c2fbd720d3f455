//! The force ∂L/∂q of the Lagrangian L = T − V of gravity, at fixed velocities, in O(n).
//!
//! Moving everything outboard of a joint axis S rigidly changes neither its relative velocities nor its inertias, seen from there. Only the
//! velocity V with which the joint is carried does not rotate with it; if it did, T would not change at all. Hence, with (L; P) the
//! momentum of everything outboard, and spatial vectors at one point,
//!
//! ```math
//! ∂T/∂q = −(S × V) · (L; P)      for S = (a; b):   −a · (ω × L + u × P) − b · (ω × P)
//! −∂V/∂q = a · (h × g) + b · (m g)                 m, h: mass and first moment of all that lies beyond
//! ```

use super::outward::{free_axes, inertia_in_world, velocity_sweep};
use super::sweep::*;
use crate::algebra::lanes::Isa;
use crate::algebra::{Lanes, V3};
use crate::model::{Kind, Tree};

/// ∂(T − V)/∂q at (q, v), component by component along the degrees of freedom.
#[inline(always)]
pub(crate) fn lagrangian_force<I: Isa>(
    tree: &Tree,
    s: &mut Scratch<Lanes<8>, f64>,
    q: &[f64],
    v: &[f64],
    gravity: V3,
    out: &mut [f64],
) {
    velocity_sweep::<OneState<I>>(tree, s, q, v);
    for block in 0..s.moving.len() {
        let m = &s.moving[block];
        let rot = load_m3::<OneState<I>>(&m.rot);
        let (mass, h, i) = inertia_in_world::<OneState<I>>(tree, block * 8, rot);
        let (w, u) = (load_v3::<OneState<I>>(&m.w), load_v3::<OneState<I>>(&m.u));
        store_v3::<OneState<I>>(&mut s.inertial[block].h, h);
        store_v3::<OneState<I>>(&mut s.inertial[block].n, h.cross_add(u, i * w));
        store_v3::<OneState<I>>(&mut s.inertial[block].f, w.cross_add(h, u * mass));
        <OneState<I> as Arithmetic>::store(&mut s.inertial[block].m, mass);
    }
    for i in (1..tree.links()).rev() {
        inward::<I>(tree, s, i, gravity, out);
    }
}

#[inline(always)]
fn inward<I: Isa>(tree: &Tree, s: &mut Scratch<Lanes<8>, f64>, i: usize, gravity: V3, out: &mut [f64]) {
    let (p, k) = (tree.parent[i], tree.v[i]);
    let own = inertial_at::<OneState<I>>(&s.inertial, i);
    let (l, momentum) = (own.n(), own.f());
    let (h, mass) = (own.h(), own.m());
    let m = link_at::<OneState<I>>(&s.moving, i);
    let (r, u) = (m.r(), m.u());
    let w_p = link_at::<OneState<I>>(&s.moving, p).w();
    let turn = h.cross(gravity) - w_p.cross_add(l, u.cross(momentum));
    let slide = gravity * mass - w_p.cross(momentum);
    let rot = m.rot();
    match tree.kind[i] {
        Kind::World => {}
        Kind::Hinge => out[k] = rot.z.dot(turn),
        Kind::Screw => {
            let [a, b, _] = tree.screw_of(i);
            out[k] = a.mul_add(rot.z.dot(turn), b * rot.z.dot(slide));
        }
        Kind::Ball => out[k..k + 3].copy_from_slice(&rot.tr_mul(turn).array()),
        Kind::Free => {
            let axes = free_axes::<OneState<I>>(tree, &s.moving, i);
            out[k..k + 3].copy_from_slice(&axes.tr_mul(slide).array());
            out[k + 3..k + 6].copy_from_slice(&rot.tr_mul(turn).array());
        }
    }
    let mut above = inertial_at_mut::<OneState<I>>(&mut s.inertial, p);
    let (l_p, momentum_p) = (above.n(), above.f());
    let h_p = above.h();
    above.set_n(r.cross_add(momentum, l_p + l));
    above.set_f(momentum_p + momentum);
    above.set_h(r.mul_add(mass, h_p + h));
    above.set_m(above.m() + mass);
}
