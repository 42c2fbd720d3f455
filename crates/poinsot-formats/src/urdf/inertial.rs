//! `<inertial>`: the numbers are used as given. An inertia that no distribution of mass has gives a warning with
//! the nearest one that is possible.

use super::Reader;
use crate::inertia;
use crate::xml::{Element, ElementId};
use poinsot_core::algebra::Sym3;
use poinsot_core::spatial::{Inertia, Pose};

impl<'t> Reader<'t> {
    /// The inertia of a link in its own frame; `None` if the link has no `<inertial>`.
    pub fn read_inertial(&mut self, link: ElementId, name: &str) -> Inertia {
        let Some(id) = self.child_id(link, "inertial") else { return Inertia::ZERO };
        let frame = self.origin(id);
        let element = &self.tree[id];
        let mass = match self.child(id, "mass") {
            Some(mass) => self.required_number(mass, "value").unwrap_or(0.0),
            None => self.missing_part(element, "mass", name),
        };
        let place = self.child(id, "inertia").map_or(element.place, |e| e.place);
        let tensor = match self.child(id, "inertia") {
            Some(inertia) => self.tensor(inertia),
            None => {
                self.missing_part(element, "inertia", name);
                Sym3::zero()
            }
        };
        if mass < 0.0 {
            let message =
                format!("link \"{name}\": the mass {mass} kg is negative; give a mass of 0 or more");
            let place = self.child(id, "mass").map_or(place, |m| m.place);
            self.report.error("urdf::negative-mass", message).at(place);
            return Inertia::ZERO;
        }
        if let Some(fault) = inertia::fault(&format!("link \"{name}\""), mass, tensor) {
            self.report.warning("urdf::impossible-inertia", fault.message).at(place).help(fault.help);
        }
        placed(mass, tensor, frame)
    }

    fn missing_part(&mut self, inertial: &'t Element, part: &str, link: &str) -> f64 {
        let message = format!("link \"{link}\": <inertial> has no <{part}>: it is taken as 0");
        self.report.warning("urdf::incomplete-inertia", message).at(inertial.place);
        0.0
    }

    fn tensor(&mut self, element: &'t Element) -> Sym3 {
        // moments are required; products of inertia default to 0
        let [xx, yy, zz] = ["ixx", "iyy", "izz"].map(|n| self.required_number(element, n).unwrap_or(0.0));
        let [xy, xz, yz] = ["ixy", "ixz", "iyz"].map(|n| self.number_or(element, n, 0.0));
        Sym3 { xx, xy, xz, yy, yz, zz }
    }
}

/// The inertia with its centre of mass and axes at a frame, unchecked.
fn placed(mass: f64, tensor: Sym3, frame: Pose) -> Inertia {
    let (h, c) = (frame.pos * mass, frame.pos);
    let about_origin = Sym3::scalar(h.dot(c)).sub_outer(h, c);
    Inertia { mass, first_moment: h, rotational: tensor.rotated(frame.rot) + about_origin }
}
