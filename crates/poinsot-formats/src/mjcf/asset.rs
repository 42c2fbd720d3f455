//! `<asset>`: meshes, height fields, textures, materials.

use super::Reader;
use super::attributes::Attributes;
use crate::description::{Material, Texture};
use crate::heights::{normalised, read_heights, rows_reversed};
use crate::mesh::read_for_model;
use crate::root::Outside;
use crate::xml::ElementId;
use poinsot_core::algebra::V3;
use poinsot_core::model::{HeightField, Mesh, TriangleMesh};
use poinsot_core::spatial::Pose;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MESH_INERTIAS: [&str; 4] = ["legacy", "convex", "exact", "shell"];
const PATTERNS: [&str; 4] = ["none", "gradient", "checker", "flat"];
const MARKS: [&str; 4] = ["none", "edge", "cross", "random"];
/// The attributes that may name an asset's file: a cube texture has one for each face.
const FILES: [&str; 7] = ["file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];
const TEXTURES: [&str; 3] = ["2d", "cube", "skybox"];

/// The largest number of heights generated for a field given without any.
const MOST_HEIGHTS: usize = 1 << 24;

impl Reader<'_> {
    pub(super) fn read_assets(&mut self) {
        // materials refer to textures that may follow them
        for (id, tag) in self.section("asset") {
            match tag {
                "mesh" => self.read_mesh(id),
                "hfield" => self.read_height_field(id),
                "texture" => self.read_texture(id),
                "model" => self.unsupported(id, "models within models (<model>, <attach>)"),
                _ => {}
            }
        }
        for (id, tag) in self.section("asset") {
            if tag == "material" {
                self.read_material(id);
            }
        }
        self.read_skins();
    }

    fn read_mesh(&mut self, id: ElementId) {
        let a = self.attributes(id, 0);
        let file = a.text("file").map(|f| self.compiler.mesh_file(f));
        self.look_for(a, file.as_ref());
        let name = asset_name(a);
        let mut scale = [1.0; 3];
        a.fill(self.report, "scale", &mut scale);
        let pos = a.vector(self.report, "refpos").unwrap_or(V3::ZERO);
        let quat = a.exact::<4>(self.report, "refquat").unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let [w, x, y, z] = quat;
        let quat = poinsot_core::spatial::Quat { w, x, y, z };
        let rot = if quat.norm() > 0.0 { quat.normalized().matrix() } else { Pose::IDENTITY.rot };
        let numbers = a.list(self.report, "vertex").unwrap_or_default();
        let corners = a.list(self.report, "face").unwrap_or_default();
        if file.is_none() && numbers.is_empty() {
            let builtin = a.text("builtin").unwrap_or("none");
            let message = match builtin {
                "none" => format!("mesh \"{name}\" has neither a `file` nor vertices"),
                word => format!("the built-in mesh \"{word}\" is not supported"),
            };
            self.report.error("mjcf::bad-mesh", message).at(a.place());
        }
        if !numbers.len().is_multiple_of(3) || !corners.len().is_multiple_of(3) {
            let message = "the numbers of `vertex` and of `face` come in threes";
            self.report.error("mjcf::bad-mesh", message).at(a.place());
            return;
        }
        let vertices: Vec<V3> = numbers.chunks_exact(3).map(|v| V3::new(v[0], v[1], v[2])).collect();
        let fits = |x: &f64| *x >= 0.0 && x.fract() == 0.0 && (*x as usize) < vertices.len();
        if let Some(bad) = corners.iter().find(|x| !fits(x)) {
            let message = format!("`face` names vertex {bad}, but there are {}", vertices.len());
            self.report.error("mjcf::bad-mesh", message).at(a.place());
            return;
        }
        let triangles = corners.chunks_exact(3).map(|t| [t[0] as usize, t[1] as usize, t[2] as usize]);
        let mode = a.word(self.report, "inertia", &MESH_INERTIAS).unwrap_or("legacy");
        self.add_name("mesh", &name, self.d.meshes.len(), a.place());
        let mesh = match file {
            Some(Ok(file)) => Mesh::in_file(name, file, read_for_model),
            Some(Err(Outside)) => Mesh::missing(name, outside(a)),
            None => {
                let triangles = triangles.collect();
                Mesh::new(name, TriangleMesh { vertices, triangles })
            }
        };
        let mesh = Arc::new(mesh.scaled(V3::from(scale)).seen_from(Pose { rot, pos }));
        self.mesh_modes.insert(Arc::as_ptr(&mesh), (mode, a.place()));
        self.d.meshes.push(mesh);
    }

    /// Warns of a file that is missing or may not be read. It becomes an error where the file is needed for an inertia.
    pub(super) fn look_for(&mut self, a: Attributes, file: Option<&Result<PathBuf, Outside>>) {
        let place = FILES.into_iter().find_map(|n| a.get(n)).map_or(a.place(), |x| x.place);
        match file {
            Some(Err(Outside)) => {
                self.report.warning(Outside::CODE, outside(a)).at(place).help(Outside::HELP);
            }
            Some(Ok(file)) if !file.is_file() => {
                let message = format!("there is no file {}", file.display());
                let help = "check the name, and `meshdir`, `texturedir` or `assetdir` of <compiler>";
                self.report.warning("mjcf::missing-file", message).at(place).help(help);
            }
            _ => {}
        }
    }

    fn read_height_field(&mut self, id: ElementId) {
        let a = self.attributes(id, 0);
        let size = a.exact::<4>(self.report, "size").unwrap_or_default();
        let file = a.text("file").map(|f| self.compiler.mesh_file(f));
        self.look_for(a, file.as_ref());
        let name = asset_name(a);
        self.add_name("hfield", &name, self.d.height_fields.len(), a.place());
        let field = match file {
            Some(Ok(file)) => HeightField::in_file(name, size, file, read_heights),
            Some(Err(Outside)) => HeightField::missing(name, size, outside(a)),
            None => {
                let count = |x: i64| usize::try_from(x).unwrap_or(0);
                let rows = count(a.integer_or(self.report, "nrow", 0));
                let columns = count(a.integer_or(self.report, "ncol", 0));
                let given = match a.list(self.report, "elevation") {
                    Some(given) => given,
                    // flat until a program changes it
                    None => vec![0.0; rows.saturating_mul(columns).min(MOST_HEIGHTS)],
                };
                if rows.checked_mul(columns) != Some(given.len()) || given.is_empty() {
                    let message = format!(
                        "the height field \"{name}\" has {} heights for {rows} rows and {columns} columns",
                        given.len()
                    );
                    self.report.error("mjcf::wrong-count", message).at(a.place());
                }
                HeightField::new(name, size, normalised(rows, columns, rows_reversed(columns, &given)))
            }
        };
        self.d.height_fields.push(Arc::new(field));
    }

    fn read_texture(&mut self, id: ElementId) {
        let a = self.attributes(id, 0);
        let file = FILES.into_iter().find_map(|n| a.text(n));
        let file = file.map(|f| self.compiler.texture_file(f));
        self.look_for(a, file.as_ref());
        let (mut rgb1, mut rgb2, mut mark) = ([0.8; 3], [0.5; 3], [0.0; 3]);
        a.fill(self.report, "rgb1", &mut rgb1);
        a.fill(self.report, "rgb2", &mut rgb2);
        a.fill(self.report, "markrgb", &mut mark);
        let texture = Texture {
            name: asset_name(a),
            file: file.and_then(Result::ok),
            builtin: a.word(self.report, "builtin", &PATTERNS).unwrap_or("none").to_string(),
            kind: a.word(self.report, "type", &TEXTURES).unwrap_or("cube").to_string(),
            grid: (text(a, "gridsize"), text(a, "gridlayout")),
            rgb1,
            rgb2,
            mark: (a.word(self.report, "mark", &MARKS).unwrap_or("none").to_string(), mark),
            place: a.place(),
        };
        self.add_name("texture", &texture.name, self.d.textures.len(), texture.place);
        self.d.textures.push(texture);
    }

    fn read_material(&mut self, id: ElementId) {
        let a = self.attributes(id, 0);
        let (mut rgba, mut texrepeat) = ([1.0; 4], [1.0; 2]);
        a.fill(self.report, "rgba", &mut rgba);
        a.fill(self.report, "texrepeat", &mut texrepeat);
        let texture = a.get("texture").and_then(|t| self.named("texture", &t.value, t.place));
        let material = Material {
            name: a.name(),
            rgba,
            texture,
            texrepeat,
            texuniform: a.flag_or(self.report, "texuniform", false),
            specular: a.number_or(self.report, "specular", 0.5),
            shininess: a.number_or(self.report, "shininess", 0.5),
            reflectance: a.number_or(self.report, "reflectance", 0.0),
            emission: a.number_or(self.report, "emission", 0.0),
            place: a.place(),
        };
        self.add_name("material", &material.name, self.d.materials.len(), material.place);
        self.d.materials.push(material);
    }
}

/// The message for an asset whose file may not be read.
fn outside(a: Attributes) -> String {
    Outside::message(FILES.into_iter().find_map(|n| a.text(n)).unwrap_or_default())
}

/// The name of an asset: its own, or that of its file without folder and extension.
fn asset_name(a: Attributes) -> String {
    let from_file = || a.text("file").and_then(|f| Path::new(f).file_stem()).and_then(|s| s.to_str());
    let name = a.own.text("name").or_else(from_file).unwrap_or_default();
    name.to_string()
}

fn text<'t>(a: Attributes<'t>, name: &'t str) -> String {
    a.text(name).unwrap_or_default().to_string()
}
