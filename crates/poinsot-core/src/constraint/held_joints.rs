//! Inequalities on single coordinates, held in the joints themselves.
//!
//! While only such rows are held, no system of rows is needed: a joint that is held has its acceleration given, and the
//! articulated-body algorithm finds the others and the force that holds it in one go
//! ([`Workspace::forward_dynamics_held`]). A round of pivoting then costs no more than the motion without limits. Where a joint
//! rests at its end and dry friction holds it there too, both ask for the same, and share the force f on the joint by least norm:
//!
//! ```math
//! J₁ λ₁ + J₂ λ₂ = f      ⇒      λᵢ = Jᵢ f / (J₁² + J₂²)
//! ```

use super::Multipliers;
use super::bounds::OnCoordinate;
use super::law::Status;
use super::rows::Rows;
use crate::algebra::V3;
use crate::dynamics::Workspace;
use crate::model::Model;

/// Where a system is, for a call of the articulated-body algorithm: (q, v) and gravity.
pub(super) type At<'a> = (&'a [f64], &'a [f64], V3);

/// What rows of the same joint ask for is the same where it differs by less, of 1 + |x|.
const SAME: f64 = 1e-9;

impl Multipliers {
    /// Finds the degrees of freedom that are held, and what they are given; false where something else is held, or rows
    /// of the same joint ask for different things.
    pub(super) fn holds_joints_alone(&mut self, asked: impl Fn(&Multipliers, usize) -> f64) -> bool {
        if self.needs_rows() {
            return false;
        }
        let is_held = |row: &usize| self.rows.status[*row] == Status::Held;
        if self.rows.other_inequalities.iter().any(is_held) {
            return false;
        }
        self.held.fill(false);
        for k in 0..self.rows.on_coordinates.len() {
            let on = self.rows.on_coordinates[k];
            if self.rows.status[on.row] != Status::Held {
                continue;
            }
            let x = asked(self, on.row) / on.entry;
            let twice = std::mem::replace(&mut self.held[on.dof], true);
            if twice && (x - self.given[on.dof]).abs() > SAME * (1.0 + x.abs()) {
                return false;
            }
            self.given[on.dof] = x;
        }
        true
    }

    /// The acceleration under the forces at hand, those degrees of freedom having what they are given, and the multipliers of
    /// the rows. Leave `at` out where the last such call was at the same (q, v).
    pub(super) fn solve_in_joints(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        at: Option<At<'_>>,
        diagonal: &[f64],
        x: &mut [f64],
    ) {
        ws.forward_dynamics_held(model, at, &self.force, diagonal, &self.held, &mut self.given, x);
        self.lambda.fill(0.0);
        let held = |rows: &Rows, on: &OnCoordinate| rows.status[on.row] == Status::Held;
        self.weight.fill(0.0);
        for on in self.rows.on_coordinates.iter().filter(|on| held(&self.rows, on)) {
            self.weight[on.dof] += on.entry * on.entry;
        }
        for on in self.rows.on_coordinates.iter().filter(|on| held(&self.rows, on)) {
            self.lambda[on.row] = on.entry * self.given[on.dof] / self.weight[on.dof];
        }
    }
}
