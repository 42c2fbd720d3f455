//! The GJK algorithm: finds the point of the Minkowski difference A − B of two convex cores that is nearest to the origin [Gilbert88].
//!
//! The state is a simplex of points of A − B, and v, its point nearest to the origin. The support point w along −v bounds the distance from
//! below, `|v| ≥ d ≥ v·w/|v|`. While the two differ, w is added to the simplex and the vertices that do not carry the nearest point are
//! removed. For polyhedra this terminates after finitely many steps; on curved surfaces the bounds converge.

use crate::convex::{Pair, Support};
use crate::math::Vec3;

/// Up to four points of A − B and their weights in the nearest point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    points: [Support; 4],
    weights: [f64; 4],
    count: usize,
}

impl Simplex {
    pub fn points(&self) -> &[Support] {
        &self.points[..self.count]
    }
    /// The nearest points of A and B.
    pub fn witnesses(&self) -> [Vec3; 2] {
        [self.sum(|p| p.a), self.sum(|p| p.b)]
    }
    fn sum(&self, of: impl Fn(&Support) -> Vec3) -> Vec3 {
        self.points().iter().zip(self.weights).fold(Vec3::ZERO, |s, (p, k)| s + of(p) * k)
    }
    fn push(&mut self, new: Support) {
        self.points[self.count] = new;
        self.count += 1;
    }
    /// Keeps only the vertices of a part.
    fn keep(&mut self, part: &Part) {
        let kept = part.chosen.map(|k| self.points[k]);
        self.points[..3].copy_from_slice(&kept);
        self.weights[..3].copy_from_slice(&part.weights);
        self.count = part.count;
    }
}

/// The result of GJK.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearest {
    /// Farther apart than the limit, along v, which points from B to A.
    Far { v: Vec3 },
    /// Apart by |v|, where v points from B to A.
    Apart { v: Vec3, simplex: Simplex },
    /// Touching to round-off, or overlapping.
    Overlap(Simplex),
}

const ROUNDS: usize = 100;

/// The relative difference of the bounds at which to stop, in squared distances: at round-off, or if only a direction is needed.
pub(crate) const EXACT: f64 = 1e-15;
pub(crate) const CLOSE: f64 = 1e-8;
pub(crate) const ROUGH: f64 = 1e-4;

/// Computes the distance of two cores to the tolerance `enough`, if it is at most `most`.
pub(crate) fn nearest(pair: &Pair, most: f64, enough: f64) -> Nearest {
    let start = if pair.x.pos == Vec3::ZERO { Vec3::X } else { pair.x.pos };
    let first = pair.support(start);
    let mut simplex = Simplex { weights: [1.0, 0.0, 0.0, 0.0], ..Simplex::default() };
    simplex.push(first);
    let mut v = first.w;
    let tiny = 1e-14 * pair.size();
    for _ in 0..ROUNDS {
        let squared = v.length_squared();
        if squared <= tiny * tiny {
            return Nearest::Overlap(simplex);
        }
        let new = pair.support(-v);
        let below = v.dot(new.w);
        if below > 0.0 && below * below > most * most * squared {
            return Nearest::Far { v };
        }
        let known = simplex.points().iter().any(|p| p.w == new.w);
        if known || squared - below <= enough * squared {
            return Nearest::Apart { v, simplex };
        }
        let mut w = simplex.points.map(|p| p.w);
        w[simplex.count] = new.w;
        let Some(part) = nearest_part(&w, simplex.count + 1) else {
            simplex.push(new);
            return Nearest::Overlap(simplex);
        };
        let nearer = part.point(&w);
        // round-off: no progress
        if nearer.length_squared() >= squared {
            return Nearest::Apart { v, simplex };
        }
        simplex.push(new);
        simplex.keep(&part);
        v = nearer;
    }
    Nearest::Apart { v, simplex }
}

/// The part of a simplex that carries the point nearest to the origin; `None` if the origin is inside a tetrahedron.
fn nearest_part(w: &[Vec3; 4], count: usize) -> Option<Part> {
    match count {
        2 => Some(on_segment(w, 0, 1)),
        3 => Some(on_triangle(w, [0, 1, 2])),
        _ => in_tetrahedron(w),
    }
}

/// The nearest point of a simplex: its vertices with their weights, and its squared distance.
#[derive(Clone, Copy)]
struct Part {
    chosen: [usize; 3],
    weights: [f64; 3],
    count: usize,
    squared: f64,
}

impl Part {
    fn new(w: &[Vec3; 4], chosen: [usize; 3], weights: [f64; 3], count: usize) -> Part {
        let mut part = Part { chosen, weights, count, squared: 0.0 };
        part.squared = part.point(w).length_squared();
        part
    }
    fn point(&self, w: &[Vec3; 4]) -> Vec3 {
        (0..self.count).fold(Vec3::ZERO, |s, k| s + w[self.chosen[k]] * self.weights[k])
    }
}

fn on_segment(w: &[Vec3; 4], p: usize, q: usize) -> Part {
    let d = w[q] - w[p];
    let (along, length) = (-w[p].dot(d), d.length_squared());
    if along <= 0.0 || length == 0.0 {
        Part::new(w, [p; 3], [1.0, 0.0, 0.0], 1)
    } else if along >= length {
        Part::new(w, [q; 3], [1.0, 0.0, 0.0], 1)
    } else {
        let t = along / length;
        Part::new(w, [p, q, q], [1.0 - t, t, 0.0], 2)
    }
}

/// The weights are the areas that the origin, projected to the plane of the triangle, spans with the edges.
fn on_triangle(w: &[Vec3; 4], chosen: [usize; 3]) -> Part {
    let [p, q, r] = chosen.map(|k| w[k]);
    let normal = (q - p).cross(r - p);
    let area = normal.length_squared();
    let weights = [q.cross(r).dot(normal), r.cross(p).dot(normal), p.cross(q).dot(normal)];
    if area > 0.0 && weights.iter().all(|k| *k > 0.0) {
        let total = weights[0] + weights[1] + weights[2];
        let height = p.dot(normal);
        let weights = weights.map(|k| k / total);
        return Part { chosen, weights, count: 3, squared: height * height / area };
    }
    let [i, j, k] = chosen;
    let edges = [on_segment(w, i, j), on_segment(w, j, k), on_segment(w, k, i)];
    edges.into_iter().min_by(|a, b| a.squared.total_cmp(&b.squared)).unwrap_or(edges[0])
}

fn in_tetrahedron(w: &[Vec3; 4]) -> Option<Part> {
    let mut best: Option<Part> = None;
    for [i, j, k, opposite] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]] {
        let normal = (w[j] - w[i]).cross(w[k] - w[i]);
        let (inside, origin) = (normal.dot(w[opposite] - w[i]), -normal.dot(w[i]));
        // a tetrahedron without volume contains nothing
        let flat = inside.abs() <= 1e-14 * normal.length() * (w[opposite] - w[i]).length();
        if flat || inside * origin < 0.0 {
            let part = on_triangle(w, [i, j, k]);
            if best.is_none_or(|b| part.squared < b.squared) {
                best = Some(part);
            }
        }
    }
    best
}
