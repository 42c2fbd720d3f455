//! Errors in a model, and what to do about them.

use crate::spatial::InertiaError;
use thiserror::Error;

/// Why a model could not be built.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum ModelError {
    #[error("body \"{body}\": {source}")]
    Inertia { body: String, source: InertiaError },
    #[error("two {kind} are named \"{name}\"; rename one")]
    DuplicateName { kind: &'static str, name: String },
    #[error(
        "body \"{body}\" is attached to body number {parent}, which does not exist before it; add the parent first"
    )]
    UnknownParent { body: String, parent: usize },
    #[error(
        "without these bodies \"{body}\" would have another number, and tendons, actuators, constraints or sensors refer to \
         numbers; remove only bodies that were added last, or build a new model"
    )]
    Renumbered { body: String },
    #[error("the world cannot have a joint or an inertia; add a body and put the joint on it")]
    JointOnWorld,
    #[error(
        "joint \"{joint}\" was put on body number {body}, which does not belong to this model; use the id returned by this builder's \
         `body`"
    )]
    UnknownBody { joint: String, body: usize },
    #[error(
        "joint \"{joint}\" of body \"{body}\": axis ({x}, {y}, {z}) has no direction; give a finite non-zero axis"
    )]
    BadAxis { body: String, joint: String, x: f64, y: f64, z: f64 },
    #[error(
        "joint \"{joint}\" of body \"{body}\": the two axes of a universal joint are parallel; give axes that cross"
    )]
    ParallelAxes { body: String, joint: String },
    #[error("joint \"{joint}\" of body \"{body}\": {what} is {value}; give {want}")]
    BadNumber { body: String, joint: String, what: &'static str, value: f64, want: &'static str },
    #[error(
        "body \"{body}\": its pose is not a rigid motion ({why}); give a unit rotation and a finite position"
    )]
    BadPose { body: String, why: String },
    #[error(
        "joint \"{joint}\" of body \"{body}\": a free joint must be the only joint of its body; remove the others"
    )]
    FreeNotAlone { body: String, joint: String },
    #[error(
        "joint \"{joint}\" moves no inertia: {what} beyond it has no mass about its motion; give body \"{body}\" or \
         a body fixed to it a mass, or the joint an armature"
    )]
    Massless { body: String, joint: String, what: &'static str },
    #[error(
        "joint \"{joint}\" moves nothing that {} before it cannot move in the same way, and no mass lies between: the \
         accelerations would not be determined. Remove the joint, change its axis or anchor, or give it an armature",
        quoted(others)
    )]
    Redundant { joint: String, others: Vec<String> },
    #[error("joint \"{joint}\" of body \"{body}\": {why}")]
    Limits { body: String, joint: String, why: String },
    #[error("actuator \"{actuator}\": {why}")]
    Actuator { actuator: String, why: String },
    #[error("tendon \"{tendon}\": {why}")]
    Tendon { tendon: String, why: String },
    #[error("constraint \"{constraint}\": {why}")]
    Constraint { constraint: String, why: String },
    #[error("geom {geom} of body \"{body}\": {why}")]
    Geom { geom: String, body: String, number: usize, why: String },
    #[error("contact pair \"{pair}\": {why}")]
    ContactPair { pair: String, why: String },
    #[error(
        "contact is excluded for body number {body}, which does not belong to this model; use the id returned by this builder's \
         `body`"
    )]
    Exclude { body: usize },
    #[error(
        "body \"{body}\": its gravity compensation is {value}; give a finite number (1 for a body that floats)"
    )]
    BadCompensation { body: String, value: f64 },
    #[error(
        "joint \"{joint}\" of body \"{body}\" was added after joints of later bodies, so the ids given out would not \
         be those of the model; add the joints body by body, in the order of the bodies"
    )]
    JointOrder { body: String, joint: String },
    #[error(
        "the {what} of the medium is {value}; give finite SI numbers, densities and viscosities of 0 or more"
    )]
    Medium { what: &'static str, value: f64 },
    #[error("site \"{site}\": {why}")]
    Site { site: String, why: String },
    #[error("sensor \"{sensor}\": {why}")]
    Sensor { sensor: String, why: String },
    #[error("gravity is not finite")]
    BadGravity,
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")
}
