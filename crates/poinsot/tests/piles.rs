//! Piles: many bodies of all shapes that fall into a pit.

use poinsot::prelude::*;
use poinsot::spatial::{Pose, exp_so3};

const HALF: f64 = 0.3;

/// A pit of five walls, and `count` bodies of four shapes above it.
fn pit(count: usize, material: Material) -> Model {
    wide_pit(3, count, 4, material)
}

/// The same as wide as `side` bodies, of the first so many shapes.
fn wide_pit(side: usize, count: usize, shapes: usize, material: Material) -> Model {
    let mut b = ModelBuilder::new("pit");
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor").material(material));
    let (there, thick) = (HALF * (side as f64 / 3.0) + 0.05, 0.1);
    for (k, at) in [V3::X, -V3::X, V3::Y, -V3::Y].into_iter().enumerate() {
        let across = 2.0 * there + thick;
        let size = if k < 2 { V3::new(thick, across, 4.0) } else { V3::new(across, thick, 4.0) };
        let wall = Geom::new(Shape::Box { size }).named(format!("wall {k}")).material(material);
        b.geom(BodyId::WORLD, wall.pose(Pose::translation(at * there + V3::Z * 2.0)));
    }
    let all = [
        Shape::Box { size: V3::new(0.1, 0.08, 0.06) },
        Shape::Sphere { radius: 0.05 },
        Shape::Capsule { radius: 0.03, length: 0.08 },
        Shape::Cylinder { radius: 0.04, length: 0.08 },
    ];
    for k in 0..count {
        let middle = 0.5 * (side as f64 - 1.0);
        let (x, y) = ((k % side) as f64 - middle, (k / side % side) as f64 - middle);
        let z = (k / (side * side)) as f64;
        let spot = V3::new(0.17 * x + 0.01 * (k as f64).sin(), 0.17 * y, 0.1 + 0.16 * z);
        let turned = exp_so3(V3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3 * k as f64));
        let pose = Pose { rot: turned, pos: spot };
        let geom = Geom::new(all[k % shapes].clone()).named(format!("shape {k}")).material(material);
        let spec = BodySpec::new(format!("body {k}")).pose(pose).solid_geom(geom, 0.5).expect("a solid");
        let body = b.body(BodyId::WORLD, spec);
        b.joint(body, Joint::free());
    }
    b.build().expect("a model")
}

fn begin<'a>(model: &'a Model, contact: &str, dt: f64) -> Simulation<'a> {
    let contact: Contact = contact.parse().expect("a contact");
    Simulation::builder(model)
        .integrator(Method::Leapfrog)
        .dt(dt)
        .contact(contact)
        .ledger(true)
        .build()
        .expect("a simulation")
}

/// Nothing leaves the pit, no energy is gained on the way, and what is at the bottom comes to rest.
#[test]
fn a_pit_is_filled() {
    for (contact, count, dt, seconds) in
        [("exact", 27, 5e-3, 0.8), ("pgs", 54, 5e-3, 3.0), ("pgs", 54, 1.0 / 60.0, 3.0)]
    {
        let model = pit(count, Material::default());
        let mut s = begin(&model, contact, dt);
        let mut energy = s.energy();
        let scale = energy.abs();
        for _ in 0..(seconds / dt) as usize {
            s.step().unwrap_or_else(|e| panic!("{contact}: {e}"));
            let now = s.energy();
            assert!(now < energy + 1e-4 * scale, "{contact} {dt} at {}: {energy} → {now}", s.state().time);
            energy = now.min(energy);
        }
        for body in model.body_ids().skip(1) {
            let at = s.at().pose(body).pos;
            assert!(at.x.abs() < HALF && at.y.abs() < HALF && at.z > 0.02 && at.z < 2.0, "{contact}: {at:?}");
        }
        let total = s.ledger().unwrap().total();
        assert!(total.imbalance().abs() < 1e-9 * scale && total.work(Line::Contact) < 0.0);
        // a ball or two may still roll: the bound is for the mean, and a wide one for each
        let (v, most) = (&s.state().v, s.state().v.iter().fold(0.0f64, |most, v| most.max(v.abs())));
        let mean = (v.iter().map(|v| v * v).sum::<f64>() / v.len() as f64).sqrt();
        let bounds = if contact == "exact" { (20.0, 10.0) } else { (10.0, 0.5) };
        assert!(most < bounds.0 && mean < bounds.1, "{contact} {dt}: {most}, {mean}");
        assert!(s.report().penetration < 6e-3, "{contact} {dt}: {}", s.report().penetration);
    }
}

