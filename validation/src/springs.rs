//! Springs as soft constraints: steps of the implicit methods number by number, and the exact motion at their orders.

use crate::course::{Course, after};
use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source, states};
use poinsot::scenes;
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::dynamics::State;
use poinsot_core::model::*;
use poinsot_core::spatial::{Inertia, Pose};
use serde_json::Value;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Soft constraints");
    spring(ledger, "damped_spring", [200, 200]);
    spring(ledger, "stiff_spring", [40_000, 4000]);
    crate::joint_stiffness::enter(ledger);
    soft_joint(ledger);
    limit(ledger);
}

/// A mass that slides along x, held by a soft constraint of each kind that can be a line.
fn models(given: &Value) -> Vec<(&'static str, Model)> {
    let [m, c, k] = ["m", "c", "k"].map(|n| number(&given[n]));
    let make = |make: &dyn Fn(BodyId, JointId) -> Constraint| {
        let mut b = ModelBuilder::new("spring");
        b.gravity(V3::ZERO);
        let inertia = Inertia::new(m, V3::ZERO, Sym3::diagonal(1.0, 1.0, 1.0)).unwrap();
        let body = b.body(BodyId::WORLD, BodySpec::new("mass").inertia(inertia));
        let slide = b.joint(body, Joint::prismatic(V3::X));
        b.constraint(make(body, slide).soft(k, c));
        b.build().unwrap()
    };
    let upright = Pose { rot: M3::columns(V3::Y, V3::Z, V3::X), pos: V3::ZERO };
    let (plane, origin) = (Mount::framed(BodyId::WORLD, upright), Mount::new(BodyId::WORLD, V3::ZERO));
    let coupling =
        |joint| ConstraintKind::Coupling { joint, reference: 0.0, other: None, coefficients: [0.0; 5] };
    vec![
        ("coupling", make(&|_, slide| Constraint::new(coupling(slide)))),
        ("plane", make(&|body, _| Constraint::plane(plane, Mount::new(body, V3::ZERO)))),
        ("point", make(&|body, _| Constraint::point(Mount::new(body, V3::ZERO), origin))),
    ]
}

/// `steps` to the first listed time, of `implicit` and of `midpoint`, show their orders.
fn spring(ledger: &mut Ledger, name: &str, steps: [u32; 2]) {
    let [implicit, midpoint] = steps;
    let file = read(name);
    let digits = file["digits"].as_str().unwrap();
    ledger.problem(
        name,
        format!(
            "{}. {digits} digits; steps to round-off, the motion at the order of the method",
            source(&file)
        ),
    );
    let (given, expected) = (&file["parameters"], &file["reference"]);
    let [h, x0, v0] = ["h", "x0", "v0"].map(|n| number(&given[n]));
    let [mut linear, mut backward, mut middle, mut impulse] = [(); 4].map(|()| Worst::default());
    let start = |model: &Model| State { q: vec![x0], v: vec![v0], ..State::new(model) };
    let models = models(given);
    for (_, model) in &models {
        for (method, listed, worst) in [
            ("implicit", "backward_euler_x_v", &mut linear),
            ("backward", "backward_euler_x_v", &mut backward),
            ("midpoint", "implicit_midpoint_x_v", &mut middle),
        ] {
            let mut course = Course::new(model, &start(model), method);
            for (k, row) in expected[listed].as_array().unwrap().iter().enumerate() {
                let before = course.state.q[0];
                let state = course.to((k + 1) as f64 * h, 1).clone();
                let listed = numbers(row);
                worst.at_scale(&[state.q[0]], &listed[..1], x0.abs());
                worst.at_scale(&[state.v[0]], &listed[1..], x0.abs() / h);
                if method == "implicit" {
                    // v⁺ + β/h x + γ (h λ) = 0
                    let [gamma, beta] =
                        ["gamma", "beta"].map(|n| number(&expected[format!("soft_constraint_{n}")]));
                    let off = state.v[0] + beta / h * before + gamma * h * course.multipliers()[0];
                    impulse.at_scale(&[off], &[0.0], x0.abs() / h);
                }
            }
        }
    }
    ledger.error("`implicit`: five steps of coupling, plane and point, relative", linear.0, 1e-14);
    ledger.error("`backward`: five steps of coupling, plane and point, relative", backward.0, 1e-14);
    ledger.error("`midpoint`: five steps of coupling, plane and point, relative", middle.0, 1e-14);
    ledger.error("multipliers of `implicit` with the listed β and γ, relative", impulse.0, 1e-13);
    let (_, model) = &models[0];
    let begin = start(model);
    let mut worst = Worst::default();
    let mut course = Course::new(model, &begin, "adaptive");
    for s in states(&file) {
        let state = course.to(number(&s["t"]), 1);
        worst.at_scale(&state.q, &[number(&s["x"])], x0.abs());
    }
    ledger.error("`adaptive`: position up to 2 s, relative", worst.0, 1e-10);
    let first = &states(&file)[0];
    let (t, x) = (number(&first["t"]), number(&first["x"]));
    for (method, order, steps) in [("implicit", 1, implicit), ("midpoint", 2, midpoint)] {
        let error = |n| (after(model, &begin, method, t, n).q[0] - x).abs();
        ledger.order(format!("`{method}`: order"), [steps, 2 * steps].map(error), order);
    }
}

