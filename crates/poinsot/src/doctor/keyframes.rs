//! Checks keyframes: lengths, attitudes, ranges.

use super::{Finding, Patient, With, finding, short};
use crate::formats::{Keyframe, Severity};
use crate::model::{Joint, JointKind};

pub fn check(patient: &Patient) -> Vec<Finding> {
    let keys = patient.description.map_or(&[][..], |d| &d.keyframes);
    keys.iter().enumerate().flat_map(|(k, key)| one(patient, k, key)).collect()
}

fn one(patient: &Patient, number: usize, key: &Keyframe) -> Vec<Finding> {
    let (model, place) = (patient.model, Some(key.place));
    let name = if key.name.is_empty() { format!("{number}") } else { format!("\"{}\"", key.name) };
    let actuators = patient.description.map_or(0, |d| d.actuators.len());
    let mut found = Vec::new();
    for (what, given, want) in [
        ("qpos", key.qpos.len(), model.nq()),
        ("qvel", key.qvel.len(), model.nv()),
        ("ctrl", key.ctrl.len(), actuators),
    ] {
        if given != 0 && given != want {
            let message = format!("keyframe {name} has {given} numbers of {what}, and the model has {want}");
            let help = "write as many numbers as the model has, joint by joint";
            found.push(finding(Severity::Error, "doctor::keyframe-length", message).with(place, help));
        }
    }
    if key.qpos.len() == model.nq() {
        found.extend(model.joints().iter().filter_map(|j| attitude(j, &name, key)));
        found.extend(model.joints().iter().filter_map(|j| range(j, &name, key)));
    }
    found
}

fn attitude(joint: &Joint, name: &str, key: &Keyframe) -> Option<Finding> {
    let q = &key.qpos[joint.coordinates()];
    let quaternion = match joint.kind {
        JointKind::Spherical => q,
        JointKind::Free => &q[3..],
        _ => return None,
    };
    let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (norm - 1.0).abs() < 1e-3 {
        return None;
    }
    let severity = if norm < 1e-9 { Severity::Error } else { Severity::Warning };
    let message =
        format!("keyframe {name}: the quaternion of joint \"{}\" has the length {}", joint.name, short(norm));
    let help = "attitudes are unit quaternions w x y z; it is divided by its length where it is used";
    Some(finding(severity, "doctor::keyframe-quaternion", message).with(Some(key.place), help))
}

fn range(joint: &Joint, name: &str, key: &Keyframe) -> Option<Finding> {
    let (lower, upper) = joint.limits?;
    let q = *key.qpos.get(joint.coordinates().start)?;
    let slack = 1e-3 * (upper - lower).min(1.0);
    if lower >= upper || (q >= lower - slack && q <= upper + slack) {
        return None;
    }
    let message = format!(
        "keyframe {name}: joint \"{}\" is at {}, outside its range {} … {}",
        joint.name,
        short(q),
        short(lower),
        short(upper)
    );
    let help = "the first step would put it at the end of the range; change the keyframe or the range";
    Some(finding(Severity::Warning, "doctor::keyframe-outside-range", message).with(Some(key.place), help))
}
