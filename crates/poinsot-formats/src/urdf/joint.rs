//! Joints.

use super::Reader;
use crate::description::{Joint, JointType};
use crate::diagnostic::Place;
use crate::xml::{Attribute, Element, ElementId};
use poinsot_core::algebra::V3;
use poinsot_core::spatial::Pose;
use std::collections::HashMap;

const TYPES: [&str; 7] = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"];

/// A joint as the file gives it.
pub(super) struct UrdfJoint {
    pub name: String,
    pub parent: Named,
    pub child: Named,
    /// Its frame in the parent link: also that of the child link.
    pub origin: Pose,
    /// `None`: fixed.
    pub made: Option<Joint>,
    /// The `<mimic>` element.
    pub mimic: Option<ElementId>,
    pub place: Place,
}

/// The name of a link, and its place.
pub(super) struct Named {
    pub name: String,
    pub place: Place,
}

impl<'t> Reader<'t> {
    /// All joints, in the order of the file. Names must be given and unique.
    pub fn read_joints(&mut self, root: ElementId) -> Vec<UrdfJoint> {
        let tree = self.tree;
        let mut taken: HashMap<&str, Place> = HashMap::new();
        let mut joints = Vec::new();
        for (id, element) in tree.children(root).filter(|(_, e)| e.tag == "joint") {
            let Some(name) = self.required(element, "name") else { continue };
            if let Some(first) = taken.insert(&name.value, name.place) {
                self.report_duplicate("joint", &name.value, name.place, first);
                continue;
            }
            joints.extend(self.read_joint(id, &name.value));
        }
        joints
    }

    fn read_joint(&mut self, id: ElementId, name: &str) -> Option<UrdfJoint> {
        let element = &self.tree[id];
        let parent = self.link_of(id, "parent");
        let child = self.link_of(id, "child");
        let kind = self.required(element, "type").and_then(|a| self.kind(a))?;
        let origin = self.origin(id);
        let made = match kind {
            None => None,
            Some(kind) => Some(self.moving_joint(id, name, kind)?),
        };
        let mimic = self.child_id(id, "mimic");
        Some(UrdfJoint {
            name: name.to_string(),
            parent: parent?,
            child: child?,
            origin,
            made,
            mimic,
            place: element.place,
        })
    }

    fn link_of(&mut self, joint: ElementId, tag: &str) -> Option<Named> {
        let Some(element) = self.child(joint, tag) else {
            let message = format!("the joint has no <{tag}>");
            self.report.error("urdf::missing-element", message).at(self.tree[joint].place);
            return None;
        };
        let link = self.required(element, "link")?;
        Some(Named { name: link.value.clone(), place: link.place })
    }

    /// `Some(None)` for a fixed joint.
    fn kind(&mut self, word: &Attribute) -> Option<Option<JointType>> {
        Some(match word.value.as_str() {
            "revolute" | "continuous" => Some(JointType::Hinge),
            "prismatic" => Some(JointType::Slide),
            "floating" => Some(JointType::Free),
            "planar" => Some(JointType::Planar),
            "fixed" => None,
            "spherical" => {
                let message = "the joint type \"spherical\" is Bullet's, not of URDF: it is read as a ball";
                self.report.note("urdf::extension", message).at(word.place);
                Some(JointType::Ball)
            }
            other => {
                let message = format!("there is no joint type \"{other}\"");
                let help = match self.report.meant(other, TYPES) {
                    Some(meant) => format!("did you mean \"{meant}\"?"),
                    None => format!("the types are {}", TYPES[..6].join(", ")),
                };
                self.report.error("urdf::unknown-joint-type", message).at(word.place).help(help);
                return None;
            }
        })
    }

    fn moving_joint(&mut self, id: ElementId, name: &str, kind: JointType) -> Option<Joint> {
        let element = &self.tree[id];
        let mut joint = Joint::new(name, kind, element.place);
        joint.axis = self.axis(id, kind)?;
        if let Some(dynamics) = self.child(id, "dynamics") {
            joint.damping = self.positive_or_zero(dynamics, "damping");
            joint.friction_loss = self.positive_or_zero(dynamics, "friction");
        }
        let bounded = element.text("type") == Some("revolute") || kind == JointType::Slide;
        match self.child(id, "limit") {
            Some(limit) => {
                joint.effort_and_velocity = self.motor(limit);
                joint.range = if bounded { self.range(limit, name) } else { None };
            }
            None if bounded => {
                let message = format!("joint \"{name}\" has no <limit>: it is treated as unlimited");
                let help = "give <limit lower upper effort velocity>, or the type \"continuous\" for a wheel";
                self.report.warning("urdf::no-limit", message).at(element.place).help(help);
            }
            None => {}
        }
        Some(joint)
    }

    fn axis(&mut self, id: ElementId, kind: JointType) -> Option<V3> {
        if matches!(kind, JointType::Free | JointType::Ball) {
            return Some(V3::Z);
        }
        let Some(element) = self.child(id, "axis") else { return Some(V3::X) };
        let given = match element.get("xyz") {
            Some(xyz) => V3::from(self.numbers::<3>(xyz)?),
            None => V3::X,
        };
        // components may be too small or too large to square
        let largest = given.x.abs().max(given.y.abs()).max(given.z.abs());
        let unit = (given * (1.0 / largest)).unit();
        if unit.is_none() {
            let place = element.get("xyz").map_or(element.place, |a| a.place);
            let message = "the axis has no direction: all its components are 0";
            self.report.error("urdf::zero-axis", message).at(place).help("give a direction, such as 0 0 1");
        }
        unit
    }

    fn motor(&mut self, limit: &'t Element) -> Option<(f64, f64)> {
        let mut number = |name: &str| {
            let [value] = limit.get(name).and_then(|a| self.any_numbers::<1>(a))?;
            Some(value)
        };
        let (effort, velocity) = (number("effort"), number("velocity"));
        (effort.is_some() || velocity.is_some())
            .then(|| (effort.unwrap_or(f64::INFINITY), velocity.unwrap_or(f64::INFINITY)))
    }

    /// The range of a joint; `None` if it is not given, or empty (Bullet's way of saying so).
    fn range(&mut self, limit: &'t Element, joint: &str) -> Option<(f64, f64)> {
        if limit.get("lower").is_none() && limit.get("upper").is_none() {
            let message = format!("<limit> of joint \"{joint}\" has neither `lower` nor `upper`");
            let help =
                "it is treated as unlimited; by the letter of the format both are 0, and the joint is locked";
            self.report.warning("urdf::no-limit", message).at(limit.place).help(help);
            return None;
        }
        let mut end = |name: &str| {
            let given = limit.get(name).and_then(|a| self.any_numbers::<1>(a));
            given.map_or(0.0, |[x]| x)
        };
        let (lower, upper) = (end("lower"), end("upper"));
        if lower > upper {
            let message =
                format!("`lower` {lower} of joint \"{joint}\" is above `upper` {upper}: no limit is taken");
            self.report.warning("urdf::empty-range", message).at(limit.place);
            return None;
        }
        (lower.is_finite() || upper.is_finite()).then_some((lower, upper))
    }
}
