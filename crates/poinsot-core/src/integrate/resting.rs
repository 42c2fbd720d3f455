//! Resting contacts in a smooth motion: their points as the bodies move, and their forces.
//!
//! A contact is identified by its features: two surfaces, and the function gap(q) of their closest points. At each state that a method
//! evaluates, the points are found anew, so normals turn and points move over curved surfaces correctly. The accelerations of its rows need
//! J̇ v, the rate of J(q) v along the motion with constant v:
//!
//! ```math
//! J̇ v = (8 (u₁ − u₋₁) − (u₂ − u₋₂))/12ε      u_k = J(q ⊕ kε v) v
//! ```
//! where the normal row is n·u, and u is the velocity of the second body minus that of the first at the point. No curvatures are needed;
//! the error is of order ε⁴, with ε about a thousandth of the time scale of rotation.

use super::contacts::Contacts;
use super::{StepError, System, copy};
use crate::algebra::V3;
use crate::constraint::{
    ContactKey, ContactPoint, ContactResult, RestProblem, RestingContact, Stabilisation,
};
use crate::contact::{MOST_ROWS, Mode, Resting};
use crate::dynamics::State;
use crate::model::{BodyId, GeomId};
use crate::spatial::{Motion, Pose};

/// The motion within ε, in radians or relative to the least radius of a surface.
const STRIDE: f64 = 5e-4;
const WEIGHTS: [(f64, f64); 4] =
    [(-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)];
/// The margins, in metres, within which resting contacts are searched for; a larger one is used only if they are not found.
pub(super) const MARGINS: [f64; 3] = [1e-5, 1e-3, 1e-1];
/// Below this sliding speed, in metres a second, the direction of slip is kept.
pub(super) const DIRECTED: f64 = 1e-8;
/// Gaps below this are left open, in metres.
const CLOSED: f64 = 1e-14;

/// The contacts of a motion from event to event.
#[derive(Default)]
pub(crate) struct RestingContacts {
    /// The resting contacts, sorted by key.
    pub list: Vec<RestingContact>,
    /// The contacts that touch and separate.
    pub leaving: Vec<ContactKey>,
    /// The contacts that have stuck and, at the event just found, start to slide.
    pub(super) starting: Vec<ContactKey>,
    /// The resting contacts of a restored memory, of which only keys and modes are known.
    pub hints: Vec<RestingContact>,
    pub problem: RestProblem,
    pub(super) before: Vec<RestingContact>,
    pub(super) pairs: Vec<[GeomId; 2]>,
    pub(super) found: Vec<ContactPoint>,
    displaced: Vec<f64>,
    /// The largest acceleration of a row under its own force, in the last solve.
    pub(super) push: f64,
    motions: Vec<Motion>,
    pub(super) poses: Vec<Pose>,
}

impl RestingContacts {
    /// Writes the memory for the next step as numbers: the resting contacts with their modes, and the separating ones.
    pub fn memory(&self, out: &mut Vec<f64>) {
        let list = if self.list.is_empty() { &self.hints } else { &self.list };
        out.extend([list.len() as f64, self.leaving.len() as f64, self.push]);
        for one in list {
            let RestingContact { point, resting, slip: [lin, ang], directed, .. } = one;
            out.extend(point.key.numbers());
            out.extend([f64::from(resting.mode == Mode::Slide), f64::from(resting.slides), *directed]);
            out.extend(resting.along);
            out.extend(lin.array().into_iter().chain(ang.array()));
        }
        self.leaving.iter().for_each(|key| out.extend(key.numbers()));
    }
    /// Restores it.
    pub fn restore_memory(&mut self, next: &mut impl FnMut() -> f64) {
        // a corrupt count must not exhaust memory
        let [resting_contacts, leaving] = [next(), next()].map(|count| count.clamp(0.0, 1e6) as usize);
        self.push = next();
        self.list.clear();
        self.hints.clear();
        self.leaving.clear();
        for _ in 0..resting_contacts {
            let key = ContactKey::of_numbers(std::array::from_fn(|_| next()));
            let (mode, slides) = (if next() == 1.0 { Mode::Slide } else { Mode::Stick }, next() == 1.0);
            let directed = next();
            let along = std::array::from_fn(|_| next());
            let mut vector = || V3::new(next(), next(), next());
            let slip = [vector(), vector()];
            let resting = Resting { mode, slides, along, ..Resting::default() };
            let (velocity, bias) = ([0.0; MOST_ROWS], [0.0; MOST_ROWS]);
            let point = ContactPoint::of_key(key);
            self.hints.push(RestingContact {
                point,
                velocity,
                bias,
                resting,
                offset: 0.0,
                slip,
                directed,
                lost: false,
            });
        }
        for _ in 0..leaving {
            self.leaving.push(ContactKey::of_numbers(std::array::from_fn(|_| next())));
        }
    }
}

