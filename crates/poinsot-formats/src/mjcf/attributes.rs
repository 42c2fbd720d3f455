//! Attributes of an element, with those of its default classes as fallbacks.
//!
//! A list of numbers may be given in part: `friction="1"` changes the first and leaves the others as the class has them.

use crate::diagnostic::{Place, Report};
use crate::xml::{Attribute, Element, Tree};
use poinsot_core::algebra::V3;

/// An element and the elements of its default classes, from the nearest to the farthest.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'t> {
    tree: &'t Tree,
    pub own: &'t Element,
    defaults: &'t [usize],
}

impl<'t> Attributes<'t> {
    pub fn new(tree: &'t Tree, own: &'t Element, defaults: &'t [usize]) -> Self {
        Attributes { tree, own, defaults }
    }
    /// The place of the element.
    pub fn place(&self) -> Place {
        self.own.place
    }

    /// From the nearest to the farthest, all that give this attribute.
    fn layers(self, name: &'t str) -> impl DoubleEndedIterator<Item = &'t Attribute> {
        let (tree, own) = (self.tree, self.own);
        let farther = self.defaults.iter().map(move |k| &tree[*k]);
        std::iter::once(own).chain(farther).filter_map(move |e| e.get(name))
    }
    /// The nearest attribute of this name.
    pub fn get(&self, name: &'t str) -> Option<&'t Attribute> {
        self.layers(name).next()
    }
    /// Of mutually exclusive attributes, the nearest one given; an error if two are given together.
    pub fn nearest(&self, report: &mut Report, names: &[&'static str]) -> Option<&'static str> {
        let layers = std::iter::once(self.own).chain(self.defaults.iter().map(|k| &self.tree[*k]));
        for layer in layers {
            let mut given = names.iter().filter(|n| layer.get(n).is_some());
            let Some(first) = given.next() else { continue };
            if let Some(second) = given.next() {
                let message = format!("`{first}` and `{second}` exclude each other");
                report.error("mjcf::bad-orientation", message).at(layer.place).help("give one of them");
            }
            return Some(first);
        }
        None
    }
    pub fn text(&self, name: &'t str) -> Option<&'t str> {
        self.get(name).map(|a| a.value.as_str())
    }
    /// The element's own name; empty when it has none.
    pub fn name(&self) -> String {
        self.own.text("name").unwrap_or_default().to_string()
    }

    /// Overwrites the first of `values` with what the classes and the element give; true if any does.
    pub fn fill(&self, report: &mut Report, name: &'t str, values: &mut [f64]) -> bool {
        let mut given = false;
        for attribute in self.layers(name).rev() {
            given |= parse_into(report, attribute, values, 1).is_some();
        }
        given
    }
    /// True if an attribute is given but not numeric; this was reported when it was read.
    pub fn is_unreadable(&self, name: &'t str) -> bool {
        let ok = |word: &str| word.parse().is_ok_and(f64::is_finite);
        self.get(name).is_some_and(|a| a.value.trim().is_empty() || !a.value.split_ascii_whitespace().all(ok))
    }
    /// Exactly N numbers.
    pub fn exact<const N: usize>(&self, report: &mut Report, name: &'t str) -> Option<[f64; N]> {
        let mut values = [0.0; N];
        parse_into(report, self.get(name)?, &mut values, N)?;
        Some(values)
    }
    pub fn vector(&self, report: &mut Report, name: &'t str) -> Option<V3> {
        self.exact::<3>(report, name).map(V3::from)
    }
    pub fn number(&self, report: &mut Report, name: &'t str) -> Option<f64> {
        self.exact::<1>(report, name).map(|[x]| x)
    }
    pub fn number_or(&self, report: &mut Report, name: &'t str, otherwise: f64) -> f64 {
        self.number(report, name).unwrap_or(otherwise)
    }
    /// Any number of numbers.
    pub fn list(&self, report: &mut Report, name: &'t str) -> Option<Vec<f64>> {
        parse_list(report, self.get(name)?)
    }
    pub fn integer_or(&self, report: &mut Report, name: &'t str, otherwise: i64) -> i64 {
        match self.number(report, name) {
            Some(x) if x.fract() == 0.0 && x.abs() < 9e15 => x as i64,
            Some(x) => {
                let message = format!("`{name}` is {x}, not a whole number");
                report.error("mjcf::bad-number", message).place = self.get(name).map(|a| a.place);
                otherwise
            }
            None => otherwise,
        }
    }
    /// One of several keywords.
    pub fn word(&self, report: &mut Report, name: &'t str, words: &[&'static str]) -> Option<&'static str> {
        let attribute = self.get(name)?;
        let found = words.iter().find(|w| **w == attribute.value.trim());
        if found.is_none() {
            let message = format!("`{name}` cannot be \"{}\"", attribute.value);
            let meant = report.meant(&attribute.value, words.iter().copied());
            let help = match meant {
                Some(word) => format!("did you mean `{word}`?"),
                None => format!("it is one of: {}", words.join(", ")),
            };
            report.error("mjcf::bad-keyword", message).at(attribute.place).help(help);
        }
        found.copied()
    }
    pub fn flag_or(&self, report: &mut Report, name: &'t str, otherwise: bool) -> bool {
        self.word(report, name, &["false", "true"]).map_or(otherwise, |w| w == "true")
    }

    /// A range that is in force: `limited` says so, or is not given and the range is valid.
    pub fn range(
        &self,
        report: &mut Report,
        name: &'t str,
        limited: &'t str,
        autolimits: bool,
    ) -> Option<(f64, f64)> {
        let range = self.exact::<2>(report, name);
        let word = self.word(report, limited, &["false", "true", "auto"]);
        let [lower, upper] = range.unwrap_or_default();
        if word == Some("true") && range.is_none() {
            let message = format!("`{limited}` is true, but there is no `{name}`");
            report.error("mjcf::bad-range", message).at(self.place());
            return None;
        }
        if let (Some(given), None, false) = (self.get(name), word, autolimits) {
            let message = format!("`{name}` has no effect: `autolimits` is off and `{limited}` is not given");
            report.warning("mjcf::bad-range", message).at(given.place);
        }
        let in_force = match word {
            Some("true") => true,
            Some("false") => false,
            _ => autolimits && range.is_some() && lower < upper,
        };
        if in_force && lower > upper {
            let message = format!("`{name}` goes from {lower} down to {upper}");
            report.error("mjcf::bad-range", message).place = self.get(name).map(|a| a.place);
            return None;
        }
        in_force.then_some((lower, upper))
    }

    /// The attribute, or an error if it is missing.
    pub fn required(&self, report: &mut Report, name: &'t str) -> Option<&'t Attribute> {
        let found = self.get(name);
        if found.is_none() {
            let message = format!("<{}> needs the attribute `{name}`", self.own.tag);
            report.error("mjcf::missing-attribute", message).at(self.place());
        }
        found
    }
}

/// Parses numbers into the first of `values`; at least `least`, no more than there is room for.
fn parse_into(report: &mut Report, attribute: &Attribute, values: &mut [f64], least: usize) -> Option<()> {
    let most = values.len();
    let mut count = 0;
    for word in attribute.value.split_ascii_whitespace() {
        let number = parse_number(report, attribute, word)?;
        if let Some(slot) = values.get_mut(count) {
            *slot = number;
        }
        count += 1;
    }
    if count < least || count > most {
        let name = &attribute.name;
        let wanted = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        let s = if wanted == "1" { "" } else { "s" };
        let message = format!("`{name}` has {count} numbers, but takes {wanted} number{s}");
        report.error("mjcf::wrong-count", message).at(attribute.place);
        return None;
    }
    Some(())
}

/// All numbers of an attribute.
pub(super) fn parse_list(report: &mut Report, attribute: &Attribute) -> Option<Vec<f64>> {
    attribute.value.split_ascii_whitespace().map(|word| parse_number(report, attribute, word)).collect()
}

/// Attributes for which infinity is meaningless: lengths, positions, directions and masses. A range may be infinite.
const FINITE: [&str; 15] = [
    "size",
    "pos",
    "fromto",
    "quat",
    "euler",
    "axisangle",
    "xyaxes",
    "zaxis",
    "axis",
    "mass",
    "density",
    "diaginertia",
    "fullinertia",
    "margin",
    "gap",
];

fn parse_number(report: &mut Report, attribute: &Attribute, word: &str) -> Option<f64> {
    let finite = FINITE.contains(&attribute.name.as_str());
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() || x.is_infinite() && !finite => Some(x),
        other => {
            let what = match other {
                Ok(x) if x.is_nan() => "is not a number one can compute with",
                Ok(_) => "is infinite; give a finite number",
                Err(_) => "is not a number",
            };
            let message = format!("\"{word}\" in `{}` {what}", attribute.name);
            report.error("mjcf::bad-number", message).at(attribute.place);
            None
        }
    }
}
