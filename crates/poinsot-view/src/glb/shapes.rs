//! Meshes and materials, each stored once.

use super::file::{File, View};
use crate::picture::Picture;
use crate::show::{PartInfo, SolidInfo, TraceInfo};
use crate::surface::Surface;
use poinsot::algebra::V3;
use poinsot::model::Shape;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// glTF's word for joined lines.
const LINE_STRIP: u32 = 3;
const ROUGHNESS: f64 = 0.6;
/// The number of vertices on the rim of a disc.
const AROUND: u32 = 64;

/// Shapes already in the file.
pub struct Shapes<'a> {
    surfaces: &'a [Surface],
    /// The edge of an infinite plane.
    edge: f64,
    geometries: HashMap<String, Option<Value>>,
    materials: HashMap<String, usize>,
    meshes: HashMap<(String, usize), usize>,
    textures: HashMap<*const Picture, usize>,
}

/// The properties of a material.
#[derive(Clone, Copy)]
struct Paint {
    rgba: [f64; 4],
    /// Visible from both sides.
    open: bool,
    texture: Option<usize>,
}

impl<'a> Shapes<'a> {
    pub fn new(surfaces: &'a [Surface], edge: f64) -> Shapes<'a> {
        let (geometries, materials, meshes) = (HashMap::new(), HashMap::new(), HashMap::new());
        Shapes { surfaces, edge, geometries, materials, meshes, textures: HashMap::new() }
    }

    /// The mesh of a part; `None` if there is nothing to draw.
    pub fn part(&mut self, file: &mut File, part: &PartInfo) -> Option<usize> {
        let (form, size) = (part.form(), part.size());
        if !size.iter().chain(&part.pose).all(|x| x.is_finite()) {
            return None;
        }
        let open = matches!(form, "plane" | "mesh");
        let (key, surfaces, edge) = (format!("{form} {size:?}"), self.surfaces, self.edge);
        let picture = part.mesh.and_then(|k| surfaces.get(k)?.picture.as_ref());
        let texture = picture.map(|p| self.texture(file, p));
        self.mesh(file, key, Paint { rgba: part.rgba, open, texture }, || surface(part, surfaces, edge))
    }

    fn texture(&mut self, file: &mut File, picture: &Arc<Picture>) -> usize {
        *self.textures.entry(Arc::as_ptr(picture)).or_insert_with(|| file.texture(picture))
    }

    /// The mesh of a solid with half axes of 1.
    pub fn solid(&mut self, file: &mut File, solid: &SolidInfo) -> Option<usize> {
        let disc = solid.form == "disc";
        let unit = || match solid.form {
            "disc" => Some(disc_surface()),
            "rod" => Surface::of(&Shape::Cylinder { radius: 1.0, length: 2.0 }),
            _ => Surface::of(&Shape::Sphere { radius: 1.0 }),
        };
        self.mesh(
            file,
            format!("unit {}", solid.form),
            Paint { rgba: solid.rgba, open: disc, texture: None },
            unit,
        )
    }

    /// A square for a floor.
    pub fn floor(&mut self, file: &mut File, rgba: [f64; 4]) -> Option<usize> {
        let edge = self.edge;
        let paint = Paint { rgba, open: true, texture: None };
        self.mesh(file, "floor".into(), paint, || Surface::of(&Shape::Plane { x: edge, y: edge }))
    }

    /// Lines through points; `None` without points.
    pub fn line(&mut self, file: &mut File, trace: &TraceInfo, pieces: &[Vec<[f32; 3]>]) -> Option<usize> {
        if pieces.is_empty() {
            return None;
        }
        let [r, g, b] = trace.colour;
        let material = self.material(file, Paint { rgba: [r, g, b, 1.0], open: false, texture: None });
        let strip = |points: &Vec<[f32; 3]>| {
            let positions = file.rows(View::Vertices, points);
            json!({"attributes": {"POSITION": positions}, "mode": LINE_STRIP, "material": material})
        };
        let primitives: Vec<Value> = pieces.iter().map(strip).collect();
        file.meshes.push(json!({"name": trace.name, "primitives": primitives}));
        Some(file.meshes.len() - 1)
    }

    fn mesh(
        &mut self,
        file: &mut File,
        key: String,
        paint: Paint,
        make: impl FnOnce() -> Option<Surface>,
    ) -> Option<usize> {
        let geometry = self.geometries.entry(key.clone()).or_insert_with(|| geometry(file, &make()?));
        let mut primitive = geometry.clone()?;
        let material = self.material(file, paint);
        primitive["material"] = json!(material);
        let name = key.clone();
        Some(*self.meshes.entry((key, material)).or_insert_with(|| {
            file.meshes.push(json!({"name": name, "primitives": [primitive]}));
            file.meshes.len() - 1
        }))
    }

    fn material(&mut self, file: &mut File, paint: Paint) -> usize {
        let Paint { rgba, open, texture } = paint;
        let key = format!("{rgba:?} {open} {texture:?}");
        *self.materials.entry(key).or_insert_with(|| {
            let [r, g, b, a] = rgba.map(|x| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.5 });
            let colour = [linear(r), linear(g), linear(b), a];
            let mut material = json!({
                "pbrMetallicRoughness":
                    {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS},
                "doubleSided": open,
            });
            if let Some(texture) = texture {
                material["pbrMetallicRoughness"]["baseColorTexture"] = json!({"index": texture});
            }
            if a < 1.0 {
                material["alphaMode"] = json!("BLEND");
            }
            file.materials.push(material);
            file.materials.len() - 1
        })
    }
}

