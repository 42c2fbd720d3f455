//! Andrews' squeezer: three loops in a plane, driven hard.

use crate::course::Course;
use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source};
use poinsot::scenes::{self, Scene};
use poinsot_core::dynamics::{MassMatrix, State, Workspace};
use poinsot_core::integrate::System;
use serde_json::Value;

/// Which of the listed angles each coordinate is: a parent comes before its child.
const PLACE: [usize; 7] = [0, 1, 2, 4, 3, 6, 5];

pub fn enter(ledger: &mut Ledger) {
    let file = read("andrews_squeezer");
    let digits = file["digits"].as_str().unwrap();
    ledger.problem(
        "andrews_squeezer",
        format!(
            "{}. {digits} digits; angles and rates are asked for to 1e-8 after 0.03 s, where errors have grown by some \
             1e3; multipliers are accelerations times masses, three digits less. (The digits published with the test \
             set are right to 1.4e-9 in β and Θ; these are from an order-16 method in 34 digits.)",
            source(&file)
        ),
    );
    let scene = scenes::by_name("andrews").unwrap();
    equations(ledger, &file, &scene);
    let mut course = Course::of_scene(&scene, "adaptive");
    let (mut angles, mut rates, mut forces) = (Worst::default(), Worst::default(), Worst::default());
    let first = &file["reference"]["initial"];
    at_start(ledger, &mut course, first);
    for s in file["reference"]["states"].as_array().unwrap() {
        let state = course.to(number(&s["t"]), 1).clone();
        angles.absolute(&state.q, &ours(&s["q"]));
        rates.relative(&state.v, &ours(&s["qd"]));
        let a = course.acceleration();
        rates.relative(&a, &ours(&s["qdd"]));
        forces.relative(&multipliers(&course), &numbers(&s["lambda_"]));
    }
    ledger.error("`adaptive`: angles at 0.01 and 0.03 s", angles.0, 1e-8);
    ledger.error("`adaptive`: rates and accelerations, relative", rates.0, 1e-8);
    ledger.error("`adaptive`: multipliers, relative", forces.0, 1e-7);
    let end = ours(&file["reference"]["states"][1]["q"]);
    let error = |n| {
        let state = Course::of_scene(&scene, "midpoint").to(0.03, n).clone();
        (state.q[0] - end[0]).abs()
    };
    ledger.order("`midpoint`: order", [3000, 6000].map(error), 2);
}

/// The listed numbers in the order of the coordinates.
fn ours(listed: &Value) -> Vec<f64> {
    let listed = numbers(listed);
    PLACE.map(|k| listed[k]).to_vec()
}

/// x and y of the three loops, signs as listed: there forces are −Gᵀλ.
fn multipliers(course: &Course) -> Vec<f64> {
    let rows = course.multipliers();
    [0, 1, 3, 4, 6, 7].map(|row| -rows[row]).to_vec()
}

fn at_start(ledger: &mut Ledger, course: &mut Course, first: &Value) {
    let mut worst = Worst::default();
    worst.relative(&course.acceleration(), &ours(&first["qdd"]));
    worst.relative(&multipliers(course), &numbers(&first["lambda_"]));
    ledger.error("accelerations and multipliers at the start, relative", worst.0, 1e-11);
}

/// M(q) and f(q, q̇) of the published equations against the bodies', at the listed states.
fn equations(ledger: &mut Ledger, file: &Value, scene: &Scene) {
    let (mut ws, mut m) = (Workspace::new(&scene.model), MassMatrix::new(&scene.model));
    let mut system = System::new(&scene.model);
    system.control_mut().copy_from_slice(&scene.control);
    let (mut masses, mut forces) = (Worst::default(), Worst::default());
    for s in file["reference"]["states"].as_array().unwrap() {
        let (angles, rates) = (numbers(&s["q"]), numbers(&s["qd"]));
        let (q, v) = (ours(&s["q"]), ours(&s["qd"]));
        ws.mass_matrix(&scene.model, &q, &mut m);
        let published = published_mass(&file["parameters"], &angles);
        let published = PLACE.map(|i| PLACE.map(|k| published[i][k]));
        masses.relative(m.dense().as_slice(), published.as_flattened());
        let (mut tau, mut bias) = (vec![0.0; 7], vec![0.0; 7]);
        let state = State { q: q.clone(), v: v.clone(), ..State::new(&scene.model) };
        system.forces(&state, &mut tau);
        ws.bias(&scene.model, &q, &v, &mut bias);
        let f: Vec<f64> = tau.iter().zip(&bias).map(|(t, b)| t - b).collect();
        let published = published_forces(&file["parameters"], &angles, &rates);
        forces.relative(&f, &PLACE.map(|k| published[k]));
    }
    ledger.error("mass matrix against the published one, relative", masses.0, 1e-14);
    ledger.error("forces against the published ones, relative", forces.0, 1e-14);
}

