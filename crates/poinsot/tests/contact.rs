//! Contact in the step, beside exact solutions.

use poinsot::prelude::*;
use poinsot::spatial::Pose;

const G: f64 = 9.81;

fn floor(b: &mut ModelBuilder, material: Material) {
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor").material(material));
}

fn block(b: &mut ModelBuilder, name: &str, size: V3, mass: f64, at: V3, material: Material) -> BodyId {
    let geom = Geom::new(Shape::Box { size }).named(name).material(material);
    let body = b.body(BodyId::WORLD, BodySpec::new(name).at(at).solid_geom(geom, mass).unwrap());
    b.joint(body, Joint::free());
    body
}

fn begin<'a>(model: &'a Model, method: Method, dt: f64) -> Simulation<'a> {
    Simulation::builder(model)
        .integrator(method)
        .dt(dt)
        .contact(Contact::default())
        .ledger(true)
        .build()
        .unwrap()
}

/// A block that is let go above the floor comes to rest on it, and stays.
#[test]
fn a_block_comes_to_rest() {
    for method in [Method::Leapfrog, Method::SemiImplicit, Method::Implicit] {
        let mut b = ModelBuilder::new("block");
        floor(&mut b, Material::default());
        let cube = block(&mut b, "cube", V3::new(0.2, 0.2, 0.2), 1.0, V3::Z * 0.3, Material::default());
        let model = b.build().unwrap();
        let mut s = begin(&model, method, 2e-3);
        s.run(1000, 2e-3).unwrap();
        let height = s.at().pose(cube).pos.z;
        println!("{method}: {:e} {:?} {:?}", height - 0.1, s.state().v, s.report().certificate);
        assert!((height - 0.1).abs() < 1e-9);
        assert!(s.state().v.iter().all(|v| v.abs() < 1e-9));
        let up: f64 = s.contacts().iter().map(|c| c.impulse.z).sum();
        assert!((up - 2e-3 * G).abs() < 1e-9, "{up}");
        let total = s.ledger().unwrap().total();
        for line in poinsot::audit::Line::ALL {
            println!("  {} {:e}", line.word(), total.work(line));
        }
    }
}
#[test]
fn a_ball_bounces() {
    for method in [Method::Leapfrog, Method::SemiImplicit, Method::Implicit] {
        let mut b = ModelBuilder::new("ball");
        let rubber = Material { restitution: 1.0, ..Material::default() };
        floor(&mut b, Material::default());
        let geom = Geom::new(Shape::Sphere { radius: 0.1 }).material(rubber);
        let ball =
            b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z * 1.1).solid_geom(geom, 1.0).unwrap());
        b.joint(ball, Joint::free());
        let model = b.build().unwrap();
        let mut s = begin(&model, method, 2e-3);
        let (mut top, mut bounces) = (0.0f64, 0);
        let start = s.energy();
        while bounces < 110 {
            s.step().unwrap();
            bounces += s.report().collisions.len();
            top = top.max(s.at().pose(ball).pos.z);
        }
        println!("{method}: {:e} {}", s.energy() / start - 1.0, s.state().time);
    }
}
#[test]
fn a_stack_stands() {
    for ratio in [1.0, 1e3, 1e6] {
        let mut b = ModelBuilder::new("stack");
        floor(&mut b, Material::default());
        for k in 0..10 {
            let mass = if k == 9 { ratio } else { 1.0 };
            block(
                &mut b,
                &format!("b{k}"),
                V3::new(0.2, 0.2, 0.2),
                mass,
                V3::Z * (0.1 + 0.2 * k as f64),
                Material::default(),
            );
        }
        let model = b.build().unwrap();
        let start = std::time::Instant::now();
        let mut s = Simulation::builder(&model)
            .integrator(Method::Leapfrog)
            .contact(Contact::default())
            .build()
            .unwrap();
        let before = s.state().q.clone();
        s.run(600, 1.0 / 60.0).unwrap();
        let moved = s.state().q.iter().zip(&before).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        println!(
            "{ratio:e}: moved {moved:e} penetration {:e} {:?} {:?}",
            s.report().penetration,
            start.elapsed() / 600,
            s.report().certificate
        );
        println!("{:?}", s.tally());
    }
}
#[test]
fn incline() {
    for (mu, holds) in [(0.5 * 1.01, true), (0.5 * 0.99, false)] {
        let mut b = ModelBuilder::new("incline");
        let angle = 0.5f64.atan();
        let tilt = Pose { rot: poinsot::spatial::exp_so3(V3::Y * angle), pos: V3::ZERO };
        let m = Material::with_friction(mu);
        b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).pose(tilt).material(m));
        let geom = Geom::new(Shape::Box { size: V3::new(0.2, 0.2, 0.2) }).material(m);
        let x = tilt * Pose::translation(V3::Z * 0.1);
        let body = b.body(BodyId::WORLD, BodySpec::new("block").pose(x).solid_geom(geom, 1.0).unwrap());
        b.joint(body, Joint::free());
        let model = b.build().unwrap();
        for method in [Method::Leapfrog, Method::SemiImplicit] {
            let mut s = begin(&model, method, 2e-3);
            s.run(1000, 2e-3).unwrap();
            let speed = V3::new(s.state().v[0], s.state().v[1], s.state().v[2]).norm();
            let went = (s.at().pose(body).pos - x.pos).norm();
            let a = G * (angle.sin() - mu * angle.cos());
            println!(
                "{method} {mu} speed {speed:e} went {went:e} exact {:e} {:e}",
                if holds { 0.0 } else { 0.5 * a * 4.0 },
                if holds { 0.0 } else { a * 2.0 }
            );
        }
    }
}
