//! The action is stationary along a motion, and not along a neighbouring path.

use super::*;
use poinsot_core::lagrange::Rule;

fn greatest(variation: &[Vec<f64>]) -> f64 {
    variation.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
}

#[test]
fn the_first_variation_vanishes_along_a_solution_and_not_beside_it() {
    let pendulum = DoublePendulum { masses: [1.0, 0.5], lengths: [1.0, 0.7] };
    let mut equations = EquationsOfMotion::new(pendulum);
    let h = 0.01;
    for (method, rule) in
        [(LagrangeMethod::Midpoint, Rule::Midpoint), (LagrangeMethod::Verlet, Rule::Trapezium)]
    {
        let path: Vec<Vec<f64>> = equations
            .simulate(method, &[0.5, -0.2], &[0.0, 1.0], h, 100)
            .unwrap()
            .into_iter()
            .map(|p| p.q)
            .collect();
        let along = greatest(&equations.first_variation(rule, &path, h).unwrap());
        let mut beside = path.clone();
        for (k, q) in beside.iter_mut().enumerate() {
            q[0] += 0.01 * (std::f64::consts::PI * k as f64 / 100.0).sin();
        }
        let off = greatest(&equations.first_variation(rule, &beside, h).unwrap());
        assert!(along < 1e-11, "{rule:?}: {along:e}");
        assert!(off > 1e-4, "{rule:?}: {off:e}");
        // the variation is the derivative of the action
        let mut action = |size: f64| {
            let mut bent = path.clone();
            bent.iter_mut()
                .enumerate()
                .skip(1)
                .take(99)
                .for_each(|(k, q)| q[1] += size * (0.1 * k as f64).sin());
            equations.action(rule, &bent, h).unwrap()
        };
        let slope = (action(1e-4) - action(-1e-4)) / 2e-4;
        assert!(slope.abs() < 1e-7, "{rule:?}: {slope:e}");
    }
}

#[test]
fn along_the_exact_motion_the_variation_falls_with_the_square_of_the_step() {
    // x = cos t of the unit oscillator: per unit of time the covector of the discrete action is O(h²)
    let mut spring =
        EquationsOfMotion::new(FormulaLagrangian::parse(&["x"], "0.5*x_dot^2", "0.5*x^2", &[]).unwrap());
    for rule in [Rule::Midpoint, Rule::Trapezium] {
        let mut error = |steps: usize| {
            let h = 2.0 / steps as f64;
            let path: Vec<Vec<f64>> = (0..=steps).map(|k| vec![(h * k as f64).cos()]).collect();
            greatest(&spring.first_variation(rule, &path, h).unwrap()) / h
        };
        let order = (error(50) / error(100)).log2();
        assert!((order - 2.0).abs() < 0.05, "{rule:?}: {order}");
    }
    // and the action itself is that of the integral, ½∫(sin² − cos²) dt = −¼ sin 4
    let h = 1e-3;
    let path: Vec<Vec<f64>> = (0..=2000).map(|k| vec![(h * k as f64).cos()]).collect();
    let action = spring.action(Rule::Midpoint, &path, h).unwrap();
    assert!((action + 0.25 * 4f64.sin()).abs() < 1e-6);
}

#[test]
fn discrete_momenta_meet_at_every_point() {
    let mut sun = EquationsOfMotion::new(Kepler);
    let h = 0.01;
    let path = sun.simulate(LagrangeMethod::Verlet, &[1.0, 0.0], &[0.0, 1.2], h, 200).unwrap();
    let (mut before, mut after) = ([0.0; 2], [0.0; 2]);
    for pair in path.windows(2) {
        sun.discrete_momenta(Rule::Trapezium, &pair[0].q, &pair[1].q, h, &mut before, &mut after);
        for k in 0..2 {
            assert!((before[k] - pair[0].p[k]).abs() < 1e-12 && (after[k] - pair[1].p[k]).abs() < 1e-12);
        }
    }
}

#[test]
fn a_path_that_does_not_fit_is_refused() {
    let mut sun = EquationsOfMotion::new(Kepler);
    assert!(sun.action(Rule::Midpoint, &[vec![0.0; 2], vec![0.0; 3]], 0.1).is_err());
    assert!(sun.action(Rule::Midpoint, &[vec![0.0; 2]], 0.0).is_err());
    assert!(sun.first_variation(Rule::Midpoint, &[vec![1.0; 2], vec![2.0; 2]], 0.1).unwrap().is_empty());
}
