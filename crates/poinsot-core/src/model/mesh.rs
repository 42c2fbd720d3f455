//! The inertia of a solid bounded by a closed triangle mesh, by exact polyhedral integrals.
//!
//! Each triangle (a, b, c) spans with a fixed point o a signed tetrahedron of volume
//! `V = (a−o)·((b−o)×(c−o))/6`, over which `∫ dm = V`, `∫ x dm = V/4 Σ v`, and
//! `∫ x xᵀ dm = V/20 (Σ v vᵀ + s sᵀ)` with s = Σ v, for the vertices v measured from o. The sums over a closed,
//! consistently oriented surface are the moments of the solid [Mirtich96].

use crate::algebra::{Sym3, V3};
use crate::spatial::{Inertia, InertiaError, MassTensor, Pose};
use std::collections::HashMap;
use thiserror::Error;

/// Why a mesh does not bound a solid.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum MeshError {
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

/// Every directed edge must occur once, and once the other way round.
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
