//! The ledger closes, and what it calls integration error vanishes with the step at the order of the method.

use super::mechanisms::four_bar;
use poinsot_core::algebra::V3;
use poinsot_core::audit::{Account, Ledger, Line};
use poinsot_core::constraint::Maximal;
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
