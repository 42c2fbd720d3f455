//! Integrators of somebody else's: loops stay closed, and what is not a number is never taken for a success.
#![allow(clippy::unwrap_used)]

use poinsot::dynamics::State;
use poinsot::integrate::{Integrator, StepError, System};
use poinsot::{Simulation, SimulationError, scenes};

/// Explicit Euler, which knows nothing of constraints; the number of the step that goes wrong.
struct Euler {
    steps: usize,
    fails_at: usize,
}

impl Integrator for Euler {
    fn name(&self) -> &'static str {
        "euler"
    }
    fn order(&self) -> u32 {
        1
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        self.steps += 1;
        let mut a = vec![0.0; state.v.len()];
        system.acceleration(state, &mut a);
        let v = state.v.clone();
        system.model().integrate(&mut state.q, &v, dt);
        state.v.iter_mut().zip(&a).for_each(|(v, a)| *v += dt * a);
        state.time += dt;
        if self.steps == self.fails_at {
            state.v[0] = f64::NAN;
        }
        Ok(())
    }
}

#[test]
fn loops_stay_closed() {
    let scene = scenes::by_name("four-bar").unwrap();
    let euler = Box::new(Euler { steps: 0, fails_at: usize::MAX });
    let mut simulation = Simulation::with(&scene.model, scene.state.clone(), euler).unwrap();
    simulation.run(1000, 1e-3).unwrap();
    let (_, off) = simulation.violation().unwrap();
    assert!(off < 1e-9, "{off:e}");
}

#[test]
fn not_a_number_is_an_error() {
    let scene = scenes::by_name("double-pendulum").unwrap();
    let euler = Box::new(Euler { steps: 0, fails_at: 10 });
    let mut simulation = Simulation::with(&scene.model, scene.state.clone(), euler).unwrap();
    let outcome = simulation.run(100, 1e-3);
    assert!(matches!(outcome, Err(SimulationError::Step(StepError::NotFinite { .. }))), "{outcome:?}");
    assert!(simulation.steps() == 9 && simulation.state().v.iter().all(|v| v.is_finite()));
}
