//! What the methods keep over long runs.

use super::*;
use crate::common::of_force;

/// The worst relative change of the energy in the first and in the second half of a run.
fn energy_error(sketch: &Sketch, method: &str, h: f64, steps: usize) -> [f64; 2] {
    let model = sketch.build();
    let (mut system, mut state) = (System::new(&model), start(&model));
    let mut method = integrate::by_name(method, &model).unwrap();
    let energy = system.energy(&state);
    let mut worst = [0.0f64; 2];
    for k in 0..steps {
        method.step(&mut system, &mut state, h).unwrap();
        let half = &mut worst[2 * k / steps];
        *half = half.max((system.energy(&state) / energy - 1.0).abs());
    }
    let [first, second] = worst;
    println!("{:16} {:14} h = {h}: energy within {first:.1e}, {second:.1e}", sketch.name, method.name());
    worst
}

#[test]
fn midpoint_keeps_momentum_to_round_off() {
    let model = floating().build();
    let (mut system, mut state) = (System::new(&model), start(&model));
    let mut method = integrate::by_name("midpoint", &model).unwrap();
    let before = of_force(system.workspace().at(&model, &state).momentum());
    for _ in 0..5 {
        advance(&mut system, &mut *method, &mut state, 5e-3, 1000);
        let now = of_force(system.workspace().at(&model, &state).momentum());
        let error = common::size(&common::minus(&now, &before)) / common::size(&before);
        println!("t = {}: momentum off by {error:.1e}", state.time);
        assert!(error < 1e-11);
    }
}

#[test]
fn midpoint_does_not_drift() {
    for (sketch, h) in [(double_pendulum(), 5e-3), (ball_chain(), 2e-3), (floating(), 5e-3)] {
        let [first, second] = energy_error(&sketch, "midpoint", h, 20_000);
        assert!(second <= 1.5 * first && first < 2e-2, "{}", sketch.name);
    }
}

/// Chaotic and undamped: no growth beyond what the guard lets pass, and hardly a substep where the step resolves the motion.
#[test]
fn leapfrog_gains_nothing() {
    for (sketch, h, most) in
        [(double_pendulum(), 5e-3, 1e-3), (ball_chain(), 2e-3, 1e-3), (floating(), 5e-3, 1e-3)]
    {
        let model = sketch.build();
        let (mut system, mut state) = (System::new(&model), start(&model));
        let mut method = integrate::by_name("leapfrog", &model).unwrap();
        let (energy, mut highest, mut kinetic, mut substeps) = (system.energy(&state), f64::MIN, 0.0f64, 0);
        for _ in 0..20_000 {
            method.step(&mut system, &mut state, h).unwrap();
            let (moving, still) = system.energies(&state);
            (highest, kinetic) = (highest.max(moving + still), kinetic.max(moving));
            substeps += system.report().substeps;
            assert_eq!(system.report().gained, 0.0);
        }
        let lost = (energy - system.energy(&state)) / kinetic;
        let gained = (highest - energy) / kinetic;
        println!("{:16} gained {gained:.1e}, lost {lost:.1e}, {substeps} substeps", sketch.name);
        assert!(gained < most && substeps < 22_000, "{}: {gained:e}, {substeps} substeps", sketch.name);
    }
}

/// A step that is far too long is made in as many parts as it takes; `implicit`, which has none, diverges.
#[test]
fn leapfrog_makes_substeps_where_a_step_is_too_long() {
    let model = ball_chain().build();
    let (mut system, mut state) = (System::new(&model), start(&model));
    let mut method = integrate::by_name("leapfrog", &model).unwrap();
    let (energy, mut highest, mut kinetic, mut substeps) = (system.energy(&state), f64::MIN, 0.0f64, 0);
    for _ in 0..2000 {
        method.step(&mut system, &mut state, 2e-2).unwrap();
        let (moving, still) = system.energies(&state);
        (highest, kinetic) = (highest.max(moving + still), kinetic.max(moving));
        substeps += system.report().substeps;
    }
    let gained = (highest - energy) / kinetic;
    println!("gained {gained:.1e}, {substeps} substeps");
    assert!(gained < 1e-3 && substeps > 2200, "{gained:e}, {substeps} substeps");
}

/// One hinge: velocity and momentum are the same but for a factor, so semi-implicit Euler is symplectic.
#[test]
fn semi_implicit_stays_bounded_on_a_pendulum() {
    let mut pendulum = double_pendulum();
    pendulum.bodies.truncate(1);
    let [first, second] = energy_error(&pendulum, "semi-implicit", 5e-3, 40_000);
    assert!(second <= 1.05 * first && first < 0.05);
}

#[test]
fn runge_kutta_drifts_slowly() {
    let mut pendulum = double_pendulum();
    pendulum.bodies.truncate(1);
    let [first, second] = energy_error(&pendulum, "rkmk4", 1e-2, 20_000);
    assert!(second > 1.5 * first, "the energy goes on changing");
    assert!(second < 1e-5, "but not much");
}
