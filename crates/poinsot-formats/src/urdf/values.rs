//! Numbers, vectors and poses of attributes.

use super::Reader;
use crate::diagnostic::Place;
use crate::xml::{Attribute, Element, ElementId, XACRO};
use poinsot_core::algebra::V3;
use poinsot_core::spatial::{Pose, exp_so3};

impl<'t> Reader<'t> {
    /// The first child of this name.
    pub fn child(&self, id: ElementId, tag: &str) -> Option<&'t Element> {
        self.child_id(id, tag).map(|k| &self.tree[k])
    }
    /// The id of the first child of this name.
    pub fn child_id(&self, id: ElementId, tag: &str) -> Option<ElementId> {
        self.tree.children(id).find(|(_, e)| e.tag == tag).map(|(k, _)| k)
    }

    /// Reports an error; inside a shape, which dynamics do not need, a warning.
    fn report_problem(&mut self, code: &'static str, message: String, place: Place) {
        if self.in_shape {
            self.report
                .warning(code, message)
                .at(place)
                .help("only the shape is wrong: the dynamics are not");
        } else {
            self.report.error(code, message).at(place);
        }
    }

    /// A required attribute.
    pub fn required(&mut self, element: &'t Element, name: &str) -> Option<&'t Attribute> {
        let found = element.get(name);
        if found.is_none() {
            let message = format!("<{}> has no attribute `{name}`", element.tag);
            self.report_problem("urdf::missing-attribute", message, element.place);
        }
        found
    }

    /// N finite numbers; otherwise an error and `None`.
    pub fn numbers<const N: usize>(&mut self, attribute: &Attribute) -> Option<[f64; N]> {
        let values = self.any_numbers::<N>(attribute)?;
        if let Some(bad) = values.iter().find(|x| !x.is_finite()) {
            let message = format!("`{}` is {bad}; give a finite number", attribute.name);
            self.report_problem("urdf::bad-number", message, attribute.place);
            return None;
        }
        Some(values)
    }

    /// N numbers, some of which may be infinite.
    pub fn any_numbers<const N: usize>(&mut self, attribute: &Attribute) -> Option<[f64; N]> {
        let name = &attribute.name;
        let mut values = Vec::new();
        for word in attribute.value.split_whitespace() {
            match word.parse::<f64>() {
                Ok(x) if !x.is_nan() => values.push(x),
                _ => {
                    let message = format!("`{name}` has \"{word}\", which is not a number");
                    if word.starts_with('$') && !self.in_shape {
                        self.report.error("urdf::bad-number", message).at(attribute.place).help(XACRO);
                    } else {
                        self.report_problem("urdf::bad-number", message, attribute.place);
                    }
                    return None;
                }
            }
        }
        let got = values.len();
        let exact = <[f64; N]>::try_from(values).ok();
        if exact.is_none() {
            let noun = if N == 1 { "number" } else { "numbers" };
            let message = format!("`{name}`: expected {N} {noun}, got {got}");
            self.report_problem("urdf::bad-number", message, attribute.place);
        }
        exact
    }

    /// A required finite number.
    pub fn required_number(&mut self, element: &'t Element, name: &str) -> Option<f64> {
        let attribute = self.required(element, name)?;
        self.numbers::<1>(attribute).map(|[x]| x)
    }
    /// A finite number, or `otherwise` if it is not given.
    pub fn number_or(&mut self, element: &'t Element, name: &str, otherwise: f64) -> f64 {
        let given = element.get(name).and_then(|a| self.numbers::<1>(a));
        given.map_or(otherwise, |[x]| x)
    }
    /// A vector, or `otherwise` if it is not given.
    pub fn vector_or(&mut self, element: &'t Element, name: &str, otherwise: V3) -> V3 {
        element.get(name).and_then(|a| self.numbers::<3>(a)).map_or(otherwise, V3::from)
    }
    /// A number of 0 or more; a smaller one is taken as 0.
    pub fn positive_or_zero(&mut self, element: &'t Element, name: &str) -> f64 {
        let value = self.number_or(element, name, 0.0);
        if value >= 0.0 {
            return value;
        }
        let message = format!("`{name}` is {value}, which is negative: 0 is taken instead");
        let place = element.get(name).map_or(element.place, |a| a.place);
        self.report.warning("urdf::negative", message).at(place);
        0.0
    }

    /// The pose of the child `<origin xyz rpy>`.
    pub fn origin(&mut self, id: ElementId) -> Pose {
        let Some(origin) = self.child(id, "origin") else { return Pose::IDENTITY };
        let pos = self.vector_or(origin, "xyz", V3::ZERO);
        let rpy = self.vector_or(origin, "rpy", V3::ZERO);
        Pose { pos, ..rotation(rpy) }
    }
}

/// Rotated about the fixed axes x, y, z in this order.
fn rotation(rpy: V3) -> Pose {
    let rot = exp_so3(V3::Z * rpy.z) * exp_so3(V3::Y * rpy.y) * exp_so3(V3::X * rpy.x);
    Pose { rot, pos: V3::ZERO }
}
