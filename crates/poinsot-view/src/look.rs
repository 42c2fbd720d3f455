//! The shapes of bodies: as a file gives them, or made up from inertias and joints where there is no file.

mod made_up;

pub(crate) use made_up::{between, z_to};

use crate::surface::Surface;
use poinsot::algebra::V3;
use poinsot::formats::{self, Description, Role};
use poinsot::model::{BodyId, Model};
use poinsot::spatial::Pose;
use std::collections::HashMap;

/// The shape of a part, around its own origin. Sizes are full edges, radii and whole lengths.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the names of the fields say what they are
pub enum Form {
    Sphere {
        radius: f64,
    },
    /// Along z; `length` of the cylinder between the caps.
    Capsule {
        radius: f64,
        length: f64,
    },
    /// Along z.
    Cylinder {
        radius: f64,
        length: f64,
    },
    Ellipsoid {
        radii: V3,
    },
    Box {
        size: V3,
    },
    /// z = 0; 0: endless.
    Plane {
        x: f64,
        y: f64,
    },
    /// A number in [`Look::surfaces`].
    Mesh {
        surface: usize,
    },
}

/// What a part is seen as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// What the body looks like.
    Visual,
    /// What it touches with.
    Collision,
}

/// A shape fixed to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body.
    pub body: BodyId,
    /// The shape.
    pub form: Form,
    /// Its pose in the body's frame.
    pub pose: Pose,
    /// Red, green, blue, opacity: 0 to 1.
    pub rgba: [f64; 4],
    /// What it is seen as.
    pub layer: Layer,
}

/// All shapes of a model.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The shapes.
    pub parts: Vec<Part>,
    /// The triangles of those that are meshes.
    pub surfaces: Vec<Surface>,
    /// What could not be drawn, and why, for people.
    pub missing: Vec<String>,
}

/// Colours that people with any colour vision tell apart (Okabe and Ito).
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
    /// What the file shows; bodies for which it shows nothing at all look as [`Look::of_model`] makes them look only
    /// when the file shows no shape of any body.
    pub fn of_description(description: &Description, model: &Model) -> Look {
        let mut look = Look::default();
        let mut known: HashMap<(usize, [u64; 3]), Option<usize>> = HashMap::new();
        for (id, body) in model.body_ids().zip(&description.bodies) {
            for geom in &body.geoms {
                let Some(form) = look.form(description, &geom.form, &mut known) else { continue };
                let layers: &[Layer] = match geom.role {
                    Role::Visual => &[Layer::Visual],
                    Role::Collision => &[Layer::Collision],
                    Role::Both => &[Layer::Visual, Layer::Collision],
                };
                for layer in layers {
                    let (form, rgba) = (form.clone(), colour(description, geom));
                    look.parts.push(Part { body: id, form, pose: geom.pose, rgba, layer: *layer });
                }
            }
        }
        // URDF links with collision shapes alone are seen by these
        let only_touch = |of_body: &&[Part]| of_body.iter().all(|p| p.layer == Layer::Collision);
        let bodies = look.parts.chunk_by(|a, b| a.body == b.body).filter(only_touch);
        let seen: Vec<Part> = bodies.flatten().map(|p| Part { layer: Layer::Visual, ..p.clone() }).collect();
        look.parts.extend(seen);
        if look.parts.iter().all(|p| p.body == BodyId::WORLD) {
            look.parts.extend(Look::of_model(model).parts);
        }
        look
    }

    fn form(
        &mut self,
        description: &Description,
        form: &formats::Form,
        known: &mut HashMap<(usize, [u64; 3]), Option<usize>>,
    ) -> Option<Form> {
        Some(match *form {
            formats::Form::Plane { x, y } => Form::Plane { x, y },
            formats::Form::Sphere { radius } => Form::Sphere { radius },
            formats::Form::Capsule { radius, length } => Form::Capsule { radius, length },
            formats::Form::Cylinder { radius, length } => Form::Cylinder { radius, length },
            formats::Form::Ellipsoid { radii } => Form::Ellipsoid { radii },
            formats::Form::Box { size } => Form::Box { size },
            formats::Form::Mesh { mesh, scale } => {
                let key = (mesh, scale.array().map(f64::to_bits));
                let surface =
                    *known.entry(key).or_insert_with(|| self.mesh(&description.meshes[mesh], scale));
                Form::Mesh { surface: surface? }
            }
            formats::Form::HeightField { field } => {
                let surface = Surface::of_height_field(&description.height_fields[field]);
                match surface {
                    Some(surface) => Form::Mesh { surface: self.add(surface) },
                    None => {
                        let name = &description.height_fields[field].name;
                        self.missing.push(format!(
                            "the height field \"{name}\" is not drawn: its heights are in a file"
                        ));
                        return None;
                    }
                }
            }
        })
    }

    fn add(&mut self, surface: Surface) -> usize {
        self.surfaces.push(surface);
        self.surfaces.len() - 1
    }

    fn mesh(&mut self, mesh: &formats::Mesh, scale: V3) -> Option<usize> {
        let triangles = match &mesh.file {
            Some(file) => match formats::read_mesh(file) {
                Ok(read) => read,
                Err(error) => {
                    self.missing.push(format!("the mesh \"{}\" is not drawn: {error}", mesh.name));
                    return None;
                }
            },
            None if mesh.triangles.is_empty() => poinsot::model::convex_hull(&mesh.vertices),
            None => {
                formats::TriangleMesh { vertices: mesh.vertices.clone(), triangles: mesh.triangles.clone() }
            }
        };
        let back = mesh.reference.inverse();
        let place = |v: V3| {
            let V3 { x, y, z } = back.point(v);
            V3::new(x * mesh.scale.x * scale.x, y * mesh.scale.y * scale.y, z * mesh.scale.z * scale.z)
        };
        let vertices: Vec<V3> = triangles.vertices.iter().map(|v| place(*v)).collect();
        // a mirror turns triangles inside out
        let mirrored = mesh.scale.x * mesh.scale.y * mesh.scale.z * scale.x * scale.y * scale.z < 0.0;
        let turned =
            triangles.triangles.iter().map(|&[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] });
        Some(self.add(Surface::creased(&vertices, &turned.collect::<Vec<_>>())))
    }
}

fn colour(description: &Description, geom: &formats::Geom) -> [f64; 4] {
    let of_geom = geom.rgba;
    let material = geom.material.and_then(|m| description.materials.get(m));
    match material {
        // MJCF: the geom's own colour wins when it is not the default
        Some(material) if of_geom == [0.5, 0.5, 0.5, 1.0] => {
            let texture = material.texture.and_then(|t| description.textures.get(t));
            match texture.filter(|t| t.builtin != "none") {
                Some(t) => {
                    let mean = |k: usize| 0.5 * (t.rgb1[k] + t.rgb2[k]) * material.rgba[k];
                    [mean(0), mean(1), mean(2), material.rgba[3]]
                }
                None => material.rgba,
            }
        }
        _ => of_geom,
    }
}
