//! Distances of meshes and landscapes from spheres, capsules, boxes, hulls, planes and one another, against all triangles by brute force.
//!
//! `POINSOT_ROUNDS=100000 cargo test --release -p poinsot-collide --test brute_surfaces` for many.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use poinsot_core::algebra::V3;
use poinsot_core::model::*;
use poinsot_core::spatial::Pose;
use std::sync::Arc;

type Triangle = [V3; 3];

fn rounds() -> usize {
    std::env::var("POINSOT_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(300)
}

/// A point and a segment.
fn from_segment(p: V3, [a, b]: [V3; 2]) -> f64 {
    let along = b - a;
    let t =
        if along.dot(along) > 0.0 { ((p - a).dot(along) / along.dot(along)).clamp(0.0, 1.0) } else { 0.0 };
    (a + along * t - p).norm()
}

/// A point and a triangle: its foot, or the nearest edge.
fn from_triangle(p: V3, t: Triangle) -> f64 {
    let n = (t[1] - t[0]).cross(t[2] - t[0]).unit().unwrap();
    let foot = p - n * (p - t[0]).dot(n);
    let inside = (0..3).all(|k| (t[(k + 1) % 3] - t[k]).cross(foot - t[k]).dot(n) >= 0.0);
    let edges = (0..3).map(|k| from_segment(p, [t[k], t[(k + 1) % 3]]));
    if inside { (p - foot).norm() } else { edges.fold(f64::INFINITY, f64::min) }
}

/// Two segments: ends, or the common perpendicular where its feet are on both.
fn segments([a, b]: [V3; 2], [c, d]: [V3; 2]) -> f64 {
    let ends =
        [from_segment(a, [c, d]), from_segment(b, [c, d]), from_segment(c, [a, b]), from_segment(d, [a, b])];
    let least = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (b - a, d - c, c - a);
    let n = u.cross(v);
    let square = n.dot(n);
    if square < 1e-20 {
        return least;
    }
    let (s, t) = (w.cross(v).dot(n) / square, w.cross(u).dot(n) / square);
    let within = |x: f64| (0.0..=1.0).contains(&x);
    if within(s) && within(t) { least.min((w.dot(n) / square.sqrt()).abs()) } else { least }
}

fn edges(t: Triangle) -> [[V3; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// True where a segment goes through a triangle.
fn crosses([a, b]: [V3; 2], t: Triangle) -> bool {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (from, to) = ((a - t[0]).dot(n), (b - t[0]).dot(n));
    if from * to > 0.0 || from == to {
        return false;
    }
    let p = a + (b - a) * (from / (from - to));
    (0..3).all(|k| (t[(k + 1) % 3] - t[k]).cross(p - t[k]).dot(n) >= 0.0)
}

fn segment_and_triangle(s: [V3; 2], t: Triangle) -> f64 {
    if crosses(s, t) {
        return 0.0;
    }
    let of_edges = edges(t).into_iter().map(|e| segments(s, e));
    of_edges.chain(s.map(|p| from_triangle(p, t))).fold(f64::INFINITY, f64::min)
}

fn triangles(a: Triangle, b: Triangle) -> f64 {
    let one = edges(a).into_iter().map(|e| segment_and_triangle(e, b));
    let other = edges(b).into_iter().map(|e| segment_and_triangle(e, a));
    one.chain(other).fold(f64::INFINITY, f64::min)
}

/// What a shape is in the world: triangles, or a segment with a radius.
enum Form {
    Faces(Vec<Triangle>),
    Round([V3; 2], f64),
}

fn faces(mesh: &TriangleMesh, x: &Pose) -> Vec<Triangle> {
    mesh.triangles.iter().map(|t| t.map(|k| x.point(mesh.vertices[k]))).collect()
}

fn form(shape: &Shape, x: &Pose) -> Form {
    match shape {
        Shape::Sphere { radius } => Form::Round([x.pos; 2], *radius),
        Shape::Capsule { radius, length } => {
            Form::Round([-0.5, 0.5].map(|s| x.point(V3::Z * (s * length))), *radius)
        }
        Shape::Box { size } => {
            let signs = [-0.5, 0.5];
            let corners: Vec<V3> = (0..8)
                .map(|k| V3::new(signs[k & 1] * size.x, signs[k >> 1 & 1] * size.y, signs[k >> 2] * size.z))
                .collect();
            Form::Faces(faces(&convex_hull(&corners), x))
        }
        Shape::Hull(mesh) => Form::Faces(faces(&convex_hull(&mesh.surface().unwrap().vertices), x)),
        Shape::Mesh(mesh) => Form::Faces(faces(mesh.surface().unwrap(), x)),
        other => panic!("{}", other.word()),
    }
}

fn distance(a: &Form, b: &Form) -> f64 {
    match (a, b) {
        (Form::Faces(a), Form::Faces(b)) => {
            a.iter().flat_map(|t| b.iter().map(|u| triangles(*t, *u))).fold(f64::INFINITY, f64::min)
        }
        (Form::Faces(faces), Form::Round(s, r)) | (Form::Round(s, r), Form::Faces(faces)) => {
            faces.iter().map(|t| segment_and_triangle(*s, *t)).fold(f64::INFINITY, f64::min) - r
        }
        (Form::Round(a, r), Form::Round(b, s)) => segments(*a, *b) - r - s,
    }
}

/// A rough piece of ground, n by n points, open.
fn ground(random: &mut Random, n: usize) -> (TriangleMesh, Vec<f64>) {
    let heights: Vec<f64> = (0..n * n).map(|_| random.between(0.0, 1.0)).collect();
    let edge = 2.0 / (n - 1) as f64;
    let at = |k: usize| V3::new((k % n) as f64 * edge - 1.0, (k / n) as f64 * edge - 1.0, 0.6 * heights[k]);
    let cells = (0..n - 1).flat_map(|r| (0..n - 1).map(move |c| r * n + c));
    let triangles = cells.flat_map(|k| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]]).collect();
    (TriangleMesh { vertices: (0..n * n).map(at).collect(), triangles }, heights)
}

fn between(shapes: &[Shape; 2], poses: &[Pose; 2]) -> poinsot_collide::ClosestPoints {
    let mut scene = two(shapes);
    let mut b = ModelBuilder::new("ids");
    let geoms = [0, 1].map(|_| b.geom(BodyId::WORLD, Geom::new(shapes[0].clone())));
    scene.closest_points(&[Pose::IDENTITY, poses[0], poses[1]], geoms, 100.0).unwrap().unwrap()
}

/// The distance, the points that have it, and the normal along them; of what is apart.
#[test]
fn meshes_are_as_far_away_as_their_nearest_triangle() {
    let mut random = Random(31);
    let mut apart = 0;
    for round in 0..rounds() {
        let mesh = Shape::Mesh(Arc::new(Mesh::new("ground", ground(&mut random, 4).0)));
        let other = match round % 5 {
            0 => Shape::Mesh(Arc::new(Mesh::new("other", ground(&mut random, 3).0))),
            k => random.shape(["sphere", "capsule", "box", "hull"][k - 1]),
        };
        let far = random.direction() * random.between(0.3, 2.5);
        let poses = [random.pose(V3::ZERO), random.pose(far)];
        let exact = distance(&form(&mesh, &poses[0]), &form(&other, &poses[1]));
        if exact < 1e-6 {
            continue;
        }
        apart += 1;
        let found = between(&[mesh, other], &poses);
        let case = format!("round {round}: {found:?}, by brute force {exact}");
        assert!((found.distance - exact).abs() < 1e-9, "{case}");
        let [p, q] = found.points;
        assert!(((q - p).norm() - exact).abs() < 1e-9, "{case}");
        assert!((q - p - found.normal * exact).norm() < 1e-6 * exact.max(1e-3), "{case}");
    }
    assert!(apart > rounds() / 3, "{apart}");
}

/// Above a landscape, which is a solid below its triangles.
#[test]
fn landscapes_are_as_far_away_as_their_nearest_triangle() {
    let mut random = Random(32);
    let mut apart = 0;
    for round in 0..rounds() {
        let n = 4;
        let (mesh, elevation) = ground(&mut random, n);
        let field =
            HeightField::new("ground", [1.0, 1.0, 0.6, 0.1], Heights { rows: n, columns: n, elevation });
        let other = random.shape(["sphere", "capsule", "box", "hull"][round % 4]);
        let at = random.vector(-0.5, 0.5);
        let height = random.between(0.6, 2.5);
        let poses = [Pose::IDENTITY, random.pose(V3::new(at.x, at.y, height))];
        // the diagonal of a cell goes as the library has it
        let turned = TriangleMesh {
            triangles: mesh
                .triangles
                .chunks(2)
                .flat_map(|pair| {
                    let [a, b, d] = pair[0];
                    let c = pair[1][2];
                    [[a, b, c], [b, d, c]]
                })
                .collect(),
            vertices: mesh.vertices.clone(),
        };
        let of =
            |mesh: &TriangleMesh| distance(&Form::Faces(faces(mesh, &poses[0])), &form(&other, &poses[1]));
        let exact = [of(&mesh), of(&turned)];
        if exact[0].min(exact[1]) < 1e-6 {
            continue;
        }
        apart += 1;
        let found = between(&[Shape::HeightField(Arc::new(field)), other], &poses);
        let near = exact.iter().any(|exact| (found.distance - exact).abs() < 1e-9);
        assert!(near, "round {round}: {found:?}, by brute force {exact:?}");
    }
    assert!(apart > rounds() / 3, "{apart}");
}

/// A plane is below all vertices of a mesh; how far it is from the lowest.
#[test]
fn a_mesh_is_as_far_from_a_plane_as_its_lowest_vertex() {
    let mut random = Random(33);
    for round in 0..rounds() {
        let (mesh, _) = ground(&mut random, 4);
        let height = random.between(-1.0, 3.0);
        let poses = [random.pose(V3::ZERO), random.pose(V3::Z * height)];
        let (x, n) = (&poses[0], poses[0].rot.z);
        let heights = mesh.vertices.iter().map(|p| (poses[1].point(*p) - x.pos).dot(n));
        let exact = heights.fold(f64::INFINITY, f64::min);
        let shapes = [Shape::Plane { x: 0.0, y: 0.0 }, Shape::Mesh(Arc::new(Mesh::new("ground", mesh)))];
        if exact > 1e-6 {
            let found = between(&shapes, &poses);
            assert!((found.distance - exact).abs() < 1e-9, "round {round}: {found:?}, {exact}");
            assert!((found.normal - n).norm() < 1e-6, "round {round}: {found:?}");
        }
    }
}
