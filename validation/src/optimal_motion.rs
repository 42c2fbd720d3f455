//! Motions that cost least: exact solutions, and solutions of Pontryagin's boundary value problem by shooting.

use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source};
use poinsot_optimize::{Problem, Solution};
use serde_json::{Value, json};

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Motions that cost least");
    block(ledger);
    brachistochrone(ledger);
    bryson_denham(ledger);
    swing_up(ledger, "cartpole_kelly", cart_pole, "optimal_cost", &["x", "theta"]);
    swing_up(ledger, "pendulum_swingup", pendulum, "cost", &["theta"]);
    particle(ledger);
}

fn solved(problem: &Value) -> Solution {
    let found = Problem::from_json(&problem.to_string()).unwrap().solve(&mut |_| true).unwrap();
    assert!(found.is_solved(), "{}", found.sentence());
    found
}

/// A problem from rest to rest with the least ∫u² dt.
fn rest_to_rest(system: Value, t: f64, to: Value, scheme: &str, intervals: usize) -> Value {
    json!({
        "scheme": scheme,
        "intervals": intervals,
        "system": system,
        "time": {"duration": t},
        "at": [{"time": "start", "q": 0.0, "v": 0.0}, {"time": "end", "q": to, "v": 0.0}],
        "minimize": [{"term": "effort"}],
    })
}

fn block(ledger: &mut Ledger) {
    let file = read("block_move");
    ledger.problem("block_move", format!("{}. fourth order in 100 intervals: 1e-9", source(&file)));
    let [m, d, t] = ["m", "d", "T"].map(|n| number(&file["parameters"][n]));
    let problem = |scheme, n| rest_to_rest(json!({"kind": "particle", "mass": m}), t, json!(d), scheme, n);
    let exact = number(&file["reference"]["cost"]);
    let found = solved(&problem("hermite-simpson", 100));
    ledger.error("∫u² dt, 100 intervals, relative", (found.cost / exact - 1.0).abs(), 1e-9);
    let error = |n| (solved(&problem("trapezoidal", n)).cost - exact).abs();
    ledger.order("`trapezoidal`: order of the cost", [20, 40].map(error), 2);
}

fn brachistochrone(ledger: &mut Ledger) {
    let file = read("brachistochrone");
    ledger.problem("brachistochrone", format!("{}. 200 intervals of fourth order: 1e-8", source(&file)));
    let g = number(&file["parameters"]["g"]);
    let times = numbers(&file["reference"]["T"]);
    let mut worst = Worst::default();
    for (case, exact) in file["parameters"]["cases"].as_array().unwrap().iter().zip(times) {
        let end = numbers(case);
        let found = solved(&json!({
            "intervals": 200,
            "system": {"kind": "brachistochrone", "gravity": g},
            "time": {"duration": {"min": 0.01, "max": 10.0, "guess": 1.0}},
            "at": [
                {"time": "start", "q": {"x": 0.0, "y": 0.0, "v": 0.0}},
                {"time": "end", "q": {"x": end[0], "y": end[1]}},
            ],
            "bounds": [{"u": {"angle": [0.0, "pi"]}}],
            "guess": {"start": {"u": {"angle": 0.2}}, "end": {"q": {"v": 5.0}, "u": {"angle": 1.5}}},
            "minimize": [{"term": "time"}],
        }));
        worst.absolute(&[found.cost], &[exact]);
    }
    ledger.error("least time, s", worst.0, 1e-8);
}

fn bryson_denham(ledger: &mut Ledger) {
    let file = read("bryson_denham");
    ledger.problem(
        "bryson_denham",
        format!(
            "{}. The ends of the touching are nodes, between them fourth order in 240 intervals: 1e-6",
            source(&file)
        ),
    );
    let mut worst = Worst::default();
    for (l, exact) in file["reference"]["cost_by_l"].as_object().unwrap() {
        let found = solved(&json!({
            "intervals": 240,
            "system": {"kind": "double-integrator"},
            "time": {"duration": 1.0},
            "at": [{"time": "start", "q": 0.0, "v": 1.0}, {"time": "end", "q": 0.0, "v": -1.0}],
            "bounds": [{"q": {"x": {"max": l}}}],
            "minimize": [{"term": "effort", "weight": 0.5}],
        }));
        // 3 l of 240 intervals: whole numbers for 1/4, 1/5, 1/6, 1/8, 1/9 (40), 1/10 and 1/12
        worst.absolute(&[found.cost], &[number(exact)]);
    }
    ledger.error("½∫u² dt for every l", worst.0, 1e-6);
}

