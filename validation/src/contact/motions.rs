//! Motions on what they touch: ladders, sticks, spheres, discs, tops, Painlevé's rod.

use super::bodies::*;
use super::{EVENTS, IN_TIME, begin_with, by_events, enter_orders, in_time};
use crate::entry::{Ledger, Worst};
use poinsot::integrate::EventKind;
use poinsot::prelude::*;
use poinsot::spatial::{Pose, exp_so3};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_6, PI};

pub fn enter(ledger: &mut Ledger) {
    ladder(ledger);
    stick(ledger);
    sphere(ledger);
    eulers_disc(ledger);
    rolling_disc(ledger);
    tippe_top(ledger);
    painleve(ledger);
}

/// A uniform rod of length l whose ends, where wanted, are points; its axis is the body's x.
fn rod(b: &mut ModelBuilder, m: f64, l: f64, at: Pose, ends: &[f64], material: Material) -> BodyId {
    let inertia = m * l * l / 12.0;
    let rod = heavy(b, "rod", m, [1e-3 * inertia, inertia, inertia], at);
    for side in ends {
        point(b, rod, V3::X * (side * l), if *side < 0.0 { "lower" } else { "upper" }, material);
    }
    rod
}

/// The first event of a kind.
fn first(s: &mut Simulation, kind: EventKind) -> f64 {
    loop {
        s.step().unwrap();
        if let Some(event) = s.report().events.iter().find(|e| e.kind == kind) {
            return event.time;
        }
        assert!(s.state().time < 5.0, "no {}", kind.word());
    }
}

/// Simpson's rule from 0 to `end`.
fn integral(end: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = 20_000;
    let h = end / f64::from(n);
    let weight = |k: i32| {
        if k == 0 || k == n {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    (0..=n).map(|k| weight(k) * f(f64::from(k) * h)).sum::<f64>() * h / 3.0
}

fn ladder(ledger: &mut Ledger) {
    ledger.problem(
        "ladder_wall",
        "classical: it leaves the wall at sin θ = ⅔ sin θ₀; the time by quadrature of the energy; 3 m at 70°, and two others",
    );
    let (mut time, mut speed, mut orders) = (Worst::default(), Worst::default(), Vec::new());
    for (l, angle) in [(3.0, 1.2217304763960306f64), (2.0, 0.9), (1.2, 1.35)] {
        let mut b = ModelBuilder::new("ladder");
        plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(0.0));
        let wall = Pose { rot: exp_so3(V3::Y * FRAC_PI_2), pos: V3::X * -POINT };
        let geom = Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("wall");
        b.geom(BodyId::WORLD, geom.pose(wall).material(rubs(0.0)));
        let at = Pose {
            rot: exp_so3(V3::Y * -(PI - angle)),
            pos: V3::new(0.5 * l * angle.cos(), 0.0, 0.5 * l * angle.sin()),
        };
        rod(&mut b, 10.0, l, at, &[-0.5, 0.5], rubs(0.0));
        let model = b.build().unwrap();
        let end = (2.0 / 3.0 * angle.sin()).asin();
        let rate = |theta: f64| (3.0 * G / l * (angle.sin() - theta.sin())).sqrt();
        let exact = integral((angle - end).sqrt(), |u| match u {
            0.0 => 2.0 / (3.0 * G / l * angle.cos()).sqrt(),
            u => 2.0 * u / rate(angle - u * u),
        });
        let mut s = begin(&model, Method::Adaptive, 2e-3, None);
        time.absolute(&[first(&mut s, EventKind::Release)], &[exact]);
        let leaves_with = 0.5 * l * rate(end) * end.sin();
        speed.absolute(&[s.state().v[0]], &[leaves_with]);
        if l == 3.0 {
            orders = in_time(&model, None, exact + 0.05, 100, |s| (s.state().v[0] - leaves_with).abs());
        }
    }
    enter_orders(ledger, &orders, 1e-12);
    ledger.error("events: time at which it leaves the wall, s", time.0, EVENTS);
    ledger.error("events: horizontal velocity from then on, m/s", speed.0, EVENTS);
}

fn stick(ledger: &mut Ledger) {
    ledger.problem(
        "stick_frictionless_floor",
        "classical: its centre falls on a vertical line; the time by quadrature of the energy",
    );
    let (mut time, mut speed, mut orders) = (Worst::default(), Worst::default(), Vec::new());
    for (l, lean) in [(1.0, 0.17453292519943295f64), (0.6, 0.5), (2.0, 0.05)] {
        let mut b = ModelBuilder::new("stick");
        plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(0.0));
        let at = Pose { rot: exp_so3(V3::Y * -(FRAC_PI_2 - lean)), pos: V3::Z * (0.5 * l * lean.cos()) };
        rod(&mut b, 1.0, l, at, &[-0.5, 0.5], rubs(0.0));
        let model = b.build().unwrap();
        let inertia = |t: f64| 0.25 * t.sin().powi(2) + 1.0 / 12.0;
        let rate = |t: f64| (G / l * (lean.cos() - t.cos()) / inertia(t)).sqrt();
        let exact = integral((FRAC_PI_2 - lean).sqrt(), |u| match u {
            0.0 => 2.0 / (G / l * lean.sin() / inertia(lean)).sqrt(),
            u => 2.0 * u / rate(lean + u * u),
        });
        let mut s = begin(&model, Method::Adaptive, 1e-3, None);
        time.absolute(&[first(&mut s, EventKind::Impact)], &[exact]);
        let hit = s.report().collisions[0].velocity[0].norm();
        speed.absolute(&[hit / l], &[(3.0 * G * lean.cos() / l).sqrt()]);
        if l == 1.0 {
            let before = 0.9 * exact;
            let height = by_events(&model, None, before, 1e-3).state().q[2];
            orders = in_time(&model, None, before, 100, |s| (s.state().q[2] - height).abs());
        }
    }
    enter_orders(ledger, &orders, 1e-12);
    ledger.error("events: time at which it lies flat, s", time.0, EVENTS);
    ledger.error("events: angular velocity then, rad/s", speed.0, 1e-8);
}

