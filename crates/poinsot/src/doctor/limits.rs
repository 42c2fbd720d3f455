//! Checks the ranges of joints.

use super::{Finding, Patient, With, finding, short};
use crate::formats::Severity;
use crate::model::{Joint, JointKind};
use std::f64::consts::TAU;

pub fn check(patient: &Patient) -> Vec<Finding> {
    let start = patient.model.neutral();
    let joints = patient.model.joints().iter().enumerate();
    joints
        .filter_map(|(k, joint)| one(patient, k, joint, start.get(joint.coordinates().start).copied()))
        .collect()
}

fn one(patient: &Patient, k: usize, joint: &Joint, start: Option<f64>) -> Option<Finding> {
    let ((lower, upper), start) = (joint.limits?, start?);
    let place = patient.place_of_joint(k);
    let (name, low, high) = (&joint.name, short(lower), short(upper));
    // files round their ranges: a violation within a thousandth does not count
    let slack = 1e-3 * (upper - lower).min(1.0);
    if lower == upper {
        let message = format!("joint \"{name}\": its range is the one point {low}");
        let help = "remove the joint, or give it a range; a range of 0 0 often means \"no limit\"";
        return Some(finding(Severity::Warning, "doctor::empty-range", message).with(place, help));
    }
    if start < lower - slack || start > upper + slack {
        let message =
            format!("joint \"{name}\" begins at {}, outside its range {low} … {high}", short(start));
        let help = "start elsewhere (a keyframe, --qpos), or change the range or the reference; otherwise the first step \
                    puts it at the end of the range";
        return Some(finding(Severity::Warning, "doctor::start-outside-range", message).with(place, help));
    }
    let turns = matches!(joint.kind, JointKind::Revolute { .. }) && upper - lower > TAU * 1.001;
    if turns && (upper - lower).is_finite() {
        let message = format!("joint \"{name}\": its range {low} … {high} is more than a turn");
        let help = "is it given in degrees where radians are read?";
        return Some(finding(Severity::Note, "doctor::range-over-a-turn", message).with(place, help));
    }
    None
}
