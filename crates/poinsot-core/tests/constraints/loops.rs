//! Closed loops in reduced coordinates.

use super::mechanisms::{four_bar, four_bar_at};
use poinsot_core::algebra::V3;
use poinsot_core::constraint::{Maximal, Multipliers};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::integrate::{self, System};
use poinsot_core::model::*;
use poinsot_core::spatial::{Pose, Quat};

/// A planar loop of four hinges in space has one freedom and three redundant rows.
#[test]
fn the_four_bar_has_one_freedom() {
    let (model, state) = four_bar(1.0, 2.0, 1.0, 2.0);
    let (mut ws, mut multipliers) = (Workspace::new(&model), Multipliers::new(&model));
    let mobility = multipliers.mobility(&model, &mut ws, &state.q);
    assert_eq!((mobility.freedoms, mobility.rows, mobility.rank), (1, 5, 2), "{mobility:?}");
    assert_eq!(mobility.redundant, ["loop"]);
}

/// Every integrator keeps the loop closed and its energy.
#[test]
fn every_integrator_keeps_the_loop_closed() {
    let (model, start) = four_bar(1.0, 2.0, 1.5, 2.2);
    let mut system = System::new(&model);
    let (ws, multipliers) = system.constraints();
    let multipliers = multipliers.unwrap();
    let mut start = start;
    multipliers.project_configuration(&model, ws, &mut start.q).unwrap();
    multipliers.project_velocity(&model, ws, &start.q, &mut start.v);
    let first = system.energy(&start);
    for (name, tolerance) in
        [("semi-implicit", 0.5), ("implicit", 0.5), ("rkmk4", 1e-7), ("adaptive", 1e-10), ("midpoint", 1e-4)]
    {
        let mut integrator = integrate::by_name(name, &model).unwrap();
        let mut state = start.clone();
        let mut worst = 0.0f64;
        for _ in 0..2000 {
            system.step(&mut *integrator, &mut state, 1e-3).unwrap();
            let (ws, multipliers) = system.constraints();
            worst = worst.max(multipliers.unwrap().violation(&model, ws, &state.q).size);
        }
        let off = (system.energy(&state) - first).abs();
        println!("{name}: closure {worst:e}, energy {off:e}");
        assert!(worst < 1e-12, "{name}: {worst:e}");
        assert!(off < tolerance, "{name}: energy {off:e}");
    }
}

fn rank(model: &Model, state: &State) -> (usize, usize) {
    let (mut ws, mut multipliers) = (Workspace::new(model), Multipliers::new(model));
    let found = multipliers.mobility(model, &mut ws, &state.q);
    (found.freedoms, found.rows - found.rank)
}

/// Rows across the plane of the loop are fulfilled by the other hinges: what is left of them is round-off, which is not to
/// be divided by, whatever the plane and wherever the loop is.
#[test]
fn planar_loops_in_any_plane_go_on_from_anywhere_in_both_coordinates() {
    for tilt in [V3::ZERO, V3::new(0.3, -0.7, 0.4), V3::new(2.0, 1.0, -1.5)] {
        let frame = Pose { rot: Quat::exp(tilt).matrix(), pos: V3::new(0.1, -0.3, 0.7) };
        let (model, mut state) = four_bar_at(frame, [1.0, 2.0, 1.5, 2.2]);
        let (mut system, mut rkmk4) = (System::new(&model), integrate::by_name("rkmk4", &model).unwrap());
        let (ws, multipliers) = system.constraints();
        multipliers.unwrap().project_configuration(&model, ws, &mut state.q).unwrap();
        let mut wrong = Vec::new();
        for moment in 0..40 {
            for _ in 0..37 {
                system.step(&mut *rkmk4, &mut state, 2e-3).unwrap();
            }
            assert_eq!(rank(&model, &state), (1, 3), "{tilt:?}, moment {moment}");
            let maximal = Maximal::of(&model).unwrap();
            let there = maximal.state(&state);
            assert_eq!(rank(maximal.model(), &there), (1, 3), "{tilt:?}, moment {moment}, maximal");
            for method in ["semi-implicit", "rkmk4", "midpoint", "backward"] {
                let mut system = System::new(maximal.model());
                let mut integrator = integrate::by_name(method, maximal.model()).unwrap();
                let mut there = there.clone();
                for _ in 0..20 {
                    if let Err(error) = system.step(&mut *integrator, &mut there, 2e-3) {
                        wrong.push(format!("{method}, moment {moment}: {error}"));
                        break;
                    }
                }
                let (ws, multipliers) = system.constraints();
                let off = multipliers.unwrap().violation(maximal.model(), ws, &there.q).size;
                if off.is_nan() || off > 1e-12 {
                    wrong.push(format!("{method}, moment {moment}: {off:e}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{tilt:?}: {wrong:#?}");
    }
}

/// Two free boxes that a weld asks to be turned against one another by much more than a quarter turn.
#[test]
fn what_begins_turned_over_is_assembled_the_right_way_round() {
    let boxed = Shape::Box { size: V3::new(0.3, 0.2, 0.1) };
    let quarter = std::f64::consts::FRAC_PI_2;
    for kind in [JointKind::Fixed, JointKind::Prismatic { axis: V3::Z }, JointKind::Revolute { axis: V3::Z }]
    {
        for axis in [V3::X, V3::Y, V3::new(0.6, 0.0, 0.8), V3::new(2.0, -3.0, 6.0) * (1.0 / 7.0)] {
            for turn in [0.5, 0.9, 1.1, 4.0 / 3.0, 1.9, 2.0] {
                let mut b = ModelBuilder::new("boxes");
                let [one, two] = ["one", "two"].map(|name| {
                    let body = b.body(BodyId::WORLD, BodySpec::new(name).solid(&boxed, 1.0).unwrap());
                    b.joint(body, Joint::free());
                    body
                });
                let asked = Quat::exp(axis * (turn * quarter)).matrix();
                let there = Mount::framed(one, Pose { rot: asked, pos: V3::X });
                b.constraint(Constraint::joint(kind, there, Mount::new(two, V3::ZERO)));
                let model = b.build().unwrap();
                let (mut ws, mut multipliers) = (Workspace::new(&model), Multipliers::new(&model));
                let found = multipliers.assemble(&model, &mut ws, &State::new(&model));
                let state = found.unwrap_or_else(|e| panic!("{} {axis:?} {turn}: {e}", kind.word())).state;
                let at = ws.at(&model, &state);
                let off = (at.pose(one).rot * asked).transpose() * at.pose(two).rot;
                assert!(off.z.z > 1.0 - 1e-9, "{} {axis:?} {turn}: {off:?}", kind.word());
                if !matches!(kind, JointKind::Revolute { .. }) {
                    assert!(off.x.x > 1.0 - 1e-9, "{} {axis:?} {turn}: {off:?}", kind.word());
                }
            }
        }
    }
}
