//! Convex decomposition, on request only: nothing in this crate makes a mesh convex by itself.

use crate::error::CollideError;
use crate::math::{Vec3, v3, vec3};
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use poinsot_core::model::{TriangleMesh, convex_hull};

/// The options of a convex decomposition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// The largest difference between a part and its hull, relative to the volume; smaller values give more parts.
    pub concavity: f64,
    /// The number of voxels along the longest edge.
    pub resolution: u32,
    /// The largest number of parts.
    pub parts: u32,
}

impl Default for Decomposition {
    fn default() -> Self {
        Decomposition { concavity: 0.01, resolution: 64, parts: 64 }
    }
}

/// Decomposes a mesh into hulls that together cover it, from voxels by the method of Mamou (V-HACD), using parry. Each can be the mesh of a
/// [`poinsot_core::model::Shape::Hull`]; if a model needs the exact shape of a mesh, use [`poinsot_core::model::Shape::Mesh`].
///
/// ```
/// use poinsot_collide::{Decomposition, decompose};
/// use poinsot_core::{algebra::V3, model::{TriangleMesh, convex_hull, mesh_inertia}};
/// let corner = |k: usize| V3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
/// let cube = convex_hull(&(0..8).map(corner).collect::<Vec<_>>());
/// let parts = decompose(&cube, Decomposition::default())?;
/// let volume: f64 = parts.iter().map(|p| mesh_inertia(&p.vertices, &p.triangles, 1.0).unwrap().mass).sum();
/// assert!((volume - 1.0).abs() < 0.1);
/// assert!(decompose(&TriangleMesh::default(), Decomposition::default()).is_err());
/// # Ok::<(), poinsot_collide::CollideError>(())
/// ```
pub fn decompose(mesh: &TriangleMesh, options: Decomposition) -> Result<Vec<TriangleMesh>, CollideError> {
    let wrong = |what: &'static str, value: String, needed: &'static str| {
        Err(CollideError::Argument { what, value, needed })
    };
    if !(options.concavity >= 0.0 && options.concavity <= 1.0) {
        return wrong("the concavity", options.concavity.to_string(), "give a part from 0 to 1");
    }
    if !(4..=1024).contains(&options.resolution) || options.parts == 0 {
        let value = format!("{} voxels, {} parts", options.resolution, options.parts);
        return wrong("the resolution", value, "give 4 to 1024 voxels and at least one part");
    }
    let points: Vec<Vec3> = mesh.vertices.iter().map(|p| vec3(*p)).collect();
    let bad = mesh.triangles.iter().flatten().any(|k| *k >= points.len());
    if mesh.triangles.is_empty() || bad || points.iter().any(|p| !p.is_finite()) {
        let value = format!("{} triangles between {} vertices", mesh.triangles.len(), points.len());
        return wrong("the mesh", value, "give triangles between finite vertices that there are");
    }
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|k| k as u32)).collect();
    let parameters = VHACDParameters {
        concavity: options.concavity,
        resolution: options.resolution,
        max_convex_hulls: options.parts,
        ..VHACDParameters::default()
    };
    let parts = VHACD::decompose(&parameters, &points, &triangles, true);
    let clouds = parts.compute_primitive_intersections(&points, &triangles);
    let hulls = clouds.iter().map(|cloud| convex_hull(&cloud.iter().map(|p| v3(*p)).collect::<Vec<_>>()));
    let hulls: Vec<TriangleMesh> = hulls.filter(|h| !h.triangles.is_empty()).map(compact).collect();
    if hulls.is_empty() {
        return wrong("the mesh", "flat".into(), "give a mesh that encloses a volume");
    }
    Ok(hulls)
}

/// A hull without interior points.
fn compact(hull: TriangleMesh) -> TriangleMesh {
    let mut number = vec![usize::MAX; hull.vertices.len()];
    let mut vertices = Vec::new();
    let mut triangles = hull.triangles;
    for k in triangles.iter_mut().flatten() {
        if number[*k] == usize::MAX {
            number[*k] = vertices.len();
            vertices.push(hull.vertices[*k]);
        }
        *k = number[*k];
    }
    TriangleMesh { vertices, triangles }
}
