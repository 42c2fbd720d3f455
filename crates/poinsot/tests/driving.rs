//! Forces that a user applies, and what sensors read, in both formulations.
#![allow(clippy::unwrap_used)]

mod edited;

use edited::edited;
use poinsot::audit::Line;
use poinsot::control::{ComputedTorque, Target};
use poinsot::integrate::StepError;
use poinsot::prelude::*;
use poinsot::spatial::Force;
use poinsot::{Load, SimulationError};

/// A double pendulum at an angle, at rest.
fn begin(formulation: Formulation, method: Method, model: &Model) -> Simulation<'_> {
    let state = State { q: vec![0.7, -0.4], ..State::new(model) };
    let builder = Simulation::builder(model).state(state).formulation(formulation);
    builder.integrator(method).dt(1e-3).ledger(true).build().unwrap()
}

fn double_pendulum() -> Model {
    poinsot::scenes::by_name("double-pendulum").unwrap().model
}

const BOTH: [Formulation; 2] = [Formulation::Reduced, Formulation::Maximal];

#[test]
fn a_load_is_the_force_that_its_jacobian_makes_of_it() {
    let model = double_pendulum();
    let body = model.body_ids().last().unwrap();
    let (point, wrench) =
        (V3::new(0.1, 0.2, 0.3), Force { moment: V3::new(0.0, 0.3, 0.1), force: V3::new(2.0, -1.0, 3.0) });
    for formulation in BOTH {
        let mut pushed = begin(formulation, Method::Rkmk4, &model);
        pushed.apply_load(Load { body, point, wrench }).unwrap();
        let mut driven = begin(formulation, Method::Rkmk4, &model);
        let at = driven.at();
        let jacobian = at.jacobian_at(body, at.pose(body).point(point));
        let six = [wrench.moment, wrench.force].map(|v| v.array()).concat();
        let tau: Vec<f64> = (0..2).map(|k| (0..6).map(|r| jacobian[(r, k)] * six[r]).sum()).collect();
        driven.apply_forces(&tau).unwrap();
        let (a, b) = (pushed.acceleration(), driven.acceleration());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
        // but a load does not go through the joints
        let joints = |s: &mut Simulation| s.reactions().last().unwrap().1.force;
        let difference = joints(&mut driven) - joints(&mut pushed);
        assert!((difference - wrench.force).norm() < 1e-11, "{difference:?}");
        pushed.clear_loads();
        assert!(pushed.loads().is_empty());
    }
}

#[test]
fn the_ledger_closes_while_forces_change() {
    let model = double_pendulum();
    for (formulation, method) in BOTH.iter().flat_map(|f| Method::TREE.map(|m| (*f, m))) {
        let mut simulation = begin(formulation, method, &model);
        for step in 0..400 {
            let t = f64::from(step) * 1e-3;
            simulation.apply_forces(&[10.0 * (20.0 * t).sin(), 3.0]).unwrap();
            simulation.step().unwrap();
        }
        let total = simulation.ledger().unwrap().total();
        assert!(total.work(Line::Elements).abs() > 0.1);
        assert!(total.imbalance().abs() < 1e-12, "{formulation} {method}: {}", total.imbalance());
        let error = total.work(Line::Integration).abs();
        assert!(error < if is_first_order(method) { 0.2 } else { 1e-3 }, "{formulation} {method}: {error}");
    }
}

fn is_first_order(method: Method) -> bool {
    matches!(method, Method::SemiImplicit | Method::Implicit | Method::Backward)
}

#[test]
fn snapshots_go_on_with_forces_bit_for_bit() {
    let model = double_pendulum();
    for formulation in BOTH {
        let mut one = begin(formulation, Method::Leapfrog, &model);
        one.apply_forces(&[1.0, -2.0]).unwrap();
        one.run(50, 1e-3).unwrap();
        let wrench = Force { moment: V3::ZERO, force: V3::X };
        one.apply_load(Load { body: model.body_ids().last().unwrap(), point: V3::Z, wrench }).unwrap();
        let saved = Snapshot::from_json(&one.snapshot().to_json()).unwrap();
        assert_eq!(saved, one.snapshot());
        let mut other = begin(formulation, Method::Leapfrog, &model);
        other.restore(&saved).unwrap();
        one.run(50, 1e-3).unwrap();
        other.run(50, 1e-3).unwrap();
        assert_eq!(one.state(), other.state());
        // one without forces takes them away again
        let mut plain = begin(formulation, Method::Leapfrog, &model);
        other.restore(&plain.snapshot()).unwrap();
        plain.run(50, 1e-3).unwrap();
        other.run(50, 1e-3).unwrap();
        assert_eq!(plain.state(), other.state());
    }
}

