//! Motors on request: URDF says how strong the motor of a joint is, and by `<transmission>` which joints have one.

use super::Reader;
use crate::description::{Actuator, JointType, Target};
use crate::load::Motors;
use crate::xml::ElementId;
use std::collections::HashSet;

impl Reader<'_> {
    /// Adds a motor to each requested joint of one coordinate. Its control is the force or torque along the joint, within
    /// the joint's effort. Joints must be in their final order.
    pub fn add_motors(&mut self, root: ElementId, motors: Motors) {
        let driven = self.transmissions(root);
        let mimics: HashSet<String> = self.mimics(root);
        let mut made = Vec::new();
        for (number, (_, joint)) in self.d.joints().enumerate() {
            let single = matches!(joint.kind, JointType::Hinge | JointType::Slide);
            let wanted = match motors {
                Motors::None => false,
                Motors::All => !mimics.contains(&joint.name),
                Motors::Transmissions => driven.contains(&joint.name),
            };
            if !(single && wanted) {
                continue;
            }
            let effort = joint.effort_and_velocity.map(|(effort, _)| effort);
            // in files, an effort of 0 means unknown
            let range = effort.filter(|e| *e > 0.0 && e.is_finite()).map(|e| (-e, e));
            made.push(Actuator {
                name: joint.name.clone(),
                word: "motor".into(),
                target: Target::Joint { joint: number, in_parent: false },
                gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                control_range: range,
                force_range: None,
                activation_range: None,
                dynamics: "none".into(),
                dynamics_parameters: Vec::new(),
                gain: "fixed".into(),
                gain_parameters: vec![1.0],
                bias: "none".into(),
                bias_parameters: Vec::new(),
                damping_ratio: None,
                place: joint.place,
            });
        }
        self.d.actuators = made;
    }

    /// The joints that `<transmission>` elements name.
    fn transmissions(&mut self, root: ElementId) -> HashSet<String> {
        let tree = self.tree;
        let mut driven = HashSet::new();
        let known: HashSet<String> = self.d.joints().map(|(_, j)| j.name.clone()).collect();
        for (id, _) in tree.children(root).filter(|(_, e)| e.tag == "transmission") {
            for (_, joint) in tree.children(id).filter(|(_, e)| e.tag == "joint") {
                let Some(name) = joint.get("name") else { continue };
                if !known.contains(&name.value) {
                    let message = format!(
                        "a transmission names joint \"{}\", which does not move or is not there",
                        name.value
                    );
                    self.report.note("urdf::unknown-joint", message).at(name.place);
                }
                driven.insert(name.value.clone());
            }
        }
        driven
    }

    /// The joints that follow others.
    fn mimics(&self, root: ElementId) -> HashSet<String> {
        let joints = self.tree.children(root).filter(|(_, e)| e.tag == "joint");
        let follows = |id: ElementId| self.tree.children(id).any(|(_, e)| e.tag == "mimic");
        joints
            .filter(|(id, _)| follows(*id))
            .filter_map(|(_, e)| e.text("name").map(str::to_string))
            .collect()
    }
}
