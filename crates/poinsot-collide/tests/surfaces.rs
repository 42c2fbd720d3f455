//! Meshes and landscapes compared with convex bodies of the same form, and bodies that slide over their inner edges.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use poinsot_core::algebra::V3;
use poinsot_core::model::*;
use poinsot_core::spatial::Pose;
use std::sync::Arc;

/// Apart, a mesh of a convex body is as far away as its hull.
#[test]
fn a_mesh_is_as_far_away_as_its_hull() {
    let mut random = Random(21);
    for round in 0..200 {
        let Shape::Hull(points) = random.shape("hull") else { panic!() };
        let hull = convex_hull(&points.given().unwrap().vertices);
        let mesh = Arc::new(Mesh::new("mesh", hull));
        let other = random.shape(CONVEX[round % 6]);
        let poses = [random.pose(V3::ZERO), random.pose(random_far(round))];
        let of = |shape: Shape| contacts(&mut two(&[shape, other.clone()]), &poses, 10.0);
        let (a, b) = (deepest(&of(Shape::Hull(mesh.clone()))), deepest(&of(Shape::Mesh(mesh))));
        if a.gap > 1e-9 {
            let near = (a.gap - b.gap).abs() < 1e-9 && (a.normal - b.normal).norm() < 1e-6;
            assert!(near, "round {round}: {a:?} but {b:?}");
        } else {
            assert!(b.gap < 0.0, "round {round}: {a:?} but {b:?}");
        }
    }
}

fn random_far(round: usize) -> V3 {
    let t = round as f64;
    V3::new(t.sin(), (2.0 * t).sin(), (3.0 * t).cos()) * 1.6
}

