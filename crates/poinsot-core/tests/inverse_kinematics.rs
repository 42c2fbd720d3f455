//! Inverse kinematics: what random configurations reach is found again; what is out of reach is said to be, with how near one came.
#![allow(clippy::unwrap_used)]

mod common;

use common::Random;
use poinsot_core::algebra::{M3, V3};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::inverse_kinematics::*;
use poinsot_core::model::*;
use poinsot_core::spatial::{Pose, exp_so3};
use std::f64::consts::{FRAC_PI_2, PI};

/// Offset, twist, distance, and limits or none.
type Link = (f64, f64, f64, Option<(f64, f64)>);

/// An arm by the table of its joints [Siciliano09, section 2.8.2], in the form where a joint's frame stands before its turn: offset
/// a and twist α along the axis before it, then d along its own. Limits, or none.
fn arm(name: &str, table: &[Link], hand: V3) -> (Model, Frame) {
    let mut b = ModelBuilder::new(name);
    let mut parent = BodyId::WORLD;
    for (k, (a, twist, d, limits)) in table.iter().enumerate() {
        let rot = exp_so3(V3::X * *twist);
        let pose = Pose { rot, pos: V3::X * *a + rot * (V3::Z * *d) };
        let spec = BodySpec::new(format!("link{}", k + 1)).pose(pose);
        parent = b.body(parent, spec.solid(&Shape::Sphere { radius: 0.05 }, 1.0).unwrap());
        let joint = Joint::revolute(V3::Z);
        b.joint(parent, if let Some((low, high)) = limits { joint.limits(*low, *high) } else { joint });
    }
    (b.build().unwrap(), Frame { body: parent, pose: Pose { rot: M3::IDENTITY, pos: hand } })
}

/// Seven joints with narrow limits: the table of the Franka Emika Panda.
fn panda() -> (Model, Frame) {
    let r = |low: f64, high: f64| Some((low, high));
    let table = [
        (0.0, 0.0, 0.333, r(-2.8973, 2.8973)),
        (0.0, -FRAC_PI_2, 0.0, r(-1.7628, 1.7628)),
        (0.0, FRAC_PI_2, 0.316, r(-2.8973, 2.8973)),
        (0.0825, FRAC_PI_2, 0.0, r(-3.0718, -0.0698)),
        (-0.0825, -FRAC_PI_2, 0.384, r(-2.8973, 2.8973)),
        (0.0, FRAC_PI_2, 0.0, r(-0.0175, 3.7525)),
        (0.088, FRAC_PI_2, 0.0, r(-2.8973, 2.8973)),
    ];
    arm("panda", &table, V3::new(0.0, 0.0, 0.107))
}

/// Six joints, each a whole turn either way: the table of the UR5.
fn ur5() -> (Model, Frame) {
    let r = Some((-PI, PI));
    let table = [
        (0.0, 0.0, 0.089159, r),
        (0.0, FRAC_PI_2, 0.0, r),
        (-0.425, 0.0, 0.0, r),
        (-0.39225, 0.0, 0.10915, r),
        (0.0, FRAC_PI_2, 0.09465, r),
        (0.0, -FRAC_PI_2, 0.0823, r),
    ];
    arm("ur5", &table, V3::ZERO)
}

/// Where a frame is.
fn pose(model: &Model, frame: Frame, q: &[f64]) -> Pose {
    let state = State { q: q.to_vec(), ..State::new(model) };
    Workspace::new(model).at(model, &state).pose(frame.body) * frame.pose
}

/// How many of `count` random poses are found again to 1e-9, within limits.
fn found(model: &Model, frame: Frame, count: u64) -> u64 {
    let mut good = 0;
    for k in 0..count {
        let wanted = pose(model, frame, &model.random_configuration(1000 + k));
        let search = Search { seed: 7919 * k, ..Search::default() };
        let start = model.random_configuration(500_000 + k);
        let s = solve(model, &[Target::Pose(frame, wanted)], &start, &search).unwrap();
        let here = pose(model, frame, &s.q);
        let off = (here.pos - wanted.pos).norm().max((here.rot + wanted.rot.scale(-1.0)).max_abs());
        for joint in model.joints() {
            let (low, high) = joint.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            assert!(s.q[joint.coordinates()].iter().all(|x| (low..=high).contains(x)));
        }
        // the outcome is true either way
        assert_eq!(s.outcome == Outcome::Converged, s.error() <= 1e-9);
        assert!(s.outcome != Outcome::Unreachable, "pose {k} of {} is reachable", model.name());
        good += u64::from(s.outcome == Outcome::Converged && off < 3e-9);
    }
    good
}

#[test]
fn poses_of_random_configurations_are_found_again() {
    let count = std::env::var("POINSOT_IK_POSES").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    for (model, frame) in [panda(), ur5()] {
        let good = found(&model, frame, count);
        println!("{}: {good} of {count} poses", model.name());
        assert!(good as f64 >= 0.99 * count as f64, "{}: {good} of {count}", model.name());
    }
}

