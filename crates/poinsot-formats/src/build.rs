//! From a description to the model that is simulated.

use crate::description::{Description, Joint, JointType};
use crate::diagnostic::{Place, Report};
use poinsot_core::model::{self, BodyId, BodySpec, Model, ModelBuilder, ModelError};
use std::collections::HashSet;

/// The model; `None` (and errors in the report) when the description is of none.
pub(crate) fn model(description: &Description, report: &mut Report) -> Option<Model> {
    let names = Names::new(description);
    let mut builder = ModelBuilder::new(description.name.clone());
    builder.gravity(description.options.gravity).lenient();
    let mut ids = vec![BodyId::WORLD];
    let mut joint_number = 0;
    for (k, body) in description.bodies.iter().enumerate().skip(1) {
        let spec = BodySpec::new(names.bodies[k].clone()).pose(body.pose).inertia(body.inertia);
        let id = builder.body(ids[body.parent], spec);
        for joint in &body.joints {
            builder.joint(id, core_joint(joint).named(names.joints[joint_number].clone()));
            joint_number += 1;
        }
        ids.push(id);
    }
    match builder.build() {
        Ok(model) => {
            for defect in model.defects() {
                let place = place_of(defect, description, &names);
                let d = report.warning("model::defect", defect.to_string());
                d.place = place;
            }
            Some(model)
        }
        Err(error) => {
            let place = place_of(&error, description, &names);
            report.error("model::impossible", error.to_string()).place = place;
            None
        }
    }
}

fn core_joint(joint: &Joint) -> model::Joint {
    let kind = match joint.kind {
        JointType::Hinge => model::Joint::revolute(joint.axis),
        JointType::Slide => model::Joint::prismatic(joint.axis),
        JointType::Ball => model::Joint::spherical(),
        JointType::Free => model::Joint::free(),
        JointType::Planar => model::Joint::planar(joint.axis),
    };
    let mut made = kind.reference(joint.reference).armature(joint.armature).damping(joint.damping);
    // a free body has no place in its parent to turn about
    if joint.kind != JointType::Free {
        made = made.anchor(joint.anchor);
    }
    if joint.stiffness > 0.0 {
        made = made.spring(joint.stiffness, joint.spring_reference);
    }
    if let (Some((lower, upper)), JointType::Hinge | JointType::Slide) = (joint.range, joint.kind) {
        made = made.limits(lower, upper);
    }
    made
}

/// Names for all bodies and joints, unique: what the file leaves unnamed gets a name with its number.
struct Names {
    bodies: Vec<String>,
    joints: Vec<String>,
}

impl Names {
    fn new(description: &Description) -> Names {
        let bodies = unique(description.bodies.iter().map(|b| b.name.as_str()), |k| format!("body{k}"));
        let joint = |k: usize| format!("joint{k}");
        Names { joints: unique(description.joints().map(|(_, j)| j.name.as_str()), joint), bodies }
    }
}

fn unique<'a>(given: impl Iterator<Item = &'a str>, make: impl Fn(usize) -> String) -> Vec<String> {
    let given: Vec<&str> = given.collect();
    let taken: HashSet<&str> = given.iter().copied().collect();
    given
        .iter()
        .enumerate()
        .map(|(k, name)| {
            if !name.is_empty() {
                return name.to_string();
            }
            let mut made = make(k);
            while taken.contains(made.as_str()) {
                made.push('_');
            }
            made
        })
        .collect()
}

/// Where the body or joint of an error stands in the file.
fn place_of(error: &ModelError, description: &Description, names: &Names) -> Option<Place> {
    let body_named = |name: &str| {
        let k = names.bodies.iter().position(|n| n == name)?;
        Some(description.bodies[k].place)
    };
    let joint_named = |name: &str| {
        let k = names.joints.iter().position(|n| n == name)?;
        description.joints().nth(k).map(|(_, j)| j.place)
    };
    match error {
        ModelError::BadAxis { joint, .. }
        | ModelError::ParallelAxes { joint, .. }
        | ModelError::FreeNotAlone { joint, .. }
        | ModelError::BadNumber { joint, .. }
        | ModelError::Redundant { joint, .. } => joint_named(joint),
        ModelError::Inertia { body, .. } | ModelError::BadPose { body, .. } => body_named(body),
        ModelError::Massless { joint, .. } => joint_named(joint),
        ModelError::DuplicateName { kind, name } => match *kind {
            "bodies" => body_named(name),
            _ => joint_named(name),
        },
        _ => None,
    }
}
