//! The free rigid body: exact attitudes, and the error constants of the methods in the literature.

use crate::course::after;
use crate::entry::{Ledger, Worst};
use crate::read::{matrix, number, numbers, read, source, states, vector};
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::dynamics::State;
use poinsot_core::free::{FreeBody, FreeRotor, VelocityState};
use poinsot_core::integrate::Method;
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder};
use poinsot_core::spatial::{Inertia, Quat};
use serde_json::Value;
use std::f64::consts::TAU;

/// A free body with these moments at its centre of mass, without gravity.
pub fn free_body(moments: &[f64]) -> Model {
    let mut b = ModelBuilder::new("free body");
    b.gravity(V3::ZERO);
    let body = b.body(BodyId::WORLD, BodySpec::new("body").inertia(inertia(moments)));
    b.joint(body, Joint::free());
    b.build().unwrap()
}

fn inertia(moments: &[f64]) -> Inertia {
    Inertia::new(1.0, V3::ZERO, Sym3::diagonal(moments[0], moments[1], moments[2])).unwrap()
}

/// A free body at the origin with this attitude and body angular velocity.
pub fn spinning(model: &Model, rot: Quat, omega: &[f64]) -> State {
    let mut state = State::new(model);
    state.q[3..].copy_from_slice(&rot.array());
    state.v[3..].copy_from_slice(omega);
    state
}

pub fn attitude(state: &State) -> M3 {
    Quat { w: state.q[3], x: state.q[4], y: state.q[5], z: state.q[6] }.normalized().matrix()
}

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Free rotation");
    for name in ["euler_top_dzhanibekov", "euler_top_box"] {
        let file = read(name);
        let digits = "20 digits; the file asks for 1e-12 up to 10 s, the project for 1e-9 at 100 s";
        ledger.problem(name, format!("{}. {digits}", source(&file)));
        euler_top(ledger, &file);
    }
    let file = read("convergence_orders");
    let digits = "error constants are given to 3 digits, orders to ± 0.1";
    ledger.problem("convergence_orders", format!("{}. {digits}", source(&file)));
    error_constants(ledger, &file);
    orders(ledger, &file);
}

fn euler_top(ledger: &mut Ledger, file: &Value) {
    let (given, expected) = (&file["parameters"], &file["reference"]);
    let (moments, omega) = (numbers(&given["I_body_principal"]), numbers(&given["omega0_body"]));
    let rot = Quat::exp(vector(&given["R0_rotation_vector"]));
    let model = free_body(&moments);
    let start = spinning(&model, rot, &omega);
    let (mut early, mut late) = (Worst::default(), Worst::default());
    for s in states(file) {
        let t = number(&s["t"]);
        let worst = if t <= 10.0 { &mut early } else { &mut late };
        // the method is exact: one step or a thousand must give the same
        for steps in [1, 1000] {
            let state = after(&model, &start, "exact", t, steps);
            worst.absolute(attitude(&state).rows().as_flattened(), matrix(&s["R"]).rows().as_flattened());
            worst.relative(&state.v[3..], &numbers(&s["omega_body"]));
        }
    }
    ledger.error("`exact`: attitude and spin up to 10 s, in 1 and 1000 steps", early.0, 1e-12);
    ledger.error("`exact`: attitude and spin up to 100 s, in 1 and 1000 steps", late.0, 1e-9);

    let body = FreeBody::new(&inertia(&moments)).unwrap();
    let spin = rot.matrix() * V3::new(omega[0], omega[1], omega[2]);
    let s = body.to_momentum(&VelocityState { rot, omega: spin, ..VelocityState::AT_REST });
    let rotor = FreeRotor::new(&body, s.rot, s.angular);
    let relative = |x: f64, key: &str| (x / number(&expected[key]) - 1.0).abs();
    ledger.error("period of the spin", relative(rotor.period().unwrap(), "period_of_omega"), 1e-12);
    // whole turns of the precession are not counted by the rotor
    let turn = (rotor.precession_per_period().unwrap()
        - number(&expected["precession_angle_about_L_per_period"]))
        / TAU;
    ledger.error("precession about L in one period, in turns", (turn - turn.round()).abs(), 1e-12);
    ledger.error("kinetic energy", relative(body.kinetic_energy(&s), "kinetic_energy"), 1e-15);
    ledger.error("length of L", relative(s.angular.norm(), "L_magnitude"), 1e-15);
}

/// The free top of the convergence file after 10 s.
struct FreeTop {
    model: Model,
    start: State,
    exact: M3,
}

impl FreeTop {
    fn new(file: &Value) -> FreeTop {
        let given = &file["parameters"];
        let model = free_body(&numbers(&given["I"]));
        let start = spinning(&model, Quat::IDENTITY, &numbers(&given["omega0_body"]));
        FreeTop { model, start, exact: matrix(&given["R_exact"]) }
    }
    fn error(&self, method: &str, steps: u32) -> f64 {
        (attitude(&after(&self.model, &self.start, method, 10.0, steps)) - self.exact).max_abs()
    }
}

fn error_constants(ledger: &mut Ledger, file: &Value) {
    let top = FreeTop::new(file);
    for (method, row) in file["reference"].as_object().unwrap() {
        let (steps, expected) = (numbers(&row["h"]), numbers(&row["max_abs_error_R_at_T"]));
        let mut worst = Worst::default();
        for (h, expected) in steps.into_iter().zip(expected) {
            worst.relative(&[top.error(method, (10.0 / h).round() as u32)], &[expected]);
        }
        ledger.error(format!("`{method}`: error constants at four steps, relative"), worst.0, 1e-3);
    }
}

fn orders(ledger: &mut Ledger, file: &Value) {
    let top = FreeTop::new(file);
    for method in Method::ALL.map(Method::word) {
        if ["exact", "exact-4", "adaptive"].contains(&method) {
            ledger.error(
                format!("`{method}`: attitude after 10 s in 10 steps"),
                top.error(method, 10),
                1e-11,
            );
            continue;
        }
        let order = poinsot_core::integrate::by_name(method, &top.model).unwrap().order();
        // fine enough for the order to show, coarse enough to stay above round-off
        let steps = if order == 1 { 64_000 } else { 800 };
        let errors = [steps, 2 * steps].map(|n| top.error(method, n));
        ledger.order(format!("`{method}`: order"), errors, order);
    }
}
