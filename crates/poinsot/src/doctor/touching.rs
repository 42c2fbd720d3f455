//! Checks for geoms with contact that cannot be read.

use super::{Finding, Patient, With, finding};
use crate::collide::{CollideError, Scene};
use crate::formats::Severity;

pub fn check(patient: &Patient) -> Vec<Finding> {
    let (_, left_out) = Scene::of_readable(patient.model);
    let ids: Vec<_> = patient.model.geom_ids().collect();
    let told = |error: CollideError| {
        let place = match error {
            CollideError::Geom { number, .. } => patient.place_of_geom(ids[number]),
            _ => None,
        };
        let message = format!("{error}; it touches nothing");
        let help = "correct the file, or name the folder of its meshes with --package-path";
        finding(Severity::Warning, "doctor::unreadable-geom", message).with(place, help)
    };
    left_out.into_iter().map(told).collect()
}
