//! What stands stands for long.
//!
//! The short ones run always; those of a minute with `cargo test --release -p poinsot --test stands -- --ignored --nocapture`.
#![allow(clippy::unwrap_used)]

use poinsot::integrate::Fallback;
use poinsot::prelude::*;
use poinsot::scenes::{Scene, by_name};
use poinsot::spatial::Pose;
use std::time::Instant;

fn begin(scene: &Scene, dt: f64) -> Simulation<'_> {
    let builder = Simulation::builder(&scene.model).state(scene.state.clone()).integrator(Method::Leapfrog);
    builder.contact(Contact::default()).control(scene.control.clone()).dt(dt).build().unwrap()
}

/// Stands for so many seconds: the largest change of a coordinate, and the deepest overlap.
fn stand(what: &str, s: &mut Simulation, seconds: f64) -> (f64, f64) {
    let (begun, before) = (Instant::now(), s.state().q.clone());
    let mut deepest = 0.0f64;
    while s.state().time < seconds {
        s.step().unwrap();
        deepest = deepest.max(s.report().penetration);
    }
    let moved = s.state().q.iter().zip(&before).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    let unsolved = s.tally().steps(Fallback::Contact);
    println!(
        "{what}: {seconds} s in {:.1?}, moved {moved:.1e} m, overlap {deepest:.1e} m, {unsolved} steps not solved",
        begun.elapsed()
    );
    (moved, deepest)
}

fn stack(count: usize) -> Model {
    let mut b = ModelBuilder::new("stack");
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    for k in 0..count {
        let cube = Geom::new(Shape::Box { size: V3::new(0.2, 0.2, 0.2) });
        let at = Pose::translation(V3::Z * (0.1 + 0.2 * k as f64));
        let body =
            b.body(BodyId::WORLD, BodySpec::new(format!("b{k}")).pose(at).solid_geom(cube, 1.0).unwrap());
        b.joint(body, Joint::free());
    }
    b.build().unwrap()
}

fn stack_for(seconds: f64) {
    let model = stack(20);
    let builder = Simulation::builder(&model).integrator(Method::Leapfrog).dt(1.0 / 60.0);
    let mut s = builder.contact(Contact::default()).build().unwrap();
    let (moved, overlap) = stand("20 boxes", &mut s, seconds);
    assert!(moved < 1e-6 && overlap < 1e-6, "{moved} {overlap}");
}

#[test]
fn twenty_boxes_stand() {
    stack_for(3.0);
}

/// The capsule of 45 g between two fingers, with twenty times the force that it takes: it creeps by less than a nanometre a second.
#[test]
fn a_gripped_capsule_does_not_creep() {
    let scene = by_name("gripper").unwrap();
    let mut s = begin(&scene, scene.dt);
    while s.state().time < 1.0 {
        s.step().unwrap();
    }
    let before = s.state().q.clone();
    while s.state().time < 5.0 {
        s.step().unwrap();
    }
    let crept = s.state().q.iter().zip(&before).fold(0.0f64, |most, (a, b)| most.max((a - b).abs())) / 4.0;
    println!("creep {crept:.1e} m/s");
    assert!(crept <= 1e-9, "{crept}");
}

/// A pyramid at rest goes on with the impulses of the step before: few steps are solved anew. The faces of its boxes are flush, so that
/// round-off names the corners of contacts by other features from step to step.
#[test]
fn a_small_pyramid_rests() {
    let scene = by_name("pyramid:8").unwrap();
    let mut s = begin(&scene, 1.0 / 60.0);
    let before = s.state().q.clone();
    let mut solved_anew = 0;
    for _ in 0..60 {
        s.step().unwrap();
        let certificate = s.report().certificate.unwrap();
        assert!(certificate.status.is_solved(), "{certificate:?}");
        solved_anew += usize::from(certificate.iterations() > 0);
    }
    let moved = s.state().q.iter().zip(&before).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    println!("solved anew in {solved_anew} of 60 steps, moved {moved:.1e}");
    assert!(moved < 1e-9 && solved_anew <= 20, "{moved} {solved_anew}");
}

/// Boxes joined by balls, flat on the ground: every contact is on one tree, and there are twice as many rows as degrees of freedom.
fn chain(links: usize) -> Model {
    let mut b = ModelBuilder::new("chain");
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    let mut parent = BodyId::WORLD;
    for k in 0..links {
        let link = Geom::new(Shape::Box { size: V3::new(0.16, 0.06, 0.06) });
        let at = if k == 0 { V3::Z * 0.05 } else { V3::X * 0.2 };
        let spec = BodySpec::new(format!("link {k}")).at(at).solid_geom(link, 1.0).unwrap();
        parent = b.body(parent, spec);
        b.joint(parent, if k == 0 { Joint::free() } else { Joint::spherical().anchor(V3::X * -0.1) });
    }
    b.build().unwrap()
}

fn chain_falls(links: usize) {
    let model = chain(links);
    let builder = Simulation::builder(&model).integrator(Method::SemiImplicit).dt(1.0 / 60.0);
    let mut s = builder.contact(Contact::default()).build().unwrap();
    stand(&format!("a chain of {links} links"), &mut s, 1.0);
    let fastest = s.state().v.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    assert_eq!(s.report().contacts.len(), 4 * links);
    assert!(fastest < 1e-7 && s.tally().steps(Fallback::Contact) == 0, "{fastest}");
}

#[test]
fn a_chain_comes_to_rest_on_the_ground() {
    chain_falls(15);
}

#[test]
#[ignore = "400 contacts on one tree"]
fn a_long_chain_comes_to_rest_on_the_ground() {
    chain_falls(100);
}

#[test]
#[ignore = "a minute of a wall"]
fn a_wall_stands_for_a_minute() {
    let scene = by_name("wall").unwrap();
    let (moved, overlap) = stand("wall", &mut begin(&scene, 1.0 / 60.0), 60.0);
    assert!(moved < 1e-6 && overlap < 1e-6, "{moved} {overlap}");
}

#[test]
#[ignore = "a minute of a stack"]
fn twenty_boxes_stand_for_a_minute() {
    stack_for(60.0);
}

#[test]
#[ignore = "a minute of 820 boxes"]
fn a_pyramid_stands_for_a_minute() {
    let seconds = std::env::var("POINSOT_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(60.0);
    let scene = by_name("pyramid:40").unwrap();
    let (moved, overlap) = stand("pyramid of base 40", &mut begin(&scene, 1.0 / 60.0), seconds);
    assert!(moved < 1e-3 && overlap < 1e-3, "{moved} {overlap}");
}

#[test]
#[ignore = "a minute of an arch"]
fn an_arch_stands_for_a_minute_or_falls() {
    let scene = by_name("arch:113").unwrap();
    let (moved, overlap) = stand("arch 5 % above the least", &mut begin(&scene, scene.dt), 60.0);
    assert!(moved < 1e-5 && overlap < 1e-5, "{moved} {overlap}");
    let scene = by_name("arch:102").unwrap();
    let (moved, _) = stand("arch 5 % below it", &mut begin(&scene, scene.dt), 1.0);
    assert!(moved > 0.1, "{moved}");
}