fn sphere(ledger: &mut Ledger) {
    ledger.problem(
        "leave_sphere",
        "classical: cos θ = (2 + v₀²/gρ)/3 sliding and (10 + 7 v₀²/gρ)/17 rolling, with infinite friction (μ = 1e9)",
    );
    let (mut worst, mut orders) = (Worst::default(), Vec::new());
    for (big, r) in [(1.0, 0.25), (0.3, 0.6)] {
        for (mu, head) in [(0.0, 0.1), (0.0, 0.5), (1e9, 0.1), (1e9, 0.5)] {
            let rho: f64 = big + r;
            let mut b = ModelBuilder::new("sphere");
            b.geom(BodyId::WORLD, Geom::new(Shape::Sphere { radius: big }).named("dome").material(rubs(mu)));
            free(&mut b, "ball", Shape::Sphere { radius: r }, 1.0, Pose::translation(V3::Z * rho), rubs(mu));
            let model = b.build().unwrap();
            let v0 = f64::sqrt(head * G * rho);
            let spin = if mu > 0.0 { v0 / r } else { 0.0 };
            let start = vec![v0, 0.0, 0.0, 0.0, spin, 0.0];
            let mut s = begin(&model, Method::Adaptive, 1e-3, Some(start.clone()));
            let left = first(&mut s, EventKind::Release);
            let since = s.state().time - left;
            let (z, v) = (s.state().q[2], s.state().v[2]);
            let cos = if mu > 0.0 { (10.0 + 7.0 * head) / 17.0 } else { (2.0 + head) / 3.0 };
            worst.absolute(&[(z - v * since - 0.5 * G * since * since) / rho], &[cos]);
            if (big, mu, head) == (1.0, 0.0, 0.1) {
                let time = left + 0.1;
                let height = by_events(&model, Some(start.clone()), time, 1e-3).state().q[2];
                orders = in_time(&model, Some(&start), time, 100, |s| (s.state().q[2] - height).abs());
            }
        }
    }
    enter_orders(ledger, &orders, 1e-12);
    ledger.error("events: cosine at which it leaves", worst.0, 1e-8);
}

/// Friction that counts as infinite.
const ROUGH: f64 = 1e9;

/// A thin disc that rolls on its rim, which is that of the lower cap of a cylinder above.
fn disc(m: f64, r: f64, at: Pose) -> Model {
    let mut b = ModelBuilder::new("disc");
    plane(&mut b, Pose::IDENTITY, rubs(ROUGH));
    let disc = heavy(&mut b, "disc", m, [0.25, 0.25, 0.5].map(|i| i * m * r * r), at);
    let cap = Geom::new(Shape::Cylinder { radius: r, length: 0.01 * r }).named("disc");
    b.geom(disc, cap.pose(Pose::translation(V3::Z * (0.005 * r))).material(rubs(ROUGH)));
    b.build().unwrap()
}

/// From the centre of a disc to its lowest point, of length 1.
fn downwards(rot: &poinsot::algebra::M3) -> V3 {
    let axis = *rot * V3::Z;
    let down = axis * axis.z - V3::Z;
    down * (1.0 / down.norm())
}

