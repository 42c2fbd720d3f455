//! Continuous collision detection in a step: bodies are swept along their paths, and collide at their time of impact.
//!
//! A step is tried as if nothing that rebounds, or is fast enough to tunnel through another body, were in the way. The first touch between
//! its start and its end is found by conservative advancement along screw motions, and its time is corrected by Newton's method on the gap
//! at the end of a shorter step of the integrator itself: `t ← t − g/ġ`. There the [impulses of the
//! collision](crate::constraint::Collision) are applied, and the rest of the step continues from there.
//!
//! A step may resolve a contact and still tunnel through a body: the rows of its midpoint may be those of the far side, and a body that
//! turns about one contact may come down on another. So all pairs that move by more than their thickness are swept. Pairs that the step has
//! resolved may penetrate a little; if they penetrate by more, the step ends at their first touch or, if they touched from the start, when
//! the allowed penetration is reached.
//!
//! The end poses determine the path only for small rotations: a rotation by more than half a turn looks like a smaller one the other way,
//! and links of a chain do not move along screws. So a part ends before a link has turned by a fifth of a radian.

use super::report::Mark;
use super::{Integrator, MemoryReader, StepError, Stepping, System, copy};
use crate::algebra::V3;
use crate::constraint::{FirstTouch, SweepRule};
use crate::contact::Certificate;
use crate::dynamics::State;
use crate::model::GeomId;

/// The time of an impact is found by repeating the step up to there, some `TRIALS` times, and each repetition costs the square of the number
/// of contacts for each product or factorisation that its solver needs. If the impacts of a step would cost more than `WORK`, or are more
/// than `MOST`, those that remain are resolved at its end.
const MOST: usize = 64;
const TRIALS: u64 = 6;
const WORK: u64 = 5_000_000;
/// So many sweeps cost as much as a factorisation.
const SWEEPS: usize = 8;
/// After this many parts the rest of a step is made without sweeps.
const MOST_PARTS: usize = 512;
/// Bodies that lie on one another have a few contacts each. Where there are so many for each body, and so many in all, they are inside one another:
/// every part of a step is expensive, and their number and that of collisions are limited to these.
const CROWD: usize = 40;
const LEAST_CROWD: usize = 2000;
const MOST_IN_CROWD: usize = 2;
const MOST_PARTS_IN_CROWD: usize = 4;
/// Metres: the gap at which a collision takes place.
const TOUCHES: f64 = 1e-13;
const CORRECTIONS: usize = 16;
/// A part of a step is shortened at most this often; in a shorter part, other pairs may touch earlier.
const CUTS: usize = 8;
/// The largest rotation of nearby bodies in the part after a collision, in radians.
const TURN: f64 = 0.5;
/// The allowed penetration of resolved pairs, relative to their thickness; `SOFT_OVERLAP` for soft contacts.
const OVERLAP: f64 = 0.1;
const SOFT_OVERLAP: f64 = 0.5;

/// The result of a sweep over a part of a step.
enum SweepOutcome {
    /// No relevant touch.
    Free,
    /// A touch after this time.
    Touch(f64),
    /// A near miss that the end poses cannot decide.
    Near,
}

