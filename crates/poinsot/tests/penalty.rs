//! Contacts as springs with dampers: stable for masses over nine orders of magnitude, never gluing, within the cone of friction; explicit
//! ones blow up where they must; MJCF's softness compared with its law at rest.
#![allow(clippy::unwrap_used)]

use poinsot::Penalty;
use poinsot::model::ModelBuilder as B;
use poinsot::prelude::*;
use poinsot::spatial::{Pose, exp_so3};

const G: f64 = 9.81;

fn floor(tilt: f64, material: Material) -> B {
    let mut b = B::new("penalty");
    let pose = Pose { rot: exp_so3(V3::Y * tilt), pos: V3::ZERO };
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).pose(pose).material(material));
    b
}

fn body(b: &mut B, shape: Shape, mass: f64, pose: Pose, material: Material) -> BodyId {
    let geom = Geom::new(shape).material(material);
    let body = b.body(BodyId::WORLD, BodySpec::new("body").pose(pose).solid_geom(geom, mass).unwrap());
    b.joint(body, Joint::free());
    body
}

fn begin<'a>(model: &'a Model, method: Method, contact: &str, dt: f64) -> Simulation<'a> {
    let builder = Simulation::builder(model).integrator(method).dt(dt);
    builder.contact(contact.parse::<Contact>().unwrap()).build().unwrap()
}

/// A ball and a box of any mass fall and come to rest: contacts push and never pull, friction is within its cone, and no energy is gained.
#[test]
fn stable_and_never_gluing_for_any_mass() {
    for mass in [1e-3, 1.0, 1e3, 1e6] {
        for shape in [Shape::Sphere { radius: 0.1 }, Shape::Box { size: V3::new(0.2, 0.2, 0.2) }] {
            let material = Material::with_friction(0.5);
            let mut b = floor(0.0, material);
            let tilted = Pose { rot: exp_so3(V3::new(0.3, 0.2, 0.0)), pos: V3::Z * 0.4 };
            let id = body(&mut b, shape, mass, tilted, material);
            let model = b.build().unwrap();
            for method in [Method::Leapfrog, Method::SemiImplicit, Method::Implicit] {
                for (contact, dt) in [
                    ("penalty", 1.0 / 60.0),
                    ("penalty", 1e-3),
                    ("penalty/explicit", 1e-3),
                    ("penalty/explicit", 5e-3),
                ] {
                    let mut s = begin(&model, method, contact, dt);
                    let what = format!("{mass} kg {contact} {method} {dt}");
                    let start = s.energy();
                    let fall = mass * G * 0.3;
                    while s.state().time < 3.0 {
                        s.step().unwrap_or_else(|e| panic!("{what}: {e}"));
                        for c in s.contacts() {
                            let normal = c.impulse.dot(c.point.normal);
                            let across = (c.impulse - c.point.normal * normal).norm();
                            assert!(normal >= 0.0, "{what}: pulls with {normal}");
                            assert!(across <= 0.5 * normal * (1.0 + 1e-9), "{what}: {across} of {normal}");
                        }
                        let gained = s.energy() - start;
                        assert!(gained < 0.05 * fall, "{what}: gained {gained} J at {}", s.state().time);
                    }
                    let at = s.at().pose(id).pos;
                    assert!(s.state().v.iter().all(|v| v.abs() < 2e-2), "{what}: {:?}", s.state().v);
                    // T² g, and of explicit ones no more than (16 h)² g
                    let sinks = (16.0 * dt).max(0.01).powi(2) * G;
                    assert!(at.z > 0.1 - 1.5 * sinks - 1e-3 && at.z < 0.18, "{what}: {at:?}");
                }
            }
        }
    }
}

