//! Constraints in the variational midpoint rule: impulses at the ends of the step, as in RATTLE [Andersen83].
//!
//! The discrete Euler–Lagrange equations of a constrained system have `J(q_k)ᵀ P_k` at each node [MarsdenWest01, section 3.5], so with E₋,
//! E₊ the right-hand sides of (1) and (2) of [`super::midpoint`],
//!
//! ```math
//! (1)  p + J(q)ᵀ P = E₋(v̄)          C(q⁺) = 0
//! (2)  p⁺ = E₊(v̄) + J(q⁺)ᵀ P⁺       J(q⁺) v⁺ = 0
//! ```
//! The map is symplectic on the constraint manifold. (2) is a projection of velocities. Rolling, which constrains only velocities, acts at
//! the midpoint: a force `J(q̄)ᵀ λ` with `J(q̄) v̄ = 0`, and P = ½h λ.

use super::System;
use crate::constraint::{Multipliers, RowSystem};
use crate::dynamics::{State, Workspace};
use crate::model::Model;

/// The impulses of one step, with the scratch to solve for them. The rows at the start, and the factor of the system there, are those of
/// the multipliers; the rows at the midpoint and at the end are [evaluated elsewhere](Multipliers::elsewhere).
#[derive(Clone, Debug)]
pub(super) struct Impulses {
    pub impulse: Vec<f64>,
    end: Vec<f64>,
}

impl Impulses {
    pub fn new(model: &Model) -> Impulses {
        Impulses { impulse: vec![0.0; Multipliers::count(model)], end: model.neutral() }
    }

    /// Factors the system at the start of a step of size h.
    pub fn begin(&mut self, system: &mut System, state: &State, diagonal: &[f64], h: f64) {
        let model = &*system.model();
        let (ws, Some(multipliers)) = system.constraints() else { return };
        self.impulse.fill(0.0);
        multipliers.rows.evaluate(model, ws, &state.q, None);
        let row_system = RowSystem::Soft { stiffness: 0.25 * h * h, damping: 0.5 * h };
        multipliers.factor(model, ws, &state.q, row_system, diagonal);
    }

    /// Adds the forces that keep wheels rolling and dry friction from slipping, at the midpoint of the step, and sets the targets of their
    /// rows.
    pub fn at_middle(
        &mut self,
        model: &Model,
        (ws, multipliers): (&mut Workspace, &mut Multipliers),
        q: &[f64],
        mean: &[f64],
        h: f64,
        f: &mut [f64],
    ) {
        let rate = |multipliers: &Multipliers, row: usize| {
            multipliers.rows.kinds[row].terms.constrains_rate() && multipliers.is_active(row)
        };
        if !(0..multipliers.len()).any(|row| rate(multipliers, row)) {
            return;
        }
        multipliers.elsewhere(|multipliers| multipliers.rows.evaluate(model, ws, q, None));
        for row in 0..multipliers.len() {
            if rate(multipliers, row) {
                let there = multipliers.there();
                there.add(row, 2.0 * self.impulse[row] / h, f);
                multipliers.targets[row] = -there.dot(row, mean);
            }
        }
    }

    /// Adds J(q)ᵀ P to the residual of (1), and sets the targets of the rows at the end.
    pub fn at_ends(
        &mut self,
        model: &Model,
        (ws, multipliers): (&mut Workspace, &mut Multipliers),
        state: &State,
        mean: &[f64],
        h: f64,
        residual: &mut [f64],
    ) {
        self.end.copy_from_slice(&state.q);
        model.integrate(&mut self.end, mean, h);
        multipliers.elsewhere(|multipliers| multipliers.rows.evaluate(model, ws, &self.end, None));
        for row in 0..multipliers.len() {
            let terms = multipliers.rows.kinds[row].terms;
            if terms.constrains_position() && multipliers.is_active(row) {
                multipliers.rows.add(row, self.impulse[row], residual);
                multipliers.targets[row] = -multipliers.there().value[row] / h;
            } else if !terms.constrains_rate() {
                multipliers.targets[row] = 0.0;
            }
        }
    }

    /// The largest |C| of the active rows at the end of the step.
    pub fn open(&self, multipliers: &Multipliers) -> f64 {
        multipliers.there().worst().1
    }

    /// Computes the corrections of v̄ and P for the residual, one after the other.
    pub fn correct(
        &mut self,
        model: &Model,
        (ws, multipliers): (&mut Workspace, &mut Multipliers),
        q: &[f64],
        residual: &[f64],
        out: &mut [f64],
    ) {
        multipliers.force.copy_from_slice(residual);
        let (velocities, impulses) = out.split_at_mut(residual.len());
        multipliers.solve_for_targets(model, ws, q, velocities);
        impulses.copy_from_slice(multipliers.lambda());
    }
}
