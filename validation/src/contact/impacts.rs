//! Impacts.

use super::bodies::*;
use super::{EVENTS, IN_TIME, POLYHEDRAL, begin_with};
use crate::common::size;
use crate::entry::{Ledger, Worst};
use poinsot::algebra::{M3, V3};
use poinsot::integrate::EventKind;
use poinsot::prelude::*;
use poinsot::spatial::{Pose, exp_so3};

/// All ways: by events, and the methods in time.
fn ways() -> impl Iterator<Item = Method> {
    std::iter::once(Method::Adaptive).chain(IN_TIME)
}

pub fn enter(ledger: &mut Ledger) {
    bounce(ledger);
    cradle(ledger);
    oblique(ledger);
    ellipsoid(ledger);
    thrown(ledger);
}

fn bounce(ledger: &mut Ledger) {
    ledger.problem(
        "bounce_zeno",
        "elementary: tₙ₊₁ = tₙ + 2 eⁿ √(2h/g), at rest after (1 + e)/(1 − e) √(2h/g); three balls",
    );
    let (mut by_events, mut leapfrog, mut rest) = (Worst::default(), Worst::default(), Worst::default());
    for (gap, e, radius) in [(1.0, 0.8, 0.1), (0.37, 0.65, 0.03), (2.2, 0.93, 0.5)] {
        let mut b = ModelBuilder::new("ball");
        plane(&mut b, Pose::IDENTITY, bounces(e));
        let at = Pose::translation(V3::Z * (radius + gap));
        free(&mut b, "ball", Shape::Sphere { radius }, 1.0, at, bounces(e));
        let model = b.build().unwrap();
        let fall = (2.0 * gap / G).sqrt();
        let zeno = fall * (1.0 + e) / (1.0 - e);
        for (method, worst) in [(Method::Adaptive, &mut by_events), (Method::Leapfrog, &mut leapfrog)] {
            let mut s = begin(&model, method, 0.01, None);
            let (mut times, mut exact) = (Vec::new(), fall);
            while s.state().time < zeno + 0.1 {
                s.step().unwrap();
                times
                    .extend(s.report().events.iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.time));
            }
            for (n, time) in times.iter().take(10).enumerate() {
                worst.absolute(&[*time], &[exact]);
                exact += 2.0 * fall * e.powi(n as i32 + 1);
            }
            if method == Method::Adaptive {
                rest.absolute(&[s.state().q[2], s.state().v[2]], &[radius, 0.0]);
                rest.absolute(&[1e-4 * (times.last().unwrap() - zeno)], &[0.0]);
            }
        }
    }
    ledger.error("events: times of ten impacts, s", by_events.0, EVENTS);
    ledger.error("`leapfrog`: times of ten impacts, s", leapfrog.0, EVENTS);
    ledger.error("events: at rest after the accumulation, m; 1e-4 of its time, s", rest.0, EVENTS);
}

/// Balls of 1 kg in a row, touching.
fn row(count: usize, e: f64) -> Model {
    let mut b = ModelBuilder::new("cradle");
    b.gravity(V3::ZERO);
    for k in 0..count {
        let geom = Geom::new(Shape::Sphere { radius: 0.1 }).named(format!("ball {k}")).material(bounces(e));
        let spec = BodySpec::new(format!("ball {k}")).at(V3::X * (0.2 * k as f64));
        let body = b.body(BodyId::WORLD, spec.solid_geom(geom, 1.0).unwrap());
        b.joint(body, Joint::prismatic(V3::X));
    }
    b.build().unwrap()
}

