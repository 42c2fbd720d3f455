//! Projection onto the constraints, to the nearest point in the mass metric.
//!
//! Velocities: of all δ with J (v + δ) = 0, the one with the least ½ δᵀ M δ is `δ = M⁻¹ Jᵀ λ`. Configurations: likewise with `J δ = −C`,
//! then `q ⊕ δ`, repeated until C is round-off: Newton's method. The inertia of rotors is included.
//!
//! At the end of a time step the factor of its dynamics is available, for a nearby state. With it, δ is produced by forces along the rows
//! of the step, as in SHAKE [Hairer06, section VII.1.4]. Each correction leaves a fraction of C of the order of the rotation of the rows,
//! so a few corrections that need only C replace a factorisation. Higher-order methods would be affected, so they factor anew at the final
//! state.

use super::law::{RowSystem, Status};
use super::rows::{Owner, RowKind, Rows};
use super::{ConstraintError, Inequality, Multipliers};
use crate::dynamics::Workspace;
use crate::model::{ConstraintId, Model};

/// Newton's method doubles the digits; more corrections mean that the constraints are far away or singular.
const MOST_CORRECTIONS: usize = 20;
/// Below this, C is round-off for mechanisms of a metre; in metres and radians.
const ROUND_OFF: f64 = 1e-14;
/// The remainder when corrections no longer help must be below this, times the size of the mechanism.
const MET: f64 = 1e-9;

/// The residual that corrections with any factor reach, relative to the size of the mechanism.
const LAST_BITS: f64 = 16.0 * f64::EPSILON;
/// A factor is kept as long as each correction leaves less than this fraction.
const KEPT: f64 = 0.1;
/// A rate smaller than this, relative to the largest velocity, is round-off.
const AT_REST: f64 = 1e-13;

/// The row with the largest violation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violation {
    /// The constraint; `None` if the model has none.
    pub constraint: Option<ConstraintId>,
    /// |C| of its worst row, in metres or radians.
    pub size: f64,
}

/// A violated rigid inequality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitViolation {
    /// The inequality; the name of its joint, tendon or rope is its [name](Inequality::name).
    pub on: Inequality,
    /// The violation, m or rad.
    pub size: f64,
}

impl Rows {
    /// The largest |C| of the rows with active C = 0; NaN counts as largest.
    pub fn worst(&self) -> (usize, f64) {
        let (mut worst, mut size) = (0, 0.0);
        for (row, (kind, c)) in self.kinds.iter().zip(&self.value).enumerate() {
            let held = kind.terms.constrains_position() && self.status[row] == Status::Active;
            if held && (c.abs() > size || c.is_nan()) {
                (worst, size) = (row, c.abs());
                if c.is_nan() {
                    break;
                }
            }
        }
        (worst, size)
    }

    /// The violated bounds and ropes, those with C < 0, and by how much.
    pub fn passed(&self) -> impl Iterator<Item = (usize, f64)> {
        let passed = |(row, kind): (usize, &RowKind)| {
            kind.terms.at_least().filter(|_| self.value[row] < 0.0).map(|_| (row, -self.value[row]))
        };
        self.kinds.iter().enumerate().filter_map(passed)
    }
}

