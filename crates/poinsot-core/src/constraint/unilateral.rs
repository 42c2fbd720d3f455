//! Motion under inequalities: limits, ropes and dry friction together with the equalities.
//!
//! *In a step* of size h the rows are asked for at its end [Moreau88], which for a coordinate is exact: a limit that would be
//! passed is reached, and no further,
//!
//! ```math
//! (1)  C + h J v⁺ ≥ 0,  λ ≥ 0,  one of them 0          (2)  J v⁺ = 0, |λ| ≤ F   or   λ = ∓F, J v⁺ ≷ 0
//! ```
//! (1) leaves a body that arrives at its limit with the speed C/h there. *An impact* takes it away, or turns it round:
//!
//! ```math
//! (3)  M (v⁺ − v⁻) = Jᵀ P      J v⁺ ≥ −e J v⁻,  P ≥ 0,  one of them 0
//! ```
//! where dry friction, whose force is finite, takes no part. *In a step with its forces in the middle* the rows are those of
//! the middle, from where `v⁺` moves positions for ½h. An end that is open there closes as in (1); one that is not gives the
//! velocity of (3) at once, and what it was passed by is left to the projection of positions:
//!
//! ```math
//! (4)  C > 0:  C + ½h J v⁺ ≥ 0          C ≤ 0:  J v⁺ ≥ −e J v⁻          held all along:  J (v⁻ + v⁺) ≥ 0
//! ```
//! The last is that of rigid rows: what slides along an end that bends stays on it.
//! *Between events*, in a smooth motion, accelerations decide:
//! of rows that touch and rest `J v̇ + J̇ v ≥ 0`, of dry friction at rest the same as (2) with v̇.

use super::Multipliers;
use super::law::{Asked, Status, Tolerance};
use super::pivoting::Pivots;
use super::rows::Owner;
use super::stabilisation::Stabilisation;
use super::touch::Works;
use crate::algebra::V3;
use crate::dynamics::Workspace;
use crate::model::Model;

/// Metres and radians: a row nearer to its end touches.
pub(crate) const TOUCHING: f64 = 1e-11;
/// Metres or radians a second: a row that moves more slowly rests.
pub(crate) const RESTING: f64 = 1e-9;
/// Below this speed nothing moves: it is the round-off of what has come to rest.
const STILL: f64 = 1e-15;
/// Below this speed an impact is without rebound.
const SLOWEST_REBOUND: f64 = 1e-6;
/// What pivoting takes for round-off, of the largest force or speed.
const ROUND_OFF: f64 = 1e-12;
/// What it takes for a tie at an event, which is found no better than this.
const TIE: f64 = 1e-8;

/// What happens at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventKind {
    /// An end of a range, of a rope, or another body is reached with some speed.
    Impact,
    /// It is left, or a contact ends: what held there would have to pull.
    Release,
    /// Dry friction, or that of a contact, gives way.
    Slip,
    /// Dry friction brings to rest, or motion turns round.
    Stick,
    /// An impact without a collision, as of Painlevé's rod: no force keeps a contact that slides from closing, and an impulse stops it.
    Jam,
}

impl EventKind {
    /// All of them.
    pub const ALL: [EventKind; 5] =
        [EventKind::Impact, EventKind::Release, EventKind::Slip, EventKind::Stick, EventKind::Jam];
    /// The word a user reads.
    pub fn word(self) -> &'static str {
        match self {
            EventKind::Impact => "impact",
            EventKind::Release => "release",
            EventKind::Slip => "slip",
            EventKind::Stick => "stick",
            EventKind::Jam => "jam",
        }
    }
}

/// How the equalities of a step are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Taken {
    /// As accelerations at its beginning.
    Begin,
    /// At its end, with soft rows.
    End,
    /// In its middle, where soft rows are taken at its end and rigid ones rest in the mean.
    Middle,
}

impl Taken {
    /// For how long the velocity at the end of a step of size h moves positions.
    pub(super) fn reach(self, h: f64) -> f64 {
        if self == Taken::Middle { 0.5 * h } else { h }
    }
}

/// The work of the impulses that inequalities gave, and how these were decided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Given {
    pub limits: f64,
    pub friction: f64,
    pub pivots: Pivots,
}

/// The largest of some numbers, whatever their signs.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| if x.abs() > most { x.abs() } else { most })
}

