//! One pass over all contacts, eight manifolds at a time.
//!
//! A row with direction e at the lever arms r₁, r₂ has the velocity `e · (v₁ + ω₁ × r₁ − v₂ − ω₂ × r₂)`; an impulse p changes v by p/m and
//! ω by `I⁻¹ (r × p)`.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::follow::{follow, in_first_axes};
use super::rows::{Group, Point, Rows, Settings};
use crate::algebra::Real;
use crate::algebra::lanes::{Eight, Isa, Kernel, dispatch, gather, scatter};

/// The kind of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Notes the speeds of contacts that do not push yet.
    Approach,
    /// Applies the current impulses to the bodies.
    Warm,
    /// Solves normals as springs.
    Soft,
    /// Solves normals and friction as rigid.
    Rigid,
    /// Applies the restitution of contacts that have begun to push.
    Rebound,
}

pub(super) struct Pass<'a> {
    pub rows: &'a mut Rows,
    pub mode: Mode,
}

impl Pass<'_> {
    pub fn run_all(self) {
        dispatch(self);
    }
}

impl Kernel for Pass<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Rows { groups, points, velocity, displacement, settings, .. } = self.rows;
        let settings = *settings;
        for group in groups.iter_mut() {
            let points = &mut points[group.points.clone()];
            match self.mode {
                Mode::Approach => approach::<I>(group, points, velocity),
                Mode::Warm => warm::<I>(group, points, velocity),
                Mode::Soft => soft::<I>(group, points, velocity, settings),
                Mode::Rigid => rigid::<I>(group, points, velocity, displacement, settings),
                Mode::Rebound => rebound::<I>(group, points, velocity, settings),
            }
        }
    }
}

pub(super) type V<I> = [<I as Isa>::F64x8; 3];

#[inline(always)]
pub(super) fn load<I: Isa>(x: &[crate::algebra::Lanes<8>; 3]) -> V<I> {
    [I::F64x8::load(&x[0]), I::F64x8::load(&x[1]), I::F64x8::load(&x[2])]
}
#[inline(always)]
pub(super) fn number<I: Isa>(x: f64) -> I::F64x8 {
    Real::from_f64(x)
}
#[inline(always)]
fn fused<I: Isa>(a: I::F64x8, b: I::F64x8, c: I::F64x8) -> I::F64x8 {
    Real::mul_add(a, b, c)
}
#[inline(always)]
pub(super) fn dot<I: Isa>(a: &V<I>, b: &V<I>) -> I::F64x8 {
    fused::<I>(a[0], b[0], fused::<I>(a[1], b[1], a[2] * b[2]))
}
#[inline(always)]
pub(super) fn cross<I: Isa>(a: &V<I>, b: &V<I>) -> V<I> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
// no closures over arrays: if not inlined, they are not compiled for the selected instruction set
#[inline(always)]
pub(super) fn scaled<I: Isa>(a: &V<I>, x: I::F64x8) -> V<I> {
    [a[0] * x, a[1] * x, a[2] * x]
}
/// x a + y b.
#[inline(always)]
fn along_both<I: Isa>(x: I::F64x8, a: &V<I>, y: I::F64x8, b: &V<I>) -> V<I> {
    [fused::<I>(x, a[0], y * b[0]), fused::<I>(x, a[1], y * b[1]), fused::<I>(x, a[2], y * b[2])]
}
#[inline(always)]
fn at_least_zero<I: Isa>(x: I::F64x8) -> I::F64x8 {
    x.choose_below(0.0, number::<I>(0.0), x)
}

/// The velocities of the two bodies of eight manifolds during a pass.
pub(super) struct Motion<I: Isa> {
    turn: [V<I>; 2],
    pub go: [V<I>; 2],
}

impl<I: Isa> Motion<I> {
    #[inline(always)]
    pub fn read(from: &[f64], at: &[[usize; 8]; 2]) -> Motion<I> {
        let [a, b] = [gather::<I::F64x8, 8>(from, &at[0]), gather::<I::F64x8, 8>(from, &at[1])];
        Motion {
            turn: [[a[0], a[1], a[2]], [b[0], b[1], b[2]]],
            go: [[a[3], a[4], a[5]], [b[3], b[4], b[5]]],
        }
    }
    #[inline(always)]
    fn write(self, to: &mut [f64], at: &[[usize; 8]; 2]) {
        let zero = number::<I>(0.0);
        for side in 0..2 {
            let ([x, y, z], [u, v, w]) = (self.turn[side], self.go[side]);
            scatter::<I::F64x8, 8>([x, y, z, u, v, w, zero, zero], to, &at[side]);
        }
    }
    /// The velocity of the first body relative to the second, at a point.
    #[inline(always)]
    pub fn relative(&self, arms: &[V<I>; 2]) -> V<I> {
        let (a, b) = (cross::<I>(&self.turn[0], &arms[0]), cross::<I>(&self.turn[1], &arms[1]));
        let [go, other] = &self.go;
        [
            (go[0] + a[0]) - (other[0] + b[0]),
            (go[1] + a[1]) - (other[1] + b[1]),
            (go[2] + a[2]) - (other[2] + b[2]),
        ]
    }
    /// Applies an impulse to the first body, and its opposite to the second.
    #[inline(always)]
    fn push(&mut self, group: &Group, arms: &[V<I>; 2], p: &V<I>) {
        for side in 0..2 {
            let mass = I::F64x8::load(&group.inverse_mass[side]);
            let [xx, xy, xz, yy, yz, zz] = &group.inverse_inertia[side];
            let [xx, xy, xz] = [I::F64x8::load(xx), I::F64x8::load(xy), I::F64x8::load(xz)];
            let [yy, yz, zz] = [I::F64x8::load(yy), I::F64x8::load(yz), I::F64x8::load(zz)];
            let m = cross::<I>(&arms[side], p);
            for k in 0..3 {
                self.go[side][k] = fused::<I>(mass, p[k], self.go[side][k]);
            }
            let turn = &mut self.turn[side];
            turn[0] += dot::<I>(&[xx, xy, xz], &m);
            turn[1] += dot::<I>(&[xy, yy, yz], &m);
            turn[2] += dot::<I>(&[xz, yz, zz], &m);
        }
    }
}

