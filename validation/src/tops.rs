//! Heavy tops: a body that turns about a fixed point under gravity.

use crate::course::{Course, after};
use crate::entry::{Ledger, Worst};
use crate::read::{matrix, number, numbers, read, source, states};
use poinsot::scenes;
use poinsot_core::algebra::{M3, Sym3, V3};
use poinsot_core::dynamics::{At, State};
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder};
use poinsot_core::spatial::{Inertia, Quat};
use serde_json::Value;

/// `adaptive` keeps 1e-13 an inner step; some hundred of them, and the sensitivity of the motion, are allowed for.
const TOLERANCE: f64 = 1e-10;

pub fn enter(ledger: &mut Ledger) {
    ledger.section("Tops");
    for name in ["lagrange_top_looping", "simo_wong_top"] {
        let file = read(name);
        let (model, start) = lagrange(&file["parameters"]);
        begin(ledger, name, &file);
        motion(ledger, &file, &model, &start);
        nutation(ledger, &file, &model, &start, 1.0 / 7.0);
        orders(ledger, &model, &start, &states(&file)[0], 25);
    }
    let file = read("heavy_top_bruls_cardona");
    let scene = scenes::by_name("heavy-top").unwrap();
    begin(ledger, "heavy_top_bruls_cardona", &file);
    motion(ledger, &file, &scene.model, &scene.state);
    reactions(ledger, &file, &scene.model, &scene.state);
    nutation(ledger, &file, &scene.model, &scene.state, 1.0 / 13.0);
    orders(ledger, &scene.model, &scene.state, &states(&file)[0], 50);
}

fn begin(ledger: &mut Ledger, name: &str, file: &Value) {
    let why = "`adaptive` keeps 1e-13 an inner step: 1e-10 after some hundred; orders ± 0.1";
    ledger.problem(name, format!("{}. {} digits; {why}", source(file), file["digits"].as_str().unwrap()));
}

/// A symmetric top about its pivot: axis z, tilted about x, spinning about its axis.
fn lagrange(given: &Value) -> (Model, State) {
    // any mass and arm with the given m g l; the moments are about the pivot
    let (mass, arm) = (1.0, 0.1);
    let across = number(&given["I_transverse_about_pivot"]) - mass * arm * arm;
    let moments = Sym3::diagonal(across, across, number(&given["I_axial"]));
    let mut b = ModelBuilder::new("top");
    b.gravity(V3::Z * (-number(&given["m_g_l"]) / (mass * arm)));
    let inertia = Inertia::new(mass, V3::Z * arm, moments).unwrap();
    let top = b.body(BodyId::WORLD, BodySpec::new("top").inertia(inertia));
    b.joint(top, Joint::spherical());
    let model = b.build().unwrap();
    let mut start = State::new(&model);
    start.q.copy_from_slice(&Quat::exp(V3::X * number(&given["theta0"])).array());
    start.v.copy_from_slice(&numbers(&given["omega0_body"]));
    (model, start)
}

fn top(model: &Model) -> BodyId {
    model.body("top").unwrap()
}

fn attitude(state: &State) -> M3 {
    Quat { w: state.q[0], x: state.q[1], y: state.q[2], z: state.q[3] }.normalized().matrix()
}

fn motion(ledger: &mut Ledger, file: &Value, model: &Model, start: &State) {
    let (mut attitudes, mut spins) = (Worst::default(), Worst::default());
    let mut course = Course::new(model, start, "adaptive");
    let energy = course.energy();
    let vertical = course.at().momentum().moment.z;
    let expected = &file["reference"];
    if let Some(e) = expected["total_energy_with_V_mgz"].as_f64() {
        ledger.error("energy, relative", (energy / e - 1.0).abs(), 1e-15);
        ledger.error("L_z, relative", (vertical / number(&expected["L_z"]) - 1.0).abs(), 1e-15);
    }
    for s in states(file) {
        let state = course.to(number(&s["t"]), 1);
        attitudes.absolute(attitude(state).rows().as_flattened(), matrix(&s["R"]).rows().as_flattened());
        spins.relative(&state.v, &numbers(&s["omega_body"]));
    }
    ledger.error("`adaptive`: attitude at all times", attitudes.0, TOLERANCE);
    ledger.error("`adaptive`: spin at all times, relative", spins.0, TOLERANCE);
    ledger.error("`adaptive`: energy drift, relative", (course.energy() / energy - 1.0).abs(), TOLERANCE);
    let kept = (course.at().momentum().moment.z / vertical - 1.0).abs();
    ledger.error("`adaptive`: L_z drift, relative", kept, TOLERANCE);
}

/// The force of the pivot on the body, m (a − g), and the motion of the centre of mass.
fn reactions(ledger: &mut Ledger, file: &Value, model: &Model, start: &State) {
    let body = top(model);
    let (mass, com) = (model.mass(), model.bodies()[body.index()].inertia.com());
    let (mut forces, mut places) = (Worst::default(), Worst::default());
    let mut course = Course::new(model, start, "adaptive");
    for s in states(file) {
        course.to(number(&s["t"]), 1);
        let qacc = course.acceleration();
        let at = course.at();
        let (spin, arm) = (at.velocity(body).ang, at.pose(body).rot * com);
        let a = at.acceleration(body, &qacc);
        let a_com = a.lin + a.ang.cross(arm) + spin.cross(spin.cross(arm));
        let force = (a_com - model.gravity()) * mass;
        forces.relative(&force.array(), &numbers(&s["pivot_reaction_on_body"]));
        places.relative(&at.com().array(), &numbers(&s["x_com"]));
        let velocity = at.velocity_at(body, at.com()).lin;
        places.relative(&velocity.array(), &numbers(&s["v_com"]));
    }
    ledger.error("`adaptive`: centre of mass and its velocity, relative", places.0, TOLERANCE);
    ledger.error("`adaptive`: reaction of the pivot, relative", forces.0, TOLERANCE);
}

/// The axis rises and sinks: the height of the centre of mass has an extremum every half nutation.
fn nutation(ledger: &mut Ledger, file: &Value, model: &Model, start: &State, stride: f64) {
    let expected = &file["reference"];
    let period = number(&expected["nutation_period"]);
    let climb = |at: &At| at.momentum().force.z;
    let mut course = Course::new(model, start, "adaptive");
    let half = course.next_zero(stride * period, climb);
    let height = course.at().com().z / course.at().com().norm();
    let whole = course.next_zero(stride * period, climb);
    ledger.error("`adaptive`: half nutation, relative", (2.0 * half / period - 1.0).abs(), TOLERANCE);
    ledger.error("`adaptive`: nutation period, relative", (whole / period - 1.0).abs(), TOLERANCE);
    let lowest = libm::cos(number(&expected["theta_max"]));
    ledger.error("`adaptive`: cos θ at the lowest point", (height - lowest).abs(), TOLERANCE);
}

fn orders(ledger: &mut Ledger, model: &Model, start: &State, first: &Value, steps: u32) {
    let (t, expected) = (number(&first["t"]), matrix(&first["R"]));
    // fine enough for the order to show, coarse enough to stay above round-off
    for (method, order, steps) in [
        ("exact", 2, 64 * steps),
        ("midpoint", 2, 64 * steps),
        ("rkmk4", 4, 16 * steps),
        ("exact-4", 4, steps),
    ] {
        let error = |n| (attitude(&after(model, start, method, t, n)) - expected).max_abs();
        let errors = [steps, 2 * steps].map(error);
        ledger.order(format!("`{method}`: order"), errors, order);
    }
}
