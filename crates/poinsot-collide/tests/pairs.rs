//! The signed distance and normal of every pair of convex shapes, against what is true by definition and by brute force. The long run is
//! `POINSOT_ROUNDS=100000 cargo test --release -p poinsot-collide --test pairs`, `POINSOT_FROM=50000` begins it later, and `POINSOT_ROUND=7`
//! is round 7 alone.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use poinsot_core::algebra::V3;
use poinsot_core::model::Shape;
use poinsot_core::spatial::Pose;

/// Poses at which the two overlap, touch or are apart, near the origin or far from it.
fn poses(random: &mut Random) -> [Pose; 2] {
    let base = random.vector(-3.0, 3.0);
    let apart = random.direction() * random.between(0.0, 2.2);
    [random.pose(base), random.pose(base + apart)]
}

/// How far off the contacts of two shapes may be: gaps, points and depths, m; normals.
const EXACT: f64 = 1e-9;
const NORMAL: f64 = 1e-6;

/// The gap is that along the normal; where there is one, the points of the two surfaces prove that it is the distance; where
/// there is overlap, no direction has less; and the normal is where the overlap is least of all directions near it.
fn check(shapes: &[Shape; 2], poses: &[Pose; 2], samples: usize) -> Result<(), String> {
    let all = contacts(&mut two(shapes), poses, 10.0);
    let c = deepest(&all);
    let along = -overlap(shapes, poses, c.normal);
    let expect = |good: bool, what: String| if good { Ok(()) } else { Err(what) };
    expect((c.normal.norm() - 1.0).abs() < 1e-14, format!("normal {:?}", c.normal))?;
    expect((along - c.gap).abs() < 1e-12, format!("gap {} but {along} along the normal", c.gap))?;
    let half = c.normal * (0.5 * c.gap);
    for (k, p) in [c.position - half, c.position + half].into_iter().enumerate() {
        let far = outside(&shapes[k], &poses[k], p);
        expect(far < EXACT, format!("gap {}, its point is {far:e} outside of {k}, {c:?}", c.gap))?;
    }
    if c.gap < 0.0 {
        let over = -c.gap - least_overlap(shapes, poses, samples);
        expect(over <= EXACT, format!("depth {} is {over:e} more than by brute force", -c.gap))?;
    }
    // the least overlap lies within NORMAL of the normal: all around it there is no less
    let side = c.normal.cross(if c.normal.x.abs() < 0.6 { V3::X } else { V3::Y }).unit().unwrap();
    for k in 0..32 {
        let (sin, cos) = (k as f64 * std::f64::consts::TAU / 32.0).sin_cos();
        let turned = (c.normal + (side * cos + c.normal.cross(side) * sin) * NORMAL).unit().unwrap();
        let less = -along - overlap(shapes, poses, turned);
        expect(less < 1e-14, format!("normal: the overlap is {less:e} less beside {:?}", c.normal))?;
    }
    let one = all.len() <= 4 && all.iter().all(|o| o.normal == c.normal && o.gap.is_finite());
    expect(one, format!("{all:?}"))
}

/// All rounds, each from a seed of its own; `POINSOT_ROUND` tries one alone.
fn check_kinds(first: &str, second: &str, rounds: usize) {
    let kinds = [first, second].map(|kind| CONVEX.iter().position(|k| *k == kind).unwrap() as u64);
    let alone = std::env::var("POINSOT_ROUND").ok().and_then(|r| r.parse().ok());
    let range = alone.map_or(from()..from() + rounds, |r: usize| r..r + 1);
    let mut wrong = Vec::new();
    for round in range {
        let mut random = Random(0x5eed ^ kinds[0] << 60 ^ kinds[1] << 56 ^ (round as u64) << 20);
        let shapes = [random.shape(first), random.shape(second)];
        let poses = poses(&mut random);
        if let Err(what) = check(&shapes, &poses, 1000) {
            wrong.push(format!("round {round}: {what}"));
        }
    }
    let some = wrong.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {rounds} rounds:\n{some}", wrong.len());
}

fn from() -> usize {
    std::env::var("POINSOT_FROM").ok().and_then(|r| r.parse().ok()).unwrap_or(0)
}

fn rounds() -> usize {
    std::env::var("POINSOT_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(300)
}

macro_rules! kinds {
    ($($name:ident: $first:literal, $second:literal;)*) => {
        $(#[test]
        fn $name() {
            check_kinds($first, $second, rounds());
        })*
    };
}

kinds! {
    sphere_sphere: "sphere", "sphere";
    sphere_capsule: "sphere", "capsule";
    sphere_box: "sphere", "box";
    sphere_cylinder: "sphere", "cylinder";
    sphere_ellipsoid: "sphere", "ellipsoid";
    sphere_hull: "sphere", "hull";
    capsule_capsule: "capsule", "capsule";
    capsule_box: "capsule", "box";
    capsule_cylinder: "capsule", "cylinder";
    capsule_ellipsoid: "capsule", "ellipsoid";
    capsule_hull: "capsule", "hull";
    box_box: "box", "box";
    box_cylinder: "box", "cylinder";
    box_ellipsoid: "box", "ellipsoid";
    box_hull: "box", "hull";
    cylinder_cylinder: "cylinder", "cylinder";
    cylinder_ellipsoid: "cylinder", "ellipsoid";
    cylinder_hull: "cylinder", "hull";
    ellipsoid_ellipsoid: "ellipsoid", "ellipsoid";
    ellipsoid_hull: "ellipsoid", "hull";
    hull_hull: "hull", "hull";
}

#[test]
fn planes() {
    let mut random = Random(7);
    for round in 0..rounds() {
        for kind in CONVEX {
            let shape = random.shape(kind);
            let x = [random.pose(V3::ZERO), random.pose(random_near(round))];
            let mut scene = two(&[Shape::Plane { x: 0.0, y: 0.0 }, shape.clone()]);
            let c = deepest(&contacts(&mut scene, &x, 100.0));
            let n = x[0].rot.z;
            let height = (support(&shape, &x[1], -n) - x[0].pos).dot(n);
            assert!(
                (c.gap - height).abs() < 1e-12 && (c.normal - n).norm() < 1e-14,
                "{kind}: {c:?}, {height}"
            );
            let half = c.normal * (0.5 * c.gap);
            assert!((c.position - half - x[0].pos).dot(n).abs() < 1e-12, "{kind}: {c:?}");
            assert!(outside(&shape, &x[1], c.position + half) < 1e-9, "{kind}: {c:?}");
        }
    }
}

fn random_near(round: usize) -> V3 {
    let t = round as f64;
    V3::new(t.sin(), (2.0 * t).sin(), (3.0 * t).sin())
}
