//! The penetration depth of a cylinder and a segment, a box, a hull or another cylinder.
//!
//! The depth U is the least `h(n)` over unit vectors n, with h the support function of A − B. A ball of radius U about the origin is
//! contained in A − B and touches its surface from inside, which therefore has a unique normal there. So that point is one of a few kinds.
//! With m = ±n in the frame of the cylinder, pointing to the other body, whose vertices are p:
//!
//! ```math
//! (1)  f(m) = r √(1 − m_z²) + h |m_z| − min p·m
//! ```
//! | what touches | m |
//! |---|---|
//! | a face and the rim | against the normal of the face |
//! | a vertex and a cap | ± z |
//! | a vertex and the side | across z, towards the vertex nearest to the axis |
//! | an edge e and the side | ± e × z |
//! | an edge e and the rim | on the circle across e, between the normals of its two faces |
//!
//! All but the last are known directly. Let w₁ and w₂ be support points of A − B along m₁ and m₂. On the arc from m₁ to m₂
//!
//! ```math
//! (2)  h(m) ≥ max(w₁·m, w₂·m),
//! ```
//! whose minimum is at one of the ends, or where the two are equal. Usually that exceeds the best value so far; if not, the arc is split
//! there, and both parts are searched.
//!
//! For two cylinders, a cap may touch, or the side of one, on the circle perpendicular to its axis; these cases are treated in the same
//! way. The remaining case, rim against rim, is left to [`crate::depth`], which then has a good initial value.

use crate::convex::{Core, Pair};
use crate::math::{Frame, Vec3, across};
use crate::polish::Best;
use crate::polytope::Polytope;

/// How far below the best value a bound may be, relative to the size.
const ENOUGH: f64 = 1e-12;
/// The capacity for pending arcs, and how often one is split at most.
const WAITING: usize = 64;
const CUTS: usize = 400;
/// A support point along m₁ is chosen that is also highest slightly towards m₂.
const TOWARDS: f64 = 1e-9;

/// The smallest f so far, and the edge on whose circle it was found.
struct Least {
    value: f64,
    m: Vec3,
    edge: Option<Vec3>,
    enough: f64,
}

impl Least {
    fn new(size: f64) -> Least {
        Least { value: f64::INFINITY, m: Vec3::Z, edge: None, enough: ENOUGH * size }
    }

    fn offer(&mut self, value: f64, m: Vec3, edge: Option<Vec3>) {
        if value < self.value {
            (self.value, self.m, self.edge) = (value, m, edge);
        }
    }

    /// Searches the arc perpendicular to e between two unit vectors, shorter than half a turn, whose values have been offered. `support` is
    /// the support point along a vector and, if there are several, the one that is highest towards another; `kink` says where else an arc
    /// must be split.
    fn arc(
        &mut self,
        e: Vec3,
        [from, to]: [Vec3; 2],
        support: impl Fn(Vec3, Vec3) -> Vec3,
        kink: impl Fn(Vec3, Vec3) -> Option<Vec3>,
    ) {
        let mut waiting = [(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO); WAITING];
        waiting[0] = (from, support(from, to), to, support(to, from));
        let mut count = 1;
        for _ in 0..CUTS {
            if count == 0 {
                return;
            }
            count -= 1;
            let (a, w_a, b, w_b) = waiting[count];
            let (level, middle) = (e.cross(w_a - w_b), a + b);
            let length = level.length();
            if length <= self.enough {
                continue; // one point is highest along the whole arc, so the minimum is at an end
            }
            let equal = level * (level.dot(middle).signum() / length);
            if w_a.dot(equal) >= self.value - self.enough {
                continue;
            }
            let m = kink(a, b).unwrap_or(equal);
            let [w, v] = [a, b].map(|end| support(m, end));
            self.offer(w.dot(m), m, Some(e));
            if count + 2 <= WAITING {
                waiting[count] = (a, w_a, m, w);
                waiting[count + 1] = (m, v, b, w_b);
                count += 2;
            }
        }
    }
}

