//! Pendulums and chains let go: states at listed times, periods, tensions.

use crate::course::Course;
use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source, states};
use poinsot::integrate::Method;
use poinsot::scenes::{self, Scene};
use poinsot::{Formulation, Simulation};
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{At, State};
use poinsot_core::model::BodyId;
use poinsot_core::spatial::Quat;
use serde_json::Value;
use std::f64::consts::TAU;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Pendulums and chains");
    simple_pendulum(ledger);
    // chaotic motion: an error grows by the factor e some three times a second
    planar(ledger, "double_pendulum_point", "double-pendulum", 1e-9);
    planar(ledger, "five_link_planar", "chain5", 1e-9);
    ball_chain(ledger);
}

fn begin(ledger: &mut Ledger, name: &str, why: &str) -> Value {
    let file = read(name);
    ledger.problem(name, format!("{}. {} digits, {why}", source(&file), file["digits"].as_str().unwrap()));
    file
}

/// Where the lower ends of the rods are, root to tip.
fn ends(scene: &Scene, at: &At, rod: V3) -> Vec<V3> {
    let bodies = 1..scene.model.bodies().len();
    let names = bodies.map(|k| scene.model.body(&scene.model.bodies()[k].name).unwrap());
    names.map(|b: BodyId| at.pose(b).point(rod)).collect()
}

/// A scene whose bodies are all free, held by constraints.
fn in_maximal(scene: &Scene) -> Simulation<'_> {
    let begin = Simulation::builder(&scene.model).state(scene.state.clone()).integrator(Method::Adaptive);
    begin.formulation(Formulation::Maximal).build().unwrap()
}

/// Runs on to the time t.
fn run_to(simulation: &mut Simulation<'_>, t: f64) {
    let left = t - simulation.state().time;
    if left > 0.0 {
        simulation.run(1, left).unwrap();
    }
}

/// Angles less the whole turns by which they differ from others: poses do not tell them.
fn without_turns(angles: &[f64], others: &[f64]) -> Vec<f64> {
    angles.iter().zip(others).map(|(a, b)| a + TAU * ((b - a) / TAU).round()).collect()
}

fn simple_pendulum(ledger: &mut Ledger) {
    let file = begin(ledger, "simple_pendulum", "of which `adaptive` keeps 13 an inner step");
    let scene = scenes::by_name("pendulum").unwrap();
    let mut worst = Worst::default();
    let mut course = Course::new(&scene.model, &scene.state, "adaptive");
    for s in states(&file) {
        let state = course.to(number(&s["t"]), 1).clone();
        worst.absolute(&[state.q[0], state.v[0]], &[number(&s["theta"]), number(&s["theta_dot"])]);
        let bob = ends(&scene, &course.at(), -V3::Z)[0];
        worst.absolute(&[bob.x, bob.z], &[number(&s["x"]), number(&s["y"])]);
    }
    ledger.error("`adaptive`: angle, rate and position up to 10 s", worst.0, 1e-11);

    let mut periods = Worst::default();
    for row in file["reference"]["period_table"].as_array().unwrap() {
        let (amplitude, period) = (number(&row["amplitude_deg"]).to_radians(), number(&row["period"]));
        let start = State { q: vec![amplitude], ..State::new(&scene.model) };
        let mut course = Course::new(&scene.model, &start, "adaptive");
        let rate = |at: &At| at.velocity(scene.model.body("rod1").unwrap()).ang.y;
        let half = course.next_zero(period / 7.0, rate);
        let whole = course.next_zero(period / 7.0, rate);
        periods.relative(&[2.0 * half, whole], &[period, period]);
    }
    ledger.error("`adaptive`: periods from 1° to 179°, relative", periods.0, 1e-11);

    // the rod pulls the bob up with m (a − g)
    let mut course = Course::new(&scene.model, &scene.state, "adaptive");
    let bob = |at: &At| at.com().x;
    course.next_zero(0.1, bob);
    let qacc = course.acceleration();
    let (at, rod) = (course.at(), scene.model.body("rod1").unwrap());
    let (a, spin, arm) = (at.acceleration(rod, &qacc), at.velocity(rod).ang, at.com());
    let a_bob = a.lin + a.ang.cross(arm) + spin.cross(spin.cross(arm));
    let pull = (a_bob - scene.model.gravity()).z / scene.model.gravity().norm();
    let expected = number(&file["reference"]["rod_tension_at_bottom_from_horizontal_over_mg"]);
    ledger.error("tension at the bottom over m g", (pull - expected).abs(), 1e-11);
}

