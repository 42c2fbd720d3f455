//! The ledger closes, and what it calls integration error vanishes with the step at the order of the method.

use super::mechanisms::four_bar;
use poinsot_core::algebra::V3;
use poinsot_core::audit::{Account, Ledger, Line};
use poinsot_core::constraint::{Maximal, Stabilisation};
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, System};
use poinsot_core::model::*;

/// A pendulum of two links with everything: springs, dampers, servo, medium, a soft loop to the world.
fn everything() -> (Model, State) {
    let mut b = ModelBuilder::new("everything");
    let shape = Shape::Box { size: V3::new(0.1, 0.2, 0.6) };
    let one = b.body(BodyId::WORLD, BodySpec::new("one").solid(&shape, 1.0).unwrap());
    let hinge = b.joint(one, Joint::revolute(V3::Y).anchor(V3::Z * 0.3).damping(0.3).spring(3.0, 0.2));
    let spec = BodySpec::new("two").at(V3::Z * -0.6).gravity_compensation(0.3);
    let two = b.body(one, spec.solid(&shape, 0.5).unwrap());
    b.joint(two, Joint::spherical().anchor(V3::Z * 0.3).damping(0.05));
    b.actuator(Actuator::position(hinge, 5.0).damping(0.4));
    b.medium(Medium { density: 1.2, viscosity: 0.1, wind: V3::new(0.3, 0.0, 0.0) });
    let hook = Mount::new(BodyId::WORLD, V3::new(0.2, 0.3, -0.9));
    b.constraint(Constraint::distance(hook, Mount::new(two, V3::Z * -0.3), 0.4).soft(30.0, 0.5));
    let model = b.build().unwrap();
    let mut state = State::new(&model);
    state.v.copy_from_slice(&[2.0, 0.5, -1.0, 3.0]);
    (model, state)
}

/// A double pendulum whose upper link meets a stop, and whose elbow rubs.
fn stopped(restitution: f64) -> (Model, State) {
    let mut b = ModelBuilder::new("pendulum with a stop");
    let rod = Shape::Capsule { radius: 0.03, length: 0.8 };
    let one = b.body(BodyId::WORLD, BodySpec::new("one").at(V3::X).solid(&rod, 1.0).unwrap());
    let stop = Joint::revolute(V3::Y).anchor(V3::Z * 0.4).limits(0.3, 2.0).restitution(restitution);
    b.joint(one, stop);
    let two = b.body(one, BodySpec::new("two").at(V3::Z * -0.8).solid(&rod, 0.5).unwrap());
    b.joint(two, Joint::revolute(V3::Y).anchor(V3::Z * 0.4).friction_loss(0.05).damping(0.02));
    let model = b.build().unwrap();
    let start = State { q: vec![1.0, 0.5], ..State::new(&model) };
    (model, start)
}

fn run(model: &Model, start: &State, name: &str, steps: usize, dt: f64) -> (Account, f64) {
    let mut system = System::new(model);
    system.control_mut().fill(0.7);
    let (mut integrator, mut state) = (integrate::by_name(name, model).unwrap(), start.clone());
    let mut ledger = Ledger::begin(&mut system, &state);
    for _ in 0..steps {
        ledger.step(&mut system, &mut *integrator, &mut state, dt).unwrap();
    }
    (*ledger.total(), ledger.scale())
}

#[test]
fn it_closes_for_every_integrator() {
    for (model, start) in [everything(), four_bar(1.0, 2.0, 1.0, 2.0)] {
        for name in integrate::Method::TREE.map(integrate::Method::word) {
            let (total, scale) = run(&model, &start, name, 300, 1e-3);
            let off = total.imbalance().abs() / scale;
            assert!(off < 1e-12, "{}, {name}: {off:e}", model.name());
        }
    }
}

#[test]
fn what_is_called_integration_error_vanishes_at_the_order_of_the_method() {
    let (model, start) = everything();
    for (name, order) in
        [("semi-implicit", 1), ("implicit", 1), ("leapfrog", 1), ("midpoint", 2), ("rkmk4", 4)]
    {
        let error = |steps: usize| {
            run(&model, &start, name, steps, 0.4 / steps as f64).0.work(Line::Integration).abs()
        };
        let (coarse, fine) = (error(160), error(320));
        let measured = (coarse / fine).log2();
        println!("{name}: {coarse:e} {fine:e}, order {measured:.2}");
        assert!(measured > order as f64 - 0.2, "{name}: {measured}");
    }
}

#[test]
fn momentum_is_accounted_for() {
    let (model, start) = everything();
    let (total, _) = run(&model, &start, "rkmk4", 400, 1e-3);
    let (off, size) = (total.integration, total.momentum);
    assert!(off.force.norm() < 1e-8 * size.force.norm(), "{off:?}");
    assert!(off.moment.norm() < 1e-8 * size.moment.norm(), "{off:?}");
}

