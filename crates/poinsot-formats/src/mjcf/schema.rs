//! The vocabulary: which elements may occur where, with which attributes. Anything else is reported, with the nearest known word.

use crate::diagnostic::Report;
use crate::xml::{Element, ElementId, Tree};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Lines `parent element: attributes`; the parent is a path below the root, `.` the root itself.
const VOCABULARY: &str = include_str!("schema.txt");

/// For each parent: its elements.
type Vocabulary = HashMap<&'static str, HashMap<&'static str, Word>>;

/// The attributes of an element, and its path when it is a parent.
struct Word {
    attributes: Vec<&'static str>,
    path: Option<&'static str>,
}

fn vocabulary() -> &'static Vocabulary {
    static WORDS: OnceLock<Vocabulary> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words = Vocabulary::new();
        for line in VOCABULARY.lines() {
            let Some((element, attributes)) = line.split_once(':') else { continue };
            let Some((parent, tag)) = element.split_once(' ') else { continue };
            let attributes = attributes.split_whitespace().collect();
            words.entry(parent).or_default().insert(tag, Word { attributes, path: None });
        }
        let paths: Vec<&'static str> = words.keys().copied().collect();
        for (parent, elements) in &mut words {
            for (tag, word) in elements {
                let path = below(parent, tag);
                word.path = paths.iter().copied().find(|p| *p == path);
            }
        }
        words
    })
}

/// Attributes that change how a model moves, and are not simulated: the element (of any name: `*`) and the attribute.
const NOT_SIMULATED: [(&str, &str); 26] = [
    ("option", "actuatorgroupdisable"),
    ("*", "actearly"),
    ("*", "delay"),
    ("*", "nsample"),
    ("*", "ffrange"),
    ("*", "velrange"),
    ("*", "slewmax"),
    ("*", "springyield"),
    ("joint", "actuatorgravcomp"),
    ("fixed", "actuatorfrcrange"),
    ("spatial", "actuatorfrcrange"),
    ("tendon", "actuatorfrcrange"),
    ("mesh", "maxhullvert"),
    ("key", "mpos"),
    ("key", "mquat"),
    ("key", "plastic"),
    ("option", "magnetic"),
    ("geom", "surfacevel"),
    ("geom", "adhesion"),
    ("pair", "adhesion"),
    ("pair", "solreffriction"),
    ("fixed", "solreffriction"),
    ("fixed", "solimpfriction"),
    ("tendon", "solreffriction"),
    ("tendon", "solimpfriction"),
    ("general", "actdim"),
];

/// Numbers that have no effect.
fn is_nothing(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace().peekable();
    words.peek().is_some() && words.all(|word| word.parse() == Ok(0.0))
}

/// Warns of every element and attribute that the format does not have.
pub(super) fn check(report: &mut Report, tree: &Tree, root: ElementId) {
    let words = vocabulary();
    let mut open = vec![(root, Some("."))];
    while let Some((id, path)) = open.pop() {
        let Some(known) = path.and_then(|p| words.get(p)) else {
            for (_, child) in tree.children(id) {
                unknown_element(report, child, &tree[id].tag, []);
            }
            continue;
        };
        for (child, element) in tree.children(id) {
            let tag = element.tag.as_str();
            let Some(word) = known.get(tag) else {
                // text that is not XML is reported where the tree is read
                if !matches!(tag, "composite") {
                    unknown_element(report, element, &tree[id].tag, known.keys().copied());
                }
                continue;
            };
            check_attributes(report, element, &word.attributes);
            if !element.children.is_empty() {
                open.push((child, word.path));
            }
        }
    }
}

/// The path of an element: bodies, frames, replicas and default classes hold the same at every depth.
fn below(path: &str, tag: &str) -> String {
    match (path, tag) {
        (_, "worldbody" | "body" | "frame" | "replicate") => "body".into(),
        (_, "default") => "default".into(),
        (".", tag) => tag.into(),
        (path, tag) => format!("{path}/{tag}"),
    }
}

fn unknown_element<'a>(
    report: &mut Report,
    element: &Element,
    parent: &str,
    known: impl IntoIterator<Item = &'a str>,
) {
    let tag = &element.tag;
    let message = format!("<{parent}> has no element <{tag}>; it is ignored");
    let meant = report.meant(tag, known);
    let warning = report.warning("mjcf::unknown-element", message).at(element.place);
    if let Some(meant) = meant {
        warning.help(format!("did you mean `{meant}`?"));
    }
}

fn check_attributes(report: &mut Report, element: &Element, known: &[&str]) {
    for attribute in &element.attributes {
        let listed =
            |(tag, name): &&(&str, &str)| *name == attribute.name && (*tag == "*" || *tag == element.tag);
        if NOT_SIMULATED.iter().any(|entry| listed(&entry)) && !is_nothing(&attribute.value) {
            let message = format!("`{}` of <{}> is read, but not simulated", attribute.name, element.tag);
            report.warning("mjcf::not-simulated", message).at(attribute.place);
        }
    }
    for attribute in element.attributes.iter().filter(|a| !known.contains(&a.name.as_str())) {
        let message = format!("<{}> has no attribute `{}`; it is ignored", element.tag, attribute.name);
        let meant = report.meant(&attribute.name, known.iter().copied());
        let warning = report.warning("mjcf::unknown-attribute", message).at(attribute.place);
        if let Some(meant) = meant {
            warning.help(format!("did you mean `{meant}`?"));
        }
    }
}
