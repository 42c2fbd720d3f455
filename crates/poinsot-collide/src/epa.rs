//! The penetration depth of two convex cores by the expanding polytope algorithm: finds the face of A − B nearest to the origin by growing
//! a polyhedron inside A − B towards it [Bergen01].

use crate::convex::{Pair, Support};
use crate::gjk::Simplex;
use crate::math::Vec3;

#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u32; 3],
    normal: Vec3,
    height: f64,
}

/// The polyhedron, with memory that is reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polyhedron {
    points: Vec<Support>,
    faces: Vec<Face>,
    rim: Vec<[u32; 2]>,
}

/// A face: its outward normal and height, and the support points that span it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    pub normal: Vec3,
    pub height: f64,
    pub corners: [Support; 3],
    pub count: usize,
}

impl Deepest {
    /// The points of A and B whose difference is the foot of the origin on the face, as far as it lies over the face.
    pub fn foot(&self) -> [Vec3; 2] {
        let [a, b, c] = self.corners.map(|c| c.w);
        let normal = (b - a).cross(c - a);
        let weights =
            [b.cross(c).dot(normal), c.cross(a).dot(normal), a.cross(b).dot(normal)].map(|k| k.max(0.0));
        let total = weights[0] + weights[1] + weights[2];
        let weights = if total > 0.0 { weights.map(|k| k / total) } else { [1.0, 0.0, 0.0] };
        let at = |of: [Vec3; 3]| of[0] * weights[0] + of[1] * weights[1] + of[2] * weights[2];
        [at(self.corners.map(|c| c.a)), at(self.corners.map(|c| c.b))]
    }
}

const MOST_POINTS: usize = 300;
/// How far above a face a point must be to see it, relative to the size; the next value is tried if the horizon is not a simple ring.
const SEEN: [f64; 4] = [1e-15, -1e-14, 1e-13, -1e-12];

impl Polyhedron {
    /// The direction of least overlap of two polyhedra.
    pub fn deepest(&mut self, pair: &Pair, simplex: &Simplex) -> Option<Deepest> {
        let size = pair.size();
        let enough = 1e-13 * size;
        if !self.begin(pair, simplex, 1e-12 * size) {
            return self.flat(pair);
        }
        while self.points.len() < MOST_POINTS {
            let nearest = self.nearest()?;
            let face = self.faces[nearest];
            let new = pair.support(face.normal);
            let known = face.corners.iter().any(|&k| self.points[k as usize].w == new.w);
            if known || new.w.dot(face.normal) - face.height <= enough || !self.grow(new, size) {
                break;
            }
        }
        Some(self.seen(&self.faces[self.nearest()?]))
    }

    fn seen(&self, face: &Face) -> Deepest {
        let corners = face.corners.map(|k| self.points[k as usize]);
        Deepest { normal: face.normal, height: face.height, corners, count: 3 }
    }

    /// The nearest face that is not settled, judged by height and normal.
    pub fn nearest_but(&self, settled: impl Fn(f64, Vec3) -> bool) -> Option<Deepest> {
        let open = self.faces.iter().filter(|f| !settled(f.height, f.normal));
        open.min_by(|a, b| a.height.total_cmp(&b.height)).map(|f| self.seen(f))
    }

    /// Excludes a face from further search.
    pub fn pass_over(&mut self, face: &Deepest) {
        let same = |f: &&mut Face| f.height == face.height && f.normal == face.normal;
        self.faces.iter_mut().filter(same).for_each(|f| f.height = f64::INFINITY);
    }

    /// The face through which the ray from the origin along n exits.
    pub fn under(&self, n: Vec3) -> Option<Deepest> {
        let along = |f: &Face| {
            let up = f.normal.dot(n);
            if up > 0.0 { f.height / up } else { f64::INFINITY }
        };
        self.faces.iter().min_by(|a, b| along(a).total_cmp(&along(b))).map(|f| self.seen(f))
    }

    pub fn is_full(&self) -> bool {
        self.points.len() >= MOST_POINTS
    }

    fn nearest(&self) -> Option<usize> {
        (0..self.faces.len()).min_by(|&a, &b| self.faces[a].height.total_cmp(&self.faces[b].height))
    }

