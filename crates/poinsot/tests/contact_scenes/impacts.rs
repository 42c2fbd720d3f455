use super::common::{G, begin, body, run, scene};
use poinsot::constraint::Impacts;
use poinsot::prelude::*;
use poinsot::{Contact, Penalty};

/// The n-th rebound is at its time, with eⁿ of the speed of the first touch; the ball of e = 1 is as high as before.
#[test]
fn balls_bounce_by_their_restitutions() {
    let scene = scene("bounce");
    let mut s = begin(&scene);
    let (fall, speed) = ((2.0 / G).sqrt(), (2.0 * G).sqrt());
    let mut met = [0; 5];
    let restitutions = [0.0, 0.3, 0.5, 0.7, 1.0];
    let mut due = [fall; 5];
    while s.state().time < 5.0 {
        s.step().unwrap();
        for c in &s.report().collisions {
            let k = c.point.bodies[1].index() - 1;
            met[k] += 1;
            let after = speed * f64::powi(restitutions[k], met[k]);
            if after < 0.02 {
                continue;
            }
            assert!((c.time - due[k]).abs() < 1e-9, "e = {}: {} {}", restitutions[k], c.time, due[k]);
            assert!((c.velocity[1].z - after).abs() < 1e-9, "e = {}", restitutions[k]);
            due[k] += 2.0 * after / G;
        }
    }
    assert!(met[0] == 1 && met[4] == 6, "{met:?}");
}

/// Two balls that meet off their line of centres: normal and tangential impulses are those of Coulomb's law.
#[test]
fn an_oblique_collision_is_exact() {
    let scene = scene("oblique");
    let mut s = begin(&scene);
    let momentum = s.at().momentum();
    run(&mut s, 2.0);
    let n = V3::new(0.75f64.sqrt(), -0.5, 0.0);
    let (mass, e, mu, r) = (2.0 / 3.0, 0.8, 0.3, 0.1);
    // at the point the first ball moves, relative to the second, with v + ω × r n
    let slip = V3::X + (V3::Z * 5.0).cross(n * r);
    let across = slip - n * slip.dot(n);
    let normal = (1.0 + e) * mass * slip.dot(n);
    // the tangential effective mass of two balls is 2/7 of that of two points
    let friction = (across.norm() * mass * 2.0 / 7.0).min(mu * normal);
    let impulse = n * normal + across * (friction / across.norm());
    let (first, second) = (s.at().velocity(body(&scene, "first")), s.at().velocity(body(&scene, "second")));
    assert!((first.lin - (V3::X - impulse)).norm() < 1e-10, "{:?}", first.lin);
    assert!((second.lin - impulse * 0.5).norm() < 1e-10, "{:?}", second.lin);
    let spin = V3::Z * 5.0 - (n * r).cross(impulse) * (1.0 / 0.004);
    assert!((first.ang - spin).norm() < 1e-9, "{:?} {spin:?}", first.ang);
    let kept = s.at().momentum();
    assert!((kept.force - momentum.force).norm() + (kept.moment - momentum.moment).norm() < 1e-12);
}

/// One after the other: the last ball leaves with all the speed. All at once: as the law of simultaneous impacts has it.
#[test]
fn a_cradle_swings_by_its_law() {
    let mut scene = scene("cradle");
    for (law, after) in [
        (Impacts::Sequential, [0.0, 0.0, 0.0, 0.0, 1.0]),
        (Impacts::Simultaneous, [-0.6, 0.4, 0.4, 0.4, 0.4]),
    ] {
        scene.contact.as_mut().unwrap().settings.impacts = law;
        let mut s = begin(&scene);
        while s.report().collisions.is_empty() {
            s.step().unwrap();
        }
        // the hinge turns a ball of radius 0.1 m, 1 m below it
        let fast = (2.0 * G * (1.0 - 0.6f64.cos()) / (1.0 + 0.4 * 0.01)).sqrt();
        for (k, part) in after.into_iter().enumerate() {
            let off = (s.state().v[k] - part * fast).abs();
            assert!(off < 2e-3 * fast, "{law:?}, ball {k}: {} {}", s.state().v[k], part * fast);
        }
        run(&mut s, 10.0);
        let total = s.ledger().unwrap().total();
        assert!(total.work(Line::Contact).abs() < 1e-9, "{law:?}: e = 1 takes nothing");
    }
}