/// The scene: two cubes on joints of 1e9 N/m, in steps of 1/60 s.
fn soft_joint(ledger: &mut Ledger) {
    ledger.problem(
        "soft-joint",
        "the project's demand: no step of 60 s may add energy, relative to what moves",
    );
    let scene = scenes::by_name("soft-joint").unwrap();
    let mut course = Course::of_scene(&scene, scene.integrator.word());
    let (mut last, mut gain, mut stretch) = (course.energy(), 0.0f64, 0.0f64);
    let scale = course.at().kinetic_energy();
    for k in 1..=3600 {
        course.to(f64::from(k) * scene.dt, 1);
        let energy = course.energy();
        (gain, last) = (gain.max(energy - last), energy);
        stretch = stretch.max(course.stretch());
    }
    ledger.error("`backward`, 1/60 s, 60 s: largest gain of energy in a step, relative", gain / scale, 1e-12);
    ledger.error("`backward`, 1/60 s, 60 s: largest stretch of a joint, m", stretch, 1e-6);
}

/// A pendulum on a soft ball joint swings as on a rigid one, but for an error of the first order in 1/k.
fn limit(ledger: &mut Ledger) {
    ledger.problem(
        "soft pendulum",
        "the error is the load over k: first order in 1/k, ± 0.1 for k from 1e4 to 1e8 N/m",
    );
    let bob = |k: Option<f64>| {
        let mut b = ModelBuilder::new("pendulum");
        let rod = Shape::Box { size: V3::new(0.1, 0.1, 1.0) }.inertia(1.0).unwrap();
        let body = b.body(BodyId::WORLD, BodySpec::new("rod").at(V3::X * 0.5).inertia(rod));
        b.joint(body, Joint::free());
        let held = Constraint::point(Mount::new(body, V3::X * -0.5), Mount::new(BodyId::WORLD, V3::ZERO));
        b.constraint(match k {
            // a twentieth of critical damping: what rings at the start has died away at the end
            Some(k) => held.soft(k, 0.05 * k.sqrt()),
            None => held,
        });
        let model = b.build().unwrap();
        let end = after(&model, &State::new(&model), "adaptive", 1.0, 1);
        V3::new(end.q[0], end.q[1], end.q[2])
    };
    let rigid = bob(None);
    let errors = [1e4, 1e5, 1e6, 1e7, 1e8].map(|k| (bob(Some(k)) - rigid).norm());
    for (k, pair) in errors.windows(2).enumerate() {
        let rate = libm::log10(pair[0] / pair[1]);
        ledger.number(
            format!("`adaptive`: order in 1/k from 1e{} to 1e{} N/m", k + 4, k + 5),
            rate,
            1.0,
            0.1,
        );
    }
}
