//! Sticking, sliding, rolling.

use super::bodies::*;
use super::{EVENTS, IN_TIME, POLYHEDRAL, begin_with, by_events, enter_orders, in_time};
use crate::entry::{Ledger, Worst};
use poinsot::prelude::*;
use poinsot::spatial::Pose;
use std::f64::consts::PI;

pub fn enter(ledger: &mut Ledger) {
    incline(ledger);
    billiards(ledger);
    rolling_incline(ledger);
}

/// A low block on a plane that rises by an angle, and the direction downhill.
fn block(angle: f64, mu: f64) -> (Model, Pose, V3) {
    let mut b = ModelBuilder::new("block");
    plane(&mut b, super::bodies::incline(angle), rubs(mu));
    let at = super::bodies::incline(angle) * Pose::translation(V3::Z * 0.025);
    free(&mut b, "block", Shape::Box { size: V3::new(0.4, 0.4, 0.05) }, 2.0, at, rubs(mu));
    (b.build().unwrap(), at, super::bodies::incline(angle).rot * V3::X)
}

fn incline(ledger: &mut Ledger) {
    ledger.problem(
        "block_incline",
        "elementary: it slides with g (sin θ − μ cos θ) or sticks; at 30° with six μ, 12° and 44° 1 % about the \
         threshold; creep below it is the project's 1e-9 m/s",
    );
    let cases: Vec<(f64, f64)> = [0.2, 0.5, 0.57, 0.6, 0.8]
        .into_iter()
        .map(|mu| (30.0, mu))
        .chain([12.0f64, 30.0, 44.0].into_iter().flat_map(|deg| {
            let limit = deg.to_radians().tan();
            [(deg, 0.99 * limit), (deg, 1.01 * limit)]
        }))
        .collect();
    let (mut let_go, mut thrown, mut creep, mut ahead) =
        (Worst::default(), Worst::default(), Worst::default(), Worst::default());
    for (degrees, mu) in cases {
        let angle = f64::to_radians(degrees);
        let (model, at, down) = block(angle, mu);
        let way = |s: &Simulation| {
            let q = &s.state().q;
            (V3::new(q[0], q[1], q[2]) - at.pos).dot(down)
        };
        let a = (G * (angle.sin() - mu * angle.cos())).max(0.0);
        let_go.absolute(&[way(&by_events(&model, None, 1.0, 0.01))], &[0.5 * a]);
        let braking = G * (angle.sin() + mu * angle.cos());
        let (v0, up) = (1.0, -down);
        let stop = v0 / braking;
        let s = by_events(&model, Some(vec![up.x, up.y, up.z, 0.0, 0.0, 0.0]), stop + 0.2, 0.01);
        thrown.absolute(&[way(&s)], &[-0.5 * v0 * stop + 0.5 * a * 0.04]);
        for (_, [_, v]) in
            in_time(&model, None, 1.0, 100, |s| s.state().v.iter().map(|v| v * v).sum::<f64>().sqrt())
        {
            if a == 0.0 {
                creep.absolute(&[v], &[0.0]);
            } else {
                ahead.absolute(&[v / a], &[1.0]);
            }
        }
    }
    ledger.error("events: distance in 1 s after release, m", let_go.0, EVENTS);
    ledger.error("events: distance until it stops, pushed upward, m", thrown.0, EVENTS);
    ledger.error("time stepping: creep below the threshold, m/s", creep.0, 1e-9);
    ledger.error("time stepping: speed after 1 s above it, relative", ahead.0, 1e-6);
    polyhedral_incline(ledger);
}

/// With n edges, friction is as strong as with the cone along an edge, and `μ cos(π/n)` halfway between two of them. The
/// edges start at the first tangent of the contact, which on a horizontal plane is an axis of the world: gravity is turned instead.
fn polyhedral_incline(ledger: &mut Ledger) {
    let (mut creep, mut ahead) = (Worst::default(), Worst::default());
    let angle = 0.5f64;
    for (how, edges) in POLYHEDRAL.into_iter().zip([4.0, 12.0]) {
        for (towards, weaker) in [(0.0f64, 1.0f64), (PI / edges, (PI / edges).cos())] {
            let limit = angle.tan() / weaker;
            for mu in [1.01 * limit, 0.99 * limit, 0.5 * limit] {
                let mut b = ModelBuilder::new("block");
                let down = V3::new(towards.cos(), towards.sin(), 0.0);
                b.gravity(down * (G * angle.sin()) - V3::Z * (G * angle.cos()));
                plane(&mut b, Pose::IDENTITY, rubs(mu));
                let shape = Shape::Box { size: V3::new(0.4, 0.4, 0.05) };
                free(&mut b, "block", shape, 2.0, Pose::translation(V3::Z * 0.025), rubs(mu));
                let model = b.build().unwrap();
                let a = (G * (angle.sin() - mu * weaker * angle.cos())).max(0.0);
                for method in IN_TIME {
                    let mut s = begin_with(&model, how, method, 0.01, None);
                    s.run(100, 0.01).unwrap();
                    let v = V3::new(s.state().v[0], s.state().v[1], s.state().v[2]);
                    let worst = if a == 0.0 { &mut creep } else { &mut ahead };
                    worst.absolute(&[(v - down * a).norm() / if a == 0.0 { 1.0 } else { a }], &[0.0]);
                }
            }
        }
    }
    ledger.error("time stepping, `lcp`, 4 and 12 edges: creep below the threshold, m/s", creep.0, 1e-9);
    ledger.error("time stepping, `lcp`: velocity after 1 s above it, relative", ahead.0, 1e-6);
}

