//! Links: a name, an inertia, shapes.

use super::Reader;
use crate::description::{Geom, push_exact};
use crate::diagnostic::Place;
use crate::xml::ElementId;
use poinsot_core::model::Role;
use poinsot_core::spatial::Inertia;
use std::collections::HashMap;

/// A link as the file gives it.
pub(super) struct Link {
    pub name: String,
    pub inertia: Inertia,
    pub geoms: Vec<Geom>,
    pub place: Place,
}

impl Reader<'_> {
    /// All links, in the order of the file. Names must be given and unique.
    pub fn read_links(&mut self, root: ElementId) -> Vec<Link> {
        let tree = self.tree;
        let mut taken: HashMap<&str, Place> = HashMap::new();
        let mut links = Vec::new();
        for (id, element) in tree.children(root).filter(|(_, e)| e.tag == "link") {
            let Some(name) = self.required(element, "name") else { continue };
            if let Some(first) = taken.insert(&name.value, name.place) {
                self.report_duplicate("link", &name.value, name.place, first);
                continue;
            }
            let inertia = self.read_inertial(id, &name.value);
            let geoms = self.read_geoms(id);
            links.push(Link { name: name.value.clone(), inertia, geoms, place: element.place });
        }
        if links.is_empty() && !self.report.has_errors() {
            self.report.error("urdf::no-link", "the robot has no link").at(tree[root].place);
        }
        links
    }

    /// Reports a name that is taken.
    pub fn report_duplicate(&mut self, kind: &str, name: &str, place: Place, first: Place) {
        let first = self.report.spell(first);
        let message = format!("two {kind}s are named \"{name}\"; the first is at {first}");
        self.report.error("urdf::duplicate-name", message).at(place).help("rename one of them");
    }

    fn read_geoms(&mut self, link: ElementId) -> Vec<Geom> {
        let tree = self.tree;
        let mut geoms = Vec::new();
        self.in_shape = true;
        for (id, element) in tree.children(link) {
            let role = match element.tag.as_str() {
                "visual" => Role::Visual,
                "collision" => Role::Collision,
                _ => continue,
            };
            if let Some(geom) = self.read_geom(id, role) {
                push_exact(&mut geoms, geom);
            }
        }
        self.in_shape = false;
        geoms
    }
}
