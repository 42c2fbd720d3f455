//! Smooth motion between events, for methods that need it.
//!
//! Limits, ropes and dry friction make a motion non-smooth. A higher-order method steps from one corner to the next: active rows stay
//! active, as rigid rows, and slipping dry friction exerts its constant force, until a *margin* reaches zero:
//!
//! | row | margin | then |
//! |---|---|---|
//! | an inactive limit | C | an impact, rest |
//! | an active limit | λ | it is released |
//! | dry friction, sticking | F − \|λ\| | it slips |
//! | dry friction, slipping | \|Ċ\|, while its sign is unchanged | it sticks, or slips the other way |
//! | a contact that does not rest | its gap | an impact, rest |
//! | contacts that rest | the margin to their cones, if no other forces give the motion | some separate, or slip |
//! | a contact that slides | its speed in the direction in which it slid | it sticks, or slides another way |
//!
//! The time of the event is found by trial steps, with regula falsi (Illinois) between a step that keeps all margins and one that does not.
//! There impacts apply their impulses, and accelerations decide what becomes active. If events accumulate, as impacts of coupled joints
//! may, or if contacts change too abruptly, the rest of the step is made by time stepping.

use super::deciding::{ContactMargin, Kept};
use super::powers::Kick;
use super::report::Mark;
use super::{Event, EventKind, StepError, System, accept_impacts, copy, kick};
use crate::constraint::{ContactResult, RESTING, Status, TOUCHING};
use crate::dynamics::State;

/// More events than this in one step are an accumulation: impacts that knock each other off their limits, ever more weakly.
const MOST_EVENTS: usize = 50;
/// The limit with contacts: a ball that comes to rest bounces ever more often.
const MOST_CONTACT_EVENTS: usize = 400;
const MOST_TRIALS: usize = 100;
/// Margins below this count as zero: metres or radians, and their rates.
const USED_UP: f64 = 1e-13;
/// Forces below this, relative to the largest, count as zero.
const USED_UP_FORCE: f64 = 1e-10;
/// Relative to the step: the last part of a slide, in which the direction of friction is held constant.
const LAST_OF_SLIDE: f64 = 1e-5;
/// Relative to the step: a shorter slide is round-off.
const LEAST_OF_SLIDE: f64 = 1e-12;
/// Relative to the largest force: a force outside its cone by less than this has just left it.
const LEFT_CONE: f64 = 1e-11;
/// How often limits are decided again after contacts.
const ROUNDS: usize = 4;

/// Takes a step of `smooth` from event to event. On an error the state is as it was before the step.
pub(super) fn between_events(
    system: &mut System,
    state: &mut State,
    dt: f64,
    mut smooth: impl FnMut(&mut System, &mut State, f64) -> Result<(), StepError>,
) -> Result<(), StepError> {
    system.begin_step();
    if !system.touches() && !system.held.as_ref().is_some_and(|h| h.any_inequality()) {
        return smooth(system, state, dt);
    }
    let mut s = std::mem::take(&mut system.segments);
    s.fit(system, state);
    if !system.is_where_left(state) {
        system.forget_rests();
    }
    let outcome = s.march(system, state, dt, &mut smooth);
    if outcome.is_err() {
        copy(state, &s.origin);
        system.forget_rests();
    } else if let Some(contacts) = &mut system.contacts {
        copy(&mut contacts.left, state);
    }
    system.segments = s;
    outcome
}

type Smooth<'s> = dyn FnMut(&mut System, &mut State, f64) -> Result<(), StepError> + 's;

/// Scratch for the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    origin: State,
    start: State,
    trial: State,
    /// The report as it was before the segment.
    mark: Mark,
    a: Vec<f64>,
    tau: Vec<f64>,
    statuses: Vec<Status>,
    at_start: Margins,
    at_trial: Margins,
    /// The margins after the longest step known to keep all of them, and after the shortest known not to.
    short: Margins,
    long: Margins,
}

