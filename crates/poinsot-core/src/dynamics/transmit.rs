//! External forces as generalised forces: τ = Jᵀ F for all bodies at once, in O(n).
//!
//! In world axes, from the leaves: τ_i = z · n_i (z · f_i for a sliding joint), `f_p += f_i`, `n_p += n_i + r × f_i`.

use super::outward::*;
use super::sweep::*;
use crate::algebra::Lanes;
use crate::algebra::lanes::Isa;
use crate::model::{Kind, Tree};

/// Adds `scale` Jᵀ F to τ; F is, for each link, the moment about its origin and the force, in world axes.
#[inline(always)]
pub(crate) fn transmit<I: Isa>(
    tree: &Tree,
    s: &mut Scratch<Lanes<8>, f64>,
    q: &[f64],
    external: &[[Lanes<8>; 6]],
    scale: f64,
    tau: &mut [f64],
) {
    pose_sweep::<OneState<I>>(tree, s, q);
    for (out, c) in s.weighing.iter_mut().zip(external) {
        out.n = [c[0], c[1], c[2]];
        out.f = [c[3], c[4], c[5]];
    }
    for i in (1..tree.links()).rev() {
        let (p, k) = (tree.parent[i], tree.v[i]);
        let (own, m) = (&s.weighing[i / 8], &s.moving[i / 8]);
        let (f, n) = (v3::<OneState<I>>(&own.f, i), v3::<OneState<I>>(&own.n, i));
        let rot = m3::<OneState<I>>(&m.rot, i);
        let mut add = |k: usize, x: f64| tau[k] = scale.mul_add(x, tau[k]);
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge => add(k, rot.z.dot(n)),
            Kind::Screw => {
                let [a, b, _] = tree.screw_of(i);
                add(k, a.mul_add(rot.z.dot(n), b * rot.z.dot(f)));
            }
            Kind::Ball | Kind::Free => {
                let mut first = k;
                if tree.kind[i] == Kind::Free {
                    let felt = free_axes::<OneState<I>>(tree, &s.moving, i).tr_mul(f);
                    felt.array().into_iter().enumerate().for_each(|(c, x)| add(k + c, x));
                    first += 3;
                }
                rot.tr_mul(n).array().into_iter().enumerate().for_each(|(c, x)| add(first + c, x));
            }
        }
        let r = v3::<OneState<I>>(&m.r, i);
        let above = &mut s.weighing[p / 8];
        let (f_p, n_p) = (v3::<OneState<I>>(&above.f, p), v3::<OneState<I>>(&above.n, p));
        put_v3::<OneState<I>>(&mut above.f, p, f_p + f);
        put_v3::<OneState<I>>(&mut above.n, p, r.cross_add(f, n_p + n));
    }
}
