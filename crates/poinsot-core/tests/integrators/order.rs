//! Halving the step divides the error by 2 to the order.

use super::*;
use poinsot_core::integrate::Adaptive;

#[test]
fn every_method_has_its_order_on_every_model() {
    let t = 0.5;
    for sketch in [double_pendulum(), ball_chain(), floating(), damped()] {
        let model = sketch.build();
        let start = start(&model);
        let truth = after(&model, &start, "adaptive", t, 1);
        for (method, steps) in
            [("semi-implicit", 4000), ("implicit", 4000), ("rkmk4", 400), ("midpoint", 200)]
        {
            let order = integrate::by_name(method, &model).unwrap().order();
            let error = |n| distance(&model, &after(&model, &start, method, t, n), &truth);
            let errors = [error(steps), error(2 * steps)];
            let measured = libm::log2(errors[0] / errors[1]);
            println!("{:16} {method:14} error {:.1e}, order {measured:.3}", model.name(), errors[1]);
            assert!((measured - f64::from(order)).abs() <= 0.1, "{method} on {}", model.name());
        }
    }
}

/// Second order but for springs and dampers, which `leapfrog` takes at the end of the step.
#[test]
fn leapfrog_has_second_order_without_springs_and_dampers() {
    let t = 0.5;
    let mut loose = floating();
    for joint in loose.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        joint.stiffness = 0.0;
    }
    for (sketch, order) in [(double_pendulum(), 2.0), (ball_chain(), 2.0), (loose, 2.0), (damped(), 1.0)] {
        let model = sketch.build();
        let start = start(&model);
        let truth = after(&model, &start, "adaptive", t, 1);
        let error = |n| distance(&model, &after(&model, &start, "leapfrog", t, n), &truth);
        let errors = [error(2000), error(4000)];
        let measured = libm::log2(errors[0] / errors[1]);
        println!("{:16} leapfrog error {:.1e}, order {measured:.3}", model.name(), errors[1]);
        assert!((measured - order).abs() <= 0.1, "{}", model.name());
    }
}

/// The tolerance is kept in each inner step; there are some tens of them, and the motion spreads errors.
#[test]
fn adaptive_keeps_its_tolerance() {
    for sketch in [double_pendulum(), ball_chain(), floating(), damped()] {
        let model = sketch.build();
        let start = start(&model);
        let truth = after(&model, &start, "adaptive", 0.2, 1);
        for tolerance in [1e-4, 1e-7, 1e-10] {
            let mut state = start.clone();
            let mut method = Adaptive::with_tolerance(&model, tolerance);
            advance(&mut System::new(&model), &mut method, &mut state, 0.2, 1);
            let error = distance(&model, &state, &truth);
            println!("{:16} tolerance {tolerance:.0e}: error {error:.1e}", model.name());
            assert!(error <= 10.0 * tolerance, "{}: {error:e}", model.name());
        }
        // cutting the time in pieces is another sequence of inner steps
        let pieces = distance(&model, &after(&model, &start, "adaptive", 0.2, 37), &truth);
        assert!(pieces <= 1e-11, "{}: {pieces:e}", model.name());
    }
}