/// For each row: its margin and the size that counts as zero; its C, Ċ and force.
#[derive(Clone, Debug, Default)]
struct Margins {
    margin: Vec<f64>,
    least: Vec<f64>,
    value: Vec<f64>,
    rate: Vec<f64>,
    force: Vec<f64>,
    /// The margins of contacts; and the resting contacts, with forces in place of impulses.
    contacts: Vec<ContactMargin>,
    rests: Vec<ContactResult>,
    /// The power of contacts and of their friction.
    power: [f64; 2],
}

/// A row or contact whose margin reached zero.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lost {
    Row(usize),
    Contact(Kept),
}

impl Margins {
    fn fit(&mut self, rows: usize) {
        for list in [&mut self.margin, &mut self.least, &mut self.value, &mut self.rate, &mut self.force] {
            list.resize(rows, 0.0);
        }
    }
    fn copy_from(&mut self, other: &Margins) {
        self.margin.copy_from_slice(&other.margin);
        self.least.copy_from_slice(&other.least);
        self.contacts.clone_from(&other.contacts);
    }
    /// As `copy_from`, with the contacts and their forces.
    fn repeat(&mut self, other: &Margins) {
        self.copy_from(other);
        self.value.copy_from_slice(&other.value);
        self.rate.copy_from_slice(&other.rate);
        self.force.copy_from_slice(&other.force);
        self.rests.clone_from(&other.rests);
        self.power = other.power;
    }
    fn kept(&self) -> bool {
        self.lost().next().is_none()
    }
    /// The rows and contacts whose margins are lost.
    fn lost(&self) -> impl Iterator<Item = Lost> + '_ {
        let rows = (0..self.margin.len()).filter(|row| self.margin[*row] < -self.least[*row]);
        let contacts = self.contacts.iter().filter(|one| one.is_lost());
        rows.map(Lost::Row).chain(contacts.map(|one| Lost::Contact(one.of)))
    }
    /// The margin of one of them, and the size that counts as zero.
    fn of(&self, lost: Lost) -> Option<(f64, f64)> {
        match lost {
            Lost::Row(row) => Some((self.margin[row], self.least[row])),
            Lost::Contact(of) => self.contacts.iter().find(|c| c.of == of).map(|c| (c.margin, c.least)),
        }
    }

    fn read(
        &mut self,
        system: &mut System,
        state: &State,
        reach: f64,
        a: &mut [f64],
    ) -> Result<(), StepError> {
        let model = system.model();
        match &mut system.held {
            Some(held)
                if !held.any_active_inequality()
                    && !system.contacts.as_ref().is_some_and(|c| c.any_rests()) =>
            {
                held.evaluate(&model, &mut system.workspace, &state.q, &state.v);
            }
            _ => system.acceleration(state, a),
        }
        let judged = system.judge_rests();
        system.read_rests(&mut self.rests);
        self.power = system.rest_power();
        self.read_rows(system);
        system.contact_margins(state, reach, judged, &mut self.contacts)
    }

    fn read_rows(&mut self, system: &System) {
        let Some(held) = &system.held else { return };
        let largest = held.lambda().iter().fold(0.0f64, |most, l| most.max(l.abs()));
        for row in 0..held.len() {
            let (margin, is_force) = held.margin(row);
            self.margin[row] = margin;
            // dry friction holding a joint at its limit may drift by round-off, which is neither an arrival at the limit nor a reason to
            // leave it; it is moved back only if the violation exceeds the touching tolerance
            let stays = margin == held.values()[row] && held.rates()[row] >= -RESTING;
            self.least[row] = match (is_force, stays) {
                (true, _) => USED_UP_FORCE * largest,
                (_, true) => 2.0 * TOUCHING,
                _ => USED_UP,
            };
            (self.value[row], self.rate[row], self.force[row]) =
                (held.values()[row], held.rates()[row], held.force(row));
        }
    }
}

impl Segments {
    fn fit(&mut self, system: &System, state: &State) {
        let rows = system.held.as_ref().map_or(0, |h| h.len());
        for s in [&mut self.origin, &mut self.start, &mut self.trial] {
            copy(s, state);
        }
        self.a.resize(state.v.len(), 0.0);
        self.tau.resize(state.v.len(), 0.0);
        for margins in [&mut self.at_start, &mut self.at_trial, &mut self.short, &mut self.long] {
            margins.fit(rows);
        }
    }

