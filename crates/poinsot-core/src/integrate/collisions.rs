//! A step through collisions: bodies are followed on their way, and what collides does so at its time.
//!
//! A step is tried as if nothing that rebounds, or is fast enough to pass through another body, were in the way. The
//! first touch on the way from its beginning to its end is found by conservative advancement along screw motions, and its time corrected by
//! Newton's method on the gap at the end of a shorter step of the integrator itself: `t ← t − g/ġ`. There the state takes
//! the [impulses of the collision](crate::constraint::Collision), and the rest of the step is made from there.

use super::report::Mark;
use super::{Integrator, Recall, StepError, Stepping, System, copy};
use crate::dynamics::State;
use crate::model::GeomId;

/// After so many collisions in one step the rest of it is made without following bodies.
const MOST: usize = 64;
/// Metres: the gap at which a collision takes place.
const TOUCHES: f64 = 1e-13;
const CORRECTIONS: usize = 16;

impl System<'_> {
    /// One step as [`Integrator::step`] makes it, collisions being at their time. Activations are left as they are.
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
        if let Some(t) = self.held.as_mut().and_then(|h| h.touching.as_mut()) {
            t.whole_step = dt;
        }
        self.begin_step();
        let outcome =
            self.collide_at_start(state).and_then(|()| self.advance_in_parts(integrator, state, dt));
        self.sweep(false);
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

    fn sweep(&mut self, on: bool) {
        if let Some(t) = self.held.as_mut().and_then(|h| h.touching.as_mut()) {
            t.sweeping = on;
        }
    }

    /// What touches and approaches in a state that no step has led to collides at once.
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
        let (begun, mut done) = (state.time, 0.0);
        self.contacts.iter_mut().for_each(|c| c.missed.clear());
        for part in 0.. {
            let left = dt - done;
            if part > 0 {
                self.go_on(begun)?;
            }
            self.sweep(part < MOST);
            self.report.crowded |= part == MOST;
            let mark = self.report.mark();
            self.keep(integrator, state);
            self.in_parts(true);
            integrator.step(self, state, left)?;
            if part >= MOST {
                return Ok(());
            }
            let Some((first, geoms)) = self.first_touch(state, left)? else { return Ok(()) };
            let Some(t) = self.go_to_touch(integrator, state, (first.min(left), left), geoms, mark)? else {
                // they only came near: once more, and never mind them
                self.put_back(integrator, state);
                self.report.back_to(mark);
                self.contacts.iter_mut().for_each(|c| c.missed.push(geoms));
                continue;
            };
            self.collide(state)?;
            done += t;
            state.time = begun + done;
            if done >= dt {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Steps to the touch of two geoms, at about t of what is `left`; its time, or nothing where they do not touch.
    fn go_to_touch(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        (mut t, left): (f64, f64),
        geoms: [GeomId; 2],
        mark: Mark,
    ) -> Result<Option<f64>, StepError> {
        let (mut lower, mut upper, mut beyond) = (0.0, left, false);
        for correction in 0..CORRECTIONS {
            self.put_back(integrator, state);
            self.report.back_to(mark);
            if t > 0.0 {
                integrator.step(self, state, t)?;
            }
            let Some((gap, rate)) = self.gap_between(state, geoms)? else { return Ok(None) };
            if gap.abs() <= TOUCHES || correction + 1 == CORRECTIONS {
                break;
            }
            if gap > 0.0 {
                lower = t
            } else {
                (upper, beyond) = (t, true)
            }
            let newton = if rate < 0.0 { t - gap / rate } else { f64::INFINITY };
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

    fn in_parts(&mut self, on: bool) {
        self.contacts.iter_mut().for_each(|c| c.in_parts = on);
    }

    /// Keeps what a part of a step changes.
    fn keep(&mut self, integrator: &dyn Integrator, state: &State) {
        let Some(mut contacts) = self.contacts.take() else { return };
        contacts.memory.clear();
        integrator.memory(&mut contacts.memory);
        self.memory(&mut contacts.memory);
        copy(&mut contacts.begun, state);
        self.contacts = Some(contacts);
    }

    /// Puts it back.
    fn put_back(&mut self, integrator: &mut dyn Integrator, state: &mut State) {
        let Some(contacts) = self.contacts.take() else { return };
        let mut from = Recall::of(&contacts.memory);
        integrator.recall(&mut from);
        self.recall(&mut from);
        copy(state, &contacts.begun);
        self.contacts = Some(contacts);
    }

    /// True where two geoms that the step does not hold are fast enough to have passed through one another, and touch.
    pub(super) fn touches_on_the_way(&mut self, state: &State, h: f64) -> Result<bool, StepError> {
        let swept = self.contact_settings().is_some_and(|settings| settings.swept);
        Ok(swept && self.first_touch(state, h)?.is_some())
    }

    /// The first touch, of pairs that the step has not held, on the way to `state`, and its time.
    pub(super) fn first_touch(
        &mut self,
        state: &State,
        h: f64,
    ) -> Result<Option<(f64, [GeomId; 2])>, StepError> {
        let Some(mut contacts) = self.contacts.take() else { return Ok(None) };
        let (model, ws) = (&self.model, &mut self.workspace);
        let mut poses = |state: &State, out: &mut Vec<_>| {
            ws.poses(model, &state.q);
            out.clear();
            out.extend(model.body_ids().map(|body| ws.body_pose(model, body)));
        };
        poses(&contacts.begun, &mut contacts.poses);
        poses(state, &mut contacts.there);
        let touching = self.held.as_ref().and_then(|h| h.touching.as_ref());
        let flying = touching.map_or(0, |t| t.flying);
        let moved = (contacts.poses.iter().zip(&contacts.there))
            .fold(0.0f64, |most, (a, b)| most.max((b.pos - a.pos).norm()));
        let mut found = Ok(None);
        if flying > 0 || moved > contacts.source.thinnest() {
            let missed = &contacts.missed;
            let look = |geoms: [GeomId; 2]| {
                if missed.contains(&geoms) {
                    return Some(false);
                }
                // sorted by key
                let touched = &touching?.touched;
                let from = touched.partition_point(|one| one.point.key.geoms < geoms);
                let own = touched[from..].iter().take_while(|one| one.point.key.geoms == geoms);
                own.fold(None, |look, one| {
                    let now = if one.flies { Some(true) } else { one.held.then_some(false) };
                    // a pair with one contact that flies is looked at
                    if look == Some(true) { look } else { now.or(look) }
                })
            };
            found = contacts.source.first_touch(&contacts.poses, &contacts.there, h, &look);
        }
        self.contacts = Some(contacts);
        found.map_err(|why| StepError::Contact { time: state.time, dt: h, why })
    }

    /// The gap between two geoms at a state, and its rate.
    fn gap_between(&mut self, state: &State, geoms: [GeomId; 2]) -> Result<Option<(f64, f64)>, StepError> {
        let Some(contacts) = &mut self.contacts else { return Ok(None) };
        let (model, ws) = (&self.model, &mut self.workspace);
        ws.move_to(model, &state.q, &state.v);
        contacts.there.clear();
        contacts.there.extend(model.body_ids().map(|body| ws.body_pose(model, body)));
        let found = contacts.source.closest(&contacts.there, geoms);
        let found = found.map_err(|why| StepError::Contact { time: state.time, dt: 0.0, why })?;
        Ok(found.map(|point| {
            let velocity = |k: usize| {
                let body = point.bodies[k];
                let origin = ws.body_pose(model, body).pos;
                ws.body_velocity(model, body).at(point.position - origin).lin
            };
            (point.gap, point.normal.dot(velocity(1) - velocity(0)))
        }))
    }

    /// Everything that touches and approaches at a state takes its impulse.
    pub(super) fn collide(&mut self, state: &mut State) -> Result<(), StepError> {
        self.find_contacts(&state.q, &state.v, 0.0, 0.0);
        if let Some(why) = self.contacts.as_mut().and_then(|c| c.failed.take()) {
            return Err(StepError::Contact { time: state.time, dt: 0.0, why });
        }
        let momentum = self.path.is_some().then(|| self.at(state).momentum());
        let Some(held) = self.held.as_mut().filter(|h| h.any_contact()) else { return Ok(()) };
        let (model, ws) = (&self.model, &mut self.workspace);
        let begun = self.report.collisions.len();
        let collisions = &mut self.report.collisions;
        let (given, works) = held.collide(model, ws, &state.q, &mut state.v, state.time, collisions);
        self.note_impulse_since(momentum, state);
        self.report.limit_work += given.limits;
        self.report.note_contact(works);
        self.note_impacts_from(begun);
        self.report_contacts();
        let failed = self.held.as_mut().and_then(|h| h.touching.as_mut()).and_then(|t| t.failed.take());
        match failed {
            Some(why) => Err(StepError::Contact { time: state.time, dt: 0.0, why: why.to_string() }),
            None => Ok(()),
        }
    }
}
