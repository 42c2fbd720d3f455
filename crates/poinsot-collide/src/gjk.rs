//! The point of the Minkowski difference A − B of two convex cores that is nearest to the origin [Gilbert88].
//!
//! A simplex of points of A − B is kept, and v, its point nearest to the origin. The support point w along −v bounds the
//! distance from below, `|v| ≥ d ≥ v·w/|v|`. While the two differ, w joins the simplex and the vertices that do not carry
//! the nearest point leave it. For polyhedra this ends after finitely many vertices; at curved surfaces the bounds close in.

use crate::convex::{Pair, Support};
use crate::math::Vec3;

/// Up to four points of A − B and the weights with which they make the nearest point.
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
    fn nearest(&self) -> Vec3 {
        self.sum(|p| p.w)
    }
    /// The points of A and B that are nearest to each other.
    pub fn witnesses(&self) -> [Vec3; 2] {
        [self.sum(|p| p.a), self.sum(|p| p.b)]
    }
    fn sum(&self, of: impl Fn(&Support) -> Vec3) -> Vec3 {
        self.points().iter().zip(self.weights).fold(Vec3::ZERO, |s, (p, k)| s + of(p) * k)
    }
    fn set(&mut self, chosen: &[(Support, f64)]) {
        self.count = chosen.len();
        for (k, (p, weight)) in chosen.iter().enumerate() {
            (self.points[k], self.weights[k]) = (*p, *weight);
        }
    }
}

/// What GJK found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearest {
    /// Farther apart than was asked for, along v, which points from B to A.
    Far { v: Vec3 },
    /// Apart by |v|, where v points from B to A.
    Apart { v: Vec3, simplex: Simplex },
    /// Touching to round-off, or overlapping.
    Overlap(Simplex),
}

const ROUNDS: usize = 100;

/// The distance of two cores, where it is at most `most`.
pub(crate) fn nearest(pair: &Pair, most: f64) -> Nearest {
    let curved = pair.is_curved();
    let enough = if curved { 1e-8 } else { 1e-15 };
    let start = if pair.x.pos == Vec3::ZERO { Vec3::X } else { pair.x.pos };
    let first = pair.support(start);
    let mut simplex = Simplex::default();
    simplex.set(&[(first, 1.0)]);
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
        let mut next = simplex;
        next.points[next.count] = new;
        next.count += 1;
        if !reduce(&mut next) {
            return Nearest::Overlap(next);
        }
        let nearer = next.nearest();
        // round-off: no nearer than before
        if nearer.length_squared() >= squared {
            return Nearest::Apart { v, simplex };
        }
        (simplex, v) = (next, nearer);
    }
    Nearest::Apart { v, simplex }
}

/// Leaves the vertices that carry the point nearest to the origin; false when the origin is inside a tetrahedron.
fn reduce(s: &mut Simplex) -> bool {
    let p = s.points;
    match s.count {
        2 => {
            let found = on_segment(p[0], p[1]);
            s.set(found.parts());
        }
        3 => {
            let found = on_triangle(p[0], p[1], p[2]);
            s.set(found.parts());
        }
        4 => return in_tetrahedron(s, p),
        _ => s.weights[0] = 1.0,
    }
    true
}

/// The nearest point of a simplex: its vertices with their weights, and its squared distance.
#[derive(Clone, Copy)]
struct Part {
    chosen: [(Support, f64); 3],
    count: usize,
    squared: f64,
}

impl Part {
    fn new(chosen: &[(Support, f64)]) -> Part {
        let mut part = Part { chosen: [Default::default(); 3], count: chosen.len(), squared: 0.0 };
        part.chosen[..chosen.len()].copy_from_slice(chosen);
        part.squared = chosen.iter().fold(Vec3::ZERO, |s, (p, k)| s + p.w * *k).length_squared();
        part
    }
    fn parts(&self) -> &[(Support, f64)] {
        &self.chosen[..self.count]
    }
}

fn on_segment(p: Support, q: Support) -> Part {
    let d = q.w - p.w;
    let (along, length) = (-p.w.dot(d), d.length_squared());
    if along <= 0.0 || length == 0.0 {
        Part::new(&[(p, 1.0)])
    } else if along >= length {
        Part::new(&[(q, 1.0)])
    } else {
        let t = along / length;
        Part::new(&[(p, 1.0 - t), (q, t)])
    }
}

/// Weights are the areas that the origin, in the plane of the triangle, spans with the edges.
fn on_triangle(p: Support, q: Support, r: Support) -> Part {
    let normal = (q.w - p.w).cross(r.w - p.w);
    let area = normal.length_squared();
    let weights = [q.w.cross(r.w).dot(normal), r.w.cross(p.w).dot(normal), p.w.cross(q.w).dot(normal)];
    if area > 0.0 && weights.iter().all(|k| *k > 0.0) {
        let total = weights[0] + weights[1] + weights[2];
        let mut part =
            Part::new(&[(p, weights[0] / total), (q, weights[1] / total), (r, weights[2] / total)]);
        let height = p.w.dot(normal);
        part.squared = height * height / area;
        return part;
    }
    let edges = [on_segment(p, q), on_segment(q, r), on_segment(r, p)];
    edges.into_iter().min_by(|a, b| a.squared.total_cmp(&b.squared)).unwrap_or(edges[0])
}

fn in_tetrahedron(s: &mut Simplex, p: [Support; 4]) -> bool {
    let mut best: Option<Part> = None;
    for [i, j, k, opposite] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]] {
        let normal = (p[j].w - p[i].w).cross(p[k].w - p[i].w);
        let (inside, origin) = (normal.dot(p[opposite].w - p[i].w), -normal.dot(p[i].w));
        // a tetrahedron without volume holds nothing
        let flat = inside.abs() <= 1e-14 * normal.length() * (p[opposite].w - p[i].w).length();
        if flat || inside * origin < 0.0 {
            let part = on_triangle(p[i], p[j], p[k]);
            if best.is_none_or(|b| part.squared < b.squared) {
                best = Some(part);
            }
        }
    }
    match best {
        Some(part) => {
            s.set(part.parts());
            true
        }
        None => false,
    }
}
