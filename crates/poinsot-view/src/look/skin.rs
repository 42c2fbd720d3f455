//! Skins of MJCF.

use super::described::Reader;
use super::{Layer, Part};
use crate::bones::Bones;
use crate::surface::{CornerPaint, Creases};
use poinsot::formats::{Skin, SkinMesh, read_skin};
use poinsot::model::{BodyId, Model, Shape};
use poinsot::spatial::Pose;
use std::sync::Arc;

impl Reader<'_> {
    /// Adds a skin; reports what is wrong with it.
    pub(super) fn add_skin(&mut self, model: &Model, skin: &Skin) {
        let name = &skin.name;
        let mesh = match read_skin(&skin.file) {
            Ok(mesh) => mesh,
            Err(why) => return self.look.missing.push(format!("the skin \"{name}\" is not drawn: {why}")),
        };
        let mut bones = Bones::default();
        for bone in &mesh.bones {
            let Some(body) = model.body(&bone.body) else {
                let why = format!("it follows the body \"{}\", which is not there", bone.body);
                return self.look.missing.push(format!("the skin \"{name}\" is not drawn: {why}"));
            };
            bones.bones.push((body.index(), bone.bind.inverse()));
        }
        if bones.bones.is_empty() || mesh.painted.mesh.triangles.is_empty() {
            return self.look.missing.push(format!("the skin \"{name}\" is not drawn: it is empty"));
        }
        let texture = skin.material.and_then(|m| self.description.materials.get(m)?.texture);
        let picture = texture.and_then(|t| self.texture(t));
        let triangles: Vec<usize> = (0..mesh.painted.mesh.triangles.len()).collect();
        let creases = Creases::of(&mesh.painted.mesh.vertices, &mesh.painted.mesh.triangles);
        let at = |k: usize, c: usize| mesh.painted.texture_at.get(k).map_or([0.0; 2], |t| t[c]);
        let paint = |k: usize, c: usize| CornerPaint { colour: [0; 4], texture_at: at(k, c) };
        let (mut surface, vertices) = creases.surface_of_vertices(&triangles, paint);
        let follows = follows(&mesh);
        vertices.iter().for_each(|v| bones.push(follows[*v].clone()));
        surface.bones = Some(Arc::new(bones));
        surface.picture = picture.filter(|_| !surface.texture_at.is_empty());
        let surface = Some(self.push(surface));
        // it is not a shape of the model
        let shape = Shape::Sphere { radius: 0.0 };
        let (pose, rgba) = (Pose::IDENTITY, skin.rgba);
        self.look.parts.push(Part { body: BodyId::WORLD, shape, surface, pose, rgba, layer: Layer::Visual });
    }
}

/// The bones and weights of each vertex.
fn follows(mesh: &SkinMesh) -> Vec<Vec<(u16, f32)>> {
    let mut all = vec![Vec::new(); mesh.painted.mesh.vertices.len()];
    for (number, bone) in mesh.bones.iter().enumerate() {
        for (vertex, weight) in &bone.weights {
            all[*vertex].push((u16::try_from(number).unwrap_or(0), *weight));
        }
    }
    all
}
