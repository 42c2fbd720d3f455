//! Inequalities on single coordinates, held in the joints themselves.
//!
//! While only such rows are held, no system of rows is needed: a joint that is held has its acceleration given, and the
//! articulated-body algorithm finds the others and the force that holds it in one go
//! ([`Workspace::forward_dynamics_held`]). A round of pivoting then costs no more than the motion without limits.

use super::Multipliers;
use super::law::Status;
use crate::algebra::V3;
use crate::dynamics::Workspace;
use crate::model::Model;

/// Where a system is, for a call of the articulated-body algorithm: (q, v) and gravity.
pub(super) type At<'a> = (&'a [f64], &'a [f64], V3);

impl Multipliers {
    /// Finds the degrees of freedom that are held; false where something else is, or one of them is held twice.
    pub(super) fn holds_joints_alone(&mut self) -> bool {
        if self.needs_rows() {
            return false;
        }
        self.held.fill(false);
        let rows = &self.rows;
        let mut joints = rows.on_coordinates.iter().filter(|on| rows.status[on.row] == Status::Held);
        let held = &mut self.held;
        let once = joints.all(|on| !std::mem::replace(&mut held[on.dof], true));
        once && !rows.other_inequalities.iter().any(|row| rows.status[*row] == Status::Held)
    }

    /// The acceleration under the forces at hand, those degrees of freedom being given what their rows ask for, and the
    /// multipliers of the rows. Leave `at` out where the last such call was at the same (q, v).
    pub(super) fn solve_in_joints(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        at: Option<At<'_>>,
        diagonal: &[f64],
        asked: impl Fn(&Multipliers, usize) -> f64,
        x: &mut [f64],
    ) {
        self.lambda.fill(0.0);
        for k in 0..self.rows.on_coordinates.len() {
            let on = self.rows.on_coordinates[k];
            if self.rows.status[on.row] == Status::Held {
                self.given[on.dof] = on.sign * asked(self, on.row);
            }
        }
        ws.forward_dynamics_held(model, at, &self.force, diagonal, &self.held, &mut self.given, x);
        for on in &self.rows.on_coordinates {
            if self.rows.status[on.row] == Status::Held {
                self.lambda[on.row] = on.sign * self.given[on.dof];
            }
        }
    }
}
