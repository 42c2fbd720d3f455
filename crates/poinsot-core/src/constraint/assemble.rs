//! Assembly: finds the state nearest to a given one that meets the constraints.
//!
//! Nearest in the mass metric: of all q with C(q) = 0, the one with the least ½ eᵀ M e, where e is the displacement from the start. First
//! Newton's method, with steps shortened as long as they do not reduce |C|, finds a configuration with C = 0. From there sequential
//! quadratic programming goes to the nearest: at q, with e the displacement back to the start, the step
//!
//! ```math
//! δ = argmin ½ (δ − e)ᵀ M (δ − e),  J δ = −C         M δ = M e + Jᵀ λ
//! ```
//! If Newton's steps stop making progress, |C| is at a nonzero minimum or the start is singular. Assembly then tries again from near the
//! start, and finally reports failure. The velocity is projected.

use super::law::RowSystem;
use super::{Multipliers, Violation};
use crate::algebra::Digits;
use crate::dynamics::{State, Workspace};
use crate::model::Model;
use thiserror::Error;

const MOST_STEPS: usize = 100;
/// The largest turn of a joint in one step, in radians.
const LONGEST_TURN: f64 = 0.5;
/// The tolerance on |C|, in metres and radians.
const MET: f64 = 1e-10;
/// The distances from the start at which further attempts begin.
const PERTURBATIONS: [f64; 6] = [0.0, 1e-3, 0.03, 0.1, 0.3, 1.0];

/// A state that meets the constraints.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The state.
    pub state: State,
    /// Its distance from the start: √(eᵀ M e), in √kg m.
    pub distance: f64,
    /// The row with the largest violation.
    pub violation: Violation,
}

/// Why a model could not be assembled.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "the model cannot be assembled near this configuration: constraint \"{constraint}\" remains violated by {} \
     (m or rad). Start nearer to a configuration that satisfies it, or check that its lengths allow one",
    Digits(*violation)
)]
pub struct AssemblyError {
    /// The constraint with the largest violation.
    pub constraint: String,
    /// The violation, in metres or radians.
    pub violation: f64,
}