/// A cylinder about z, and the pose of the other body in its frame.
struct Round<'a> {
    half: f64,
    radius: f64,
    y: &'a Frame,
}

impl Round<'_> {
    /// The first two terms of (1).
    fn height(&self, m: Vec3) -> f64 {
        self.radius * m.truncate().length() + self.half * m.z.abs()
    }

    /// The support point along m; if there are several, one that is highest towards another vector.
    fn support(&self, m: Vec3, towards: Vec3) -> Vec3 {
        let d = m + towards * TOWARDS;
        let across = d.truncate() * (self.radius / d.truncate().length().max(f64::MIN_POSITIVE));
        across.extend(self.half.copysign(d.z))
    }

    /// Offers the normal of a face, outward, and a point of it.
    fn face(&self, least: &mut Least, normal: Vec3, point: Vec3) {
        least.offer(self.height(normal) + point.dot(normal), -normal, None);
    }

    /// Offers the caps, for vertices between these heights.
    fn caps(&self, least: &mut Least, low: f64, high: f64) {
        least.offer(self.half - low, Vec3::Z, None);
        least.offer(self.half + high, Vec3::NEG_Z, None);
    }

    /// Offers the direction to the vertex nearest to the axis, if all others are on its far side; otherwise the value is not that of (1).
    fn side(&self, least: &mut Least, vertices: impl Iterator<Item = Vec3> + Clone) {
        let near = |p: &Vec3| p.truncate().length_squared();
        let Some(p) = vertices.clone().min_by(|p, q| near(p).total_cmp(&near(q))) else { return };
        let Some(m) = p.truncate().try_normalize() else { return };
        let lowest = vertices.map(|p| p.truncate().dot(m)).fold(f64::INFINITY, f64::min);
        least.offer(self.radius - lowest, m.extend(0.0), None);
    }

    /// Searches the arc of an edge e through a point p, between the outward normals of its faces.
    fn edge(&self, least: &mut Least, e: Vec3, p: Vec3, normals: [Vec3; 2]) {
        let kink = |a: Vec3, b: Vec3| {
            let side = e.cross(Vec3::Z);
            (a.z * b.z < 0.0).then(|| (side * side.dot(a + b).signum()).try_normalize()).flatten()
        };
        let support = |m: Vec3, towards: Vec3| self.support(m, towards) - p;
        least.arc(e, normals.map(|n| -n), support, kink);
    }

    fn cuboid(&self, least: &mut Least, half: Vec3) {
        let (axes, centre) = ([self.y.rot.x_axis, self.y.rot.y_axis, self.y.rot.z_axis], self.y.pos);
        for k in 0..3 {
            for n in [axes[k], -axes[k]] {
                self.face(least, n, centre + n * half[k]);
            }
        }
        let up: f64 = (0..3).map(|k| half[k] * axes[k].z.abs()).sum();
        self.caps(least, centre.z - up, centre.z + up);
        let arms = [0, 1, 2].map(|k| axes[k] * half[k]);
        let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let ends = signs.into_iter().map(|[s, t]| centre + arms[0] * s + arms[1] * t);
        self.side(least, ends.flat_map(|p| [p + arms[2], p - arms[2]]));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            for [s, t] in signs {
                self.edge(least, axes[k], centre + arms[i] * s + arms[j] * t, [axes[i] * s, axes[j] * t]);
            }
        }
    }

    fn hull(&self, least: &mut Least, hull: &Polytope) {
        let vertices = hull.vertices.iter().map(|v| self.y.point(*v));
        for face in &hull.faces {
            let point = hull.vertices[face.vertices[0] as usize];
            self.face(least, self.y.vector(face.normal), self.y.point(point));
        }
        let heights = vertices.clone().map(|p| p.z);
        let [low, high] =
            [heights.clone().fold(f64::INFINITY, f64::min), heights.fold(f64::NEG_INFINITY, f64::max)];
        self.caps(least, low, high);
        self.side(least, vertices);
        for (ends, faces) in hull.edges.iter().zip(&hull.beside) {
            let [p, q] = ends.map(|k| hull.vertices[k as usize]);
            let normals = faces.map(|f| self.y.vector(hull.faces[f as usize].normal));
            let Some(e) = self.y.vector(q - p).try_normalize() else { continue };
            self.edge(least, e, self.y.point(p), normals);
        }
    }

    fn segment(&self, least: &mut Least, half: f64) {
        let (e, centre) = (self.y.rot.z_axis, self.y.pos);
        let up = half * e.z.abs();
        self.caps(least, centre.z - up, centre.z + up);
        self.side(least, [centre + e * half, centre - e * half].into_iter());
        let u = e.cross(Vec3::Z).try_normalize().unwrap_or(across(e).0);
        let v = e.cross(u);
        for n in [u, v, -u, -v] {
            self.face(least, n, centre);
        }
        for normals in [[u, v], [v, -u], [-u, -v], [-v, u]] {
            self.edge(least, e, centre, normals);
        }
    }
}

