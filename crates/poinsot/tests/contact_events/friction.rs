//! Sticking, sliding, rolling.

use super::bodies::*;
use poinsot::integrate::EventKind;
use poinsot::prelude::*;

/// A block on a plane that rises: at rest, let go, and pushed up.
#[test]
fn a_block_on_an_incline() {
    for (degrees, mu, v0) in
        [(30.0f64, 0.2, 2.0), (30.0, 0.5, 2.0), (30.0, 0.57, 2.0), (30.0, 0.6, 2.0), (20.0, 0.8, 1.0)]
    {
        let angle = degrees.to_radians();
        let mut b = ModelBuilder::new("block");
        plane(&mut b, incline(angle), rubs(mu));
        let at = incline(angle) * Pose::translation(V3::Z * 0.025);
        let block = free(&mut b, "block", Shape::Box { size: V3::new(0.4, 0.4, 0.05) }, 2.0, at, rubs(mu));
        let model = b.build().unwrap();
        let down = incline(angle).rot * V3::X;
        let way = |s: &mut Simulation| (s.at().pose(block).pos - at.pos).dot(down);
        let a = (G * (angle.sin() - mu * angle.cos())).max(0.0);
        let mut s = begin(&model, Method::Rkmk4, 0.01, None);
        run_to(&mut s, 1.0, 0.01);
        near(way(&mut s), 0.5 * a, 1e-10);
        let push = s.contacts().iter().fold(V3::ZERO, |sum, c| sum + c.impulse) * (1.0 / 0.01);
        let normal = push.dot(incline(angle).rot * V3::Z);
        near(normal, 2.0 * G * angle.cos(), 1e-9);
        near(-push.dot(down), 2.0 * G * (mu * angle.cos()).min(angle.sin()), 1e-9);
        // up the slope it stops, and stays or slides back
        let up = down * -v0;
        let mut s = begin(&model, Method::Rkmk4, 0.01, Some(vec![up.x, up.y, up.z, 0.0, 0.0, 0.0]));
        let braking = G * (angle.sin() + mu * angle.cos());
        let stop = v0 / braking;
        run_to(&mut s, 0.5, 0.01);
        let left = 0.5 - stop;
        near(way(&mut s), -0.5 * v0 * stop + 0.5 * a * left * left, 1e-10);
        let ledger = s.ledger().unwrap().total();
        assert!(ledger.work(Line::Integration).abs() < 1e-9 && ledger.work(Line::Friction) < 0.0);
    }
}

/// A ball that is thrown along the floor slides, then rolls: Coriolis' billiards.
#[test]
fn a_ball_slides_and_then_rolls() {
    let cases = [
        (0.0286, 0.17, 0.2, [2.0, 0.0], [30.0, -20.0, 50.0]),
        (0.1, 1.0, 0.3, [5.0, 0.0], [0.0, 0.0, 0.0]),
        (0.05, 0.4, 0.1, [1.0, -0.5], [-10.0, 40.0, 0.0]),
    ];
    for (radius, m, mu, v0, w0) in cases {
        let mut b = ModelBuilder::new("billiards");
        plane(&mut b, Pose::IDENTITY, rubs(mu));
        let at = Pose::translation(V3::Z * radius);
        let ball = free(&mut b, "ball", Shape::Sphere { radius }, m, at, rubs(mu));
        let model = b.build().unwrap();
        let v = vec![v0[0], v0[1], 0.0, w0[0], w0[1], w0[2]];
        // the slip v + ω × (−R z)
        let (ux, uy) = (v0[0] - radius * w0[1], v0[1] + radius * w0[0]);
        let speed = ux.hypot(uy);
        let time = speed / (3.5 * mu * G);
        let mut s = begin(&model, Method::Adaptive, 0.01, Some(v));
        let mut stuck = Vec::new();
        while s.state().time < time + 0.2 {
            s.step().unwrap();
            stuck.extend(s.report().events.iter().filter(|e| e.kind == EventKind::Stick).map(|e| e.time));
        }
        assert_eq!(stuck.len(), 1, "{stuck:?}");
        near(stuck[0], time, 1e-10);
        let (ax, ay) = (-mu * G * ux / speed, -mu * G * uy / speed);
        let (vx, vy) = (v0[0] + ax * time, v0[1] + ay * time);
        let rest = s.state().time - time;
        let x = v0[0] * time + 0.5 * ax * time * time + vx * rest;
        let y = v0[1] * time + 0.5 * ay * time * time + vy * rest;
        let pos = s.at().pose(ball).pos;
        near(pos.x, x, 1e-10);
        near(pos.y, y, 1e-10);
        near(pos.z, radius, 1e-12);
        let (v, w) = (linear(&s), s.at().velocity(ball).ang);
        near(v.x, vx, 1e-11);
        near(v.y, vy, 1e-11);
        near(w.x, -vy / radius, 1e-9);
        near(w.y, vx / radius, 1e-9);
        near(w.z, w0[2], 1e-9);
        let total = s.ledger().unwrap().total();
        assert!(total.work(Line::Integration).abs() < 1e-5 * m, "{:e}", total.work(Line::Integration));
    }
}
