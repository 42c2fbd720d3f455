//! From a snapshot a run goes on bit for bit: of every scene, by every integrator, in both formulations.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot::algebra::V3;
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::model::*;
use poinsot::scenes::{self, SCENES, Scene};
use poinsot::{Formulation, Simulation, SimulationError, Snapshot, SnapshotError};

/// All scenes, those of any number with a small one.
fn every_scene() -> impl Iterator<Item = Scene> {
    SCENES.iter().map(|(name, _)| scenes::by_name(&name.replace(":N", ":3")).unwrap())
}

fn begin(scene: &Scene, method: Method, formulation: Formulation) -> Result<Simulation<'_>, SimulationError> {
    let mut control = vec![0.3; scene.model.actuators().len()];
    control[..scene.control.len()].copy_from_slice(&scene.control);
    Simulation::builder(&scene.model)
        .state(scene.state.clone())
        .control(control)
        .integrator(method)
        .formulation(formulation)
        .build()
}

/// Time, state and activations, to the bit.
fn bits(state: &State) -> Vec<u64> {
    let State { time, q, v, activation } = state;
    [time].into_iter().chain(q).chain(v).chain(activation).map(|x| x.to_bits()).collect()
}

/// Goes on for a while; a scene that ends early (too stiff for the method, a fold) ends for all in the same way.
fn go_on(simulation: &mut Simulation, steps: usize, dt: f64) -> (Vec<u64>, Option<String>) {
    let error = simulation.advance(steps, dt).err().map(|e| e.to_string());
    (bits(simulation.state()), error)
}

/// In the same simulation, in a fresh one, and through text.
fn check(scene: &Scene, method: Method, formulation: Formulation, steps: usize) {
    let Ok(mut simulation) = begin(scene, method, formulation) else {
        assert!(!method.is_for_trees(), "{}, {method}", scene.model.name());
        return;
    };
    let what = || format!("{}, {method}, {formulation}", scene.model.name());
    // the error control of adaptive must resolve joints of 1e9 N/m
    let soft = scene.model.constraints().iter().any(|c| c.softness.is_some());
    let dt = if method == Method::Adaptive && soft { 1e-6 } else { scene.dt };
    if simulation.advance(37, dt).is_err() {
        return;
    }
    let snapshot = simulation.snapshot();
    let read = Snapshot::from_json(&snapshot.to_json()).unwrap();
    assert_eq!(read, snapshot, "{}", what());
    let uninterrupted = go_on(&mut simulation, steps, dt);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(go_on(&mut simulation, steps, dt), uninterrupted, "{}", what());
    let mut fresh = begin(scene, method, formulation).unwrap();
    fresh.restore(&read).unwrap_or_else(|e| panic!("{}: {e}", what()));
    assert_eq!(go_on(&mut fresh, steps, dt), uninterrupted, "{}, in a fresh simulation", what());
}

/// Fewer steps where one takes long.
fn steps_of(scene: &Scene, method: Method, formulation: Formulation) -> usize {
    let size = scene.model.nv() * if formulation == Formulation::Maximal { 12 } else { 1 };
    match method {
        Method::Adaptive => (2000 / (size + 20)).clamp(5, 60),
        _ => (60_000 / (size + 10)).clamp(40, 1000),
    }
}

#[test]
fn every_scene_goes_on_bit_for_bit_in_the_coordinates_of_its_joints() {
    for scene in every_scene() {
        for method in Method::ALL {
            check(&scene, method, Formulation::Reduced, steps_of(&scene, method, Formulation::Reduced));
        }
    }
}

#[test]
fn every_scene_goes_on_bit_for_bit_in_maximal_coordinates() {
    for scene in every_scene() {
        for method in Method::TREE {
            check(&scene, method, Formulation::Maximal, steps_of(&scene, method, Formulation::Maximal));
        }
    }
}

