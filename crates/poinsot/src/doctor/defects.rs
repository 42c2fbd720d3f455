//! Reports the defects that the builder accepted.

use super::{Finding, Patient, With, finding};
use crate::formats::{Place, Severity};
use crate::model::ModelError;
use crate::spatial::InertiaError;

/// A negative eigenvalue below this fraction of the largest moment comes from numbers printed with few digits.
const ROUNDING: f64 = 1e-3;

pub fn check(patient: &Patient) -> Vec<Finding> {
    patient.model.defects().iter().map(|defect| one(patient, defect)).collect()
}

fn one(patient: &Patient, defect: &ModelError) -> Finding {
    let joint = |name: &str| -> Option<Place> {
        patient.model.joint(name).and_then(|id| patient.place_of_joint(id.index()))
    };
    let message = defect.to_string();
    match defect {
        ModelError::Inertia { body, source } => {
            let place = patient.model.body(body).and_then(|id| patient.place_of_body(id.index()));
            let severity = if is_rounding(source) { Severity::Warning } else { Severity::Error };
            let help =
                "correct the inertia in the file; forward dynamics with it can gain energy from nothing";
            finding(severity, "doctor::impossible-inertia", message).with(place, help)
        }
        ModelError::Massless { joint: name, .. } => {
            finding(Severity::Error, "doctor::massless-joint", message)
                .with(joint(name), "without it accelerations are not determined: the model cannot be run")
        }
        ModelError::Redundant { joint: name, .. } => {
            finding(Severity::Error, "doctor::redundant-joint", message)
                .with(joint(name), "accelerations are not determined: the model cannot be run")
        }
        _ => finding(Severity::Error, "doctor::defect", message),
    }
}

fn is_rounding(error: &InertiaError) -> bool {
    match error {
        InertiaError::TriangleInequality { moments, excess } => -excess < ROUNDING * moments[2],
        _ => false,
    }
}