impl Multipliers {
    /// True when some row is an inequality.
    pub fn any_inequality(&self) -> bool {
        self.inequalities
    }

    /// True when some row is a rigid equality, or a rotor, or an inequality that is held.
    pub(crate) fn any_held(&self) -> bool {
        self.any_rigid() || (self.inequalities && self.rows.any_held_inequality())
    }

    /// The acceleration over a step of size h, with (1) or (4) and (2), by rows and masses at q, from the velocity v; `v_bias` is
    /// the velocity for c and J̇v, and `diagonal` what stands for the rotor inertias.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn step_dynamics(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        (q, v, v_bias): (&[f64], &[f64], &[f64]),
        tau: &[f64],
        diagonal: &[f64],
        (taken, stabilisation): (Taken, Stabilisation),
        h: f64,
        a: &mut [f64],
    ) -> Pivots {
        match taken {
            Taken::Begin => self.rows.evaluate(model, ws, q, Some(v_bias)),
            Taken::End => self.rows.evaluate_for_end(model, ws, q, v_bias),
            // J̇v is for rotors, and where errors decay
            Taken::Middle if stabilisation == Stabilisation::Projection && !self.any_rotor() => {
                self.rows.evaluate_rates(model, ws, q, v);
            }
            Taken::Middle => {
                self.rows.evaluate(model, ws, q, Some(v_bias));
                self.rows.set_rates(v);
            }
        }
        let (speed, gravity) = (largest(v), model.gravity.norm());
        self.rows.guess_friction(RESTING);
        self.kept.copy_from_slice(&self.rows.status);
        self.note_approach(h - taken.reach(h));
        if self.any_contact() {
            let taken = (taken, stabilisation);
            return self.touch_dynamics(model, ws, (q, v, v_bias), tau, diagonal, taken, h, a);
        }
        let mut smooth = std::mem::take(&mut self.smooth);
        let mut trial = std::mem::take(&mut self.trial);
        // what the workspace knows: how the joints move, or M and the forces of inertia
        let (mut swept, mut known) = (false, false);
        let pivots = self.pivot(
            |m| {
                let asked = |m: &Multipliers, row: usize| m.ask_at_end(row, taken, h, stabilisation);
                if m.holds_joints_alone(asked) {
                    m.force.copy_from_slice(tau);
                    m.add_pushing();
                    let at = (!std::mem::replace(&mut swept, true)).then_some((q, v_bias, model.gravity));
                    m.solve_in_joints(model, ws, at, diagonal, &mut trial);
                    m.change.copy_from_slice(&trial);
                    known = false;
                    return;
                }
                if !std::mem::replace(&mut known, true) {
                    ws.bias(model, q, v_bias, &mut smooth);
                    smooth.iter_mut().zip(tau).for_each(|(f, tau)| *f = tau - *f);
                    let asked = match taken {
                        Taken::Begin => Asked::Velocities,
                        Taken::End | Taken::Middle => {
                            Asked::Soft { stiffness: h * taken.reach(h), damping: h }
                        }
                    };
                    m.factor_masses(model, ws, q, asked, diagonal);
                    swept = false;
                }
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    if !m.takes_part(row) {
                        continue;
                    }
                    let (terms, at) = (m.rows.kinds[row].terms, m.rows.measured_at(row));
                    m.asked[row] = match taken {
                        _ if terms.is_inequality() => m.ask_at_end(row, taken, h, stabilisation),
                        Taken::Begin => terms.ask_acceleration(at, stabilisation),
                        Taken::End => terms.ask_implicitly(at, h, h),
                        Taken::Middle => terms.ask_midway(at, h, stabilisation),
                    };
                }
                m.force.copy_from_slice(&smooth);
                m.add_pushing();
                m.solve_asked(model, ws, q, &mut trial);
                m.change.copy_from_slice(&trial);
            },
            |_, _| true,
            |m, row, along| {
                let rate = h * along + m.rows.rate[row];
                if rate >= 0.0 && m.rows.value[row] >= 0.0 {
                    return rate; // it is open and does not close
                }
                m.closing_rate(row, taken, h, stabilisation) + rate
            },
            |m| {
                let force = largest(&m.force).max(largest(&m.lambda));
                // at rest, what is left of gravity is round-off
                let gained = h * (largest(&m.change) + gravity);
                Tolerance { force: ROUND_OFF * force, slack: ROUND_OFF * (speed + gained) }
            },
        );
        a.copy_from_slice(&self.change);
        (self.smooth, self.trial) = (smooth, trial);
        pivots
    }

    /// The rate at which an inequality that is held closes over a step of size h: below 0 it rebounds.
    pub(super) fn closing_rate(&self, row: usize, taken: Taken, h: f64, stabilisation: Stabilisation) -> f64 {
        let (terms, value) = (self.rows.kinds[row].terms, self.rows.value[row]);
        if taken == Taken::Middle && self.touches(row) {
            let held = self.kept[row] == Status::Held;
            let mean = if held { self.rate_before[row].min(0.0) } else { 0.0 };
            return terms.closing_rate(value.min(0.0), h, stabilisation) + mean - self.rebound(row);
        }
        terms.closing_rate(value, taken.reach(h), stabilisation)
    }

    /// What an inequality that is held asks for: the acceleration over a step of size h after which (1), (2) or (4) holds.
    fn ask_at_end(&self, row: usize, taken: Taken, h: f64, stabilisation: Stabilisation) -> f64 {
        -(self.closing_rate(row, taken, h, stabilisation) + self.rows.rate[row]) / h
    }

    /// Adds the constant forces of dry friction that gives way to the forces at hand.
    fn add_pushing(&mut self) {
        for k in 0..self.rows.frictions.len() {
            let row = self.rows.frictions[k];
            if let Status::Pushing(push) = self.rows.status[row] {
                self.rows.add(row, push, &mut self.force);
            }
        }
    }

    /// Notes the speed at which rows approach their end that are open at the beginning of a step, for rebounds; the rows are
    /// those of the time `since` after that.
    pub(crate) fn note_approach(&mut self, since: f64) {
        for row in 0..self.rows.len() {
            let held = since != 0.0 && self.rows.status[row] == Status::Held;
            let open = !held && self.rows.value[row] - since * self.rows.rate[row] > TOUCHING;
            self.approach[row] = if open { self.rows.rate[row].min(0.0) } else { 0.0 };
        }
        self.rate_before.copy_from_slice(&self.rows.rate);
    }

    /// (3) for the rows that touch at (q, v), after a step that has noted what approached; velocities of equalities are
    /// brought to rest too. Returns the work of the impulses, and how they were decided.
    pub(crate) fn impact(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) -> Given {
        self.rows.evaluate_rates(model, ws, q, v);
        self.kept.copy_from_slice(&self.rows.status);
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            if terms.is_inequality() {
                let closing = self.touches(row) && self.rows.rate[row] < 0.0;
                self.rows.status[row] = if closing { Status::Held } else { Status::Off };
            }
        }
        let speed = v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        self.force.fill(0.0);
        let mut trial = std::mem::take(&mut self.trial);
        let (mut swept, mut known) = (false, false);
        let (armature, rest) = (&model.tree.armature, &model.tree.rest);
        let pivots = self.pivot(
            |m| {
                let asked = |m: &Multipliers, row: usize| m.rebound(row) - m.rows.rate[row];
                if m.holds_joints_alone(asked) {
                    let at = (!std::mem::replace(&mut swept, true)).then_some((q, &rest[..], V3::ZERO));
                    m.solve_in_joints(model, ws, at, armature, &mut trial);
                    m.change.copy_from_slice(&trial);
                    known = false;
                    return;
                }
                if !std::mem::replace(&mut known, true) {
                    m.factor_masses(model, ws, q, Asked::Velocities, armature);
                    swept = false;
                }
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    let rebound = m.rebound(row);
                    m.asked[row] = m.rows.kinds[row].terms.ask_rest(m.rows.rate[row]) + rebound;
                }
                m.solve_asked(model, ws, q, &mut trial);
                m.change.copy_from_slice(&trial);
            },
            |rows, row| rows.kinds[row].terms.at_least().is_some() && rows.value[row] <= TOUCHING,
            |m, row, along| m.rows.rate[row] + along - m.rebound(row),
            |m| {
                let impulse = m.lambda.iter().fold(0.0f64, |most, f| most.max(f.abs()));
                Tolerance { force: ROUND_OFF * impulse, slack: ROUND_OFF * speed }
            },
        );
        self.trial = trial;
        let mut given = Given { pivots, ..Given::default() };
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            if terms.at_least().is_none() {
                self.rows.status[row] = self.kept[row];
                continue;
            }
            if self.rows.status[row] == Status::Held {
                let after = self.rows.rate[row] + self.rows.dot(row, &self.change);
                given.limits += 0.5 * self.lambda[row] * (self.rows.rate[row] + after);
                self.impulse[row] += self.lambda[row];
                if after > 0.0 {
                    self.rows.status[row] = Status::Off;
                }
            }
        }
        for (v, d) in v.iter_mut().zip(&self.change) {
            *v += d;
        }
        given
    }

    /// Before a backward step from (q, v): what approaches, and what dry friction does at first.
    pub(crate) fn begin_backward(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) {
        self.rows.evaluate_rates(model, ws, q, v);
        self.rows.guess_friction(RESTING);
        self.note_approach(0.0);
    }

    /// Takes impulses over a step of size h for the multipliers.
    pub(crate) fn set_lambda(&mut self, impulses: &[f64], h: f64) {
        self.lambda.iter_mut().zip(impulses).for_each(|(l, p)| *l = p / h);
    }

    /// Revises statuses that contradict the end of a step, for which the rows have been evaluated.
    pub(crate) fn revise_at_end(&mut self, round: usize) -> Pivots {
        let force = self.lambda.iter().fold(0.0f64, |most, l| most.max(l.abs()));
        let speed = self.rows.rate.iter().fold(0.0f64, |most, r| most.max(r.abs()));
        let (mut unsolved, mut first, mut at) = (0, true, None);
        for row in 0..self.rows.len() {
            let (terms, status) = (self.rows.kinds[row].terms, self.rows.status[row]);
            if !terms.is_inequality() {
                continue;
            }
            let position = terms.holds_position();
            let slack = if position { self.rows.value[row] } else { self.rows.rate[row] };
            let off = if position { TOUCHING } else { ROUND_OFF.max(ROUND_OFF * speed) };
            let off = Tolerance { force: 1e-10 * force, slack: off };
            if let Some(next) = terms.revise(status, self.force(row), slack, off) {
                unsolved += 1;
                at = at.or(Some(self.rows.kinds[row].owner));
                // all at once at first, then one at a time
                if round < 10 || std::mem::take(&mut first) {
                    self.rows.status[row] = next;
                }
            }
        }
        Pivots { rounds: round, unsolved, at }
    }

    /// The impulses of inequalities over a step of size h to the velocity v, from the multipliers found last; the rows are
    /// those of its beginning.
    pub(crate) fn note_impulses(&mut self, h: f64, v: &[f64]) -> Given {
        let mut given = Given::default();
        if !self.inequalities && !self.soft {
            self.impulse.iter_mut().zip(&self.lambda).for_each(|(impulse, l)| *impulse += h * l);
            return given;
        }
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            if terms.is_soft() || self.rows.status[row] == Status::Off {
                continue;
            }
            let impulse = h * self.force(row);
            self.impulse[row] += impulse;
            let work = || 0.5 * impulse * (self.rate_before[row] + self.rows.dot(row, v));
            if terms.at_least().is_some() {
                given.limits += work();
            } else if terms.within().is_some() {
                given.friction += work();
            }
        }
        given
    }

    /// The work of all rows over a step of size h to the velocity v, whose rows and multipliers are at hand.
    pub(crate) fn work(&self, h: f64, v: &[f64]) -> f64 {
        let work = |row: usize| {
            let force = self.pushing(row).unwrap_or(self.lambda[row]);
            if force == 0.0 {
                return 0.0;
            }
            0.5 * h * force * (self.rate_before[row] + self.rows.dot(row, v))
        };
        let Works { normal, friction } = self.contact_works();
        (0..self.rows.len()).map(work).sum::<f64>() + normal + friction
    }

    /// True when a row that approached its end is held there now.
    pub(crate) fn any_met(&self) -> bool {
        let met = |row: &usize| self.approach[*row] < -RESTING && self.rows.status[*row] == Status::Held;
        self.rows.ends.iter().any(met) || self.any_struck()
    }

    /// After a step by rows of its middle: visits those that were open at its beginning and were met by then, once. What
    /// rebounds from there is held no longer.
    pub(crate) fn met_midway(&mut self, mut visit: impl FnMut(Owner)) {
        for row in 0..self.rows.len() {
            let hit = self.approach[row] < -RESTING && self.touches(row);
            if hit && self.rows.status[row] == Status::Held {
                visit(self.rows.kinds[row].owner);
                if self.rebound(row) > 0.0 {
                    self.rows.status[row] = Status::Off;
                }
                self.approach[row] = 0.0;
            }
        }
    }

    /// Lets go of all ends: nothing is known of what was before.
    pub(crate) fn let_all_go(&mut self) {
        for k in 0..self.rows.ends.len() {
            let row = self.rows.ends[k];
            self.rows.status[row] = Status::Off;
        }
    }

    /// Lets go of ends that are left with the velocity v; the rows have been evaluated.
    pub(crate) fn let_go(&mut self, v: &[f64]) {
        for k in 0..self.rows.ends.len() {
            let row = self.rows.ends[k];
            if self.rows.status[row] == Status::Held && self.rows.dot(row, v) > RESTING {
                self.rows.status[row] = Status::Off;
            }
        }
    }

    /// Holds the ends that are passed at q and were not held; true where there are any.
    pub(crate) fn hold_passed(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> bool {
        self.rows.evaluate(model, ws, q, None);
        let mut any = false;
        for k in 0..self.rows.ends.len() {
            let row = self.rows.ends[k];
            if self.rows.value[row] < -TOUCHING && self.rows.status[row] != Status::Held {
                self.rows.status[row] = Status::Held;
                any = true;
            }
        }
        any
    }

    /// True where contacts take part, ends of ranges are all that is held with them, and all these touch at q: what a step with contacts leaves of
    /// them is its tolerance, and the next one takes that up.
    pub(crate) fn meets_ends(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> bool {
        if self.any_rigid() || !self.any_contact() {
            return false;
        }
        self.rows.evaluate(model, ws, q, None);
        self.rows.worst().1 <= TOUCHING
    }

    /// What inequalities do.
    pub(crate) fn copy_statuses(&self, out: &mut Vec<Status>) {
        out.clone_from(&self.rows.status);
    }
    /// True when they do this.
    pub(crate) fn has_statuses(&self, known: &[Status]) -> bool {
        self.rows.status == known
    }

    /// True when dry friction gives way somewhere.
    pub(crate) fn any_pushing(&self) -> bool {
        self.inequalities && self.rows.any_pushing()
    }

    /// True when an inequality is held.
    pub(crate) fn any_held_inequality(&self) -> bool {
        self.rows.any_held_inequality()
    }
    /// True for a row that acts at one end of a range alone, or as far as dry friction goes.
    pub fn is_inequality(&self, row: usize) -> bool {
        self.rows.kinds[row].terms.is_inequality()
    }
    pub(crate) fn owner(&self, row: usize) -> Owner {
        self.rows.kinds[row].owner
    }
    /// The force of dry friction that gives way.
    pub(crate) fn pushing(&self, row: usize) -> Option<f64> {
        if let Status::Pushing(push) = self.rows.status[row] { Some(push) } else { None }
    }
    /// How far a row is from contradicting its status, and whether that is a force; infinite for equalities.
    pub(crate) fn margin(&self, row: usize) -> (f64, bool) {
        let (rows, status) = (&self.rows, self.rows.status[row]);
        let margin = rows.kinds[row].terms.margin(status, rows.measured_at(row), self.force(row));
        (margin, status == Status::Held)
    }
    /// Lets a row whose margin is used up take its next status. What has come to its end waits for its impact; the
    /// kind of event is returned for the others.
    pub(crate) fn give_way(&mut self, row: usize) -> Option<EventKind> {
        let (terms, status) = (self.rows.kinds[row].terms, self.rows.status[row]);
        let open = terms.at_least().is_some() && status != Status::Held;
        if open {
            return None;
        }
        let force = self.force(row);
        self.rows.status[row] = terms.give_way(status, force);
        Some(match (terms.within(), status) {
            (None, _) => EventKind::Release,
            (Some(_), Status::Held) => EventKind::Slip,
            (Some(_), _) => EventKind::Stick,
        })
    }
    /// Notes the speed at which rows that touch go into their ends; the rows have been evaluated.
    pub(crate) fn note_speeds(&mut self) {
        for row in 0..self.rows.len() {
            self.approach[row] = if self.touches(row) { self.rows.rate[row].min(0.0) } else { 0.0 };
        }
    }
    /// True when a row that touches goes into its end.
    pub(crate) fn any_approaching(&self) -> bool {
        self.approach.iter().any(|rate| *rate < -RESTING)
    }
    /// The rows that went into their ends when speeds were noted.
    pub(crate) fn hit(&self) -> impl Iterator<Item = Owner> + '_ {
        let hit = |row: &usize| self.approach[*row] < -RESTING;
        (0..self.rows.len()).filter(hit).map(|row| self.rows.kinds[row].owner)
    }

    /// The rows that were open and approached their ends when the step began, and touch there now.
    pub(crate) fn arrived(&self) -> impl Iterator<Item = Owner> + '_ {
        let arrived = |row: &&usize| self.approach[**row] < -RESTING && self.touches(**row);
        self.rows.ends.iter().filter(arrived).map(|row| self.rows.kinds[*row].owner)
    }

    fn touches(&self, row: usize) -> bool {
        self.rows.value[row] <= TOUCHING && self.rows.kinds[row].terms.at_least().is_some()
    }

    /// The rate after an impact.
    pub(super) fn rebound(&self, row: usize) -> f64 {
        let e = self.rows.kinds[row].terms.at_least().unwrap_or(0.0);
        if self.approach[row] < -SLOWEST_REBOUND { -e * self.approach[row] } else { 0.0 }
    }

    /// True when a row touches and goes on into its end.
    pub(crate) fn any_closing(&self, v: &[f64]) -> bool {
        let closing = (ROUND_OFF * largest(v)).max(STILL);
        let rows = &self.rows;
        rows.ends.iter().any(|row| rows.value[*row] <= TOUCHING && rows.dot(*row, v) < -closing)
    }

    /// Decides by accelerations which inequalities are held at (q, v), for a smooth motion from there under the forces τ.
    pub(crate) fn decide(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        (q, v): (&[f64], &[f64]),
        tau: &[f64],
        stabilisation: Stabilisation,
    ) -> Pivots {
        self.rows.evaluate(model, ws, q, Some(v));
        let mut open = true;
        for row in 0..self.rows.len() {
            let (terms, rate) = (self.rows.kinds[row].terms, self.rows.rate[row]);
            if terms.at_least().is_some() {
                let rests = self.rows.value[row] <= TOUCHING && rate <= RESTING;
                if !rests {
                    self.rows.status[row] = Status::Off;
                }
                open &= !rests;
            } else if terms.within().is_some() {
                let moving = terms.guess(rate, RESTING);
                if matches!(moving, Status::Pushing(_)) || self.rows.status[row] == Status::Off {
                    self.rows.status[row] = moving;
                }
                open &= matches!(moving, Status::Pushing(_));
            }
        }
        if open {
            return Pivots::default();
        }
        let mut smooth = std::mem::take(&mut self.smooth);
        let mut trial = std::mem::take(&mut self.trial);
        ws.bias(model, q, v, &mut smooth);
        smooth.iter_mut().zip(tau).for_each(|(f, tau)| *f = tau - *f);
        self.factor_masses(model, ws, q, Asked::Velocities, &model.tree.armature);
        let pivots = self.pivot(
            |m| {
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    m.asked[row] =
                        m.rows.kinds[row].terms.ask_acceleration(m.rows.measured_at(row), stabilisation);
                }
                m.force.copy_from_slice(&smooth);
                m.add_pushing();
                m.solve_asked(model, ws, q, &mut trial);
                m.change.copy_from_slice(&trial);
            },
            |rows, row| {
                let touching = rows.value[row] <= TOUCHING && rows.rate[row] <= RESTING;
                let still = rows.rate[row].abs() <= RESTING;
                if rows.kinds[row].terms.at_least().is_some() { touching } else { still }
            },
            |m, row, along| along + m.rows.bias[row],
            |m| {
                let largest = m.change.iter().fold(0.0f64, |most, a| most.max(a.abs()));
                let force = m.force.iter().chain(&m.lambda).fold(0.0f64, |most, f| most.max(f.abs()));
                Tolerance { force: TIE * force, slack: TIE * largest }
            },
        );
        (self.smooth, self.trial) = (smooth, trial);
        pivots
    }
}
