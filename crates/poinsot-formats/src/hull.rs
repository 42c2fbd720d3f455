//! The convex hull of points, by adding one point after another [Barber96].
//!
//! Every point outside lies in the list of one face it sees; the farthest point of a face is added next: the faces it
//! sees go, and the horizon around them is joined to it.

use crate::mesh::TriangleMesh;
use poinsot_core::algebra::V3;
use std::collections::HashMap;

struct Face {
    corners: [usize; 3],
    normal: V3,
    offset: f64,
    outside: Vec<usize>,
    alive: bool,
}

/// The hull of points, its triangles counter-clockwise from outside; no triangles when all points lie in a plane.
pub(crate) fn convex_hull(points: &[V3]) -> TriangleMesh {
    let nothing = TriangleMesh::default();
    let size = points.iter().fold(0.0f64, |s, p| s.max(p.x.abs()).max(p.y.abs()).max(p.z.abs()));
    let tiny = 1e-12 * size;
    let Some(first) = simplex(points, tiny) else { return nothing };
    let inside = first.iter().fold(V3::ZERO, |s, k| s + points[*k]) * 0.25;
    let mut faces: Vec<Face> = Vec::new();
    let [a, b, c, d] = first;
    for corners in [[a, b, c], [a, c, d], [a, d, b], [b, d, c]] {
        faces.push(face(points, corners, inside));
    }
    let all: Vec<usize> = (0..points.len()).collect();
    share_out(points, &all, &mut faces, 0, tiny);
    let mut next = 0;
    while next < faces.len() {
        if faces[next].alive && !faces[next].outside.is_empty() {
            add_farthest(points, &mut faces, next, inside, tiny);
        }
        next += 1;
    }
    let triangles = faces.iter().filter(|f| f.alive).map(|f| f.corners);
    TriangleMesh { vertices: points.to_vec(), triangles: triangles.collect() }
}

/// Four points that span a volume: two far apart, the farthest from their line, the farthest from their plane.
fn simplex(points: &[V3], tiny: f64) -> Option<[usize; 4]> {
    let farthest = |distance: &dyn Fn(V3) -> f64| {
        let (mut best, mut index) = (tiny, None);
        for (k, p) in points.iter().enumerate() {
            let d = distance(*p);
            if d > best {
                (best, index) = (d, Some(k));
            }
        }
        index
    };
    let start = points.first()?;
    let a = farthest(&|p| (p - *start).norm())?;
    let b = farthest(&|p| (p - points[a]).norm())?;
    let line = (points[b] - points[a]).unit()?;
    let c = farthest(&|p| (p - points[a]).cross(line).norm())?;
    let normal = line.cross(points[c] - points[a]).unit()?;
    let d = farthest(&|p| (p - points[a]).dot(normal).abs())?;
    Some([a, b, c, d])
}

/// The face through three points, turned away from `inside`.
fn face(points: &[V3], [a, b, c]: [usize; 3], inside: V3) -> Face {
    let normal = (points[b] - points[a]).cross(points[c] - points[a]);
    let normal = normal.unit().unwrap_or(V3::ZERO);
    let outward = normal.dot(points[a] - inside) >= 0.0;
    let (corners, normal) = if outward { ([a, b, c], normal) } else { ([a, c, b], -normal) };
    Face { corners, normal, offset: normal.dot(points[a]), outside: Vec::new(), alive: true }
}

/// Puts each point into the list of the first face, from `from` on, that it is outside of.
fn share_out(points: &[V3], candidates: &[usize], faces: &mut [Face], from: usize, tiny: f64) {
    for k in candidates {
        let sees = |f: &&mut Face| f.alive && f.normal.dot(points[*k]) - f.offset > tiny;
        if let Some(f) = faces[from..].iter_mut().find(sees) {
            f.outside.push(*k);
        }
    }
}

fn add_farthest(points: &[V3], faces: &mut Vec<Face>, from: usize, inside: V3, tiny: f64) {
    let height = |f: &Face, k: usize| f.normal.dot(points[k]) - f.offset;
    let f = &faces[from];
    let Some(&apex) = f.outside.iter().max_by(|a, b| height(f, **a).total_cmp(&height(f, **b))) else {
        return;
    };
    let mut orphans = Vec::new();
    let mut edges: HashMap<(usize, usize), usize> = HashMap::new();
    let mut order = 0;
    for f in faces.iter_mut().filter(|f| f.alive && f.normal.dot(points[apex]) - f.offset > tiny) {
        f.alive = false;
        orphans.append(&mut f.outside);
        let [a, b, c] = f.corners;
        for edge in [(a, b), (b, c), (c, a)] {
            edges.insert(edge, order);
            order += 1;
        }
    }
    // the horizon: edges whose other side is still there
    let mut horizon: Vec<(usize, (usize, usize))> =
        edges.iter().filter(|((a, b), _)| !edges.contains_key(&(*b, *a))).map(|(e, k)| (*k, *e)).collect();
    horizon.sort_unstable();
    let first = faces.len();
    for (_, (a, b)) in horizon {
        faces.push(face(points, [a, b, apex], inside));
    }
    share_out(points, &orphans, faces, first, tiny);
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_core::model::mesh_inertia;

    #[test]
    fn the_hull_of_a_cube_with_points_inside() {
        let mut points = Vec::new();
        for k in 0..1000u32 {
            let f = |s: u32| f64::from((k * 7919 + s * 104_729) % 1000) / 1000.0 - 0.5;
            points.push(V3::new(f(1), f(2), f(3)) * 0.9);
        }
        for corner in 0..8 {
            let sign = |bit: i32| if corner & bit == 0 { -0.5 } else { 0.5 };
            points.push(V3::new(sign(1), sign(2), sign(4)));
        }
        let hull = convex_hull(&points);
        let inertia = mesh_inertia(&hull.vertices, &hull.triangles, 1.0).expect("closed");
        assert!((inertia.mass - 1.0).abs() < 1e-12 && (inertia.rotational.xx - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn flat_or_no_points_have_no_hull() {
        assert!(convex_hull(&[]).triangles.is_empty());
        assert!(convex_hull(&[V3::ZERO, V3::X, V3::Y, V3::new(1.0, 1.0, 0.0)]).triangles.is_empty());
    }
}
