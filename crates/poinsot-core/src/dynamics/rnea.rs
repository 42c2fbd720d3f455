//! Inverse dynamics: the recursive Newton–Euler algorithm [Featherstone08, section 5.3].
//!
//! Outward, the shared sweeps give each link's inertial force (f, n). Inward, with r from parent to link:
//!
//! ```text
//! τ_i = z · n_i  (z · f_i where the joint slides)       f_p += f_i       n_p += n_i + r_i × f_i
//! ```

use super::forward::*;
use super::sweep::*;
use crate::algebra::{Lanes, Real, V3};
use crate::model::{Kind, Tree};

/// τ such that the tree at (q, v) moves with `qacc`; rotor inertia included.
#[allow(clippy::too_many_arguments)] // each is a different physical quantity
#[inline(always)]
pub(crate) fn rnea<A: Arithmetic>(
    tree: &Tree,
    s: &mut Scratch<A::Cell, A::In>,
    q: &[A::In],
    qvel: &[A::In],
    qacc: Option<&[A::In]>,
    gravity: V3,
    external: Option<&[[Lanes<8>; 6]]>,
    tau: &mut [A::In],
) {
    force_sweep::<A, false>(tree, s, q, qvel, qacc, gravity);
    if let Some(external) = external {
        push::<A>(&mut s.weighing, external);
    }
    gather::<A>(tree, &s.moving, &mut s.weighing, tau);
    if let Some(qacc) = qacc {
        for (k, armature) in tree.armature.iter().enumerate() {
            tau[k] = A::write(A::read(qacc[k]).mul_add(A::R::from_f64(*armature), A::read(tau[k])));
        }
    }
}

/// The inward sweep: forces carried to the root, and what each joint feels of them.
#[inline(always)]
pub(crate) fn gather<A: Arithmetic>(
    tree: &Tree,
    moving: &[Moving<A::Cell>],
    weighing: &mut [Weighing<A::Cell>],
    tau: &mut [A::In],
) {
    for i in (1..tree.links()).rev() {
        let (p, k) = (tree.parent[i], tree.v[i]);
        let (own, m) = (&weighing[i / A::WIDTH], &moving[i / A::WIDTH]);
        let (f, n) = (v3::<A>(&own.f, i), v3::<A>(&own.n, i));
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge => tau[k] = A::write(z_axis::<A>(&m.rot, i).dot(n)),
            Kind::Screw => {
                let z = z_axis::<A>(&m.rot, i);
                let (a, b) = screw::<A>(tree, i);
                tau[k] = A::write(a.mul_add(z.dot(n), b * z.dot(f)));
            }
            Kind::Ball => write_three::<A>(tau, k, m3::<A>(&m.rot, i).tr_mul(n)),
            Kind::Free => {
                write_three::<A>(tau, k, free_axes::<A>(tree, moving, i).tr_mul(f));
                write_three::<A>(tau, k + 3, m3::<A>(&m.rot, i).tr_mul(n));
            }
        }
        let r = v3::<A>(&m.r, i);
        let above = &mut weighing[p / A::WIDTH];
        let (f_p, n_p) = (v3::<A>(&above.f, p), v3::<A>(&above.n, p));
        put_v3::<A>(&mut above.f, p, f_p + f);
        put_v3::<A>(&mut above.n, p, r.cross_add(f, n_p + n));
    }
}

#[inline(always)]
fn write_three<A: Arithmetic>(tau: &mut [A::In], k: usize, x: V3<A::R>) {
    (tau[k], tau[k + 1], tau[k + 2]) = (A::write(x.x), A::write(x.y), A::write(x.z));
}
