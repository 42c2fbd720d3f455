//! Softness of constraints and limits, in `<custom>`:
//!
//! ```xml
//! <tuple name="poinsot:stiffness">
//!   <element objtype="equality" objname="hook" prm="1e4"/>
//!   <element objtype="joint" objname="knee" prm="200"/>
//! </tuple>
//! ```

use super::custom::Setting;
use super::{Reader, defaults};
use crate::description::{EqualityKind, JointType};
use crate::diagnostic::Place;
use crate::xml::ElementId;
use poinsot_core::model::Softness;

/// What may be soft: an equality or a joint, by its index.
#[derive(Clone, Copy, PartialEq)]
enum Soft {
    Equality(usize),
    Joint(usize),
}

/// What tuples set for one of them.
pub(super) struct SoftSettings {
    what: Soft,
    name: String,
    stiffness: Option<f64>,
    damping: f64,
    place: Place,
}

impl Reader<'_> {
    /// Reads an element of a tuple that names an equality or a joint.
    pub(super) fn read_yielding(&mut self, id: ElementId, setting: Setting, all: &mut Vec<SoftSettings>) {
        let a = self.attributes(id, 0);
        let kind = a.text("objtype").unwrap_or_default();
        if setting.word == "restitution" {
            let message = format!("restitution is of geoms, not of objtype \"{kind}\"");
            self.report.error("mjcf::bad-value", message).at(a.place()).help("give objtype=\"geom\"");
            return;
        }
        let found = if kind == "joint" { self.yielding_joint(id) } else { self.yielding_equality(id) };
        let (Some(what), Some(value)) = (found, self.checked(id, "prm", setting)) else { return };
        let (name, place) = (a.text("objname").unwrap_or_default().to_string(), a.place());
        let at = all.iter().position(|known| known.what == what).unwrap_or_else(|| {
            all.push(SoftSettings { what, name, stiffness: None, damping: 0.0, place });
            all.len() - 1
        });
        match setting.word {
            "stiffness" => all[at].stiffness = Some(value),
            _ => all[at].damping = value,
        }
    }

    fn yielding_joint(&mut self, id: ElementId) -> Option<Soft> {
        let a = self.attributes(id, 0);
        let number = self.reference(a, "objname", "joint")?;
        let joint = self.d.joints().nth(number).map(|(_, j)| (j.kind, j.range.is_some()));
        let limited = |kind| matches!(kind, JointType::Hinge | JointType::Slide | JointType::Ball);
        if joint.is_some_and(|(kind, range)| limited(kind) && range) {
            return Some(Soft::Joint(number));
        }
        let name = a.text("objname").unwrap_or_default();
        let message = format!("joint \"{name}\" has no range, and so no ends that could yield");
        let help = "give it a `range`; a spring along the joint itself is its own `stiffness`";
        self.report.error("mjcf::bad-value", message).at(a.place()).help(help);
        None
    }

    fn yielding_equality(&mut self, id: ElementId) -> Option<Soft> {
        let a = self.attributes(id, 0);
        let named = a.required(self.report, "objname")?;
        let found = self.d.equalities.iter().position(|e| e.name == named.value);
        match found {
            Some(k) if matches!(self.d.equalities[k].kind, EqualityKind::Other(_)) => {
                let message = format!("constraint \"{}\" is not simulated, and cannot yield", named.value);
                self.report.error("mjcf::bad-value", message).at(named.place).help("leave it out");
                None
            }
            Some(k) => Some(Soft::Equality(k)),
            None => {
                let names = self.d.equalities.iter().map(|e| e.name.as_str());
                defaults::unknown(self.report, "equality", &named.value, names, named.place);
                None
            }
        }
    }

    /// Gives equalities and joints the softness set by all tuples together; a damper alone would not hold.
    pub(super) fn make_yield(&mut self, all: Vec<SoftSettings>) {
        for SoftSettings { what, name, stiffness, damping, place } in all {
            let Some(stiffness) = stiffness else {
                let message = format!("\"{name}\" has damping, but no stiffness: nothing would hold it");
                let help = "give it poinsot:stiffness, too";
                self.report.error("mjcf::bad-value", message).at(place).help(help);
                continue;
            };
            match what {
                Soft::Equality(k) => {
                    let (turning_stiffness, turning_damping) = (stiffness, damping);
                    let softness = Softness { stiffness, damping, turning_stiffness, turning_damping };
                    self.d.equalities[k].softness = Some(softness);
                }
                Soft::Joint(k) => {
                    let joint = self.d.bodies.iter_mut().flat_map(|b| &mut b.joints).nth(k);
                    joint.into_iter().for_each(|j| j.soft_limit = Some((stiffness, damping)));
                }
            }
        }
    }
}
