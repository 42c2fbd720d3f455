//! Where eight manifolds are within a step, after their bodies have moved.
//!
//! An impulse and its opposite must act on two bodies at one point of space, or they change the angular momentum of the two together. With
//! δ, the displacement of the first centre relative to the second since the start of the step, the lever arms become
//!
//! ```math
//! (1)  r₁ = r₁⁰ − ½ δ      r₂ = r₂⁰ + ½ δ
//! ```
//! as shapes are not known here that would tell which of the bodies carries the point along. Of two spheres of radii R₁ and R₂ with the gap
//! g it is known, and the normal turns with the line of their centres:
//!
//! ```math
//! (2)  X = (R₁ + R₂ + g⁰) n⁰ + δ      g = ‖X‖ − R₁ − R₂      n = X/‖X‖      r₁ = −(R₁ + ½ g) n      r₂ = (R₂ + ½ g) n
//! ```
//! A contact with a body that does not move stays where it was on the other one.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::pass::{V, cross, dot, load, number, scaled};
use super::rows::Group;
use super::{PileBody, PileContact};
use crate::algebra::lanes::{Eight, Isa};
use crate::algebra::{Lanes, Real};

type Lane = Lanes<8>;

/// What is known of eight manifolds at the start of a step, and where they are now.
#[derive(Clone, Debug, Default)]
pub(super) struct Following {
    /// True if both bodies of a manifold move; true if one is between spheres.
    pub any: bool,
    pub any_spheres: bool,
    /// ½ where both bodies move, otherwise 0.
    half: Lane,
    /// The axes at the start.
    pub normal: [Lane; 3],
    pub along: [Lane; 3],
    /// Of spheres: their radii, the gap and the distance of their centres at the start; 0 for others.
    radii: [Lane; 2],
    gap_before: Lane,
    distance: Lane,
    /// The change of both lever arms since the start.
    pub shifts: [[Lane; 3]; 2],
    /// 1 for spheres, and their gap; 0 for others.
    pub round: Lane,
    pub gap: Lane,
}

impl Following {
    /// Sets one lane.
    pub fn set(&mut self, lane: usize, bodies: &[PileBody], contact: &PileContact, along: [f64; 3]) {
        for k in 0..3 {
            self.normal[k].0[lane] = contact.normal[k];
            self.along[k].0[lane] = along[k];
        }
        let moves = |body: Option<usize>| body.is_some_and(|body| bodies[body].yields());
        if !contact.bodies.map(moves).iter().all(|moves| *moves) {
            return;
        }
        self.any = true;
        self.half.0[lane] = 0.5;
        let Some(radii) = contact.spheres else { return };
        // centres that coincide have no line between them
        let distance = radii[0] + radii[1] + contact.gap;
        if distance > 0.0 {
            self.any_spheres = true;
            (0..2).for_each(|side| self.radii[side].0[lane] = radii[side]);
            (self.gap_before.0[lane], self.distance.0[lane]) = (contact.gap, distance);
        }
    }
}

/// Moves manifolds to where their bodies are after these displacements of the centres.
#[inline(always)]
pub(super) fn follow<I: Isa>(group: &mut Group, centres: &[V<I>; 2]) {
    let f = &mut group.following;
    if !f.any {
        return;
    }
    let half = I::F64x8::load(&f.half);
    let [a, b] = centres;
    let moved = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let (there, back) = (scaled::<I>(&moved, half), scaled::<I>(&moved, -half));
    let mut shifts = [back, there];
    if f.any_spheres {
        let (zero, one, half) = (number::<I>(0.0), number::<I>(1.0), number::<I>(0.5));
        let (first, along) = (load::<I>(&f.normal), load::<I>(&f.along));
        let distance = I::F64x8::load(&f.distance);
        let radii = [I::F64x8::load(&f.radii[0]), I::F64x8::load(&f.radii[1])];
        let x = [
            distance.mul_add(first[0], moved[0]),
            distance.mul_add(first[1], moved[1]),
            distance.mul_add(first[2], moved[2]),
        ];
        let length = dot::<I>(&x, &x).sqrt();
        let normal = scaled::<I>(&x, one / length);
        let gap = length - (radii[0] + radii[1]);
        let cosine = dot::<I>(&normal, &first);
        // the same rotation turns the tangents
        let part = dot::<I>(&along, &normal) / (one + cosine);
        // spheres that have passed each other follow (1)
        let round = (-distance).choose_below(0.0, (-cosine).choose_below(0.0, one, zero), zero);
        let gap_before = I::F64x8::load(&f.gap_before);
        let outward = [-one, one];
        for k in 0..3 {
            for side in 0..2 {
                let (old, new) = (half.mul_add(gap_before, radii[side]), half.mul_add(gap, radii[side]));
                let shift = outward[side] * (new * normal[k] - old * first[k]);
                shifts[side][k] = (-round).choose_below(0.0, shift, shifts[side][k]);
            }
            let turned = along[k] - part * (first[k] + normal[k]);
            (-round).choose_below(0.0, normal[k], first[k]).store(&mut group.normal[k]);
            (-round).choose_below(0.0, turned, along[k]).store(&mut group.along[k]);
        }
        round.store(&mut f.round);
        gap.store(&mut f.gap);
    }
    for (shift, to) in shifts.iter().zip(&mut f.shifts) {
        (0..3).for_each(|k| shift[k].store(&mut to[k]));
    }
}

/// The entries along the axes at the start of an impulse (normal, two tangential) along those of now.
#[inline(always)]
pub(super) fn in_first_axes<I: Isa>(group: &Group, impulse: &V<I>) -> V<I> {
    let f = &group.following;
    if !f.any_spheres {
        return *impulse;
    }
    let frame = |normal: &[Lane; 3], along: &[Lane; 3]| {
        let (n, t) = (load::<I>(normal), load::<I>(along));
        [n, t, cross::<I>(&n, &t)]
    };
    let (first, now) = (frame(&f.normal, &f.along), frame(&group.normal, &group.along));
    let mut world = [number::<I>(0.0); 3];
    for axis in 0..3 {
        (0..3).for_each(|k| world[k] = impulse[axis].mul_add(now[axis][k], world[k]));
    }
    [dot::<I>(&world, &first[0]), dot::<I>(&world, &first[1]), dot::<I>(&world, &first[2])]
}