/// A pile by soft substeps goes on from a snapshot bit for bit.
#[test]
fn a_snapshot_of_a_pile() {
    let model = pit(18, Material { restitution: 0.3, ..Material::default() });
    let mut s = begin(&model, "pgs", 1.0 / 60.0);
    s.run(40, 1.0 / 60.0).unwrap();
    let snapshot = s.snapshot();
    s.run(60, 1.0 / 60.0).unwrap();
    let there = s.state().clone();
    let mut other = begin(&model, "pgs", 1.0 / 60.0);
    other.restore(&snapshot).unwrap();
    other.run(60, 1.0 / 60.0).unwrap();
    assert_eq!(*other.state(), there);
}

/// Ten cubes of a metre and a tonne on one another, the top one heavier, after ten seconds: how deep the deepest contact is, and how fast they
/// moved in the last second, in the mean.
fn stack(ratio: f64) -> (f64, f64) {
    let mut b = ModelBuilder::new("ten boxes");
    let cube = Shape::Box { size: V3::new(1.0, 1.0, 1.0) };
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    for k in 0..10 {
        let mass = if k == 9 { 1000.0 * ratio } else { 1000.0 };
        let spec = BodySpec::new(format!("box {k}")).at(V3::Z * (0.5 + f64::from(k)));
        let body = b.body(BodyId::WORLD, spec.solid_geom(Geom::new(cube.clone()), mass).expect("a solid"));
        b.joint(body, Joint::free());
    }
    let model = b.build().expect("a model");
    let contact: Contact = "pgs".parse().expect("a contact");
    let dt = 1.0 / 60.0;
    let builder = Simulation::builder(&model).integrator(Method::SemiImplicit).dt(dt).contact(contact);
    let mut s = builder.build().expect("a simulation");
    let places = |s: &mut Simulation| -> Vec<V3> {
        let at = s.at();
        model.body_ids().skip(1).map(|body| at.pose(body).pos).collect()
    };
    s.run(540, dt).expect("steps");
    let before = places(&mut s);
    s.run(60, dt).expect("steps");
    let moved: f64 = before.iter().zip(places(&mut s)).map(|(a, b)| (b - *a).norm()).sum();
    (s.report().penetration, moved / 10.0)
}

/// Bounds are what an engine for games does on the same scene: 5 mm and 0.35 mm/s, 63 mm and 19 mm/s where the top is a hundred times as heavy.
#[test]
fn ten_boxes_stand() {
    for (ratio, deepest, creep) in [(1.0, 5e-3, 0.35e-3), (100.0, 63e-3, 19e-3)] {
        let found = stack(ratio);
        println!("top {ratio} times as heavy: {:.2e} m, {:.2e} m/s", found.0, found.1);
        assert!(found.0 < deepest && found.1 < creep, "{ratio}: {found:?}");
    }
}

/// How exact `exact` is on a pile that `pgs` has brought to rest: boxes, from a cold start, and how long it takes.
#[test]
#[ignore = "a pile of 64 boxes, or of POINSOT_SIDE cubed, of which larger ones are not solved"]
fn a_pile_at_rest_is_handed_to_exact() {
    let side: usize = std::env::var("POINSOT_SIDE").map_or(4, |side| side.parse().expect("a number"));
    let model = wide_pit(side, side.pow(3), 1, Material::default());
    let dt = 1.0 / 60.0;
    let mut s = begin(&model, "pgs", dt);
    s.run(1200, dt).unwrap();
    let residual = |s: &Simulation| s.report().certificate.map(|c| (c.residual, c.residual_rms, c.status));
    println!("{} boxes, pgs: {:?}", model.bodies().len() - 1, residual(&s));
    let contact: Contact = "exact".parse().expect("a contact");
    let builder = Simulation::builder(&model).state(s.state().clone()).dt(dt).contact(contact);
    let mut s = builder.build().expect("a simulation");
    for step in 0..10 {
        let start = std::time::Instant::now();
        s.run(1, dt).unwrap();
        println!("step {step}: {:?}, {:.0} ms", residual(&s), start.elapsed().as_secs_f64() * 1e3);
    }
    let found = residual(&s).expect("a certificate");
    assert!(found.0 < 1e-9, "{found:?}");
}
