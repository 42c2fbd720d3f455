//! Default classes: `<default class="…">` with their nested classes.

use super::attributes::Attributes;
use crate::diagnostic::{Place, Report};
use crate::xml::{Element, ElementId, Tree};
use std::collections::HashMap;

/// Classes nested deeper than this are refused.
const DEEPEST: usize = 100;
/// A class inherits everything from its parent, and every element searches its class: both are bounded.
const MOST_ENTRIES: usize = 3_000_000;
const LONGEST_CHAIN: usize = 300;
/// Every element of a class inherits its attributes.
const LONGEST_VALUE: usize = 10_000;

/// All actuators share one default, whatever their keyword.
pub(super) const ACTUATOR: &str = "<actuator>";
const ACTUATOR_WORDS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "plugin",
    "orientation",
    "pid",
    "dcmotor",
];

/// For each kind of element, the elements that give its defaults, from the nearest to the farthest.
type Chains = HashMap<String, Vec<ElementId>>;

/// The number of a class.
pub(super) type ClassId = usize;

/// All default classes; the first is the main class.
pub(super) struct Defaults {
    classes: Vec<Chains>,
    names: HashMap<String, ClassId>,
    /// The number of entries of all chains.
    entries: usize,
}

impl Defaults {
    /// Reads all `<default>` sections below the root.
    pub fn read(report: &mut Report, tree: &Tree, root: ElementId) -> Defaults {
        let mut defaults =
            Defaults { classes: vec![Chains::new()], names: HashMap::from([("main".into(), 0)]), entries: 0 };
        for (id, element) in tree.children(root).filter(|(_, e)| e.tag == "default") {
            if let Some(name) = element.text("class") {
                defaults.names.insert(name.to_string(), 0);
            }
            defaults.read_class(report, tree, id, 0);
        }
        defaults
    }

    /// Reads a class and those nested in it.
    fn read_class(&mut self, report: &mut Report, tree: &Tree, section: ElementId, class: ClassId) {
        let mut open = vec![(section, class, 0)];
        while let Some((section, class, depth)) = open.pop() {
            // its own elements first: nested classes begin with all of them
            for (id, element) in tree.children(section).filter(|(_, e)| e.tag != "default") {
                let chain = self.classes[class].entry(chain_name(&element.tag).to_string()).or_default();
                chain.insert(0, id);
                self.entries += 1;
                let long = element.attributes.iter().any(|a| a.value.len() > LONGEST_VALUE);
                if chain.len() > LONGEST_CHAIN || self.entries > MOST_ENTRIES || long {
                    let message = "the defaults are too many, or too long";
                    report.error("mjcf::too-many", message).at(element.place);
                    return;
                }
            }
            for (id, element) in tree.children(section).filter(|(_, e)| e.tag == "default") {
                let Some(name) = element.text("class") else {
                    let message = "a default class within another needs the attribute `class`";
                    report.error("mjcf::missing-attribute", message).at(element.place);
                    continue;
                };
                if self.entries > MOST_ENTRIES {
                    report.error("mjcf::too-many", "there are too many default classes").at(element.place);
                    return;
                }
                if depth >= DEEPEST {
                    let message = format!("default classes are nested deeper than {DEEPEST}");
                    report.error("mjcf::too-deep", message).at(element.place);
                    return;
                }
                if self.names.contains_key(name) {
                    let message = format!("there is another default class named \"{name}\"");
                    report.error("mjcf::repeated-name", message).at(element.place).help("rename one of them");
                    continue;
                }
                let number = self.class_named(name, class);
                open.push((id, number, depth + 1));
            }
        }
    }

    /// A new class, made from `parent`.
    fn class_named(&mut self, name: &str, parent: ClassId) -> ClassId {
        self.entries += self.classes[parent].values().map(Vec::len).sum::<usize>();
        self.classes.push(self.classes[parent].clone());
        self.names.insert(name.to_string(), self.classes.len() - 1);
        self.classes.len() - 1
    }

    /// The class that the attribute `attribute` of an element names; by default `otherwise`.
    pub fn class_of(
        &self,
        report: &mut Report,
        element: &Element,
        attribute: &str,
        otherwise: ClassId,
    ) -> ClassId {
        let Some(named) = element.get(attribute) else { return otherwise };
        match self.names.get(&named.value) {
            Some(class) => *class,
            None => {
                unknown(
                    report,
                    "default class",
                    &named.value,
                    self.names.keys().map(String::as_str),
                    named.place,
                );
                otherwise
            }
        }
    }

    /// An element with its defaults: of its own class, or else of `class`.
    pub fn attributes<'t>(
        &'t self,
        report: &mut Report,
        tree: &'t Tree,
        id: ElementId,
        class: ClassId,
    ) -> Attributes<'t> {
        let element = &tree[id];
        let class = self.class_of(report, element, "class", class);
        Attributes::new(tree, element, self.chain(class, &element.tag))
    }

    /// The elements that give the defaults of `tag` in a class, from the nearest to the farthest.
    pub fn chain(&self, class: ClassId, tag: &str) -> &[ElementId] {
        self.classes[class].get(chain_name(tag)).map_or(&[], Vec::as_slice)
    }
}

/// Some kinds of element share their defaults.
fn chain_name(tag: &str) -> &str {
    match tag {
        word if ACTUATOR_WORDS.contains(&word) => ACTUATOR,
        "fixed" | "spatial" => "tendon",
        "connect" | "weld" | "flex" | "flexstrain" => "equality",
        other => other,
    }
}

/// An error about an unknown name.
pub(super) fn unknown<'a>(
    report: &mut Report,
    kind: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
    place: Place,
) {
    let meant = report.meant(name, known.filter(|k| !k.is_empty()));
    let error = report.error("mjcf::unknown-name", format!("there is no {kind} named \"{name}\""));
    error.at(place);
    if let Some(meant) = meant {
        error.help(format!("did you mean \"{meant}\"?"));
    }
}