impl System<'_> {
    /// Takes one step as [`Integrator::step`] does, with collisions at their own time. Activations are not changed.
    pub fn advance(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        let outcome = self.advance_with_contacts(integrator, state, dt);
        self.report.join_contacts();
        outcome
    }

    fn advance_with_contacts(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        if integrator.stepping() == Stepping::Events {
            return integrator.step(self, state, dt);
        }
        if self.contacts.as_ref().is_some_and(|c| c.pile.is_some()) {
            self.begin_step();
            if self.pile_step(state, dt)? {
                return Ok(());
            }
        }
        if !self.contact_settings().is_some_and(|settings| settings.swept) {
            return integrator.step(self, state, dt);
        }
        let time = state.time;
        if let Some(contacts) = &mut self.contacts {
            copy(&mut contacts.start, state);
        }
        if let Some(t) = self.multipliers.as_mut().and_then(|h| h.touching.as_mut()) {
            t.whole_step = dt;
        }
        self.begin_step();
        let outcome =
            self.collide_at_start(state).and_then(|()| self.advance_in_parts(integrator, state, dt));
        self.sweep(false, true);
        if let Some(contacts) = &mut self.contacts {
            contacts.in_parts = false;
            if outcome.is_ok() {
                state.time = time + dt;
                copy(&mut contacts.left, state);
            } else {
                copy(state, &contacts.start);
            }
        }
        outcome
    }

    /// Enables or disables sweeps, and collisions at their own time for bodies that are not fast.
    fn sweep(&mut self, on: bool, timed: bool) {
        if let Some(t) = self.multipliers.as_mut().and_then(|h| h.touching.as_mut()) {
            (t.sweeping, t.timed) = (on, timed);
        }
    }

    /// The cost of the part of a step that was solved last, as in [`WORK`].
    fn cost(&self) -> u64 {
        let Some(t) = self.multipliers.as_ref().and_then(|h| h.touching.as_ref()) else { return 0 };
        let solve = |c: &Certificate| c.newton_steps + c.interior_steps + c.sweeps / SWEEPS;
        (t.list.len() as u64).pow(2) * (1 + t.certificate.as_ref().map_or(0, solve)) as u64
    }

    /// How many pairs were left to the sweep and will rebound, if at their own times, in the part of a step that was solved last.
    fn rebounds_ahead(&self) -> usize {
        let touching = self.multipliers.as_ref().and_then(|h| h.touching.as_ref());
        touching.filter(|t| t.timed).map_or(0, |t| t.will_rebound())
    }

    /// Resolves collisions of an initial state that no step has produced.
    fn collide_at_start(&mut self, state: &mut State) -> Result<(), StepError> {
        let known = self.contacts.as_ref().is_some_and(|c| c.left.q == state.q && c.left.v == state.v);
        if known { Ok(()) } else { self.collide(state) }
    }

    fn advance_in_parts(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        let (begun, mut done, mut reach, mut collisions) = (state.time, 0.0, dt, 0);
        let (mut timed, mut spent) = (true, 0);
        for part in 0.. {
            let left = dt - done;
            if part > 0 {
                self.go_on(begun)?;
            }
            let (most, most_parts) =
                if self.is_crowd() { (MOST_IN_CROWD, MOST_PARTS_IN_CROWD) } else { (MOST, MOST_PARTS) };
            timed &= collisions < most;
            self.sweep(part < most_parts, timed);
            self.report.crowded |= part >= most_parts || !timed;
            let mark = self.report.mark();
            self.keep(integrator, state);
            self.in_parts(true);
            if part >= most_parts {
                return integrator.step(self, state, left);
            }
            let turns;
            (reach, turns) = self.time_to_be_followed(state, reach.min(left));
            self.report.turned |= turns && integrator.order() == 1;
            integrator.step(self, state, reach)?;
            let (ahead, cost) = (self.rebounds_ahead(), self.cost());
            if ahead > 0 && (collisions + ahead > most || spent + ahead as u64 * TRIALS * cost > WORK) {
                timed = false;
                self.put_back(integrator, state);
                self.report.back_to(mark);
                continue;
            }
            // bodies that collide or are held within a part may turn faster at its end
            let followed = self.time_to_be_followed(state, reach).0 >= 0.5 * reach;
            let outcome = if followed {
                self.end_at_touch(integrator, state, reach, mark)?
            } else {
                SweepOutcome::Near
            };
            match outcome {
                SweepOutcome::Free if reach >= left => return Ok(()),
                SweepOutcome::Free => {
                    done += reach;
                    // the end poses determine the path as long as nearby bodies do not turn far
                    let near = self.multipliers.as_ref().is_some_and(|h| h.any_contact());
                    reach *= if near { 1.0 } else { 2.0 };
                }
                SweepOutcome::Touch(t) => {
                    self.collide(state)?;
                    (collisions, spent) = (collisions + 1, spent + TRIALS * cost);
                    (done, reach) = (done + t, self.time_to_turn(state));
                }
                // they only came near, on a path too long for its end poses to decide
                SweepOutcome::Near => {
                    self.put_back(integrator, state);
                    self.report.back_to(mark);
                    reach *= 0.5;
                }
            }
            state.time = begun + done;
            if done >= dt {
                return Ok(());
            }
        }
        Ok(())
    }

    /// True where bodies that were looked at last are inside one another in great numbers.
    fn is_crowd(&self) -> bool {
        let touching = self.multipliers.as_ref().and_then(|h| h.touching.as_ref());
        let count = touching.map_or(0, |t| t.list.len());
        count >= LEAST_CROWD && count >= CROWD * self.model.bodies().len()
    }

    /// The time in which bodies that touch turn by no more than [`TURN`], s.
    fn time_to_turn(&mut self, state: &State) -> f64 {
        let (model, ws) = (&self.model, &mut self.workspace);
        ws.move_to(model, &state.q, &state.v);
        let touching = self.multipliers.as_ref().and_then(|h| h.touching.as_ref());
        let bodies = touching.into_iter().flat_map(|t| &t.list).flat_map(|point| point.bodies);
        let fastest = bodies.fold(0.0f64, |most, body| most.max(ws.body_velocity(model, body).ang.norm()));
        TURN / fastest
    }

    /// Sweeps the part of a step that has led to `state`; if it finds a touch, repeats the part up to there.
    fn end_at_touch(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        length: f64,
        mark: Mark,
    ) -> Result<SweepOutcome, StepError> {
        let mut outcome = SweepOutcome::Free;
        let mut until = length;
        for cut in 0..CUTS {
            let overlap = if cut == 0 { OVERLAP } else { 2.0 * OVERLAP };
            let Some(touch) = self.first_touch(state, until, overlap)? else { break };
            let at = touch.time.min(until);
            if touch.touching && cut > 0 && at > 0.99 * until {
                break; // it penetrates at the end of the part
            }
            if touch.touching {
                self.again(integrator, state, at, mark)?;
                until = at;
            } else {
                self.leave_out(Some(touch.geoms));
                match self.go_to_touch(integrator, state, (at, until), touch.geoms, mark)? {
                    Some(t) => until = t,
                    None => {
                        outcome = SweepOutcome::Near;
                        break;
                    }
                }
            }
            outcome = SweepOutcome::Touch(until);
        }
        self.leave_out(None);
        Ok(outcome)
    }

    /// Repeats the current part of a step with another length.
    fn again(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        t: f64,
        mark: Mark,
    ) -> Result<(), StepError> {
        self.put_back(integrator, state);
        self.report.back_to(mark);
        if t > 0.0 { integrator.step(self, state, t) } else { Ok(()) }
    }

    /// Steps to the touch of two geoms, at about t of `left`; returns its time, or `None` if they do not touch.
    fn go_to_touch(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        (mut t, left): (f64, f64),
        geoms: [GeomId; 2],
        mark: Mark,
    ) -> Result<Option<f64>, StepError> {
        self.again(integrator, state, 0.0, mark)?;
        let Some((_, _, side)) = self.gap_between(state, geoms)? else { return Ok(None) };
        let (mut lower, mut upper, mut beyond) = (0.0, left, false);
        for _ in 0..CORRECTIONS {
            self.again(integrator, state, t, mark)?;
            let Some((gap, rate, normal)) = self.gap_between(state, geoms)? else { return Ok(None) };
            if gap.abs() <= TOUCHES {
                break;
            }
            // apart, but on the other side
            let passed = gap > 0.0 && normal.dot(side) < 0.0;
            if gap > 0.0 && !passed {
                lower = t
            } else {
                (upper, beyond) = (t, true)
            }
            let newton = if rate < 0.0 && !passed { t - gap / rate } else { f64::INFINITY };
            if newton >= left && !beyond {
                return Ok(None);
            }
            let next = if newton > lower && newton < upper { newton } else { 0.5 * (lower + upper) };
            if (next - t).abs() <= f64::EPSILON * left {
                break;
            }
            t = next;
        }
        Ok(Some(t))
    }

    /// Excludes two geoms whose time of impact is being searched for from the contacts of the step; `None` clears the list.
    fn leave_out(&mut self, geoms: Option<[GeomId; 2]>) {
        let Some(t) = self.multipliers.as_mut().and_then(|h| h.touching.as_mut()) else { return };
        match geoms {
            Some(geoms) => t.followed.push(geoms),
            None => t.followed.clear(),
        }
    }

    fn in_parts(&mut self, on: bool) {
        self.contacts.iter_mut().for_each(|c| c.in_parts = on);
    }

    /// Saves the state and memory that a part of a step changes.
    fn keep(&mut self, integrator: &dyn Integrator, state: &State) {
        let Some(mut contacts) = self.contacts.take() else { return };
        contacts.memory.clear();
        integrator.memory(&mut contacts.memory);
        self.memory(&mut contacts.memory);
        copy(&mut contacts.begun, state);
        self.contacts = Some(contacts);
    }

    /// Restores them.
    fn put_back(&mut self, integrator: &mut dyn Integrator, state: &mut State) {
        let Some(contacts) = self.contacts.take() else { return };
        let mut from = MemoryReader::of(&contacts.memory);
        integrator.restore_memory(&mut from);
        self.restore_memory(&mut from);
        copy(state, &contacts.begun);
        self.contacts = Some(contacts);
    }

    /// True if two geoms touch that are fast enough to have tunnelled, and were not resolved by the step.
    pub(super) fn touches_on_the_way(&mut self, state: &State, h: f64) -> Result<bool, StepError> {
        let swept = self.contact_settings().is_some_and(|settings| settings.swept);
        Ok(swept && self.first_touch(state, h, SOFT_OVERLAP)?.is_some())
    }

    /// The first touch on the way to `state` of pairs that the step has not resolved, or that penetrate by more than `overlap` of their
    /// thickness.
    pub(super) fn first_touch(
        &mut self,
        state: &State,
        h: f64,
        overlap: f64,
    ) -> Result<Option<FirstTouch>, StepError> {
        self.move_bodies_to(&state.q, &state.v);
        let Some(mut contacts) = self.contacts.take() else { return Ok(None) };
        if contacts.placed_at != contacts.begun.q {
            let (model, ws) = (&self.model, &mut self.workspace);
            ws.poses(model, &contacts.begun.q);
            ws.body_poses(model, &mut contacts.poses);
            contacts.placed_at.clone_from(&contacts.begun.q);
        }
        let touching = self.multipliers.as_ref().and_then(|h| h.touching.as_ref());
        let always = touching.is_some_and(|t| t.deferred > 0);
        let how = |geoms: [GeomId; 2]| {
            let mut how = SweepRule { always: false, held: false, overlap };
            let Some(t) = touching else { return Some(how) };
            if t.followed.contains(&geoms) {
                return None;
            }
            // sorted by key
            let from = t.touched.partition_point(|one| one.point.key.geoms < geoms);
            for one in t.touched[from..].iter().take_while(|one| one.point.key.geoms == geoms) {
                how.always |= one.deferred;
                how.held |= one.held;
                if one.point.surface.softness.is_some() {
                    how.overlap = overlap.max(SOFT_OVERLAP);
                }
            }
            how.held &= !how.always;
            Some(how)
        };
        let found = contacts.source.first_touch(&contacts.poses, &contacts.moved.poses, h, always, &how);
        self.contacts = Some(contacts);
        found.map_err(|why| StepError::Contact { time: state.time, dt: h, why })
    }

    /// The gap between two geoms at a state, its rate, and the normal.
    fn gap_between(
        &mut self,
        state: &State,
        geoms: [GeomId; 2],
    ) -> Result<Option<(f64, f64, V3)>, StepError> {
        let Some(contacts) = &mut self.contacts else { return Ok(None) };
        let (model, ws) = (&self.model, &mut self.workspace);
        ws.move_to(model, &state.q, &state.v);
        ws.body_poses(model, &mut contacts.there);
        let found = contacts.source.closest(&contacts.there, geoms);
        let found = found.map_err(|why| StepError::Contact { time: state.time, dt: 0.0, why })?;
        Ok(found.map(|point| {
            let velocity = |k: usize| {
                let body = point.bodies[k];
                let origin = ws.body_pose(model, body).pos;
                ws.body_velocity(model, body).at(point.position - origin).lin
            };
            (point.gap, point.normal.dot(velocity(1) - velocity(0)), point.normal)
        }))
    }

    /// Applies collision impulses to all pairs that touch and approach at a state.
    pub(super) fn collide(&mut self, state: &mut State) -> Result<(), StepError> {
        self.find_contacts(&state.q, &state.v, 0.0, 0.0);
        if let Some(why) = self.contact_failure(state.time, 0.0) {
            return Err(why);
        }
        let momentum = self.path.is_some().then(|| self.at(state).momentum());
        let Some(multipliers) = self.multipliers.as_mut().filter(|h| h.any_contact()) else { return Ok(()) };
        let (model, ws) = (&self.model, &mut self.workspace);
        let begun = self.report.collisions.len();
        let collisions = &mut self.report.collisions;
        let (given, works) = multipliers.collide(model, ws, &state.q, &mut state.v, state.time, collisions);
        self.note_impulse_since(momentum, state);
        self.report.limit_work += given.limits;
        self.report.note_contact(works);
        self.note_impacts_from(begun);
        self.report_contacts();
        let failed =
            self.multipliers.as_mut().and_then(|h| h.touching.as_mut()).and_then(|t| t.failed.take());
        match failed {
            Some(why) => Err(StepError::Contact { time: state.time, dt: 0.0, why: why.to_string() }),
            None => Ok(()),
        }
    }
}
