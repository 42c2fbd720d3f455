//! Checks for inertias that are possible but probably unintended: wrong units, wrong decimal points.

use super::{Finding, Patient, With, finding, shapes, short};
use crate::formats::Severity;
use crate::model::{BodyId, Model};

/// A radius of gyration larger than the body's shapes by this factor is suspicious.
const TOO_WIDE: f64 = 10.0;
/// A radius of gyration below this fraction of the shapes is suspicious too.
const TOO_NARROW: f64 = 1e-3;
/// Without shapes, a radius of gyration larger than this is suspicious, m.
const HUGE: f64 = 10.0;
/// Neighbouring masses that differ by more than this factor are suspicious.
const MASS_RATIO: f64 = 1000.0;

pub fn check(patient: &Patient) -> Vec<Finding> {
    let mut found = Vec::new();
    if patient.model.nv() == 0 {
        let message = "nothing can move: the model has no joints".to_string();
        let help = "add joints; a URDF base moves freely with `floating_base` (--floating-base)";
        found.push(finding(Severity::Note, "doctor::nothing-moves", message).with(None, help));
    }
    for id in patient.model.body_ids().skip(1) {
        found.extend(gyration(patient, id));
        found.extend(mass_ratio(patient, id));
    }
    found
}

/// Compares the radius of gyration with the extent of the body's shapes.
fn gyration(patient: &Patient, id: BodyId) -> Option<Finding> {
    let body = &patient.model.bodies()[id.index()];
    let (mass, largest) = (body.inertia.mass, body.inertia.principal_moments()[2]);
    if mass <= 0.0 || !can_move(patient.model, id) || largest.is_nan() {
        return None;
    }
    let radius = (largest.max(0.0) / mass).sqrt();
    let extent = shapes::extent(patient.model, id, body.inertia.com());
    let place = patient.place_of_body(id.index());
    let (name, r) = (&body.name, short(radius));
    let units = "check the units of mass (kg), length (m) and inertia (kg m²)";
    match extent {
        Some(size) if radius > TOO_WIDE * size => {
            let message = format!(
                "body \"{name}\": its radius of gyration of {r} m is {:.0} times the extent of its shapes, {} m",
                radius / size,
                short(size)
            );
            Some(finding(Severity::Warning, "doctor::inertia-too-large", message).with(place, units))
        }
        None if radius > HUGE => {
            let message = format!("body \"{name}\": its radius of gyration is {r} m");
            Some(finding(Severity::Warning, "doctor::inertia-too-large", message).with(place, units))
        }
        Some(size) if radius < TOO_NARROW * size => {
            let message = format!(
                "body \"{name}\": its inertia is that of {} kg within {r} m, and its shapes extend to {} m",
                short(mass),
                short(size)
            );
            Some(finding(Severity::Warning, "doctor::inertia-too-small", message).with(place, units))
        }
        _ => None,
    }
}

fn can_move(model: &Model, id: BodyId) -> bool {
    let mut at = id;
    while at != BodyId::WORLD {
        let body = &model.bodies()[at.index()];
        if !body.joints.is_empty() {
            return true;
        }
        at = body.parent;
    }
    false
}

/// Compares the mass of a body with that of its nearest ancestor with mass.
fn mass_ratio(patient: &Patient, id: BodyId) -> Option<Finding> {
    let bodies = patient.model.bodies();
    let body = &bodies[id.index()];
    let mut parent = body.parent;
    while parent != BodyId::WORLD && bodies[parent.index()].inertia.mass == 0.0 {
        parent = bodies[parent.index()].parent;
    }
    let (own, other) = (body.inertia.mass, bodies[parent.index()].inertia.mass);
    if parent == BodyId::WORLD || own == 0.0 || body.joints.is_empty() {
        return None;
    }
    let ratio = (own / other).max(other / own);
    if ratio <= MASS_RATIO {
        return None;
    }
    let message = format!(
        "body \"{}\" of {} kg is attached to body \"{}\" of {} kg: a ratio of {ratio:.0}",
        body.name,
        short(own),
        bodies[parent.index()].name,
        short(other)
    );
    let help = "check the units of both masses; with such ratios small errors in one disturb the other";
    Some(
        finding(Severity::Warning, "doctor::mass-ratio", message)
            .with(patient.place_of_body(id.index()), help),
    )
}