    fn march(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
        smooth: &mut Smooth,
    ) -> Result<(), StepError> {
        let end = state.time + dt;
        let most = if system.touches() { MOST_CONTACT_EVENTS } else { MOST_EVENTS };
        for _ in 0..most {
            self.decide(system, state, dt)?;
            copy(&mut self.start, state);
            self.mark = system.report.mark();
            let left = end - state.time;
            system.hold_directions(left);
            self.at_start.read(system, &self.start, left, &mut self.a)?;
            if self.at_start.kept() && system.is_still(&self.start, &self.a, left) {
                copy(&mut self.trial, &self.start);
                self.trial.time = end;
                self.at_trial.repeat(&self.at_start);
                self.note_work(system);
                state.time = end;
                return Ok(());
            }
            // a contact that slides to a stop is approached in parts: after it, friction has no direction
            let stop = system.slides_to_stop().filter(|t| *t < 1.2 * left && *t > LEAST_OF_SLIDE * dt);
            // and its last part not far beyond it: great friction, held in its direction, would throw it back
            let share = |t: f64| if t > LAST_OF_SLIDE * dt { 0.9 } else { 2.0 };
            let part = stop.map_or(left, |t| (share(t) * t).min(left));
            let found = self.step_to_event(system, part, smooth);
            if matches!(found, Err(StepError::StepTooSmall { .. } | StepError::TooMuchWork { .. }))
                && system.touches()
            {
                // the motion changes too abruptly
                system.report.back_to(self.mark);
                copy(state, &self.start);
                system.contacts.iter_mut().for_each(|contacts| contacts.failed = None);
                break;
            }
            let mut event = found?;
            if event.is_none() && part < left {
                event = Some(Lost::Contact(Kept::Features));
            }
            let gone = self.trial.time - self.start.time;
            if matches!(event, Some(Lost::Contact(Kept::Slip(_)))) && gone > LAST_OF_SLIDE * dt {
                // the direction of very slow sliding is more accurate if the step starts closer
                self.try_step(system, 0.99 * gone, smooth)?;
                event = Some(Lost::Contact(Kept::Features));
            }
            self.note_work(system);
            copy(state, &self.trial);
            match event {
                None => {
                    state.time = end;
                    return Ok(());
                }
                Some(Lost::Row(row)) => self.change_status(system, row),
                Some(Lost::Contact(Kept::Forces)) => system.expect_modes(),
                Some(Lost::Contact(_)) => {}
            }
        }
        self.finish(system, state, end)
    }

    /// Makes the rest of a step in which events accumulate: decided at its end, as in [`super::SemiImplicit`].
    fn finish(&mut self, system: &mut System, state: &mut State, end: f64) -> Result<(), StepError> {
        let h = end - state.time;
        system.report.accumulated = true;
        system.forget_rests();
        system.step_acceleration(state, h, None, &mut self.a);
        copy(&mut self.trial, state);
        kick(&mut self.trial.v, &self.a, h);
        system.model().integrate(&mut self.trial.q, &self.trial.v, h);
        self.trial.time = end;
        let (v, to) = (&state.v[..], &self.trial.v[..]);
        let kick = Kick { at: state, v_bias: v, from: v, to, a: &self.a, h, reach: None };
        system.note_kick(&kick, &mut self.tau);
        system.note_impulses(h, &self.trial.v);
        accept_impacts(system, state, &mut self.trial, h)
    }

    /// Applies impacts at the state, then finds the active set: limits and dry friction with contacts as they are, and contacts with those
    /// active.
    fn decide(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let rows = system.held.as_ref().is_some_and(|h| h.any_inequality());
        if !rows {
            return system.decide_contacts(state, dt, &mut self.tau);
        }
        for round in 0..if system.touches() { ROUNDS } else { 1 } {
            system.held.iter().for_each(|held| held.copy_statuses(&mut self.statuses));
            self.decide_rows(system, state, dt)?;
            let same = system.held.as_ref().is_some_and(|held| held.has_statuses(&self.statuses));
            if round > 0 && same {
                break;
            }
            system.decide_contacts(state, dt, &mut self.tau)?;
        }
        Ok(())
    }

