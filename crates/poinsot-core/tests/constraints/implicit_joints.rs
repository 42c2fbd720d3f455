//! Springs, dampers and servos of joints in steps that are implicit in them: the same in maximal coordinates as in reduced ones.

use poinsot_core::algebra::V3;
use poinsot_core::audit::{Account, Ledger, Line};
use poinsot_core::constraint::Maximal;
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, JointForces, System};
use poinsot_core::model::*;

/// Where servos are told to go: near to where the motion begins.
const TARGET: f64 = 0.301;

/// Three links on hinges of different axes; `law` says what is on the second hinge.
fn arm(law: impl Fn(Joint) -> Joint, servo: Option<(f64, f64)>) -> Model {
    let mut b = ModelBuilder::new("arm");
    let shape = Shape::Box { size: V3::new(0.1, 0.15, 0.4) };
    let mut parent = BodyId::WORLD;
    for (k, axis) in [V3::Y, V3::X, V3::new(0.3, 1.0, 0.2)].into_iter().enumerate() {
        let at = if k == 0 { V3::ZERO } else { V3::Z * -0.4 };
        let link = BodySpec::new(format!("link{k}")).at(at).solid(&shape, 1.0 / (k + 1) as f64).unwrap();
        parent = b.body(parent, link);
        let joint = Joint::revolute(axis).anchor(V3::Z * 0.2);
        let joint = b.joint(parent, if k == 1 { law(joint) } else { joint });
        if let (Some((stiffness, damping)), 1) = (servo, k) {
            b.actuator(Actuator::position(joint, stiffness).damping(damping));
        }
    }
    b.build().unwrap()
}

/// The coordinates after a run of half a second, in both formulations.
fn run(model: &Model, name: &str, dt: f64) -> [Vec<f64>; 2] {
    let start = State { q: vec![0.4, 0.3, -0.2], v: vec![1.0, 2.0, -1.0], ..State::new(model) };
    let steps = (0.5 / dt).round() as usize;
    let mut reduced = start.clone();
    let mut system = System::new(model);
    system.control_mut().fill(TARGET);
    let mut integrator = integrate::by_name(name, model).unwrap();
    for _ in 0..steps {
        system.step(&mut *integrator, &mut reduced, dt).unwrap();
    }
    let maximal = Maximal::beginning_at(model, &start.q).unwrap();
    let mut system = System::new(maximal.model());
    let forces = JointForces::new(model, &maximal);
    forces.signals().set(&vec![TARGET; model.actuators().len()], &[]);
    system.push(forces);
    let mut integrator = integrate::by_name(name, maximal.model()).unwrap();
    let mut state = maximal.state(&start);
    for step in 0..steps {
        let outcome = system.step(&mut *integrator, &mut state, dt);
        assert!(outcome.is_ok(), "{name}, step {step}: {outcome:?}");
    }
    [reduced.q.clone(), maximal.reduced(&state, &reduced.q).q]
}

fn apart([a, b]: &[Vec<f64>; 2]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// 1e6 N m/rad and 1e4 N m s/rad on links of 1 kg: explicit in them, a step may have some microseconds.
#[test]
fn stiff_laws_are_stable_and_agree() {
    let models = [
        arm(|j| j.damping(1e4), None),
        arm(|j| j.spring(1e6, 0.3).damping(1e4), None),
        arm(|j| j.spring(1e6, 0.3), None),
        arm(|j| j.armature(0.02).damping(1e4), None),
        arm(|j| j, Some((1e6, 1e4))),
        arm(|j| j, Some((1e6, 0.0))),
    ];
    for (k, model) in models.iter().enumerate() {
        for name in ["implicit", "backward"] {
            let (coarse, fine) = (apart(&run(model, name, 2e-3)), apart(&run(model, name, 5e-4)));
            println!("{k}, {name}: {coarse:e} {fine:e}");
            assert!(
                coarse < 0.05 && (fine < 0.4 * coarse || fine < 1e-9),
                "{k}, {name}: {coarse:e} {fine:e}"
            );
        }
    }
}

/// Bodies without extent, frames between the joints of one body: their rates are masses.
#[test]
fn laws_on_joints_of_points_are_implicit_too() {
    let mut b = ModelBuilder::new("points");
    let point = poinsot_core::spatial::Inertia::new(1.0, V3::X, Default::default()).unwrap();
    let one = b.body(BodyId::WORLD, BodySpec::new("one").inertia(point));
    b.joint(one, Joint::revolute(V3::Y).damping(1e4));
    let two = b.body(one, BodySpec::new("two").at(V3::X).inertia(point));
    b.joint(two, Joint::revolute(V3::Y).spring(1e5, 0.3));
    b.joint(two, Joint::revolute(V3::Z).damping(0.2));
    let model = b.build().unwrap();
    for name in ["implicit", "backward"] {
        let (coarse, fine) = (apart(&run(&model, name, 2e-3)), apart(&run(&model, name, 5e-4)));
        println!("{name}: {coarse:e} {fine:e}");
        assert!(coarse < 0.05 && (fine < 0.4 * coarse || fine < 1e-9), "{name}: {coarse:e} {fine:e}");
    }
}

/// Springs, dampers and servos have their own lines in both formulations, and `elements` has none of theirs.
#[test]
fn both_formulations_book_joint_laws_on_the_same_lines() {
    let model = arm(|j| j.spring(20.0, 0.3).damping(0.4), Some((30.0, 0.5)));
    let start = State { q: vec![0.4, 0.3, -0.2], v: vec![1.0, 2.0, -1.0], ..State::new(&model) };
    let account = |system: &mut System, mut state: State| -> Account {
        let mut rkmk4 = integrate::by_name("rkmk4", &system.model()).unwrap();
        let mut ledger = Ledger::begin(system, &state);
        for _ in 0..300 {
            ledger.step(system, &mut *rkmk4, &mut state, 1e-3).unwrap();
        }
        *ledger.total()
    };
    let mut system = System::new(&model);
    system.control_mut().fill(0.9);
    let reduced = account(&mut system, start.clone());
    let maximal = Maximal::beginning_at(&model, &start.q).unwrap();
    let mut system = System::new(maximal.model());
    let forces = JointForces::new(&model, &maximal);
    forces.signals().set(&[0.9], &[]);
    system.push(forces);
    let there = account(&mut system, maximal.state(&start));
    for line in [Line::Gravity, Line::Springs, Line::Dampers, Line::Actuators, Line::Elements] {
        let (one, two) = (reduced.work(line), there.work(line));
        assert_eq!(one == 0.0, line == Line::Elements, "{}: {one:e}", line.word());
        assert!((one - two).abs() < 1e-7, "{}: {one:e} {two:e}", line.word());
    }
}
