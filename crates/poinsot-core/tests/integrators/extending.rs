//! A stranger adds an integrator and a force; the methods for free bodies say what they cannot do.

use super::*;
use poinsot_core::free::free_integrators;
use poinsot_core::integrate::{ForceElement, IntegratorError, StepError};

/// Velocity Verlet for one hinge: not in the library.
struct Verlet;

impl Integrator for Verlet {
    fn name(&self) -> &'static str {
        "verlet"
    }
    fn order(&self) -> u32 {
        2
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let mut a = vec![0.0; state.v.len()];
        system.acceleration(state, &mut a);
        state.v.iter_mut().zip(&a).for_each(|(v, a)| *v += 0.5 * dt * a);
        system.model().integrate(&mut state.q, &state.v, dt);
        state.time += dt;
        system.acceleration(state, &mut a);
        state.v.iter_mut().zip(&a).for_each(|(v, a)| *v += 0.5 * dt * a);
        Ok(())
    }
}

/// A torsion spring on the first hinge, as an element.
struct Spring(f64);

impl ForceElement for Spring {
    fn add_forces(&self, _: &Model, _: f64, q: &[f64], _: &[f64], tau: &mut [f64]) {
        tau[0] -= self.0 * q[0];
    }
    fn potential_energy(&self, _: &Model, _: f64, q: &[f64]) -> f64 {
        0.5 * self.0 * q[0] * q[0]
    }
}

#[test]
fn an_integrator_of_ones_own() {
    let mut pendulum = double_pendulum();
    pendulum.bodies.truncate(1);
    let model = pendulum.build();
    let begin = start(&model);
    let truth = after(&model, &begin, "adaptive", 1.0, 1);
    let error = |steps: usize| {
        let mut state = begin.clone();
        advance(&mut System::new(&model), &mut Verlet, &mut state, 1.0 / steps as f64, steps);
        distance(&model, &state, &truth)
    };
    assert!((libm::log2(error(400) / error(800)) - 2.0).abs() < 0.1);
}

#[test]
fn a_force_of_ones_own_is_a_spring_of_the_model() {
    let plain = double_pendulum().build();
    let mut sprung = double_pendulum();
    sprung.bodies[0].joints[0] = sprung.bodies[0].joints[0].clone().spring(30.0, 0.0);
    let sprung = sprung.build();
    let begin = start(&plain);
    // the difference of the two after 1 s, and the change of the energy with the element
    let run = |method: &str, steps: usize| {
        let (mut system, mut state) = (System::new(&plain), begin.clone());
        system.push(Spring(30.0));
        let energy = system.energy(&state);
        let mut stepper = integrate::by_name(method, &plain).unwrap();
        advance(&mut system, &mut *stepper, &mut state, 1.0 / steps as f64, steps);
        let other = after(&sprung, &begin, method, 1.0, steps);
        (distance(&plain, &state, &other), (system.energy(&state) - energy).abs())
    };
    for method in ["semi-implicit", "rkmk4", "midpoint", "adaptive"] {
        let (difference, _) = run(method, 100);
        assert!(difference < 1e-12, "{method}: {difference:e}");
    }
    assert!(run("adaptive", 1).1 < 1e-11, "the element's energy is counted");
    // `implicit` is implicit in the springs of the model, not in those of elements: equal to its order
    let order = libm::log2(run("implicit", 2000).0 / run("implicit", 4000).0);
    assert!((order - 1.0).abs() < 0.1, "{order}");
}

#[test]
fn free_body_methods_refuse_trees_and_elements_clearly() {
    let mut single = ball_chain();
    single.bodies.truncate(1);
    let top = single.build();
    for method in free_integrators() {
        let name = method.name();
        for sketch in [double_pendulum(), ball_chain(), floating()] {
            let error = integrate::by_name(name, &sketch.build()).err().unwrap();
            assert!(matches!(error, IntegratorError::NotFree { .. }), "{error}");
            let message = error.to_string();
            assert!(message.contains("body \"b") && message.contains("semi-implicit"), "{message}");
        }
        let mut system = System::new(&top);
        system.push(Spring(1.0));
        let outcome = integrate::by_name(name, &top).unwrap().step(&mut system, &mut start(&top), 0.01);
        assert!(matches!(outcome, Err(StepError::Elements { .. })), "{outcome:?}");
    }
    let message = integrate::by_name("rk5", &top).err().unwrap().to_string();
    assert!(message.contains("rk5") && message.contains("rkmk4"), "{message}");
}
