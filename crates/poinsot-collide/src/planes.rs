//! Contacts with planes, in closed form. A plane is z = 0 of its frame and contains everything below it, so its normal is that of the
//! contact.

use crate::contact::Feature;
use crate::manifold::{Point, reduce};
use crate::math::{Frame, Vec3};
use crate::polytope::Polytope;
use crate::solid::Solid;
use crate::surface::Triangles;

const PLANE: Feature = Feature::Face(0);

/// The contact of a point of the other body at height z above the plane.
fn above(p: Vec3, feature: Feature) -> Point {
    let position = Vec3::new(p.x, p.y, 0.5 * p.z);
    Point { position, normal: Vec3::Z, gap: p.z, features: [PLANE, feature] }
}

/// Adds the points at which a solid with pose x in the frame of the plane comes within `most` of it.
pub(crate) fn touch(solid: &Solid, x: &Frame, most: f64, out: &mut Vec<Point>) {
    let from = out.len();
    let mut put = |p: Vec3, feature: Feature| {
        if p.z <= most {
            out.push(above(p, feature));
        }
    };
    match solid {
        Solid::Sphere { radius } => put(x.pos - Vec3::Z * *radius, Feature::Face(0)),
        Solid::Capsule { half, radius } => {
            for (sign, k) in [(-1.0, 0), (1.0, 1)] {
                put(x.pos + x.rot.z_axis * (sign * half) - Vec3::Z * *radius, Feature::Vertex(k));
            }
        }
        Solid::Box { half } => {
            // corner k has the signs of the bits of k
            let (a, b, c) = (x.rot.x_axis * half.x, x.rot.y_axis * half.y, x.rot.z_axis * half.z);
            if x.pos.z - a.z.abs() - b.z.abs() - c.z.abs() > most {
                return;
            }
            for k in 0..8u32 {
                let s = |bit: u32, v: Vec3| if k >> bit & 1 == 1 { v } else { -v };
                put(x.pos + s(0, a) + s(1, b) + s(2, c), Feature::Vertex(k));
            }
        }
        Solid::Cylinder { half, radius } => cylinder(*half, *radius, x, &mut put),
        Solid::Ellipsoid { radii } => {
            let down = x.vector_back(Vec3::NEG_Z);
            let stretched = *radii * down;
            put(x.point(*radii * stretched / stretched.length()), Feature::Face(0));
        }
        Solid::Hull(hull) => polytope(hull, x, most, &mut put),
        Solid::Mesh(mesh) => vertices(mesh, x, &mut put),
        Solid::Plane | Solid::Field(_) => return,
    }
    reduce(out, from, Vec3::Z, None);
}

/// The lowest point of each rim, and three more on the lower one, a quarter, half and three quarters of a turn from it.
fn cylinder(half: f64, radius: f64, x: &Frame, put: &mut impl FnMut(Vec3, Feature)) {
    let axis = x.rot.z_axis;
    // down, across the axis
    let down = axis * axis.z - Vec3::Z;
    let down = if down.length() > 1e-12 { down.normalize() } else { x.rot.x_axis };
    let side = axis.cross(down);
    let (lower, k) = if axis.z > 0.0 { (-axis * half, 1) } else { (axis * half, 2) };
    put(x.pos + lower + down * radius, Feature::Edge(k));
    put(x.pos - lower + down * radius, Feature::Edge(3 - k));
    for (turn, along) in [side, -down, -side].into_iter().enumerate() {
        put(x.pos + lower + along * radius, Feature::Vertex(4 * k + turn as u32));
    }
}

/// All vertices of small hulls; for large ones those of the faces at the lowest vertex.
fn polytope(hull: &Polytope, x: &Frame, most: f64, put: &mut impl FnMut(Vec3, Feature)) {
    let down = x.vector_back(Vec3::NEG_Z);
    let lowest = hull.support(down);
    if x.point(hull.vertices[lowest as usize]).z > most {
        return;
    }
    if hull.vertices.len() <= 32 {
        for (k, v) in hull.vertices.iter().enumerate() {
            put(x.point(*v), Feature::Vertex(k as u32));
        }
        return;
    }
    put(x.point(hull.vertices[lowest as usize]), Feature::Vertex(lowest));
    let face = &hull.faces[hull.face_along(lowest, down) as usize];
    for &k in face.vertices.iter().filter(|k| **k != lowest) {
        put(x.point(hull.vertices[k as usize]), Feature::Vertex(k));
    }
}

fn vertices(mesh: &Triangles, x: &Frame, put: &mut impl FnMut(Vec3, Feature)) {
    for &k in &mesh.used {
        put(x.point(mesh.vertices[k as usize]), Feature::Vertex(k));
    }
}
