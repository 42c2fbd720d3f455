//! What MJCF has no words for, in its `<custom>` section, which MuJoCo reads and passes over: restitution, stiffness and damping
//! of contacts. A `<numeric>` is the model's default, a `<tuple>` says it for geoms by name.
//!
//! ```xml
//! <custom>
//!   <numeric name="poinsot:restitution" data="0.5"/>
//!   <tuple name="poinsot:stiffness"><element objtype="geom" objname="ball" prm="1e5"/></tuple>
//! </custom>
//! ```

use super::Reader;
use crate::xml::ElementId;
use poinsot_core::model::Material;

/// The prefix of our names.
const OURS: &str = "poinsot:";
/// What follows it, and what that sets.
type Setter = fn(&mut Material, f64);
const WORDS: [(&str, Setter); 3] = [
    ("restitution", |m, x| m.restitution = x),
    ("stiffness", |m, x| m.stiffness = Some(x)),
    ("damping", |m, x| m.damping = Some(x)),
];

impl Reader<'_> {
    /// Reads what is ours of `<custom>`; geoms have been read.
    pub(super) fn read_custom(&mut self) {
        let section = self.section("custom");
        // defaults first, whatever the order
        for (id, tag) in &section {
            if *tag == "numeric"
                && let Some(set) = self.word(*id)
                && let Some([value]) = self.attributes(*id, 0).exact::<1>(self.report, "data")
            {
                let geoms = self.d.bodies.iter_mut().flat_map(|b| &mut b.geoms);
                geoms.for_each(|g| set(&mut g.geom.material, value));
            }
        }
        for (id, tag) in section {
            if tag == "tuple"
                && let Some(set) = self.word(id)
            {
                let elements: Vec<ElementId> = self.tree.children(id).map(|(id, _)| id).collect();
                elements.into_iter().for_each(|element| self.read_tuple_element(element, set));
            }
        }
    }

    /// What one of our names sets; an error for one that there is not.
    fn word(&mut self, id: ElementId) -> Option<Setter> {
        let a = self.attributes(id, 0);
        let name = a.name();
        let word = name.strip_prefix(OURS)?;
        let found = WORDS.iter().find(|(known, _)| *known == word).map(|(_, set)| *set);
        if found.is_none() {
            let all = WORDS.map(|(word, _)| format!("{OURS}{word}")).join(", ");
            let message = format!("there is no custom setting \"{name}\"");
            self.report.error("mjcf::unknown-name", message).at(a.place()).help(format!("there are {all}"));
        }
        found
    }

    fn read_tuple_element(&mut self, id: ElementId, set: Setter) {
        let a = self.attributes(id, 0);
        let kind = a.text("objtype").unwrap_or_default().to_string();
        if kind != "geom" {
            let message = format!("contact settings are of geoms, not of objtype \"{kind}\"");
            self.report.error("mjcf::bad-value", message).at(a.place()).help("give objtype=\"geom\"");
            return;
        }
        let (Some(_), Some(value)) = (self.reference(a, "objname", "geom"), a.number(self.report, "prm"))
        else {
            return;
        };
        let name = a.text("objname").unwrap_or_default();
        let geoms = self.d.bodies.iter_mut().flat_map(|b| &mut b.geoms);
        geoms.filter(|g| g.geom.name == name).for_each(|g| set(&mut g.geom.material, value));
    }
}