impl Multipliers {
    /// Finds the state nearest to `start` that meets the rigid constraints.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, constraint::Multipliers, dynamics::{State, Workspace}, model::*};
    /// let ball = Shape::Sphere { radius: 0.1 };
    /// let mut b = ModelBuilder::new("two links, their end on a hook");
    /// let one = b.body(BodyId::WORLD, BodySpec::new("one").solid(&ball, 1.0)?);
    /// b.joint(one, Joint::revolute(V3::Y).anchor(V3::Z * 0.5));
    /// let two = b.body(one, BodySpec::new("two").at(V3::Z * -1.0).solid(&ball, 1.0)?);
    /// b.joint(two, Joint::revolute(V3::Y).anchor(V3::Z * 0.5));
    /// let hook = Mount::new(BodyId::WORLD, V3::new(0.9, 0.0, 0.0));
    /// b.constraint(Constraint::point(Mount::new(two, V3::Z * -0.5), hook).named("hook"));
    /// let model = b.build()?;
    /// let (mut ws, mut multipliers) = (Workspace::new(&model), Multipliers::new(&model));
    /// let found = multipliers.assemble(&model, &mut ws, &State::new(&model))?;
    /// assert!(found.violation.size < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assemble(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        start: &State,
    ) -> Result<Assembled, AssemblyError> {
        let mut least = Violation { constraint: None, size: f64::INFINITY };
        for (attempt, distance) in PERTURBATIONS.iter().enumerate() {
            let mut q = start.q.clone();
            model.integrate(&mut q, &model.random_velocity(attempt as u64), *distance);
            let left = self.close(model, ws, &mut q);
            if left.size <= MET {
                return Ok(self.nearest(model, ws, start, q));
            }
            if left.size < least.size {
                least = left;
            }
        }
        let constraint = least.constraint.map(|id| model[id].name.clone());
        Err(AssemblyError { constraint: constraint.unwrap_or_default(), violation: least.size })
    }

    /// Newton's method with shortened steps; returns the remaining |C|.
    fn close(&mut self, model: &Model, ws: &mut Workspace, q: &mut Vec<f64>) -> Violation {
        let mut change = vec![0.0; model.nv()];
        let mut off = self.off(model, ws, q);
        for _ in 0..MOST_STEPS {
            if off <= 1e-15 {
                break;
            }
            self.rows.evaluate(model, ws, q, None);
            self.step_from(model, ws, q, None, &mut change);
            let mut part = (LONGEST_TURN / change.iter().fold(LONGEST_TURN, |m, d| m.max(d.abs()))).min(1.0);
            let moved = loop {
                let mut next = q.clone();
                model.integrate(&mut next, &change, part);
                let there = self.off(model, ws, &next);
                if there < off * (1.0 - 1e-4 * part) {
                    break Some((next, there));
                }
                part *= 0.5;
                if part < 1e-5 || !there.is_finite() && part < 1e-3 {
                    break None;
                }
            };
            let Some((next, there)) = moved else { break };
            (*q, off) = (next, there);
        }
        self.violation(model, ws, q)
    }

    /// Moves from a configuration that meets the constraints to the one nearest to the start.
    fn nearest(&mut self, model: &Model, ws: &mut Workspace, start: &State, met: Vec<f64>) -> Assembled {
        let n = model.nv();
        let (mut q, mut best) = (met.clone(), met);
        let (mut back, mut change) = (vec![0.0; n], vec![0.0; n]);
        let mut shortest = self.distance(model, ws, &start.q, &best, &mut back);
        for _ in 0..MOST_STEPS {
            model.difference(&q, &start.q, &mut back);
            self.rows.evaluate(model, ws, &q, None);
            self.step_from(model, ws, &q, Some(&back), &mut change);
            let longest = change.iter().fold(0.0f64, |m, d| m.max(d.abs()));
            if !longest.is_finite() || longest < 1e-14 {
                break;
            }
            model.integrate(&mut q, &change, (LONGEST_TURN / longest).min(1.0));
            let mut settled = q.clone();
            if self.project_configuration(model, ws, &mut settled).is_err() {
                break;
            }
            let distance = self.distance(model, ws, &start.q, &settled, &mut back);
            let better = distance < shortest * (1.0 - 1e-12);
            if distance <= shortest {
                (shortest, best) = (distance, settled.clone());
            }
            q = settled;
            if !better && longest < 1e-7 {
                break;
            }
        }
        let mut state = State { q: best, ..start.clone() };
        self.project_velocity(model, ws, &state.q, &mut state.v);
        let violation = self.violation(model, ws, &state.q);
        Assembled { state, distance: shortest, violation }
    }

    /// The step of the module page from q, with the rows evaluated there; without a displacement to the start, the shortest Newton step.
    fn step_from(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        back: Option<&[f64]>,
        change: &mut [f64],
    ) {
        self.factor(model, ws, q, RowSystem::Positions, &model.tree.armature);
        match back {
            Some(back) => ws.mass_times(model, q, back, &mut self.force),
            None => self.force.fill(0.0),
        }
        for (row, g) in self.targets.iter_mut().enumerate() {
            *g = -self.rows.value[row];
        }
        self.solve_for_targets(model, ws, q, change);
    }

    /// √(eᵀ M e) from `from` to `to`.
    fn distance(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        from: &[f64],
        to: &[f64],
        e: &mut [f64],
    ) -> f64 {
        model.difference(from, to, e);
        ws.mass_times(model, from, e, &mut self.force);
        e.iter().zip(&self.force).map(|(e, f)| e * f).sum::<f64>().max(0.0).sqrt()
    }

    /// |C| of the rigid rows.
    fn off(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> f64 {
        self.rows.evaluate(model, ws, q, None);
        let pairs = self.rows.kinds.iter().zip(&self.rows.value);
        pairs
            .filter(|(kind, _)| kind.terms.constrains_position() && !kind.terms.is_inequality())
            .map(|(_, c)| c * c)
            .sum::<f64>()
            .sqrt()
    }
}