/// Rods in a plane, angles from the downward vertical.
fn planar(ledger: &mut Ledger, name: &str, scene: &str, tolerance: f64) {
    let why = "but chaotic: 1e-13 an inner step grows by some 1e3";
    let file = begin(ledger, name, why);
    let scene = scenes::by_name(scene).unwrap();
    let length = number(&file["parameters"]["l"][0]);
    let mut course = Course::new(&scene.model, &scene.state, "adaptive");
    let energy = course.energy();
    let mut free = in_maximal(&scene);
    let (mut angles, mut rates, mut places) = (Worst::default(), Worst::default(), Worst::default());
    let (mut free_angles, mut free_rates) = (Worst::default(), Worst::default());
    for s in states(&file) {
        run_to(&mut free, number(&s["t"]));
        let theta = numbers(&s["theta"]);
        free_angles.absolute(&without_turns(&sums(&free.state().q), &theta), &theta);
        free_rates.relative(&sums(&free.state().v), &numbers(&s["theta_dot"]));
        let state = course.to(number(&s["t"]), 1).clone();
        angles.absolute(&sums(&state.q), &numbers(&s["theta"]));
        rates.relative(&sums(&state.v), &numbers(&s["theta_dot"]));
        let ends = ends(&scene, &course.at(), V3::Z * -length);
        let flat: Vec<f64> = ends.iter().flat_map(|p| [p.x, p.z]).collect();
        places.absolute(&flat, &numbers(&s["link_end_xy"]));
    }
    ledger.error("`adaptive`: angles at all times", angles.0, tolerance);
    ledger.error("`adaptive`: rates at all times, relative", rates.0, tolerance);
    ledger.error("`adaptive`: ends of the rods", places.0, tolerance);
    ledger.error("`adaptive` in maximal coordinates: angles at all times", free_angles.0, tolerance);
    ledger.error("`adaptive` in maximal coordinates: rates at all times, relative", free_rates.0, tolerance);
    let scale = course.at().kinetic_energy();
    ledger.error(
        "`adaptive`: energy drift, relative to the kinetic energy",
        (course.energy() - energy).abs() / scale,
        1e-11,
    );
}

/// Absolute angles of a chain from those of its joints.
fn sums(x: &[f64]) -> Vec<f64> {
    let add = |sum: &mut f64, x: &f64| {
        *sum += x;
        Some(*sum)
    };
    x.iter().scan(0.0, add).collect()
}

fn ball_chain(ledger: &mut Ledger) {
    let file = begin(ledger, "ball_chain_2", "which fix the tolerance");
    let scene = scenes::by_name("ball-chain").unwrap();
    let mut course = Course::new(&scene.model, &scene.state, "adaptive");
    let energy = (course.energy() / number(&file["reference"]["energy"]) - 1.0).abs();
    let mut free = in_maximal(&scene);
    let (mut free_turns, mut free_rates) = (Worst::default(), Worst::default());
    let (mut turns, mut rates, mut places) = (Worst::default(), Worst::default(), Worst::default());
    let bars = ["upper", "lower"].map(|name| scene.model.body(name).unwrap());
    for s in states(&file) {
        course.to(number(&s["t"]), 1);
        run_to(&mut free, number(&s["t"]));
        let (at, free) = (course.at(), free.at());
        for (k, bar) in bars.into_iter().enumerate() {
            let theirs = numbers(&s["quat_xyzw"][k]);
            let theirs = Quat { w: theirs[3], x: theirs[0], y: theirs[1], z: theirs[2] };
            let rot = at.pose(bar).rot;
            turns.absolute(rot.rows().as_flattened(), theirs.matrix().rows().as_flattened());
            rates.relative(&rot.tr_mul(at.velocity(bar).ang).array(), &numbers(&s["omega_body"][k]));
            let rot = free.pose(bar).rot;
            free_turns.absolute(rot.rows().as_flattened(), theirs.matrix().rows().as_flattened());
            free_rates.relative(&rot.tr_mul(free.velocity(bar).ang).array(), &numbers(&s["omega_body"][k]));
        }
        let flat: Vec<f64> = ends(&scene, &at, -V3::Z).iter().flat_map(|p| p.array()).collect();
        places.absolute(&flat, &numbers(&s["link_ends"]));
    }
    ledger.error("energy at the start, relative", energy, 1e-12);
    ledger.error("`adaptive`: attitudes at all times", turns.0, 1e-9);
    ledger.error("`adaptive`: spins at all times, relative", rates.0, 1e-9);
    ledger.error("`adaptive`: ends of the bars", places.0, 1e-9);
    ledger.error("`adaptive` in maximal coordinates: attitudes at all times", free_turns.0, 1e-9);
    ledger.error("`adaptive` in maximal coordinates: spins at all times, relative", free_rates.0, 1e-9);
}
