//! Geoms: what the builder keeps, by body and by name, and what it refuses.

use poinsot_core::algebra::{M3, V3};
use poinsot_core::constraint::Maximal;
use poinsot_core::model::*;
use poinsot_core::spatial::Pose;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn ball(radius: f64) -> Geom {
    Geom::new(Shape::Sphere { radius })
}

/// A model of one free body with this geom on it.
fn with(geom: Geom) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new("one");
    let body = b.body(
        BodyId::WORLD,
        BodySpec::new("body").solid(&Shape::Sphere { radius: 0.1 }, 1.0).expect("a ball"),
    );
    b.joint(body, Joint::free());
    b.geom(body, geom);
    b.build()
}

#[test]
fn solids_keep_their_shapes_and_geoms_their_order() {
    let rod = Shape::Capsule { radius: 0.02, length: 0.5 };
    let lying = Pose { pos: V3::X, ..Pose::rotation_vector(V3::Y) };
    let mut b = ModelBuilder::new("arm");
    let spec = BodySpec::new("upper").solid_at(&rod, 1.0, lying).unwrap().geom(ball(0.1).visual());
    let upper = b.body(BodyId::WORLD, spec);
    b.joint(upper, Joint::revolute(V3::Y));
    let lower = b.body(upper, BodySpec::new("lower").solid(&rod, 2.0).unwrap());
    b.joint(lower, Joint::revolute(V3::Y));
    let late = b.geom(upper, ball(0.3).named("late"));
    let model = b.build().unwrap();
    let of = |body| model.geoms_of(body).map(|(id, _)| id.index()).collect::<Vec<_>>();
    assert_eq!((of(BodyId::WORLD), of(upper), of(lower)), (vec![], vec![0, 1, 3], vec![2]));
    assert_eq!((model.geom("late"), model.geom(""), model[late].body()), (Some(late), None, upper));
    let first = &model.geoms()[0];
    assert_eq!((&first.shape, first.pose, first.touches()), (&rod, lying, true));
    assert!(!model.geoms()[1].touches());
    // a geom adds no mass
    assert_eq!((model.bodies()[1].inertia.mass, model.bodies()[2].inertia.mass), (1.0, 2.0));
}

#[test]
fn mistakes_name_the_geom_and_its_body() {
    let skew = Pose { rot: M3::columns(V3::X * 2.0, V3::Y, V3::Z), ..Pose::IDENTITY };
    let material = |m: Material| ball(0.1).material(m);
    for (geom, message) in [
        (ball(0.0).named("dot"), "geom \"dot\" of body \"body\": sphere: radius is 0"),
        (ball(f64::NAN), "geom 1 of body \"body\": sphere: radius is NaN"),
        (Geom::new(Shape::Plane { x: -1.0, y: 0.0 }), "plane: x size is -1"),
        (Geom::new(Shape::Box { size: V3::new(1.0, -1.0, 1.0) }), "box: y size is -1"),
        (ball(0.1).pose(skew), "its pose is not a rigid motion"),
        (ball(0.1).at(V3::X * f64::INFINITY), "the position is not finite"),
        (material(Material::with_friction(-0.5)), "its sliding friction is -0.5"),
        (material(Material { restitution: 1.5, ..Material::default() }), "its restitution is 1.5"),
        (
            material(Material { condim: 2, ..Material::default() }),
            "1, 3, 4 or 6 directions (condim), not in 2",
        ),
        (material(Material { stiffness: Some(-1.0), ..Material::default() }), "its stiffness is -1"),
        (material(Material { margin: f64::NAN, ..Material::default() }), "its margin is NaN"),
        (ball(0.1).rgba([0.0, f64::NAN, 0.0, 1.0]), "its colour has NaN"),
    ] {
        let error = with(geom).unwrap_err().to_string();
        assert!(error.contains(message) && error.contains("of body \"body\""), "{error}");
    }
    let mut b = ModelBuilder::new("twins");
    b.geom(BodyId::WORLD, ball(0.1).named("a"));
    b.geom(BodyId::WORLD, ball(0.1).named("a"));
    assert_eq!(b.build().unwrap_err().to_string(), "two geoms are named \"a\"; rename one");
}