#[test]
fn forces_that_do_not_fit_are_refused() {
    let model = double_pendulum();
    let mut simulation = begin(Formulation::Reduced, Method::Leapfrog, &model);
    let said = |outcome: Result<(), SimulationError>| outcome.unwrap_err().to_string();
    assert_eq!(said(simulation.apply_forces(&[1.0])), "1 forces for 2 degrees of freedom");
    assert!(said(simulation.apply_forces(&[1.0, f64::NAN])).contains("\"hinge2\""));
    let wrench = Force { moment: V3::ZERO, force: V3::X * f64::INFINITY };
    let body = model.body_ids().last().unwrap();
    assert!(said(simulation.apply_load(Load { body, point: V3::ZERO, wrench })).contains("is not finite"));
    let text = simulation.snapshot().to_json();
    for wrong in ["\"tau\":[1.0],\"memory\"", "\"loads\":[[9,0,0,0,0,0,0,0,0,1]],\"memory\""] {
        assert!(simulation.restore(&edited(&text, "\"memory\"", wrong)).is_err());
    }
}

#[test]
fn a_long_step_ends_when_asked() {
    let scene = poinsot::scenes::by_name("heavy-chain:20").unwrap();
    for (formulation, method) in
        BOTH.iter().flat_map(|f| [Method::Adaptive, Method::Leapfrog].map(|m| (*f, m)))
    {
        let asked = std::cell::Cell::new(0);
        let builder = Simulation::builder(&scene.model).state(scene.state.clone());
        let mut simulation = builder.formulation(formulation).integrator(method).dt(1.0).build().unwrap();
        simulation.interrupt_when(move || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        });
        let outcome = simulation.run(1000, 1.0);
        assert!(matches!(outcome, Err(SimulationError::Step(StepError::Interrupted { .. }))), "{outcome:?}");
        assert_eq!(simulation.state().time, simulation.steps() as f64);
        // another state does not forget who asks
        simulation.set_state(scene.state.clone()).unwrap();
        assert!(simulation.run(1000, 1.0).is_err());
    }
}

/// Between its iterations, too; and the step that is made later is what it would have been.
#[test]
fn one_step_of_backward_ends_when_asked() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let scene = poinsot::scenes::by_name("stewart").unwrap();
    for formulation in BOTH {
        let begin = || {
            let builder = Simulation::builder(&scene.model).state(scene.state.clone());
            let mut simulation =
                builder.formulation(formulation).integrator(Method::Backward).build().unwrap();
            simulation.run(3, 1e-3).unwrap();
            simulation
        };
        let (mut simulation, mut other) = (begin(), begin());
        let left = std::sync::Arc::new(AtomicUsize::new(3));
        let questions = left.clone();
        simulation.interrupt_when(move || questions.fetch_sub(1, Relaxed) == 1);
        let outcome = simulation.run(1, 1e-3);
        assert!(matches!(outcome, Err(SimulationError::Step(StepError::Interrupted { .. }))), "{outcome:?}");
        assert_eq!(simulation.steps(), 3);
        left.store(usize::MAX, Relaxed);
        simulation.run(3, 1e-3).unwrap();
        other.run(3, 1e-3).unwrap();
        assert_eq!(simulation.state(), other.state());
    }
}

#[test]
fn errors_decay_as_computed() {
    let model = double_pendulum();
    for formulation in BOTH {
        let mut simulation = begin(formulation, Method::Rkmk4, &model);
        let mut law = ComputedTorque::new(&model, 10.0);
        for _ in 0..5000 {
            let tau = law.force(simulation.state(), &Target::rest(&[0.0, 0.0]));
            simulation.apply_forces(&tau).unwrap();
            simulation.run(1, 1e-4).unwrap();
        }
        // e₀ (1 + ω t) exp(−ω t), but for the force being held over each step
        let exact = 0.7 * 6.0 * (-5.0_f64).exp();
        assert!((simulation.state().q[0] - exact).abs() < 1e-4);
    }
}