/// Every collision of two balls has its restitution and keeps the momentum of both; all balls stay on the table.
#[test]
fn billiard_balls_keep_their_momentum() {
    let scene = scene("billiards");
    let mut s = begin(&scene);
    let mut collisions = 0;
    for _ in 0..1000 {
        s.step().unwrap();
        for c in s.report().collisions.iter().filter(|c| c.point.bodies[0] != BodyId::WORLD) {
            let [before, after] = c.velocity.map(|v| v.dot(c.point.normal));
            // where several meet at once each comes at least so far
            assert!(after >= -0.95 * before - 1e-9, "{before} {after}");
            assert!((c.effective_mass - 0.085).abs() < 1e-9 && c.impulse.dot(c.point.normal) > 0.0);
            collisions += 1;
        }
    }
    assert!(collisions > 20, "{collisions}");
    run(&mut s, 10.0);
    for body in scene.model.body_ids().skip(1) {
        let p = s.at().pose(body).pos;
        assert!(p.x.abs() < 1.1 && p.y.abs() < 0.54 && (p.z - 0.028_575).abs() < 1e-6, "{p:?}");
    }
}

/// The plate takes from the pellet what the angular momentum about its hinge has it take; without sweeps it is missed.
#[test]
fn a_shot_meets_the_plate() {
    let mut scene = scene("shot");
    for swept in [true, false] {
        scene.contact.as_mut().unwrap().settings.swept = swept;
        let mut s = begin(&scene);
        s.step().unwrap();
        let passed = s.at().pose(body(&scene, "pellet")).pos.x > 0.0;
        assert_eq!(passed, !swept);
        if swept {
            let hit = s.report().collisions[0];
            // m = 1 g at 0.3 m below the hinge of a plate of 0.5 kg, 0.4 m high
            let plate = 0.5 * (0.16 / 3.0 + 1e-6 / 12.0);
            let mass = 1.0 / (1.0 / 1e-3 + 0.3 * 0.3 / plate);
            assert!((hit.effective_mass / mass - 1.0).abs() < 1e-4, "{} {mass}", hit.effective_mass);
            assert!((hit.impulse.norm() / (1.3 * mass * 500.0) - 1.0).abs() < 1e-4);
            assert!((hit.velocity[1].x + 0.3 * hit.velocity[0].x).abs() < 1e-8);
        }
    }
}

/// By the rule of the gains every mass sinks in by m g/k = g T².
#[test]
fn springs_yield_to_every_mass_alike() {
    let scene = scene("penalty");
    assert_eq!(scene.contact, Some(Contact { penalty: Some(Penalty::default()), ..Contact::default() }));
    let mut s = begin(&scene);
    run(&mut s, 2.0);
    for body in scene.model.body_ids().skip(1) {
        let geom = scene.model.geoms().iter().find(|geom| geom.body() == body).unwrap();
        let Shape::Sphere { radius } = geom.shape else { panic!("a ball") };
        let sunk = radius - s.at().pose(body).pos.z;
        assert!((sunk - G * 1e-4).abs() < 1e-9, "{sunk}");
    }
}

/// The box takes up what the hand gives, with the restitution 0 of both, and slides to rest.
#[test]
fn an_arm_knocks_a_box_away() {
    let scene = scene("arm-and-box");
    let mut s = begin(&scene);
    let cube = body(&scene, "box");
    let met = |s: &Simulation| {
        s.report()
            .collisions
            .iter()
            .any(|c| c.point.bodies.contains(&cube) && c.point.bodies[0] != BodyId::WORLD)
    };
    while !met(&s) {
        s.step().unwrap();
        assert!(s.state().time < 2.0);
    }
    for c in &s.report().collisions {
        assert!(c.velocity[1].dot(c.point.normal) > -1e-9 && c.velocity[0].dot(c.point.normal) < 0.0);
    }
    run(&mut s, 4.0);
    let (gone, velocity) = (s.at().pose(cube).pos - V3::new(0.0, 0.75, 0.15), s.at().velocity(cube));
    assert!(gone.norm() > 0.3 && velocity.lin.norm() < 1e-9, "{gone:?} {velocity:?}");
}