/// The lever arms at the start of the step.
#[inline(always)]
fn first_arms<I: Isa>(point: &Point) -> [V<I>; 2] {
    [load::<I>(&point.arms[0]), load::<I>(&point.arms[1])]
}
/// The current lever arms.
#[inline(always)]
pub(super) fn arms<I: Isa>(group: &Group, point: &Point) -> [V<I>; 2] {
    let mut arms = first_arms::<I>(point);
    if group.following.any {
        for side in 0..2 {
            let shift = load::<I>(&group.following.shifts[side]);
            (0..3).for_each(|k| arms[side][k] += shift[k]);
        }
    }
    arms
}

impl Group {
    /// The change of velocity along a direction by an impulse of one along it.
    #[inline(always)]
    fn response<I: Isa>(&self, arms: &[V<I>; 2], along: &V<I>) -> I::F64x8 {
        let mut unit = Motion::<I> { turn: [[number::<I>(0.0); 3]; 2], go: [[number::<I>(0.0); 3]; 2] };
        unit.push(self, arms, along);
        dot::<I>(&unit.relative(arms), along)
    }
}

#[inline(always)]
fn warm<I: Isa>(group: &Group, points: &[Point], velocity: &mut [f64]) {
    let (normal, along) = (load::<I>(&group.normal), load::<I>(&group.along));
    let other = cross::<I>(&normal, &along);
    let mut motion = Motion::<I>::read(velocity, &group.at);
    for point in points {
        let [n, s, t] = load::<I>(&point.impulse);
        let [x, y, z] = along_both::<I>(s, &along, t, &other);
        let p = [fused::<I>(n, normal[0], x), fused::<I>(n, normal[1], y), fused::<I>(n, normal[2], z)];
        motion.push(group, &arms::<I>(group, point), &p);
    }
    motion.write(velocity, &group.at);
}

#[inline(always)]
fn soft<I: Isa>(group: &Group, points: &mut [Point], velocity: &mut [f64], s: Settings) {
    let normal = load::<I>(&group.normal);
    let mut motion = Motion::<I>::read(velocity, &group.at);
    let (rate, mass_part) = (number::<I>(s.rate), number::<I>(s.mass_part));
    let (impulse_part, push) = (number::<I>(s.impulse_part), I::F64x8::load(&group.push));
    let (zero, one) = (number::<I>(0.0), number::<I>(1.0));
    for point in points {
        let arms = arms::<I>(group, point);
        let gap = I::F64x8::load(&point.gap_now);
        // penetration beyond the slop is removed at a limited rate; an open gap may close within the substep
        let over = gap + number::<I>(s.slop);
        let out = rate * over.choose_below(0.0, over, zero);
        let out = (out + push).choose_below(0.0, -push, out);
        let bias = gap.choose_below(0.0, out, gap * number::<I>(s.per_substep));
        let mass_part = gap.choose_below(0.0, mass_part, one);
        let impulse_part = gap.choose_below(0.0, impulse_part, zero);
        let before = I::F64x8::load(&point.impulse[0]);
        let u = dot::<I>(&motion.relative(&arms), &normal);
        let mass = I::F64x8::load(&point.mass[0]) * mass_part;
        let after = at_least_zero::<I>(before - mass * (u + bias) - impulse_part * before);
        after.store(&mut point.impulse[0]);
        let change = after - before;
        motion.push(group, &arms, &scaled::<I>(&normal, change));
        if group.bounces {
            note_work::<I>(point, change, u + dot::<I>(&motion.relative(&arms), &normal));
        }
    }
    motion.write(velocity, &group.at);
}

/// Adds the work that a normal impulse takes, given the sum of the velocities before and after it.
#[inline(always)]
fn note_work<I: Isa>(point: &mut Point, impulse: I::F64x8, velocities: I::F64x8) {
    let lost = I::F64x8::load(&point.lost) - number::<I>(0.5) * impulse * velocities;
    lost.store(&mut point.lost);
}

