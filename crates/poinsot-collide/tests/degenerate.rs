//! What is no geometry is refused with the name of the geom; what is awkward is handled; nothing panics, hangs or is not a number.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use poinsot_collide::{CollideError, Contacts, Scene, Sweep};
use poinsot_core::algebra::V3;
use poinsot_core::model::*;
use poinsot_core::spatial::{Motion, Pose};
use std::sync::Arc;

/// A model that a lenient builder lets pass, with one geom on a free body.
fn with(shape: Shape) -> Result<Scene, CollideError> {
    let mut b = ModelBuilder::new("one geom");
    b.lenient();
    let inertia = Shape::Sphere { radius: 0.1 }.inertia(1.0).unwrap();
    let body = b.body(BodyId::WORLD, BodySpec::new("thing").inertia(inertia));
    b.joint(body, Joint::free());
    b.geom(body, Geom::new(shape).named("odd"));
    Scene::new(&b.build().unwrap())
}

fn mesh(vertices: Vec<V3>, triangles: Vec<[usize; 3]>) -> Arc<Mesh> {
    Arc::new(Mesh::new("m", TriangleMesh { vertices, triangles }))
}

#[test]
fn what_has_no_size_is_refused_by_name() {
    let flat = vec![V3::ZERO, V3::X, V3::Y, V3::X + V3::Y];
    let nan = vec![V3::ZERO, V3::X, V3::Y, V3::Z * f64::NAN];
    let far = vec![[0, 1, 9]];
    for (shape, word) in [
        (Shape::Sphere { radius: 0.0 }, "radius is 0"),
        (Shape::Box { size: V3::new(1.0, f64::NAN, 1.0) }, "y size is NaN"),
        (Shape::Capsule { radius: 0.1, length: f64::INFINITY }, "length is inf"),
        (Shape::Ellipsoid { radii: V3::new(1.0, -1.0, 1.0) }, "y radius is -1"),
        (Shape::Hull(mesh(flat.clone(), vec![[0, 1, 2]])), "lie in a plane"),
        (Shape::Hull(mesh(nan.clone(), vec![[0, 1, 2]])), "vertex 3"),
        (Shape::Mesh(mesh(nan, vec![[0, 1, 3]])), "vertex 3"),
        (Shape::Mesh(mesh(flat.clone(), far)), "names vertex 9"),
        (Shape::Mesh(mesh(flat, vec![[0, 1, 1]])), "no triangle with an area"),
    ] {
        let error = with(shape).unwrap_err().to_string();
        assert!(error.contains("\"odd\"") && error.contains("\"thing\"") && error.contains(word), "{error}");
    }
}

#[test]
fn poses_that_are_no_poses() {
    let mut scene = with(Shape::Sphere { radius: 1.0 }).unwrap();
    let mut out = Contacts::new();
    let bad = Pose::translation(V3::X * f64::NAN);
    assert!(matches!(
        scene.detect(&[Pose::IDENTITY], 0.0, &mut out),
        Err(CollideError::Poses { given: 1, bodies: 2 })
    ));
    let error = scene.detect(&[Pose::IDENTITY, bad], 0.0, &mut out).unwrap_err();
    assert_eq!(error, CollideError::NotFinite { body: "thing".into() });
    assert!(scene.detect(&[Pose::IDENTITY; 2], f64::NAN, &mut out).is_err());
    assert!(scene.cast_ray(&[Pose::IDENTITY; 2], V3::ZERO, V3::ZERO, 1.0).is_err());
    let still = Sweep::still(Pose::IDENTITY);
    let wild = Sweep::new(Pose::IDENTITY, Motion { ang: V3::X * f64::INFINITY, lin: V3::ZERO });
    assert!(scene.impacts(&[still, wild], 1.0, 0.0, &mut Vec::new()).is_err());
    assert!(scene.impacts(&[still, still], -1.0, 0.0, &mut Vec::new()).is_err());
}