    /// Starts with a tetrahedron of A − B, from the vertices of the simplex as far as they suffice.
    pub fn begin(&mut self, pair: &Pair, simplex: &Simplex, tiny: f64) -> bool {
        self.points.clear();
        self.faces.clear();
        self.points.extend(simplex.points());
        let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
        if self.points.is_empty() {
            self.points.push(pair.support(Vec3::X));
        }
        if self.points.len() == 4 && self.volume().abs() <= tiny * tiny * tiny {
            self.points.truncate(3);
        }
        if self.points.len() >= 2 && (self.points[1].w - self.points[0].w).length() <= tiny {
            self.points.truncate(1);
        }
        if self.points.len() == 1 {
            let base = self.points[0].w;
            let far = axes.iter().map(|d| pair.support(*d)).find(|p| (p.w - base).length() > tiny);
            let Some(far) = far else { return false };
            self.points.push(far);
        }
        let along = self.points[1].w - self.points[0].w;
        let wide = |p: &Support, base: Vec3| along.cross(p.w - base).length() > tiny * along.length();
        if self.points.len() >= 3 && !wide(&self.points[2], self.points[0].w) {
            self.points.truncate(2);
        }
        if self.points.len() == 2 {
            let (u, v) = crate::math::across(along.normalize());
            let base = self.points[0].w;
            let found = [u, -u, v, -v].iter().map(|d| pair.support(*d)).find(|p| wide(p, base));
            let Some(found) = found else { return false };
            self.points.push(found);
        }
        if self.points.len() == 3 {
            let [a, b, c] = [0, 1, 2].map(|k: usize| self.points[k].w);
            let normal = (b - a).cross(c - a).normalize();
            let found = [normal, -normal].map(|d| pair.support(d));
            let found = found.iter().find(|p| (p.w - a).dot(normal).abs() > tiny);
            let Some(found) = found else { return false };
            self.points.push(*found);
        }
        if self.volume() < 0.0 {
            self.points.swap(0, 1);
        }
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].into_iter().all(|f| self.push(f))
    }

    /// Six times the volume of the first four points, positive if the fourth is above the other three.
    fn volume(&self) -> f64 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k: usize| self.points[k].w);
        (b - a).cross(c - a).dot(d - a)
    }

    fn push(&mut self, corners: [u32; 3]) -> bool {
        let [a, b, c] = corners.map(|k| self.points[k as usize].w);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        self.faces.push(Face { corners, normal, height: normal.dot(a) });
        normal != Vec3::ZERO
    }

    /// Adds a point: the faces it sees are removed, and it is joined to their horizon. False if round-off leaves no simple horizon.
    pub fn grow(&mut self, new: Support, size: f64) -> bool {
        // nearly coplanar faces are seen all or none, so that the horizon is simple
        SEEN.into_iter().any(|least| self.grow_over(new, least * size))
    }

    /// Grows over the faces that the point is above by more than `least`.
    fn grow_over(&mut self, new: Support, least: f64) -> bool {
        let before = self.faces.len();
        self.rim.clear();
        let seen = |f: &Face| f.normal.dot(new.w) - f.height > least;
        for f in self.faces.iter().filter(|f| seen(f)) {
            for k in 0..3 {
                let edge = [f.corners[k], f.corners[(k + 1) % 3]];
                match self.rim.iter().position(|e| *e == [edge[1], edge[0]]) {
                    Some(twin) => {
                        self.rim.swap_remove(twin);
                    }
                    None => self.rim.push(edge),
                }
            }
        }
        let simple = self.rim.iter().all(|e| self.rim.iter().filter(|o| o[0] == e[0]).count() == 1);
        if self.rim.len() < 3 || !simple {
            return false;
        }
        self.faces.retain(|f| !seen(f));
        if self.faces.len() == before {
            return false;
        }
        let number = self.points.len() as u32;
        self.points.push(new);
        for k in 0..self.rim.len() {
            let [from, to] = self.rim[k];
            if !self.push([from, to, number]) {
                // a face without area is never the nearest one
                if let Some(face) = self.faces.last_mut() {
                    face.height = f64::INFINITY;
                }
            }
        }
        true
    }

    /// A − B has no volume: both lie in a plane, on a line or at a point, and are separated perpendicular to it without overlap.
    pub fn flat(&self, pair: &Pair) -> Option<Deepest> {
        let p = &self.points;
        let normal = match p.len() {
            0 => return None,
            1 => pair.x.pos.normalize_or(Vec3::Z),
            2 => crate::math::across((p[1].w - p[0].w).normalize_or(Vec3::Z)).0,
            _ => (p[1].w - p[0].w).cross(p[2].w - p[0].w).normalize_or(Vec3::Z),
        };
        let last = p[p.len() - 1];
        let corners = [p[0], *p.get(1).unwrap_or(&last), *p.get(2).unwrap_or(&last)];
        Some(Deepest { normal, height: 0.0, corners, count: p.len().min(3) })
    }
}
