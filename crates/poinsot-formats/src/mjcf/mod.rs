//! MJCF, MuJoCo's format, according to its reference manual; where the manual is silent, according to what
//! MuJoCo computes.
//!
//! Sections are read in the order of their dependences: included files, compiler settings, default classes, assets, the tree of
//! bodies, inertias, and then what refers to bodies and joints: tendons, actuators, constraints, sensors, keyframes.

mod actuator;
mod asset;
mod attributes;
mod compiler;
mod custom;
mod custom_soft;
mod defaults;
mod equality;
mod geom;
mod include;
mod mass;
mod options;
mod relations;
mod schema;
mod skin;
mod tendon;
mod walk;
mod write;
mod write_assets;
mod write_relations;

pub(crate) use custom::YIELDING;
pub use write::to_mjcf;

use crate::description::{Description, Format};
use crate::diagnostic::{Place, Report};
use crate::root::Root;
use crate::xml::{ElementId, Tree};
use attributes::Attributes;
use compiler::Compiler;
use defaults::{ClassId, Defaults};
use poinsot_core::model::Mesh;
use std::collections::HashMap;
use std::path::Path;

/// The description of the file; `None`, with errors in the report, if it cannot be understood.
pub(crate) fn read(
    report: &mut Report,
    mut tree: Tree,
    root: ElementId,
    path: &Path,
    confined_to: &Root,
) -> Option<Description> {
    if tree[root].tag == "mujocoinclude" {
        let message = "this file is a part of models, not a model";
        let help = "load a file that includes it and begins with <mujoco>";
        report.error("mjcf::include-only", message).at(tree[root].place).help(help);
        return None;
    }
    include::resolve(report, &mut tree, root, path, confined_to);
    if report.has_errors() {
        return None;
    }
    schema::check(report, &tree, root);
    let mut compiler = Compiler::new(path, confined_to);
    for (_, element) in tree.children(root).filter(|(_, e)| e.tag == "compiler") {
        compiler.read(report, Attributes::new(&tree, element, &[]));
    }
    let defaults = Defaults::read(report, &tree, root);
    let mut reader = Reader::new(&tree, root, report, &compiler, &defaults);
    reader.read_options();
    reader.read_assets();
    reader.read_world();
    reader.find_inertias();
    reader.read_tendons();
    reader.read_actuators();
    reader.read_relations();
    reader.read_custom();
    reader.report_unsimulated();
    let description = reader.d;
    (!report.has_errors()).then_some(description)
}

/// Kinds of elements that the file itself disables.
const DISABLED_BY_THE_FILE: [&str; 2] = ["equality switched off", "inactive equality"];

/// The indices of elements of one kind, by name.
type Names = HashMap<String, usize>;

