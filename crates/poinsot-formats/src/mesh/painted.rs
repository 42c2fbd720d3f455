//! Meshes with their appearance: materials, texture coordinates and colours, as in the file.

use super::{MeshFileError, parse, weld};
use crate::load::read_whole;
use poinsot_core::model::TriangleMesh;
use std::path::Path;

/// Triangles and their appearance. Lists for which the file has no data are empty; the others have one entry for each
/// triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaintedMesh {
    /// The triangles.
    pub mesh: TriangleMesh,
    /// The materials of the triangles.
    pub materials: Vec<MeshMaterial>,
    /// The index in `materials` of each triangle.
    pub material_of: Vec<Option<usize>>,
    /// Texture coordinates of the three corners: to the right and down from the upper left corner of the picture.
    pub texture_at: Vec<[[f32; 2]; 3]>,
    /// Colours of the three corners: red, green, blue, opacity, 0 to 1.
    pub colours: Vec<[[f32; 4]; 3]>,
    /// Libraries of materials that the file names and that could not be read, and why.
    pub unread: Vec<(String, String)>,
}

/// A material of a mesh file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshMaterial {
    /// Its name in the file.
    pub name: String,
    /// Red, green, blue, opacity, 0 to 1.
    pub rgba: [f64; 4],
    /// The picture that is multiplied with the colour, as the file names it.
    pub texture: Option<String>,
}

impl MeshMaterial {
    /// A white material.
    pub(super) fn white(name: &str) -> MeshMaterial {
        MeshMaterial { name: name.to_string(), rgba: [1.0; 4], texture: None }
    }
}

/// The texture coordinates of a corner that has none.
const NOWHERE: [[f32; 2]; 3] = [[0.0; 2]; 3];
const WHITE: [[f32; 4]; 3] = [[1.0; 4]; 3];

impl PaintedMesh {
    /// A mesh without any appearance.
    pub(super) fn bare(mesh: TriangleMesh) -> PaintedMesh {
        PaintedMesh { mesh, ..PaintedMesh::default() }
    }

    /// Adds a triangle; each list is filled from the first triangle that has such data.
    pub(super) fn push(&mut self, triangle: [usize; 3], look: &Look) {
        let before = self.mesh.triangles.len();
        self.mesh.triangles.push(triangle);
        append(&mut self.material_of, before, look.material.map(Some), None);
        append(&mut self.texture_at, before, look.texture_at, NOWHERE);
        append(&mut self.colours, before, look.colours, WHITE);
    }

    /// The appearance of a triangle.
    pub(super) fn look(&self, triangle: usize) -> Look {
        Look {
            material: self.material_of.get(triangle).copied().flatten(),
            texture_at: self.texture_at.get(triangle).copied(),
            colours: self.colours.get(triangle).copied(),
        }
    }
}

fn append<T: Clone>(list: &mut Vec<T>, before: usize, value: Option<T>, nothing: T) {
    match value {
        Some(value) => {
            list.resize(before, nothing);
            list.push(value);
        }
        None if !list.is_empty() => list.push(nothing),
        None => {}
    }
}

/// The appearance of one triangle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub material: Option<usize>,
    pub texture_at: Option<[[f32; 2]; 3]>,
    pub colours: Option<[[f32; 4]; 3]>,
}

impl Look {
    /// The appearance of the triangle with reversed orientation.
    pub fn mirrored(mut self) -> Look {
        self.texture_at.iter_mut().for_each(|t| t.swap(1, 2));
        self.colours.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }
}

/// Reads a mesh file with materials (Collada; OBJ with its MTL files, which lie next to it or in folders below), texture
/// coordinates (these and MSH) and vertex colours (Collada, OBJ). A library of materials that cannot be read is not an error:
/// the mesh is returned without them, and `unread` names the library.
///
/// ```
/// let path = std::env::temp_dir().join(format!("poinsot-painted-{}.obj", std::process::id()));
/// std::fs::write(&path, "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\n")?;
/// let painted = poinsot_formats::read_painted_mesh(&path)?;
/// assert_eq!(painted.texture_at, [[[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]]);
/// assert_eq!(painted.colours[0][1], [0.0, 1.0, 0.0, 1.0]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_painted_mesh(path: &Path) -> Result<PaintedMesh, MeshFileError> {
    let name = || path.display().to_string();
    let bytes =
        read_whole(path, true).map_err(|source| MeshFileError::Unreadable { path: name(), source })?;
    let ending = path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
    let folder = path.parent().unwrap_or(Path::new("."));
    let painted = parse(&bytes, &ending, Some(folder)).and_then(weld);
    painted.map_err(|why| MeshFileError::Malformed { path: name(), why })
}
