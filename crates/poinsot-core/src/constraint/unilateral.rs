//! Motion under inequalities: limits, ropes and dry friction together with the equalities.
//!
//! *In a step* of size h the rows are imposed at its end [Moreau88]. For a coordinate this is exact: a limit that would be exceeded is
//! reached, and no more,
//!
//! ```math
//! (1)  C + h J v⁺ ≥ 0,  λ ≥ 0,  one of them 0          (2)  J v⁺ = 0, |λ| ≤ F   or   λ = ∓F, J v⁺ ≷ 0
//! ```
//! (1) leaves a body that arrives at its limit with the speed C/h there. *An impact* removes it, or reverses it:
//!
//! ```math
//! (3)  M (v⁺ − v⁻) = Jᵀ P      J v⁺ ≥ −e J v⁻,  P ≥ 0,  one of them 0
//! ```
//! Dry friction, whose force is finite, takes no part in it. *In a step with forces at the midpoint* the rows are those of the midpoint,
//! from where `v⁺` moves positions for ½h. A limit that is open there closes as in (1); one that is not gets the velocity of (3) at once,
//! and its violation is left to the projection of positions:
//!
//! ```math
//! (4)  C > 0:  C + ½h J v⁺ ≥ 0          C ≤ 0:  J v⁺ ≥ −e J v⁻          held all along:  J (v⁻ + v⁺) ≥ 0
//! ```
//! The last is the rule of rigid rows: a body that slides along a curved limit stays on it. *Between events*, in a smooth motion,
//! accelerations decide: `J v̇ + J̇ v ≥ 0` for rows that touch and rest, and (2) with v̇ for dry friction at rest.

use super::Multipliers;
use super::law::{RowSystem, Status, Tolerance};
use super::pivoting::Pivots;
use super::rows::Owner;
use super::stabilisation::Stabilisation;
use super::touch::ContactWork;
use crate::algebra::V3;
use crate::dynamics::Workspace;
use crate::model::Model;

/// A row closer than this to its end touches, in metres and radians.
pub(crate) const TOUCHING: f64 = 1e-11;
/// A row slower than this rests, in metres or radians a second.
pub(crate) const RESTING: f64 = 1e-9;
/// Speeds below this are the round-off of rows at rest.
const STILL: f64 = 1e-15;
/// Below this speed an impact has no rebound.
const SLOWEST_REBOUND: f64 = 1e-6;
/// The round-off threshold of pivoting, relative to the largest force or speed.
const ROUND_OFF: f64 = 1e-12;
/// The threshold of a tie at an event, whose time is not known more accurately.
const TIE: f64 = 1e-8;

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventKind {
    /// A limit, the length of a rope, or another body is reached with some speed.
    Impact,
    /// Release: a limit opens or a contact separates, because it would have to pull.
    Release,
    /// Slip: dry friction, or that of a contact, is exceeded.
    Slip,
    /// Stick: dry friction brings a joint to rest, or the motion reverses.
    Stick,
    /// An impact without a collision, as in Painlevé's rod: no force keeps a sliding contact from closing, and an impulse stops it.
    Jam,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [EventKind; 5] =
        [EventKind::Impact, EventKind::Release, EventKind::Slip, EventKind::Stick, EventKind::Jam];
    /// The name shown to users.
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

/// When the equalities of a step are imposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowTiming {
    /// As accelerations at its start.
    Begin,
    /// At its end, with soft rows.
    End,
    /// At its midpoint: soft rows at the end of the step, rigid ones at rest in the mean.
    Middle,
}

impl RowTiming {
    /// The time for which the velocity at the end of a step of size h moves positions.
    pub(super) fn reach(self, h: f64) -> f64 {
        if self == RowTiming::Middle { 0.5 * h } else { h }
    }
}

/// The work of the impulses of inequalities, and how these were decided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ImpulseWork {
    pub limits: f64,
    pub friction: f64,
    pub pivots: Pivots,
}

/// The largest of some numbers, whatever their signs.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| if x.abs() > most { x.abs() } else { most })
}

impl Multipliers {
    /// True if some row is an inequality.
    pub fn any_inequality(&self) -> bool {
        self.inequalities
    }

    /// True if some row is a rigid equality, a rotor, or an active inequality.
    pub(crate) fn any_active(&self) -> bool {
        self.any_rigid() || (self.inequalities && self.rows.any_active_inequality())
    }

