//! Rows of contacts as a matrix, for the derivatives of a step.

use super::step_rows::{Of, StepRows};
use crate::constraint::{ContactKey, Multipliers};
use crate::dynamics::Workspace;
use crate::model::Model;
use nalgebra::DMatrix;

/// The normal and two tangents.
pub(crate) const AXES: usize = 3;

impl Multipliers {
    /// J of these contacts where they were found last, three rows each; none where one was not found there. Poses are at hand.
    pub(crate) fn contact_rows(
        &self,
        model: &Model,
        ws: &Workspace,
        keys: &[ContactKey],
    ) -> Option<DMatrix<f64>> {
        let touching = self.touching.as_ref()?;
        let (n, mut step_rows) = (model.nv(), StepRows::new(model.nv()));
        for (k, key) in keys.iter().enumerate() {
            let point = touching.list.iter().find(|point| point.key == *key)?;
            step_rows.push_contact(model, ws, k, point, point.frame(), AXES);
        }
        let (mut out, mut row) = (DMatrix::zeros(AXES * keys.len(), n), vec![0.0; n]);
        for group in &step_rows.groups {
            let Of::Contact(k) = group.of else { continue };
            for axis in 0..AXES {
                row.fill(0.0);
                step_rows.add(group, axis, 1.0, &mut row);
                row.iter().enumerate().for_each(|(dof, x)| out[(AXES * k + axis, dof)] = *x);
            }
        }
        Some(out)
    }
}
