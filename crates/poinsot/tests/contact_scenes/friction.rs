use super::common::{G, begin, body, moved, run, scene};
use poinsot::prelude::*;

/// 1 % above the threshold a block does not move; 1 % below it goes as far as it should.
#[test]
fn blocks_hold_or_slide() {
    let scene = scene("incline");
    let mut s = begin(&scene);
    run(&mut s, 2.0);
    let went = |s: &mut Simulation, name: &str, k: usize| {
        let q = &scene.state.q[7 * k..];
        (s.at().pose(body(&scene, name)).pos - V3::new(q[0], q[1], q[2])).norm()
    };
    assert!(went(&mut s, "holds", 0) < 1e-9 && s.state().v[..6].iter().all(|v| v.abs() < 1e-10));
    let (sin, cos) = 0.5f64.atan().sin_cos();
    let exact = 2.0 * G * (sin - 0.495 * cos);
    assert!((went(&mut s, "slides", 1) / exact - 1.0).abs() < 1e-6, "{} {exact}", went(&mut s, "slides", 1));
}

/// 1 % above the threshold a ladder stands; 1 % below it slides down, and begins as slowly as 1 % has it.
#[test]
fn ladders_stand_or_slide() {
    let scene = scene("ladder");
    let mut s = begin(&scene);
    run(&mut s, 0.04);
    // W (a cos θ − μ (2 a sin θ + r)) turns it about the point where the normals of floor and wall meet
    let (a, r, m, (sin, cos)) = (1.0, 0.04, 5.0, 1.1f64.sin_cos());
    let needed = a * cos / (2.0 * a * sin + r);
    let rod = &scene.model[body(&scene, "slides")].inertia.about_com();
    let about_meeting = rod.yy + m * a * a;
    let mu = 0.99 * needed;
    // the floor bears W − m z̈, and z̈ = −a cos θ α
    let alpha = m * G * (a * cos - mu * (2.0 * a * sin + r))
        / (about_meeting - mu * (2.0 * a * sin + r) * m * a * cos);
    let found = s.at().velocity(body(&scene, "slides")).ang.norm() / 0.04;
    assert!((found / alpha - 1.0).abs() < 0.01, "{found} {alpha}");
    run(&mut s, 3.0);
    assert!(s.state().v[..6].iter().all(|v| v.abs() < 1e-9));
    assert!((s.at().pose(body(&scene, "holds")).pos.z - scene.state.q[2]).abs() < 1e-8);
    assert!(s.at().pose(body(&scene, "slides")).pos.z < 0.1);
}

/// The feet bear the weight and its moments; that leaves one of their four forces open.
#[test]
fn a_table_stands_on_four_legs() {
    let scene = scene("table");
    let mut s = begin(&scene);
    run(&mut s, 2.0);
    assert!(moved(&s, &scene) < 1e-9);
    let feet: Vec<_> = s.contacts().iter().filter(|c| c.point.bodies[0] == BodyId::WORLD).collect();
    assert_eq!(feet.len(), 4);
    let force = |f: &dyn Fn(V3) -> f64| {
        feet.iter().map(|c| f(c.point.position) * c.impulse.z / scene.dt).sum::<f64>()
    };
    let (all, x, y) = (force(&|_| 1.0), force(&|p| p.x), force(&|p| p.y));
    assert!((all - 19.0 * G).abs() < 1e-7, "{all}");
    assert!((x - 5.0 * G * 0.2).abs() < 1e-6 && (y - 5.0 * G * 0.1).abs() < 1e-6, "{x} {y}");
    assert!(s.report().certificate.unwrap().residual < 1e-9);
}

/// A capsule of 45 g that is held with twenty times the force it takes does not creep.
#[test]
fn a_grip_does_not_creep() {
    let scene = scene("gripper");
    let mut s = begin(&scene);
    run(&mut s, 3.0);
    let before = s.at().pose(body(&scene, "capsule")).pos;
    run(&mut s, 10.0);
    let creep = (s.at().pose(body(&scene, "capsule")).pos - before).norm() / 7.0;
    assert!(creep < 1e-9 && s.at().velocity(body(&scene, "capsule")).lin.norm() < 1e-9, "{creep}");
    // the servo of 2000 N/m bears the capsule
    let sunk = 0.22 - before.z;
    assert!((sunk / (0.045 * G / 2000.0) - 1.0).abs() < 1e-6, "{sunk}");
}

/// On a floor without friction the bar alone holds the legs: each foot bears half the weight, and the moments about the hinge
/// at the top give the tension.
#[test]
fn a_stepladder_stands_on_its_bar() {
    let scene = scene("stepladder");
    let mut s = begin(&scene);
    run(&mut s, 2.0);
    assert!(moved(&s, &scene) < 1e-9);
    for c in s.contacts() {
        assert!((c.impulse.z / scene.dt - 4.5 * G).abs() < 1e-7, "{:?}", c.impulse);
    }
    // of a leg of 4 kg, half of the bar at its middle, half of all at its foot, and the spring of 2 N m:
    // T h = 4.5 g s 2 − (4 + 0.5) g s + 2
    let (sin, cos) = (0.75 * 0.4f64.sin(), 0.75 * 0.4f64.cos());
    let tension = (4.5 * G * sin + 2.0) / cos;
    // with half the weight of the bar
    let exact = tension.hypot(0.5 * G);
    let pin = s.report().impulses[..3].iter().map(|p| p * p).sum::<f64>().sqrt() / scene.dt;
    assert!((pin / exact - 1.0).abs() < 1e-6, "{pin} {exact}");
}

/// Painlevé's rod stops without a collision; the one that slides the other way goes on.
#[test]
fn painleves_rod_jams() {
    let scene = scene("painleve");
    let mut s = begin(&scene);
    s.step().unwrap();
    let jams = s.report().events.iter().filter(|e| e.kind == poinsot::integrate::EventKind::Jam).count();
    assert_eq!((jams, s.report().collisions.len()), (1, 0));
    // the impulse that stops a slip of 1 m/s of a rod with a tip of 1 cm, and its foot after that
    let [jammed, slides] = ["jams", "slides"].map(|name| {
        let (pose, v) = (s.at().pose(body(&scene, name)), s.at().velocity(body(&scene, name)));
        let foot = pose.rot * V3::X * -0.5 - V3::Z * 0.01;
        (v.lin + v.ang.cross(foot)).x
    });
    assert!(jammed.abs() < 1e-6, "{jammed}");
    assert!(slides > 0.5, "{slides}");
}
