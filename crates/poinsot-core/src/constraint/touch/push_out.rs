//! Position correction: pushes bodies out of penetration without adding velocity.
//!
//! The smallest displacement δ in the mass metric after which no gap, limit or loop is violated, to first order:
//!
//! ```math
//! δ = M⁻¹ Jᵀ p      g + J δ ≥ 0,  p ≥ 0,  one of them 0
//! ```

use super::CLOSED;
use super::live::Of;
use super::settings::ContactSolver;
use super::step::Rows;
use crate::constraint::Multipliers;
use crate::contact::Law;
use crate::dynamics::Workspace;
use crate::model::Model;

/// The largest correction of a contact in one step, in metres: its surfaces are known only where it was detected.
const MOST: f64 = 0.02;
/// The fraction of the deepest penetration that may remain for the next step. Gaps are known to first order only.
const LEFT: f64 = 1e-3;

impl Multipliers {
    /// Moves q, the result of a step, out of penetration along the normals of the step.
    pub(crate) fn push_out(&mut self, model: &Model, ws: &mut Workspace, q: &mut [f64]) {
        let Some(mut t) = self.touching.take() else { return };
        if t.touched.len() != t.list.len() || t.end_gap.len() != t.list.len() {
            // no step has used these contacts yet: the start of event-driven motion
            self.touching = Some(t);
            return;
        }
        let rigid = |t: &super::ContactWorkspace, k: usize| {
            t.list[k].surface.softness.is_none() && !t.touched[k].deferred && t.end_gap[k] < -CLOSED
        };
        let any = (0..t.list.len()).any(|k| rigid(&t, k));
        if any {
            for k in 0..t.list.len() {
                let near = t.in_play[k] || t.end_gap[k] < MOST;
                t.in_play[k] = near && t.list[k].surface.softness.is_none() && !t.touched[k].deferred;
            }
            t.bounds_in.fill(false);
            for row in &self.rows.ends {
                t.bounds_in[*row] = self.is_active(*row);
            }
            if t.by_rows && !self.factor_at_hand {
                t.by_rows = false; // loops are closed afterwards
                ws.mass_matrix(model, q, &mut t.mass);
                t.mass.factor();
                t.mass.write_out();
                t.all.forget_halves();
            }
            self.make_live(&mut t, model, ws, q, Rows::Normals);
            for k in 0..t.live.groups.len() {
                let first = t.live.groups[k].rows.start;
                t.free[first] = match t.live.groups[k].of {
                    Of::Contact(at) => t.end_gap[at].max(-MOST),
                    Of::Bound(_) => 0.0,
                };
                t.laws.push(Law::AT_LEAST);
            }
            let usual = std::mem::replace(&mut t.solvers.exact.options.tolerance, LEFT);
            let outcome = t.solve_islands(ContactSolver::Exact);
            t.solvers.exact.options.tolerance = usual;
            if outcome.is_ok() {
                self.move_by_impulses(&mut t, model, ws, q);
                let mut weight = std::mem::take(&mut self.trial);
                ws.gravity(model, q, &mut weight);
                t.lifted += weight.iter().zip(&t.change).fold(0.0, |sum, (g, d)| g.mul_add(*d, sum));
                self.trial = weight;
                model.integrate(q, &t.change, 1.0);
            }
        }
        self.touching = Some(t);
    }
}
