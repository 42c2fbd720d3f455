//! Motions that cost least: problems whose optimum is known, at fine meshes and with the order of the scheme.

use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source};
use poinsot_optimize::{Problem, Scheme, Solution};
use serde_json::Value;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Motions that cost least");
    block(ledger);
    particle(ledger);
    bead(ledger);
    wall(ledger);
    swing_up(ledger, "cartpole_kelly", "cart-pole", "optimal_cost", ["x", "theta"]);
    swing_up(ledger, "pendulum_swingup", "pendulum", "cost", ["theta", "theta"]);
}

/// An example of examples/optimize, changed.
fn solved(name: &str, intervals: usize, change: impl FnOnce(&mut Problem)) -> Solution {
    let path = format!("{}/../examples/optimize/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut problem = Problem::read(path).unwrap();
    problem.phases.iter_mut().for_each(|p| p.intervals = intervals);
    change(&mut problem);
    let found = problem.solve(&mut |_| true).unwrap();
    assert!(found.is_solved(), "{name}: {}", found.sentence());
    found
}

fn problem(ledger: &mut Ledger, name: &str, why: &str) -> Value {
    let file = read(name);
    ledger.problem(name, format!("{}. {why}", source(&file)));
    file
}

/// Values at one time, from which the file's samples begin.
fn at(found: &Solution, t: f64) -> &[f64] {
    let off = |k: &usize| (found.time[*k] - t).abs();
    let row = (0..found.time.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
    assert!(off(&row) < 1e-12);
    &found.q[row]
}

fn block(ledger: &mut Ledger) {
    let file = problem(
        ledger,
        "block_move",
        "exact in any number of intervals by Hermite–Simpson: to round-off; by trapezoids second order",
    );
    let exact = number(&file["reference"]["cost"]);
    let found = solved("block-move", 20, |_| {});
    ledger.error("Hermite–Simpson, 20 intervals: cost", found.cost - exact, 1e-12);
    let half = number(&file["reference"]["x_half"]);
    ledger.error("Hermite–Simpson, 20 intervals: position at T/2", at(&found, 0.5)[0] - half, 1e-12);
    let error = |n| solved("block-move", n, |p| p.scheme = Scheme::Trapezoidal).cost - exact;
    ledger.order("trapezoidal: order", [100, 200].map(error), 2);
}

fn particle(ledger: &mut Ledger) {
    let file = problem(
        ledger,
        "spacetime_particle",
        "the discrete sums are of the same linear equations: 1e-12 relative; in the limit exact by Hermite–Simpson",
    );
    for (n, exact) in file["reference"]["discrete_cost"].as_object().unwrap() {
        let (n, exact) = (n.parse().unwrap(), number(exact));
        let found = solved("particle", n, |_| {}).cost;
        ledger.error(
            format!("central differences, {n} intervals: cost, relative"),
            found / exact - 1.0,
            1e-12,
        );
    }
    let exact = number(&file["reference"]["continuous_cost"]);
    let found = solved("particle", 16, |p| p.scheme = Scheme::HermiteSimpson).cost;
    ledger.error("Hermite–Simpson, 16 intervals: cost, relative", found / exact - 1.0, 1e-12);
}

fn bead(ledger: &mut Ledger) {
    let file = problem(ledger, "brachistochrone", "fourth order; the tolerance of the solver is 1e-9");
    let ends = file["parameters"]["cases"].as_array().unwrap();
    for (end, exact) in ends.iter().zip(numbers(&file["reference"]["T"])) {
        let end = numbers(end);
        let to = |p: &mut Problem| {
            for c in p.conditions.iter_mut().filter(|c| c.at.part == 1.0) {
                let poinsot_optimize::Quantity::Q(k) = c.quantity else { continue };
                c.range = (end[k], end[k]);
            }
        };
        let error = |n| solved("brachistochrone", n, to).cost - exact;
        let [x, y] = [end[0], end[1]];
        ledger.error(format!("to ({x}, {y}), 200 intervals: time, s"), error(200), 1e-9);
        ledger.order(format!("to ({x}, {y}): order from 10 to 20 intervals"), [10, 20].map(error), 4);
    }
}

fn wall(ledger: &mut Ledger) {
    let file = problem(
        ledger,
        "bryson_denham",
        "with junctions at nodes the pieces are cubics, exact but for the barrier: 1e-7",
    );
    let mut worst = Worst::default();
    for (l, exact) in file["reference"]["cost_by_l"].as_object().unwrap() {
        let below: f64 = l.strip_prefix("1/").unwrap().parse().unwrap();
        let found =
            solved("bryson-denham", 120, |p| p.bounds.iter_mut().for_each(|b| b.range.1 = 1.0 / below));
        worst.absolute(&[found.cost], &[number(exact)]);
    }
    ledger.error("120 intervals, seven walls: cost", worst.0, 1e-7);
}

fn swing_up(ledger: &mut Ledger, name: &str, example: &str, cost: &str, coordinates: [&str; 2]) {
    let file = problem(
        ledger,
        name,
        "fourth order by Hermite–Simpson: the error at 320 intervals is some 1e-8 of the cost",
    );
    let reference = &file["reference"];
    let exact = number(&reference[cost]);
    let found = solved(example, 320, |_| {});
    ledger.error("Hermite–Simpson, 320 intervals: cost, relative", found.cost / exact - 1.0, 1e-8);
    let mut worst = Worst::default();
    for s in reference["samples"].as_array().unwrap() {
        let now = at(&found, number(&s["t"]));
        let listed: Vec<f64> = coordinates.iter().take(now.len()).map(|c| number(&s[*c])).collect();
        worst.absolute(now, &listed);
    }
    ledger.error("Hermite–Simpson, 320 intervals: coordinates at the listed times", worst.0, 1e-6);
    let error = |n| (solved(example, n, |_| {}).cost - exact).abs();
    ledger.order("Hermite–Simpson: order from 80 to 160 intervals", [80, 160].map(error), 4);
    if let Some(listed) = reference["trapezoidal_collocation_cost_30_intervals"].as_f64() {
        let found = solved(example, 30, |p| p.scheme = Scheme::Trapezoidal).cost;
        ledger.error("trapezoidal, 30 intervals: cost, relative", found / listed - 1.0, 1e-8);
    }
}
