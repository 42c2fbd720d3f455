//! Couplings of joints in maximal coordinates, where joints have no coordinates.

use super::common::{minus, size};
use poinsot_core::algebra::V3;
use poinsot_core::audit::{self, CheckOptions};
use poinsot_core::constraint::{Maximal, Multipliers};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::integrate::{self, Method, System};
use poinsot_core::model::*;

/// A wheel, a slide and a screw on the world; `tie` couples them.
fn machine(tie: impl Fn(&mut ModelBuilder, [JointId; 3]) -> Constraint) -> Model {
    let mut b = ModelBuilder::new("machine");
    let shape = Shape::Box { size: V3::new(0.3, 0.4, 0.5) };
    let joints = [
        Joint::revolute(V3::Y).anchor(V3::X * 0.2).spring(3.0, 1.0),
        Joint::prismatic(V3::new(0.1, 0.2, 1.0)).armature(0.3),
        Joint::new(JointKind::Helical { axis: V3::X, pitch: 0.1 }).damping(0.2),
    ];
    let mut parent = BodyId::WORLD;
    let ids = joints.map(|joint| {
        parent = b.body(parent, BodySpec::new(joint.kind.word()).at(V3::X).solid(&shape, 1.0).unwrap());
        b.joint(parent, joint)
    });
    let tied = tie(&mut b, ids);
    b.constraint(tied);
    b.build().unwrap()
}

fn ties() -> Vec<Model> {
    let gear = |_: &mut ModelBuilder, [a, _, c]: [JointId; 3]| Constraint::gear(a, c, -1.7, 0.2);
    let cam = |_: &mut ModelBuilder, [a, b, _]: [JointId; 3]| {
        let coefficients = [0.1, 0.5, -0.03, 0.01, 0.0];
        Constraint::new(ConstraintKind::Coupling {
            joint: b,
            reference: 0.1,
            other: Some((a, -0.2)),
            coefficients,
        })
    };
    let held = |_: &mut ModelBuilder, [a, ..]: [JointId; 3]| {
        let coefficients = [0.3, 0.0, 0.0, 0.0, 0.0];
        Constraint::new(ConstraintKind::Coupling { joint: a, reference: 0.0, other: None, coefficients })
    };
    let pulleys = |b: &mut ModelBuilder, [one, two, three]: [JointId; 3]| {
        let tendon = b.tendon(FixedTendon::new([(one, 0.5), (two, -0.2)]));
        let other = b.tendon(FixedTendon::new([(three, 0.3)]));
        let coefficients = [0.0, 1.0, 0.4, 0.0, 0.0];
        Constraint::new(ConstraintKind::Tendon {
            tendon,
            reference: 0.0,
            other: Some((other, 0.1)),
            coefficients,
        })
    };
    vec![
        machine(gear),
        machine(cam),
        machine(held),
        machine(pulleys),
        machine(|b, j| gear(b, j).soft(40.0, 0.5)),
    ]
}

fn start(model: &Model) -> State {
    let mut state = State { q: vec![4.0, 0.3, -0.5], v: vec![2.0, -0.3, 1.0], ..State::new(model) };
    let (mut ws, mut multipliers) = (Workspace::new(model), Multipliers::new(model));
    multipliers.project_configuration(model, &mut ws, &mut state.q).unwrap();
    multipliers.project_velocity(model, &mut ws, &state.q, &mut state.v);
    state
}

#[test]
fn formulations_agree_on_couplings_and_their_motion() {
    for (k, model) in ties().iter().enumerate() {
        let report = audit::check(model, &start(model), &[], CheckOptions::default()).unwrap();
        let worst = report.worst().unwrap();
        assert!(worst.worst < 1e-9, "{k}: {} {:e}", worst.quantity, worst.worst);
        assert!(report.entries().iter().any(|e| e.quantity == audit::Quantity::Motion));
    }
}

/// A ratio that is no whole number: only who counts turns knows where the other wheel is.
#[test]
fn gears_turn_round_and_round() {
    let model = machine(|_, [a, _, c]| Constraint::gear(a, c, 0.3, 0.0));
    let state = State { q: vec![0.0; 3], v: vec![6.0, 0.0, 20.0], ..State::new(&model) };
    let maximal = Maximal::beginning_at(&model, &state.q).unwrap();
    let (mut system, mut there) = (System::new(maximal.model()), maximal.state(&state));
    let mut rkmk4 = integrate::by_name("rkmk4", maximal.model()).unwrap();
    let mut back = state.clone();
    for _ in 0..1500 {
        system.step(&mut *rkmk4, &mut there, 1e-3).unwrap();
        maximal.put_reduced(&there, &mut back);
        assert!((back.q[0] - 0.3 * back.q[2]).abs() < 1e-10, "{} {}", back.q[0], back.q[2]);
    }
    assert!(back.q[2] > 8.0, "it has not turned: {}", back.q[2]);
}

#[test]
fn every_integrator_steps_couplings_in_maximal_coordinates() {
    let model = &ties()[0];
    let begin = start(model);
    let maximal = Maximal::beginning_at(model, &begin.q).unwrap();
    for name in Method::TREE.map(Method::word) {
        // midpoint has no rotors between free bodies
        if name == "midpoint" {
            continue;
        }
        let (mut one, mut two) = (begin.clone(), maximal.state(&begin));
        let mut system = System::new(model);
        let mut integrator = integrate::by_name(name, model).unwrap();
        for _ in 0..100 {
            system.step(&mut *integrator, &mut one, 1e-4).unwrap();
        }
        let mut system = System::new(maximal.model());
        system.push(integrate::JointForces::new(model, &maximal));
        let mut integrator = integrate::by_name(name, maximal.model()).unwrap();
        for _ in 0..100 {
            system.step(&mut *integrator, &mut two, 1e-4).unwrap();
        }
        let off = size(&minus(&one.q, &maximal.reduced(&two, &begin.q).q));
        assert!(off < 1e-4, "{name}: {off:e}");
    }
}
