use super::common::{G, begin, body, moved, run, scene};
use poinsot::prelude::*;

/// Piles stand where they were put, and press on the floor with their weight.
#[test]
fn piles_stand() {
    for (name, mass) in [
        ("pyramid:5", 15.0),
        ("wall:5", 50.0 - 0.1),
        ("mass-ratio:1000", 1009.0),
        ("mass-ratio:1000000", 1_000_009.0),
    ] {
        let scene = scene(name);
        let mut s = begin(&scene);
        run(&mut s, 2.0);
        assert!(moved(&s, &scene) < 1e-6 && s.report().penetration < 1e-6, "{name}: {}", moved(&s, &scene));
        let floor = s.contacts().iter().filter(|c| c.point.bodies[0] == BodyId::WORLD);
        let weight: f64 = floor.map(|c| c.impulse.z).sum::<f64>() / scene.dt;
        assert!((weight / (mass * G) - 1.0).abs() < 1e-6, "{name}: {weight}");
    }
}

/// The least thickness of a semicircular arch is 0.107 of its radius: 5 % more stand, 5 % less fall.
#[test]
fn an_arch_stands_or_falls_by_its_thickness() {
    for (name, stands) in [("arch:113", true), ("arch:102", false)] {
        let scene = scene(name);
        let mut s = begin(&scene);
        run(&mut s, 0.6);
        let top = body(&scene, "stone8");
        let sunk = scene.state.q[7 * 7 + 2] - s.at().pose(top).pos.z;
        match stands {
            true => assert!(moved(&s, &scene) < 1e-6, "{}", moved(&s, &scene)),
            false => assert!(sunk > 0.1, "{sunk}"),
        }
    }
}

/// After a few stones a wave along dominoes goes at a speed that does not know how hard the first one was pushed.
#[test]
fn dominoes_forget_the_push() {
    let [soft, hard] = [0.5, 1.5].map(gaps);
    assert!(soft[0] > 2.0 * hard[0], "{soft:?} {hard:?}");
    for (k, (one, other)) in soft.iter().zip(&hard).enumerate().skip(5) {
        // times are known to a step of 2 ms
        assert!(*one > 0.0 && (one - other).abs() < 4.5e-3, "{k}: {soft:?} {hard:?}");
    }
}

/// The times between the first motions of neighbouring dominoes, the first of which is pushed so many times as hard.
fn gaps(push: f64) -> Vec<f64> {
    let mut scene = scene("dominoes:12");
    scene.state.v[..6].iter_mut().for_each(|v| *v *= push);
    let mut s = begin(&scene);
    let bodies: Vec<BodyId> = scene.model.body_ids().skip(1).collect();
    let mut struck = vec![None; bodies.len()];
    while struck[10].is_none() && s.state().time < 3.0 {
        s.step().unwrap();
        for (time, body) in struck.iter_mut().zip(&bodies).skip(1) {
            if time.is_none() && s.at().pose(*body).rot.z.x > 1e-3 {
                *time = Some(s.state().time);
            }
        }
    }
    let times: Vec<f64> = struck[1..11].iter().map(|t| t.unwrap()).collect();
    times.windows(2).map(|w| w[1] - w[0]).collect()
}

/// What falls into the pit stays in it, above its floor.
#[test]
fn a_pit_holds_what_falls_in() {
    let scene = scene("pit:10");
    let mut s = begin(&scene);
    run(&mut s, 3.0);
    for body in scene.model.body_ids().skip(1) {
        let p = s.at().pose(body).pos;
        assert!(p.x.abs() < 0.26 && p.y.abs() < 0.26 && p.z > 0.04 && p.z < 0.6, "{p:?}");
    }
    assert!(s.report().penetration < 1e-6, "{}", s.report().penetration);
}

/// A ragdoll that has come to rest presses on the floor with its weight.
#[test]
fn a_ragdoll_comes_to_rest() {
    let scene = scene("ragdoll");
    let mut s = begin(&scene);
    run(&mut s, 4.0);
    assert!(s.state().v.iter().all(|v| v.abs() < 1e-3));
    let floor = s.contacts().iter().filter(|c| c.point.bodies[0] == BodyId::WORLD);
    let weight: f64 = floor.map(|c| c.impulse.z).sum::<f64>() / scene.dt;
    assert!((weight / (scene.model.mass() * G) - 1.0).abs() < 1e-2, "{weight}");
    assert!(s.report().penetration < 1e-6);
}

/// Ragdolls on one another: nothing breaks, and what is not solved says so.
#[test]
fn ragdolls_pile_up() {
    let scene = scene("ragdolls:2");
    let mut s = begin(&scene);
    run(&mut s, 1.5);
    let touched = s.contact_statistics().unwrap();
    assert!(s.state().q.iter().chain(&s.state().v).all(|x| x.is_finite()));
    assert!(touched.most > 4 && touched.residual < 1e-6, "{touched:?}");
}

/// A humanoid of hinges falls, and lies.
#[test]
fn a_humanoid_falls_over() {
    let scene = scene("fallen-humanoid");
    let mut s = begin(&scene);
    run(&mut s, 5.0);
    let mut weight = 0.0;
    for _ in 0..100 {
        s.step().unwrap();
        let floor = s.contacts().iter().filter(|c| c.point.bodies[0] == BodyId::WORLD);
        weight += floor.map(|c| c.impulse.z).sum::<f64>() / (100.0 * scene.dt);
    }
    assert!((weight / (scene.model.mass() * G) - 1.0).abs() < 1e-2, "{weight}");
    let head = s.at().pose(body(&scene, "head")).pos.z;
    assert!(head < 0.5, "{head}");
}