    fn decide_rows(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let (model, stabilisation, time) = (system.model(), system.stabilisation, state.time);
        if system.held.as_mut().is_some_and(|h| h.hold_passed(&model, &mut system.workspace, &state.q)) {
            // those found are of an earlier state; those of this one are decided afterwards
            system.forget_contacts();
            system.settle_impacts(state).map_err(|source| StepError::Constraint { time, dt, source })?;
        }
        if let Some(held) = &mut system.held {
            held.evaluate(&model, &mut system.workspace, &state.q, &state.v);
            held.note_speeds();
            if held.any_approaching() {
                let hit = held.hit().map(|owner| Event { time, kind: EventKind::Impact, on: owner.into() });
                system.report.events.extend(hit);
                system.impact(state);
            }
        }
        system.forces_but_friction(state, &mut self.tau);
        system.add_rest_forces(state, &mut self.tau);
        let Some(held) = &mut system.held else { return Ok(()) };
        let at = (&state.q[..], &state.v[..]);
        let pivots = held.decide(&model, &mut system.workspace, at, &self.tau, stabilisation);
        system.report.note(pivots);
        if held.any_active_inequality() {
            system.noted(state, |system, state| {
                let (ws, Some(held)) = system.constraints() else { return };
                held.project_velocity(&model, ws, &state.q, &mut state.v);
            });
        }
        Ok(())
    }

    fn try_step(&mut self, system: &mut System, h: f64, smooth: &mut Smooth) -> Result<bool, StepError> {
        system.go_on(self.start.time)?;
        system.report.back_to(self.mark);
        copy(&mut self.trial, &self.start);
        smooth(system, &mut self.trial, h)?;
        self.at_trial.read(system, &self.trial, h, &mut self.a)?;
        Ok(self.at_trial.kept())
    }

    /// Steps from `start` to `trial`: the whole segment, or up to the first event, whose row is returned.
    fn step_to_event(
        &mut self,
        system: &mut System,
        left: f64,
        smooth: &mut Smooth,
    ) -> Result<Option<Lost>, StepError> {
        let mut long = left;
        if self.try_step(system, left, smooth)? {
            let mut passed = self.dip(left);
            if passed.is_none() {
                passed = system.passes_through(&self.start, &self.trial, left)?;
            }
            let Some(dip) = passed else { return Ok(None) };
            long = dip;
            if self.try_step(system, dip, smooth)? {
                self.try_step(system, left, smooth)?;
                return Ok(None);
            }
        }
        let (mut short, mut trial) = (0.0, long);
        self.short.copy_from(&self.at_start);
        self.long.copy_from(&self.at_trial);
        for trials in 0..MOST_TRIALS {
            if long - short <= 1e-15 * left {
                break;
            }
            trial = if trials % 3 == 2 { 0.5 * (short + long) } else { self.crossing(short, long) };
            if self.try_step(system, trial, smooth)? {
                let used_up = |lost: &Lost| {
                    *lost != Lost::Contact(Kept::Forces)
                        && self.at_trial.of(*lost).is_some_and(|(margin, least)| margin <= least)
                };
                if let Some(lost) = self.long.lost().find(used_up) {
                    return Ok(Some(lost));
                }
                short = trial;
                self.short.copy_from(&self.at_trial);
            } else {
                long = trial;
                self.long.copy_from(&self.at_trial);
                let mut lost = self.long.lost();
                // forces this close to their cones have just left them; the new mode is known only beyond
                if let (Some(Lost::Contact(Kept::Forces)), None) = (lost.next(), lost.next())
                    && self.long.of(Lost::Contact(Kept::Forces)).is_some_and(|(m, _)| m >= -LEFT_CONE)
                {
                    break;
                }
            }
        }
        if trial != long {
            self.try_step(system, long, smooth)?;
        }
        Ok(self.at_trial.lost().next().or_else(|| self.long.lost().next()))
    }

