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
