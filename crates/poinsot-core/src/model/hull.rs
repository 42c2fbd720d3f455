//! The convex hull of points, by the incremental Quickhull algorithm [Barber96].
//!
//! Every outside point is in the list of one face that it sees. The farthest point of a face is added next: the faces it sees are removed,
//! and it is joined to the horizon around them. A point whose horizon is not a simple ring, which only round-off can cause, is skipped; so
//! every point is added at most once.

use super::TriangleMesh;
use crate::algebra::V3;
use std::collections::HashMap;

struct Face {
    /// Counter-clockwise from outside.
    corners: [usize; 3],
    /// The faces behind the edges from corner 0 to 1, 1 to 2, 2 to 0.
    neighbours: [usize; 3],
    normal: V3,
    offset: f64,
    outside: Vec<usize>,
    alive: bool,
    /// The last point for which visibility was tested.
    seen_from: usize,
}

impl Face {
    fn height(&self, p: V3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// An edge of the horizon, with the face behind it, which remains.
struct Edge {
    from: usize,
    to: usize,
    behind: usize,
}

/// The hull of points, with its triangles counter-clockwise from outside; no triangles if all points lie in a plane.
///
/// ```
/// use poinsot_core::{algebra::V3, model::convex_hull};
/// let hull = convex_hull(&[V3::ZERO, V3::X, V3::Y, V3::Z, V3::new(0.1, 0.1, 0.1)]);
/// assert_eq!(hull.triangles.len(), 4);
/// ```
pub fn convex_hull(points: &[V3]) -> TriangleMesh {
    let nothing = TriangleMesh::default();
    let size = points.iter().fold(0.0f64, |s, p| s.max(p.x.abs()).max(p.y.abs()).max(p.z.abs()));
    let tiny = 1e-12 * size;
    let Some(first) = simplex(points, tiny) else { return nothing };
    let mut faces = tetrahedron(points, first);
    let all: Vec<usize> = (0..points.len()).collect();
    share_out(points, &all, &mut faces, 0, tiny);
    let mut next = 0;
    while next < faces.len() {
        // a skipped point leaves the face with other points
        while faces[next].alive && !faces[next].outside.is_empty() {
            add_farthest(points, &mut faces, next, tiny);
        }
        next += 1;
    }
    let triangles = faces.iter().filter(|f| f.alive).map(|f| f.corners);
    TriangleMesh { vertices: points.to_vec(), triangles: triangles.collect() }
}

/// Finds four points that span a volume: two far apart, the farthest from their line, and the farthest from their plane.
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

fn tetrahedron(points: &[V3], [a, b, c, d]: [usize; 4]) -> Vec<Face> {
    let above = (points[b] - points[a]).cross(points[c] - points[a]).dot(points[d] - points[a]) > 0.0;
    let (b, c) = if above { (c, b) } else { (b, c) };
    vec![
        face(points, [a, b, c], [1, 2, 3]),
        face(points, [a, d, b], [3, 2, 0]),
        face(points, [b, d, c], [1, 3, 0]),
        face(points, [c, d, a], [2, 1, 0]),
    ]
}

fn face(points: &[V3], corners: [usize; 3], neighbours: [usize; 3]) -> Face {
    let [a, b, c] = corners.map(|k| points[k]);
    let normal = (b - a).cross(c - a).unit().unwrap_or(V3::ZERO);
    let offset = normal.dot(a);
    Face { corners, neighbours, normal, offset, outside: Vec::new(), alive: true, seen_from: usize::MAX }
}

/// Assigns each point to the first face, starting at `from`, that it is outside of.
fn share_out(points: &[V3], candidates: &[usize], faces: &mut [Face], from: usize, tiny: f64) {
    for k in candidates {
        if let Some(f) = faces[from..].iter_mut().find(|f| f.height(points[*k]) > tiny) {
            f.outside.push(*k);
        }
    }
}

/// Adds the farthest outside point of a face, or removes it from the face's list.
fn add_farthest(points: &[V3], faces: &mut Vec<Face>, from: usize, tiny: f64) {
    let f = &mut faces[from];
    let heights = f.outside.iter().map(|k| f.normal.dot(points[*k]) - f.offset).enumerate();
    let Some((best, _)) = heights.max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    let apex = f.outside.swap_remove(best);
    let (visible, horizon) = look(points, faces, from, apex, tiny);
    // the new face on each edge, indexed by the first point of the edge
    let first = faces.len();
    let begin: HashMap<usize, usize> = horizon.iter().enumerate().map(|(k, e)| (e.from, first + k)).collect();
    let after: Vec<usize> = horizon.iter().filter_map(|e| begin.get(&e.to).copied()).collect();
    if begin.len() < horizon.len() || after.len() < horizon.len() {
        return;
    }
    let mut before = vec![0; horizon.len()];
    for (k, next) in after.iter().enumerate() {
        before[next - first] = first + k;
    }
    for (k, Edge { from, to, behind }) in horizon.iter().enumerate() {
        let neighbour = &mut faces[*behind];
        if let Some(i) = (0..3).find(|i| neighbour.corners[*i] == *to) {
            neighbour.neighbours[i] = first + k;
        }
        faces.push(face(points, [*from, *to, apex], [*behind, after[k], before[k]]));
    }
    let mut orphans = Vec::new();
    for k in visible {
        faces[k].alive = false;
        orphans.append(&mut faces[k].outside);
    }
    share_out(points, &orphans, faces, first, tiny);
}

/// Finds the faces that a point sees, starting from one of them, and the edges around them.
fn look(points: &[V3], faces: &mut [Face], from: usize, apex: usize, tiny: f64) -> (Vec<usize>, Vec<Edge>) {
    let (mut visible, mut horizon) = (vec![from], Vec::new());
    faces[from].seen_from = apex;
    let mut next = 0;
    while let Some(&here) = visible.get(next) {
        next += 1;
        for i in 0..3 {
            let behind = faces[here].neighbours[i];
            if faces[behind].seen_from == apex {
                continue;
            }
            if faces[behind].height(points[apex]) > tiny {
                faces[behind].seen_from = apex;
                visible.push(behind);
            } else {
                let corners = faces[here].corners;
                horizon.push(Edge { from: corners[i], to: corners[(i + 1) % 3], behind });
            }
        }
    }
    (visible, horizon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::mesh_inertia;

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
    fn many_points_on_a_sphere() {
        let mut points = Vec::new();
        for k in 0..50_000u32 {
            // a golden spiral
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 50_000.0;
            let (r, angle) = ((1.0 - z * z).sqrt(), 2.399_963_229_728_653 * f64::from(k));
            points.push(V3::new(r * angle.cos(), r * angle.sin(), z));
        }
        let hull = convex_hull(&points);
        assert_eq!(hull.triangles.len(), 2 * 50_000 - 4, "Euler's formula");
        let inertia = mesh_inertia(&hull.vertices, &hull.triangles, 1.0).expect("closed");
        assert!((inertia.mass / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn points_that_nearly_coincide_or_are_not_finite() {
        let mut points = vec![V3::ZERO, V3::X, V3::Y, V3::Z];
        for k in 0..2000u32 {
            let tiny = |s: u32| f64::from((k * 7919 + s * 104_729) % 1000) * 1e-15;
            points.push(V3::new(1.0 / 3.0 + tiny(1), 1.0 / 3.0 + tiny(2), 1.0 / 3.0 + tiny(3)));
            points.push(V3::new(0.5 + tiny(4), 0.5 + tiny(5), tiny(6)));
        }
        assert!(convex_hull(&points).triangles.len() >= 4);
        for odd in [f64::INFINITY, f64::NAN, 1e308, 1e-320] {
            convex_hull(&[
                V3::ZERO,
                V3::X * odd,
                V3::Y,
                V3::Z * odd,
                V3::new(odd, odd, -odd),
                V3::new(1.0, 2.0, odd),
            ]);
        }
    }

    #[test]
    fn flat_or_no_points_have_no_hull() {
        assert!(convex_hull(&[]).triangles.is_empty());
        assert!(convex_hull(&[V3::ZERO, V3::X, V3::Y, V3::new(1.0, 1.0, 0.0)]).triangles.is_empty());
    }
}
