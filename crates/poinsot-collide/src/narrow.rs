//! The narrow phase: the signed distance of two convex bodies, and their contact points.

use crate::contact::Feature;
use crate::convex::{Convex, Highest, Pair};
use crate::cylinder::Depth;
use crate::epa::Polyhedron;
use crate::gjk::{CLOSE, EXACT, Nearest, Simplex, nearest};
use crate::manifold::{Point, reduce};
use crate::math::{Frame, Vec3};
use crate::overlay::Overlay;
use crate::patch::{Facing, Patch};
use crate::polish::{Best, Edges};

/// The contact points of two bodies along n: the support point of the one that has a unique one, or the crossing of the highest lines of
/// both, and its image on the other; otherwise points between the given approximate ones.
pub(crate) fn exact_witnesses(pair: &Pair, n: Vec3, rough: [Vec3; 2]) -> [Vec3; 2] {
    let (s, middle) = (pair.support(n), 0.5 * (rough[0] + rough[1]));
    let of_b = match pair.b.highest(pair.x.vector_back(-n)) {
        Highest::Point(p) => Highest::Point(pair.x.point(p)),
        Highest::Line(p, along) => Highest::Line(pair.x.point(p), pair.x.vector(along)),
        Highest::Face => Highest::Face,
    };
    let on_line = |p: Vec3, along: Vec3| p + along * along.dot(middle - p);
    let foot = match (pair.a.highest(n), of_b) {
        (Highest::Point(p), _) | (_, Highest::Point(p)) => p,
        (Highest::Line(p, d), Highest::Line(q, e)) => {
            // both are perpendicular to n: seen along it they cross, unless they are parallel
            let side = n.cross(e);
            let across = d.dot(side);
            if across.abs() > 1e-6 { p + d * ((q - p).dot(side) / across) } else { on_line(p, d) }
        }
        (Highest::Line(p, d), Highest::Face) | (Highest::Face, Highest::Line(p, d)) => on_line(p, d),
        (Highest::Face, Highest::Face) => middle,
    };
    [s.a, s.b].map(|p| foot + n * (p - foot).dot(n))
}

/// Refines the result of GJK to the exact direction for polyhedra, unless they are very near.
pub(crate) fn apart(pair: &Pair, v: Vec3, simplex: &Simplex) -> Best {
    let length = v.length();
    let normal = v * (-1.0 / length);
    if pair.is_curved() {
        let mut best = Best::new(pair, normal);
        best.finish(pair, simplex.points());
        return best;
    }
    if length >= 1e-4 * pair.size() {
        return Best { normal, overlap: -length };
    }
    let mut best = Best::new(pair, normal);
    best.try_kinks(pair, &Edges::near(pair, simplex.points(), normal, 0.0));
    best
}

/// Scratch of the narrow phase; its memory is reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    polyhedron: Polyhedron,
    pub a: Patch,
    pub b: Patch,
    overlay: Overlay,
    pub points: Vec<Point>,
    /// The separating axis of the last pair that was too far apart, in the frame of the first; or zero.
    pub axis: Vec3,
    pub group: Vec<Point>,
    pub numbers: Vec<u32>,
    pub others: Vec<u32>,
    /// Pairs of crossing triangles of two meshes.
    pub crossings: Vec<[u32; 2]>,
    pub stack: Vec<u32>,
}

/// The signed distance of two bodies, in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    /// From the first to the second.
    pub normal: Vec3,
    pub gap: f64,
    /// The nearest or deepest points of the surfaces.
    pub witnesses: [Vec3; 2],
}

/// The points at which two cores touch if the second is moved out along n.
pub(crate) fn touching(pair: &Pair, best: &Best) -> [Vec3; 2] {
    let out = best.normal * (best.overlap + 0.1 * pair.size());
    let apart = Pair { x: Frame { pos: pair.x.pos + out, ..pair.x }, ..*pair };
    match nearest(&apart, f64::INFINITY, CLOSE) {
        Nearest::Apart { simplex, .. } | Nearest::Overlap(simplex) => {
            let [p, q] = simplex.witnesses();
            [p, q - out]
        }
        Nearest::Far { .. } => [Vec3::ZERO, pair.x.pos],
    }
}

impl Scratch {
    /// The direction of least overlap of a cylinder and another core; `None` for other cores.
    pub fn depth_of_cylinder(&mut self, pair: &Pair, simplex: &Simplex) -> Option<Best> {
        match pair.depth_of_cylinder()? {
            Depth::Found(best) => Some(best),
            Depth::Begun(best) => Some(self.polyhedron.deepest_of_curved(pair, simplex, Some(best))?.0),
        }
    }

