//! Fast bodies and thin plates: none goes through. The long run is `POINSOT_SHOTS=100000 cargo test --release -p poinsot-collide --test sweeps`.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use poinsot_collide::{Contacts, Impact, Scene, Sweep, SweepRule};
use poinsot_core::algebra::V3;
use poinsot_core::model::*;
use poinsot_core::spatial::{Motion, Pose};

fn shots() -> usize {
    std::env::var("POINSOT_SHOTS").ok().and_then(|r| r.parse().ok()).unwrap_or(2000)
}

/// A plate of a millimetre, and something to shoot at it.
fn range(shape: &Shape, size: f64) -> (Model, [GeomId; 2]) {
    let mut b = ModelBuilder::new("range");
    for (name, shape) in [("plate", &Shape::Box { size: V3::new(size, size, 1e-3) }), ("shot", shape)] {
        let spec = BodySpec::new(name).solid_geom(Geom::new(shape.clone()).named(name), 1.0).unwrap();
        let body = b.body(BodyId::WORLD, spec);
        b.joint(body, Joint::free());
    }
    let model = b.build().unwrap();
    let geoms = [model.geom("plate").unwrap(), model.geom("shot").unwrap()];
    (model, geoms)
}

#[test]
fn no_shot_goes_through_a_thin_plate() {
    let mut random = Random(1);
    for round in 0..shots() {
        let shape = match round % 3 {
            0 => Shape::Sphere { radius: random.between(0.001, 0.1) },
            1 => Shape::Box { size: random.vector(0.002, 0.2) },
            _ => Shape::Capsule { radius: random.between(0.001, 0.01), length: random.between(0.01, 0.3) },
        };
        let (model, geoms) = range(&shape, 4.0);
        let mut scene = Scene::new(&model).unwrap();
        let speed = 10f64.powf(random.between(0.0, 3.7));
        // aimed at the plate, from above, so that the body's origin passes through it within h
        let from = V3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(0.3, 0.6));
        let to = V3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), -0.5);
        let way = to - from;
        let lin = way.unit().unwrap() * speed;
        let spin = random.direction() * random.between(0.0, 3.0) * 10f64.powf(random.between(0.0, 2.5));
        let dynamic = round % 2 == 1;
        let drift = if dynamic { random.vector(-0.1, 0.1) * speed } else { V3::ZERO };
        let turn = if dynamic { random.vector(-0.05, 0.05) * speed } else { V3::ZERO };
        let (h, start) = (way.norm() / speed, random.pose(from));
        let plate = Sweep::new(Pose::IDENTITY, Motion { ang: turn * 0.1, lin: drift * 0.5 });
        let shot = Sweep::new(start, Motion { ang: spin, lin: lin + drift * 0.5 });
        let case = format!("round {round}: {shape:?} at {speed} m/s, spin {spin:?}, dynamic {dynamic}");
        let hit = scene.time_of_impact(geoms, [plate, shot], h).unwrap();
        let hit = hit.unwrap_or_else(|| panic!("{case}: went through"));
        assert!(hit.time > 0.0 && hit.time < h && hit.gap.abs() < 1e-9, "{case}: {hit:?}");
        // nothing has touched before, and what is there now is a touch
        for k in 0..20 {
            let t = hit.time * k as f64 / 20.0;
            let near = scene.closest_points(&[Pose::IDENTITY, plate.at(t), shot.at(t)], geoms, 10.0).unwrap();
            assert!(near.unwrap().distance > 0.0, "{case}: touches at {t} already, {hit:?}");
        }
        let poses = [Pose::IDENTITY, plate.at(hit.time), shot.at(hit.time)];
        let now = scene.closest_points(&poses, geoms, 10.0).unwrap().unwrap();
        assert!(now.distance.abs() < 1e-9, "{case}: {now:?}");
        // the whole scene finds the same
        let mut all: Vec<Impact> = Vec::new();
        let still = Sweep::still(Pose::IDENTITY);
        scene.impacts(&[still, plate, shot], h, 0.0, &mut all).unwrap();
        assert_eq!(all, [hit], "{case}");
    }
}

