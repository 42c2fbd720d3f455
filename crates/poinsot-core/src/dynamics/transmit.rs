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
    for (out, c) in s.inertial.iter_mut().zip(external) {
        out.n = [c[0], c[1], c[2]];
        out.f = [c[3], c[4], c[5]];
    }
    for i in (1..tree.links()).rev() {
        let (p, k) = (tree.parent[i], tree.v[i]);
        let own = inertial_at::<OneState<I>>(&s.inertial, i);
        let m = link_at::<OneState<I>>(&s.moving, i);
        let (f, n) = (own.f(), own.n());
        let rot = m.rot();
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
        let r = m.r();
        let mut above = inertial_at_mut::<OneState<I>>(&mut s.inertial, p);
        let (f_p, n_p) = (above.f(), above.n());
        above.set_f(f_p + f);
        above.set_n(r.cross_add(f, n_p + n));
    }
}
