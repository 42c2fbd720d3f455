//! The derivatives of whole steps against differences of steps that simulations begun next to one another make.
#![allow(clippy::unwrap_used)]

use poinsot::algebra::V3;
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::model::*;
use poinsot::nalgebra::{DMatrix, DVector};
use poinsot::scenes::{self, SCENES};
use poinsot::{Contact, Formulation, Origin, Simulation};

const METHODS: [Method; 3] = [Method::SemiImplicit, Method::Implicit, Method::Leapfrog];

/// Where a step is begun, with what pushes.
#[derive(Clone)]
struct Start {
    state: State,
    control: Vec<f64>,
    force: Vec<f64>,
    touches: bool,
}

fn begin<'m>(model: &'m Model, method: Method, dt: f64, at: &Start) -> Simulation<'m> {
    let mut simulation = Simulation::builder(model)
        .state(at.state.clone())
        .integrator(method)
        .formulation(Formulation::Reduced)
        .dt(dt)
        .contact(at.touches.then(Contact::default))
        .build()
        .unwrap();
    simulation.control_mut().copy_from_slice(&at.control);
    simulation.apply_forces(&at.force).unwrap();
    simulation
}

/// Where the step ends, from `from`: along the velocities, and the velocities.
fn end(model: &Model, method: Method, dt: f64, at: &Start, from: &State) -> DVector<f64> {
    let mut simulation = begin(model, method, dt, at);
    simulation.step().unwrap();
    let n = model.nv();
    let mut out = DVector::zeros(2 * n);
    model.difference(&from.q, &simulation.state().q, &mut out.as_mut_slice()[..n]);
    (0..n).for_each(|k| out[n + k] = simulation.state().v[k] - from.v[k]);
    out
}

/// Differences of sixth order: a column for each entry of q, v, control and force.
fn differences(model: &Model, method: Method, dt: f64, at: &Start, from: &State) -> DMatrix<f64> {
    let (n, nu) = (model.nv(), model.actuators().len());
    let moved = |column: usize, by: f64| {
        let mut there = at.clone();
        if column < n {
            let mut unit = vec![0.0; n];
            unit[column] = by;
            model.integrate(&mut there.state.q, &unit, 1.0);
        } else if column < 2 * n {
            there.state.v[column - n] += by;
        } else if column < 2 * n + nu {
            there.control[column - 2 * n] += by;
        } else {
            there.force[column - 2 * n - nu] += by;
        }
        end(model, method, dt, &there, from)
    };
    let mut out = DMatrix::zeros(2 * n, 3 * n + nu);
    for column in 0..out.ncols() {
        // the guard of `leapfrog` repeats steps from loops that are open by more
        let h = if method == Method::Leapfrog { 1e-5 } else { 1e-3 };
        let slope = |k: f64| (moved(column, k * h) - moved(column, -k * h)) / (2.0 * k * h);
        out.set_column(column, &(slope(1.0) * 1.5 - slope(2.0) * 0.6 + slope(3.0) * 0.1));
    }
    out
}

/// How far derivatives and differences are apart, of the largest entry; none where they are not from the equations.
fn disagreement(model: &Model, method: Method, dt: f64, at: &Start) -> Option<f64> {
    let d = begin(model, method, dt, at).step_derivatives().unwrap();
    if let Origin::Differences(why) = d.origin {
        println!("{} {}: {why}", model.name(), method.word());
        return None;
    }
    // contacts that rest open on one side
    let opens = |column: usize| {
        let kind = if column < model.nv() { "q" } else { "v" };
        let name = format!("{kind} of {}", model.dof_name(column % model.nv()));
        d.kinks.iter().any(|kink| kink.along == name)
    };
    assert!(at.touches || d.is_differentiable());
    let parts = [&d.by_position, &d.by_velocity, &d.by_control, &d.by_force];
    let columns: Vec<DVector<f64>> =
        parts.iter().flat_map(|m| m.column_iter().map(|c| c.clone_owned())).collect();
    let own = DMatrix::from_columns(&columns);
    let mut other = differences(model, method, dt, at, &d.next);
    for k in (0..2 * model.nv()).filter(|k| opens(*k)) {
        other.set_column(k, &own.column(k));
    }
    Some((&own - &other).amax() / own.amax().max(1.0))
}

fn start(scene: &scenes::Scene) -> Start {
    let mut control = scene.control.clone();
    control.resize(scene.model.actuators().len(), 0.1);
    let force = (0..scene.model.nv()).map(|k| 0.1 * (k % 3) as f64 - 0.1).collect();
    Start { state: scene.state.clone(), control, force, touches: false }
}

/// Every scene that is small, where it begins. The differences err by some 1e-10.
#[test]
fn scenes_agree_with_differences() {
    let mut count = 0;
    for (name, _) in SCENES.iter().filter(|(name, _)| !name.contains(':')) {
        let scene = scenes::by_name(name).unwrap();
        if scene.model.nv() > 12 {
            continue;
        }
        for method in METHODS {
            let off = disagreement(&scene.model, method, scene.dt.min(2e-3), &start(&scene));
            println!("{name} {}: {off:?}", method.word());
            assert!(off.is_none_or(|off| off < 1e-7), "{name} {}: {off:?}", method.word());
            count += usize::from(off.is_some());
        }
    }
    assert!(count >= 40, "{count} by the equations");
}

