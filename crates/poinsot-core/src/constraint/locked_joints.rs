//! Inequalities on single coordinates, enforced in the joints themselves.
//!
//! While only such rows are active, no system of rows is needed: the acceleration of a locked joint is prescribed, and the articulated-body
//! algorithm finds the other accelerations and the constraint forces in the same sweeps ([`Workspace::hybrid_dynamics`]). A pivoting round
//! then costs no more than motion without limits. If a joint rests at its limit and dry friction also holds it, both rows have the same
//! target, and share the force f on the joint by least norm:
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

/// The state for a call of the articulated-body algorithm: (q, v) and gravity.
pub(super) type At<'a> = (&'a [f64], &'a [f64], V3);

/// Targets of rows of the same joint count as equal if they differ by less than this, relative to 1 + |x|.
const SAME: f64 = 1e-9;

impl Multipliers {
    /// Finds the locked degrees of freedom and their prescribed accelerations; false if other rows are active, or rows of the same joint
    /// have different targets.
    pub(super) fn holds_joints_alone(&mut self, target: impl Fn(&Multipliers, usize) -> f64) -> bool {
        if self.needs_rows() {
            return false;
        }
        let is_active = |row: &usize| self.rows.status[*row] == Status::Active;
        if self.rows.other_inequalities.iter().any(is_active) {
            return false;
        }
        self.locked.fill(false);
        for k in 0..self.rows.on_coordinates.len() {
            let on = self.rows.on_coordinates[k];
            if self.rows.status[on.row] != Status::Active {
                continue;
            }
            let x = target(self, on.row) / on.entry;
            let twice = std::mem::replace(&mut self.locked[on.dof], true);
            if twice && (x - self.given[on.dof]).abs() > SAME * (1.0 + x.abs()) {
                return false;
            }
            self.given[on.dof] = x;
        }
        true
    }

    /// The acceleration under the current forces with these prescribed accelerations, and the multipliers of the rows. Leave out `at` if
    /// the last such call was at the same (q, v).
    pub(super) fn solve_in_joints(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        at: Option<At<'_>>,
        diagonal: &[f64],
        x: &mut [f64],
    ) {
        ws.hybrid_dynamics(model, at, &self.force, diagonal, &self.locked, &mut self.given, x);
        self.lambda.fill(0.0);
        let held = |rows: &Rows, on: &OnCoordinate| rows.status[on.row] == Status::Active;
        self.weight.fill(0.0);
        for on in self.rows.on_coordinates.iter().filter(|on| held(&self.rows, on)) {
            self.weight[on.dof] += on.entry * on.entry;
        }
        for on in self.rows.on_coordinates.iter().filter(|on| held(&self.rows, on)) {
            self.lambda[on.row] = on.entry * self.given[on.dof] / self.weight[on.dof];
        }
    }
}
