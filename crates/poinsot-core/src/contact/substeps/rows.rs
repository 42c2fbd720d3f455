//! Eight manifolds side by side, and the motion of the bodies between passes.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::colour::Colours;
use super::follow::Following;
use super::overlaps::Overlaps;
use super::{PileBody, PileContact, Softness};
use crate::algebra::Lanes;
use std::ops::Range;

type Lane = Lanes<8>;

/// Eight manifolds of one colour.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Where the rows of the bodies start; the ground and unused lanes have a row that stays 0.
    pub at: [[usize; 8]; 2],
    /// The normal, and the first tangential direction; the second is normal × first.
    pub normal: [Lane; 3],
    pub along: [Lane; 3],
    /// How they move on in the step.
    pub following: Following,
    /// Negative for the second body, which gets the opposite impulse.
    pub inverse_mass: [Lane; 2],
    pub inverse_inertia: [[Lane; 6]; 2],
    pub friction: Lane,
    /// The largest velocity at which penetration is removed.
    pub push: Lane,
    /// True if some of them rebound.
    pub bounces: bool,
    /// The range of their points.
    pub points: Range<usize>,
}

/// One contact from each of eight manifolds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    pub arms: [[Lane; 3]; 2],
    /// The initial gap, and the gap after the motion since.
    pub gap: Lane,
    pub gap_now: Lane,
    /// 1/G of the normal and of both tangential directions.
    pub mass: [Lane; 3],
    /// Impulses of a substep: normal and two tangential.
    pub impulse: [Lane; 3],
    /// The sum over the substeps, in the axes at the start of the step.
    pub total: [Lane; 3],
    /// e.
    pub restitution: Lane,
    /// The speed at which a contact that does not push yet closes at the start of a substep, and the work that normal impulses have taken since.
    pub closing: Lane,
    pub lost: Lane,
}

/// Parameters common to all contacts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    /// 1/h of a substep.
    pub per_substep: f64,
    pub slop: f64,
    pub least_impact: f64,
    /// For the springs: the rate at which penetration is removed, and the factors on the mass and on the accumulated impulse.
    pub rate: f64,
    pub mass_part: f64,
    pub impulse_part: f64,
}