    /// Computes the acceleration over a step of size h, with (1) or (4) and (2), with rows and masses at q, from the velocity v; `v_bias`
    /// is the velocity for c and J̇v, and `diagonal` replaces the rotor inertias.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn step_dynamics(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        (q, v, v_bias): (&[f64], &[f64], &[f64]),
        tau: &[f64],
        diagonal: &[f64],
        (taken, stabilisation): (RowTiming, Stabilisation),
        h: f64,
        a: &mut [f64],
    ) -> Pivots {
        match taken {
            RowTiming::Begin => self.rows.evaluate(model, ws, q, Some(v_bias)),
            RowTiming::End => self.rows.evaluate_for_end(model, ws, q, v_bias),
            // J̇v is needed for rotors, and if errors decay
            RowTiming::Middle if stabilisation == Stabilisation::Projection && !self.any_rotor() => {
                self.rows.evaluate_rates(model, ws, q, v);
            }
            RowTiming::Middle => {
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
        // what the workspace holds: the motion of the joints, or M and the inertial forces
        let (mut swept, mut known) = (false, false);
        let pivots = self.pivot(
            |m| {
                let target = |m: &Multipliers, row: usize| m.end_target(row, taken, h, stabilisation);
                if m.holds_joints_alone(target) {
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
                    let system = match taken {
                        RowTiming::Begin => RowSystem::Velocities,
                        RowTiming::End | RowTiming::Middle => {
                            RowSystem::Soft { stiffness: h * taken.reach(h), damping: h }
                        }
                    };
                    m.factor_masses(model, ws, q, system, diagonal);
                    swept = false;
                }
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    if !m.takes_part(row) {
                        continue;
                    }
                    let (terms, at) = (m.rows.kinds[row].terms, m.rows.measured_at(row));
                    m.targets[row] = match taken {
                        _ if terms.is_inequality() => m.end_target(row, taken, h, stabilisation),
                        RowTiming::Begin => terms.acceleration_target(at, stabilisation),
                        RowTiming::End => terms.implicit_target(at, h, h),
                        RowTiming::Middle => terms.midpoint_target(at, h, stabilisation),
                    };
                }
                m.force.copy_from_slice(&smooth);
                m.add_pushing();
                m.solve_for_targets(model, ws, q, &mut trial);
                m.change.copy_from_slice(&trial);
            },
            |_, _| true,
            |m, row, along| {
                let rate = h * along + m.rows.rate[row];
                if rate >= 0.0 && m.rows.value[row] >= 0.0 {
                    return rate; // open, and not closing
                }
                m.closing_rate(row, taken, h, stabilisation) + rate
            },
            |m| {
                let force = largest(&m.force).max(largest(&m.lambda));
                // at rest, the remainder of gravity is round-off
                let gained = h * (largest(&m.change) + gravity);
                Tolerance { force: ROUND_OFF * force, slack: ROUND_OFF * (speed + gained) }
            },
        );
        a.copy_from_slice(&self.change);
        (self.smooth, self.trial) = (smooth, trial);
        pivots
    }

    /// The rate at which an active inequality closes over a step of size h: below 0 it rebounds.
    pub(super) fn closing_rate(
        &self,
        row: usize,
        taken: RowTiming,
        h: f64,
        stabilisation: Stabilisation,
    ) -> f64 {
        let (terms, value) = (self.rows.kinds[row].terms, self.rows.value[row]);
        if taken == RowTiming::Middle && self.touches(row) {
            let held = self.kept[row] == Status::Active;
            let mean = if held { self.rate_before[row].min(0.0) } else { 0.0 };
            return terms.closing_rate(value.min(0.0), h, stabilisation) + mean - self.rebound(row);
        }
        terms.closing_rate(value, taken.reach(h), stabilisation)
    }

    /// The target of an active inequality: the acceleration over a step of size h after which (1), (2) or (4) holds.
    fn end_target(&self, row: usize, taken: RowTiming, h: f64, stabilisation: Stabilisation) -> f64 {
        -(self.closing_rate(row, taken, h, stabilisation) + self.rows.rate[row]) / h
    }

    /// Adds the constant forces of slipping dry friction to the current forces.
    fn add_pushing(&mut self) {
        for k in 0..self.rows.frictions.len() {
            let row = self.rows.frictions[k];
            if let Status::Slipping(push) = self.rows.status[row] {
                self.rows.add(row, push, &mut self.force);
            }
        }
    }

    /// Records the approach speeds of rows that are open at the start of a step, for rebounds; the rows are those of the time `since` after
    /// that.
    pub(crate) fn note_approach(&mut self, since: f64) {
        for row in 0..self.rows.len() {
            let held = since != 0.0 && self.rows.status[row] == Status::Active;
            let open = !held && self.rows.value[row] - since * self.rows.rate[row] > TOUCHING;
            self.approach[row] = if open { self.rows.rate[row].min(0.0) } else { 0.0 };
        }
        self.rate_before.copy_from_slice(&self.rows.rate);
    }

    /// Solves (3) for the rows that touch at (q, v), after a step that has recorded approach speeds; velocities of equalities are brought
    /// to rest too. Returns the work of the impulses, and the pivoting result.
    pub(crate) fn impact(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &mut [f64],
    ) -> ImpulseWork {
        self.rows.evaluate_rates(model, ws, q, v);
        self.kept.copy_from_slice(&self.rows.status);
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            if terms.is_inequality() {
                let closing = self.touches(row) && self.rows.rate[row] < 0.0;
                self.rows.status[row] = if closing { Status::Active } else { Status::Inactive };
            }
        }
        let speed = v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        self.force.fill(0.0);
        let mut trial = std::mem::take(&mut self.trial);
        let (mut swept, mut known) = (false, false);
        let (armature, rest) = (&model.tree.armature, &model.tree.rest);
        let pivots = self.pivot(
            |m| {
                let target = |m: &Multipliers, row: usize| m.rebound(row) - m.rows.rate[row];
                if m.holds_joints_alone(target) {
                    let at = (!std::mem::replace(&mut swept, true)).then_some((q, &rest[..], V3::ZERO));
                    m.solve_in_joints(model, ws, at, armature, &mut trial);
                    m.change.copy_from_slice(&trial);
                    known = false;
                    return;
                }
                if !std::mem::replace(&mut known, true) {
                    m.factor_masses(model, ws, q, RowSystem::Velocities, armature);
                    swept = false;
                }
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    let rebound = m.rebound(row);
                    m.targets[row] = m.rows.kinds[row].terms.rest_target(m.rows.rate[row]) + rebound;
                }
                m.solve_for_targets(model, ws, q, &mut trial);
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
        let mut given = ImpulseWork { pivots, ..ImpulseWork::default() };
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            if terms.at_least().is_none() {
                self.rows.status[row] = self.kept[row];
                continue;
            }
            if self.rows.status[row] == Status::Active {
                let after = self.rows.rate[row] + self.rows.dot(row, &self.change);
                given.limits += 0.5 * self.lambda[row] * (self.rows.rate[row] + after);
                self.impulse[row] += self.lambda[row];
                if after > 0.0 {
                    self.rows.status[row] = Status::Inactive;
                }
            }
        }
        for (v, d) in v.iter_mut().zip(&self.change) {
            *v += d;
        }
        given
    }

    /// Before a backward step from (q, v): approach speeds, and the initial statuses of dry friction.
    pub(crate) fn begin_backward(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) {
        self.rows.evaluate_rates(model, ws, q, v);
        self.rows.guess_friction(RESTING);
        self.note_approach(0.0);
    }

    /// Interprets impulses over a step of size h as the multipliers.
    pub(crate) fn set_lambda(&mut self, impulses: &[f64], h: f64) {
        self.lambda.iter_mut().zip(impulses).for_each(|(l, p)| *l = p / h);
    }

    /// Revises statuses that contradict the end of a step, where the rows have been evaluated.
    pub(crate) fn revise_at_end(&mut self, round: usize) -> Pivots {
        let force = self.lambda.iter().fold(0.0f64, |most, l| most.max(l.abs()));
        let speed = self.rows.rate.iter().fold(0.0f64, |most, r| most.max(r.abs()));
        let (mut unsolved, mut first, mut at) = (0, true, None);
        for row in 0..self.rows.len() {
            let (terms, status) = (self.rows.kinds[row].terms, self.rows.status[row]);
            if !terms.is_inequality() {
                continue;
            }
            let position = terms.constrains_position();
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

    /// Records the impulses of inequalities over a step of size h to the velocity v, from the last multipliers; the rows are those of its
    /// start.
    pub(crate) fn note_impulses(&mut self, h: f64, v: &[f64]) -> ImpulseWork {
        let mut given = ImpulseWork::default();
        if !self.inequalities && !self.soft {
            self.impulse.iter_mut().zip(&self.lambda).for_each(|(impulse, l)| *impulse += h * l);
            return given;
        }
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            if terms.is_soft() || self.rows.status[row] == Status::Inactive {
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

    /// The work of all rows over a step of size h to the velocity v, from the current rows and multipliers.
    pub(crate) fn work(&self, h: f64, v: &[f64]) -> f64 {
        let work = |row: usize| {
            let force = self.pushing(row).unwrap_or(self.lambda[row]);
            if force == 0.0 {
                return 0.0;
            }
            0.5 * h * force * (self.rate_before[row] + self.rows.dot(row, v))
        };
        let ContactWork { normal, friction } = self.contact_works();
        (0..self.rows.len()).map(work).sum::<f64>() + normal + friction
    }

    /// True if a row that approached its end is active there now.
    pub(crate) fn any_met(&self) -> bool {
        let met = |row: &usize| self.approach[*row] < -RESTING && self.rows.status[*row] == Status::Active;
        self.rows.ends.iter().any(met) || self.any_struck()
    }

    /// After a step with the rows of its midpoint: visits each row that was open at its start and reached by then. Rows that rebounded are
    /// no longer active.
    pub(crate) fn visit_reached(&mut self, mut visit: impl FnMut(Owner)) {
        for row in 0..self.rows.len() {
            let hit = self.approach[row] < -RESTING && self.touches(row);
            if hit && self.rows.status[row] == Status::Active {
                visit(self.rows.kinds[row].owner);
                if self.rebound(row) > 0.0 {
                    self.rows.status[row] = Status::Inactive;
                }
                self.approach[row] = 0.0;
            }
        }
    }

    /// Makes all limits inactive: there is no history.
    pub(crate) fn release_all(&mut self) {
        for k in 0..self.rows.ends.len() {
            let row = self.rows.ends[k];
            self.rows.status[row] = Status::Inactive;
        }
    }

    /// Makes limits inactive that are separating with the velocity v; the rows have been evaluated.
    pub(crate) fn release(&mut self, v: &[f64]) {
        for k in 0..self.rows.ends.len() {
            let row = self.rows.ends[k];
            if self.rows.status[row] == Status::Active && self.rows.dot(row, v) > RESTING {
                self.rows.status[row] = Status::Inactive;
            }
        }
    }

    /// Makes limits active that are violated at q; true if there are any.
    pub(crate) fn activate_violated(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> bool {
        self.rows.evaluate(model, ws, q, None);
        let mut any = false;
        for k in 0..self.rows.ends.len() {
            let row = self.rows.ends[k];
            if self.rows.value[row] < -TOUCHING && self.rows.status[row] != Status::Active {
                self.rows.status[row] = Status::Active;
                any = true;
            }
        }
        any
    }

    /// True if contacts take part, there are no rigid equalities, and all active limits touch at q. The error left by a step with contacts
    /// is then within its tolerance, and the next step corrects it.
    pub(crate) fn meets_ends(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> bool {
        if self.any_rigid() || !self.any_contact() {
            return false;
        }
        self.rows.evaluate(model, ws, q, None);
        self.rows.worst().1 <= TOUCHING
    }

    /// The statuses of inequalities.
    pub(crate) fn copy_statuses(&self, out: &mut Vec<Status>) {
        out.clone_from(&self.rows.status);
    }
    /// True if they have these statuses.
    pub(crate) fn has_statuses(&self, known: &[Status]) -> bool {
        self.rows.status == known
    }

    /// True if dry friction is slipping somewhere.
    pub(crate) fn any_slipping(&self) -> bool {
        self.inequalities && self.rows.any_slipping()
    }

    /// True if an inequality is active.
    pub(crate) fn any_active_inequality(&self) -> bool {
        self.rows.any_active_inequality()
    }
    /// True for a row that acts at one end of a range alone, or as far as dry friction goes.
    pub fn is_inequality(&self, row: usize) -> bool {
        self.rows.kinds[row].terms.is_inequality()
    }
    pub(crate) fn owner(&self, row: usize) -> Owner {
        self.rows.kinds[row].owner
    }
    /// The force of slipping dry friction.
    pub(crate) fn pushing(&self, row: usize) -> Option<f64> {
        if let Status::Slipping(push) = self.rows.status[row] { Some(push) } else { None }
    }
    /// How far a row is from contradicting its status, and whether that is a force; infinite for equalities.
    pub(crate) fn margin(&self, row: usize) -> (f64, bool) {
        let (rows, status) = (&self.rows, self.rows.status[row]);
        let margin = rows.kinds[row].terms.margin(status, rows.measured_at(row), self.force(row));
        (margin, status == Status::Active)
    }
    /// Gives a row whose margin is zero its next status. A row that has reached its end waits for its impact; for the others, returns the
    /// kind of event.
    pub(crate) fn change_status(&mut self, row: usize) -> Option<EventKind> {
        let (terms, status) = (self.rows.kinds[row].terms, self.rows.status[row]);
        let open = terms.at_least().is_some() && status != Status::Active;
        if open {
            return None;
        }
        let force = self.force(row);
        self.rows.status[row] = terms.next_status(status, force);
        Some(match (terms.within(), status) {
            (None, _) => EventKind::Release,
            (Some(_), Status::Active) => EventKind::Slip,
            (Some(_), _) => EventKind::Stick,
        })
    }
    /// Records the closing speeds of rows that touch their ends; the rows have been evaluated.
    pub(crate) fn note_speeds(&mut self) {
        for row in 0..self.rows.len() {
            self.approach[row] = if self.touches(row) { self.rows.rate[row].min(0.0) } else { 0.0 };
        }
    }
    /// True if a touching row approaches its end.
    pub(crate) fn any_approaching(&self) -> bool {
        self.approach.iter().any(|rate| *rate < -RESTING)
    }
    /// The rows that were approaching their ends when speeds were recorded.
    pub(crate) fn hit(&self) -> impl Iterator<Item = Owner> + '_ {
        let hit = |row: &usize| self.approach[*row] < -RESTING;
        (0..self.rows.len()).filter(hit).map(|row| self.rows.kinds[row].owner)
    }

    /// The rows that were open and approaching their ends at the start of the step, and touch now.
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

    /// True if a row touches and is still closing.
    pub(crate) fn any_closing(&self, v: &[f64]) -> bool {
        self.closing(v).next().is_some()
    }
    /// True if a touching row is closing and rebounds.
    pub(crate) fn any_rebounding(&self, v: &[f64]) -> bool {
        self.closing(v).any(|row| self.rebound(row) > 0.0)
    }
    fn closing(&self, v: &[f64]) -> impl Iterator<Item = usize> {
        let closing = (ROUND_OFF * largest(v)).max(STILL);
        let rows = &self.rows;
        let goes_on = move |row: &usize| rows.value[*row] <= TOUCHING && rows.dot(*row, v) < -closing;
        rows.ends.iter().copied().filter(goes_on)
    }

    /// Decides from accelerations which inequalities are active at (q, v), for a smooth motion from there under the forces τ.
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
                    self.rows.status[row] = Status::Inactive;
                }
                open &= !rests;
            } else if terms.within().is_some() {
                let moving = terms.guess(rate, RESTING);
                if matches!(moving, Status::Slipping(_)) || self.rows.status[row] == Status::Inactive {
                    self.rows.status[row] = moving;
                }
                open &= matches!(moving, Status::Slipping(_));
            }
        }
        if open {
            return Pivots::default();
        }
        let mut smooth = std::mem::take(&mut self.smooth);
        let mut trial = std::mem::take(&mut self.trial);
        ws.bias(model, q, v, &mut smooth);
        smooth.iter_mut().zip(tau).for_each(|(f, tau)| *f = tau - *f);
        self.factor_masses(model, ws, q, RowSystem::Velocities, &model.tree.armature);
        let pivots = self.pivot(
            |m| {
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    m.targets[row] =
                        m.rows.kinds[row].terms.acceleration_target(m.rows.measured_at(row), stabilisation);
                }
                m.force.copy_from_slice(&smooth);
                m.add_pushing();
                m.solve_for_targets(model, ws, q, &mut trial);
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
