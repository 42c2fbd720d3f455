//! Projection onto the constraints, nearest in the mass metric.
//!
//! Velocities: of all δ with J (v + δ) = 0 the one with the least ½ δᵀ M δ is `δ = M⁻¹ Jᵀ λ`. Configurations: the same
//! with `J δ = −C`, and `q ⊕ δ`, repeated until C is round-off: Newton's method. Rotors count with their inertia.
//!
//! At the end of a time step the factor of its dynamics is at hand, of a state that is near. With it, δ is a force of the rows
//! where the step found them, as in SHAKE [Hairer06, section VII.1.4], and each correction leaves a part of C that is of the
//! order of how far the rows have turned: some corrections that need C alone take the place of a factor. Methods of higher order
//! would feel the difference, so they have a new factor made at the state they arrive at.

use super::law::{Asked, Status};
use super::rows::{Owner, RowKind, Rows};
use super::{ConstraintError, Inequality, Multipliers};
use crate::dynamics::Workspace;
use crate::model::{ConstraintId, Model};

/// Newton doubles the digits; what needs more corrections is far away or singular.
const MOST_CORRECTIONS: usize = 20;
/// Metres and radians: below this C is round-off for mechanisms of a metre.
const ROUND_OFF: f64 = 1e-14;
/// What is left when corrections no longer help must be below this, times the size of the mechanism.
const MET: f64 = 1e-9;

/// What corrections by any factor leave, of the size of the mechanism.
const LAST_BITS: f64 = 16.0 * f64::EPSILON;
/// A factor is kept while each correction leaves less than this of what it corrects.
const KEPT: f64 = 0.1;
/// Of the greatest velocity: below this a rate is round-off.
const AT_REST: f64 = 1e-13;

/// The row furthest from being met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violation {
    /// The constraint; none where the model has none.
    pub constraint: Option<ConstraintId>,
    /// |C| of its worst row, in metres or radians.
    pub size: f64,
}

/// A rigid inequality that is passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitViolation {
    /// It; its joint, tendon or rope is its [name](Inequality::name).
    pub on: Inequality,
    /// By how much, m or rad.
    pub size: f64,
}

impl Rows {
    /// The row with the largest |C| of those that are held at C = 0 now; NaN counts as largest.
    pub fn worst(&self) -> (usize, f64) {
        let (mut worst, mut size) = (0, 0.0);
        for (row, (kind, c)) in self.kinds.iter().zip(&self.value).enumerate() {
            let held = kind.terms.holds_position() && self.status[row] == Status::Held;
            if held && (c.abs() > size || c.is_nan()) {
                (worst, size) = (row, c.abs());
                if c.is_nan() {
                    break;
                }
            }
        }
        (worst, size)
    }

    /// The bounds and ropes that are passed, C < 0, and by how much.
    pub fn passed(&self) -> impl Iterator<Item = (usize, f64)> {
        let passed = |(row, kind): (usize, &RowKind)| {
            kind.terms.at_least().filter(|_| self.value[row] < 0.0).map(|_| (row, -self.value[row]))
        };
        self.kinds.iter().enumerate().filter_map(passed)
    }
}