#[test]
fn pairs_and_excluded_bodies_must_be_of_the_model() {
    let mut other = ModelBuilder::new("other");
    let (x, y) = (other.geom(BodyId::WORLD, ball(0.1)), other.geom(BodyId::WORLD, ball(0.1)));
    let stranger = other.body(BodyId::WORLD, BodySpec::new("stranger"));
    for (pair, message) in [
        (ContactPair::new(x, y), "there is no geom number 1"),
        (ContactPair::new(x, x), "a geom does not touch itself"),
        (ContactPair { condim: Some(5), ..ContactPair::new(x, x) }, "a geom does not touch itself"),
    ] {
        let mut b = ModelBuilder::new("one");
        b.geom(BodyId::WORLD, ball(0.1));
        b.contact_pair(pair);
        let error = b.build().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let mut b = ModelBuilder::new("none");
    b.exclude_contact(BodyId::WORLD, stranger);
    assert!(b.build().unwrap_err().to_string().contains("body number 1"));
    other.contact_pair(ContactPair { friction: Some([-1.0; 5]), ..ContactPair::new(x, y) });
    assert!(other.build().unwrap_err().to_string().contains("its friction has -1"));
}

#[test]
fn a_lenient_builder_keeps_flat_shapes_and_says_so() {
    let mut b = ModelBuilder::new("flat");
    b.lenient();
    b.geom(BodyId::WORLD, Geom::new(Shape::Cylinder { radius: 0.1, length: 0.0 }));
    let model = b.build().unwrap();
    assert_eq!((model.geoms().len(), model.defects().len()), (1, 1));
    assert!(model.defects()[0].to_string().contains("length is 0"));
    assert!(!model.is_singular());
}

#[test]
fn masks_as_mujoco_has_them() {
    let filter = |contype, conaffinity| Filter { contype, conaffinity };
    assert!(filter(1, 0).meets(filter(0, 1)) && filter(0, 1).meets(filter(1, 0)));
    assert!(!filter(1, 0).meets(filter(1, 0)) && !filter(2, 2).meets(filter(1, 1)));
}

#[test]
fn a_mesh_is_read_once_and_only_when_it_is_asked_for() {
    static READ: AtomicUsize = AtomicUsize::new(0);
    fn read(_: &Path) -> Result<TriangleMesh, String> {
        READ.fetch_add(1, Ordering::Relaxed);
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        Ok(TriangleMesh { vertices: vec![V3::ZERO, V3::X, V3::Y, V3::Z], triangles })
    }
    let mirror = V3::new(-1.0, 1.0, 2.0);
    let mesh = Arc::new(Mesh::in_file("corner", "corner.stl", read).scaled(mirror));
    let model = with(Geom::new(Shape::Mesh(mesh.clone()))).unwrap();
    let copy = model.with_gravity(V3::ZERO);
    assert_eq!(READ.load(Ordering::Relaxed), 0);
    let Shape::Mesh(shared) = &copy.geoms()[1].shape else { panic!() };
    assert_eq!(shared.surface().unwrap().vertices[1], -V3::X);
    assert_eq!(mesh.surface().unwrap().triangles[0], [0, 1, 2], "a mirror turns triangles");
    assert_eq!(READ.load(Ordering::Relaxed), 1);
    let solid = Shape::Mesh(mesh.clone()).inertia(3.0).unwrap();
    assert!((solid.com() - V3::new(-0.25, 0.25, 0.5)).norm() < 1e-15 && solid.mass == 3.0);
    let hull = Shape::Hull(mesh).volume().unwrap();
    assert!((hull - 1.0 / 3.0).abs() < 1e-15, "{hull}");
}

#[test]
fn what_cannot_be_read_says_so_and_has_no_inertia() {
    let lost = Mesh::in_file("lost", "lost.stl", |path| Err(format!("there is no {}", path.display())));
    let shape = Shape::Mesh(Arc::new(lost));
    assert!(shape.inertia(1.0).unwrap_err().to_string().contains("there is no lost.stl"));
    let flat = Mesh::new("flat", TriangleMesh::default()).scaled(V3::X);
    assert!(with(Geom::new(Shape::Mesh(Arc::new(flat)))).unwrap_err().to_string().contains("y scale is 0"));
    let heights =
        |elevation: Vec<f64>| HeightField::new("hill", [1.0; 4], Heights { rows: 2, columns: 2, elevation });
    assert!(heights(vec![0.0; 3]).heights().is_err() && heights(vec![0.0, 0.0, 0.0, 2.0]).heights().is_err());
    let hill = Shape::HeightField(Arc::new(heights(vec![0.0; 4])));
    assert!(hill.volume().unwrap_err().to_string().contains("height field has no volume"));
}

#[test]
fn maximal_coordinates_keep_the_geometry() {
    let mut b = ModelBuilder::new("two");
    let cube = Shape::Box { size: V3::new(0.1, 0.1, 0.1) };
    let near = b.body(BodyId::WORLD, BodySpec::new("near").solid(&cube, 1.0).expect("a ball"));
    b.joint(near, Joint::revolute(V3::Y));
    b.joint(near, Joint::revolute(V3::X));
    let far = b.body(near, BodySpec::new("far").at(V3::X).solid(&cube, 1.0).expect("a ball"));
    b.joint(far, Joint::spherical());
    b.exclude_contact(near, far);
    let model = b.build().unwrap();
    let maximal = Maximal::of(&model).unwrap();
    let bodies: Vec<BodyId> = maximal.model().geoms().iter().map(Geom::body).collect();
    assert_eq!(bodies, [maximal.body(near), maximal.body(far)]);
    assert_eq!(maximal.model().contact_excludes(), [[maximal.body(near), maximal.body(far)]]);
}
