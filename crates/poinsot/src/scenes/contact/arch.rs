//! A masonry arch.

use super::{Scene, SceneError, begin, floor, free, sin_cos};
use crate::algebra::V3;
use crate::model::{Geom, Material, Mesh, ModelBuilder, Shape, TriangleMesh, convex_hull};
use crate::spatial::{Pose, exp_so3};
use std::f64::consts::PI;
use std::sync::Arc;

/// The number of stones in the arch. Its least thickness is 0.1071 of the radius, from lines of thrust through its joints; that of an arch
/// with very many stones is 0.1075 [Milankovitch07].
const STONES: usize = 16;

/// A semicircular arch of mean radius 1 m, with the given thickness in thousandths of it. Only weight and friction hold its stones.
pub fn arch(thousandths: usize) -> Result<Scene, SceneError> {
    let thickness = thousandths as f64 * 1e-3;
    let mut b = ModelBuilder::new(format!("arch, t/R = {thickness:.3}"));
    let material = Material::with_friction(0.9);
    floor(&mut b, material);
    let stone = voussoir(thickness)?;
    let volume = stone.inertia(1.0)?;
    // the frame of a stone is at its centre of mass
    let (centre, mass) = (volume.com(), 2000.0 * thickness * 0.3 * PI / STONES as f64);
    for k in 0..STONES {
        let turn = exp_so3(V3::Y * (PI * (0.5 - (k as f64 + 0.5) / STONES as f64)));
        let geom = Geom::new(stone.clone()).at(-centre).material(material);
        free(&mut b, &format!("stone{}", k + 1), geom, mass, Pose { rot: turn, pos: turn * centre })?;
    }
    Ok(begin(b.build()?, 10.0, 5e-3))
}

/// The keystone of an arch about the y axis.
fn voussoir(thickness: f64) -> Result<Shape, SceneError> {
    let (sin, cos) = sin_cos(0.5 * PI / STONES as f64);
    let mut corners = Vec::new();
    for radius in [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness] {
        for (x, y) in [(-sin, -0.15), (sin, -0.15), (-sin, 0.15), (sin, 0.15)] {
            corners.push(V3::new(radius * x, y, radius * cos));
        }
    }
    let TriangleMesh { vertices, triangles } = convex_hull(&corners);
    Ok(Shape::Hull(Arc::new(Mesh::new("voussoir", TriangleMesh { vertices, triangles }))))
}
