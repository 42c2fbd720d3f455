//! Groups diagnostics that say the same of several elements.

use crate::diagnostic::{Diagnostic, Severity};
use std::collections::HashMap;

/// Diagnostics that differ only in names: the first, and the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'a> {
    /// The first.
    pub first: &'a Diagnostic,
    /// The others.
    pub others: Vec<&'a Diagnostic>,
}

/// This many of the others are named.
const NAMED: usize = 3;

impl Group<'_> {
    /// The message of the first, and the names in the others.
    ///
    /// ```
    /// use poinsot_formats::{Report, groups};
    /// let mut report = Report::default();
    /// for link in ["hip", "knee", "foot"] {
    ///     report.warning("urdf::no-mass", format!("link \"{link}\" has no mass"));
    /// }
    /// let [group] = &groups(report.diagnostics())[..] else { unreachable!() };
    /// assert_eq!(group.message(), "link \"hip\" has no mass (3 alike: also \"knee\", \"foot\")");
    /// ```
    pub fn message(&self) -> String {
        if self.others.is_empty() {
            return self.first.message.clone();
        }
        let names: Vec<String> = (self.others.iter().take(NAMED))
            .filter_map(|d| d.message.split('"').nth(1).map(|name| format!("\"{name}\"")))
            .collect();
        let more = if self.others.len() > names.len() { ", …" } else { "" };
        let also =
            if names.is_empty() { String::new() } else { format!(": also {}{more}", names.join(", ")) };
        format!("{} ({} alike{also})", self.first.message, self.others.len() + 1)
    }
    /// The first, with this message.
    pub fn as_one(&self) -> Diagnostic {
        Diagnostic { message: self.message(), ..self.first.clone() }
    }
}

/// Groups diagnostics that differ only in names, in the order of the first of each. Errors stay separate: each must be corrected.
pub fn groups<'a>(list: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: HashMap<(&str, String), usize> = HashMap::new();
    for d in list {
        let key = (d.code, without_names(&d.message));
        match known.get(&key).filter(|_| d.severity != Severity::Error) {
            Some(k) => groups[*k].others.push(d),
            None => {
                known.insert(key, groups.len());
                groups.push(Group { first: d, others: Vec::new() });
            }
        }
    }
    groups
}

/// The text outside quotation marks.
fn without_names(message: &str) -> String {
    message.split('"').step_by(2).collect::<Vec<_>>().join("\"")
}
