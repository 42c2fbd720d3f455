//! The names in a description, and where they are in the file.

use crate::description::Description;
use crate::diagnostic::Place;
use poinsot_core::model::ModelError;
use std::collections::{HashMap, HashSet};

/// Unique names for everything: what the file leaves unnamed gets a name with its number.
pub(crate) struct Names {
    pub bodies: Vec<String>,
    pub joints: Vec<String>,
    pub tendons: Vec<String>,
    pub actuators: Vec<String>,
    pub constraints: Vec<String>,
    pub sites: Vec<String>,
    pub sensors: Vec<String>,
}

impl Names {
    pub fn new(description: &Description) -> Names {
        let d = description;
        let mut bodies = unique(d.bodies.iter().map(|b| b.name.as_str()), "body");
        // a URDF may have a link of this name; the world itself keeps it
        if let Some(k) = bodies.iter().skip(1).position(|name| *name == bodies[0]) {
            let mut other = format!("{}_", bodies[0]);
            while bodies.contains(&other) {
                other.push('_');
            }
            bodies[k + 1] = other;
        }
        Names {
            bodies,
            joints: unique(d.joints().map(|(_, j)| j.name.as_str()), "joint"),
            tendons: unique(d.tendons.iter().map(|t| t.name.as_str()), "tendon"),
            actuators: unique(d.actuators.iter().map(|a| a.name.as_str()), "actuator"),
            constraints: unique(d.equalities.iter().map(|e| e.name.as_str()), "constraint"),
            sites: unique(d.sites().map(|(_, s)| s.name.as_str()), "site"),
            sensors: unique(d.sensors.iter().map(|s| s.name.as_str()), "sensor"),
        }
    }
}

fn unique<'a>(given: impl Iterator<Item = &'a str>, kind: &str) -> Vec<String> {
    let given: Vec<&str> = given.collect();
    let taken: HashSet<&str> = given.iter().copied().collect();
    given
        .iter()
        .enumerate()
        .map(|(k, name)| {
            if !name.is_empty() {
                return name.to_string();
            }
            let mut made = format!("{kind}{k}");
            while taken.contains(made.as_str()) {
                made.push('_');
            }
            made
        })
        .collect()
}

/// Where bodies, joints, constraints and geoms are in the file.
pub(super) struct Places<'a> {
    bodies: HashMap<&'a str, Place>,
    joints: HashMap<&'a str, Place>,
    constraints: HashMap<&'a str, Place>,
    /// By number.
    geoms: Vec<Place>,
}

impl<'a> Places<'a> {
    /// The places of all, if they are needed.
    pub fn new(description: &Description, names: &'a Names, wanted: bool) -> Places<'a> {
        let bodies = names.bodies.iter().zip(&description.bodies).filter(|_| wanted);
        let joints = names.joints.iter().zip(description.joints()).filter(|_| wanted);
        let constraints = names.constraints.iter().zip(&description.equalities).filter(|_| wanted);
        Places {
            bodies: bodies.map(|(name, body)| (name.as_str(), body.place)).collect(),
            joints: joints.map(|(name, (_, joint))| (name.as_str(), joint.place)).collect(),
            constraints: constraints.map(|(name, e)| (name.as_str(), e.place)).collect(),
            geoms: description.geoms().filter(|_| wanted).map(|(_, g)| g.place).collect(),
        }
    }

    /// Where the body, joint or constraint of an error is.
    pub fn of(&self, error: &ModelError) -> Option<Place> {
        let body_named = |name: &str| self.bodies.get(name).copied();
        let joint_named = |name: &str| self.joints.get(name).copied();
        match error {
            ModelError::BadAxis { joint, .. }
            | ModelError::ParallelAxes { joint, .. }
            | ModelError::FreeNotAlone { joint, .. }
            | ModelError::BadNumber { joint, .. }
            | ModelError::Redundant { joint, .. } => joint_named(joint),
            ModelError::Inertia { body, .. } | ModelError::BadPose { body, .. } => body_named(body),
            ModelError::Massless { joint, .. } => joint_named(joint),
            ModelError::Constraint { constraint, .. } => self.constraints.get(constraint.as_str()).copied(),
            ModelError::Geom { number, .. } => self.geoms.get(*number).copied(),
            ModelError::DuplicateName { kind, name } => match *kind {
                "bodies" => body_named(name),
                _ => joint_named(name),
            },
            _ => None,
        }
    }
}
