//! Ray casting: the first intersection of a ray with a solid.

use crate::convex::Core;
use crate::math::{Frame, Vec3};
use crate::polytope::Polytope;
use crate::solid::Solid;
use crate::surface::{Field, Triangles};

/// A ray in the frame of a solid: `from + t along`, with a unit vector along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub from: Vec3,
    pub along: Vec3,
}

/// The distance along the ray, and the outward normal there.
pub(crate) type Hit = (f64, Vec3);

impl Line {
    pub fn seen(&self, x: &Frame) -> Line {
        Line { from: x.point_back(self.from), along: x.vector_back(self.along) }
    }
    fn at(&self, t: f64) -> Vec3 {
        self.from + self.along * t
    }

    /// The first intersection with a solid from outside, within `most`. A ray that starts inside a solid meets it at distance 0, with a
    /// normal opposite to the ray; triangles of meshes are hit from both sides.
    pub fn meets(&self, solid: &Solid, most: f64) -> Option<Hit> {
        let hit = match solid {
            Solid::Plane => self.slab_set([(Vec3::Z, 0.0)].into_iter()),
            Solid::Sphere { radius } => self.ellipsoid(Vec3::splat(*radius)),
            Solid::Ellipsoid { radii } => self.ellipsoid(*radii),
            Solid::Box { half } => self
                .slab_set(Vec3::AXES.into_iter().zip(half.to_array()).flat_map(|(n, h)| [(n, h), (-n, h)])),
            Solid::Cylinder { half, radius } => self.cylinder(*half, *radius),
            Solid::Capsule { half, radius } => self.capsule(*half, *radius),
            Solid::Hull(hull) => self.hull(hull),
            Solid::Mesh(mesh) => self.mesh(mesh, most),
            Solid::Field(field) => self.field(field, most),
        };
        hit.filter(|(t, _)| *t <= most)
    }

    /// Intersects the ray with an intersection of half spaces `n·x ≤ h`.
    fn slab_set(&self, planes: impl Iterator<Item = (Vec3, f64)>) -> Option<Hit> {
        let (mut enter, mut leave, mut normal) = (0.0, f64::INFINITY, -self.along);
        for (n, h) in planes {
            let (speed, height) = (n.dot(self.along), h - n.dot(self.from));
            if speed == 0.0 {
                if height < 0.0 {
                    return None;
                }
            } else if speed < 0.0 {
                if height / speed > enter {
                    (enter, normal) = (height / speed, n);
                }
            } else {
                leave = f64::min(leave, height / speed);
            }
        }
        (enter <= leave).then_some((enter, normal))
    }

    fn hull(&self, hull: &Polytope) -> Option<Hit> {
        self.slab_set(
            hull.faces.iter().map(|f| (f.normal, f.normal.dot(hull.vertices[f.vertices[0] as usize]))),
        )
    }

    /// The roots t of `a t² + 2 b t + c`, `a > 0`.
    fn roots(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
        let d = b * b - a * c;
        if d < 0.0 {
            return None;
        }
        // without cancellation
        let q = -(b + d.sqrt().copysign(b));
        let (s, t) = (q / a, if q == 0.0 { 0.0 } else { c / q });
        Some([s.min(t), s.max(t)])
    }

    fn ellipsoid(&self, radii: Vec3) -> Option<Hit> {
        let (p, d) = (self.from / radii, self.along / radii);
        let [enter, leave] = Line::roots(d.length_squared(), p.dot(d), p.length_squared() - 1.0)?;
        if leave < 0.0 {
            return None;
        }
        if enter < 0.0 {
            return Some((0.0, -self.along));
        }
        Some((enter, (self.at(enter) / (radii * radii)).normalize()))
    }

    /// The interval inside an infinite cylinder; all t for a ray along the axis inside it.
    fn tube(&self, radius: f64) -> Option<[f64; 2]> {
        let across = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
        let (p, d) = (across(self.from), across(self.along));
        let c = p.length_squared() - radius * radius;
        if d.length_squared() < 1e-30 {
            return (c <= 0.0).then_some([f64::NEG_INFINITY, f64::INFINITY]);
        }
        Line::roots(d.length_squared(), p.dot(d), c)
    }

    fn cylinder(&self, half: f64, radius: f64) -> Option<Hit> {
        let [enter, leave] = self.tube(radius)?;
        let (cap, normal) = self.slab_set([(Vec3::Z, half), (Vec3::NEG_Z, half)].into_iter())?;
        let out = if self.along.z == 0.0 {
            f64::INFINITY
        } else {
            (half.copysign(self.along.z) - self.from.z) / self.along.z
        };
        let first = enter.max(cap);
        if first > leave.min(out) || leave < 0.0 {
            return None;
        }
        if enter > cap {
            let p = self.at(enter);
            return Some((enter, Vec3::new(p.x, p.y, 0.0) / radius));
        }
        Some((cap, normal))
    }

    fn capsule(&self, half: f64, radius: f64) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        let mut offer = |hit: Hit| {
            if best.is_none_or(|b| hit.0 < b.0) {
                best = Some(hit);
            }
        };
        if let Some([enter, leave]) = self.tube(radius) {
            let p = self.at(enter);
            if enter >= 0.0 && p.z.abs() <= half {
                offer((enter, Vec3::new(p.x, p.y, 0.0) / radius));
            } else if enter < 0.0 && leave >= 0.0 && self.from.z.abs() <= half {
                offer((0.0, -self.along));
            }
        }
        for z in [-half, half] {
            let ball = Line { from: self.from - Vec3::Z * z, along: self.along };
            ball.ellipsoid(Vec3::splat(radius)).into_iter().for_each(&mut offer);
        }
        best
    }

    /// Intersects a triangle, from both sides [Moeller97].
    fn triangle(&self, [a, b, c]: [Vec3; 3], normal: Vec3) -> Option<Hit> {
        let (e, f) = (b - a, c - a);
        let p = self.along.cross(f);
        let determinant = e.dot(p);
        if determinant == 0.0 {
            return None;
        }
        let s = self.from - a;
        let q = s.cross(e);
        let (u, v, t) = (s.dot(p) / determinant, self.along.dot(q) / determinant, f.dot(q) / determinant);
        let against = if normal.dot(self.along) > 0.0 { -normal } else { normal };
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some((t, against))
    }

    fn mesh(&self, mesh: &Triangles, most: f64) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        let mut stack = Vec::new();
        mesh.along(self.from, self.along, most, &mut stack, |k| {
            let corners = mesh.corners[k as usize].map(|v| mesh.vertices[v as usize]);
            if let Some(hit) = self.triangle(corners, mesh.normals[k as usize])
                && best.is_none_or(|b| hit.0 < b.0)
            {
                best = Some(hit);
            }
        });
        best
    }

    fn field(&self, field: &Field, most: f64) -> Option<Hit> {
        let (from, to) = field.aabb.passed(self.from, self.along, most)?;
        let path = crate::math::Aabb::of([self.at(from), self.at(to)]);
        let mut near = Vec::new();
        field.near(&path.grown(1e-12 * path.half().length()), &mut near);
        let columns = near.iter().filter_map(|k| {
            let Core::Prism { corners: c } = field.column(*k).core else { return None };
            let face = |i: usize, j: usize, k: usize| {
                let n = (c[j] - c[i]).cross(c[k] - c[i]).normalize_or_zero();
                (n, n.dot(c[i]))
            };
            self.slab_set(
                [face(0, 1, 2), face(3, 5, 4), face(0, 3, 4), face(1, 4, 5), face(2, 5, 3)].into_iter(),
            )
        });
        columns.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}
