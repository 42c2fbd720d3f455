//! Closed loops in reduced coordinates.

use super::mechanisms::four_bar;
use poinsot_core::constraint::Multipliers;
use poinsot_core::dynamics::Workspace;
use poinsot_core::integrate::{self, System};

/// A planar loop of four hinges in space has one freedom and three redundant rows.
#[test]
fn the_four_bar_has_one_freedom() {
    let (model, state) = four_bar(1.0, 2.0, 1.0, 2.0);
    let (mut ws, mut held) = (Workspace::new(&model), Multipliers::new(&model));
    let mobility = held.mobility(&model, &mut ws, &state.q);
    assert_eq!((mobility.freedoms, mobility.rows, mobility.rank), (1, 5, 2), "{mobility:?}");
    assert_eq!(mobility.redundant, ["loop"]);
}

/// Every integrator keeps the loop closed and its energy.
#[test]
fn every_integrator_keeps_the_loop_closed() {
    let (model, start) = four_bar(1.0, 2.0, 1.5, 2.2);
    let mut system = System::new(&model);
    let (ws, held) = system.constraints();
    let held = held.unwrap();
    let mut start = start;
    held.project_configuration(&model, ws, &mut start.q).unwrap();
    held.project_velocity(&model, ws, &start.q, &mut start.v);
    let first = system.energy(&start);
    for (name, tolerance) in
        [("semi-implicit", 0.5), ("implicit", 0.5), ("rkmk4", 1e-7), ("adaptive", 1e-10), ("midpoint", 1e-4)]
    {
        let mut integrator = integrate::by_name(name, &model).unwrap();
        let mut state = start.clone();
        let mut worst = 0.0f64;
        for _ in 0..2000 {
            system.step(&mut *integrator, &mut state, 1e-3).unwrap();
            let (ws, held) = system.constraints();
            worst = worst.max(held.unwrap().violation(&model, ws, &state.q).size);
        }
        let off = (system.energy(&state) - first).abs();
        println!("{name}: closure {worst:e}, energy {off:e}");
        assert!(worst < 1e-12, "{name}: {worst:e}");
        assert!(off < tolerance, "{name}: energy {off:e}");
    }
}
