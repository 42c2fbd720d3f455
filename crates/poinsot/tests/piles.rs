//! Piles: many bodies of all shapes that fall into a pit.

use poinsot::prelude::*;
use poinsot::spatial::{Pose, exp_so3};

const HALF: f64 = 0.3;

/// A pit of five walls, and `count` bodies above it.
fn pit(count: usize, material: Material) -> Model {
    let mut b = ModelBuilder::new("pit");
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor").material(material));
    let (there, thick) = (HALF + 0.05, 0.1);
    for (k, at) in [V3::X, -V3::X, V3::Y, -V3::Y].into_iter().enumerate() {
        let across = 2.0 * there + thick;
        let size = if k < 2 { V3::new(thick, across, 4.0) } else { V3::new(across, thick, 4.0) };
        let wall = Geom::new(Shape::Box { size }).named(format!("wall {k}")).material(material);
        b.geom(BodyId::WORLD, wall.pose(Pose::translation(at * there + V3::Z * 2.0)));
    }
    let shapes = [
        Shape::Box { size: V3::new(0.1, 0.08, 0.06) },
        Shape::Sphere { radius: 0.05 },
        Shape::Capsule { radius: 0.03, length: 0.08 },
        Shape::Cylinder { radius: 0.04, length: 0.08 },
    ];
    for k in 0..count {
        let (x, y, z) = ((k % 3) as f64 - 1.0, (k / 3 % 3) as f64 - 1.0, (k / 9) as f64);
        let spot = V3::new(0.17 * x + 0.01 * (k as f64).sin(), 0.17 * y, 0.1 + 0.16 * z);
        let turned = exp_so3(V3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3 * k as f64));
        let pose = Pose { rot: turned, pos: spot };
        let geom = Geom::new(shapes[k % 4].clone()).named(format!("shape {k}")).material(material);
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