/// The weight of what stands on the world moves nothing: the ledger has no line for it, in either formulation.
#[test]
fn bodies_fixed_to_the_world_are_no_burden() {
    let mut b = ModelBuilder::new("pendulum on a pedestal");
    let block = Shape::Box { size: V3::new(0.5, 0.5, 1.0) };
    let pedestal = b.body(BodyId::WORLD, BodySpec::new("pedestal").at(V3::X).solid(&block, 500.0).unwrap());
    let rod = Shape::Capsule { radius: 0.03, length: 0.8 };
    let spec = BodySpec::new("rod").at(V3::new(0.3, 0.0, 0.1)).solid(&rod, 1.0).unwrap();
    let swinging = b.body(pedestal, spec);
    b.joint(swinging, Joint::revolute(V3::X).anchor(V3::Z * 0.4));
    let model = b.build().unwrap();
    let start = State { q: vec![1.2], ..State::new(&model) };
    let twin = Maximal::of(&model).unwrap();
    for (formulation, model, start) in
        [("reduced", &model, start.clone()), ("maximal", twin.model(), twin.state(&start))]
    {
        let (total, _) = run(model, &start, "rkmk4", 500, 1e-3);
        let Account { integration, momentum, reactions, gravity, .. } = total;
        assert!(integration.force.norm() < 1e-9 * momentum.force.norm(), "{formulation}: {integration:?}");
        assert!(integration.moment.norm() < 1e-9 * momentum.moment.norm(), "{formulation}: {integration:?}");
        // half a second of the weight of a kilogram
        assert!((gravity.force.z + 0.5 * 9.81).abs() < 1e-9, "{formulation}: {gravity:?}");
        assert!(reactions.force.norm() < 10.0, "{formulation}: {reactions:?}");
    }
}

/// What a stop takes of the momentum goes into the world, through the joint: it is no error of the method.
#[test]
fn the_momentum_of_an_impact_is_a_reaction() {
    for restitution in [0.0, 0.5] {
        let (model, start) = stopped(restitution);
        let twin = Maximal::of(&model).unwrap();
        for (formulation, model, start) in
            [("reduced", &model, start.clone()), ("maximal", twin.model(), twin.state(&start))]
        {
            for method in integrate::Method::TREE {
                let name = method.word();
                let dt = 2e-3;
                let (total, _) = run(model, &start, name, 400, dt);
                let Account { integration: off, .. } = total;
                let error = match name {
                    "rkmk4" | "adaptive" => 2e3 * dt.powi(4),
                    "midpoint" => 1e2 * dt * dt,
                    _ => 15.0 * dt,
                };
                let what = format!("{name}, {formulation}, e = {restitution}");
                assert!(total.work(Line::Limits) < -0.1, "{what}: {total:?}");
                assert!(off.force.norm() < error && off.moment.norm() < error, "{what}: {off:?}");
                if error < 1e-6 {
                    assert!(total.work(Line::Integration).abs() < error, "{what}: {total:?}");
                }
            }
        }
    }
}

/// What a method tells of its impulses is, for short steps, what the integral along the path is.
#[test]
fn every_method_tells_the_same_works() {
    let (model, start) = everything();
    let exact = run(&model, &start, "adaptive", 400, 1e-3).0;
    for name in ["semi-implicit", "implicit", "leapfrog", "backward"] {
        let [coarse, fine] = [800, 1600].map(|steps| run(&model, &start, name, steps, 0.4 / steps as f64).0);
        for line in [Line::Dampers, Line::Actuators, Line::Medium] {
            let [coarse, fine] = [coarse, fine].map(|total| (total.work(line) - exact.work(line)).abs());
            assert!(exact.work(line).abs() > 1e-3, "{}", line.word());
            let what = format!("{name}, {}: {coarse:e} {fine:e} of {:e}", line.word(), exact.work(line));
            assert!(coarse < 1e-2 * exact.work(line).abs() && fine < 0.55 * coarse, "{what}");
        }
    }
}

/// Without projection the constraints do work while they close what is open, and say how much. (`implicit` and `backward` close it
/// in one step.)
#[test]
fn constraints_that_close_slowly_do_work() {
    let (model, mut start) = four_bar(1.0, 2.0, 1.0, 2.0);
    start.q[1] += 0.1;
    let closed = |name: &str, dt: f64| {
        let (mut system, mut state) = (System::new(&model), start.clone());
        system.stabilise(Stabilisation::Baumgarte { time_constant: 0.1 });
        let mut integrator = integrate::by_name(name, &model).unwrap();
        let mut ledger = Ledger::begin(&mut system, &state);
        for _ in 0..(0.3 / dt).round() as usize {
            ledger.step(&mut system, &mut *integrator, &mut state, dt).unwrap();
        }
        ledger.total().work(Line::Constraints)
    };
    let exact = closed("adaptive", 1e-3);
    assert!(exact < -0.1, "{exact}");
    for name in ["semi-implicit", "leapfrog"] {
        let [coarse, fine] = [1e-3, 5e-4].map(|dt| (closed(name, dt) - exact).abs());
        assert!(coarse < 5e-3 && fine < 0.55 * coarse, "{name}: {coarse:e} {fine:e} of {exact:e}");
    }
}

/// A run whose ledger is kept is the same run.
#[test]
fn a_ledger_only_looks() {
    for (model, start) in [everything(), four_bar(1.0, 2.0, 1.0, 2.0), stopped(0.0), stopped(0.5)] {
        let twin = Maximal::of(&model).unwrap();
        for (formulation, model, start) in
            [("reduced", &model, start.clone()), ("maximal", twin.model(), twin.state(&start))]
        {
            for name in integrate::Method::TREE.map(integrate::Method::word) {
                let what = format!("{}, {name}, {formulation}", model.name());
                let mut system = System::new(model);
                let (mut integrator, mut bare) = (integrate::by_name(name, model).unwrap(), start.clone());
                let made = (0..200).try_for_each(|_| system.step(&mut *integrator, &mut bare, 2e-3));
                let mut system = System::new(model);
                let (mut integrator, mut kept) = (integrate::by_name(name, model).unwrap(), start.clone());
                let mut ledger = Ledger::begin(&mut system, &kept);
                let booked =
                    (0..200).try_for_each(|_| ledger.step(&mut system, &mut *integrator, &mut kept, 2e-3));
                assert_eq!(made, booked, "{what}");
                assert_eq!((bare.q, bare.v), (kept.q, kept.v), "{what}");
            }
        }
    }
}