/// A linear brightness from an sRGB value.
fn linear(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

fn surface(part: &PartInfo, surfaces: &[Surface], edge: f64) -> Option<Surface> {
    let end = |x: f64| if x > 0.0 { x } else { edge };
    match (part.mesh, &part.shape) {
        (Some(number), _) => surfaces.get(number).cloned(),
        (None, Shape::Plane { x, y }) => Surface::of(&Shape::Plane { x: end(*x), y: end(*y) }),
        (None, shape) => Surface::of(shape),
    }
}

fn disc_surface() -> Surface {
    let mut disc = Surface { points: vec![[0.0; 3]], ..Surface::default() };
    for k in 0..AROUND {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(AROUND);
        disc.points.push([angle.cos() as f32, angle.sin() as f32, 0.0]);
        disc.triangles.push([0, 1 + k, 1 + (k + 1) % AROUND]);
    }
    disc.normals = vec![[0.0, 0.0, 1.0]; disc.points.len()];
    disc
}

/// The attributes of a primitive for a surface; `None` if it is empty or not finite.
fn geometry(file: &mut File, surface: &Surface) -> Option<Value> {
    let finite = surface.points.as_flattened().iter().all(|x| x.is_finite());
    if !finite || surface.triangles.is_empty() || surface.points.len() != surface.normals.len() {
        return None;
    }
    let upright = |n: &[f32; 3]| {
        let unit = V3::from(n.map(f64::from)).unit().unwrap_or(V3::Z);
        unit.array().map(|x| x as f32)
    };
    let normals: Vec<[f32; 3]> = surface.normals.iter().map(upright).collect();
    let (positions, normals) =
        (file.rows(View::Vertices, &surface.points), file.rows(View::Vertices, &normals));
    let mut attributes = json!({"POSITION": positions, "NORMAL": normals});
    if !surface.colours.is_empty() {
        let light = |c: &[u8; 4]| [c[0], c[1], c[2]].map(|x| linear(f64::from(x) / 255.0) as f32);
        let colours: Vec<[f32; 3]> = surface.colours.iter().map(light).collect();
        attributes["COLOR_0"] = json!(file.rows(View::Vertices, &colours));
    }
    if !surface.texture_at.is_empty() {
        attributes["TEXCOORD_0"] = json!(file.rows(View::Places, &surface.texture_at));
    }
    if let Some(bones) = &surface.bones {
        let [joints, weights] = file.bones(bones);
        (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(joints), json!(weights));
    }
    Some(json!({"attributes": attributes, "indices": file.indices(&surface.triangles)}))
}
