//! Meshes, textures, materials and height fields as MJCF.

use super::write::MjcfWriter;
use crate::description::Description;
use crate::heights::rows_reversed;
use crate::writer::{Tag, number, numbers, vector};
use poinsot_core::algebra::V3;
use poinsot_core::model::{Mesh, Shape};
use poinsot_core::spatial::{Pose, Quat};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The assets of the file, and their names there.
pub(super) struct Assets {
    /// The meshes that are used and can be read.
    meshes: Vec<Arc<Mesh>>,
    mesh_names: HashMap<*const Mesh, String>,
    pub materials: Vec<String>,
    textures: Vec<String>,
}

impl Assets {
    pub fn new(d: &Description) -> Assets {
        let mut taken = HashSet::new();
        let (mut meshes, mut mesh_names) = (Vec::new(), HashMap::new());
        let shapes = d.geoms().map(|(_, g)| &g.geom.shape).chain(d.sites().map(|(_, s)| &s.shape));
        for shape in shapes {
            let (Shape::Hull(mesh) | Shape::Mesh(mesh)) = shape else { continue };
            let key = Arc::as_ptr(mesh);
            if !mesh_names.contains_key(&key) && readable(mesh) {
                mesh_names.insert(key, fresh(&stem(mesh), "mesh", &mut taken));
                meshes.push(mesh.clone());
            }
        }
        taken.clear();
        let materials = d.materials.iter().map(|m| fresh(&m.name, "material", &mut taken)).collect();
        taken.clear();
        let textures = d.textures.iter().map(|t| fresh(&t.name, "texture", &mut taken)).collect();
        Assets { meshes, mesh_names, materials, textures }
    }

    pub fn mesh(&self, mesh: &Arc<Mesh>) -> Option<&str> {
        self.mesh_names.get(&Arc::as_ptr(mesh)).map(String::as_str)
    }
}

/// A name not in use.
fn fresh(given: &str, kind: &str, taken: &mut HashSet<String>) -> String {
    let mut name = if given.is_empty() { kind.to_string() } else { given.to_string() };
    let stem = name.clone();
    let mut k = 1;
    while !taken.insert(name.clone()) {
        name = format!("{stem}_{k}");
        k += 1;
    }
    name
}

/// A short name: the file name without folder and extension.
fn stem(mesh: &Mesh) -> String {
    let from_file = mesh.file().and_then(|f| f.file_stem()).map(|s| s.to_string_lossy().into_owned());
    if mesh.name.contains('/') || mesh.name.is_empty() {
        from_file.unwrap_or_default()
    } else {
        mesh.name.clone()
    }
}

/// True for what MuJoCo reads: triangles in the model, or an OBJ, MSH or binary STL file that is there.
fn readable(mesh: &Mesh) -> bool {
    let Some(file) = mesh.file() else { return mesh.given().is_some() };
    let ending = file.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
    match ending.as_str() {
        "obj" | "msh" => file.is_file(),
        "stl" => is_binary_stl(file),
        _ => false,
    }
}

/// MuJoCo reads no ASCII STL, and none with more than 200 000 triangles.
fn is_binary_stl(path: &Path) -> bool {
    let mut head = [0; 84];
    let read = File::open(path).and_then(|mut f| f.read_exact(&mut head).and_then(|()| f.metadata()));
    let count = u64::from(u32::from_le_bytes([head[80], head[81], head[82], head[83]]));
    read.is_ok_and(|about| about.len() == 84 + 50 * count) && (1..=200_000).contains(&count)
}