/// A crank with a spring, a servo with a filter and a gear: all that turns are counted for.
fn geared() -> Model {
    let mut b = ModelBuilder::new("geared");
    let rod = Shape::Capsule { radius: 0.05, length: 0.4 };
    let mut hinge = |name: &str, at: V3| {
        let body = b.body(BodyId::WORLD, BodySpec::new(name).at(at).solid(&rod, 1.0).unwrap());
        b.joint(body, Joint::revolute(V3::Y).damping(0.01).named(format!("{name} hinge")))
    };
    let (one, two) = (hinge("one", V3::ZERO), hinge("two", V3::X));
    b.constraint(Constraint::gear(one, two, 0.5, 0.0));
    b.actuator(Actuator::velocity(one, 2.0).dynamics(ActuatorDynamics::Filter { time_constant: 0.1 }));
    b.build().unwrap()
}

#[test]
fn turns_and_activations_go_on() {
    let model = geared();
    for formulation in Formulation::ALL {
        for method in Method::TREE {
            let begin = || {
                let state = State { v: vec![20.0, 40.0], ..State::new(&model) };
                let builder = Simulation::builder(&model).state(state).control(vec![30.0]);
                builder.integrator(method).formulation(formulation).build().unwrap()
            };
            let mut simulation = begin();
            simulation.advance(1500, 1e-3).unwrap();
            assert!(simulation.state().q[0] > 25.0 && simulation.state().activation[0] > 1.0);
            let snapshot = simulation.snapshot();
            let whole = go_on(&mut simulation, 1000, 1e-3);
            let mut fresh = begin();
            fresh.restore(&snapshot).unwrap();
            assert_eq!(go_on(&mut fresh, 1000, 1e-3), whole, "{method}, {formulation}");
            assert_eq!(whole.1, None, "{method}, {formulation}");
        }
    }
}

/// Two rods between stops, rubbing in their hinges, saved while they lie against them, stick and slip.
#[test]
fn limits_and_dry_friction_go_on() {
    let mut b = ModelBuilder::new("between stops");
    let rod = Shape::Capsule { radius: 0.05, length: 0.4 };
    let mut parent = BodyId::WORLD;
    for (name, friction) in [("upper", 0.3), ("lower", 0.05)] {
        let spec = BodySpec::new(name).at(V3::Z * -0.4).solid(&rod, 1.0).unwrap();
        parent = b.body(parent, spec);
        b.joint(parent, Joint::revolute(V3::Y).anchor(V3::Z * 0.2).limits(-0.6, 0.9).friction_loss(friction));
    }
    let model = b.build().unwrap();
    for formulation in Formulation::ALL {
        for method in Method::TREE {
            let begin = || {
                let state = State { q: vec![0.8, -0.5], v: vec![-3.0, 1.0], ..State::new(&model) };
                Simulation::builder(&model)
                    .state(state)
                    .integrator(method)
                    .formulation(formulation)
                    .build()
                    .unwrap()
            };
            let mut simulation = begin();
            for _ in 0..4 {
                simulation.advance(83, 2e-3).unwrap();
                let snapshot = simulation.snapshot();
                let read = Snapshot::from_json(&snapshot.to_json()).unwrap();
                let whole = go_on(&mut simulation, 100, 2e-3);
                let mut fresh = begin();
                fresh.restore(&read).unwrap();
                assert_eq!(go_on(&mut fresh, 100, 2e-3), whole, "{method}, {formulation}");
                simulation.restore(&snapshot).unwrap();
                assert_eq!(go_on(&mut simulation, 100, 2e-3), whole, "{method}, {formulation}, the same");
            }
        }
    }
}

/// In maximal coordinates turns are counted in every step, not once a call.
#[test]
fn a_fast_hinge_counts_all_its_turns_in_one_call() {
    let mut b = ModelBuilder::new("wheel");
    b.gravity(V3::ZERO);
    let wheel =
        b.body(BodyId::WORLD, BodySpec::new("wheel").solid(&Shape::Sphere { radius: 0.1 }, 1.0).unwrap());
    b.joint(wheel, Joint::revolute(V3::Z));
    let model = b.build().unwrap();
    // the last turns by more than half a turn in a step
    for rate in [10.0, 300.0, 900.0] {
        let mut simulation = Simulation::builder(&model)
            .state(State { v: vec![rate], ..State::new(&model) })
            .integrator(Method::SemiImplicit)
            .formulation(Formulation::Maximal)
            .build()
            .unwrap();
        simulation.advance(10_000, 1e-2).unwrap();
        let turned = simulation.state().q[0];
        assert!((turned - 100.0 * rate).abs() < 1e-6, "{rate}: {turned}");
    }
}