/// A ball that slides, until it rolls: [Coriolis35].
fn billiards(ledger: &mut Ledger) {
    ledger.problem(
        "billiard_swerve",
        "G. G. Coriolis, Théorie mathématique des effets du jeu de billard (1835); three balls",
    );
    let cases = [
        (0.0286, 0.17, 0.2, [2.0, 0.0], [30.0, -20.0, 50.0]),
        (0.1, 1.0, 0.3, [5.0, 0.0], [0.0, 0.0, 0.0]),
        (0.05, 0.4, 0.1, [1.0, -0.5], [-10.0, 40.0, 0.0]),
    ];
    let (mut place, mut speed_of, mut slip) = (Worst::default(), Worst::default(), Worst::default());
    for (k, (radius, m, mu, v0, w0)) in cases.into_iter().enumerate() {
        let mut b = ModelBuilder::new("billiards");
        plane(&mut b, Pose::IDENTITY, rubs(mu));
        free(&mut b, "ball", Shape::Sphere { radius }, m, Pose::translation(V3::Z * radius), rubs(mu));
        let model = b.build().unwrap();
        let v: Vec<f64> = vec![v0[0], v0[1], 0.0, w0[0], w0[1], w0[2]];
        let (ux, uy) = (v0[0] - radius * w0[1], v0[1] + radius * w0[0]);
        let speed = f64::hypot(ux, uy);
        let slides = speed / (3.5 * mu * G);
        let (ax, ay) = (-mu * G * ux / speed, -mu * G * uy / speed);
        let rolls = [v0[0] + ax * slides, v0[1] + ay * slides];
        let time = 1.3 * slides;
        let end: Vec<f64> = (0..2)
            .map(|k| v0[k] * slides + 0.5 * [ax, ay][k] * slides * slides + rolls[k] * (time - slides))
            .collect();
        let s = by_events(&model, Some(v.clone()), time, 0.01);
        place.absolute(&s.state().q[..2], &end);
        speed_of.absolute(&s.state().v[..2], &rolls);
        slip.absolute(&[(s.state().v[0] - rolls[0]).hypot(s.state().v[1] - rolls[1])], &[0.0]);
        if k == 0 {
            let errors = in_time(&model, Some(&v), time, 200, |s| {
                (s.state().q[0] - end[0]).hypot(s.state().q[1] - end[1])
            });
            enter_orders(ledger, &errors, 1e-12);
        }
    }
    ledger.error("events: position after rolling, m", place.0, EVENTS);
    ledger.error("events: velocity of rolling, m/s", speed_of.0.max(slip.0), EVENTS);
}

/// I/(m R²) of a solid sphere.
const SPHERE: f64 = 0.4;

/// Round bodies with I = k m R² on an incline roll, or slide where friction is too small.
fn rolling_incline(ledger: &mut Ledger) {
    ledger.problem(
        "rolling_incline",
        "elementary; sphere, cylinder, shell and hoop at 20°, μ = 0.5 and 50°, μ = 0.2",
    );
    let (mut speed, mut turning, mut in_time_worst) = (Worst::default(), Worst::default(), Worst::default());
    for (k, round) in [(SPHERE, true), (0.5, false), (2.0 / 3.0, true), (1.0, false)] {
        for (degrees, mu) in [(20.0f64, 0.5), (50.0, 0.2)] {
            let (angle, r, m) = (degrees.to_radians(), 0.13, 1.3);
            let mut b = ModelBuilder::new("rolling");
            b.gravity(V3::new(G * angle.sin(), 0.0, -G * angle.cos()));
            plane(&mut b, Pose::IDENTITY, rubs(mu));
            let own = k * m * r * r;
            let rot =
                Pose::rotation_vector(V3::X * if round { 0.0 } else { std::f64::consts::FRAC_PI_2 }).rot;
            let across = if round { own } else { 0.6 * own };
            let body = heavy(&mut b, "body", m, [across, across, own], Pose { rot, pos: V3::Z * r });
            let shape =
                if round { Shape::Sphere { radius: r } } else { Shape::Cylinder { radius: r, length: 0.2 } };
            b.geom(body, Geom::new(shape).named("skin").material(rubs(mu)));
            let model = b.build().unwrap();
            let rolls = mu >= angle.tan() * k / (1.0 + k);
            let a = if rolls { G * angle.sin() / (1.0 + k) } else { G * (angle.sin() - mu * angle.cos()) };
            let spin = if rolls { a } else { mu * G * angle.cos() / k };
            let s = by_events(&model, None, 0.5, 0.01);
            if k == SPHERE {
                let errors = in_time(&model, None, 0.5, 50, |s| s.state().v[0] - 0.5 * a);
                in_time_worst.absolute(&errors.iter().map(|(_, e)| e[1]).collect::<Vec<_>>(), &[0.0; 3]);
            }
            speed.absolute(&[s.state().v[0]], &[0.5 * a]);
            let w = &s.state().v[3..];
            turning.absolute(&[r * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt()], &[0.5 * spin]);
        }
    }
    ledger.error("events: speed after 0.5 s, m/s", speed.0, EVENTS);
    ledger.error("events: R ω after 0.5 s, m/s", turning.0, EVENTS);
    ledger.error("time stepping: speed of the sphere after 0.5 s, m/s", in_time_worst.0, 1e-6);
}