/// The result for two cores, of which one is a cylinder.
pub(crate) enum Depth {
    /// The direction of least overlap.
    Found(Best),
    /// The best direction so far, from all cases except rim against rim.
    Begun(Best),
}

impl Pair<'_> {
    /// The direction of least overlap of a cylinder and another core; `None` for cores that are not treated here.
    pub fn depth_of_cylinder(&self) -> Option<Depth> {
        match (self.a, self.b) {
            (Core::Cylinder { .. }, Core::Cylinder { .. }) => Some(Depth::Begun(self.between_cylinders())),
            (Core::Cylinder { half, radius }, other) => {
                let least = self.least(&Round { half, radius, y: &self.x }, other)?;
                Some(Depth::Found(self.finished(least.m, least.edge)))
            }
            (other, Core::Cylinder { half, radius }) => {
                let least = self.least(&Round { half, radius, y: &self.x.inverse() }, other)?;
                Some(Depth::Found(
                    self.finished(-self.x.vector(least.m), least.edge.map(|e| self.x.vector(e))),
                ))
            }
            _ => None,
        }
    }

    fn least(&self, round: &Round, other: Core) -> Option<Least> {
        let mut least = Least::new(self.size());
        match other {
            Core::Segment { half } => round.segment(&mut least, half),
            Core::Box { half } => round.cuboid(&mut least, half),
            Core::Polytope(hull) if hull.is_closed() => round.hull(&mut least, hull),
            _ => return None,
        }
        Some(least)
    }

    /// Refines a direction on the circle perpendicular to an edge to round-off.
    fn finished(&self, n: Vec3, edge: Option<Vec3>) -> Best {
        let mut best = Best::new(self, n);
        if edge.is_some() {
            best.newton(self, n, edge);
        }
        best
    }

    fn between_cylinders(&self) -> Best {
        let mut least = Least::new(self.size());
        let axes = [Vec3::Z, self.x.rot.z_axis];
        for n in axes.into_iter().flat_map(|n| [n, -n]) {
            least.offer(self.overlap(n), n, None);
        }
        let support = |m: Vec3, towards: Vec3| self.support(m + towards * TOWARDS).w;
        for (e, other) in [(axes[0], axes[1]), (axes[1], axes[0])] {
            let u = e.cross(other).try_normalize().unwrap_or(across(e).0);
            let v = e.cross(u);
            let around = [u, v, -u, -v];
            for m in around {
                least.offer(self.overlap(m), m, None);
            }
            for k in 0..4 {
                least.arc(e, [around[k], around[(k + 1) % 4]], support, |_, _| None);
            }
        }
        self.finished(least.m, least.edge)
    }
}