impl Multipliers {
    /// The violation of the rigid constraints at q.
    pub fn violation(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> Violation {
        self.rows.evaluate(model, ws, q, None);
        let mut worst = Violation { constraint: model.constraint_ids().next(), size: 0.0 };
        for (kind, c) in self.rows.kinds.iter().zip(&self.rows.value) {
            let Owner::Constraint(constraint) = kind.owner else { break };
            let size = if kind.terms.is_inequality() { (-c).max(0.0) } else { c.abs() };
            if kind.terms.constrains_position() && (size > worst.size || size.is_nan()) {
                worst = Violation { constraint: Some(ConstraintId(constraint)), size };
                if size.is_nan() {
                    break;
                }
            }
        }
        worst
    }

    /// The limit or rope with the largest violation at q; `None` if all are met.
    pub fn limit_violation(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) -> Option<LimitViolation> {
        self.limit_violations(model, ws, q).reduce(|a, b| if b.size > a.size { b } else { a })
    }
    /// All violated limits and ropes at q.
    pub fn limit_violations(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) -> impl Iterator<Item = LimitViolation> {
        self.rows.evaluate(model, ws, q, None);
        let rows = &self.rows;
        let named = |(row, size): (usize, f64)| LimitViolation { on: rows.kinds[row].owner.into(), size };
        rows.passed().map(named)
    }

    /// Projects q onto the rigid constraints; returns the number of corrections.
    pub fn project_configuration(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &mut [f64],
    ) -> Result<usize, ConstraintError> {
        self.forget_factor();
        self.project_configuration_near(model, ws, q)
    }

    /// As [`Multipliers::project_configuration`], trying the current factor first.
    pub(crate) fn project_configuration_near(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &mut [f64],
    ) -> Result<usize, ConstraintError> {
        // the last correction was a Newton step, with its own factor
        let (mut at_hand, mut newton) = (self.factor_serves(RowSystem::Positions), false);
        let (mut last, mut change) = (f64::INFINITY, std::mem::take(&mut self.change));
        let mut expected = f64::INFINITY;
        let mut outcome = Ok(MOST_CORRECTIONS);
        for correction in 0..=MOST_CORRECTIONS {
            // J is needed as well at the q where corrections end
            if expected <= ROUND_OFF {
                self.rows.evaluate(model, ws, q, None);
            } else {
                self.rows.evaluate_values(model, ws, q);
            }
            let (row, size) = self.rows.worst();
            let name = || self.rows.kinds[row].owner.name(model).to_string();
            if size.is_nan() {
                outcome = Err(ConstraintError::NotFinite { constraint: name() });
                break;
            }
            // round-off is larger far from the origin than near it
            let extent = q.iter().fold(1.0f64, |far, q| far.max(q.abs()));
            let met = size <= MET * extent;
            // a factor from another state may lack rows that matter here, for example near a fold
            let own = newton || size <= LAST_BITS * extent;
            let stalled = met && ((own && size >= 0.5 * last) || correction == MOST_CORRECTIONS);
            if size <= ROUND_OFF || stalled {
                outcome = Ok(correction);
                break;
            }
            if correction == MOST_CORRECTIONS {
                let (violation, iterations) = (size, correction);
                outcome = Err(ConstraintError::NotMet { constraint: name(), violation, iterations });
                break;
            }
            // the current factor reaches a nearby state; a new one is computed only if convergence is slow
            newton = !at_hand || size > KEPT * last;
            if newton {
                self.rows.evaluate(model, ws, q, None);
                self.factor(model, ws, q, RowSystem::Positions, &model.tree.armature);
                at_hand = true;
            }
            // the next correction is expected to leave the same fraction of C as the last
            expected = if last.is_finite() { size * (size / last) } else { f64::INFINITY };
            last = size;
            for (row, g) in self.targets.iter_mut().enumerate() {
                *g = -self.rows.value[row];
            }
            self.correct(model, ws, q, &mut change);
            model.integrate(q, &change, 1.0);
        }
        self.change = change;
        self.rows.evaluate(model, ws, q, None);
        outcome
    }

    /// Changes v so that the rigid constraints stay satisfied at q; the multipliers are impulses.
    pub fn project_velocity(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) {
        self.rows.evaluate_rates(model, ws, q, v);
        self.bring_to_rest(model, ws, q, v);
    }

    /// As [`Multipliers::project_velocity`] when the rows have already been evaluated at q, for example after a projection of the
    /// configuration; tries the current factor first.
    pub(crate) fn project_velocity_near(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &mut [f64],
    ) {
        self.rows.set_rates(v);
        if self.factor_serves(RowSystem::Velocities) {
            let speed = v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
            let mut last = f64::INFINITY;
            for _ in 0..MOST_CORRECTIONS {
                let fastest = self.fastest();
                if fastest <= AT_REST * speed {
                    return;
                }
                if fastest > KEPT * last {
                    break;
                }
                last = fastest;
                self.set_rest_targets();
                let mut change = std::mem::take(&mut self.change);
                self.correct(model, ws, q, &mut change);
                v.iter_mut().zip(&change).for_each(|(v, d)| *v += d);
                self.change = change;
                self.rows.set_rates(v);
            }
        }
        self.bring_to_rest(model, ws, q, v);
    }

    /// The largest rate that should be zero.
    fn fastest(&self) -> f64 {
        let rate = |row: usize| self.rows.kinds[row].terms.rest_target(self.rows.rate[row]).abs();
        self.rows_taking_part().map(rate).fold(0.0, f64::max)
    }

    fn bring_to_rest(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) {
        self.factor(model, ws, q, RowSystem::Velocities, &model.tree.armature);
        self.set_rest_targets();
        self.force.fill(0.0);
        let mut change = std::mem::take(&mut self.change);
        self.solve_for_targets(model, ws, q, &mut change);
        for (v, d) in v.iter_mut().zip(&change) {
            *v += d;
        }
        self.change = change;
    }

    fn set_rest_targets(&mut self) {
        for (row, g) in self.targets.iter_mut().enumerate() {
            *g = self.rows.kinds[row].terms.rest_target(self.rows.rate[row]);
        }
    }

    /// The velocity with the momentum p at q that satisfies the rigid constraints: `M v = p + Jᵀ λ`, `J v = 0`. Unlike a projection of M⁻¹
    /// p it needs no inverse of M, which does not exist for free bodies without extent.
    pub(crate) fn velocity_of(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        momentum: &[f64],
        v: &mut [f64],
    ) {
        self.rows.evaluate(model, ws, q, None);
        self.factor(model, ws, q, RowSystem::Velocities, &model.tree.armature);
        self.targets.fill(0.0);
        self.force.copy_from_slice(momentum);
        self.solve_for_targets(model, ws, q, v);
    }
}
