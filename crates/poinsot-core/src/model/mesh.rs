//! Triangle meshes, and the inertia of the solid bounded by a closed one, by exact polyhedral integrals.
//!
//! Each triangle (a, b, c) spans with a fixed point o a signed tetrahedron of volume
//! `V = (a−o)·((b−o)×(c−o))/6`, over which `∫ dm = V`, `∫ x dm = V/4 Σ v`, and
//! `∫ x xᵀ dm = V/20 (Σ v vᵀ + s sᵀ)` with s = Σ v, for the vertices v measured from o. The sums over a closed,
//! consistently oriented surface are the moments of the solid [Mirtich96].

use super::convex_hull;
use crate::algebra::{Sym3, V3};
use crate::spatial::{Inertia, InertiaError, MassTensor, Pose};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use thiserror::Error;

/// Vertices and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// The vertices.
    pub vertices: Vec<V3>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
}

/// A mesh that shapes can share: its triangles, or the file from which they are read on first use.
///
/// ```
/// use poinsot_core::{algebra::V3, model::{Mesh, Shape, TriangleMesh}};
/// use std::sync::Arc;
/// // without triangles, the hull of the vertices
/// let corners = TriangleMesh { vertices: vec![V3::ZERO, V3::X, V3::Y, V3::Z], triangles: vec![] };
/// let mesh = Arc::new(Mesh::new("corner", corners).scaled(V3::new(2.0, 2.0, 2.0)));
/// assert_eq!(mesh.surface()?.triangles.len(), 4);
/// assert!((Shape::Mesh(mesh).volume()? - 8.0 / 6.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Its name.
    pub name: String,
    /// A factor on the coordinates, applied last.
    pub scale: V3,
    /// The pose of the mesh's frame in the original coordinates, before scaling.
    pub reference: Pose,
    source: MeshSource,
    /// The triangles in the frame of the mesh, after the first use.
    surface: OnceLock<Result<TriangleMesh, MeshError>>,
}

#[derive(Clone, Debug)]
enum MeshSource {
    Given(TriangleMesh),
    File { path: PathBuf, read: fn(&Path) -> Result<TriangleMesh, String> },
    Missing { why: String },
}

impl Mesh {
    /// A mesh with these triangles; without triangles, the convex hull of the vertices.
    pub fn new(name: impl Into<String>, triangles: TriangleMesh) -> Mesh {
        Mesh::from_source(name.into(), MeshSource::Given(triangles))
    }
    /// A mesh in a file, read by `read`; its errors name the file.
    pub fn in_file(
        name: impl Into<String>,
        path: impl Into<PathBuf>,
        read: fn(&Path) -> Result<TriangleMesh, String>,
    ) -> Mesh {
        Mesh::from_source(name.into(), MeshSource::File { path: path.into(), read })
    }
    /// A mesh that is not available: a request for its triangles returns the reason.
    pub fn missing(name: impl Into<String>, why: impl Into<String>) -> Mesh {
        Mesh::from_source(name.into(), MeshSource::Missing { why: why.into() })
    }
    fn from_source(name: String, source: MeshSource) -> Mesh {
        let (scale, reference) = (V3::new(1.0, 1.0, 1.0), Pose::IDENTITY);
        Mesh { name, scale, reference, source, surface: OnceLock::new() }
    }
    /// The mesh with its coordinates multiplied by `scale`; negative factors mirror it.
    pub fn scaled(mut self, scale: V3) -> Mesh {
        self.scale = scale;
        self.surface = OnceLock::new();
        self
    }
    /// The mesh in this frame, which is given in the coordinates of the vertices.
    pub fn seen_from(mut self, reference: Pose) -> Mesh {
        self.reference = reference;
        self.surface = OnceLock::new();
        self
    }
    /// The file; `None` if the triangles were given directly or are missing.
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            MeshSource::Given(_) | MeshSource::Missing { .. } => None,
            MeshSource::File { path, .. } => Some(path),
        }
    }
    /// The triangles given directly; `None` if they are in a file or missing.
    pub fn given(&self) -> Option<&TriangleMesh> {
        match &self.source {
            MeshSource::Given(triangles) => Some(triangles),
            MeshSource::File { .. } | MeshSource::Missing { .. } => None,
        }
    }
    /// The triangles in their original coordinates, read again from the file; if there are only vertices, their hull.
    pub fn read(&self) -> Result<TriangleMesh, MeshError> {
        match &self.source {
            MeshSource::Given(given) if given.triangles.is_empty() => Ok(convex_hull(&given.vertices)),
            MeshSource::Given(given) => Ok(given.clone()),
            MeshSource::File { path, read } => read(path).map_err(|why| MeshError::Unreadable { why }),
            MeshSource::Missing { why } => Err(MeshError::Unreadable { why: why.clone() }),
        }
    }
    /// The triangles in the frame of the mesh. The file is read on the first call only.
    pub fn surface(&self) -> Result<&TriangleMesh, MeshError> {
        self.surface.get_or_init(|| self.read().map(|mesh| self.placed(mesh))).as_ref().map_err(Clone::clone)
    }
    fn placed(&self, mut mesh: TriangleMesh) -> TriangleMesh {
        let (back, s) = (self.reference.inverse(), self.scale);
        for v in &mut mesh.vertices {
            let V3 { x, y, z } = back.point(*v);
            *v = V3::new(x * s.x, y * s.y, z * s.z);
        }
        // a reflection reverses the orientation of triangles
        if s.x * s.y * s.z < 0.0 {
            mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        mesh
    }
}

