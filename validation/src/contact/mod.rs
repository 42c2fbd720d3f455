//! Contact: by events compared with exact solutions, and by time stepping at its order; solvers on bare matrices.

mod impacts;
mod motions;
mod sliding;
mod solvers;
mod statics;

// what the scenes are made of is that of the tests
#[path = "../../../crates/poinsot/tests/contact_events/bodies.rs"]
#[allow(dead_code)]
mod bodies;

use crate::entry::Ledger;
use bodies::{begin, run_to};
use poinsot::prelude::*;

/// What events are asked for: the project's demand.
const EVENTS: f64 = 1e-9;
/// The methods that step contact in time.
const IN_TIME: [Method; 3] = [Method::Leapfrog, Method::Implicit, Method::SemiImplicit];

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Contact");
    sliding::enter(ledger);
    impacts::enter(ledger);
    statics::enter(ledger);
    motions::enter(ledger);
    ledger.section("Contact solvers on bare matrices");
    solvers::enter(ledger);
}

/// The polyhedral cones that are run on scenes: of four edges, and of twelve.
const POLYHEDRAL: [&str; 2] = ["lcp", "lcp:12"];

/// A simulation in time with this solver.
fn begin_with<'a>(
    model: &'a Model,
    how: &str,
    method: Method,
    dt: f64,
    v: Option<Vec<f64>>,
) -> Simulation<'a> {
    let mut state = State::new(model);
    state.v = v.unwrap_or(state.v);
    let builder = Simulation::builder(model).state(state).integrator(method).dt(dt);
    builder.contact(how.parse::<Contact>().unwrap()).build().unwrap()
}

/// A simulation by events that has reached `time`.
fn by_events<'a>(model: &'a Model, v: Option<Vec<f64>>, time: f64, dt: f64) -> Simulation<'a> {
    let mut s = begin(model, Method::Adaptive, dt, v);
    run_to(&mut s, time, dt);
    s
}

/// How many step sizes, between one and half of it, an error is measured with: where in its step an event falls changes the error by as much as
/// halving the step does.
const SIZES: u32 = 16;

/// Of each method in time: the errors of a number at `time`, as root mean squares over `SIZES` numbers of steps from n on, and over their doubles.
fn in_time(
    model: &Model,
    v: Option<&[f64]>,
    time: f64,
    n: u32,
    error: impl Fn(&mut Simulation) -> f64,
) -> Vec<(Method, [f64; 2])> {
    let once = |method: Method, n: u32| {
        let dt = time / f64::from(n);
        // detection by sweeps ends steps early where points only nanometres wide slide along a wall
        let mut s = begin_with(model, "exact/discrete", method, dt, v.map(<[f64]>::to_vec));
        s.run(n as usize, dt).unwrap();
        error(&mut s)
    };
    let mean = |method: Method, times: u32| {
        let squares = (0..SIZES).map(|k| once(method, times * (n + k * n / SIZES)).powi(2));
        (squares.sum::<f64>() / f64::from(SIZES)).sqrt()
    };
    IN_TIME.into_iter().map(|method| (method, [mean(method, 1), mean(method, 2)])).collect()
}

/// Enters that errors shrink at least as the step does: the ratio of errors at half the step, which first order makes ½.
fn enter_orders(ledger: &mut Ledger, errors: &[(Method, [f64; 2])], floor: f64) {
    for (method, [whole, half]) in errors {
        let ratio = if *half <= floor { 0.0 } else { half / whole };
        let excess = (ratio - 0.5).max(0.0);
        ledger.error(
            format!("`{method}`: ratio of errors when the step is halved, in excess of ½"),
            excess,
            0.1,
        );
    }
}
