//! Rest: tables, stacks, boxes that topple, balls on a sled.

use super::bodies::*;
use poinsot::Load;
use poinsot::integrate::EventKind;
use poinsot::prelude::*;
use poinsot::spatial::Force;

fn push(body: BodyId, point: V3, force: V3) -> Load {
    Load { body, point, wrench: Force { moment: V3::ZERO, force } }
}

/// A table on four legs: equilibrium, and the answer says that others are as good.
#[test]
fn a_table_on_four_legs() {
    for (x, y) in [(0.1, 0.05), (-0.2, 0.1), (0.0, 0.0)] {
        let (a, b_, weight) = (0.5, 0.3, 100.0);
        let mut b = ModelBuilder::new("table");
        plane(&mut b, Pose::translation(V3::Z * (-1.0 - POINT)), rubs(0.0));
        let m = weight / G;
        let table = heavy(&mut b, "table", m, [1.0, 1.0, 1.5], Pose::IDENTITY);
        for (k, (sx, sy)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
            point(&mut b, table, V3::new(sx * a - x, sy * b_ - y, -1.0), &format!("leg{k}"), rubs(0.0));
        }
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, 0.01, None);
        s.run(20, 0.01).unwrap();
        let legs: Vec<f64> = s.contacts().iter().map(|c| c.impulse.z / 0.01).collect();
        assert_eq!(legs.len(), 4);
        let least = [
            0.25 * weight * (1.0 + x / a + y / b_),
            0.25 * weight * (1.0 - x / a + y / b_),
            0.25 * weight * (1.0 - x / a - y / b_),
            0.25 * weight * (1.0 + x / a - y / b_),
        ];
        near(legs.iter().sum::<f64>(), weight, 1e-9);
        let moment = |by: [f64; 4]| legs.iter().zip(by).map(|(f, x)| f * x).sum::<f64>();
        near(moment([a, -a, -a, a]), weight * x, 1e-9);
        near(moment([b_, b_, -b_, -b_]), weight * y, 1e-9);
        assert!(legs.iter().all(|f| *f >= 0.0), "{legs:?} {least:?}");
        assert_eq!(s.report().certificate.unwrap().status.word(), "not unique");
        assert!(s.state().v.iter().all(|v| v.abs() < 1e-12));
    }
}

/// Stacks stand, whatever their masses; each interface bears what is above.
#[test]
fn stacks_bear_their_weight() {
    for masses in [vec![1.0; 5], vec![1.0, 10.0, 100.0, 1000.0]] {
        let mut b = ModelBuilder::new("stack");
        plane(&mut b, Pose::IDENTITY, rubs(0.5));
        let side = 0.2;
        for (k, m) in masses.iter().enumerate() {
            let at = Pose::translation(V3::Z * (side * (k as f64 + 0.5)));
            free(
                &mut b,
                &format!("box{k}"),
                Shape::Box { size: V3::new(side, side, side) },
                *m,
                at,
                rubs(0.5),
            );
        }
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, 0.01, None);
        s.run(10, 0.01).unwrap();
        for k in 0..masses.len() {
            let above: f64 = masses[k..].iter().sum();
            let bears: f64 = s
                .contacts()
                .iter()
                .filter(|c| c.point.key.geoms[1].index() == k + 1)
                .map(|c| c.impulse.z / 0.01)
                .sum();
            near(bears / (above * G), 1.0, 1e-8);
        }
        let moved =
            s.state().q.iter().zip(&State::new(&model).q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(moved < 1e-10, "{moved:e}");
    }
}

/// A box pushed at its top topples or slides; one on its edge falls as a pendulum does.
#[test]
fn a_box_topples_or_slides() {
    let (width, height, m) = (0.4, 1.0, 10.0);
    for (mu, force, topples, slides) in
        [(0.6, 19.0, false, false), (0.6, 20.5, true, false), (0.15, 15.5, false, true)]
    {
        let mut b = ModelBuilder::new("box");
        plane(&mut b, Pose::IDENTITY, rubs(mu));
        let at = Pose::translation(V3::Z * (0.5 * height));
        let body = free(&mut b, "box", Shape::Box { size: V3::new(width, 0.3, height) }, m, at, rubs(mu));
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, 2e-3, None);
        s.apply_load(push(body, V3::Z * (0.5 * height), V3::X * force)).unwrap();
        s.run(50, 2e-3).unwrap();
        let (pose, t) = (s.at().pose(body), 0.1);
        let tilt = (pose.rot * V3::Z).x;
        assert_eq!(tilt > 1e-6, topples, "{tilt}");
        if slides {
            near(pose.pos.x, 0.5 * (force / m - mu * G) * t * t, 1e-9);
        } else if !topples {
            near(pose.pos.x, 0.0, 1e-10);
        } else {
            // α = (F h − m g b/2)/I_edge at first
            let inertia = m * (width * width + height * height) / 3.0;
            let alpha = (force * height - 0.5 * m * G * width) / inertia;
            near(tilt, 0.5 * alpha * t * t, 0.05 * tilt);
        }
    }
}

/// Balls on a sled that is pushed: they roll on it, and it slides [SimBenchmark].
#[test]
fn balls_roll_on_a_sled() {
    let (n, force, dt) = (9, 150.0, 0.01);
    let mut b = ModelBuilder::new("sled");
    let pair = |mu| Material { priority: 1, ..rubs(mu) };
    plane(&mut b, Pose::IDENTITY, Material { priority: 2, ..rubs(0.4) });
    let size = V3::new(20.0, 20.0, 0.1);
    let sled = free(&mut b, "sled", Shape::Box { size }, 10.0, Pose::translation(V3::Z * 0.05), pair(0.8));
    let balls: Vec<BodyId> = (0..n)
        .map(|k| {
            let at = Pose::translation(V3::new((k % 3) as f64 * 2.0 - 2.0, (k / 3) as f64 * 2.0 - 2.0, 0.6));
            free(&mut b, &format!("ball{k}"), Shape::Sphere { radius: 0.5 }, 1.0, at, pair(0.8))
        })
        .collect();
    let model = b.build().unwrap();
    let mut s = begin(&model, Method::Rkmk4, dt, None);
    let along = V3::new(0.5, 0.75f64.sqrt(), 0.0);
    s.apply_load(push(sled, V3::ZERO, along * force)).unwrap();
    let time = 0.5;
    run_to(&mut s, time, dt);
    // the balls take 2/7 of their mass along
    let ground = 0.4 * (10.0 + n as f64) * G;
    let a = (force - ground) / (10.0 + n as f64 * 2.0 / 7.0);
    let v = s.at().velocity(sled).lin;
    near(v.dot(along), a * time, 1e-9);
    for ball in balls {
        near(s.at().velocity(ball).lin.dot(along), 2.0 / 7.0 * a * time, 1e-9);
    }
    assert!(s.tally().number(EventKind::Impact) == 0);
}