/// What has been read so far.
struct Reader<'t> {
    tree: &'t Tree,
    root: ElementId,
    report: &'t mut Report,
    compiler: &'t Compiler,
    defaults: &'t Defaults,
    d: Description,
    names: HashMap<&'static str, Names>,
    /// For each body, its `<inertial>`, in its frame.
    inertials: Vec<Option<poinsot_core::spatial::Inertia>>,
    /// For each mesh, how its inertia is computed, and its place.
    mesh_modes: HashMap<*const Mesh, (&'static str, Place)>,
    /// The solids inside the meshes that were needed, or their surfaces (true).
    solids: HashMap<(*const Mesh, bool), mass::Solid>,
    /// For each site, its body and its index there.
    site_bodies: Vec<(usize, usize)>,
    /// For each joint, its body and its index there.
    joint_bodies: Vec<(usize, usize)>,
    geom_count: usize,
    replicas: i64,
    /// What has been read of replicas, see [`walk`].
    replicated: usize,
    /// What is read but not simulated: the number of each kind, the first, and the message.
    unsimulated: Vec<(&'static str, String, usize, Place)>,
}

impl<'t> Reader<'t> {
    fn new(
        tree: &'t Tree,
        root: ElementId,
        report: &'t mut Report,
        compiler: &'t Compiler,
        defaults: &'t Defaults,
    ) -> Reader<'t> {
        let name = tree[root].text("model").unwrap_or("MuJoCo Model");
        Reader {
            tree,
            root,
            report,
            compiler,
            defaults,
            d: Description::new(name, Format::Mjcf),
            names: HashMap::from([("body", Names::from([("world".to_string(), 0)]))]),
            inertials: vec![None],
            mesh_modes: HashMap::new(),
            solids: HashMap::new(),
            site_bodies: Vec::new(),
            joint_bodies: Vec::new(),
            geom_count: 0,
            replicas: 0,
            replicated: 0,
            unsimulated: Vec::new(),
        }
    }

    /// The elements of all sections with this tag, with their own tags.
    fn section(&self, tag: &str) -> Vec<(ElementId, &'t str)> {
        let tree = self.tree;
        let sections = tree.children(self.root).filter(|(_, e)| e.tag == tag);
        sections.flat_map(|(id, _)| tree.children(id)).map(|(id, e)| (id, e.tag.as_str())).collect()
    }

    /// An element with the defaults of its class, or else of `class`.
    fn attributes(&mut self, id: ElementId, class: ClassId) -> Attributes<'t> {
        self.defaults.attributes(self.report, self.tree, id, class)
    }

    /// Registers a name; reports one that is taken.
    fn add_name(&mut self, kind: &'static str, name: &str, number: usize, place: Place) {
        if name.is_empty() {
            return;
        }
        let taken = self.names.entry(kind).or_default().insert(name.to_string(), number);
        if taken.is_some() {
            let message = format!("there is another {kind} named \"{name}\"");
            self.report.error("mjcf::repeated-name", message).at(place).help("rename one of them");
        }
    }

    /// The index of the element with this name; an error if there is none.
    fn named(&mut self, kind: &'static str, name: &str, place: Place) -> Option<usize> {
        let known = self.names.entry(kind).or_default();
        let found = known.get(name).copied();
        if found.is_none() {
            defaults::unknown(self.report, kind, name, known.keys().map(String::as_str), place);
        }
        found
    }

    /// The index of the element that an attribute names; an error if either is missing.
    fn reference(&mut self, a: Attributes<'t>, attribute: &'t str, kind: &'static str) -> Option<usize> {
        let named = a.required(self.report, attribute)?;
        self.named(kind, &named.value, named.place)
    }

    /// An error: the model cannot be simulated without this.
    fn unsupported(&mut self, id: ElementId, what: &str) {
        let message = format!("{what} are not supported");
        let help = "the model would move differently without them; remove them, or expand them into bodies and joints";
        self.report.error("mjcf::not-supported", message).at(self.tree[id].place).help(help);
    }

    /// Counts something that is read but not simulated.
    fn unsimulated(&mut self, kind: &'static str, message: impl Into<String>, id: ElementId) {
        self.unsimulated_at(kind, message, self.tree[id].place);
    }

    fn unsimulated_at(&mut self, kind: &'static str, message: impl Into<String>, place: Place) {
        match self.unsimulated.iter_mut().find(|(k, ..)| *k == kind) {
            Some((_, _, count, _)) => *count += 1,
            None => self.unsimulated.push((kind, message.into(), 1, place)),
        }
    }

    /// One note for each kind of element that is read but not simulated.
    fn report_unsimulated(&mut self) {
        self.find_unsimulated();
        for (kind, message, count, place) in std::mem::take(&mut self.unsimulated) {
            let text = if count == 1 { message } else { format!("{message} ({kind}: {count} of them)") };
            if DISABLED_BY_THE_FILE.contains(&kind) {
                self.report.note("mjcf::left-out", text).at(place);
            } else {
                self.report.not_simulated(Format::Mjcf, format!("{kind} ({count})"), text).at(place);
            }
        }
    }

    fn find_unsimulated(&mut self) {
        let mut found = Vec::new();
        for e in &self.d.equalities {
            if let Some((kind, message)) = equality::left_out(&self.d, e) {
                found.push((kind, message, e.place));
            }
        }
        for (kind, message, place) in found {
            self.unsimulated_at(kind, message, place);
        }
    }
}