    /// The signed distance of a and b, which has pose x in the frame of a; `None` if it exceeds `most`.
    pub fn distance(&mut self, a: &Convex, b: &Convex, x: &Frame, most: f64) -> Option<Distance> {
        let pair = Pair { a: a.core, b: b.core, x: *x, scale: 1.0 };
        let round = a.round + b.round;
        let size = pair.size();
        let enough = if pair.is_curved() { CLOSE } else { EXACT };
        let (best, witnesses) = match nearest(&pair, most + round, enough) {
            Nearest::Far { v } => {
                self.axis = -v.normalize_or_zero();
                return None;
            }
            Nearest::Apart { v, simplex } if v.length() > 1e-9 * size => {
                (apart(&pair, v, &simplex), simplex.witnesses())
            }
            Nearest::Apart { simplex, .. } | Nearest::Overlap(simplex) => {
                if let Some(best) = self.depth_of_cylinder(&pair, &simplex) {
                    (best, touching(&pair, &best))
                } else if pair.is_curved() {
                    self.polyhedron.deepest_of_curved(&pair, &simplex, None)?
                } else {
                    let deepest = self.polyhedron.deepest(&pair, &simplex)?;
                    let mut best = Best::new(&pair, deepest.normal);
                    let corners = &deepest.corners[..deepest.count];
                    best.try_kinks(&pair, &Edges::near(&pair, corners, deepest.normal, 0.0));
                    (best, exact_witnesses(&pair, best.normal, deepest.foot()))
                }
            }
        };
        let gap = -best.overlap - round;
        if gap > most {
            return None;
        }
        let n = best.normal;
        let witnesses = if pair.is_curved() { exact_witnesses(&pair, n, witnesses) } else { witnesses };
        Some(Distance { normal: n, gap, witnesses: [witnesses[0] + n * a.round, witnesses[1] - n * b.round] })
    }

    /// Finds at most four points at which a and b, which has pose x in the frame of a, come within `most` of each other.
    pub fn touch(&mut self, a: &Convex, b: &Convex, x: &Frame, most: f64) {
        if !self.touch_with_proof(a, b, x, most)
            && let Some(found) = self.distance(a, b, x, most)
        {
            self.face(a, b, x, most, found);
        }
    }

    /// Finds the points between the features of a and b that face each other along a known normal.
    pub fn face(&mut self, a: &Convex, b: &Convex, x: &Frame, most: f64, found: Distance) {
        let from = self.points.len();
        let tiny = 1e-11 * (a.reach() + b.reach());
        let attained = self.overlay(a, b, x, most, found.normal, found.gap, tiny);
        let features: [Feature; 2] = [self.a.inside, self.b.inside];
        let [p, q] = found.witnesses;
        let deepest = (!attained).then(|| Point::between(p, q, found.normal, found.gap, features));
        reduce(&mut self.points, from, found.normal, deepest);
    }

    /// Finds points between the facing features along a normal that is known to have the largest gap of all faces and edges. That gap is
    /// the distance if the features are opposite; otherwise the distance is searched for.
    pub fn face_or_search(&mut self, a: &Convex, b: &Convex, x: &Frame, most: f64, normal: Vec3, gap: f64) {
        let (from, tiny) = (self.points.len(), 1e-11 * (a.reach() + b.reach()));
        if self.overlay(a, b, x, most, normal, gap, tiny) {
            reduce(&mut self.points, from, normal, None);
        } else {
            self.points.truncate(from);
            self.touch(a, b, x, most);
        }
    }

    /// Adds points of the facing features; true if one of them has the gap.
    #[allow(clippy::too_many_arguments)]
    pub fn overlay(
        &mut self,
        a: &Convex,
        b: &Convex,
        x: &Frame,
        most: f64,
        n: Vec3,
        gap: f64,
        tiny: f64,
    ) -> bool {
        self.a.of(a, &Frame::IDENTITY, n, Facing::Nearly);
        self.b.of(b, x, -n, Facing::Nearly);
        let flat = |p: &Patch, n: Vec3| p.points.len() > 2 && p.normal.dot(n) > 1.0 - 1e-12;
        if flat(&self.a, n) && self.b.points.len() <= 2 {
            self.b.of(b, x, -n, Facing::Best);
        } else if flat(&self.b, -n) && self.a.points.len() <= 2 {
            self.a.of(a, &Frame::IDENTITY, n, Facing::Best);
        }
        self.overlay.points([&self.a, &self.b], n, gap, most, tiny, &mut self.points)
    }
}