impl Settings {
    /// A spring of angular frequency ω and damping ζ, in one implicit step of h.
    fn new(softness: &Softness, h: f64) -> Settings {
        let turn = std::f64::consts::TAU * softness.frequency;
        let a = 2.0 * softness.damping + turn;
        let b = turn * a;
        let (mass_part, impulse_part) = (b / (1.0 + b), 1.0 / (1.0 + b));
        let Softness { slop, least_impact, .. } = *softness;
        Settings { per_substep: 1.0 / h, slop, least_impact, rate: turn / (a * h), mass_part, impulse_part }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub groups: Vec<Group>,
    pub points: Vec<Point>,
    /// Velocities and displacements: eight numbers for each body and for the ground.
    pub velocity: Vec<f64>,
    pub displacement: Vec<f64>,
    pub settings: Settings,
    /// For each contact: its group, its point among all, and its lane.
    places: Vec<[usize; 3]>,
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
/// A a of a symmetric matrix.
#[inline(always)]
fn times([xx, xy, xz, yy, yz, zz]: [f64; 6], a: [f64; 3]) -> [f64; 3] {
    [xx * a[0] + xy * a[1] + xz * a[2], xy * a[0] + yy * a[1] + yz * a[2], xz * a[0] + yz * a[1] + zz * a[2]]
}
/// A direction perpendicular to the normal, which depends on the normal alone.
#[inline(always)]
fn across(n: [f64; 3]) -> [f64; 3] {
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t = cross(n, other);
    let length = dot(t, t).sqrt();
    [t[0] / length, t[1] / length, t[2] / length]
}

impl Rows {
    pub fn fill(
        &mut self,
        colours: &Colours,
        overlaps: &Overlaps,
        bodies: &[PileBody],
        contacts: &[PileContact],
        h: f64,
        softness: &Softness,
    ) {
        self.settings = Settings::new(softness, h);
        for list in [&mut self.velocity, &mut self.displacement] {
            list.clear();
            list.resize(8 * (bodies.len() + 1), 0.0);
        }
        for (to, body) in self.velocity.chunks_exact_mut(8).zip(bodies) {
            to[..6].copy_from_slice(&body.velocity);
        }
        self.places.clear();
        self.places.resize(contacts.len(), [0; 3]);
        self.groups.clear();
        self.points.clear();
        for (g, range) in colours.groups.iter().enumerate() {
            let manifolds = &colours.manifolds[range.clone()];
            let most = manifolds.iter().map(|m| m.points).max().unwrap_or(0);
            let begin = self.points.len();
            self.points.resize(begin + most, Point::default());
            // unused lanes move the ground, which does not yield
            let mut group =
                Group { at: [[8 * bodies.len(); 8]; 2], points: begin..begin + most, ..Group::default() };
            for (lane, manifold) in manifolds.iter().enumerate() {
                let first = &contacts[manifold.first];
                let axes = group.set(lane, bodies, first);
                group.push.0[lane] = softness.push / overlaps.of(first);
                for point in 0..manifold.points {
                    let contact = manifold.first + point;
                    self.places[contact] = [g, begin + point, lane];
                    group.bounces |= contacts[contact].restitution > 0.0;
                    self.points[begin + point].set(lane, bodies, &contacts[contact], &axes, h);
                }
            }
            self.groups.push(group);
        }
    }

    /// Updates velocities in a substep by all forces except contacts.
    pub fn accelerate(&mut self, bodies: &[PileBody], h: f64) {
        for (v, body) in self.velocity.chunks_exact_mut(8).zip(bodies) {
            (0..6).for_each(|k| v[k] += h * body.acceleration[k]);
        }
    }
    /// Updates displacements by a substep.
    pub fn displace(&mut self, h: f64) {
        for (d, v) in self.displacement.iter_mut().zip(&self.velocity) {
            *d += h * v;
        }
    }

    /// Writes the results to bodies and contacts.
    pub fn hand_over(&self, bodies: &mut [PileBody], contacts: &mut [PileContact], h: f64) {
        for (k, body) in bodies.iter_mut().enumerate() {
            body.velocity.copy_from_slice(&self.velocity[8 * k..8 * k + 6]);
            body.displacement.copy_from_slice(&self.displacement[8 * k..8 * k + 6]);
        }
        for (contact, &[group, point, lane]) in contacts.iter_mut().zip(&self.places) {
            let (group, point) = (&self.groups[group], &self.points[point]);
            let [normal, along] = [group.normal, group.along].map(|axis| axis.map(|x| x.0[lane]));
            let first = across(contact.normal);
            let world = |x: &[Lane; 3], n: [f64; 3], t: [f64; 3]| {
                let (a, b, c, s) = (x[0].0[lane], x[1].0[lane], x[2].0[lane], cross(n, t));
                [
                    n[0] * a + t[0] * b + s[0] * c,
                    n[1] * a + t[1] * b + s[1] * c,
                    n[2] * a + t[2] * b + s[2] * c,
                ]
            };
            let [x, y, z] = world(&point.impulse, normal, along);
            contact.force = [x / h, y / h, z / h];
            contact.impulse = world(&point.total, contact.normal, first);
        }
    }
}

impl Group {
    /// Sets one lane; returns the axes of the manifold.
    fn set(&mut self, lane: usize, bodies: &[PileBody], contact: &PileContact) -> [[f64; 3]; 3] {
        let along = across(contact.normal);
        for k in 0..3 {
            self.normal[k].0[lane] = contact.normal[k];
            self.along[k].0[lane] = along[k];
        }
        for (side, body) in contact.bodies.iter().enumerate() {
            let Some(body) = *body else { continue };
            let of = &bodies[body];
            self.at[side][lane] = 8 * body;
            let sign = if side == 0 { 1.0 } else { -1.0 };
            self.inverse_mass[side].0[lane] = sign * of.inverse_mass;
            for k in 0..6 {
                self.inverse_inertia[side][k].0[lane] = sign * of.inverse_inertia[k];
            }
        }
        self.friction.0[lane] = contact.friction;
        self.following.set(lane, bodies, contact, along);
        [contact.normal, along, cross(contact.normal, along)]
    }
}

impl Point {
    fn set(&mut self, lane: usize, bodies: &[PileBody], contact: &PileContact, axes: &[[f64; 3]; 3], h: f64) {
        for side in 0..2 {
            (0..3).for_each(|k| self.arms[side][k].0[lane] = contact.arms[side][k]);
        }
        (self.gap.0[lane], self.gap_now.0[lane]) = (contact.gap, contact.gap);
        for (k, &axis) in axes.iter().enumerate() {
            let mut sum = 0.0;
            for side in 0..2 {
                let Some(body) = contact.bodies[side].map(|body| &bodies[body]) else { continue };
                let turn = cross(contact.arms[side], axis);
                sum += body.inverse_mass + dot(turn, times(body.inverse_inertia, turn));
            }
            self.mass[k].0[lane] = if sum > 0.0 { 1.0 / sum } else { 0.0 };
            self.impulse[k].0[lane] = h * dot(contact.force, axis);
        }
        let normal = &mut self.impulse[0].0[lane];
        *normal = normal.max(0.0);
        self.restitution.0[lane] = contact.restitution;
    }
}
