//! `<inertial>`: the numbers are kept as they are given. An inertia that no distribution of mass has is a warning, with
//! the nearest one that is possible.

use super::Reader;
use crate::diagnostic::Place;
use crate::xml::{Element, ElementId};
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::spatial::{Inertia, InertiaError, Pose};

/// The least second moment of a repaired inertia, relative to the largest.
const THIN: f64 = 1e-6;

impl<'t> Reader<'t> {
    /// The inertia of a link in its own frame; none when the link has no `<inertial>`.
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
        self.judge(mass, tensor, name, place);
        placed(mass, tensor, frame)
    }

    fn missing_part(&mut self, inertial: &'t Element, part: &str, link: &str) -> f64 {
        let message = format!("link \"{link}\": <inertial> has no <{part}>: it is taken as 0");
        self.report.warning("urdf::incomplete-inertia", message).at(inertial.place);
        0.0
    }

    fn tensor(&mut self, element: &'t Element) -> Sym3 {
        // moments must be given; products of inertia are 0 when they are not
        let [xx, yy, zz] = ["ixx", "iyy", "izz"].map(|n| self.required_number(element, n).unwrap_or(0.0));
        let [xy, xz, yz] = ["ixy", "ixz", "iyz"].map(|n| self.number_or(element, n, 0.0));
        Sym3 { xx, xy, xz, yy, yz, zz }
    }

    /// Warns of an inertia that is impossible.
    fn judge(&mut self, mass: f64, tensor: Sym3, link: &str, place: Place) {
        let given = Inertia { mass, first_moment: V3::ZERO, rotational: tensor };
        let Err(error) = given.check() else { return };
        let (message, help) = match error {
            InertiaError::MasslessInertia => (
                format!("link \"{link}\": the mass is 0 but the inertia is not; no body is like this"),
                "give the link a mass, or remove its <inertial>".to_string(),
            ),
            InertiaError::TriangleInequality { moments: [a, b, c], .. } if a < 0.0 => (
                format!(
                    "link \"{link}\": the principal moment of inertia {a} is negative (the three are {a}, {b}, {c})"
                ),
                repair(tensor),
            ),
            InertiaError::TriangleInequality { moments: [a, b, c], .. } => (
                format!(
                    "link \"{link}\": no distribution of mass has these moments of inertia: the largest principal \
                     moment {c} is above {}, the sum of the others, {a} and {b}",
                    a + b
                ),
                repair(tensor),
            ),
            other => (format!("link \"{link}\": {other}"), "give finite SI numbers".to_string()),
        };
        self.report.warning("urdf::impossible-inertia", message).at(place).help(help);
    }
}

/// The inertia with its centre of mass and axes at a frame, unchecked.
fn placed(mass: f64, tensor: Sym3, frame: Pose) -> Inertia {
    let (h, c) = (frame.pos * mass, frame.pos);
    let about_origin = Sym3::scalar(h.dot(c)).sub_outer(h, c);
    Inertia { mass, first_moment: h, rotational: tensor.rotated(frame.rot) + about_origin }
}

/// The nearest possible inertia, to paste into the file. Its second moments `½ tr(I) 1 − I` are those given, with the
/// negative ones raised to a thin body's.
fn repair(tensor: Sym3) -> String {
    let given = Inertia { mass: 1.0, first_moment: V3::ZERO, rotational: tensor };
    let (moments, axes) = given.principal_axes();
    let half = 0.5 * moments.iter().sum::<f64>();
    let second = moments.map(|m| half - m);
    let largest = second.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let raised = second.map(|s| s.max(THIN * largest));
    let sum: f64 = raised.iter().sum();
    let Sym3 { xx, xy, xz, yy, yz, zz } =
        Sym3::diagonal(sum - raised[0], sum - raised[1], sum - raised[2]).rotated(rounded(axes));
    format!(
        "the numbers are kept: check units, axes and signs. The nearest possible inertia is ixx=\"{xx:.7e}\" \
         ixy=\"{xy:.7e}\" ixz=\"{xz:.7e}\" iyy=\"{yy:.7e}\" iyz=\"{yz:.7e}\" izz=\"{zz:.7e}\""
    )
}

/// Axes without the round-off that would show as products of inertia.
fn rounded(axes: M3) -> M3 {
    let near = |x: f64| if (x - x.round()).abs() < 1e-14 { x.round() } else { x };
    let column = |v: V3| V3::new(near(v.x), near(v.y), near(v.z));
    M3::columns(column(axes.x), column(axes.y), column(axes.z))
}
