//! Random shapes and poses, and what is true of convex bodies by brute force.
#![allow(dead_code)]

use poinsot_collide::{Contact, Contacts, Scene};
use poinsot_core::algebra::V3;
use poinsot_core::model::*;
use poinsot_core::spatial::{Pose, exp_so3};
use std::sync::Arc;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    pub fn vector(&mut self, low: f64, high: f64) -> V3 {
        V3::new(self.between(low, high), self.between(low, high), self.between(low, high))
    }
    pub fn direction(&mut self) -> V3 {
        loop {
            let v = self.vector(-1.0, 1.0);
            if v.norm() <= 1.0
                && let Some(u) = v.unit()
            {
                return u;
            }
        }
    }
    pub fn pose(&mut self, pos: V3) -> Pose {
        Pose { rot: exp_so3(self.direction() * self.between(0.0, 3.1)), pos }
    }
    pub fn shape(&mut self, kind: &str) -> Shape {
        let mut size = || self.between(0.1, 1.0);
        match kind {
            "sphere" => Shape::Sphere { radius: size() },
            "capsule" => Shape::Capsule { radius: size(), length: size() },
            "box" => Shape::Box { size: V3::new(size(), size(), size()) },
            "cylinder" => Shape::Cylinder { radius: size(), length: size() },
            "ellipsoid" => Shape::Ellipsoid { radii: V3::new(size(), size(), size()) },
            "plane" => Shape::Plane { x: 0.0, y: 0.0 },
            "hull" => {
                let count = 5 + self.next() as usize % 40;
                let vertices = (0..count).map(|_| self.direction() * self.between(0.2, 1.0)).collect();
                Shape::Hull(Arc::new(Mesh::new("random", TriangleMesh { vertices, triangles: vec![] })))
            }
            other => panic!("no shape {other}"),
        }
    }
}

pub const CONVEX: [&str; 6] = ["sphere", "capsule", "box", "cylinder", "ellipsoid", "hull"];

/// The highest point of a body along n, written down anew.
pub fn support(shape: &Shape, x: &Pose, n: V3) -> V3 {
    let d = x.rot.tr_mul(n);
    let s = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
    let local = match shape {
        Shape::Sphere { radius } => d * (*radius / d.norm()),
        Shape::Capsule { radius, length } => V3::Z * (0.5 * length * s(d.z)) + d * (*radius / d.norm()),
        Shape::Box { size } => V3::new(s(d.x) * size.x, s(d.y) * size.y, s(d.z) * size.z) * 0.5,
        Shape::Cylinder { radius, length } => {
            let across = d.x.hypot(d.y);
            let k = if across > 0.0 { radius / across } else { 0.0 };
            V3::new(d.x * k, d.y * k, 0.5 * length * s(d.z))
        }
        Shape::Ellipsoid { radii: r } => {
            let v = V3::new(r.x * r.x * d.x, r.y * r.y * d.y, r.z * r.z * d.z);
            v * (1.0 / v.dot(d).sqrt())
        }
        Shape::Hull(mesh) => {
            let all = &mesh.given().unwrap().vertices;
            *all.iter().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d))).unwrap()
        }
        _ => panic!("no support of a {}", shape.word()),
    };
    x.point(local)
}

/// How far outside of a body a point is, at least to first order; ≤ 0 inside.
pub fn outside(shape: &Shape, x: &Pose, p: V3) -> f64 {
    let p = x.inverse().point(p);
    let excess = |v: f64, half: f64| (v.abs() - half).max(0.0);
    match shape {
        Shape::Sphere { radius } => p.norm() - radius,
        Shape::Capsule { radius, length } => V3::new(p.x, p.y, excess(p.z, 0.5 * length)).norm() - radius,
        Shape::Box { size } => {
            V3::new(excess(p.x, 0.5 * size.x), excess(p.y, 0.5 * size.y), excess(p.z, 0.5 * size.z)).norm()
        }
        Shape::Cylinder { radius, length } => {
            excess(p.x.hypot(p.y), *radius).hypot(excess(p.z, 0.5 * length))
        }
        Shape::Ellipsoid { radii: r } => {
            // the value of the quadric over its slope
            let q = V3::new(p.x / r.x, p.y / r.y, p.z / r.z);
            let slope = V3::new(q.x / r.x, q.y / r.y, q.z / r.z);
            if q.norm() <= 1.0 { 0.0 } else { (q.dot(q) - 1.0) / (2.0 * slope.norm()) }
        }
        Shape::Hull(mesh) => {
            let hull = convex_hull(&mesh.given().unwrap().vertices);
            let height = |t: &[usize; 3]| {
                let [a, b, c] = t.map(|k| hull.vertices[k]);
                (b - a).cross(c - a).unit().unwrap().dot(p - a)
            };
            hull.triangles.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
        }
        _ => panic!("no inside of a {}", shape.word()),
    }
}

