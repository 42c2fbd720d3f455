//! The shapes of bodies: the geoms of the model, or shapes derived from inertias and joints if there are none.

mod derived;
mod described;
mod mapping;
mod pattern;
mod skin;

pub(crate) use derived::{between, z_to};

use crate::surface::Surface;
use poinsot::model::{BodyId, HeightField, Mesh, Model, Role, Shape};
use poinsot::spatial::Pose;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The purpose of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Visual geometry.
    Visual,
    /// Collision geometry.
    Collision,
}

/// A shape fixed to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body.
    pub body: BodyId,
    /// The shape.
    pub shape: Shape,
    /// The index in [`Look::surfaces`] of the triangles of a mesh or height field.
    pub surface: Option<usize>,
    /// Its pose in the body's frame.
    pub pose: Pose,
    /// Red, green, blue, opacity: 0 to 1.
    pub rgba: [f64; 4],
    /// Its purpose.
    pub layer: Layer,
}

impl Part {
    /// A visual part that is not a mesh.
    pub fn seen(body: BodyId, shape: Shape, pose: Pose, rgba: [f64; 4]) -> Part {
        Part { body, shape, surface: None, pose, rgba, layer: Layer::Visual }
    }
}

/// All shapes of a model.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The shapes.
    pub parts: Vec<Part>,
    /// The triangles of those that are meshes.
    pub surfaces: Vec<Surface>,
    /// Messages about what could not be drawn, and why.
    pub missing: Vec<String>,
    /// True if the shapes are those of a file, so that none are derived.
    pub given: bool,
}

/// Colours that people with any colour vision can tell apart (Okabe and Ito).
pub const COLOURS: [[f64; 3]; 7] = [
    [0.0, 0.447, 0.698],
    [0.902, 0.624, 0.0],
    [0.0, 0.62, 0.451],
    [0.835, 0.369, 0.0],
    [0.8, 0.475, 0.655],
    [0.337, 0.706, 0.914],
    [0.941, 0.894, 0.259],
];

impl Look {
    /// Only the geoms of a file's model; if no body has any, the shapes that [`Look::of_model`] derives.
    pub fn of_file(model: &Model) -> Look {
        let look = Look::of_geoms(model);
        if look.parts.iter().all(|p| p.body == BodyId::WORLD) { Look::of_model(model) } else { look }
    }

    /// The geoms of a model.
    fn of_geoms(model: &Model) -> Look {
        let mut look = Look::default();
        let mut known = HashMap::new();
        for body in model.body_ids() {
            let first = look.parts.len();
            let [r, g, b] = derived::own_colour(model, body);
            for (_, geom) in model.geoms_of(body) {
                let Some(surface) = look.surface(&geom.shape, &mut known) else { continue };
                let layers: &[Layer] = match geom.role {
                    Role::Visual => &[Layer::Visual],
                    Role::Collision => &[Layer::Collision],
                    Role::Both => &[Layer::Visual, Layer::Collision],
                };
                for layer in layers {
                    let (shape, rgba) = (geom.shape.clone(), geom.rgba.unwrap_or([r, g, b, 1.0]));
                    look.parts.push(Part { body, shape, surface, pose: geom.pose, rgba, layer: *layer });
                }
            }
            // links that have only collision shapes are shown with these
            look.show_collision(first);
        }
        look
    }

    /// If all parts from index `first` on are collision shapes, shows them.
    fn show_collision(&mut self, first: usize) {
        if self.parts[first..].iter().all(|p| p.layer == Layer::Collision) {
            let seen: Vec<Part> =
                self.parts[first..].iter().map(|p| Part { layer: Layer::Visual, ..p.clone() }).collect();
            self.parts.extend(seen);
        }
    }

    /// Numbers the bodies of bones from this index on.
    pub(crate) fn number_bones(&mut self, first: usize) {
        for bones in self.surfaces.iter_mut().filter_map(|s| s.bones.as_mut()) {
            Arc::make_mut(bones).bones.iter_mut().for_each(|(body, _)| *body += first);
        }
    }

    /// Stores each picture with the first surface that has it.
    fn carry_pictures(&mut self) {
        let mut carried = HashSet::new();
        for surface in &mut self.surfaces {
            surface.carries = surface.picture.as_ref().is_some_and(|p| carried.insert(Arc::as_ptr(p)));
        }
    }

    /// The index of the triangles of a mesh or height field, `Some(None)` for other shapes; `None` if it cannot be drawn.
    fn surface(&mut self, shape: &Shape, known: &mut Known) -> Option<Option<usize>> {
        let (key, name) = match shape {
            Shape::Hull(mesh) | Shape::Mesh(mesh) => (Asset::Mesh(Arc::as_ptr(mesh)), &mesh.name),
            Shape::HeightField(field) => (Asset::Field(Arc::as_ptr(field)), &field.name),
            _ => return Some(None),
        };
        let made = known.entry(key).or_insert_with(|| {
            let made = match shape {
                Shape::HeightField(field) => field.heights().map(|h| Surface::of_heights(field.size, h)),
                Shape::Hull(mesh) | Shape::Mesh(mesh) => {
                    mesh.surface().map(|m| Surface::creased(&m.vertices, &m.triangles))
                }
                _ => return None,
            };
            match made {
                Ok(surface) => {
                    self.surfaces.push(surface);
                    Some(self.surfaces.len() - 1)
                }
                Err(why) => {
                    self.missing.push(format!("the {} \"{name}\" is not drawn: {why}", shape.word()));
                    None
                }
            }
        });
        made.map(Some)
    }
}

/// Results of triangulation, including failures.
type Known = HashMap<Asset, Option<usize>>;

#[derive(PartialEq, Eq, Hash)]
enum Asset {
    Mesh(*const Mesh),
    Field(*const HeightField),
}
