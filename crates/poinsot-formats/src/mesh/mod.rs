//! Triangle meshes from STL, OBJ, Collada and MuJoCo's MSH files.
//!
//! All are read here. The crate `mesh-loader` would not do: of Collada it keeps one placement of each geometry, and panics on
//! indices that are out of range; of OBJ it refuses files in which only some faces have texture coordinates.

mod collada;
mod effects;
mod msh;
mod mtl;
mod obj;
mod painted;
mod primitives;
mod skn;
mod stl;

pub use painted::{MeshMaterial, PaintedMesh, read_painted_mesh};
pub use skn::{SkinBone, SkinMesh, parse_skin, read_skin};

use crate::load::read_whole;
use poinsot_core::model::TriangleMesh;
use std::collections::HashMap;
use std::path::Path;
use thiserror::Error;

/// Why a mesh could not be read.
#[derive(Debug, Error)]
pub enum MeshFileError {
    /// The file is missing or cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The contents do not match the file name.
    #[error("{path} is not a mesh that can be read: {why}")]
    Malformed {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
}

/// Reads a mesh file; the extension of its name decides the format: `.stl`, `.obj`, `.dae` or `.msh`, in any case. The triangles
/// are as the file gives them (Collada: in metres, whatever its `<up_axis>`); no two vertices are at the same point.
///
/// ```
/// let path = std::env::temp_dir().join(format!("poinsot-doc-{}.obj", std::process::id()));
/// std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")?;
/// let square = poinsot_formats::read_mesh(&path)?;
/// assert_eq!((square.vertices.len(), square.triangles.len()), (4, 2));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, MeshFileError> {
    let name = || path.display().to_string();
    let bytes =
        read_whole(path, true).map_err(|source| MeshFileError::Unreadable { path: name(), source })?;
    let ending = path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
    parse_mesh(&bytes, &ending).map_err(|why| MeshFileError::Malformed { path: name(), why })
}

/// As [`read_mesh`], for a [`Mesh`](poinsot_core::model::Mesh) of a model.
pub(crate) fn read_for_model(path: &Path) -> Result<TriangleMesh, String> {
    read_mesh(path).map_err(|e| e.to_string())
}

/// Reads a mesh in memory; `ending` is the extension of its file name, in lower case: `stl`, `obj`, `dae` or `msh`.
///
/// ```
/// let triangle = poinsot_formats::parse_mesh(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "obj")?;
/// assert_eq!(triangle.triangles, [[0, 1, 2]]);
/// assert!(poinsot_formats::parse_mesh(b"solid", "msh").is_err());
/// # Ok::<(), String>(())
/// ```
pub fn parse_mesh(bytes: &[u8], ending: &str) -> Result<TriangleMesh, String> {
    parse(bytes, ending, None).and_then(weld).map(|painted| painted.mesh)
}

/// The triangles as the file has them; with their appearance if a folder is given in which to look for the files that it names.
fn parse(bytes: &[u8], ending: &str, folder: Option<&Path>) -> Result<PaintedMesh, String> {
    match ending {
        "stl" => stl::read(bytes).map(PaintedMesh::bare),
        "obj" => obj::read(bytes, folder),
        "dae" => collada::read(bytes, folder.is_some()),
        "msh" => msh::read(bytes, folder.is_some()),
        "" => Err("its name has no ending; .stl, .obj, .dae and .msh are known".into()),
        other => Err(format!("the ending .{other} is not known; .stl, .obj, .dae and .msh are")),
    }
}

/// The surface with each point stored once and without degenerate triangles; refused if a number is
/// not finite, an index is out of range, or there is nothing. Vertices that no triangle uses are kept.
fn weld(soup: PaintedMesh) -> Result<PaintedMesh, String> {
    let PaintedMesh { mesh: TriangleMesh { vertices, triangles }, .. } = &soup;
    if vertices.is_empty() {
        return Err("it has no triangles".into());
    }
    let mut places = HashMap::with_capacity(vertices.len());
    let (materials, unread) = (soup.materials.clone(), soup.unread.clone());
    let mut welded = PaintedMesh { materials, unread, ..PaintedMesh::default() };
    let mut number = Vec::with_capacity(vertices.len());
    for (k, v) in vertices.iter().enumerate() {
        if !v.is_finite() {
            return Err(format!("vertex {k} is not finite"));
        }
        // adding 0 gives −0 and 0 the same bits
        let key = v.array().map(|x| (x + 0.0).to_bits());
        number.push(*places.entry(key).or_insert_with(|| {
            welded.mesh.vertices.push(*v);
            welded.mesh.vertices.len() - 1
        }));
    }
    for (k, t) in triangles.iter().enumerate() {
        if let Some(bad) = t.iter().find(|v| **v >= number.len()) {
            return Err(format!("triangle {k} names vertex {bad}, but there are only {}", number.len()));
        }
        let [a, b, c] = t.map(|v| number[v]);
        if a != b && b != c && c != a {
            welded.push([a, b, c], &soup.look(k));
        }
    }
    Ok(welded)
}