#[test]
fn what_misses_is_not_hit() {
    let (model, geoms) = range(&Shape::Sphere { radius: 0.1 }, 1.0);
    let mut scene = Scene::new(&model).unwrap();
    let plate = Sweep::still(Pose::IDENTITY);
    let shot =
        |x: f64, lin: V3| Sweep::new(Pose::translation(V3::new(x, 0.0, 1.0)), Motion { ang: V3::X, lin });
    let mut hit = |sweep: Sweep| scene.time_of_impact(geoms, [plate, sweep], 1.0).unwrap();
    assert!(hit(shot(0.61, V3::Z * -3.0)).is_none(), "beside the plate");
    assert!(hit(shot(0.59, V3::Z * -3.0)).is_some(), "with its edge");
    assert!(hit(shot(0.0, V3::Z * -0.8)).is_none(), "too slow");
    assert!(hit(shot(0.0, V3::Z * 3.0)).is_none(), "away");
}

#[test]
fn a_screw_ends_where_it_should() {
    let mut random = Random(9);
    for _ in 0..100 {
        let [a, b] = [0, 1].map(|_| {
            let at = random.vector(-1.0, 1.0);
            random.pose(at)
        });
        let sweep = Sweep::screw(a, b, 0.25);
        let end = sweep.at(0.25);
        assert!((end.pos - b.pos).norm() < 1e-13 && (end.rot - b.rot).max_abs() < 1e-13);
    }
}

/// A rod that turns about its end sweeps a ball away, though it is clear of it at both ends of the step.
#[test]
fn a_turning_rod_does_not_pass_a_ball() {
    let (model, geoms) = range(&Shape::Capsule { radius: 0.01, length: 2.0 }, 0.02);
    let mut scene = Scene::new(&model).unwrap();
    let up = Pose { rot: poinsot_core::spatial::exp_so3(V3::Y * 0.1), pos: V3::ZERO };
    let rod = Sweep::new(up, Motion { ang: V3::Y * 2.9, lin: V3::ZERO });
    let plate = Sweep::still(Pose::translation(V3::new(0.9, 0.0, 0.0)));
    let hit = scene.time_of_impact(geoms, [plate, rod], 1.0).unwrap().unwrap();
    assert!(hit.time > 0.3 && hit.time < 0.6 && hit.gap.abs() < 1e-10, "{hit:?}");
    let mut none = Contacts::new();
    for t in [0.0, 1.0] {
        scene.detect(&[Pose::IDENTITY, plate.at(t), rod.at(t)], 0.0, &mut none).unwrap();
        assert!(none.is_empty());
    }
}

/// A plane on a turning body sweeps up what lies next to its axis, at the time at which it comes to it.
#[test]
fn a_turning_plane_meets_what_it_comes_to() {
    let mut random = Random(12);
    for round in 0..200 {
        let mut b = ModelBuilder::new("flap");
        let inertia = Shape::Sphere { radius: 0.1 }.inertia(1.0).unwrap();
        let ball = Shape::Sphere { radius: random.between(0.01, 0.3) };
        for (name, shape) in [("flap", Shape::Plane { x: 0.0, y: 0.0 }), ("ball", ball.clone())] {
            let body = b.body(BodyId::WORLD, BodySpec::new(name).inertia(inertia));
            b.joint(body, Joint::free());
            b.geom(body, Geom::new(shape).named(name));
        }
        let model = b.build().unwrap();
        let geoms = [model.geom("flap").unwrap(), model.geom("ball").unwrap()];
        let mut scene = Scene::new(&model).unwrap();
        let (Shape::Sphere { radius }, turn) = (ball, random.between(0.5, 20.0)) else { panic!() };
        // the plane z = 0 turns about y: its normal leans towards x, and a ball at (−d, ·, z) is met when d sin φ = z cos φ − r
        let (d, z) = (random.between(0.5, 5.0), random.between(0.4, 1.0));
        let beside = V3::new(-d, random.between(-3.0, 3.0), z);
        let lift = V3::Z * random.between(0.0, 2.0);
        let flap = Sweep::new(Pose::IDENTITY, Motion { ang: V3::Y * turn, lin: lift });
        let ball = Sweep::new(random.pose(beside), Motion { ang: random.direction() * 10.0, lin: lift });
        let angle = (z.atan2(d)) - (radius / d.hypot(z)).asin();
        let expected = angle / turn;
        for (h, hits) in [(expected * 1.5, true), (expected * 0.99, false)] {
            let hit = scene.time_of_impact(geoms, [flap, ball], h).unwrap();
            assert_eq!(hit.is_some(), hits, "round {round}: {hit:?}, expected at {expected} of {h}");
            if let Some(hit) = hit {
                assert!((hit.time - expected).abs() < 1e-9 * expected, "round {round}: {hit:?}, {expected}");
            }
            let mut all: Vec<Impact> = Vec::new();
            scene.impacts(&[Sweep::still(Pose::IDENTITY), flap, ball], h, 0.0, &mut all).unwrap();
            assert_eq!(all.first().copied(), hit, "round {round}");
        }
    }
}