/// A flat floor of many triangles, as a mesh or as a landscape.
fn floors() -> [(&'static str, Shape); 2] {
    let n = 9;
    let at = |r: usize, c: usize| r * n + c;
    let vertices = (0..n * n).map(|k| V3::new((k % n) as f64 - 4.0, (k / n) as f64 - 4.0, 0.5)).collect();
    let cells = (0..n - 1).flat_map(|r| (0..n - 1).map(move |c| (r, c)));
    let triangles = cells
        .flat_map(|(r, c)| {
            [[at(r, c), at(r, c + 1), at(r + 1, c + 1)], [at(r, c), at(r + 1, c + 1), at(r + 1, c)]]
        })
        .collect();
    let mesh = Mesh::new("floor", TriangleMesh { vertices, triangles });
    let heights = Heights { rows: n, columns: n, elevation: vec![1.0; n * n] };
    let field = HeightField::new("floor", [4.0, 4.0, 0.5, 0.1], heights);
    [("mesh", Shape::Mesh(Arc::new(mesh))), ("field", Shape::HeightField(Arc::new(field)))]
}

#[test]
fn nothing_stumbles_over_inner_edges() {
    let mut random = Random(8);
    for (what, floor) in floors() {
        for kind in CONVEX {
            for round in 0..40 {
                let shape = random.shape(kind);
                let at = random.vector(-2.0, 2.0);
                let mut pose = random.pose(V3::new(at.x, at.y, 0.0));
                let depth = random.between(-0.02, 0.03);
                pose.pos.z = 0.5 - depth - support(&shape, &pose, -V3::Z).z;
                let found =
                    contacts(&mut two(&[floor.clone(), shape.clone()]), &[Pose::IDENTITY, pose], 0.05);
                let case = format!("{what}, {kind}, round {round}: depth {depth}, {shape:?} at {pose:?}");
                let first = deepest(&found);
                assert!((first.gap + depth).abs() < 1e-9, "{case}: {first:?}");
                for c in &found {
                    assert!((c.normal - V3::Z).norm() < 1e-6, "{case}: {c:?}");
                    assert!((c.position.z - 0.5).abs() < 0.06, "{case}: {c:?}");
                }
            }
        }
    }
}

/// A landscape is the union of its columns.
#[test]
fn a_landscape_is_as_far_away_as_its_columns() {
    let mut random = Random(31);
    for round in 0..60 {
        let (rows, columns) = (3, 4);
        let elevation: Vec<f64> = (0..rows * columns).map(|_| random.unit()).collect();
        let size = [1.0, 0.8, 0.6, 0.2];
        let corner = |k: usize| {
            let (r, c) = (k / columns, k % columns);
            let x = size[0] * (2.0 * c as f64 / (columns - 1) as f64 - 1.0);
            V3::new(x, size[1] * (2.0 * r as f64 / (rows - 1) as f64 - 1.0), size[2] * elevation[k])
        };
        let heights = Heights { rows, columns, elevation: elevation.clone() };
        let field = Shape::HeightField(Arc::new(HeightField::new("field", size, heights)));
        let other = random.shape(CONVEX[round % 6]);
        let poses = [random.pose(V3::ZERO), random.pose(random_far(round) * 1.3)];
        let found = contacts(&mut two(&[field, other.clone()]), &poses, 10.0);
        let mut least = f64::INFINITY;
        for r in 0..rows - 1 {
            for c in 0..columns - 1 {
                let k = r * columns + c;
                for top in [[k, k + 1, k + columns + 1], [k, k + columns + 1, k + columns]] {
                    let top = top.map(corner);
                    let vertices = top.into_iter().chain(top.map(|p| V3::new(p.x, p.y, -size[3]))).collect();
                    let mesh = Mesh::new("column", TriangleMesh { vertices, triangles: vec![] });
                    let column = Shape::Hull(Arc::new(mesh));
                    least =
                        least.min(deepest(&contacts(&mut two(&[column, other.clone()]), &poses, 10.0)).gap);
                }
            }
        }
        if least > 1e-9 {
            assert!(
                (deepest(&found).gap - least).abs() < 1e-9,
                "round {round}: {least}, {:?}",
                deepest(&found)
            );
        } else {
            assert!(!found.is_empty() && deepest(&found).gap < 1e-9, "round {round}: {least}");
        }
    }
}

fn cube_mesh(size: f64, parts: usize) -> Shape {
    // each face as a grid of cells of two triangles, joined at the edges
    let mut vertices: Vec<V3> = Vec::new();
    let mut triangles = Vec::new();
    for (axis, sign) in (0..3).flat_map(|a| [(a, -1.0), (a, 1.0)]) {
        let point = |i: usize, j: usize| {
            let t = |k: usize| size * (k as f64 / parts as f64 - 0.5);
            let mut p = [0.0; 3];
            (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (0.5 * size * sign, t(i), t(j));
            V3::new(p[0], p[1], p[2])
        };
        let mut number = |p: V3| {
            let known = vertices.iter().position(|q| (*q - p).norm() < 1e-12);
            known.unwrap_or_else(|| {
                vertices.push(p);
                vertices.len() - 1
            })
        };
        for (i, j) in (0..parts).flat_map(|i| (0..parts).map(move |j| (i, j))) {
            let corners = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            let [a, b, c, d] = corners.map(&mut number);
            let halves = [[a, b, c], [a, c, d]];
            triangles.extend(halves.map(|t| if sign > 0.0 { t } else { [t[0], t[2], t[1]] }));
        }
    }
    Shape::Mesh(Arc::new(Mesh::new("cube", TriangleMesh { vertices, triangles })))
}

/// A mesh on a mesh: pressed face to face into each other, and slid and turned, they part upwards, as deep as they are.
#[test]
fn a_mesh_rests_on_a_mesh() {
    let mut random = Random(41);
    for round in 0..100 {
        let depth = random.between(-0.004, 0.01);
        let (below, above) = (cube_mesh(1.0, 3), cube_mesh(0.5, 2));
        let turn = poinsot_core::spatial::exp_so3(V3::Z * random.between(0.0, 3.0));
        // every other one hangs over the edge of the lower one
        let aside = if round % 2 == 0 { 0.14 } else { 0.45 };
        let at = V3::new(random.between(-aside, aside), random.between(-aside, aside), 0.75 - depth);
        let found =
            contacts(&mut two(&[below, above]), &[Pose::IDENTITY, Pose { rot: turn, pos: at }], 0.005);
        assert!(found.len() >= 3, "round {round}: {found:?}");
        assert!((deepest(&found).gap + depth).abs() < 1e-9, "round {round}: {depth}, {:?}", deepest(&found));
        for c in &found {
            assert!((c.normal - V3::Z).norm() < 1e-6, "round {round}, depth {depth}: {c:?}");
        }
    }
}

/// Apart, two meshes of convex bodies are as far from each other as the hulls.
#[test]
fn two_meshes_are_as_far_apart_as_their_hulls() {
    let mut random = Random(23);
    for round in 0..100 {
        let hulls = [0, 1].map(|_| {
            let Shape::Hull(points) = random.shape("hull") else { panic!() };
            Arc::new(Mesh::new("mesh", convex_hull(&points.given().unwrap().vertices)))
        });
        let poses = [random.pose(V3::ZERO), random.pose(random_far(round))];
        let of = |shapes: [Shape; 2]| contacts(&mut two(&shapes), &poses, 10.0);
        let a = deepest(&of(hulls.clone().map(Shape::Hull)));
        let found = of(hulls.map(Shape::Mesh));
        if a.gap > 1e-9 {
            let b = deepest(&found);
            let near = (a.gap - b.gap).abs() < 1e-9 && (a.normal - b.normal).norm() < 1e-6;
            assert!(near, "round {round}: {a:?} but {b:?}");
        } else {
            assert!(!found.is_empty() && deepest(&found).gap < 0.0, "round {round}: {a:?}");
        }
    }
}

/// Two meshes of convex bodies that have passed each other by little part as their hulls do, as deep and along the same normal.
#[test]
fn two_meshes_part_as_their_hulls() {
    let (mut random, mut tried) = (Random(29), 0);
    for round in 0..100 {
        let hulls = [0, 1].map(|_| {
            let Shape::Hull(points) = random.shape("hull") else { panic!() };
            Arc::new(Mesh::new("mesh", convex_hull(&points.given().unwrap().vertices)))
        });
        let [x, mut y] = [random.pose(V3::ZERO), random.pose(random_far(round))];
        let of = |shapes: [Shape; 2], y: Pose| contacts(&mut two(&shapes), &[x, y], 10.0);
        let hull = |y: Pose| deepest(&of(hulls.clone().map(Shape::Hull), y));
        // until they touch, and a little further
        for _ in 0..50 {
            let near = hull(y);
            y.pos -= near.normal * near.gap;
        }
        y.pos -= hull(y).normal * random.between(1e-4, 1e-2);
        let (a, found) = (hull(y), of(hulls.clone().map(Shape::Mesh), y));
        let same = |c: &&poinsot_collide::Contact| {
            (a.gap - c.gap).abs() < 1e-9 && (a.normal - c.normal).norm() < 1e-6
        };
        // where the features have changed on the way they may still be apart
        if a.gap < -1e-5 {
            tried += 1;
            assert!(found.iter().any(|c| same(&c)), "round {round}: {a:?} but {found:#?}");
        }
    }
    assert!(tried > 70, "{tried}");
}