fn eulers_disc(ledger: &mut Ledger) {
    ledger.problem(
        "euler_disk",
        "H. K. Moffatt, Nature 404 (2000) 833: Ω² sin α = 4 g/r keeps α, Ω and the centre; five turns from 60° to 1°, in time 0.2 s at 60°; infinite friction (μ = 1e9)",
    );
    let (mut tilt, mut energy, mut centre) = (Worst::default(), Worst::default(), Worst::default());
    let mut orders = Vec::new();
    for (degrees, r) in
        [(60.0f64, 0.0381), (30.0, 0.0381), (10.0, 0.0381), (3.0, 0.0381), (1.0, 0.0381), (45.0, 0.07)]
    {
        let alpha = degrees.to_radians();
        let rate = (4.0 * G / r / alpha.sin()).sqrt();
        let rot = exp_so3(V3::X * alpha);
        let model = disc(0.4, r, Pose { rot, pos: V3::Z * (r * alpha.sin()) });
        let w = rot.tr_mul(downwards(&rot) * (-rate * alpha.sin()));
        let time = 10.0 * PI / rate;
        let mut s = begin(&model, Method::Adaptive, time / 50.0, Some(vec![0.0, 0.0, 0.0, w.x, w.y, w.z]));
        let begun = s.energy();
        if degrees == 60.0 {
            let start = [0.0, 0.0, 0.0, w.x, w.y, w.z];
            orders = in_time(&model, Some(&start), 0.2, 250, |s| s.energy() / begun - 1.0);
        }
        s.run(50, time / 50.0).unwrap();
        let pose = s.at().pose(model.body("disc").unwrap());
        tilt.absolute(&[(pose.rot * V3::Z).z.acos()], &[alpha]);
        energy.absolute(&[s.energy() / begun], &[1.0]);
        centre.absolute(&[pose.pos.x / r, pose.pos.y / r], &[0.0, 0.0]);
    }
    enter_orders(ledger, &orders, 1e-12);
    ledger.error("events: α", tilt.0, EVENTS);
    ledger.error("events: energy, relative", energy.0, EVENTS);
    ledger.error("events: centre, relative to r", centre.0, EVENTS);
}

fn rolling_disc(ledger: &mut Ledger) {
    ledger.problem(
        "rolling_disk_path",
        "the rolling constraint by itself, integrated to 1e-10 (9 digits); infinite friction (μ = 1e9)",
    );
    let rot = exp_so3(V3::X * 1.2);
    let w = V3::new(0.4, 1.5, 18.0);
    let model = disc(0.5, 0.1, Pose { rot, pos: V3::Z * (0.1 * 1.2f64.sin()) });
    let v = (rot * w).cross(downwards(&rot) * -0.1);
    let start = vec![v.x, v.y, v.z, w.x, w.y, w.z];
    let mut s = begin(&model, Method::Adaptive, 5e-3, Some(start.clone()));
    let states = [
        (0.25, [-0.43916372037866386, 0.08978707662142522, 0.09305605628507964]),
        (0.5, [-0.7962227927473859, 0.3609499209710345, 0.09206314048290926]),
        (1.0, [-1.0121122938306615, 1.2089327625467678, 0.08833281937448055]),
        (2.0, [0.39227158534621587, 1.928930054349047, 0.08777480760135127]),
    ];
    let mut worst = Worst::default();
    for (time, centre) in states {
        run_to(&mut s, time, 5e-3);
        worst.absolute(&s.state().q[..3], &centre);
    }
    let errors = in_time(&model, Some(&start), 0.25, 500, |s| {
        (0..3).map(|k| (s.state().q[k] - states[0].1[k]).powi(2)).sum::<f64>().sqrt()
    });
    enter_orders(ledger, &errors, 1e-12);
    ledger.error("events: centre of mass up to 2 s, m", worst.0, 5e-9);
    ledger.error("events: energy, J", (s.energy() - 1.6740714216669246).abs(), EVENTS);
}