/// The velocity of the second body minus that of the first at a point.
pub(super) fn apart(poses: &[Pose], motions: &[Motion], point: &ContactPoint) -> [V3; 2] {
    let [a, b] = point.bodies.map(|b| motions[b.index()].at(point.position - poses[b.index()].pos));
    [b.lin - a.lin, b.ang - a.ang]
}

/// The rows of a contact for such a velocity.
pub(super) fn rows(point: &ContactPoint, [lin, ang]: [V3; 2]) -> [f64; MOST_ROWS] {
    let [n, t1, t2] = point.frame();
    [n.dot(lin), t1.dot(lin), t2.dot(lin), n.dot(ang), t1.dot(ang), t2.dot(ang)]
}

/// The angle by which a contact point has gone round surfaces of these radii while the bodies moved between two sets of poses: the larger of both.
fn turned(from: &[Pose], to: &[Pose], [before, after]: [&ContactPoint; 2], radii: [f64; 2]) -> f64 {
    let round = |(body, radius): (BodyId, f64)| {
        let carried = to[body.index()].point(from[body.index()].inverse().point(before.position));
        let moved = after.position - carried;
        // at right angles to the normal: bodies that are carried on along their velocities open or close by more than a small radius
        (moved - before.normal * before.normal.dot(moved)).norm() / radius
    };
    before.bodies.into_iter().zip(radii).map(round).fold(0.0, f64::max)
}

pub(super) fn fastest(v: &[f64]) -> f64 {
    v.iter().fold(0.0f64, |most, v| most.max(v.abs()))
}

impl Contacts<'_> {
    pub(super) fn any_resting(&self) -> bool {
        !self.resting_contacts.list.is_empty()
    }

    /// Sets the offsets of the listed contacts at the current poses: the gap of a pair with a margin is not that of its surfaces.
    pub(super) fn find_offsets(&mut self) -> Result<(), String> {
        let Contacts { source, poses, resting_contacts, .. } = self;
        resting_contacts.poses.clone_from(poses);
        resting_contacts.pairs.clear();
        resting_contacts.pairs.extend(resting_contacts.list.iter().map(|one| one.point.key.geoms));
        resting_contacts.pairs.dedup();
        let outcome = source.points(poses, &resting_contacts.pairs, MARGINS[1], &mut resting_contacts.found);
        for one in &mut resting_contacts.list {
            let found = resting_contacts.found.iter().filter(|p| is_same(&one.point.key, &p.key));
            let near = |p: &&ContactPoint| (p.position - one.point.position).norm();
            one.offset =
                found.min_by(|p, q| near(p).total_cmp(&near(q))).map_or(0.0, |p| one.point.gap - p.gap);
        }
        outcome
    }

    /// Finds the point of each resting contact at the current poses, reached from `from`. If its features no longer touch, returns the same
    /// point of its second body, the same normal of its first, and false.
    fn locate(
        &mut self,
        from: &[Pose],
        mut visit: impl FnMut(&mut RestingContact, ContactPoint, bool),
    ) -> Result<(), String> {
        let Contacts { source, poses, resting_contacts, .. } = self;
        let RestingContacts { list, pairs, found, .. } = resting_contacts;
        pairs.clear();
        pairs.extend(list.iter().map(|one| one.point.key.geoms));
        pairs.dedup();
        let mut missing = true;
        for margin in MARGINS {
            source.points(poses, pairs, margin, found)?;
            let known = |one: &RestingContact| found.iter().any(|p| is_same(&one.point.key, &p.key));
            missing = !list.iter().all(known);
            if !missing {
                break;
            }
        }
        for one in list.iter_mut() {
            let [a, b] = one.point.bodies.map(|b| b.index());
            let carried = poses[b].point(from[b].inverse().point(one.point.position));
            let same = found.iter().filter(|p| is_same(&one.point.key, &p.key));
            let near = |p: &&ContactPoint| (p.position - carried).norm();
            let nearest = same.min_by(|p, q| near(p).total_cmp(&near(q)));
            let point = match nearest {
                Some(p) => ContactPoint {
                    position: p.position,
                    normal: p.normal,
                    gap: p.gap + one.offset,
                    ..one.point
                },
                None => {
                    let normal = poses[a].rot * (from[a].rot.transpose() * one.point.normal);
                    ContactPoint { position: carried, normal, ..one.point }
                }
            };
            visit(one, point, missing && nearest.is_none());
        }
        Ok(())
    }
}