/// Outside the ball that the arm fills, the nearest point is on the ray to the target.
#[test]
fn what_is_out_of_reach_is_said_to_be_with_how_near_one_came() {
    let mut b = ModelBuilder::new("arm");
    let (upper, lower) = (BodySpec::new("upper"), BodySpec::new("lower").at(V3::new(0.6, 0.0, 0.0)));
    let ball = Shape::Sphere { radius: 0.05 };
    let upper = b.body(BodyId::WORLD, upper.solid(&ball, 1.0).unwrap());
    b.joint(upper, Joint::spherical());
    let lower = b.body(upper, lower.solid(&ball, 1.0).unwrap());
    b.joint(lower, Joint::revolute(V3::Y));
    let model = b.build().unwrap();
    let hand = Frame { body: lower, pose: Pose { rot: M3::IDENTITY, pos: V3::new(0.3, 0.0, 0.0) } };
    let mut r = Random(3);
    for _ in 0..20 {
        let wanted = r.axis() * r.between(1.0, 3.0);
        let s =
            solve(&model, &[Target::Position(hand, wanted)], &model.neutral(), &Search::default()).unwrap();
        assert_eq!(s.outcome, Outcome::Unreachable);
        assert!((s.error() - (wanted.norm() - 0.9)).abs() < 1e-6, "{:e}", s.error() - wanted.norm() + 0.9);
    }
    // within the hole of radius 0.3: no bound tells, but the nearest is right
    let s =
        solve(&model, &[Target::Position(hand, V3::X * 0.1)], &model.neutral(), &Search::default()).unwrap();
    assert_eq!(s.outcome, Outcome::LocalMinimum);
    assert!((s.error() - 0.2).abs() < 1e-6, "{}", s.error());
}

#[test]
fn a_limit_in_the_way_is_named() {
    let mut b = ModelBuilder::new("door");
    let door =
        b.body(BodyId::WORLD, BodySpec::new("door").solid(&Shape::Sphere { radius: 0.1 }, 1.0).unwrap());
    b.joint(door, Joint::revolute(V3::Z).limits(-0.5, 0.5));
    let model = b.build().unwrap();
    let edge = Frame { body: door, pose: Pose { rot: M3::IDENTITY, pos: V3::X } };
    let wanted = Target::Position(edge, V3::Y);
    let s = solve(&model, &[wanted], &[0.0], &Search::default()).unwrap();
    assert_eq!((s.outcome, &s.at_limit[..]), (Outcome::LocalMinimum, &[0][..]));
    assert!(s.q[0] <= 0.5 && (s.q[0] - 0.5).abs() < 1e-9);
    let free = Search { limits: false, ..Search::default() };
    let s = solve(&model, &[wanted], &[0.0], &free).unwrap();
    assert!(s.outcome == Outcome::Converged && (s.q[0] - FRAC_PI_2).abs() < 1e-9);
}

/// Several targets at once: a floating tree of every joint, two bodies and the centre of mass where they are in another configuration.
#[test]
fn several_targets_and_the_centre_of_mass() {
    let model = common::random_tree(5, 12).build();
    let bodies = common::bodies(&model);
    let (goal, mut good) = (model.random_configuration(77), 0);
    for k in 0..20 {
        let mut start = goal.clone();
        let push: Vec<f64> = model.random_velocity(900 + k).iter().map(|x| 0.3 * x).collect();
        model.integrate(&mut start, &push, 1.0);
        let frame = |body| Frame { body, pose: Pose::IDENTITY };
        let state = State { q: goal.clone(), ..State::new(&model) };
        let com = Workspace::new(&model).at(&model, &state).com();
        let last = bodies[bodies.len() - 1];
        let targets =
            [Target::Position(frame(last), pose(&model, frame(last), &goal).pos), Target::CentreOfMass(com)];
        let s = solve(&model, &targets, &start, &Search { starts: 1, ..Search::default() }).unwrap();
        good += u32::from(s.outcome == Outcome::Converged);
    }
    assert!(good >= 18, "{good} of 20");
}

/// Seven joints for six numbers: the posture decides the rest, and the hand stays.
#[test]
fn a_posture_takes_up_the_freedom_that_is_left() {
    let (model, hand) = panda();
    for k in 0..10 {
        let goal = model.random_configuration(k);
        let wanted = Target::Pose(hand, pose(&model, hand, &goal));
        let start = model.random_configuration(100 + k);
        let plain = solve(&model, &[wanted], &start, &Search::default()).unwrap();
        let near = Search { posture: Some(goal.clone()), ..Search::default() };
        let held = solve(&model, &[wanted], &start, &near).unwrap();
        let away = |q: &[f64]| q.iter().zip(&goal).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert_eq!(held.outcome, Outcome::Converged);
        assert!(away(&held.q) <= away(&plain.q) + 1e-9, "{} after {}", away(&held.q), away(&plain.q));
    }
}

