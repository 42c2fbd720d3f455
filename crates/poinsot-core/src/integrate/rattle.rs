//! Constraints in the variational midpoint rule: impulses at the ends of the step, as in RATTLE [Andersen83].
//!
//! The discrete Euler–Lagrange equations of a constrained system have `J(q_k)ᵀ P_k` at each node
//! [MarsdenWest01, section 3.5], so with E₋, E₊ the right sides of (1) and (2) of [`super::midpoint`],
//!
//! ```math
//! (1)  p + J(q)ᵀ P = E₋(v̄)          C(q⁺) = 0
//! (2)  p⁺ = E₊(v̄) + J(q⁺)ᵀ P⁺       J(q⁺) v⁺ = 0
//! ```
//! The map is symplectic on the constraint manifold. (2) is a projection of velocities. Rolling,
//! which holds velocities alone, acts at the middle: a force `J(q̄)ᵀ λ` with `J(q̄) v̄ = 0`, and P = ½h λ.

use super::System;
use crate::constraint::{Asked, Class, Multipliers, Rows};
use crate::dynamics::{State, Workspace};
use crate::model::Model;

/// The impulses of one step, with what is needed to find them.
#[derive(Clone, Debug)]
pub(super) struct Impulses {
    /// The rows at the beginning, and the factor of the system there.
    start: Multipliers,
    /// The rows at the middle or the end.
    there: Rows,
    pub impulse: Vec<f64>,
    end: Vec<f64>,
}

impl Impulses {
    pub fn new(model: &Model) -> Impulses {
        let start = Multipliers::new(model);
        Impulses { impulse: vec![0.0; start.len()], end: model.neutral(), there: Rows::new(model), start }
    }

    /// The turns that both sets of rows have counted.
    pub fn turns(&self) -> impl Iterator<Item = f64> + '_ {
        self.start.turns().chain(self.there.turns())
    }
    /// The same, to be set.
    pub fn turns_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        self.start.turns_mut().chain(self.there.turns_mut())
    }

    /// Factors the system at the beginning of a step of size h.
    pub fn begin(&mut self, system: &mut System, state: &State, diagonal: &[f64], h: f64) {
        let (model, ws) = (&*system.model(), system.workspace());
        self.impulse.fill(0.0);
        self.start.rows.evaluate(model, ws, &state.q, None);
        let asked = Asked::Soft { stiffness: 0.25 * h * h, damping: 0.5 * h };
        self.start.factor(model, ws, &state.q, asked, diagonal);
    }

    /// Adds the forces that keep wheels rolling, at the middle of the step, and sets what their rows ask for.
    pub fn at_middle(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        mean: &[f64],
        h: f64,
        f: &mut [f64],
    ) {
        if !self.there.kinds.iter().any(|k| k.class == Class::Velocity) {
            return;
        }
        self.there.evaluate(model, ws, q, None);
        for row in 0..self.there.len() {
            if self.there.kinds[row].class == Class::Velocity {
                self.there.add(row, 2.0 * self.impulse[row] / h, f);
                self.start.asked[row] = -self.there.dot(row, mean);
            }
        }
    }

    /// Adds J(q)ᵀ P to the residual of (1), and sets what the rows at the end ask for.
    pub fn at_ends(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        state: &State,
        mean: &[f64],
        h: f64,
        residual: &mut [f64],
    ) {
        self.end.copy_from_slice(&state.q);
        model.integrate(&mut self.end, mean, h);
        self.there.evaluate(model, ws, &self.end, None);
        for row in 0..self.there.len() {
            let kind = self.there.kinds[row];
            match kind.class {
                Class::Velocity => {}
                Class::Rotor(_) => self.start.asked[row] = 0.0,
                _ if kind.soft.is_some() => self.start.asked[row] = 0.0,
                _ => {
                    self.start.rows.add(row, self.impulse[row], residual);
                    self.start.asked[row] = -self.there.value[row] / h;
                }
            }
        }
    }

    /// The corrections of v̄ and P for the residual, one after the other.
    pub fn correct(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        residual: &[f64],
        out: &mut [f64],
    ) {
        self.start.force.copy_from_slice(residual);
        let (velocities, impulses) = out.split_at_mut(residual.len());
        self.start.solve_asked(model, ws, q, velocities);
        impulses.copy_from_slice(self.start.lambda());
    }
}