    /// The time at which the first lost margin would reach zero if it shrank linearly.
    fn crossing(&self, short: f64, long: f64) -> f64 {
        let of = |lost: Lost| {
            let (Some((a, _)), Some((b, _))) = (self.short.of(lost), self.long.of(lost)) else {
                return 0.5 * (short + long);
            };
            let a = a.max(0.0);
            let halve = a == 0.0 && matches!(lost, Lost::Contact(_));
            if halve { 0.5 * (short + long) } else { short + (long - short) * a / (a - b) }
        };
        let first = self.long.lost().map(of).fold(long, f64::min);
        first.clamp(short + 0.01 * (long - short), long - 0.01 * (long - short))
    }

    /// The time at which a row that is open at both ends of a step of size h is violated in between, from the cubic through C and Ċ.
    fn dip(&self, h: f64) -> Option<f64> {
        let (from, to) = (&self.at_start, &self.at_trial);
        let of = |row: usize| {
            let open = from.margin[row] == from.value[row] && to.margin[row] == to.value[row];
            let ends = [from.value[row], h * from.rate[row], to.value[row], h * to.rate[row]];
            if open { lowest(ends).filter(|(_, least)| *least < -USED_UP).map(|(s, _)| s * h) } else { None }
        };
        let gap = |one: &ContactMargin| {
            let there = to.contacts.iter().find(|other| other.of == one.of)?;
            let ends = [one.margin, h * one.rate, there.margin, h * there.rate];
            let passed = lowest(ends).filter(|(_, least)| *least < -one.least);
            passed.filter(|_| matches!(one.of, Kept::Gap(_))).map(|(s, _)| s * h)
        };
        let rows = (0..from.margin.len()).filter_map(of);
        rows.chain(from.contacts.iter().filter_map(gap)).reduce(f64::min)
    }

    /// Gives the row of an event its next status.
    fn change_status(&self, system: &mut System, row: usize) {
        let time = self.trial.time;
        let Some(held) = &mut system.held else { return };
        if let Some(kind) = held.change_status(row) {
            system.report.events.push(Event { time, kind, on: held.owner(row).into() });
        }
    }

    /// Records the impulses and work of the segment from `start` to `trial`.
    fn note_work(&mut self, system: &mut System) {
        let h = self.trial.time - self.start.time;
        system.note_path(&self.start, &self.trial, h);
        if system.path.is_none() {
            let mean = |k: usize| 0.5 * h * (self.at_start.power[k] + self.at_trial.power[k]);
            (system.report.contact_work, system.report.friction_work) =
                (system.report.contact_work + mean(0), system.report.friction_work + mean(1));
        }
        system.report_rests(&self.at_start.rests, &self.at_trial.rests, h);
        let Some(held) = &mut system.held else { return };
        let (from, to) = (&self.at_start, &self.at_trial);
        for row in 0..from.force.len() {
            if !held.is_inequality(row) {
                continue;
            }
            held.impulse[row] += 0.5 * h * (from.force[row] + to.force[row]);
            if let Some(push) = held.pushing(row) {
                // a line has moved from C to C; an attitude has only rates
                let gone = to.value[row] - from.value[row];
                let way = if gone != 0.0 { gone } else { 0.5 * h * (from.rate[row] + to.rate[row]) };
                system.report.friction_work += push * way;
            }
        }
        system.report.impulses.copy_from_slice(&held.impulse);
    }
}

/// The minimum of the cubic through two values and slopes, for a step of length 1, if it first decreases and finally increases.
fn lowest([c0, r0, c1, r1]: [f64; 4]) -> Option<(f64, f64)> {
    if r0 >= 0.0 || r1 <= 0.0 {
        return None;
    }
    // the minimum of c₀ + r₀ s + a s² + b s³ is where the slope r₀ + 2 a s + 3 b s² is 0, the later of the two roots
    let (a, b) = (3.0 * (c1 - c0) - 2.0 * r0 - r1, r0 + r1 - 2.0 * (c1 - c0));
    let root = (a * a - 3.0 * b * r0).max(0.0).sqrt();
    let s = -r0 / (a + root);
    (s > 0.0 && s < 1.0).then_some((s, c0 + s * (r0 + s * (a + s * b))))
}
