//! Checks the condition of the mass matrix at the start.

use super::{Finding, Patient, With, finding};
use crate::dynamics::{MassMatrix, Workspace};
use crate::formats::Severity;

/// A solve with a matrix of this condition number retains four digits.
const WORST: f64 = 1e12;
/// Larger matrices are skipped: eigenvalues cost n³.
const LARGEST: usize = 300;

pub fn check(patient: &Patient) -> Vec<Finding> {
    let model = patient.model;
    if model.nv() == 0 || model.nv() > LARGEST || model.is_singular() {
        return Vec::new();
    }
    let mut matrix = MassMatrix::new(model);
    Workspace::new(model).mass_matrix(model, &model.neutral(), &mut matrix);
    let dense = matrix.dense();
    if dense.iter().any(|x| !x.is_finite()) {
        return Vec::new();
    }
    let eigen = dense.symmetric_eigen();
    let values = eigen.eigenvalues;
    let (low, high) = (values.min(), values.max());
    if low > high / WORST {
        return Vec::new();
    }
    // the motion of least inertia, and the joint that contributes most to it
    let weakest = values.imin();
    let motion = eigen.eigenvectors.column(weakest);
    let dof = motion.iamax();
    let joint = model.joints().iter().position(|j| j.dofs().contains(&dof));
    let place = joint.and_then(|k| patient.place_of_joint(k));
    let condition = if low > 0.0 { format!("{:.1e}", high / low) } else { "infinite".to_string() };
    let message = format!(
        "the mass matrix is nearly singular at the start (condition {condition}): {} moves almost no inertia",
        model.dof_name(dof)
    );
    let help = "axes of joints without mass between them are nearly parallel, or a body is far too light; give the joint \
                an armature, or the body a mass";
    vec![finding(Severity::Warning, "doctor::ill-conditioned", message).with(place, help)]
}
