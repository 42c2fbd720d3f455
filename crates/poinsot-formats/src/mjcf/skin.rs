//! `<skin>`: surfaces that deform with several bodies, for display only.

use super::Reader;
use crate::description::{Geom, Skin};
use crate::xml::ElementId;

impl Reader<'_> {
    /// Reads the skins; materials and bodies are known by then.
    pub(super) fn read_skins(&mut self) {
        let all = self.section("asset").into_iter().chain(self.section("deformable"));
        let skins: Vec<ElementId> = all.filter(|(_, tag)| *tag == "skin").map(|(id, _)| id).collect();
        for id in skins {
            let a = self.attributes(id, 0);
            let Some(file) = a.text("file") else {
                self.unsimulated("skin", "a skin within the file is read, but not drawn", id);
                continue;
            };
            let file = self.compiler.mesh_file(file);
            self.look_for(a, Some(&file));
            let Ok(file) = file else { continue };
            let material = a.get("material").and_then(|m| self.named("material", &m.value, m.place));
            let mut rgba = material.map_or(Geom::GREY, |m| self.d.materials[m].rgba);
            a.fill(self.report, "rgba", &mut rgba);
            let group = a.integer_or(self.report, "group", 0) as i32;
            self.d.skins.push(Skin { name: a.name(), file, material, rgba, group, place: a.place() });
        }
    }
}