/// How far two bodies overlap along n; negative: a gap.
pub fn overlap(shapes: &[Shape; 2], poses: &[Pose; 2], n: V3) -> f64 {
    (support(&shapes[0], &poses[0], n) - support(&shapes[1], &poses[1], -n)).dot(n)
}

/// The vertices and triangles of a polyhedron in the world; none for round ones.
fn polyhedron(shape: &Shape, x: &Pose) -> Option<TriangleMesh> {
    let points = match shape {
        Shape::Box { size } => {
            let s = |k: usize, bit: usize| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
            (0..8).map(|k| V3::new(s(k, 0) * size.x, s(k, 1) * size.y, s(k, 2) * size.z)).collect()
        }
        Shape::Hull(mesh) => mesh.given().unwrap().vertices.clone(),
        _ => return None,
    };
    let points: Vec<V3> = points.into_iter().map(|p| x.point(p)).collect();
    Some(convex_hull(&points))
}

/// The least overlap over all directions, by brute force: all normals of faces and pairs of edges where there are any, many directions,
/// and from the best of them downhill in ever smaller steps.
pub fn least_overlap(shapes: &[Shape; 2], poses: &[Pose; 2], samples: usize) -> f64 {
    let h = |n: V3| overlap(shapes, poses, n);
    let mut edges: Vec<V3> = Vec::new();
    let mut directions: Vec<V3> = Vec::new();
    let mut counts = Vec::new();
    for (shape, x) in shapes.iter().zip(poses) {
        if let Some(p) = polyhedron(shape, x) {
            for t in &p.triangles {
                let [a, b, c] = t.map(|k| p.vertices[k]);
                directions.extend((b - a).cross(c - a).unit());
                for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                    if t[i] < t[j] {
                        edges.push(p.vertices[t[j]] - p.vertices[t[i]]);
                    }
                }
            }
        } else if let Shape::Cylinder { .. } | Shape::Capsule { .. } = shape {
            edges.push(x.rot.z);
            directions.push(x.rot.z);
        }
        counts.push(edges.len());
    }
    for e in &edges[..counts[0]] {
        for f in &edges[counts[0]..] {
            directions.extend(e.cross(*f).unit());
        }
    }
    let both: Vec<V3> = directions.iter().flat_map(|n| [*n, -*n]).collect();
    let mut best = both.iter().map(|n| h(*n)).fold(f64::INFINITY, f64::min);
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut starts: Vec<(f64, V3)> = (0..samples)
        .map(|k| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / samples as f64;
            let (r, a) = ((1.0 - z * z).sqrt(), golden * k as f64);
            let n = V3::new(r * a.cos(), r * a.sin(), z);
            (h(n), n)
        })
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    for &(value, start) in starts.iter().take(6) {
        let (mut n, mut value, mut step, mut moves) = (start, value, 0.1, 0);
        // along a kink the way down may be long
        while step > 1e-9 && moves < 5000 {
            moves += 1;
            let side = if n.x.abs() < 0.6 { V3::X } else { V3::Y };
            let u = n.cross(side).unit().unwrap();
            let v = n.cross(u);
            let tries = [u, -u, v, -v, u + v, u - v, v - u, -u - v].map(|t| (n + t * step).unit().unwrap());
            match tries.iter().map(|t| (h(*t), *t)).min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((lower, at)) if lower < value => (value, n) = (lower, at),
                _ => step *= 0.6,
            }
        }
        best = best.min(value);
    }
    best
}

/// Two free bodies with a geom each, in a scene.
pub fn two(shapes: &[Shape; 2]) -> Scene {
    let mut b = ModelBuilder::new("two bodies");
    let ball = Shape::Sphere { radius: 0.1 };
    for (k, shape) in shapes.iter().enumerate() {
        let body =
            b.body(BodyId::WORLD, BodySpec::new(format!("body {k}")).inertia(ball.inertia(1.0).unwrap()));
        b.joint(body, Joint::free());
        b.geom(body, Geom::new(shape.clone()).named(format!("geom {k}")));
    }
    Scene::new(&b.build().unwrap()).unwrap()
}

/// The contacts of two bodies at these poses.
pub fn contacts(scene: &mut Scene, poses: &[Pose; 2], margin: f64) -> Vec<Contact> {
    let mut out = Contacts::new();
    scene.detect(&[Pose::IDENTITY, poses[0], poses[1]], margin, &mut out).unwrap();
    out.to_vec()
}

pub fn deepest(contacts: &[Contact]) -> Contact {
    *contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap()
}