/// All pairs of shapes at the same place, aligned, and at places that differ by round-off.
#[test]
fn coincident_bodies() {
    let mut random = Random(2);
    let open = Shape::Mesh(mesh(vec![V3::ZERO, V3::X, V3::Y, V3::Z], vec![[0, 1, 2], [0, 1, 3]]));
    let slope = Heights { rows: 3, columns: 3, elevation: vec![0.0, 0.2, 0.4, 0.1, 0.5, 1.0, 0.0, 0.0, 0.3] };
    let field = Shape::HeightField(Arc::new(HeightField::new("f", [1.0, 1.0, 0.5, 0.2], slope)));
    let mut shapes: Vec<Shape> = CONVEX.iter().map(|kind| random.shape(kind)).collect();
    shapes.extend([open, field, Shape::Plane { x: 0.0, y: 0.0 }]);
    for a in &shapes {
        for b in &shapes {
            let mut scene = two(&[a.clone(), b.clone()]);
            for apart in [0.0, 1e-300, 1e-16, 1e-12, 1e-9, 1e-6, 0.5] {
                for along in [V3::X, V3::Z, random.direction()] {
                    let poses = [Pose::IDENTITY, Pose::translation(along * apart)];
                    for c in contacts(&mut scene, &poses, 1e-3) {
                        let finite = c.position.is_finite() && c.normal.is_finite() && c.gap.is_finite();
                        assert!(finite && (c.normal.norm() - 1.0).abs() < 1e-9, "{a:?} {b:?} {apart}: {c:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn needles_and_sheets() {
    let thin = [
        Shape::Box { size: V3::new(1.0, 1.0, 1e-9) },
        Shape::Box { size: V3::new(1e-7, 1e-7, 10.0) },
        Shape::Cylinder { radius: 1.0, length: 1e-8 },
        Shape::Cylinder { radius: 1e-8, length: 1.0 },
        Shape::Ellipsoid { radii: V3::new(1.0, 1.0, 1e-6) },
        Shape::Ellipsoid { radii: V3::new(1e-6, 1e-6, 1.0) },
        Shape::Capsule { radius: 1e-9, length: 1.0 },
        Shape::Sphere { radius: 1e6 },
    ];
    let mut random = Random(4);
    for a in &thin {
        for b in &thin {
            let mut scene = two(&[a.clone(), b.clone()]);
            for _ in 0..20 {
                let poses = [random.pose(V3::ZERO), random.pose(V3::X * 1e-3)];
                for c in contacts(&mut scene, &poses, 1e-3) {
                    let unit = (c.normal.norm() - 1.0).abs() < 1e-9;
                    assert!(unit && c.gap.is_finite() && c.position.is_finite(), "{a:?} {b:?}: {c:?}");
                }
            }
        }
    }
}

#[test]
fn a_hundred_thousand_bodies_in_one_place_are_refused() {
    let mut b = ModelBuilder::new("crowd");
    let ball = Shape::Sphere { radius: 0.1 };
    for k in 0..100_000 {
        let body = b.body(BodyId::WORLD, BodySpec::new(format!("b{k}")).solid(&ball, 1.0).unwrap());
        b.joint(body, Joint::free());
    }
    let model = b.build().unwrap();
    let mut scene = Scene::new(&model).unwrap();
    let poses = vec![Pose::IDENTITY; model.bodies().len()];
    let error = scene.detect(&poses, 0.0, &mut Contacts::new()).unwrap_err();
    assert!(matches!(error, CollideError::TooManyPairs { .. }), "{error}");
    // spread out they are no trouble
    let spread: Vec<Pose> = (0..poses.len())
        .map(|k| Pose::translation(V3::new((k % 300) as f64, (k / 300) as f64, 0.0) * 0.3))
        .collect();
    let mut out = Contacts::new();
    scene.detect(&spread, 0.0, &mut out).unwrap();
    assert!(out.is_empty());
}

#[test]
fn a_mesh_that_is_inside_out_touches_as_it_should() {
    let v = vec![V3::ZERO, V3::X, V3::Y, V3::Z];
    let out = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let inward = out.iter().map(|t| [t[0], t[2], t[1]]).collect();
    let ball = Shape::Sphere { radius: 0.2 };
    let poses = [Pose::IDENTITY, Pose::translation(V3::new(0.2, 0.2, -0.1))];
    let found = [out, inward].map(|t| {
        let c = contacts(&mut two(&[Shape::Mesh(mesh(v.clone(), t)), ball.clone()]), &poses, 0.0);
        (c.len(), deepest(&c).normal, deepest(&c).gap)
    });
    assert_eq!(found[0], found[1]);
    assert!((found[0].1 + V3::Z).norm() < 1e-9 && (found[0].2 + 0.1).abs() < 1e-12, "{found:?}");
}

fn rounds() -> usize {
    std::env::var("POINSOT_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(4000)
}

/// A shape with sizes of any magnitude from a nanometre to a thousand kilometres, some of them far longer than wide.
fn wild(random: &mut Random) -> Shape {
    let scale = 10f64.powf(random.between(-9.0, 6.0));
    let mut size = || {
        scale
            * if random.unit() < 0.2 {
                10f64.powf(random.between(-6.0, 0.0))
            } else {
                random.between(0.1, 1.0)
            }
    };
    let (a, b, c) = (size(), size(), size());
    match random.next() % 8 {
        0 => Shape::Sphere { radius: a },
        1 => Shape::Capsule { radius: a, length: b },
        2 => Shape::Box { size: V3::new(a, b, c) },
        3 => Shape::Cylinder { radius: a, length: b },
        4 => Shape::Ellipsoid { radii: V3::new(a, b, c) },
        5 => Shape::Plane { x: 0.0, y: 0.0 },
        6 => {
            let points = (0..4 + random.next() % 20).map(|_| {
                let d = random.direction();
                V3::new(a * d.x, b * d.y, c * d.z)
            });
            Shape::Hull(mesh(points.collect(), vec![]))
        }
        _ => {
            let points: Vec<V3> = (0..6).map(|_| random.vector(-1.0, 1.0) * a).collect();
            let triangles = (0..4).map(|_| [0; 3].map(|_| random.next() as usize % 6)).collect();
            Shape::Mesh(mesh(points, triangles))
        }
    }
}

/// Places at and near each other, grazing, and up to 1e8 m away from the origin.
fn wild_poses(random: &mut Random) -> [Pose; 2] {
    let base =
        random.direction() * if random.unit() < 0.5 { 0.0 } else { 10f64.powf(random.between(-9.0, 8.0)) };
    let apart = match random.next() % 4 {
        0 => V3::ZERO,
        1 => V3::X * 10f64.powf(random.between(-12.0, 6.0)),
        _ => random.direction() * 10f64.powf(random.between(-12.0, 6.0)),
    };
    let straight = random.unit() < 0.3;
    let pose =
        |pos: V3, random: &mut Random| if straight { Pose::translation(pos) } else { random.pose(pos) };
    [pose(base, random), pose(base + apart, random)]
}

/// Whatever the sizes and places, what is found is finite, and no answer takes for ever.
#[test]
fn anything_goes() {
    let mut random = Random(77);
    for round in 0..rounds() {
        let shapes = [wild(&mut random), wild(&mut random)];
        let mut b = ModelBuilder::new("two wild bodies");
        b.lenient();
        let inertia = Shape::Sphere { radius: 0.1 }.inertia(1.0).unwrap();
        let ids = [0, 1].map(|k| {
            let body = b.body(BodyId::WORLD, BodySpec::new(format!("body {k}")).inertia(inertia));
            b.joint(body, Joint::free());
            b.geom(body, Geom::new(shapes[k].clone()).named(format!("geom {k}")))
        });
        // flat hulls and triangles are refused, by name
        let mut scene = match Scene::new(&b.build().unwrap()) {
            Ok(scene) => scene,
            Err(error) => {
                assert!(error.to_string().contains("\"geom "), "{error}");
                continue;
            }
        };
        let [p, q] = wild_poses(&mut random);
        let poses = [Pose::IDENTITY, p, q];
        let case = || format!("round {round}: {shapes:?} at {p:?}, {q:?}");
        let margin = if random.unit() < 0.5 { 0.0 } else { 10f64.powf(random.between(-9.0, 6.0)) };
        let mut found = Contacts::new();
        scene.detect(&poses, margin, &mut found).unwrap();
        for c in &found {
            let finite = c.position.is_finite() && c.gap.is_finite() && (c.normal.norm() - 1.0).abs() < 1e-9;
            assert!(finite && c.gap <= margin, "{}: {c:?}, margin {margin}", case());
        }
        if let Some(near) = scene.closest_points(&poses, ids, 1e9).unwrap() {
            let finite = near.points.iter().all(|p| p.is_finite()) && near.distance.is_finite();
            assert!(finite && (near.normal.norm() - 1.0).abs() < 1e-9, "{}: {near:?}", case());
        }
        let speed = 10f64.powf(random.between(-6.0, 6.0));
        let motion =
            Motion { ang: random.direction() * random.between(0.0, 100.0), lin: random.direction() * speed };
        let sweeps = [Sweep::new(p, motion), Sweep::still(q)];
        if let Some(hit) = scene.time_of_impact(ids, sweeps, 0.01).unwrap() {
            let finite = hit.position.is_finite() && hit.gap.is_finite() && (0.0..=0.01).contains(&hit.time);
            assert!(finite && (hit.normal.norm() - 1.0).abs() < 1e-9, "{}: {hit:?}", case());
        }
        let ray =
            scene.cast_ray(&poses, p.pos + random.direction() * speed, random.direction(), 1e9).unwrap();
        assert!(ray.is_none_or(|r| r.distance.is_finite() && r.normal.is_finite()), "{}: {ray:?}", case());
    }
}
