//! Forward dynamics of many free bodies: eight of them side by side.
//!
//! A floating body without children is not affected by any other link. The sweeps would process such bodies one at a time; here eight of
//! them go through the same equations in the lanes of one block, with the same bits, and nothing is stored for them.

use super::aba::{ArticulatedInertia, aba};
use super::outward::*;
use super::sweep::*;
use crate::algebra::lanes::{Eight, Isa, gather, scatter};
use crate::algebra::{Lanes, M3, Real, Sym3, V3};
use crate::model::Tree;
use crate::spatial::Quat;

/// Computes q̈ of the whole tree: [`aba`], except for the blocks of loose links.
#[allow(clippy::too_many_arguments)] // each is a different physical quantity
#[inline(always)]
pub(crate) fn forward<I: Isa>(
    tree: &Tree,
    s: &mut Scratch<Lanes<8>, f64>,
    q: &[f64],
    qvel: &[f64],
    tau: &[f64],
    armature: &[f64],
    gravity: V3,
    external: Option<&[[Lanes<8>; 6]]>,
    qacc: &mut [f64],
) {
    if tree.loose.is_empty() || !no_rotors_on_loose_links(tree, armature) {
        return aba::<OneState<I>>(
            tree,
            s,
            &[tree.blocks()],
            q,
            qvel,
            tau,
            armature,
            gravity,
            external,
            qacc,
        );
    }
    aba::<OneState<I>>(tree, s, &tree.bound, q, qvel, tau, armature, gravity, external, qacc);
    for block in tree.loose.iter().cloned().flatten() {
        eight_bodies::<I>(tree, block, q, qvel, tau, gravity, external.map(|cells| &cells[block]), qacc);
    }
}

/// True if `armature` has no rotors on the loose links. The model's own rotors were checked when it was compiled.
fn no_rotors_on_loose_links(tree: &Tree, armature: &[f64]) -> bool {
    std::ptr::eq(armature, tree.armature.as_slice())
        || tree.loose.iter().all(|run| (8 * run.start..8 * run.end).all(|i| tree.floats(i, armature)))
}

/// The free links of one block on the world: the outward sweep, and the acceleration of an unconstrained body.
#[allow(clippy::too_many_arguments)] // each is a different physical quantity
#[inline(always)]
fn eight_bodies<I: Isa>(
    tree: &Tree,
    block: usize,
    q: &[f64],
    qvel: &[f64],
    tau: &[f64],
    gravity: V3,
    external: Option<&[Lanes<8>; 6]>,
    qacc: &mut [f64],
) {
    let first = 8 * block;
    let (q_at, v_at) = (&tree.q[first..first + 8], &tree.v[first..first + 8]);
    let [px, py, pz, w, x, y, z, _] = gather::<I::F64x8, 7>(q, q_at);
    let (rate, spin) = two_vectors(gather::<I::F64x8, 6>(qvel, v_at));
    let (force, moment) = two_vectors(gather::<I::F64x8, 6>(tau, v_at));

    let at = (V3::new(px, py, pz), Quat { w, x, y, z }.matrix());
    let world = ParentMotion::world(gravity);
    let (_, own) = world.free_child(placed::<OneState<I>>(tree, first, px), at, (rate, spin));
    let (mass, h, i) = inertia_in_world::<OneState<I>>(tree, first, own.rot);
    let (mut n, mut f) = inertial_force((mass, h, i), own.w, own.alpha, own.a);
    if let Some(cells) = external {
        n -= constant_v3::<OneState<I>>(&cells[0..3], first);
        f -= constant_v3::<OneState<I>>(&cells[3..6], first);
    }
    let body = ArticulatedInertia { i, h: M3::skew(h), m: Sym3::scalar(mass), n, f };

    let frame = &tree.frame[block];
    let column = |k: usize| constant_v3::<OneState<I>>(&frame[k..k + 3], first);
    let axes = world.rot * M3::columns(column(0), column(3), column(6));
    let (alpha, a) = body.floating_acceleration(own.rot * moment, axes * force);
    let (slides, turns) = (axes.tr_mul(a), own.rot.tr_mul(alpha));
    let none = I::F64x8::zero();
    scatter::<I::F64x8, 6>([slides.x, slides.y, slides.z, turns.x, turns.y, turns.z, none, none], qacc, v_at);
}

#[inline(always)]
fn two_vectors<W: Eight>([a, b, c, d, e, f, ..]: [W; 8]) -> (V3<W>, V3<W>) {
    (V3::new(a, b, c), V3::new(d, e, f))
}