fn cart_pole(given: &Value, scheme: &str, intervals: usize) -> Value {
    let [m1, m2, l, g, d, t] = ["m1", "m2", "l", "g", "d", "T"].map(|n| number(&given[n]));
    let system = json!({"kind": "cart-pole", "cart_mass": m1, "pole_mass": m2, "length": l, "gravity": g});
    rest_to_rest(system, t, json!({"x": d, "theta": "pi"}), scheme, intervals)
}

fn pendulum(given: &Value, scheme: &str, intervals: usize) -> Value {
    let [t, g] = ["T", "g"].map(|n| number(&given[n]));
    rest_to_rest(json!({"kind": "pendulum", "gravity": g}), t, json!("pi"), scheme, intervals)
}

fn swing_up(
    ledger: &mut Ledger,
    name: &str,
    problem: fn(&Value, &str, usize) -> Value,
    key: &str,
    columns: &[&str],
) {
    let file = read(name);
    ledger.problem(name, format!("{}. 9 digits; fourth order in 320 intervals: 1e-8", source(&file)));
    let (given, expected) = (&file["parameters"], &file["reference"]);
    let exact = number(&expected[key]);
    let found = solved(&problem(given, "hermite-simpson", 320));
    ledger.error(
        "`hermite-simpson`: ∫u² dt, 320 intervals, relative",
        (found.cost / exact - 1.0).abs(),
        1e-8,
    );
    let mut worst = Worst::default();
    for sample in expected["samples"].as_array().unwrap() {
        let (q, _) = found.at(number(&sample["t"]));
        let listed: Vec<f64> = columns.iter().map(|c| number(&sample[*c])).collect();
        worst.absolute(&q, &listed);
    }
    ledger.error("`hermite-simpson`: coordinates at nine times", worst.0, 1e-6);
    let error = |n| (solved(&problem(given, "hermite-simpson", n)).cost - exact).abs();
    ledger.number("`hermite-simpson`: order of the cost", libm::log2(error(60) / error(120)), 4.0, 0.3);
    let error = |n| (solved(&problem(given, "trapezoidal", n)).cost - exact).abs();
    ledger.number("`trapezoidal`: order of the cost", libm::log2(error(80) / error(160)), 2.0, 0.1);
    if let Some(listed) = expected.get("trapezoidal_collocation_cost_30_intervals") {
        let cost = solved(&problem(given, "trapezoidal", 30)).cost;
        ledger.error(
            "`trapezoidal`: cost with 30 intervals, relative",
            (cost / number(listed) - 1.0).abs(),
            1e-9,
        );
    }
}

fn particle(ledger: &mut Ledger) {
    let file = read("spacetime_particle");
    ledger.problem("spacetime_particle", format!("{}. A quadratic program, doubles: 1e-11", source(&file)));
    let (given, expected) = (&file["parameters"], &file["reference"]);
    let system = json!({"kind": "particle", "mass": given["m"], "gravity": given["g"]});
    let problem =
        |scheme, n| rest_to_rest(system.clone(), number(&given["T"]), given["d"].clone(), scheme, n);
    let mut worst = Worst::default();
    for (n, exact) in expected["discrete_cost"].as_object().unwrap() {
        let found = solved(&problem("central-difference", n.parse().unwrap()));
        worst.relative(&[found.cost], &[number(exact)]);
    }
    ledger.error("`central-difference`: h Σ|f|² with 8, 16 and 32 intervals, relative", worst.0, 1e-11);
    let exact = number(&expected["continuous_cost"]);
    let found = solved(&problem("hermite-simpson", 100));
    ledger.error(
        "`hermite-simpson`: ∫|f|² dt, 100 intervals, relative",
        (found.cost / exact - 1.0).abs(),
        1e-9,
    );
    let error = |n| (solved(&problem("central-difference", n)).cost - exact).abs();
    ledger.order("`central-difference`: order of the cost", [256, 512].map(error), 1);
}