#[test]
fn the_same_call_gives_the_same_bits_and_mistakes_are_named() {
    let (model, hand) = panda();
    let wanted = Target::Pose(hand, pose(&model, hand, &model.random_configuration(4)));
    let once = || solve(&model, &[wanted], &model.random_configuration(9), &Search::default()).unwrap();
    assert_eq!(once(), once());
    let ask = |t: &[Target], q: &[f64]| solve(&model, t, q, &Search::default()).unwrap_err();
    let q = model.neutral();
    assert_eq!(ask(&[], &q), TargetError::None);
    assert_eq!(ask(&[Target::CentreOfMass(V3::X * f64::NAN)], &q), TargetError::NotFinite { index: 0 });
    let squeezed = Target::Orientation(hand, M3::IDENTITY.scale(2.0));
    assert!(matches!(ask(&[wanted, squeezed], &q), TargetError::NoRotation { index: 1, .. }));
    assert!(matches!(ask(&[wanted], &q[1..]), TargetError::Length { found: 6, nq: 7, .. }));
    assert!(matches!(ask(&[wanted], &[f64::INFINITY; 7]), TargetError::Configuration { .. }));
}

/// A search that gets new targets finds, bit by bit, what a new search finds.
#[test]
fn targets_may_be_replaced_by_others_of_their_kind() {
    let (model, hand) = panda();
    let wanted = |k: u64| Target::Pose(hand, pose(&model, hand, &model.random_configuration(k)));
    let (start, search) = (model.random_configuration(9), Search::default());
    let mut again = InverseKinematics::new(&model, &[wanted(0)]).unwrap();
    for k in 0..20 {
        again.set_targets(&[wanted(k)]).unwrap();
        assert_eq!(
            again.solve(&start, &search).unwrap(),
            solve(&model, &[wanted(k)], &start, &search).unwrap()
        );
    }
    assert_eq!(again.set_targets(&[wanted(0), wanted(1)]), Err(TargetError::Kinds));
    assert_eq!(again.set_targets(&[Target::CentreOfMass(V3::X)]), Err(TargetError::Kinds));
    let other = Frame { body: model.body("link3").unwrap(), pose: Pose::IDENTITY };
    assert_eq!(again.set_targets(&[Target::Pose(other, Pose::IDENTITY)]), Err(TargetError::Kinds));
}

/// Two arms of two links whose ends are pinned together: the pin is where it is wanted and the loop is closed, by the lengths of the links.
#[test]
fn closed_loops_stay_closed() {
    let mut b = ModelBuilder::new("five-bar");
    let ball = Shape::Sphere { radius: 0.05 };
    let (mut ends, lengths) = (Vec::new(), [1.0, 1.2]);
    for (side, x) in [("left", 0.0), ("right", 0.7)] {
        let spec = BodySpec::new(format!("{side} upper")).at(V3::X * x);
        let upper = b.body(BodyId::WORLD, spec.solid(&ball, 1.0).unwrap());
        b.joint(upper, Joint::revolute(V3::Y));
        let spec = BodySpec::new(format!("{side} lower")).at(V3::Z * lengths[0]);
        let lower = b.body(upper, spec.solid(&ball, 1.0).unwrap());
        b.joint(lower, Joint::revolute(V3::Y));
        ends.push(Mount::new(lower, V3::Z * lengths[1]));
    }
    // two of its three rows are of the plane, one depends on others everywhere
    b.constraint(Constraint::point(ends[0], ends[1]));
    let model = b.build().unwrap();
    let pin = Frame { body: ends[0].body, pose: Pose { rot: M3::IDENTITY, pos: V3::Z * lengths[1] } };
    let mut r = Random(11);
    for _ in 0..50 {
        let wanted = V3::new(r.between(-0.3, 1.0), 0.0, r.between(0.6, 1.9));
        let s =
            solve(&model, &[Target::Position(pin, wanted)], &model.neutral(), &Search::default()).unwrap();
        assert!(s.outcome == Outcome::Converged && s.gap <= 1e-9 && s.error() <= 1e-9, "{wanted:?} {s:?}");
        // by the law of cosines, both arms reach it
        for (arm, x) in [(0, 0.0), (2, 0.7)] {
            let reach = (wanted - V3::X * x).norm();
            let elbow = ((reach * reach - 1.0 - 1.44) / 2.4).acos();
            assert!((s.q[arm + 1].cos() - elbow.cos()).abs() < 1e-8, "{wanted:?}");
        }
    }
    // one arm reaches it, the other does not: the loop counts as much as the target
    let far = V3::new(-2.0, 0.0, 0.0);
    let s = solve(&model, &[Target::Position(pin, far)], &model.neutral(), &Search::default()).unwrap();
    assert!(s.outcome == Outcome::LocalMinimum && s.error() > 0.1 && s.gap > 0.1, "{s:?}");
}
