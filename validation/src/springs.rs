//! Springs as soft constraints: steps of the implicit methods number by number, and the exact motion at their orders.

use crate::course::{Course, after};
use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source, states};
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::dynamics::State;
use poinsot_core::model::*;
use poinsot_core::spatial::{Inertia, Pose};
use serde_json::Value;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Soft constraints");
    spring(ledger, "damped_spring", [200, 200]);
    spring(ledger, "stiff_spring", [40_000, 4000]);
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
    let [mut backward, mut middle, mut impulse] = [(); 3].map(|()| Worst::default());
    let start = |model: &Model| State { q: vec![x0], v: vec![v0], ..State::new(model) };
    let models = models(given);
    for (_, model) in &models {
        for (method, listed, worst) in [
            ("implicit", "backward_euler_x_v", &mut backward),
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
    ledger.error("`implicit`: five steps of coupling, plane and point, relative", backward.0, 1e-14);
    ledger.error("`midpoint`: the same", middle.0, 1e-14);
    ledger.error("multipliers of `implicit` with the listed β and γ, relative", impulse.0, 1e-13);
    let (_, model) = &models[0];
    let begin = start(model);
    let mut worst = Worst::default();
    let mut course = Course::new(model, &begin, "adaptive");
    for s in states(&file) {
        let state = course.to(number(&s["t"]), 1);
        worst.at_scale(&state.q, &[number(&s["x"])], x0.abs());
    }
    ledger.error("`adaptive`: place up to 2 s, relative", worst.0, 1e-10);
    let first = &states(&file)[0];
    let (t, x) = (number(&first["t"]), number(&first["x"]));
    for (method, order, steps) in [("implicit", 1, implicit), ("midpoint", 2, midpoint)] {
        let error = |n| (after(model, &begin, method, t, n).q[0] - x).abs();
        ledger.order(format!("`{method}`: order"), [steps, 2 * steps].map(error), order);
    }
}
