//! Reduced coordinates, maximal coordinates and the trace form agree on every model.

use super::common::models;
use super::mechanisms::four_bar;
use poinsot_core::algebra::V3;
use poinsot_core::audit::{Quantity, Report, Twin};
use poinsot_core::constraint::{Maximal, Multipliers};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::integrate::{self, System};
use poinsot_core::model::{BodyId, BodySpec, Constraint, Joint, Model, ModelBuilder, Mount, Shape};
use poinsot_core::spatial::Inertia;

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
            let state = State {
                q: model.random_configuration(seed),
                v: model.random_velocity(seed + 9),
                ..State::new(&model)
            };
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
        let (mut ws, mut multipliers) = (Workspace::new(&model), Multipliers::new(&model));
        state.q[0] += 0.3;
        multipliers.project_configuration(&model, &mut ws, &mut state.q).unwrap();
        multipliers.project_velocity(&model, &mut ws, &state.q, &mut state.v);
        check(&model, "four-bar", &state, &mut report);
    }
    for e in report.entries() {
        println!("{}: {:e} ({})", e.quantity, e.worst, e.place);
    }
}

fn agree(model: &Model, state: &State) {
    let mut report = Report::default();
    Twin::new(model).unwrap().compare(state, &vec![0.0; model.nv()], &mut report);
    for e in report.entries() {
        assert!(e.worst < 1e-12, "{}: {} at {}: {:e}", model.name(), e.quantity, e.place, e.worst);
    }
}

/// What is 0 but for round-off is compared with what it is a sum of: the moments of a planar machine, the accelerations of
/// a ball that spins, forces about axes along gravity.
#[test]
fn round_off_of_nothing_is_no_disagreement() {
    let (model, state) = four_bar(1.0, 2.0, 1.5, 2.2);
    agree(&model, &state);
    let ball = Shape::Sphere { radius: 0.1 };
    for (joint, v) in [
        (Joint::free(), vec![0.1, 0.2, 0.3, 1.0, 2.0, 3.0]),
        (Joint::spherical(), vec![1.0, 2.0, 3.0]),
        (Joint::revolute(V3::Z), vec![2.0]),
    ] {
        let mut b = ModelBuilder::new("ball");
        b.gravity(V3::ZERO);
        let body = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::X).solid(&ball, 0.7).unwrap());
        b.joint(body, joint);
        let model = b.build().unwrap();
        agree(&model, &State { v, ..State::new(&model) });
    }
}

/// The energy in a spring does not move.
#[test]
fn a_stretched_spring_at_rest_has_no_kinetic_energy() {
    let mut b = ModelBuilder::new("spring");
    let ball = Shape::Sphere { radius: 0.1 };
    let body = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&ball, 1.0).unwrap());
    b.joint(body, Joint::revolute(V3::Y).anchor(V3::X));
    let hook = Mount::new(BodyId::WORLD, V3::Z * 3.0);
    b.constraint(Constraint::distance(hook, Mount::new(body, V3::ZERO), 1.0).soft(100.0, 1.0));
    let model = b.build().unwrap();
    agree(&model, &State::new(&model));
}

/// Points and thin rods have inertias without an inverse; their joints do not let them turn so.
#[test]
fn midpoint_steps_point_masses_in_maximal_coordinates() {
    let mut b = ModelBuilder::new("points");
    let point = Inertia::new(1.0, V3::X, Default::default()).unwrap();
    let one = b.body(BodyId::WORLD, BodySpec::new("one").inertia(point));
    b.joint(one, Joint::revolute(V3::Y));
    let two = b.body(one, BodySpec::new("two").at(V3::X).inertia(point));
    b.joint(two, Joint::revolute(V3::Y));
    let model = b.build().unwrap();
    let maximal = Maximal::of(&model).unwrap();
    let start = State { v: vec![1.0, -2.0], ..State::new(&model) };
    let mut end = start.clone();
    let mut there = maximal.state(&start);
    for (model, state) in [(&model, &mut end), (maximal.model(), &mut there)] {
        let (mut system, mut midpoint) = (System::new(model), integrate::by_name("midpoint", model).unwrap());
        let before = system.energy(state);
        for _ in 0..500 {
            system.step(&mut *midpoint, state, 1e-3).unwrap();
        }
        assert!((system.energy(state) - before).abs() < 1e-4);
    }
    let back = maximal.reduced(&there, &end.q);
    let off = end.q.iter().zip(&back.q).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(off < 1e-4, "{off:e}: both are of second order");
}