#[test]
fn a_pendulum_feels_what_it_should() {
    use poinsot::model::{Frame, Measure, Sensor, Site};
    let mut b = ModelBuilder::new("pendulum");
    let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 2.0).unwrap());
    b.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z));
    let site = b.site(Site { name: "middle".into(), body: bob, pose: Pose::IDENTITY });
    let at = Frame { body: bob, pose: Pose::IDENTITY };
    let felt = b.sensor(Sensor::new("felt", Measure::Accelerometer(at)));
    let borne = b.sensor(Sensor { cutoff: Some(100.0), ..Sensor::new("borne", Measure::Force(at)) });
    let model = b.build().unwrap();
    assert_eq!(model[site].name, "middle");
    // through the lowest point at 10 rad/s: the weight, and twice 100 m/s² inwards, which the second sensor cuts
    let state = State { v: vec![10.0], ..State::new(&model) };
    for formulation in BOTH {
        let builder = Simulation::builder(&model).state(state.clone()).formulation(formulation);
        let mut simulation = builder.build().unwrap();
        assert!((simulation.sense(felt)[2] - 109.81).abs() < 1e-12);
        assert_eq!(simulation.sense_all()[borne.index()][2], 100.0);
    }
}

/// Force sensors on a bracket that a fixed joint holds, on a plate welded to it without a joint, and under both a rod on a hinge and a
/// rope to a weight: each bears what hangs on it.
#[test]
fn forces_on_bodies_that_are_fixed() {
    use poinsot::model::{Frame, JointKind, Measure, Sensor};
    let mut b = ModelBuilder::new("bracket");
    let solid = |name: &str, mass: f64, at: V3| {
        BodySpec::new(name).at(at).solid(&Shape::Sphere { radius: 0.1 }, mass).expect("a solid")
    };
    let bracket = b.body(BodyId::WORLD, solid("bracket", 2.0, V3::Z));
    b.joint(bracket, Joint::new(JointKind::Fixed));
    let plate = b.body(bracket, solid("plate", 0.5, V3::X * 0.3));
    let rod = b.body(plate, solid("rod", 0.25, V3::Z * -0.2));
    b.joint(rod, Joint::revolute(V3::Y).anchor(V3::Z * 0.2));
    let weight = b.body(BodyId::WORLD, solid("weight", 4.0, V3::X * 0.3 + V3::Y * 0.6));
    b.joint(weight, Joint::free());
    b.constraint(Constraint::distance(Mount::new(plate, V3::Y * 0.6), Mount::new(weight, V3::ZERO), 1.0));
    let at = |body: BodyId| Frame { body, pose: Pose::IDENTITY };
    let sensors = [bracket, plate].map(|body| {
        let force = b.sensor(Sensor::new(format!("force {body:?}"), Measure::Force(at(body))));
        (force, b.sensor(Sensor::new(format!("torque {body:?}"), Measure::Torque(at(body)))))
    });
    let model = b.build().expect("a model");
    for formulation in [Formulation::Reduced, Formulation::Maximal] {
        let builder = Simulation::builder(&model).formulation(formulation);
        let mut s = builder.build().expect("a simulation");
        for ((force, torque), (own, arm)) in sensors.into_iter().zip([(2.0, 0.3), (0.0, 0.0)]) {
            let (force, torque) = (s.sense(force), s.sense(torque));
            let carried = [(0.5, V3::X * arm), (0.25, V3::X * arm), (4.0, V3::X * arm + V3::Y * 0.6)];
            let bears =
                carried.iter().fold(V3::ZERO, |sum, (mass, at)| sum + at.cross(V3::Z * (9.81 * mass)));
            let up = 9.81 * (own + 4.75);
            let off = (V3::new(force[0], force[1], force[2]) - V3::Z * up).norm()
                + (V3::new(torque[0], torque[1], torque[2]) - bears).norm();
            assert!(off < 1e-9, "{formulation}: {force:?} for {up}, {torque:?} for {bears:?}");
        }
    }
}