/// True for equal features of the same geoms; ordinals depend on positions.
pub(super) fn is_same(a: &ContactKey, b: &ContactKey) -> bool {
    a.geoms == b.geoms && a.features == b.features
}

impl System<'_> {
    /// True if contacts rest in the current motion.
    pub(super) fn any_resting(&self) -> bool {
        self.contacts.as_ref().is_some_and(|c| c.any_resting())
    }

    /// True for the final state of the last step.
    pub(super) fn is_where_left(&self, state: &State) -> bool {
        self.contacts.as_ref().is_some_and(|c| c.left.q == state.q && c.left.v == state.v)
    }

    /// Poses and velocities of all bodies at (q, v).
    fn move_bodies(&mut self, contacts: &mut Contacts, q: &[f64], v: &[f64]) {
        let (model, ws) = (&self.model, &mut self.workspace);
        ws.move_to(model, q, v);
        ws.body_motions(model, &mut contacts.poses, &mut contacts.resting_contacts.motions);
        contacts.placed_at.clear();
        contacts.placed_at.extend_from_slice(q);
    }

    /// Computes positions, velocities and optionally J̇ v of the resting contacts at (q, v).
    pub(super) fn place_resting(&mut self, contacts: &mut Contacts, q: &[f64], v: &[f64], with_bias: bool) {
        let from = std::mem::take(&mut contacts.resting_contacts.poses);
        let mut own = from;
        if own.is_empty() {
            own.extend_from_slice(&contacts.poses);
        }
        self.move_bodies(contacts, q, v);
        if own.len() != contacts.poses.len() {
            own.clone_from(&contacts.poses);
        }
        let motions = std::mem::take(&mut contacts.resting_contacts.motions);
        let poses = contacts.poses.clone();
        let outcome = contacts.locate(&own, |one, point, lost| {
            (one.point, one.lost) = (point, lost);
            one.velocity = rows(&point, apart(&poses, &motions, &point));
            one.bias = [0.0; MOST_ROWS];
            one.direct();
        });
        contacts.failed = contacts.failed.take().or(outcome.err());
        contacts.resting_contacts.motions = motions;
        own.clone_from(&contacts.poses);
        contacts.resting_contacts.poses = own;
        if with_bias {
            self.find_biases(contacts, q, v);
        }
    }

    fn find_biases(&mut self, contacts: &mut Contacts, q: &[f64], v: &[f64]) {
        let Contacts { source, resting_contacts, .. } = &*contacts;
        let rate = resting_contacts.list.iter().fold(0.0f64, |most, one| {
            let of = |b: &BodyId| resting_contacts.motions[b.index()];
            let turns = one
                .point
                .bodies
                .iter()
                .fold(0.0f64, |most, b| most.max(of(b).ang.norm()).max(of(b).lin.norm()));
            let slides = one.velocity[..3].iter().fold(0.0f64, |most, u| most.max(u.abs()));
            most.max(turns).max(slides / source.roundness(one.point.key.geoms))
        });
        if !(rate > 0.0 && rate.is_finite()) {
            return;
        }
        let mut step = STRIDE / rate.max(1.0);
        let here = std::mem::take(&mut contacts.resting_contacts.poses);
        let mut displaced = std::mem::take(&mut contacts.resting_contacts.displaced);
        let mut at = 0;
        while let Some((along, weight)) = WEIGHTS.get(at) {
            displaced.clear();
            displaced.extend_from_slice(q);
            self.model.integrate(&mut displaced, v, along * step);
            self.move_bodies(contacts, &displaced, v);
            let motions = std::mem::take(&mut contacts.resting_contacts.motions);
            let poses = contacts.poses.clone();
            let Contacts { source, resting_contacts, .. } = &*contacts;
            let radius =
                |one: &RestingContact| one.point.key.geoms.map(|geom| 0.5 * source.roundness([geom, geom]));
            let radii: Vec<[f64; 2]> = resting_contacts.list.iter().map(radius).collect();
            let (mut radii, mut moved) = (radii.into_iter(), 0.0f64);
            let outcome = contacts.locate(&here, |one, point, lost| {
                let [lin, ang] = apart(&poses, &motions, &point);
                let [n, t1, t2] = one.point.frame();
                let all =
                    [point.normal.dot(lin), t1.dot(lin), t2.dot(lin), n.dot(ang), t1.dot(ang), t2.dot(ang)];
                one.bias.iter_mut().zip(all).for_each(|(bias, u)| *bias += weight / step * u);
                if let Some(radii) = radii.next().filter(|_| at == 0 && !lost) {
                    moved = moved.max(turned(&here, &poses, [&one.point, &point], radii));
                }
            });
            contacts.failed = contacts.failed.take().or(outcome.err());
            contacts.resting_contacts.motions = motions;
            // the point may run round an edge much faster than the body turns, as on a coin that settles: begin again with shorter strides
            let stride = moved / along.abs();
            if stride > 2.0 * STRIDE && stride.is_finite() {
                step *= STRIDE / stride;
                contacts.resting_contacts.list.iter_mut().for_each(|one| one.bias = [0.0; MOST_ROWS]);
            } else {
                at += 1;
            }
        }
        contacts.resting_contacts.displaced = displaced;
        contacts.poses.clone_from(&here);
        contacts.placed_at.clear();
        contacts.resting_contacts.poses = here;
    }

    /// Adds the forces of resting contacts to τ, which contains all others.
    pub(super) fn add_rest_forces(&mut self, state: &State, tau: &mut [f64]) {
        if !self.any_resting() {
            return;
        }
        let Some(mut contacts) = self.contacts.take() else { return };
        self.place_resting(&mut contacts, &state.q, &state.v, true);
        let RestingContacts { list, problem, .. } = &mut contacts.resting_contacts;
        let (model, ws) = (&self.model, &mut self.workspace);
        if let Some(multipliers) = &mut self.multipliers {
            multipliers.rest_forces(model, ws, (&state.q, &state.v), list, self.stabilisation, problem, tau);
        }
        contacts.resting_contacts.push = contacts.resting_contacts.problem.largest_push();
        self.contacts = Some(contacts);
    }

    /// For each degree of freedom, the round-off of accelerations under contact forces, from the last solve; empty if nothing rests.
    pub(super) fn rest_noise(&self) -> &[f64] {
        self.contacts
            .as_ref()
            .filter(|c| c.any_resting())
            .map_or(&[][..], |c| &c.resting_contacts.problem.noise[..])
    }

    /// True if everything rests on something and remains so for a time h: velocities and accelerations, a at the state, are zero up to
    /// round-off, and no force depends on time.
    pub(super) fn is_still(&self, state: &State, a: &[f64], h: f64) -> bool {
        let noise = self.rest_noise();
        let quiet = |((v, a), noise): ((&f64, &f64), &f64)| v.abs() <= noise * h && a.abs() <= *noise;
        noise.len() == a.len()
            && self.elements.iter().all(|element| element.is_steady())
            && state.v.iter().zip(a).zip(noise).all(quiet)
    }

    /// The powers of normal forces and of friction of contacts, from the last solve.
    pub(super) fn rest_power(&self) -> [f64; 2] {
        let Some(contacts) = &self.contacts else { return [0.0; 2] };
        let (mut normal, mut friction, mut row) = (0.0, 0.0, 0);
        for one in &contacts.resting_contacts.list {
            let f = &contacts.resting_contacts.problem.force[row..row + one.resting.rows()];
            normal += f[0] * one.velocity[0];
            friction += f[1..].iter().zip(&one.velocity[1..]).map(|(f, u)| f * u).sum::<f64>();
            row += f.len();
        }
        [normal, friction]
    }

    /// Moves positions and velocities that have drifted back onto the resting contacts.
    pub(super) fn settle_resting(&mut self, state: &mut State) {
        if !self.any_resting() || self.stabilisation != Stabilisation::Projection {
            return;
        }
        let Some(mut contacts) = self.contacts.take() else { return };
        let Some(mut multipliers) = self.multipliers.take() else { return };
        for _ in 0..4 {
            self.place_resting(&mut contacts, &state.q, &state.v, false);
            let RestingContacts { list, problem, .. } = &mut contacts.resting_contacts;
            if list.iter().all(|one| one.point.gap.abs() <= CLOSED || one.lost) {
                break;
            }
            multipliers.rest_positions(&self.model, &mut self.workspace, &mut state.q, list, problem);
        }
        self.place_resting(&mut contacts, &state.q, &state.v, false);
        let RestingContacts { list, problem, .. } = &mut contacts.resting_contacts;
        multipliers.rest_velocities(&self.model, &mut self.workspace, &state.q, &mut state.v, list, problem);
        (self.multipliers, self.contacts) = (Some(multipliers), Some(contacts));
    }

    /// The time at which bodies that are fast enough to tunnel first touch on the way between two states.
    pub(super) fn passes_through(
        &mut self,
        from: &State,
        to: &State,
        h: f64,
    ) -> Result<Option<f64>, StepError> {
        let Some(mut contacts) = self.contacts.take() else { return Ok(None) };
        copy(&mut contacts.begun, from);
        self.contacts = Some(contacts);
        // resting contacts have events of their own
        let touch = self.first_touch(to, h, f64::INFINITY)?;
        // slightly later, so that they penetrate there
        Ok(touch.map(|touch| (1e-3f64.mul_add(h, touch.time)).min(h)))
    }

    /// Records the impulses of contacts over a part of a step of length h, given their forces at its ends.
    pub(super) fn report_resting(&mut self, from: &[ContactResult], to: &[ContactResult], h: f64) {
        let report = &mut self.report;
        (report.parts, report.last_part) = (report.parts + 1, report.contacts.len());
        report.contacts.iter_mut().for_each(|one| one.pushes = false);
        for (a, b) in from.iter().zip(to) {
            let (impulse, moment) = ((a.impulse + b.impulse) * (0.5 * h), (a.moment + b.moment) * (0.5 * h));
            report.contacts.push(ContactResult::pushed(
                b.point,
                impulse,
                moment,
                [a.velocity[0], b.velocity[1]],
            ));
            report.penetration = report.penetration.max(-b.point.gap);
        }
    }

    /// The resting contacts at the last solved state: force and moment on the second body, and velocity.
    pub(super) fn read_resting(&self, out: &mut Vec<ContactResult>) {
        out.clear();
        let Some(contacts) = &self.contacts else { return };
        let mut row = 0;
        for one in &contacts.resting_contacts.list {
            let count = one.resting.rows();
            let (impulse, moment) =
                one.point.in_world(&contacts.resting_contacts.problem.force[row..row + count]);
            let velocity = one.point.in_world(&one.velocity[..count.max(3)]).0;
            row += count;
            out.push(ContactResult::pushed(one.point, impulse, moment, [velocity; 2]));
        }
    }
}

