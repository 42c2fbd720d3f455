//! A free rotor for a million steps, as a user runs it: through [`poinsot::Simulation`].

use crate::entry::Ledger;
use crate::free_rotation::{attitude, free_body, spinning};
use crate::read::{matrix, number, numbers, read, states, vector};
use poinsot::{Simulation, scenes};
use poinsot_core::dynamics::State;
use poinsot_core::integrate::Method;
use poinsot_core::model::Model;
use poinsot_core::spatial::Quat;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Free rotor through `Simulation`, integrator `exact`");
    let scene = scenes::by_name("dzhanibekov").unwrap();
    run(ledger, "euler_top_dzhanibekov", &scene.model, &scene.state);
    let given = &read("euler_top_box")["parameters"];
    let model = free_body(&numbers(&given["I_body_principal"]));
    let rot = Quat::exp(vector(&given["R0_rotation_vector"]));
    run(ledger, "euler_top_box", &model, &spinning(&model, rot, &numbers(&given["omega0_body"])));
}

fn run(ledger: &mut Ledger, id: &str, model: &Model, start: &State) {
    ledger.problem(id, "the project's own demand: 1e-12 over 1e6 steps, attitude 1e-9, whatever the step");
    let simulation = || Simulation::new(model, start.clone(), Method::Exact).unwrap();
    let file = read(id);
    let last = states(&file).last().unwrap();
    for dt in [1e-3, 1e-2, 0.1, 1.0] {
        let mut simulation = simulation();
        simulation.run((number(&last["t"]) / dt).round() as usize, dt).unwrap();
        let error = (attitude(simulation.state()) - matrix(&last["R"])).max_abs();
        ledger.error(format!("attitude after 100 s, dt = {dt} s"), error, 1e-9);
    }
    for dt in [1e-3, 1.0] {
        let mut simulation = simulation();
        for _ in 0..1000 {
            simulation.run(1000, dt).unwrap();
        }
        let drift = simulation.drift();
        ledger.error(format!("energy, worst over 1e6 steps of {dt} s"), drift.energy, 1e-12);
        ledger.error(format!("momentum, worst over 1e6 steps of {dt} s"), drift.momentum.unwrap(), 1e-12);
    }
}
