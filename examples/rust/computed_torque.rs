//! A double pendulum follows a path by computed torque, and by a PD law for comparison.

use poinsot::control::{ComputedTorque, Pd, Target};
use poinsot::prelude::*;

fn path(t: f64) -> Target {
    let (s, c) = t.sin_cos();
    Target { q: vec![s, c], v: vec![c, -s], a: vec![-s, -c] }
}

fn worst_error(
    model: &Model,
    mut law: impl FnMut(&State, &Target) -> Vec<f64>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let Target { q, v, .. } = path(0.0);
    let begin = State { q, v, ..State::new(model) };
    let mut simulation = Simulation::new(model, begin, Method::Rkmk4)?;
    let mut worst = 0.0_f64;
    for _ in 0..5000 {
        let target = path(simulation.state().time);
        simulation.apply_forces(&law(simulation.state(), &target))?;
        simulation.run(1, 1e-3)?;
        let wanted = path(simulation.state().time).q;
        let off = simulation.state().q.iter().zip(&wanted).map(|(q, w)| (q - w).abs());
        worst = off.fold(worst, f64::max);
    }
    Ok(worst)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = poinsot::scenes::by_name("double-pendulum")?.model;
    let mut pd = Pd::new(&model, 100.0, 20.0).carrying_weight();
    let mut computed = ComputedTorque::new(&model, 20.0);
    let by_pd = worst_error(&model, |state, target| pd.force(state, target))?;
    let by_model = worst_error(&model, |state, target| computed.force(state, target))?;
    println!("worst error on the way: PD {by_pd:.1e} rad, computed torque {by_model:.1e} rad");
    assert!(by_model < 0.1 * by_pd);
    Ok(())
}