impl RestingContact {
    /// The direction of friction at the current velocity: opposite to it, and continuous with the previous slip.
    fn direct(&mut self) {
        let one = &mut self.resting;
        if one.mode != Mode::Slide || one.count == 0 {
            return;
        }
        let reference = rows(&self.point, self.slip);
        let (mut forward, mut speed) = (0.0, 0.0f64);
        for k in 0..one.count {
            let weight = one.friction[k] * one.friction[k];
            forward += weight * self.velocity[1 + k] * reference[1 + k];
            speed = speed.max(one.friction[k].min(1.0) * self.velocity[1 + k].abs());
        }
        let mut slip = reference;
        if speed > self.directed.max(DIRECTED) {
            slip = self.velocity.map(|u| if forward < 0.0 { -u } else { u });
            one.slides = true;
        }
        if let Some(along) = one.against(&slip[1..]) {
            one.along = along;
        }
    }

    /// True if it mainly rolls or spins.
    pub(super) fn rolls(&self) -> bool {
        let speed = |k: usize| self.resting.friction[k].min(1.0) * self.velocity[1 + k].abs();
        let of = |rows: std::ops::Range<usize>| rows.map(speed).fold(0.0, f64::max);
        let slides = self.resting.count.min(2);
        of(slides..self.resting.count) > of(0..slides)
    }

    /// The slip speed along the direction of slip at the start of the current motion.
    pub(super) fn along_slip(&self) -> f64 {
        let reference = rows(&self.point, self.slip);
        let along = self.resting.against(&reference[1..]).unwrap_or_default();
        let most = self.resting.roughest().max(1e-300);
        let dot = (0..self.resting.count).fold(0.0, |sum, k| along[k].mul_add(self.velocity[1 + k], sum));
        -dot / most
    }
}