fn tippe_top(ledger: &mut Ledger) {
    ledger.problem(
        "tippe_top_jellett",
        "J. H. Jellett (1872): any friction at the one point keeps −L·s; μ = 0.3 and 0.1, 0.1 s",
    );
    let (r, a, m, i1, i3) = (0.02, 0.004, 0.015, 2.4e-6, 2.2e-6);
    let (mut worst, mut orders) = (Worst::default(), Vec::new());
    for (mu, spin, theta) in [(0.3, 150.0, 0.1f64), (0.1, 220.0, 0.3)] {
        let mut b = ModelBuilder::new("tippe top");
        plane(&mut b, Pose::IDENTITY, rubs(mu));
        let rot = exp_so3(V3::X * theta);
        let top = heavy(&mut b, "top", m, [i1, i1, i3], Pose { rot, pos: V3::Z * r - rot * V3::Z * a });
        let base = Geom::new(Shape::Sphere { radius: r }).named("base");
        b.geom(top, base.pose(Pose::translation(V3::Z * a)).material(rubs(mu)));
        let model = b.build().unwrap();
        let off = |s: &mut Simulation| {
            let (rot, w) = (s.at().pose(top).rot, &s.state().v[3..]);
            let l = rot * V3::new(i1 * w[0], i1 * w[1], i3 * w[2]);
            let jellett = -l.dot(rot * V3::Z * a - V3::Z * r);
            jellett / (i3 * spin * (r * theta.cos() - a)) - 1.0
        };
        let start = vec![0.0, 0.0, 0.0, 0.0, 0.0, spin];
        worst.absolute(&[off(&mut by_events(&model, Some(start.clone()), 0.1, 1e-3))], &[0.0]);
        if mu == 0.3 {
            orders = in_time(&model, Some(&start), 0.1, 100, off);
        }
    }
    enter_orders(ledger, &orders, 1e-12);
    ledger.error("events: Jellett's integral, relative", worst.0, 1e-8);
}

/// A force, an impact without a collision, or two answers.
fn painleve(ledger: &mut Ledger) {
    ledger.problem(
        "painleve_rod",
        "P. Painlevé (1895); D. E. Stewart, SIAM Review 42 (2000) 3: the force where there is one, the impulse of impact without a collision \
         where there is none, and `not unique` where lifting off would do, too",
    );
    let (mut forces, mut impulses, mut wrong) = (Worst::default(), Worst::default(), 0);
    for (angle, mu, turning) in [
        (FRAC_PI_6, 0.5, 0.0),
        (1.1071487177940904, 1.2, 0.0),
        (FRAC_PI_3, 1.6, 0.0),
        (1.2, 1.9, 0.0),
        (FRAC_PI_3, 1.6, 5.0),
        (1.1344640137963142, 1.8, 7.0),
    ] {
        let l = 0.5;
        let (sin, cos) = f64::sin_cos(angle);
        let (own, apart) = (1.0 + 3.0 * cos * cos - 3.0 * mu * sin * cos, -G + l * turning * turning * sin);
        let mut b = ModelBuilder::new("painleve");
        plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(mu));
        let at = Pose { rot: exp_so3(V3::Y * -angle), pos: V3::new(l * cos, 0.0, l * sin) };
        rod(&mut b, 1.0, 2.0 * l, at, &[-0.5], rubs(mu));
        let model = b.build().unwrap();
        let v = V3::new(-1.0, 0.0, 0.0) - (V3::Y * -turning).cross(V3::new(-l * cos, 0.0, -l * sin));
        let start = vec![v.x, v.y, v.z, 0.0, -turning, 0.0];
        let stick = [0.25 * (1.0 + 3.0 * cos * cos), 0.75 * sin * cos];
        let h = 1e-8;
        let mut s = begin(&model, Method::Adaptive, h, Some(start.clone()));
        s.run(1, h).unwrap();
        let jams = s.report().events.iter().filter(|e| e.kind == EventKind::Jam).count();
        let word = s.report().certificate.map_or("", |c| c.status.word());
        if own > 0.0 {
            forces.absolute(&[s.contacts()[0].impulse.z / h * own / -apart], &[1.0]);
            wrong += usize::from(word != "solved" || jams > 0);
        } else if apart < 0.0 {
            let p = s.contacts().iter().fold(V3::ZERO, |sum, c| sum + c.impulse);
            impulses.absolute(&[p.x, p.z], &stick);
            wrong += usize::from(jams != 1);
        } else {
            wrong += usize::from(word != "not unique" || jams > 0);
        }
        for (method, how) in IN_TIME.into_iter().flat_map(|m| ["exact", "lcp", "lcp:12"].map(|how| (m, how)))
        {
            let mut s = begin_with(&model, how, method, h, Some(start.clone()));
            s.run(2, h).unwrap();
            wrong += usize::from(s.state().v.iter().any(|v| !v.is_finite()));
            if own < 0.0 && apart < 0.0 {
                impulses.absolute(&[s.state().v[0] - v.x, s.state().v[2] - v.z], &stick);
            }
        }
    }
    ledger.error("events: force of contact after 1e-8 s, relative", forces.0, 1e-6);
    ledger.error("every method, also `lcp`: impulse of impact without a collision, N s", impulses.0, 1e-6);
    ledger.error("verdicts that are wrong", wrong as f64, 0.0);
}