impl Multipliers {
    /// How far q is from meeting the rigid constraints.
    pub fn violation(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> Violation {
        self.rows.evaluate(model, ws, q, None);
        let mut worst = Violation { constraint: model.constraint_ids().next(), size: 0.0 };
        for (kind, c) in self.rows.kinds.iter().zip(&self.rows.value) {
            let Owner::Constraint(constraint) = kind.owner else { break };
            let size = if kind.terms.is_inequality() { (-c).max(0.0) } else { c.abs() };
            if kind.terms.holds_position() && (size > worst.size || size.is_nan()) {
                worst = Violation { constraint: Some(ConstraintId(constraint)), size };
                if size.is_nan() {
                    break;
                }
            }
        }
        worst
    }

    /// The end of a range or the rope that is passed furthest at q; none where all are within.
    pub fn limit_violation(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
    ) -> Option<LimitViolation> {
        self.limit_violations(model, ws, q).reduce(|a, b| if b.size > a.size { b } else { a })
    }
    /// All ends of ranges and ropes that are passed at q.
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

    /// Moves q onto the rigid constraints; returns how many corrections that took.
    pub fn project_configuration(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &mut [f64],
    ) -> Result<usize, ConstraintError> {
        self.forget_factor();
        self.project_configuration_near(model, ws, q)
    }

    /// The same, first with the factor at hand.
    pub(crate) fn project_configuration_near(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &mut [f64],
    ) -> Result<usize, ConstraintError> {
        // the last correction was one of Newton's, with a factor of its own
        let (mut at_hand, mut newton) = (self.factor_serves(Asked::Positions), false);
        let (mut last, mut change) = (f64::INFINITY, std::mem::take(&mut self.change));
        let mut expected = f64::INFINITY;
        let mut outcome = Ok(MOST_CORRECTIONS);
        for correction in 0..=MOST_CORRECTIONS {
            // at the q where corrections end J is needed, too
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
            // round-off of places far from the origin is larger than of those near it
            let extent = q.iter().fold(1.0f64, |far, q| far.max(q.abs()));
            let met = size <= MET * extent;
            // a factor from elsewhere may lack rows that take part here, as beside a fold
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
            // what is near is reached with the factor at hand; only where that is slow a new one is made
            newton = !at_hand || size > KEPT * last;
            if newton {
                self.rows.evaluate(model, ws, q, None);
                self.factor(model, ws, q, Asked::Positions, &model.tree.armature);
                at_hand = true;
            }
            // the next correction leaves as much of C as the last did
            expected = if last.is_finite() { size * (size / last) } else { f64::INFINITY };
            last = size;
            for (row, g) in self.asked.iter_mut().enumerate() {
                *g = -self.rows.value[row];
            }
            self.correct(model, ws, q, &mut change);
            model.integrate(q, &change, 1.0);
        }
        self.change = change;
        self.rows.evaluate(model, ws, q, None);
        outcome
    }

    /// Changes v so that rigid constraints keep being met at q; the multipliers are impulses.
    pub fn project_velocity(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) {
        self.rows.evaluate_rates(model, ws, q, v);
        self.bring_to_rest(model, ws, q, v);
    }

    /// The same where the rows have been evaluated at q, as a projection of the configuration leaves them, first with the factor
    /// at hand.
    pub(crate) fn project_velocity_near(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &mut [f64],
    ) {
        self.rows.set_rates(v);
        if self.factor_serves(Asked::Velocities) {
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
                self.ask_rest();
                let mut change = std::mem::take(&mut self.change);
                self.correct(model, ws, q, &mut change);
                v.iter_mut().zip(&change).for_each(|(v, d)| *v += d);
                self.change = change;
                self.rows.set_rates(v);
            }
        }
        self.bring_to_rest(model, ws, q, v);
    }

    /// The greatest rate that is to be none.
    fn fastest(&self) -> f64 {
        let rate = |row: usize| self.rows.kinds[row].terms.ask_rest(self.rows.rate[row]).abs();
        self.rows_taking_part().map(rate).fold(0.0, f64::max)
    }

    fn bring_to_rest(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &mut [f64]) {
        self.factor(model, ws, q, Asked::Velocities, &model.tree.armature);
        self.ask_rest();
        self.force.fill(0.0);
        let mut change = std::mem::take(&mut self.change);
        self.solve_asked(model, ws, q, &mut change);
        for (v, d) in v.iter_mut().zip(&change) {
            *v += d;
        }
        self.change = change;
    }

    fn ask_rest(&mut self) {
        for (row, g) in self.asked.iter_mut().enumerate() {
            *g = self.rows.kinds[row].terms.ask_rest(self.rows.rate[row]);
        }
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
