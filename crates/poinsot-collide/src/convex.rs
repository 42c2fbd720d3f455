//! Convex bodies by their support functions.
//!
//! A body is a *core* with a radius around it: a ball is a point, a capsule a segment. With `h(n) = max x·n` over the core, the support
//! point s(n) along n is the gradient of h, and the eigenvalues of the Hessian of h, if it exists, are the radii of curvature. If h has a
//! kink, as for n perpendicular to an edge or along the normal of a face, s(n) is not unique.

use crate::math::{Aabb, Frame, Mat3, Vec3, across};
use crate::polytope::Polytope;

/// The core of a body, about the origin; elongated cores lie along z.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    Point,
    Segment {
        half: f64,
    },
    Box {
        half: Vec3,
    },
    Cylinder {
        half: f64,
        radius: f64,
    },
    Ellipsoid {
        radii: Vec3,
    },
    Polytope(&'a Polytope),
    /// With its unit normal.
    Triangle {
        corners: [Vec3; 3],
        normal: Vec3,
    },
    /// A column of a height field: three vertices above, three below.
    Prism {
        corners: [Vec3; 6],
    },
}

/// The support set of a core: one point, a line through a point along a unit vector, or a face.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Highest {
    Point(Vec3),
    Line(Vec3, Vec3),
    Face,
}

/// A convex body in its own frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convex<'a> {
    pub core: Core<'a>,
    pub round: f64,
}

/// The id of a point that is not a vertex of its body.
pub(crate) const NO_VERTEX: u32 = u32::MAX;

fn sign(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

pub(crate) fn farthest(points: &[Vec3], d: Vec3) -> (Vec3, u32) {
    let (mut best, mut index) = (f64::NEG_INFINITY, 0);
    for (k, p) in points.iter().enumerate() {
        let height = p.dot(d);
        if height > best {
            (best, index) = (height, k);
        }
    }
    (points[index], index as u32)
}

impl Core<'_> {
    /// The support point along d, and its number.
    #[inline]
    pub fn support(&self, d: Vec3) -> (Vec3, u32) {
        match *self {
            Core::Point => (Vec3::ZERO, 0),
            Core::Segment { half } => (Vec3::new(0.0, 0.0, half * sign(d.z)), (d.z >= 0.0) as u32),
            Core::Box { half } => {
                let bit = |x: f64, k: u32| ((x >= 0.0) as u32) << k;
                let corner = Vec3::new(half.x * sign(d.x), half.y * sign(d.y), half.z * sign(d.z));
                (corner, bit(d.x, 0) | bit(d.y, 1) | bit(d.z, 2))
            }
            Core::Cylinder { half, radius } => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let k = if across > 0.0 { radius / across } else { 0.0 };
                (Vec3::new(d.x * k, d.y * k, half * sign(d.z)), NO_VERTEX)
            }
            Core::Ellipsoid { radii } => {
                let stretched = radii * d;
                let length = stretched.length();
                let k = if length > 0.0 { 1.0 / length } else { 0.0 };
                (radii * stretched * k, NO_VERTEX)
            }
            Core::Polytope(polytope) => {
                let k = polytope.support(d);
                (polytope.vertices[k as usize], k)
            }
            Core::Triangle { corners, .. } => farthest(&corners, d),
            Core::Prism { corners } => farthest(&corners, d),
        }
    }

    /// True if a surface is curved, so that GJK converges without reaching the solution.
    pub fn is_curved(&self) -> bool {
        matches!(self, Core::Cylinder { .. } | Core::Ellipsoid { .. })
    }

    /// The support set along the unit vector n.
    pub fn highest(&self, n: Vec3) -> Highest {
        const ACROSS: f64 = 1e-7;
        let p = self.support(n).0;
        match *self {
            Core::Point | Core::Ellipsoid { .. } => Highest::Point(p),
            Core::Segment { .. } if n.z.abs() <= ACROSS => Highest::Line(p, Vec3::Z),
            Core::Cylinder { .. } if n.z.abs() <= ACROSS => Highest::Line(p, Vec3::Z),
            Core::Cylinder { .. } if n.x.abs().max(n.y.abs()) <= ACROSS => Highest::Face,
            Core::Segment { .. } | Core::Cylinder { .. } => Highest::Point(p),
            Core::Box { .. } | Core::Polytope(_) | Core::Triangle { .. } | Core::Prism { .. } => {
                let (u, v) = across(n);
                let around = [u, u + v, v, v - u, -u, -u - v, -v, u - v];
                let mut line = None;
                for q in around.map(|d| self.support(n + d * ACROSS).0) {
                    let other = (q - p).normalize_or_zero();
                    match line {
                        _ if other == Vec3::ZERO => {}
                        None => line = Some(other),
                        Some(known) if other.cross(known).length_squared() < 1e-12 => {}
                        Some(_) => return Highest::Face,
                    }
                }
                line.map_or(Highest::Point(p), |along| Highest::Line(p, along))
            }
        }
    }

    /// The Hessian of h at the unit vector n, away from kinks.
    pub fn hessian(&self, n: Vec3) -> Mat3 {
        let outer = |a: Vec3, b: Vec3| Mat3::from_cols(a * b.x, a * b.y, a * b.z);
        match *self {
            Core::Cylinder { radius, .. } => {
                let across = Vec3::new(n.x, n.y, 0.0);
                let length = across.length();
                if length < 1e-12 {
                    return Mat3::ZERO;
                }
                // only along the rim
                let along = Vec3::new(-n.y, n.x, 0.0) / length;
                outer(along, along) * (radius / length)
            }
            Core::Ellipsoid { radii } => {
                // h = |D n|, s = D² n / h, H = (D² − s sᵀ) / h
                let h = (radii * n).length();
                let s = radii * radii * n / h;
                (Mat3::from_diagonal(radii * radii) - outer(s, s)) * (1.0 / h)
            }
            _ => Mat3::ZERO,
        }
    }

    /// An interior point, about which a body is scaled down.
    fn middle(&self) -> Vec3 {
        match self {
            Core::Polytope(p) => p.middle,
            Core::Triangle { corners, .. } => (corners[0] + corners[1] + corners[2]) / 3.0,
            Core::Prism { corners } => corners.iter().sum::<Vec3>() / 6.0,
            _ => Vec3::ZERO,
        }
    }

    /// The radius of a ball inside the body that touches its surface at p, with n the outward normal there; 0 at edges, at vertices, and if
    /// none is known.
    pub fn ball_at(&self, p: Vec3, n: Vec3) -> f64 {
        const ALONG: f64 = 1.0 - 1e-12;
        match *self {
            Core::Box { half } => match (0..3).find(|k| n[*k].abs() > ALONG) {
                Some(axis) => {
                    let room = half - p.abs();
                    room[(axis + 1) % 3].min(room[(axis + 2) % 3]).min(half[axis])
                }
                None => 0.0,
            },
            Core::Cylinder { half, radius } if n.z.abs() > ALONG => half.min(radius - p.truncate().length()),
            Core::Cylinder { half, radius } if n.z.abs() < 1e-9 => radius.min(half - p.z.abs()),
            // the least radius of curvature [Blaschke16]
            Core::Ellipsoid { radii } => radii.min_element().powi(2) / radii.max_element(),
            Core::Polytope(polytope) => polytope.ball_at(p, n),
            _ => 0.0,
        }
        .max(0.0)
    }

    /// An upper bound on the size of the body.
    pub fn size(&self) -> f64 {
        match self {
            Core::Point => 0.0,
            Core::Segment { half } => *half,
            Core::Box { half } => half.length(),
            Core::Cylinder { half, radius } => half + radius,
            Core::Ellipsoid { radii } => radii.max_element(),
            Core::Polytope(p) => p.reach,
            Core::Triangle { corners, .. } => corners.iter().fold(0.0, |r: f64, c| r.max(c.length())),
            Core::Prism { corners } => corners.iter().fold(0.0, |r: f64, c| r.max(c.length())),
        }
    }
}

