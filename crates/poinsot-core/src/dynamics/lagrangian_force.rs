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
        store_v3::<OneState<I>>(&mut s.weighing[block].h, h);
        store_v3::<OneState<I>>(&mut s.weighing[block].n, h.cross_add(u, i * w));
        store_v3::<OneState<I>>(&mut s.weighing[block].f, w.cross_add(h, u * mass));
        <OneState<I> as Arithmetic>::store(&mut s.weighing[block].m, mass);
    }
    for i in (1..tree.links()).rev() {
        inward::<I>(tree, s, i, gravity, out);
    }
}

#[inline(always)]
fn inward<I: Isa>(tree: &Tree, s: &mut Scratch<Lanes<8>, f64>, i: usize, gravity: V3, out: &mut [f64]) {
    let (p, k) = (tree.parent[i], tree.v[i]);
    let own = &s.weighing[i / 8];
    let (l, momentum) = (v3::<OneState<I>>(&own.n, i), v3::<OneState<I>>(&own.f, i));
    let (h, mass) = (v3::<OneState<I>>(&own.h, i), own.m.0[i % 8]);
    let m = &s.moving[i / 8];
    let (r, u) = (v3::<OneState<I>>(&m.r, i), v3::<OneState<I>>(&m.u, i));
    let w_p = v3::<OneState<I>>(&s.moving[p / 8].w, p);
    let turn = h.cross(gravity) - w_p.cross_add(l, u.cross(momentum));
    let slide = gravity * mass - w_p.cross(momentum);
    let rot = m3::<OneState<I>>(&m.rot, i);
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
    let above = &mut s.weighing[p / 8];
    let (l_p, momentum_p) = (v3::<OneState<I>>(&above.n, p), v3::<OneState<I>>(&above.f, p));
    let h_p = v3::<OneState<I>>(&above.h, p);
    put_v3::<OneState<I>>(&mut above.n, p, r.cross_add(momentum, l_p + l));
    put_v3::<OneState<I>>(&mut above.f, p, momentum_p + momentum);
    put_v3::<OneState<I>>(&mut above.h, p, r.mul_add(mass, h_p + h));
    above.m.0[p % 8] += mass;
}
