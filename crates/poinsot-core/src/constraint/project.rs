//! Projection onto the constraints, nearest in the mass metric.
//!
//! Velocities: of all δ with J (v + δ) = 0 the one with the least ½ δᵀ M δ is `δ = M⁻¹ Jᵀ λ`. Configurations: the same
//! with `J δ = −C`, and `q ⊕ δ`, repeated until C is round-off: Newton's method. Rotors count with their inertia.

use super::kinds::Class;
use super::rows::Rows;
use super::solver::Asked;
use super::{ConstraintError, Multipliers};
use crate::dynamics::Workspace;
use crate::model::Model;

/// Newton doubles the digits; what needs more corrections is far away or singular.
const MOST_CORRECTIONS: usize = 20;
/// Metres and radians: below this C is round-off for mechanisms of a metre.
const ROUND_OFF: f64 = 1e-14;
/// What is left when corrections no longer help must be below this, times the size of the mechanism.
const MET: f64 = 1e-9;

/// A matrix is kept while each correction leaves less than this of C.
const KEPT: f64 = 0.01;

/// The row furthest from being met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violation {
    /// The place of the constraint in the model.
    pub constraint: usize,
    /// |C| of its worst row, in metres or radians.
    pub size: f64,
}

impl Rows {
    /// The rigid row with the largest |C|; NaN counts as largest.
    pub fn worst(&self) -> Violation {
        let mut worst = Violation::default();
        for (kind, c) in self.kinds.iter().zip(&self.value) {
            let counts = kind.soft.is_none() && matches!(kind.class, Class::Length | Class::Angle);
            if counts && (c.abs() > worst.size || c.is_nan()) {
                worst = Violation { constraint: kind.constraint, size: c.abs() };
                if c.is_nan() {
                    break;
                }
            }
        }
        worst
    }
}

impl Multipliers {
    /// How far q is from meeting the rigid constraints.
    pub fn violation(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> Violation {
        self.rows.evaluate(model, ws, q, None);
        self.rows.worst()
    }

    /// Moves q onto the rigid constraints; returns how many corrections that took.
    pub fn project_configuration(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &mut [f64],
    ) -> Result<usize, ConstraintError> {
        let (mut last, mut change) = (f64::INFINITY, std::mem::take(&mut self.change));
        let mut outcome = Ok(MOST_CORRECTIONS);
        for correction in 0..=MOST_CORRECTIONS {
            let worst = self.violation(model, ws, q);
            let name = || model.constraints()[worst.constraint].name.clone();
            if worst.size.is_nan() {
                outcome = Err(ConstraintError::NotFinite { constraint: name() });
                break;
            }
            // round-off of places far from the origin is larger than of those near it
            let extent = q.iter().fold(1.0f64, |far, q| far.max(q.abs()));
            let met = worst.size <= MET * extent;
            let stalled = met && (worst.size >= 0.5 * last || correction == MOST_CORRECTIONS);
            if worst.size <= ROUND_OFF || stalled {
                outcome = Ok(correction);
                break;
            }
            if correction == MOST_CORRECTIONS {
                let (violation, iterations) = (worst.size, correction);
                outcome = Err(ConstraintError::NotMet { constraint: name(), violation, iterations });
                break;
            }
            // what is near is reached with the matrix at hand; only where that is slow a new one is made
            if correction == 0 || worst.size > KEPT * last {
                self.factor(model, ws, q, Asked::Positions, &model.tree.armature);
            }
            last = worst.size;
            for (row, g) in self.asked.iter_mut().enumerate() {
                *g = -self.rows.value[row];
            }
            self.force.fill(0.0);
            self.solve_asked(model, ws, q, &mut change);
            model.integrate(q, &change, 1.0);
        }
        self.change = change;
        outcome
    }

    /// Changes v so that rigid constraints keep being met at q; the multipliers are impulses.
    pub fn project_velocity(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) {
        self.rows.evaluate(model, ws, q, Some(v));
        self.factor(model, ws, q, Asked::Velocities, &model.tree.armature);
        for (row, g) in self.asked.iter_mut().enumerate() {
            let rotor = matches!(self.rows.kinds[row].class, Class::Rotor(_));
            *g = if rotor { 0.0 } else { -self.rows.rate[row] };
        }
        self.force.fill(0.0);
        let mut change = std::mem::take(&mut self.change);
        self.solve_asked(model, ws, q, &mut change);
        for (v, d) in v.iter_mut().zip(&change) {
            *v += d;
        }
        self.change = change;
    }

    /// The velocity that belongs to the momentum p at q, rigid constraints kept: `M v = p + Jᵀ λ`, `J v = 0`. Unlike a
    /// projection of M⁻¹ p it needs no inverse of M, which free bodies without extent have none of.
    pub(crate) fn velocity_of(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        momentum: &[f64],
        v: &mut [f64],
    ) {
        self.rows.evaluate(model, ws, q, None);
        self.factor(model, ws, q, Asked::Velocities, &model.tree.armature);
        self.asked.fill(0.0);
        self.force.copy_from_slice(momentum);
        self.solve_asked(model, ws, q, v);
    }
}
