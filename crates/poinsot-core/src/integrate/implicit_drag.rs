//! The drag of the medium, evaluated at the end of a step.
//!
//! In a dense medium the drag at the velocity v where a step begins would throw a light body back faster than it came, and the motion would
//! diverge. With its coefficients at v and the velocity v⁺ = v + h a of the end, it is −C v⁺, C of (1) in `dynamics/medium.rs`. From the
//! acceleration a₀ under the drag −C v,
//!
//! ```math
//! (1)  r = (M + h D) a₀            (M + h D + h C) a = r
//! (2)  −C v⁺ = −C v − h C a        −h C a = (M + h D) a − r
//! ```
//! with D of [`super::stiff`]. C is positive semidefinite, so this is stable at any step, and one body that meets only the square of its speed
//! moves exactly: v⁺ = v/(1 + h B/m). Constraints, limits and contacts are not in (1): they respond to the drag that results.

use super::System;
use crate::dynamics::{DragMatrix, State, Workspace};
use crate::model::Model;

/// Scratch, and −h C a of the last step.
#[derive(Clone, Debug)]
pub(super) struct ImplicitDrag {
    drag: DragMatrix,
    a: Vec<f64>,
    r: Vec<f64>,
    change: Vec<f64>,
}

impl ImplicitDrag {
    /// `None` without a medium.
    pub fn of(model: &Model) -> Option<Box<ImplicitDrag>> {
        let zeros = || vec![0.0; model.nv()];
        model.medium().map(|_| {
            Box::new(ImplicitDrag { drag: DragMatrix::new(model), a: zeros(), r: zeros(), change: zeros() })
        })
    }
}

impl System<'_> {
    /// Adds −h C a of (2) to τ, which contains the drag at the state `at`; c is evaluated at `v_hat`.
    pub(super) fn delay_drag(
        &mut self,
        at: &State,
        v_hat: &[f64],
        h: f64,
        diagonal: &[f64],
        tau: &mut [f64],
    ) {
        let Some(late) = &mut self.implicit_drag else { return };
        let ImplicitDrag { drag, a, r, change } = &mut **late;
        let (model, ws, q) = (&*self.model, &mut self.workspace, &at.q);
        let own = |k: usize| diagonal[k] - model.tree.armature[k];
        let inertial = |ws: &mut Workspace, a: &[f64], out: &mut [f64]| {
            ws.mass_times(model, q, a, out);
            out.iter_mut().enumerate().for_each(|(k, f)| *f = own(k).mul_add(a[k], *f));
        };
        // (1)
        ws.forward_dynamics_with(model, q, v_hat, tau, Some(diagonal), None, a);
        inertial(ws, a, r);
        ws.mass_matrix(model, q, &mut drag.matrix);
        drag.matrix.add_diagonal(own);
        ws.add_drag(model, q, &at.v, h, drag);
        drag.matrix.factor();
        a.copy_from_slice(r);
        drag.matrix.solve(a);
        // (2)
        inertial(ws, a, change);
        for (k, change) in change.iter_mut().enumerate() {
            *change -= r[k];
            tau[k] += *change;
        }
    }

    /// The power of −h C a along a velocity.
    pub(super) fn implicit_drag_power(&self, along: &[f64]) -> f64 {
        let change = self.implicit_drag.iter().flat_map(|late| &late.change);
        change.zip(along).map(|(force, v)| force * v).sum()
    }
}
