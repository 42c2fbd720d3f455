//! XML text, element by element, and the list of what a format cannot express.

use crate::diagnostic::Report;
use poinsot_core::algebra::V3;
use std::collections::BTreeMap;

/// The number of names listed in one warning; more are counted.
const MOST_NAMES: usize = 8;

/// The shortest decimal that reads back as the same number.
pub(crate) fn number(x: f64) -> String {
    let text = format!("{:?}", x + 0.0);
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// Numbers separated by blanks.
pub(crate) fn numbers(list: &[f64]) -> String {
    list.iter().map(|x| number(*x)).collect::<Vec<_>>().join(" ")
}

pub(crate) fn vector(v: V3) -> String {
    numbers(&v.array())
}

/// An element to be written: its tag and attributes.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    name: String,
    attributes: String,
}

impl Tag {
    pub fn new(name: &str) -> Tag {
        Tag { name: name.to_string(), attributes: String::new() }
    }
    /// Adds an attribute.
    pub fn with(mut self, name: &str, value: impl AsRef<str>) -> Tag {
        self.set(name, value);
        self
    }
    /// Adds an attribute unless it has its default value.
    pub fn unless<T: PartialEq>(
        mut self,
        usual: T,
        value: T,
        name: &str,
        text: impl Fn(&T) -> String,
    ) -> Tag {
        if value != usual {
            self.set(name, text(&value));
        }
        self
    }
    /// Adds a number unless it has its default value.
    pub fn number(self, name: &str, value: f64, usual: f64) -> Tag {
        self.unless(usual, value, name, |x| number(*x))
    }
    /// Adds a list of numbers unless it has its default value.
    pub fn list(self, name: &str, value: &[f64], usual: &[f64]) -> Tag {
        self.unless(usual, value, name, |x| numbers(x))
    }
    /// Adds a name unless it is empty.
    pub fn text(mut self, name: &str, value: &str) -> Tag {
        if !value.is_empty() {
            self.set(name, value);
        }
        self
    }
    pub fn set(&mut self, name: &str, value: impl AsRef<str>) {
        self.attributes.push_str(&format!(" {name}=\"{}\"", escaped(value.as_ref())));
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // characters that XML does not allow
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A document being written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    open: Vec<String>,
}

impl Writer {
    fn line(&mut self, tag: &Tag, end: &str) {
        self.text.push_str(&"  ".repeat(self.open.len().min(40)));
        self.text.push_str(&format!("<{}{}{end}\n", tag.name, tag.attributes));
    }
    /// `<tag …/>`.
    pub fn leaf(&mut self, tag: Tag) {
        self.line(&tag, "/>");
    }
    /// `<tag …>`; [`Writer::close`] ends it.
    pub fn open(&mut self, tag: Tag) {
        self.line(&tag, ">");
        self.open.push(tag.name);
    }
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.text.push_str(&"  ".repeat(self.open.len().min(40)));
            self.text.push_str(&format!("</{name}>\n"));
        }
    }
    /// The text, with all elements closed.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// What could not be expressed, by kind.
#[derive(Debug, Default)]
pub(crate) struct Losses(BTreeMap<&'static str, Vec<String>>);

impl Losses {
    pub fn add(&mut self, what: &'static str, name: impl Into<String>) {
        self.0.entry(what).or_default().push(name.into());
    }
    /// Adds all of a list, by name.
    pub fn add_all<'a>(&mut self, what: &'static str, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            self.add(what, name);
        }
    }
    /// One warning for each kind.
    pub fn report(self) -> Report {
        let mut report = Report::default();
        for (what, names) in self.0 {
            let named: Vec<String> =
                names.iter().filter(|n| !n.is_empty()).take(MOST_NAMES).map(|n| format!("\"{n}\"")).collect();
            let more = if names.len() > named.len() && !named.is_empty() { ", …" } else { "" };
            let list = if named.is_empty() { String::new() } else { format!(": {}{more}", named.join(", ")) };
            let count = if names.len() > 1 { format!(" ({} times)", names.len()) } else { String::new() };
            report.warning("write::not-carried", format!("{what}{count}{list}"));
        }
        report
    }
}
