//! Meshes, textures, materials and height fields as MJCF.

use super::write::MjcfWriter;
use crate::description::{Description, Form, Mesh};
use crate::writer::{Tag, number, numbers, vector};
use poinsot_core::algebra::V3;
use poinsot_core::spatial::{Pose, Quat};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The names of assets in the file. MJCF scales meshes where they are declared, so a mesh that is used in two sizes is
/// two.
pub(super) struct Assets {
    /// Mesh, factor on its vertices, name.
    meshes: Vec<(usize, V3, String)>,
    pub materials: Vec<String>,
    textures: Vec<String>,
}

impl Assets {
    pub fn new(d: &Description) -> Assets {
        let mut taken = HashSet::new();
        let mut meshes: Vec<(usize, V3, String)> = Vec::new();
        let forms = d.geoms().map(|(_, g)| &g.form).chain(d.sites().map(|(_, s)| &s.form));
        for form in forms {
            let Form::Mesh { mesh, scale } = form else { continue };
            let known = meshes.iter().any(|(m, s, _)| m == mesh && s == scale);
            if !known && readable(&d.meshes[*mesh]) {
                meshes.push((*mesh, *scale, fresh(&stem(&d.meshes[*mesh]), "mesh", &mut taken)));
            }
        }
        taken.clear();
        let materials = d.materials.iter().map(|m| fresh(&m.name, "material", &mut taken)).collect();
        taken.clear();
        let textures = d.textures.iter().map(|t| fresh(&t.name, "texture", &mut taken)).collect();
        Assets { meshes, materials, textures }
    }

    pub fn mesh(&self, mesh: usize, scale: V3) -> Option<&str> {
        let found = self.meshes.iter().find(|(m, s, _)| *m == mesh && *s == scale);
        found.map(|(_, _, name)| name.as_str())
    }
}

/// A name that is not taken.
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

/// A short name: that of the file without its folder and ending.
fn stem(mesh: &Mesh) -> String {
    let from_file = mesh.file.as_ref().and_then(|f| f.file_stem()).map(|s| s.to_string_lossy().into_owned());
    if mesh.name.contains('/') || mesh.name.is_empty() {
        from_file.unwrap_or_default()
    } else {
        mesh.name.clone()
    }
}

/// True for what MuJoCo reads: triangles in the model, or an OBJ, MSH or binary STL file that is there.
fn readable(mesh: &Mesh) -> bool {
    let Some(file) = &mesh.file else { return true };
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
        for (k, scale, name) in &self.assets.meshes {
            let mesh = &self.d.meshes[*k];
            let whole = V3::new(mesh.scale.x * scale.x, mesh.scale.y * scale.y, mesh.scale.z * scale.z);
            // bodies have their inertias: that of a mesh is not wanted, and its volume not tested
            let mut tag = Tag::new("mesh").with("name", name).with("inertia", "shell");
            match &mesh.file {
                Some(file) => tag.set("file", file.to_string_lossy()),
                None => {
                    let flat: Vec<f64> = mesh.vertices.iter().flat_map(|v| v.array()).collect();
                    tag.set("vertex", numbers(&flat));
                    if !mesh.triangles.is_empty() {
                        let words: Vec<String> =
                            mesh.triangles.iter().flatten().map(usize::to_string).collect();
                        tag.set("face", words.join(" "));
                    }
                }
            }
            let tag = tag.unless(V3::new(1.0, 1.0, 1.0), whole, "scale", |v| vector(*v));
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
                    self.losses.add("pictures that are missing are left out", &texture.name);
                }
                Some(file) => {
                    let tag = tag.text("gridsize", &texture.grid.0).text("gridlayout", &texture.grid.1);
                    self.w.leaf(tag.with("file", file.to_string_lossy()));
                }
                None => {
                    self.losses.add("sizes of built-in textures are not kept", &texture.name);
                    let tag = tag.text("builtin", &texture.builtin).with("rgb1", numbers(&texture.rgb1));
                    // a cube and a sky have six faces above one another, or one for all
                    self.w.leaf(
                        tag.with("rgb2", numbers(&texture.rgb2)).with("width", "128").with("height", "128"),
                    );
                }
            }
        }
    }

    fn materials(&mut self) {
        for (m, name) in self.d.materials.iter().zip(&self.assets.materials) {
            let mut tag = Tag::new("material").with("name", name).with("rgba", numbers(&m.rgba));
            let there = |k: &usize| self.d.textures[*k].file.as_ref().is_none_or(|f| f.is_file());
            if let Some(k) = m.texture.filter(there) {
                tag.set("texture", &self.assets.textures[k]);
                tag = tag.list("texrepeat", &m.texrepeat, &[1.0, 1.0]);
            }
            let tag = tag.number("specular", m.specular, 0.5).number("shininess", m.shininess, 0.5);
            self.w.leaf(tag.number("reflectance", m.reflectance, 0.0).number("emission", m.emission, 0.0));
        }
    }

    fn height_fields(&mut self) {
        for field in &self.d.height_fields {
            let mut tag = Tag::new("hfield").with("name", &field.name).with("size", numbers(&field.size));
            match &field.file {
                Some(file) => tag.set("file", file.to_string_lossy()),
                None => {
                    tag.set("nrow", number(field.rows as f64));
                    tag.set("ncol", number(field.columns as f64));
                    tag.set("elevation", numbers(&field.elevation));
                }
            }
            self.w.leaf(tag);
        }
    }
}
