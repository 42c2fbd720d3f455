//! Triangle meshes from STL, OBJ, Collada and MuJoCo's MSH files.

use poinsot_core::algebra::V3;
use std::path::Path;
use thiserror::Error;

/// Vertices and triangles, as the file gives them (Collada: in metres, z up).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// The vertices.
    pub vertices: Vec<V3>,
    /// Numbers of vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
}

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

/// Reads a mesh file.
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, MeshFileError> {
    Err(MeshFileError::Malformed { path: path.display().to_string(), why: "not built yet".into() })
}
