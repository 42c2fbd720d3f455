//! Reduced coordinates, maximal coordinates and the trace form agree on every model.

use super::common::models;
use super::mechanisms::four_bar;
use poinsot_core::audit::{Quantity, Report, Twin};
use poinsot_core::constraint::Multipliers;
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::model::Model;

fn tolerance(quantity: Quantity) -> f64 {
    if quantity == Quantity::Residual { 1e-10 } else { 1e-9 }
}

fn check(model: &Model, what: &str, state: &State, report: &mut Report) {
    let mut twin = Twin::new(model).unwrap();
    let tau = model.random_velocity(7);
    let mut own = Report::default();
    twin.compare(state, &tau, &mut own);
    for entry in own.entries() {
        let (q, place) = (entry.quantity, &entry.place);
        assert!(entry.worst <= tolerance(q), "{what}: {q} at {place}: {:e}", entry.worst);
    }
    twin.compare(state, &tau, report);
}

#[test]
fn formulations_agree_on_the_zoo_and_on_random_trees() {
    let mut report = Report::default();
    for model in models() {
        let name = model.name().to_string();
        for seed in 0..3 {
            let state =
                State { time: 0.0, q: model.random_configuration(seed), v: model.random_velocity(seed + 9) };
            check(&model, &name, &state, &mut report);
        }
    }
    for e in report.entries() {
        println!("{}: {:e} ({})", e.quantity, e.worst, e.place);
    }
}

#[test]
fn formulations_agree_on_loops() {
    let mut report = Report::default();
    for lengths in [[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.5, 2.2]] {
        let [a, b, c, d] = lengths;
        let (model, mut state) = four_bar(a, b, c, d);
        let (mut ws, mut held) = (Workspace::new(&model), Multipliers::new(&model));
        state.q[0] += 0.3;
        held.project_configuration(&model, &mut ws, &mut state.q).unwrap();
        held.project_velocity(&model, &mut ws, &state.q, &mut state.v);
        check(&model, "four-bar", &state, &mut report);
    }
    for e in report.entries() {
        println!("{}: {:e} ({})", e.quantity, e.worst, e.place);
    }
}