/// A loop of two bodies on spherical joints with springs, closed by a rod, with servos and dampers on hinges: all that is special in the equations.
fn mechanism() -> (Model, State) {
    let mut b = ModelBuilder::new("mechanism");
    let rod = Shape::Capsule { radius: 0.05, length: 0.6 };
    let mut ends = Vec::new();
    let mut elbows = Vec::new();
    for (name, x) in [("left", 0.0), ("right", 0.8)] {
        let at = V3::new(x, 0.0, 0.0);
        let down = V3::Z * -0.3;
        let spec = BodySpec::new(format!("{name} upper")).at(at);
        let upper = b.body(BodyId::WORLD, spec.solid(&rod, 1.0).unwrap());
        let mut shoulder = Joint::spherical();
        (shoulder.stiffness, shoulder.damping) = (3.0, 0.2);
        b.joint(upper, shoulder.anchor(-down));
        let lower = b.body(
            upper,
            BodySpec::new(format!("{name} lower")).at(at + down * 2.0).solid(&rod, 0.7).unwrap(),
        );
        let mut hinge = Joint::revolute(V3::Y);
        (hinge.stiffness, hinge.damping, hinge.armature) = (1.0, 0.1, 0.01);
        elbows.push(b.joint(lower, hinge.anchor(-down)));
        ends.push(Mount::new(lower, down));
    }
    b.actuator(Actuator::position(elbows[0], 20.0).damping(1.0));
    b.actuator(Actuator::general(elbows[1]));
    b.constraint(Constraint::distance(ends[0], ends[1], 0.8));
    let model = b.build().unwrap();
    let v = vec![0.5, -0.3, 1.0, 0.4, -0.2, 0.6, -0.7, 0.3];
    let mut state = State { v, ..State::new(&model) };
    poinsot::begin_on_constraints(&model, &mut state).unwrap();
    (model, state)
}

#[test]
fn loops_of_balls_with_springs_and_servos_agree_with_differences() {
    let (model, state) = mechanism();
    let at = Start { state, control: vec![0.3, 0.5], force: vec![0.1; model.nv()], touches: false };
    for method in METHODS {
        for dt in [1e-3, 5e-3] {
            let off = disagreement(&model, method, dt, &at).unwrap();
            println!("{} {dt}: {off:e}", method.word());
            assert!(off < 1e-7, "{} {dt}: {off:e}", method.word());
        }
    }
}

/// A floor, and something on it that moves.
fn on_the_floor(shape: Shape, height: f64, v: [f64; 6]) -> (Model, Start) {
    let mut b = ModelBuilder::new("on the floor");
    let material = Material::with_friction(0.5);
    b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).material(material));
    let spec = BodySpec::new("body").at(V3::Z * height);
    let body = b.body(BodyId::WORLD, spec.solid_geom(Geom::new(shape).material(material), 2.0).unwrap());
    b.joint(body, Joint::free());
    let model = b.build().unwrap();
    let state = State { v: v.to_vec(), ..State::new(&model) };
    let force = vec![0.3, -0.2, 0.1, 0.01, 0.02, -0.01];
    (model, Start { state, control: Vec::new(), force, touches: true })
}

/// A ball that rolls, one that slides and spins, one that rests; and a box, whose four corners can share their load in more than one way.
/// Where the equations do not describe what the bodies do, finite differences replace them. These err by some 1e-9 of the curvature of
/// Coulomb's cone at such speeds.
#[test]
fn contacts_that_slide_stick_and_roll_agree_with_differences() {
    let block = Shape::Box { size: V3::new(0.3, 0.2, 0.2) };
    let ball = Shape::Sphere { radius: 0.1 };
    let cases = [
        ("rolls", ball.clone(), [1.0, 0.0, 0.0, 0.0, 10.0, 0.0]),
        ("skids", ball.clone(), [2.0, 0.0, 0.0, 0.0, -5.0, 1.0]),
        ("rests", ball, [0.0; 6]),
        ("box slides", block.clone(), [2.0, 0.5, 0.0, 0.0, 0.0, 0.0]),
        ("box sticks", block, [0.0; 6]),
    ];
    let mut count = 0;
    for (name, shape, v) in cases {
        let (model, at) = on_the_floor(shape, 0.1, v);
        for method in METHODS {
            let off = disagreement(&model, method, 2e-3, &at);
            println!("{name} {}: {off:?}", method.word());
            assert!(off.is_none_or(|off| off < 1e-7), "{name} {}: {off:?}", method.word());
            count += usize::from(off.is_some());
        }
    }
    assert!(count >= 9, "{count} of 15 by the equations");
}

/// Other methods have differences, and say why; `leapfrog` holds what it remembers of the step before.
#[test]
fn what_is_not_described_by_equations_says_so() {
    let scene = scenes::by_name("double-pendulum").unwrap();
    let at = start(&scene);
    let d = begin(&scene.model, Method::Rkmk4, 1e-3, &at).step_derivatives().unwrap();
    assert!(matches!(d.origin, Origin::Differences(why) if why.contains("method")));
    let mut leapfrog = begin(&scene.model, Method::Leapfrog, 1e-3, &at);
    leapfrog.run(10, 1e-3).unwrap();
    let d = leapfrog.step_derivatives().unwrap();
    assert!(d.origin == Origin::Equations && d.error < 1e-8, "{:?} {:e}", d.origin, d.error);
    leapfrog.step().unwrap();
    assert_eq!(leapfrog.state().q, d.next.q);
}
