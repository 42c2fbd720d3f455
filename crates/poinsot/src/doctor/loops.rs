//! Checks constraints at the start: whether they are met, can be met, and leave any freedom.

use super::{Finding, Patient, With, finding, short};
use crate::begin_on_constraints;
use crate::constraint::Multipliers;
use crate::dynamics::{State, Workspace};
use crate::formats::{Place, Severity};

pub fn check(patient: &Patient) -> Vec<Finding> {
    let model = patient.model;
    // the initial state of a scene is not in its model
    let unknown = patient.description.is_none();
    if unknown || model.constraints().is_empty() || model.is_singular() {
        return Vec::new();
    }
    let mut state = State::new(model);
    let mut found = Vec::new();
    match begin_on_constraints(model, &mut state) {
        Ok(None) => {}
        Ok(Some(moved)) => {
            let (name, off) = (&model[moved.constraint].name, short(moved.violation));
            let message = format!("constraint \"{name}\" is violated by {off} m or rad at the start");
            let help = "begin where it is met; a run moves the model there first";
            found.push(
                finding(Severity::Warning, "doctor::begins-off-constraint", message)
                    .with(place(patient, name), help),
            );
        }
        Err(error) => {
            let at = place(patient, &error.constraint);
            let help = "change lengths or anchors, or start elsewhere";
            found.push(finding(Severity::Error, "doctor::cannot-assemble", error.to_string()).with(at, help));
            return found;
        }
    }
    let mobility = Multipliers::new(model).mobility(model, &mut Workspace::new(model), &state.q);
    if mobility.freedoms == 0 {
        let message = format!(
            "nothing can move: {} rows of constraints remove all {} degrees of freedom",
            mobility.rows,
            model.nv()
        );
        let help = "a closed loop needs as many freedoms more than its closing constraint has rows";
        found.push(finding(Severity::Warning, "doctor::no-freedom", message).with(None, help));
    }
    found
}

/// Where the file states the constraint.
fn place(patient: &Patient, name: &str) -> Option<Place> {
    let stated = patient.description?.equalities.iter().find(|e| e.name == name);
    stated.map(|e| e.place)
}
