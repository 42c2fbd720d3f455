//! Joints in a tree are stepped eight at a time in maximal coordinates: compared with the rows one by one.

use super::common::models;
use poinsot_core::constraint::{Maximal, Stabilisation};
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, System};
use poinsot_core::model::Model;

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn moving(model: &Model, seed: u64) -> State {
    State { q: model.random_configuration(seed), v: model.random_velocity(seed + 9), ..State::new(model) }
}

/// A step of 1 s with nothing done at its end shows the acceleration that it took.
#[test]
fn accelerations_are_those_of_the_rows() {
    for model in models() {
        let maximal = Maximal::of(&model).unwrap();
        for seed in 0..3 {
            let start = maximal.state(&moving(&model, seed));
            let mut system = System::new(maximal.model());
            system.stabilise(Stabilisation::Nothing);
            let mut a = vec![0.0; start.v.len()];
            system.acceleration(&start, &mut a);
            let mut semi_implicit = integrate::by_name("semi-implicit", maximal.model()).unwrap();
            let mut end = start.clone();
            system.step(&mut *semi_implicit, &mut end, 1.0).unwrap();
            let off: Vec<f64> = (0..a.len()).map(|k| end.v[k] - start.v[k] - a[k]).collect();
            let (off, size) = (largest(&off), largest(&a).max(largest(&start.v)));
            assert!(off <= 1e-10 * size, "{}, {seed}: {off:e} of {size:e}", model.name());
        }
    }
}

/// At the end of a step joints are met, in place and in velocity.
#[test]
fn steps_end_on_the_joints() {
    for model in models() {
        let maximal = Maximal::of(&model).unwrap();
        for name in ["semi-implicit", "rkmk4"] {
            let mut state = maximal.state(&moving(&model, 4));
            let mut system = System::new(maximal.model());
            let mut integrator = integrate::by_name(name, maximal.model()).unwrap();
            for _ in 0..20 {
                system.step(&mut *integrator, &mut state, 1e-3).unwrap();
            }
            let (ws, Some(multipliers)) = system.constraints() else { continue };
            multipliers.evaluate(maximal.model(), ws, &state.q, &state.v);
            let (open, rate) = (largest(multipliers.values()), largest(multipliers.rates()));
            let (far, fast) = (largest(&state.q).max(1.0), largest(&state.v).max(1.0));
            let rotors = model.joints().iter().any(|j| j.armature > 0.0);
            assert!(open <= 1e-13 * far, "{}, {name}: {open:e}", model.name());
            assert!(rotors || rate <= 1e-11 * fast, "{}, {name}: {rate:e}", model.name());
        }
    }
}
