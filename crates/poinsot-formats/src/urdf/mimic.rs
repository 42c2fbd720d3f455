//! `<mimic>`: the joint keeps its own coordinate, and an equality couples it to the other's.

use super::{Reader, joint::UrdfJoint};
use crate::description::{Equality, EqualityKind, JointType};
use poinsot_core::model::SolverParameters;
use std::collections::HashMap;

impl Reader<'_> {
    /// The equalities of all `<mimic>` elements; joints must be in their final order.
    pub fn couple(&mut self, joints: &[UrdfJoint]) {
        let number: HashMap<String, (usize, JointType)> =
            self.d.joints().enumerate().map(|(k, (_, j))| (j.name.clone(), (k, j.kind))).collect();
        let by_name: HashMap<&str, &UrdfJoint> = joints.iter().map(|j| (j.name.as_str(), j)).collect();
        for joint in joints {
            let Some(mimic) = joint.mimic else { continue };
            let element = &self.tree[mimic];
            let Some(name) = self.required(element, "joint") else { continue };
            let Some(other) = by_name.get(name.value.as_str()) else {
                let message = format!(
                    "joint \"{}\" mimics \"{}\", which does not exist: it moves independently",
                    joint.name, name.value
                );
                let meant = self.report.meant(&name.value, by_name.keys().copied());
                let d = self.report.warning("urdf::unknown-joint", message).at(name.place);
                if let Some(meant) = meant {
                    d.help(format!("did you mean \"{meant}\"?"));
                }
                continue;
            };
            let multiplier = self.number_or(element, "multiplier", 1.0);
            let offset = self.number_or(element, "offset", 0.0);
            let one = |name: &str| {
                let found =
                    number.get(name).filter(|(_, k)| matches!(k, JointType::Hinge | JointType::Slide));
                found.map(|(k, _)| *k)
            };
            let Some(joint1) = one(&joint.name) else { continue };
            let joint2 = one(&other.name);
            if joint2.is_none() || joint2 == Some(joint1) {
                let message = format!(
                    "joint \"{}\" cannot mimic \"{}\": it is not another joint of one coordinate",
                    joint.name, other.name
                );
                self.report.warning("urdf::mimic", message).at(name.place);
                continue;
            }
            self.d.equalities.push(Equality {
                name: String::new(),
                kind: EqualityKind::Joint {
                    joint1,
                    joint2,
                    coefficients: [offset, multiplier, 0.0, 0.0, 0.0],
                },
                active: true,
                solver: SolverParameters::default(),
                softness: None,
                place: element.place,
            });
        }
    }
}