impl MjcfWriter<'_> {
    pub fn write_assets(&mut self) {
        self.w.open(Tag::new("asset"));
        self.meshes();
        self.textures();
        self.materials();
        self.height_fields();
        self.w.close();
        let lost = self.d.meshes.iter().filter(|m| !readable(m)).map(|m| m.name.as_str());
        let what = "MuJoCo reads no Collada, no ASCII STL and no missing files: shapes with such meshes are left out";
        self.losses.add_all(what, lost);
    }

    fn meshes(&mut self) {
        for mesh in &self.assets.meshes {
            let Some(name) = self.assets.mesh(mesh) else { continue };
            // bodies have explicit inertias: those of meshes are not needed, and volumes not checked
            let mut tag = Tag::new("mesh").with("name", name).with("inertia", "shell");
            if let Some(file) = mesh.file() {
                tag.set("file", file.to_string_lossy());
            }
            if let Some(given) = mesh.given() {
                let flat: Vec<f64> = given.vertices.iter().flat_map(|v| v.array()).collect();
                tag.set("vertex", numbers(&flat));
                if !given.triangles.is_empty() {
                    let words: Vec<String> = given.triangles.iter().flatten().map(usize::to_string).collect();
                    tag.set("face", words.join(" "));
                }
            }
            let tag = tag.unless(V3::new(1.0, 1.0, 1.0), mesh.scale, "scale", |v| vector(*v));
            let Pose { rot, pos } = mesh.reference;
            let tag = tag.unless(V3::ZERO, pos, "refpos", |v| vector(*v));
            let turned = rot != Pose::IDENTITY.rot;
            self.w.leaf(if turned {
                tag.with("refquat", numbers(&Quat::from_matrix(rot).array()))
            } else {
                tag
            });
        }
    }

    fn textures(&mut self) {
        for (texture, name) in self.d.textures.iter().zip(&self.assets.textures) {
            let tag = Tag::new("texture").with("name", name).text("type", &texture.kind);
            match &texture.file {
                Some(file) if !file.is_file() => {
                    self.losses.add("images that are missing are left out", &texture.name);
                }
                Some(file) => {
                    let tag = tag.text("gridsize", &texture.grid.0).text("gridlayout", &texture.grid.1);
                    self.w.leaf(tag.with("file", file.to_string_lossy()));
                }
                None => {
                    self.losses.add("sizes of built-in textures are not kept", &texture.name);
                    let tag = tag.text("builtin", &texture.builtin).with("rgb1", numbers(&texture.rgb1));
                    let tag = match texture.mark.0.as_str() {
                        "none" => tag,
                        mark => tag.with("mark", mark).with("markrgb", numbers(&texture.mark.1)),
                    };
                    // a cube and a sky have six faces above one another, or one for all
                    self.w.leaf(
                        tag.with("rgb2", numbers(&texture.rgb2)).with("width", "128").with("height", "128"),
                    );
                }
            }
        }
    }

    fn materials(&mut self) {
        self.d.skins.iter().for_each(|skin| self.losses.add("skins are left out", &skin.name));
        for (m, name) in self.d.materials.iter().zip(&self.assets.materials) {
            let mut tag = Tag::new("material").with("name", name).with("rgba", numbers(&m.rgba));
            let there = |k: &usize| self.d.textures[*k].file.as_ref().is_none_or(|f| f.is_file());
            if let Some(k) = m.texture.filter(there) {
                tag.set("texture", &self.assets.textures[k]);
                tag = tag.list("texrepeat", &m.texrepeat, &[1.0, 1.0]);
                tag = tag.text("texuniform", if m.texuniform { "true" } else { "" });
            }
            let tag = tag.number("specular", m.specular, 0.5).number("shininess", m.shininess, 0.5);
            self.w.leaf(tag.number("reflectance", m.reflectance, 0.0).number("emission", m.emission, 0.0));
        }
    }

    fn height_fields(&mut self) {
        for field in &self.d.height_fields {
            let mut tag = Tag::new("hfield").with("name", &field.name).with("size", numbers(&field.size));
            match (field.file(), field.heights()) {
                (Some(file), _) => tag.set("file", file.to_string_lossy()),
                (None, Ok(heights)) => {
                    tag.set("nrow", number(heights.rows as f64));
                    tag.set("ncol", number(heights.columns as f64));
                    tag.set("elevation", numbers(&rows_reversed(heights.columns, &heights.elevation)));
                }
                (None, Err(why)) => self.losses.add("height fields without heights", why.to_string()),
            }
            self.w.leaf(tag);
        }
    }
}
