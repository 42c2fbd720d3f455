//! Rays, overlaps and swept shapes, against points along the way.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use poinsot_collide::{Scene, Sweep};
use poinsot_core::algebra::V3;
use poinsot_core::model::*;
use poinsot_core::spatial::{Motion, Pose};
use std::sync::Arc;

fn one(shape: Shape) -> (Scene, GeomId) {
    let mut b = ModelBuilder::new("one geom");
    let geom = b.geom(BodyId::WORLD, Geom::new(shape));
    let model = b.build().unwrap();
    (Scene::new(&model).unwrap(), geom)
}

#[test]
fn rays_meet_the_surface_and_nothing_before_it() {
    let mut random = Random(41);
    let mut hits = 0;
    for kind in CONVEX {
        for round in 0..300 {
            let shape = random.shape(kind);
            let (mut scene, geom) = one(shape.clone());
            let from = random.direction() * random.between(0.0, 3.0);
            let along = (random.vector(-0.6, 0.6) - from).unit().unwrap();
            let case = format!("{kind}, round {round}: {shape:?} from {from:?} along {along:?}");
            let far = |t: f64| outside(&shape, &Pose::IDENTITY, along.mul_add(t, from));
            match scene.cast_ray(&[Pose::IDENTITY], from, along * 2.0, 10.0).unwrap() {
                Some(hit) => {
                    hits += 1;
                    assert_eq!(hit.geom, geom);
                    assert!((hit.normal.norm() - 1.0).abs() < 1e-12, "{case}: {hit:?}");
                    assert!(hit.normal.dot(along) <= 1e-12, "{case}: {hit:?}");
                    assert!(far(hit.distance) < 1e-9, "{case}: {hit:?} is {} outside", far(hit.distance));
                    let before = (0..50).map(|k| far(hit.distance * k as f64 / 50.0));
                    assert!(
                        before.fold(f64::INFINITY, f64::min) > -1e-12 || hit.distance == 0.0,
                        "{case}: {hit:?}"
                    );
                }
                None => {
                    let inside = (0..2000).map(|k| far(k as f64 * 0.003)).fold(f64::INFINITY, f64::min);
                    assert!(inside > 0.0, "{case}: {inside} inside, but no hit");
                }
            }
        }
    }
    assert!(hits > 900, "{hits}");
}

#[test]
fn rays_meet_meshes_and_landscapes() {
    let mut random = Random(43);
    for round in 0..200 {
        let Shape::Hull(points) = random.shape("hull") else { panic!() };
        let mesh = Arc::new(Mesh::new("mesh", convex_hull(&points.given().unwrap().vertices)));
        let from = random.direction() * 3.0;
        let along = random.vector(-0.5, 0.5) - from;
        let cast = |shape: Shape| one(shape).0.cast_ray(&[Pose::IDENTITY], from, along, 10.0).unwrap();
        match (cast(Shape::Hull(mesh.clone())), cast(Shape::Mesh(mesh))) {
            (Some(a), Some(b)) => assert!((a.distance - b.distance).abs() < 1e-9, "{round}: {a:?}, {b:?}"),
            (a, b) => assert_eq!(a, b, "{round}"),
        }
        let heights = Heights { rows: 2, columns: 3, elevation: vec![0.5; 6] };
        let field = Shape::HeightField(Arc::new(HeightField::new("flat", [0.6, 0.4, 0.4, 0.2], heights)));
        let block = Shape::Box { size: V3::new(1.2, 0.8, 0.4) };
        match (cast(field), cast(block)) {
            (Some(a), Some(b)) => assert!((a.distance - b.distance).abs() < 1e-9, "{round}: {a:?}, {b:?}"),
            (a, b) => assert_eq!(a, b, "{round}"),
        }
    }
}

#[test]
fn the_nearest_of_several_is_met() {
    let mut b = ModelBuilder::new("three balls");
    let ball = |x: f64| Geom::new(Shape::Sphere { radius: 0.1 }).at(V3::X * x);
    let geoms = [3.0, 1.0, 2.0].map(|x| b.geom(BodyId::WORLD, ball(x)));
    let mut scene = Scene::new(&b.build().unwrap()).unwrap();
    let hit = scene.cast_ray(&[Pose::IDENTITY], V3::ZERO, V3::X, f64::INFINITY).unwrap().unwrap();
    assert_eq!((hit.geom, hit.normal), (geoms[1], -V3::X));
    assert!((hit.distance - 0.9).abs() < 1e-15);
    assert!(scene.cast_ray(&[Pose::IDENTITY], V3::ZERO, V3::X, 0.5).unwrap().is_none());

    let probe = Shape::Box { size: V3::new(1.5, 0.1, 0.1) };
    let found = scene.overlaps(&[Pose::IDENTITY], &probe, Pose::translation(V3::X * 2.4)).unwrap();
    assert_eq!(found, [geoms[0], geoms[2]]);

    let sweep = Sweep::new(Pose::translation(V3::X * 9.0), Motion { ang: V3::X, lin: V3::X * -1000.0 });
    let hit = scene.sweep_shape(&[Pose::IDENTITY], &probe, sweep, 1.0).unwrap().unwrap();
    assert_eq!(hit.geom, geoms[0]);
    assert!((hit.time - (9.0 - 0.75 - 3.1) / 1000.0).abs() < 1e-12, "{hit:?}");
    assert!(scene.overlaps(&[Pose::IDENTITY], &Shape::Sphere { radius: -1.0 }, Pose::IDENTITY).is_err());
}