/// State, controls, violation, forces and momentum are those of the model in either formulation.
#[test]
fn answers_are_in_the_terms_of_the_model() {
    let model = geared();
    let ask = |formulation| {
        let state = State { v: vec![20.0, 40.0], ..State::new(&model) };
        let builder = Simulation::builder(&model).state(state).control(vec![30.0]);
        let mut s = builder.integrator(Method::Rkmk4).formulation(formulation).ledger(true).build().unwrap();
        s.run(200, 1e-4).unwrap();
        let (held, off) = s.violation().unwrap();
        assert!(off < 1e-12 && !held.name(&model).is_empty());
        let forces = s.constraint_forces();
        assert_eq!(model[forces[0].0].name, model.constraints()[0].name);
        let reactions: Vec<f64> = s
            .reactions()
            .iter()
            .flat_map(|(_, f)| f.force.array().into_iter().chain(f.moment.array()))
            .collect();
        let momentum = s.at().momentum();
        let mut all = s.acceleration();
        all.extend(s.state().q.iter().chain(&s.state().v).chain(&s.state().activation).chain(s.control()));
        all.extend(forces[0].1.iter().chain(&reactions).chain(&momentum.moment.array()));
        all.push(s.energy());
        assert!(s.ledger().unwrap().total().imbalance().abs() < 1e-9);
        all
    };
    let (reduced, maximal) = (ask(Formulation::Reduced), ask(Formulation::Maximal));
    for (k, (a, b)) in reduced.iter().zip(&maximal).enumerate() {
        assert!((a - b).abs() <= 1e-7 * a.abs().max(1.0), "number {k}: {a} and {b}");
    }
}

/// A step that fails leaves state and turns as they were: the next one may be smaller.
#[test]
fn a_step_that_fails_in_maximal_coordinates_can_be_made_again() {
    let model = geared();
    let state = State { v: vec![20.0, 40.0], ..State::new(&model) };
    let builder = Simulation::builder(&model).state(state).control(vec![30.0]);
    let mut simulation =
        builder.integrator(Method::SemiImplicit).formulation(Formulation::Maximal).build().unwrap();
    simulation.advance(1000, 1e-3).unwrap();
    let before = bits(simulation.state());
    assert!(simulation.advance(1, 1e200).is_err());
    assert_eq!(bits(simulation.state()), before);
    simulation.advance(1000, 1e-3).unwrap();
    assert!(simulation.state().q[0] > 30.0 && simulation.violation().unwrap().1 < 1e-11);
}

#[test]
fn what_is_of_something_else_is_refused() {
    let (one, other) = (scenes::by_name("four-bar").unwrap(), scenes::by_name("slider-crank").unwrap());
    let simulation = |scene, method, formulation| begin(scene, method, formulation).unwrap();
    let snapshot = simulation(&one, Method::Midpoint, Formulation::Reduced).snapshot();
    for (mut wrong, words) in [
        (simulation(&other, Method::Midpoint, Formulation::Reduced), ["four-bar", "slider-crank"]),
        (simulation(&one, Method::Rkmk4, Formulation::Reduced), ["midpoint", "rkmk4"]),
        (simulation(&one, Method::Midpoint, Formulation::Maximal), ["reduced", "maximal"]),
    ] {
        let before = wrong.snapshot();
        let error = wrong.restore(&snapshot).unwrap_err().to_string();
        assert!(words.iter().all(|w| error.contains(w)), "{error}");
        assert_eq!(wrong.snapshot(), before);
    }
}

