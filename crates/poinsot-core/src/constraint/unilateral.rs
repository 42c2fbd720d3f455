//! Motion under inequalities: limits, ropes and dry friction beside the equalities.
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
//! where dry friction, whose force is finite, takes no part. *Between events*, in a smooth motion, accelerations decide:
//! of rows that touch and rest `J v̇ + J̇ v ≥ 0`, of dry friction at rest the same as (2) with v̇.

use super::Multipliers;
use super::law::{Asked, Status, Tolerance};
use super::pivoting::Pivots;
use super::stabilisation::Stabilisation;
use crate::dynamics::Workspace;
use crate::model::Model;

/// Metres and radians: a row nearer to its end touches.
pub(crate) const TOUCHING: f64 = 1e-11;
/// Metres or radians a second: a row that moves more slowly rests.
pub(crate) const RESTING: f64 = 1e-9;
/// Below this speed an impact is without rebound.
const SLOWEST_REBOUND: f64 = 1e-6;
/// What pivoting takes for round-off, of the largest force or speed.
const ROUND_OFF: f64 = 1e-12;
/// What it takes for a tie at an event, which is found no better than this.
const TIE: f64 = 1e-8;

/// How the equalities of a step are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Taken {
    /// As accelerations at its beginning.
    AtBegin(Stabilisation),
    /// At its end, with soft rows.
    AtEnd,
}

/// The impulses that inequalities gave, along growing C, and their work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Given {
    pub limits: f64,
    pub friction: f64,
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

    /// The acceleration over a step of size h, with (1) and (2); `diagonal` is what stands for the rotor inertias.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn step_dynamics(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        (q, v): (&[f64], &[f64]),
        tau: &[f64],
        diagonal: &[f64],
        taken: Taken,
        h: f64,
        a: &mut [f64],
    ) -> Pivots {
        self.rows.evaluate(model, ws, q, Some(v));
        let speed = v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        self.rows.guess_friction(RESTING);
        self.note_approach();
        let mut smooth = std::mem::take(&mut self.smooth);
        let bias_known = self.any_rigid() || self.any_soft();
        let mut known = false;
        let mut trial = std::mem::take(&mut self.trial);
        let pivots = self.pivot(
            |m, round| {
                if !bias_known && !m.rows.any_held_inequality() {
                    m.lambda.fill(0.0);
                    m.force.copy_from_slice(tau);
                    m.add_pushing();
                    ws.forward_dynamics_with(model, q, v, &m.force, Some(diagonal), None, &mut trial);
                    m.change.copy_from_slice(&trial);
                    return;
                }
                if !known {
                    ws.bias(model, q, v, &mut smooth);
                    smooth.iter_mut().zip(tau).for_each(|(f, tau)| *f = tau - *f);
                    let asked = match taken {
                        Taken::AtBegin(_) => Asked::Velocities,
                        Taken::AtEnd => Asked::Soft { stiffness: h * h, damping: h },
                    };
                    m.factor_masses(model, ws, q, asked, diagonal);
                    known = true;
                }
                let _ = round;
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    let (terms, at) = (m.rows.kinds[row].terms, m.rows.measured_at(row));
                    m.asked[row] = match taken {
                        Taken::AtBegin(by) if !terms.is_inequality() => terms.ask_acceleration(at, by),
                        _ => terms.ask_implicitly(at, h),
                    };
                }
                m.force.copy_from_slice(&smooth);
                m.add_pushing();
                m.solve_asked(model, ws, q, &mut trial);
                m.change.copy_from_slice(&trial);
            },
            |_, _| true,
            |m, row| {
                let rate = h.mul_add(m.rows.dot(row, &m.change), m.rows.rate[row]);
                if m.rows.kinds[row].terms.holds_position() { m.rows.value[row] / h + rate } else { rate }
            },
            |m| {
                let gained = m.change.iter().fold(0.0f64, |most, a| most.max(a.abs()));
                let force = m.force.iter().chain(&m.lambda).fold(0.0f64, |most, f| most.max(f.abs()));
                Tolerance { force: ROUND_OFF * force, slack: ROUND_OFF * (speed + h * gained) }
            },
        );
        a.copy_from_slice(&self.change);
        (self.smooth, self.trial) = (smooth, trial);
        pivots
    }

    /// Adds the constant forces of dry friction that gives way to the forces at hand.
    fn add_pushing(&mut self) {
        for row in 0..self.rows.len() {
            if let Status::Pushing(push) = self.rows.status[row] {
                self.rows.add(row, push, &mut self.force);
            }
        }
    }

    /// Notes the speed at which rows that are open approach their end, for rebounds; the rows are those of the beginning
    /// of a step.
    pub(crate) fn note_approach(&mut self) {
        for row in 0..self.rows.len() {
            let open = self.rows.value[row] > TOUCHING;
            self.approach[row] = if open { self.rows.rate[row].min(0.0) } else { 0.0 };
        }
    }

    /// (3) for the rows that touch at (q, v), after a step that has noted what approached; velocities of equalities are
    /// brought to rest too. Returns the work of the impulses.
    pub(crate) fn impact(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) -> Given {
        self.rows.evaluate(model, ws, q, Some(v));
        self.kept.copy_from_slice(&self.rows.status);
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            if terms.is_inequality() {
                let closing = self.touches(row) && self.rows.rate[row] < 0.0;
                self.rows.status[row] = if closing { Status::Held } else { Status::Off };
            }
        }
        let speed = v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        self.factor_masses(model, ws, q, Asked::Velocities, &model.tree.armature);
        self.force.fill(0.0);
        let mut trial = std::mem::take(&mut self.trial);
        let pivots = self.pivot(
            |m, _| {
                m.factor_rows(model, ws, q);
                for row in 0..m.rows.len() {
                    let rebound = m.rebound(row);
                    m.asked[row] = m.rows.kinds[row].terms.ask_rest(m.rows.rate[row]) + rebound;
                }
                m.solve_asked(model, ws, q, &mut trial);
                m.change.copy_from_slice(&trial);
            },
            |rows, row| rows.kinds[row].terms.at_least().is_some() && rows.value[row] <= TOUCHING,
            |m, row| m.rows.rate[row] + m.rows.dot(row, &m.change) - m.rebound(row),
            |m| {
                let impulse = m.lambda.iter().fold(0.0f64, |most, f| most.max(f.abs()));
                Tolerance { force: ROUND_OFF * impulse, slack: ROUND_OFF * speed }
            },
        );
        self.trial = trial;
        self.unsolved = pivots.unsolved;
        let mut given = Given::default();
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

    fn touches(&self, row: usize) -> bool {
        self.rows.kinds[row].terms.at_least().is_some() && self.rows.value[row] <= TOUCHING
    }

    /// The rate after an impact.
    fn rebound(&self, row: usize) -> f64 {
        let e = self.rows.kinds[row].terms.at_least().unwrap_or(0.0);
        if self.approach[row] < -SLOWEST_REBOUND { -e * self.approach[row] } else { 0.0 }
    }

    /// True when a row touches and goes on into its end.
    pub(crate) fn any_closing(&self, v: &[f64]) -> bool {
        let speed = v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        (0..self.rows.len()).any(|row| self.touches(row) && self.rows.dot(row, v) < -ROUND_OFF * speed)
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
            |m, _| {
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
            |m, row| m.rows.dot(row, &m.change) + m.rows.bias[row],
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