/// Meshes are equal if they come from the same source and have the same frame and scale.
impl PartialEq for Mesh {
    fn eq(&self, other: &Mesh) -> bool {
        let alike = (&self.name, self.scale, self.reference) == (&other.name, other.scale, other.reference);
        alike && self.file() == other.file() && self.given() == other.given()
    }
}

/// Why a mesh does not bound a solid.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum MeshError {
    #[error("{why}")]
    Unreadable { why: String },
    #[error("triangle {triangle} names vertex {vertex}, but there are only {count}")]
    BadIndex { triangle: usize, vertex: usize, count: usize },
    #[error("vertex {vertex} is not finite")]
    NotFinite { vertex: usize },
    #[error(
        "the mesh is open: edge {from}–{to} of triangle {triangle} has no neighbour; close the surface, or give the \
         body an explicit inertia"
    )]
    Open { triangle: usize, from: usize, to: usize },
    #[error(
        "edge {from}–{to} is run through twice in the same direction, the second time by triangle {triangle}: the \
         triangles are not oriented alike, or more than two meet there; make the winding consistent"
    )]
    Winding { triangle: usize, from: usize, to: usize },
    #[error("the mesh encloses no volume ({volume} m³)")]
    NoVolume { volume: f64 },
    #[error(transparent)]
    Inertia(#[from] InertiaError),
}

/// The inertia of the solid inside a closed mesh, for a given density. The winding may be inward or outward.
///
/// ```
/// use poinsot_core::{algebra::V3, model::mesh_inertia};
/// let v = [V3::ZERO, V3::X, V3::Y, V3::Z];
/// let corner = mesh_inertia(&v, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], 6.0)?;
/// assert!((corner.mass - 1.0).abs() < 1e-15 && (corner.com().x - 0.25).abs() < 1e-15);
/// # Ok::<(), poinsot_core::model::MeshError>(())
/// ```
pub fn mesh_inertia(vertices: &[V3], triangles: &[[usize; 3]], density: f64) -> Result<Inertia, MeshError> {
    check_closed(vertices, triangles)?;
    // the mean vertex as o keeps the tetrahedra small, wherever the mesh lies
    let o = vertices.iter().fold(V3::ZERO, |s, v| s + *v) * (1.0 / vertices.len().max(1) as f64);
    let (mut volume, mut first, mut second) = (0.0, V3::ZERO, Sym3::zero());
    for t in triangles {
        let [a, b, c] = t.map(|k| vertices[k] - o);
        let (v, s) = (a.dot(b.cross(c)) / 6.0, a + b + c);
        volume += v;
        first = s.mul_add(v / 4.0, first);
        second = [a, b, c, s].iter().fold(second, |sum, x| sum + Sym3::outer(*x, v / 20.0));
    }
    if !(volume.abs() > 0.0 && volume.is_finite()) {
        return Err(MeshError::NoVolume { volume });
    }
    let k = density * volume.signum();
    let about_o = MassTensor { second_moments: second.scaled(k), first_moment: first * k, mass: volume * k };
    Ok(about_o.seen_from(Pose::translation(o)).inertia()?)
}

/// Checks that every directed edge occurs once, and once in the opposite direction.
fn check_closed(vertices: &[V3], triangles: &[[usize; 3]]) -> Result<(), MeshError> {
    if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
        return Err(MeshError::NotFinite { vertex });
    }
    let mut edges = HashMap::with_capacity(3 * triangles.len());
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|v| **v >= vertices.len()) {
            return Err(MeshError::BadIndex { triangle, vertex, count: vertices.len() });
        }
        for (from, to) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            if edges.insert((from, to), triangle).is_some() {
                return Err(MeshError::Winding { triangle, from, to });
            }
        }
    }
    for (triangle, t) in triangles.iter().enumerate() {
        for (from, to) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            if !edges.contains_key(&(to, from)) {
                return Err(MeshError::Open { triangle, from, to });
            }
        }
    }
    Ok(())
}