#[test]
fn bad_files_are_refused_with_the_reason() {
    let scene = scenes::by_name("double-pendulum").unwrap();
    let mut simulation = begin(&scene, Method::Adaptive, Formulation::Maximal).unwrap();
    simulation.advance(3, 0.01).unwrap();
    let good = simulation.snapshot().to_json();
    let value: serde_json::Value = serde_json::from_str(&good).unwrap();
    let mut reasons = Vec::new();
    let edited = {
        let mut edited = value.clone();
        edited["check"] = "none".into();
        edited.to_string()
    };
    assert_eq!(Snapshot::from_json(&edited).unwrap(), simulation.snapshot());
    // any other digit of any number is noticed
    for (at, _) in good.match_indices(|c: char| c.is_ascii_digit()).step_by(7) {
        let mut bytes = good.clone().into_bytes();
        bytes[at] = if bytes[at] == b'5' { b'6' } else { b'5' };
        let changed = String::from_utf8(bytes).unwrap();
        let same = serde_json::from_str::<serde_json::Value>(&changed).is_ok_and(|v| v == value);
        assert!(same || Snapshot::from_json(&changed).is_err(), "{changed}");
    }
    for key in value.as_object().unwrap().keys().filter(|k| *k != "bodies") {
        for bad in [serde_json::json!(null), serde_json::json!({"a": 1}), serde_json::json!([["x"]])] {
            let mut broken = value.clone();
            broken["check"] = "none".into();
            broken[key.as_str()] = bad;
            let text = broken.to_string();
            let refused = Snapshot::from_json(&text).map_err(|e| e.to_string());
            let refused = refused.and_then(|s| simulation.restore(&s).map_err(|e| e.to_string()));
            reasons.push(refused.unwrap_err());
        }
    }
    assert!(reasons.iter().all(|r| r.contains("snapshot")), "{reasons:?}");
    for (change, word) in [
        (good.replace("snapshot\":2", "snapshot\":3"), "version 3"),
        (good[..good.len() / 2].to_string(), "not a snapshot"),
        (good.replace("\"memory\":[", "\"memory\":[1.5,"), "damaged"),
        (good.replace("\"v\":[", "\"v\":[1e999,"), "not a snapshot"),
        (good.replace("\"q\":[", "\"q\":[0.5,"), "damaged"),
        (edited.replace("\"q\":[", "\"q\":[0.5,"), "coordinates"),
        ("[1, 2]".into(), "not a snapshot"),
        (String::new(), "not a snapshot"),
    ] {
        let read = Snapshot::from_json(&change).map_err(|e| e.to_string());
        let error = read.and_then(|s| simulation.restore(&s).map_err(|e| e.to_string())).unwrap_err();
        assert!(error.contains(word), "{word}: {error}");
    }
    let before = simulation.snapshot();
    assert_eq!(before, Snapshot::from_json(&good).unwrap(), "what was refused has changed nothing");
    let missing = Snapshot::read("no/such/file").unwrap_err();
    assert!(matches!(missing, SnapshotError::File { .. }) && missing.to_string().contains("no/such/file"));
}

/// The ledger of what goes on from a snapshot has accounted for the same; energy is looked at where only `step` was called.
#[test]
fn a_snapshot_has_the_ledger() {
    let scene = scenes::by_name("bounce").unwrap();
    let begin = |ledger| {
        let builder =
            Simulation::builder(&scene.model).state(scene.state.clone()).integrator(Method::Leapfrog);
        builder.contact(scene.contact).dt(scene.dt).ledger(ledger).build().unwrap()
    };
    let mut one = begin(true);
    one.run(400, scene.dt).unwrap();
    let text = one.snapshot().to_json();
    one.run(300, scene.dt).unwrap();
    let (total, scale) = (*one.ledger().unwrap().total(), one.ledger().unwrap().scale());
    let mut other = begin(true);
    other.restore(&Snapshot::from_json(&text).unwrap()).unwrap();
    other.run(300, scene.dt).unwrap();
    assert_eq!((other.ledger().unwrap().total(), other.ledger().unwrap().scale()), (&total, scale));
    // back to where nothing had been accounted for
    let mut plain = begin(false);
    plain.run(10, scene.dt).unwrap();
    one.restore(&plain.snapshot()).unwrap();
    assert_eq!(one.ledger().unwrap().total().kinetic, 0.0);
    let mut damaged: serde_json::Value = serde_json::from_str(&text).unwrap();
    damaged["check"] = "none".into();
    damaged["ledger"].as_array_mut().unwrap().push(1.0.into());
    let damaged = damaged.to_string();
    assert!(other.restore(&Snapshot::from_json(&damaged).unwrap()).is_err());
    // a ball that bounces with e < 1 loses energy, whoever looks
    let mut stepped = begin(false);
    while stepped.tally().number(poinsot::integrate::EventKind::Impact) == 0 {
        stepped.step().unwrap();
    }
    assert!(stepped.drift_seen().energy == 0.0 && stepped.drift().energy > 0.1);
}
