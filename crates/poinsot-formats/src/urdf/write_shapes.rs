//! Shapes and materials as URDF.

use super::write::{UrdfWriter, origin};
use crate::description::Geom;
use crate::writer::{Tag, number, numbers, vector};
use poinsot_core::algebra::V3;
use poinsot_core::model::{Filter, Role, Shape};
use poinsot_core::spatial::Pose;

impl UrdfWriter<'_> {
    pub fn materials(&mut self) {
        for k in 0..self.d.materials.len() {
            let material = &self.d.materials[k];
            self.w.open(Tag::new("material").with("name", material_name(k, &material.name)));
            self.w.leaf(Tag::new("color").with("rgba", numbers(&material.rgba)));
            let file = material.texture.and_then(|t| self.d.textures[t].file.as_ref());
            if let Some(file) = file {
                self.w.leaf(Tag::new("texture").with("filename", file.to_string_lossy()));
            }
            self.w.close();
        }
    }

    /// One element, or two for a shape that is both visual and collision geometry.
    pub fn geom(&mut self, g: &Geom, shift: V3) {
        let Some((shape, frame)) = self.shape(g) else { return };
        let (role, touched) = (g.geom.role, g.geom.filter != Filter::NOTHING);
        for (tag, wanted) in [
            ("visual", role != Role::Collision),
            ("collision", role == Role::Collision || (role == Role::Both && touched)),
        ] {
            if !wanted {
                continue;
            }
            let element = Tag::new(tag).text("name", &g.geom.name);
            let concave = tag == "collision" && matches!(g.geom.shape, Shape::Mesh(_));
            self.w.open(if concave { element.with("concave", "yes") } else { element });
            if let Some(tag) = origin(Pose::translation(-shift) * g.geom.pose * frame) {
                self.w.leaf(tag);
            }
            self.w.open(Tag::new("geometry"));
            self.w.leaf(shape.clone());
            self.w.close();
            if tag == "visual" {
                self.looks(g);
            }
            self.w.close();
        }
    }

    fn looks(&mut self, g: &Geom) {
        let rgba = g.geom.rgba.unwrap_or(Geom::GREY);
        let same = |k: &usize| self.d.materials[*k].rgba == rgba;
        match g.material.filter(same) {
            Some(k) => {
                self.w.leaf(Tag::new("material").with("name", material_name(k, &self.d.materials[k].name)))
            }
            None => {
                self.w.open(Tag::new("material").with("name", ""));
                self.w.leaf(Tag::new("color").with("rgba", numbers(&rgba)));
                self.w.close();
            }
        }
    }

    /// The element of a shape, and the pose of its frame in that of the geom.
    fn shape(&mut self, g: &Geom) -> Option<(Tag, Pose)> {
        let long = |word: &str, radius: f64, length: f64| {
            Tag::new(word).with("radius", number(radius)).with("length", number(length))
        };
        let tag = match &g.geom.shape {
            Shape::Sphere { radius } => Tag::new("sphere").with("radius", number(*radius)),
            Shape::Cylinder { radius, length } => long("cylinder", *radius, *length),
            Shape::Capsule { radius, length } => long("capsule", *radius, *length),
            Shape::Box { size } => Tag::new("box").with("size", vector(*size)),
            Shape::Hull(mesh) | Shape::Mesh(mesh) => {
                let Some(file) = mesh.file() else {
                    self.losses.add("URDF has no meshes without a file", &mesh.name);
                    return None;
                };
                let tag = Tag::new("mesh").with("filename", file.to_string_lossy());
                let tag = tag.unless(V3::new(1.0, 1.0, 1.0), mesh.scale, "scale", |v| vector(*v));
                return Some((tag, mesh.reference.inverse()));
            }
            Shape::Plane { .. } | Shape::Ellipsoid { .. } | Shape::HeightField(_) => {
                self.losses.add("URDF has no planes, ellipsoids and height fields", &g.geom.name);
                return None;
            }
        };
        Some((tag, Pose::IDENTITY))
    }
}

/// Material names are required and must be unique: the index ensures that.
fn material_name(k: usize, name: &str) -> String {
    if name.is_empty() { format!("material{k}") } else { format!("{name}_{k}") }
}