fn cradle(ledger: &mut Ledger) {
    ledger.problem(
        "newtons_cradle",
        "B. Smith et al., Reflections on simultaneous impact, ACM Trans. Graph. 31 (2012): all at once by Newton's law, \
         solved by hand, and one after the other",
    );
    let at_once: [(&[f64], f64, &[f64]); 7] = [
        (&[1.0, 0.0, 0.0], 1.0, &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (&[1.0, 0.0, 0.0], 0.5, &[0.0, 0.5, 0.5]),
        (&[1.0, 0.0, 0.0, 0.0, 0.0], 1.0, &[-0.6, 0.4, 0.4, 0.4, 0.4]),
        (&[1.0, 1.0, 0.0, 0.0, 0.0], 0.5, &[0.1, 0.1, 0.6, 0.6, 0.6]),
        (&[1.0, 0.0, 0.0, 0.0, -1.0], 1.0, &[-1.0, 0.0, 0.0, 0.0, 1.0]),
        (&[1.0, 1.0, 1.0, 0.0, 0.0], 0.0, &[0.6, 0.6, 0.6, 0.6, 0.6]),
        (&[2.0, 0.0, 0.0, 0.0], 0.25, &[0.125, 0.625, 0.625, 0.625]),
    ];
    let sequence: [(&[f64], &[f64]); 4] = [
        (&[1.0, 0.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0, 1.0]),
        (&[1.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 1.0, 1.0]),
        (&[1.0, 0.0, 0.0, 0.0, -1.0], &[-1.0, 0.0, 0.0, 0.0, 1.0]),
        (&[1.0, 1.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 1.0, 1.0]),
    ];
    let (mut together, mut one_by_one) = (Worst::default(), Worst::default());
    let after = |model: &Model, method: Method, v: &[f64], how: &str| {
        let state = State { v: v.to_vec(), ..State::new(model) };
        let builder = Simulation::builder(model).state(state).integrator(method).dt(1e-9);
        let mut s = builder.contact(how.parse::<Contact>().unwrap()).build().unwrap();
        s.run(2, 1e-9).unwrap();
        s.state().v.clone()
    };
    let mut polyhedral = Worst::default();
    for how in POLYHEDRAL {
        for (v, e, exact) in at_once {
            for method in IN_TIME {
                polyhedral.absolute(&after(&row(v.len(), e), method, v, how), exact);
            }
        }
    }
    for method in ways() {
        for (v, e, exact) in at_once {
            together.absolute(&after(&row(v.len(), e), method, v, "exact"), exact);
        }
        for (v, exact) in sequence {
            one_by_one.absolute(&after(&row(v.len(), 1.0), method, v, "impulse"), exact);
        }
    }
    ledger.error("every method, `exact`: all at once, m/s", together.0, EVENTS);
    ledger.error("time stepping, `lcp`: all at once, m/s", polyhedral.0, EVENTS);
    ledger.error("every method, `impulse`: one after the other, m/s", one_by_one.0, EVENTS);
}

/// A body of given inertia whose geom is a ball about a point of it.
fn with_ball(b: &mut ModelBuilder, name: &str, m: f64, inertia: [f64; 3], at: Pose, centre: V3, e: f64) {
    let body = heavy(b, name, m, inertia, at);
    let ball = Geom::new(Shape::Sphere { radius: 0.01 }).named(name).material(bounces(e));
    b.geom(body, ball.pose(Pose::translation(at.rot.tr_mul(centre - at.pos))));
}

fn solid_box(m: f64, s: [f64; 3]) -> [f64; 3] {
    [s[1] * s[1] + s[2] * s[2], s[0] * s[0] + s[2] * s[2], s[0] * s[0] + s[1] * s[1]].map(|x| m * x / 12.0)
}

fn in_world(rot: &M3, inertia: [f64; 3], w: V3) -> V3 {
    let own = rot.tr_mul(w);
    *rot * V3::new(own.x / inertia[0], own.y / inertia[1], own.z / inertia[2])
}

/// Two rotating boxes collide without friction: `j = −(1 + e) uₙ/(nᵀ K n)`.
fn oblique(ledger: &mut Ledger) {
    ledger.problem(
        "oblique_collision",
        "the impulse formula, e.g. D. Baraff & A. Witkin, Physically based modeling (course notes)",
    );
    let (m, e) = ([2.0, 0.7], 0.6);
    let inertia = [solid_box(m[0], [1.0, 0.5, 0.3]), solid_box(m[1], [0.4, 0.4, 0.6])];
    let rot = [exp_so3(V3::new(0.2, 0.3, -0.1)), exp_so3(V3::new(-0.5, 0.1, 0.9))];
    let v = [V3::new(1.0, -0.2, 0.1), V3::new(-0.5, 0.0, 0.3)];
    let w = [V3::new(0.3, 0.5, -1.0), V3::new(0.0, 1.0, 0.2)];
    let r = [V3::new(0.4, 0.1, -0.05), V3::new(-0.2, 0.1, 0.15)];
    let n = V3::new(-1.0, 0.2, 0.1) * (1.0 / V3::new(-1.0, 0.2, 0.1).norm());
    let mut b = ModelBuilder::new("oblique");
    b.gravity(V3::ZERO);
    for k in 0..2 {
        let side = if k == 0 { 0.01 } else { -0.01 };
        let at = Pose { rot: rot[k], pos: -r[k] };
        with_ball(&mut b, ["one", "other"][k], m[k], inertia[k], at, n * side, e);
    }
    let model = b.build().unwrap();
    let u = n.dot(v[0] + w[0].cross(r[0]) - v[1] - w[1].cross(r[1]));
    let k: f64 =
        (0..2).map(|k| 1.0 / m[k] + r[k].cross(n).dot(in_world(&rot[k], inertia[k], r[k].cross(n)))).sum();
    let j = -(1.0 + e) * u / k;
    // published to 20 digits
    let mut formula = Worst::default();
    formula.absolute(&[u, k, j], &[-1.572175017520087, 2.7528694624110064, 0.9137665488246733]);
    let mut state = Vec::new();
    let mut exact = Vec::new();
    for k in 0..2 {
        let p = n * if k == 0 { j } else { -j };
        let own = rot[k].tr_mul(w[k]);
        let turned = rot[k].tr_mul(w[k] + in_world(&rot[k], inertia[k], r[k].cross(p)));
        state.extend(v[k].array().into_iter().chain(own.array()));
        exact.extend((v[k] + p * (1.0 / m[k])).array().into_iter().chain(turned.array()));
    }
    let (mut after, mut impulse) = (Worst::default(), Worst::default());
    for method in ways() {
        let mut s = begin(&model, method, 1e-12, Some(state.clone()));
        s.run(1, 1e-12).unwrap();
        after.absolute(&s.state().v, &exact);
        impulse.absolute(&[s.report().collisions[0].impulse.norm()], &[j]);
    }
    let mut polyhedral = Worst::default();
    for how in POLYHEDRAL {
        for method in IN_TIME {
            let mut s = begin_with(&model, how, method, 1e-12, Some(state.clone()));
            s.run(1, 1e-12).unwrap();
            polyhedral.absolute(&s.state().v, &exact);
        }
    }
    ledger.error("the formula compared with the published digits", formula.0, 1e-14);
    ledger.error("every method: velocities after, m/s and rad/s", after.0, EVENTS);
    ledger.error("every method: impulse, N s", impulse.0, EVENTS);
    ledger.error("time stepping, `lcp`: velocities after, m/s and rad/s", polyhedral.0, EVENTS);
}

/// An ellipsoid strikes the ground: without friction, and so that it sticks.
fn ellipsoid(ledger: &mut Ledger) {
    ledger.problem("ellipsoid_plane", "standard; velocities compared with the published digits");
    let (radii, m) = (V3::new(0.3, 0.2, 0.1), 2.0);
    let rot = exp_so3(V3::new(0.4, -0.3, 0.7));
    let (v, w) = (V3::new(0.5, -0.2, -3.0), rot.tr_mul(V3::new(1.0, 2.0, -1.0)));
    let height = 0.15643665471724896;
    let smooth =
        ([0.5, -0.2, -1.4480488632755997], [-12.92852701709187, 8.759595598964342, -1.812016939045876]);
    let sticks = (
        [1.0975260320962967, 0.6388980385576609, -1.4049339942602943],
        [-5.276100998450262, 5.48292121823965, -1.6282833152410003],
    );
    let (mut worst, mut polyhedral) = (Worst::default(), Worst::default());
    for (mu, e, (linear, angular)) in [(0.0, 0.5, smooth), (5.0, 0.0, sticks)] {
        let mut b = ModelBuilder::new("ellipsoid");
        b.gravity(V3::ZERO);
        let skin = Material { restitution: e, ..Material::with_friction(mu) };
        plane(&mut b, Pose::IDENTITY, skin);
        free(&mut b, "egg", Shape::Ellipsoid { radii }, m, Pose { rot, pos: V3::Z * height }, skin);
        let model = b.build().unwrap();
        let start: Vec<f64> = v.array().into_iter().chain(w.array()).collect();
        let strike = |mut s: Simulation, worst: &mut Worst| {
            s.run(1, 1e-12).unwrap();
            let now = &s.state().v;
            worst.absolute(&now[..3], &linear);
            worst.absolute(&(rot * V3::new(now[3], now[4], now[5])).array(), &angular);
        };
        for method in ways() {
            strike(begin(&model, method, 1e-12, Some(start.clone())), &mut worst);
        }
        for how in POLYHEDRAL {
            for method in IN_TIME {
                strike(begin_with(&model, how, method, 1e-12, Some(start.clone())), &mut polyhedral);
            }
        }
    }
    ledger.error("every method: velocities after, m/s and rad/s", worst.0, EVENTS);
    ledger.error("time stepping, `lcp`: velocities after, m/s and rad/s", polyhedral.0, EVENTS);
}

/// The first touch of a rod that is thrown.
fn thrown(ledger: &mut Ledger) {
    ledger.problem(
        "thrown_rod",
        "z = 2 + 4 t − ½ g t² − ½ |sin 5t| of its lower end, its root found by bisection",
    );
    let height = |t: f64| 2.0 + 4.0 * t - 0.5 * G * t * t - 0.5 * libm::sin(5.0 * t).abs();
    let (mut a, mut b) = (1.0, 1.2);
    for _ in 0..60 {
        let mid = 0.5 * (a + b);
        if height(mid) > 0.0 { a = mid } else { b = mid }
    }
    let mut model = ModelBuilder::new("thrown");
    plane(&mut model, Pose::translation(V3::Z * -POINT), rubs(0.3));
    let rod = heavy(&mut model, "rod", 1.0, [1e-4, 1.0 / 12.0, 1.0 / 12.0], Pose::translation(V3::Z * 2.0));
    for (x, name) in [(-0.5, "one end"), (0.5, "other end")] {
        point(&mut model, rod, V3::X * x, name, rubs(0.3));
    }
    let model = model.build().unwrap();
    let mut errors = Vec::new();
    for method in [Method::Adaptive, Method::Leapfrog] {
        let mut s = begin(&model, method, 1e-3, Some(vec![3.0, 0.0, 4.0, 0.0, 5.0, 0.0]));
        let touch = loop {
            s.step().unwrap();
            if let Some(event) = s.report().events.iter().find(|e| e.kind == EventKind::Impact) {
                break event.time;
            }
        };
        errors.push(touch - a);
    }
    ledger.error("events: time of the first touch, s", errors[0].abs(), EVENTS);
    ledger.error("`leapfrog`: time of the first touch, 1 ms steps, s", size(&errors[1..]), 1e-5);
}