/// What the ends of the ways tell is what following them gives: of all pairs, apart or overlapping, slow or fast, along screws or straight.
#[test]
fn ends_of_ways_tell_no_less_than_following_them() {
    let mut random = Random(21);
    let (mut met, mut followed) = (0, 0);
    for round in 0..shots() / 4 {
        let mut b = ModelBuilder::new("crowd");
        b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
        for k in 0..6 {
            let shape = random.shape(CONVEX[(round + k) % CONVEX.len()]);
            let at = random.vector(-0.3, 0.3);
            let spec = BodySpec::new(format!("body {k}")).solid_geom(Geom::new(shape).at(at), 1.0).unwrap();
            let body = b.body(BodyId::WORLD, spec);
            b.joint(body, Joint::free());
        }
        let model = b.build().unwrap();
        let mut scene = Scene::new(&model).unwrap();
        let (h, speed) = (0.01, 10f64.powf(random.between(-3.0, 0.3)));
        let mut poses = [vec![Pose::IDENTITY], vec![Pose::IDENTITY]];
        let mut ways = vec![Sweep::still(Pose::IDENTITY)];
        for k in 0..6 {
            let place = random.vector(-1.0, 1.0) + V3::Z;
            let from = random.pose(place);
            let turn =
                poinsot_core::spatial::exp_so3(random.direction() * random.between(0.0, speed.min(3.0)));
            let to = Pose { rot: turn * from.rot, pos: from.pos + random.vector(-1.0, 1.0) * speed };
            let phi = poinsot_core::spatial::log_so3(turn) * (1.0 / h);
            ways.push(match k % 2 {
                0 => Sweep::screw(from, to, h),
                _ => Sweep::new(from, Motion { ang: phi, lin: (to.pos - from.pos) * (1.0 / h) }),
            });
            poses[0].push(from);
            poses[1].push(to);
        }
        let how = match round % 3 {
            0 => SweepRule::TO_TOUCH,
            1 => SweepRule { overlap: 0.02, deep: false },
            _ => SweepRule { overlap: 0.02, deep: true },
        };
        let (mut expected, mut found): (Vec<Impact>, Vec<Impact>) = (Vec::new(), Vec::new());
        scene.impacts_of(&ways, h, 1e-9, |_| Some(how), &mut expected).unwrap();
        let asked = std::cell::Cell::new(0);
        let way = |body: usize| {
            asked.set(asked.get() + 1);
            ways[body]
        };
        let ends = [&poses[0][..], &poses[1][..]];
        scene.impacts_between(ends, h, 1e-9, &[true; 7], way, |_| Some(how), &mut found).unwrap();
        assert_eq!(found, expected, "round {round}, {speed} m in a step");
        met += found.len();
        followed += asked.get() / 2;
        scene.impacts_between(ends, h, 1e-9, &[false; 7], way, |_| Some(how), &mut found).unwrap();
        assert!(found.is_empty());
    }
    assert!(met > 100, "{met}");
    // most of what is followed is met
    assert!(followed < 3 * met, "{followed} followed, {met} met");
}