#[inline(always)]
fn rigid<I: Isa>(
    group: &mut Group,
    points: &mut [Point],
    velocity: &mut [f64],
    displacement: &[f64],
    s: Settings,
) {
    let moved = Motion::<I>::read(displacement, &group.at);
    follow::<I>(group, &moved.go);
    let group = &*group;
    let (normal, along) = (load::<I>(&group.normal), load::<I>(&group.along));
    let other = cross::<I>(&normal, &along);
    let friction = I::F64x8::load(&group.friction);
    let mut motion = Motion::<I>::read(velocity, &group.at);
    let (zero, one) = (number::<I>(0.0), number::<I>(1.0));
    for point in points {
        let arms = arms::<I>(group, point);
        let gap = I::F64x8::load(&point.gap) + dot::<I>(&moved.relative(&first_arms::<I>(point)), &normal);
        let gap = if group.following.any_spheres {
            let round = I::F64x8::load(&group.following.round);
            (-round).choose_below(0.0, I::F64x8::load(&group.following.gap), gap)
        } else {
            gap
        };
        gap.store(&mut point.gap_now);
        let open = gap.choose_below(0.0, zero, gap * number::<I>(s.per_substep));
        let [n, a, b] = load::<I>(&point.impulse);
        let masses = load::<I>(&point.mass);
        let u = dot::<I>(&motion.relative(&arms), &normal);
        let after = at_least_zero::<I>(n - masses[0] * (u + open));
        let change = after - n;
        motion.push(group, &arms, &scaled::<I>(&normal, change));
        // both tangential directions from one velocity, then projected onto the disk
        let slip = motion.relative(&arms);
        if group.bounces {
            note_work::<I>(point, change, u + dot::<I>(&slip, &normal));
        }
        let c = a - masses[1] * dot::<I>(&slip, &along);
        let d = b - masses[2] * dot::<I>(&slip, &other);
        let most = friction * after;
        let square = fused::<I>(c, c, d * d);
        let inside = most * most - square;
        let shrink = inside.choose_below(0.0, most / Real::sqrt(square), one);
        let (c, d) = (c * shrink, d * shrink);
        let (along_by, other_by) = (c - a, d - b);
        let p = along_both::<I>(along_by, &along, other_by, &other);
        motion.push(group, &arms, &p);
        let impulse = [after, c, d];
        let sum = in_first_axes::<I>(group, &impulse);
        for k in 0..3 {
            impulse[k].store(&mut point.impulse[k]);
            (I::F64x8::load(&point.total[k]) + sum[k]).store(&mut point.total[k]);
        }
    }
    motion.write(velocity, &group.at);
}

#[inline(always)]
fn approach<I: Isa>(group: &Group, points: &mut [Point], velocity: &[f64]) {
    if !group.bounces {
        return;
    }
    let normal = load::<I>(&group.normal);
    let motion = Motion::<I>::read(velocity, &group.at);
    let zero = number::<I>(0.0);
    for point in points {
        let u = dot::<I>(&motion.relative(&arms::<I>(group, point)), &normal);
        let pushes = -I::F64x8::load(&point.impulse[0]);
        pushes.choose_below(0.0, zero, -u).store(&mut point.closing);
        zero.store(&mut point.lost);
    }
}

#[inline(always)]
fn rebound<I: Isa>(group: &Group, points: &mut [Point], velocity: &mut [f64], s: Settings) {
    if !group.bounces {
        return;
    }
    let normal = load::<I>(&group.normal);
    let mut motion = Motion::<I>::read(velocity, &group.at);
    let (zero, one) = (number::<I>(0.0), number::<I>(1.0));
    for point in points {
        let arms = arms::<I>(group, point);
        let [e, closing] = [I::F64x8::load(&point.restitution), I::F64x8::load(&point.closing)];
        let u = dot::<I>(&motion.relative(&arms), &normal);
        let response = group.response::<I>(&arms, &normal);
        let yields = (-response).choose_below(0.0, response, one);
        let wanted = (e * closing - u) / yields;
        // p u + ½ G p² = e² times the work taken
        let work = e * e * at_least_zero::<I>(I::F64x8::load(&point.lost));
        let most = (Real::sqrt(u * u + number::<I>(2.0) * yields * work) - u) / yields;
        let change = (wanted - most).choose_below(0.0, wanted, most);
        // only contacts that have collided, and only if they do not separate fast enough already
        let mut hit = (number::<I>(s.least_impact) - closing).choose_below(0.0, e, zero);
        for moved in [I::F64x8::load(&point.impulse[0]), change, response] {
            hit = (-moved).choose_below(0.0, hit, zero);
        }
        let change = (-hit).choose_below(0.0, change, zero);
        let sum = in_first_axes::<I>(group, &[change, zero, zero]);
        for k in 0..3 {
            (I::F64x8::load(&point.total[k]) + sum[k]).store(&mut point.total[k]);
            // an impact is not a force that lasts
            let lasting = I::F64x8::load(&point.impulse[k]);
            (-hit).choose_below(0.0, zero, lasting).store(&mut point.impulse[k]);
        }
        motion.push(group, &arms, &scaled::<I>(&normal, change));
    }
    motion.write(velocity, &group.at);
}