/// With gains too stiff for the step the explicit spring throws the ball higher and higher; the implicit one holds it at m g/k.
#[test]
fn explicit_springs_blow_up_and_implicit_ones_do_not() {
    let mut b = floor(0.0, Material::default());
    let ball = body(
        &mut b,
        Shape::Sphere { radius: 0.1 },
        2.0,
        Pose::translation(V3::Z * 0.12),
        Material::default(),
    );
    let model = b.build().unwrap();
    let mut explicit = begin(&model, Method::SemiImplicit, "penalty:1e8,100/explicit", 1e-3);
    let start = explicit.energy();
    let mut worst = start;
    for _ in 0..200 {
        if explicit.step().is_err() {
            worst = f64::INFINITY;
            break;
        }
        worst = worst.max(explicit.energy());
    }
    assert!(worst > 10.0 * start, "{start} J → {worst} J");
    for (k, contact) in
        [(1e8, "penalty:1e8,100"), (2e4, "penalty:2e4,300"), (2e4, "penalty:2e4,300/explicit")]
    {
        let mut s = begin(&model, Method::SemiImplicit, contact, 1e-3);
        s.run(3000, 1e-3).unwrap();
        let depth = 0.1 - s.at().pose(ball).pos.z;
        assert!((depth / (2.0 * G / k) - 1.0).abs() < 1e-6, "{contact}: {depth}");
    }
    let given: Contact = "penalty:2e4,300/explicit/discrete".parse().unwrap();
    assert_eq!(given.to_string().parse(), Ok(given));
    assert_eq!(
        given.penalty,
        Some(Penalty { gains: Some([2e4, 300.0]), explicit: true, ..Penalty::default() })
    );
    assert!("penalty:3".parse::<Contact>().is_err() && "exact/explicit".parse::<Contact>().is_err());
}

/// MJCF's softness: a ball rests where (1 − i) g = i² k r, and falls off as an oscillator of T and ζ; a box slides on an incline at g (sin − μ cos).
#[test]
fn soft_contact_is_mujocos_law() {
    let mut b = floor(0.0, Material::default());
    let ball =
        body(&mut b, Shape::Sphere { radius: 0.1 }, 3.0, Pose::translation(V3::Z * 0.1), Material::default());
    let model = b.build().unwrap();
    let (t, most) = (0.02, 0.95);
    let k = 1.0 / (most * t * most * t);
    let impedance = |r: f64| {
        let x = (r / 1e-3).min(1.0);
        0.9 + 0.05 * if x <= 0.5 { 2.0 * x * x } else { 1.0 - 2.0 * (1.0 - x) * (1.0 - x) }
    };
    let mut depth = 1e-4;
    for _ in 0..200 {
        let i = impedance(depth);
        depth = (1.0 - i) * G / (i * i * k);
    }
    for method in [Method::Leapfrog, Method::SemiImplicit, Method::Implicit] {
        let mut s = begin(&model, method, "exact/soft", 2e-3);
        s.run(1000, 2e-3).unwrap();
        let found = 0.1 - s.at().pose(ball).pos.z;
        assert!((found / depth - 1.0).abs() < 1e-6, "{method}: {found} {depth}");
    }
    let angle = 0.5;
    let mut b = floor(angle, Material::with_friction(0.3));
    let tilt = exp_so3(V3::Y * angle);
    let pose = Pose { rot: tilt, pos: tilt * (V3::Z * 0.1) };
    body(&mut b, Shape::Box { size: V3::new(0.4, 0.4, 0.2) }, 1.0, pose, Material::with_friction(0.3));
    let model = b.build().unwrap();
    let mut s = begin(&model, Method::SemiImplicit, "exact/soft", 1e-3);
    s.run(500, 1e-3).unwrap();
    let before = V3::new(s.state().v[0], s.state().v[1], s.state().v[2]).norm();
    s.run(500, 1e-3).unwrap();
    let gained = V3::new(s.state().v[0], s.state().v[1], s.state().v[2]).norm() - before;
    assert!((gained / (0.5 * G * (angle.sin() - 0.3 * angle.cos())) - 1.0).abs() < 1e-3, "{gained}");
}