impl Convex<'_> {
    /// The radius of a ball about the origin of the frame that contains the body.
    pub fn reach(&self) -> f64 {
        self.core.size() + self.round
    }

    /// The bounding box of the body in the frame in which its own frame has pose x.
    pub fn aabb(&self, x: &Frame) -> Aabb {
        // row i of the rotation is the direction of axis i in the body's frame
        let r = x.rot.transpose();
        let top = |d: Vec3| d.dot(self.core.support(d).0) + self.round;
        let max = Vec3::new(top(r.x_axis), top(r.y_axis), top(r.z_axis));
        let min = -Vec3::new(top(-r.x_axis), top(-r.y_axis), top(-r.z_axis));
        Aabb { min: x.pos + min, max: x.pos + max }
    }
}

/// Two cores, with the second given in the frame of the first.
pub(crate) struct Pair<'a> {
    pub a: Core<'a>,
    pub b: Core<'a>,
    /// The pose of B in A.
    pub x: Frame,
    /// The scale by which both are shrunk about their middle; 1 for the original size.
    pub scale: f64,
}

/// A point of the Minkowski difference A − B, with the points of A and B that it comes from, in the frame of A.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Support {
    pub w: Vec3,
    pub a: Vec3,
    pub b: Vec3,
    pub ids: [u32; 2],
}

impl Pair<'_> {
    /// The support point of A − B along n.
    #[inline]
    pub fn support(&self, n: Vec3) -> Support {
        let (mut a, ia) = self.a.support(n);
        let (mut b, ib) = self.b.support(self.x.vector_back(-n));
        if self.scale != 1.0 {
            (a, b) = (self.a.middle().lerp(a, self.scale), self.b.middle().lerp(b, self.scale));
        }
        let b = self.x.point(b);
        Support { w: a - b, a, b, ids: [ia, ib] }
    }

    /// The overlap of the two along the unit vector n: `h(n)` of A − B. Negative: a gap.
    pub fn overlap(&self, n: Vec3) -> f64 {
        self.support(n).w.dot(n)
    }

    /// The pair with A or B replaced by one point, given in the frame of A.
    pub fn with_point(&self, side: usize, p: Vec3) -> Pair<'_> {
        match side {
            0 => Pair { a: Core::Triangle { corners: [p; 3], normal: Vec3::Z }, ..*self },
            _ => Pair { b: Core::Point, x: Frame { pos: p, ..self.x }, ..*self },
        }
    }

    pub fn hessian(&self, n: Vec3) -> Mat3 {
        let h = self.a.hessian(n);
        if !self.b.is_curved() {
            return h;
        }
        let turned = self.b.hessian(self.x.vector_back(-n));
        h + self.x.rot * turned * self.x.rot.transpose()
    }

    pub fn is_curved(&self) -> bool {
        self.a.is_curved() || self.b.is_curved()
    }

    /// A length relative to which round-off is judged.
    pub fn size(&self) -> f64 {
        self.a.size() + self.b.size() + self.x.pos.length()
    }
}