/// A wheel of inertia 0.004 kg m² under a force that is computed anew before each step, from q, v and the number of the step.
fn under_feedback(steps: usize, law: impl Fn(f64, f64, usize) -> f64) -> Option<poinsot::UnstableFeedback> {
    let mut b = ModelBuilder::new("wheel");
    let ball = BodySpec::new("wheel").solid(&Shape::Sphere { radius: 0.1 }, 1.0).unwrap();
    let wheel = b.body(BodyId::WORLD, ball);
    b.joint(wheel, Joint::revolute(V3::Y).named("axle"));
    let model = b.build().unwrap();
    let state = State { q: vec![0.1], v: vec![0.01], ..State::new(&model) };
    let builder = Simulation::builder(&model).state(state).integrator(Method::Leapfrog).dt(0.01);
    let mut simulation = builder.build().unwrap();
    for step in 0..steps {
        let (q, v) = (simulation.state().q[0], simulation.state().v[0]);
        simulation.apply_forces(&[law(q, v, step)]).unwrap();
        if simulation.step().is_err() {
            return simulation.feedback_before_failure();
        }
    }
    simulation.unstable_feedback()
}

/// The bounds of damping and stiffness are those of the theory, d = 2 and p = 2 d, from both sides.
#[test]
fn unstable_feedback_is_recognised_and_stable_feedback_is_not() {
    let (inertia, h) = (0.4 * 0.1 * 0.1, 0.01);
    let (damping, stiffness) = (2.0 * inertia / h, 4.0 * inertia / (h * h));
    for (kp, kd, unstable) in [
        (0.0, 1.1 * damping, true),
        (0.0, 0.98 * damping, false),
        (0.1 * stiffness, 1.05 * damping, true),
        (0.1 * stiffness, 0.9 * damping, false),
        // p = 2 d at d = 0.8
        (0.4 * 1.2 * stiffness, 0.4 * damping, true),
        (0.4 * 0.9 * stiffness, 0.4 * damping, false),
        (0.5 * stiffness, 0.0, true),
        (0.01 * stiffness, 0.2 * damping, false),
    ] {
        let found = under_feedback(2000, |q, v, _| -kp * q - kd * v);
        assert_eq!(found.is_some(), unstable, "{kp} {kd}: {found:?}");
        let Some(found) = found else { continue };
        assert_eq!(found.at, "joint \"axle\"");
        assert!((found.held - h).abs() < 1e-12, "{}", found.held);
        assert!((found.inertia.unwrap() - inertia).abs() < 1e-12, "{found:?}");
        assert!(found.sentence().contains("k_d = 2 I/h = 8.0e-1"), "{}", found.sentence());
    }
}

/// A motor with a limit only shakes.
#[test]
fn a_limited_motor_that_shakes_is_recognised() {
    let found = under_feedback(500, |q, v, _| (-4.0 * q - 4.0 * v).clamp(-0.02, 0.02)).unwrap();
    assert!(found.sentence().contains("has reversed in each of"), "{}", found.sentence());
}

#[test]
fn forces_that_are_no_feedback_are_no_alarm() {
    let noise = |step: usize| {
        let mut x = (step as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    // noise, a random bang-bang, a chirp, a swing that grows
    assert_eq!(under_feedback(300_000, |_, _, k| noise(k)), None);
    assert_eq!(under_feedback(300_000, |_, _, k| noise(k).signum()), None);
    assert_eq!(under_feedback(20_000, |_, _, k| libm::sin(1e-6 * (k * k) as f64)), None);
    let grows = |_: f64, _: f64, k: usize| 1e-6 * libm::exp(1e-3 * k as f64) * libm::sin(0.1 * k as f64);
    assert_eq!(under_feedback(10_000, grows), None);
}

/// As on the command line: the joint is named instead of a step that ends in infinity.
#[test]
fn a_model_that_moves_no_mass_is_refused() {
    let mut b = ModelBuilder::new("nothing turns");
    let rotor = b.body(BodyId::WORLD, BodySpec::new("rotor"));
    b.joint(rotor, Joint::revolute(V3::Z).named("axle"));
    let model = b.lenient().clone().build().unwrap();
    let why = Simulation::builder(&model).build().err().unwrap().to_string();
    assert!(
        why.contains("a simulation of \"nothing turns\" is not possible: the mass matrix is singular"),
        "{why}"
    );
    assert!(why.contains("joint \"axle\""), "{why}");
}
