//! Triangle meshes from STL, OBJ, Collada and MuJoCo's MSH files.
//!
//! All are read here. The crate `mesh-loader` would not do: of Collada it keeps one placement of each geometry, knows no
//! up-axis, and panics on indices that are out of range; of OBJ it refuses files in which only some faces have texture
//! coordinates.

mod collada;
mod msh;
mod obj;
mod primitives;
mod stl;

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
    /// The file is not what its name says.
    #[error("{path} is not a mesh that can be read: {why}")]
    Malformed {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
}

/// Reads a mesh file; the end of its name tells the format: `.stl`, `.obj`, `.dae` or `.msh`, in any case. The triangles
/// are as the file gives them (Collada: in metres, z up); no two vertices are at the same point.
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

/// The same, for a [`Mesh`](poinsot_core::model::Mesh) of a model.
pub(crate) fn read_for_model(path: &Path) -> Result<TriangleMesh, String> {
    read_mesh(path).map_err(|e| e.to_string())
}

/// Reads a mesh that is in memory; `ending` is that of its file's name, in lower case: `stl`, `obj`, `dae` or `msh`.
///
/// ```
/// let triangle = poinsot_formats::parse_mesh(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "obj")?;
/// assert_eq!(triangle.triangles, [[0, 1, 2]]);
/// assert!(poinsot_formats::parse_mesh(b"solid", "msh").is_err());
/// # Ok::<(), String>(())
/// ```
pub fn parse_mesh(bytes: &[u8], ending: &str) -> Result<TriangleMesh, String> {
    let soup = match ending {
        "stl" => stl::read(bytes),
        "obj" => obj::read(bytes),
        "dae" => collada::read(bytes),
        "msh" => msh::read(bytes),
        "" => Err("its name has no ending; .stl, .obj, .dae and .msh are known".into()),
        other => Err(format!("the ending .{other} is not known; .stl, .obj, .dae and .msh are")),
    };
    soup.and_then(welded)
}

/// The same surface with each point once and without triangles that have shrunk to a line; refused when a number is
/// not finite, an index is out of range, or there is nothing. Vertices that no triangle uses are kept.
fn welded(soup: TriangleMesh) -> Result<TriangleMesh, String> {
    if soup.vertices.is_empty() {
        return Err("it has no triangles".into());
    }
    let mut places = HashMap::with_capacity(soup.vertices.len());
    let mut mesh = TriangleMesh::default();
    let mut number = Vec::with_capacity(soup.vertices.len());
    for (k, v) in soup.vertices.iter().enumerate() {
        if !v.is_finite() {
            return Err(format!("vertex {k} is not finite"));
        }
        // adding 0 makes −0 and 0 the same bits
        let key = v.array().map(|x| (x + 0.0).to_bits());
        number.push(*places.entry(key).or_insert_with(|| {
            mesh.vertices.push(*v);
            mesh.vertices.len() - 1
        }));
    }
    for (k, t) in soup.triangles.iter().enumerate() {
        if let Some(bad) = t.iter().find(|v| **v >= number.len()) {
            return Err(format!("triangle {k} names vertex {bad}, but there are only {}", number.len()));
        }
        let [a, b, c] = t.map(|v| number[v]);
        if a != b && b != c && c != a {
            mesh.triangles.push([a, b, c]);
        }
    }
    Ok(mesh)
}
