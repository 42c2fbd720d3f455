//! Position correction: pushes bodies out of penetration without adding velocity.
//!
//! The smallest displacement δ in the mass metric after which no gap, limit or loop is violated, to first order:
//!
//! ```math
//! δ = M⁻¹ Jᵀ p      g + J δ ≥ 0,  p ≥ 0,  one of them 0
//! ```

use super::CLOSED;
use super::ContactWorkspace;
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
/// A solution must reduce the deepest overlap to less than this fraction.
const NEAR: f64 = 0.1;
/// Metres or radians: no coordinate is moved further in one step. Distant bodies are not considered, so a body deep in a heap must not be pushed
/// through others.
const FARTHEST: f64 = 0.1;
/// More rows are left to sweeps, which cost little and always come nearer.
const MANY: usize = 6000;

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
            t.overlapping = !t.part();
            if t.impulse.iter().all(|p| p.is_finite()) {
                self.move_by_impulses(&mut t, model, ws, q);
                let farthest = t.change.iter().fold(0.0f64, |most, d| most.max(d.abs()));
                let part = if farthest > FARTHEST { FARTHEST / farthest } else { 1.0 };
                t.overlapping |= part < 1.0;
                if t.midway {
                    let mut weight = std::mem::take(&mut self.trial);
                    ws.gravity(model, q, &mut weight);
                    t.lifted +=
                        part * weight.iter().zip(&t.change).fold(0.0, |sum, (g, d)| g.mul_add(*d, sum));
                    self.trial = weight;
                }
                model.integrate(q, &t.change, part);
            }
        }
        self.touching = Some(t);
    }
}

impl ContactWorkspace {
    /// Finds p, or where that is too much for one step the p of a few sweeps: false.
    fn part(&mut self) -> bool {
        if self.live.rows() <= MANY {
            let usual = std::mem::replace(&mut self.lead.solvers.exact.options.tolerance, LEFT);
            let outcome = self.solve_islands(ContactSolver::Exact);
            self.lead.solvers.exact.options.tolerance = usual;
            let deepest = self.free.iter().fold(0.0f64, |most, gap| most.max(-gap));
            let near = self.found.is_none_or(|f| f.status.is_solved() || f.residual <= NEAR * deepest);
            if outcome.is_ok() && near {
                return true;
            }
        }
        self.impulse.fill(0.0);
        self.lead.solvers.pgs.last = true;
        let outcome = self.solve_islands(ContactSolver::Pgs);
        self.lead.solvers.pgs.last = false;
        if outcome.is_err() {
            self.impulse.fill(0.0);
        }
        false
    }
}
