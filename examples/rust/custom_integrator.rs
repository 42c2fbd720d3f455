//! An integrator of one's own, on a mechanism with a closed loop: Heun's method, which ends each step on the constraints.

use poinsot::integrate::{StepError, System};
use poinsot::prelude::*;

/// The mean of the slopes at both ends of the step: second order.
struct Heun;

impl Integrator for Heun {
    fn name(&self) -> &'static str {
        "heun"
    }
    fn order(&self) -> u32 {
        2
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = system.model();
        let (mut a, mut a_end) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        system.acceleration(state, &mut a);
        let mut end = state.clone();
        model.integrate(&mut end.q, &state.v, dt);
        end.time += dt;
        end.v.iter_mut().zip(&a).for_each(|(v, a)| *v += dt * a);
        system.acceleration(&end, &mut a_end);

        let mut next = state.clone();
        let mean: Vec<f64> = state.v.iter().zip(&end.v).map(|(a, b)| 0.5 * (a + b)).collect();
        model.integrate(&mut next.q, &mean, dt);
        for (v, (a, b)) in next.v.iter_mut().zip(a.iter().zip(&a_end)) {
            *v += 0.5 * dt * (a + b);
        }
        next.time += dt;
        let failed = |source| StepError::Constraint { time: state.time, dt, source };
        system.settle(&mut next).map_err(failed)?;
        *state = next;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = poinsot::scenes::by_name("four-bar")?;
    let end = |mut simulation: Simulation| -> Result<(f64, f64), Box<dyn std::error::Error>> {
        simulation.run(1000, 1e-3)?;
        let open = simulation.violation().map_or(0.0, |(_, size)| size);
        Ok((simulation.state().q[0], open))
    };
    let (ours, open) = end(Simulation::with(&scene.model, scene.state.clone(), Box::new(Heun))?)?;
    let (reference, _) = end(Simulation::new(&scene.model, scene.state.clone(), Method::Adaptive)?)?;
    let off = (ours - reference).abs();
    println!("after 1 s: {off:.1e} rad from the reference, the loop open by {open:.1e} m");
    assert!(off < 1e-3 && open < 1e-12);
    Ok(())
}
