//! Materials: defined at the top or inside any visual, used by name.

use super::Reader;
use super::paths::NotFound;
use crate::description::{Geom, Material, Texture};
use crate::root::Outside;
use crate::xml::{Element, ElementId};

impl<'t> Reader<'t> {
    /// All named materials with contents: those at the top, then the first of each name in a link. A
    /// visual may use one that is defined in a later link.
    pub fn read_materials(&mut self, root: ElementId) {
        let tree = self.tree;
        let at_top = tree.children(root).filter(|(_, e)| e.tag == "material").map(|(id, _)| id);
        let visuals = tree
            .children(root)
            .filter(|(_, e)| e.tag == "link")
            .flat_map(|(link, _)| tree.children(link).filter(|(_, e)| e.tag == "visual"));
        let inside = visuals.flat_map(|(v, _)| tree.children(v).filter(|(_, e)| e.tag == "material"));
        for id in at_top.chain(inside.map(|(id, _)| id)) {
            let name = tree[id].text("name").unwrap_or_default();
            if !name.is_empty() && !self.materials.contains_key(name) && self.says_something(id) {
                let number = self.new_material(id);
                self.materials.insert(name.to_string(), number);
            }
        }
    }

    /// The index of the material of a visual.
    pub fn read_material_of(&mut self, visual: ElementId) -> Option<usize> {
        let id = self.child_id(visual, "material")?;
        let element = &self.tree[id];
        let name = element.text("name").unwrap_or_default();
        let known = self.materials.get(name).copied();
        if self.says_something(id) {
            // the definition itself, or one of its own
            let own = known.filter(|k| self.d.materials[*k].place == element.place);
            return Some(own.unwrap_or_else(|| self.new_material(id)));
        }
        if known.is_none()
            && !name.is_empty()
            && element.tag == "material"
            && self.tree[visual].tag == "visual"
        {
            let message = format!("no material \"{name}\" is defined: the shape is grey");
            self.report.warning("urdf::unknown-material", message).at(element.place);
            let number = self.d.materials.len();
            self.d.materials.push(material(name, Geom::GREY, None, element));
            self.materials.insert(name.to_string(), number); // reported once
            return Some(number);
        }
        known
    }

    fn says_something(&self, id: ElementId) -> bool {
        self.child(id, "color").is_some() || self.child(id, "texture").is_some()
    }

    fn new_material(&mut self, id: ElementId) -> usize {
        // appearance only: not worth an error
        let color = self.child(id, "color").and_then(|c| c.get("rgba"));
        let rgba = color.and_then(|a| self.numbers::<4>(a)).unwrap_or(Geom::GREY);
        let picture = self.child(id, "texture").and_then(|t| t.get("filename"));
        let texture = picture.filter(|p| !p.value.is_empty()).map(|p| {
            let file = match self.paths.find(&p.value) {
                Ok(file) => Some(file),
                Err(NotFound::In(tried)) => {
                    let message = format!("there is no image \"{}\"", p.value);
                    self.report.warning("urdf::missing-texture", message).at(p.place);
                    tried.into_iter().next()
                }
                Err(NotFound::Outside) => {
                    let message = Outside::message(&p.value);
                    self.report.warning(Outside::CODE, message).at(p.place).help(Outside::HELP);
                    None
                }
            };
            self.d.textures.push(Texture {
                name: p.value.clone(),
                file,
                builtin: String::from("none"),
                kind: String::from("2d"),
                grid: Default::default(),
                rgb1: [1.0; 3],
                rgb2: [1.0; 3],
                mark: (String::from("none"), [0.0; 3]),
                place: p.place,
            });
            self.d.textures.len() - 1
        });
        let element = &self.tree[id];
        let name = element.text("name").unwrap_or_default();
        self.d.materials.push(material(name, rgba, texture, element));
        self.d.materials.len() - 1
    }
}

fn material(name: &str, rgba: [f64; 4], texture: Option<usize>, element: &Element) -> Material {
    Material {
        name: name.to_string(),
        rgba,
        texture,
        texrepeat: [1.0, 1.0],
        texuniform: false,
        specular: 0.5,
        shininess: 0.5,
        reflectance: 0.0,
        emission: 0.0,
        place: element.place,
    }
}