fn published_mass(given: &Value, q: &[f64]) -> [[f64; 7]; 7] {
    let p = |name: &str| number(&given[name]);
    let (ct, sp, so) = (libm::cos(q[1]), libm::sin(q[3]), libm::sin(q[5]));
    let (rr, da, zt, u) = (p("rr"), p("da"), p("zt"), p("u"));
    let (e, f) = (p("e") - p("ea"), p("zf") - p("fa"));
    let square = |a: &str, b: &str| p(a) * p(a) + p(b) * p(b);
    let mut m = [[0.0; 7]; 7];
    m[0][0] =
        p("m1") * p("ra") * p("ra") + p("m2") * (rr * rr - 2.0 * da * rr * ct + da * da) + p("i1") + p("i2");
    m[0][1] = p("m2") * (da * da - da * rr * ct) + p("i2");
    m[1][1] = p("m2") * da * da + p("i2");
    m[2][2] = p("m3") * square("sa", "sb") + p("i3");
    m[3][3] = p("m4") * e * e + p("i4");
    m[3][4] = p("m4") * (e * e + zt * e * sp) + p("i4");
    m[4][4] =
        p("m4") * (zt * zt + 2.0 * zt * e * sp + e * e) + p("m5") * square("ta", "tb") + p("i4") + p("i5");
    m[5][5] = p("m6") * f * f + p("i6");
    m[5][6] = p("m6") * (f * f - u * f * so) + p("i6");
    m[6][6] = p("m6") * (f * f - 2.0 * u * f * so + u * u) + p("m7") * square("ua", "ub") + p("i6") + p("i7");
    for (i, k) in [(0, 1), (3, 4), (5, 6)] {
        m[k][i] = m[i][k];
    }
    m
}

fn published_forces(given: &Value, q: &[f64], w: &[f64]) -> [f64; 7] {
    let p = |name: &str| number(&given[name]);
    let ((st, _), (_, cp), (_, co)) = (libm::sincos(q[1]), libm::sincos(q[3]), libm::sincos(q[5]));
    let (sg, cg) = libm::sincos(q[2]);
    let (rr, da, zt, u) = (p("rr"), p("da"), p("zt"), p("u"));
    let (e, f) = (p("e") - p("ea"), p("zf") - p("fa"));
    // the spring from (xd, yd) on the lever to (xc, yc)
    let x = p("sd") * cg + p("sc") * sg + p("xb") - p("xc");
    let y = p("sd") * sg - p("sc") * cg + p("yb") - p("yc");
    let length = libm::hypot(x, y);
    let pull = -p("c0") * (length - p("l0")) / length;
    [
        p("mom") - p("m2") * da * rr * w[1] * (w[1] + 2.0 * w[0]) * st,
        p("m2") * da * rr * w[0] * w[0] * st,
        pull * (x * (p("sc") * cg - p("sd") * sg) + y * (p("sd") * cg + p("sc") * sg)),
        p("m4") * zt * e * w[4] * w[4] * cp,
        -p("m4") * zt * e * w[3] * (w[3] + 2.0 * w[4]) * cp,
        -p("m6") * u * f * w[6] * w[6] * co,
        p("m6") * u * f * w[5] * (w[5] + 2.0 * w[6]) * co,
    ]
}
