//! Mechanics runs backwards as well as forwards; symmetric methods do so to round-off.

use super::*;

/// There and back by negative steps.
fn there_and_back(sketch: &Sketch, method: &str, steps: usize) -> f64 {
    let model = sketch.build();
    let start = start(&model);
    let mut state = after(&model, &start, method, 0.5, steps);
    state = after(&model, &state, method, -0.5, steps);
    assert!(state.time.abs() < 1e-12);
    distance(&model, &state, &start)
}

#[test]
fn midpoint_returns_to_round_off() {
    for sketch in [double_pendulum(), ball_chain(), floating()] {
        let error = there_and_back(&sketch, "midpoint", 100);
        println!("{:16} midpoint: {error:.1e}", sketch.name);
        assert!(error < 1e-11, "{}", sketch.name);
    }
}

/// Reverses the velocities instead of the time step.
#[test]
fn midpoint_returns_when_the_velocities_are_turned_round() {
    // a free joint's velocities are in two frames, but turning them all round is turning the motion round
    for sketch in [double_pendulum(), ball_chain(), floating()] {
        let model = sketch.build();
        let start = start(&model);
        let mut state = after(&model, &start, "midpoint", 0.5, 100);
        state.v.iter_mut().for_each(|v| *v = -*v);
        state = after(&model, &state, "midpoint", 0.5, 100);
        state.v.iter_mut().for_each(|v| *v = -*v);
        let error = distance(&model, &state, &start);
        assert!(error < 1e-11, "{}: {error:e}", sketch.name);
    }
}

#[test]
fn exact_returns_to_round_off_under_gravity() {
    let mut top = ball_chain();
    top.bodies.truncate(1);
    let mut thrown = top.clone();
    thrown.bodies[0].joints = vec![Joint::free()];
    for (sketch, method) in [(&top, "exact"), (&top, "exact-4"), (&thrown, "exact"), (&thrown, "exact-4")] {
        let error = there_and_back(sketch, method, 100);
        println!("{method}: {error:.1e}");
        assert!(error < 1e-11);
    }
}

#[test]
fn the_others_return_to_their_order() {
    for sketch in [double_pendulum(), ball_chain(), floating()] {
        for (method, steps) in
            [("semi-implicit", 2000), ("implicit", 2000), ("leapfrog", 2000), ("rkmk4", 50)]
        {
            let order = f64::from(integrate::by_name(method, &sketch.build()).unwrap().order());
            let errors = [steps, 2 * steps].map(|n| there_and_back(&sketch, method, n));
            let measured = libm::log2(errors[0] / errors[1]);
            println!("{:16} {method:14} {:.1e}, order {measured:.2}", sketch.name, errors[1]);
            // springs are first order in `leapfrog`
            let springs = sketch.bodies.iter().flat_map(|b| &b.joints).any(|j| j.stiffness > 0.0);
            let order = if method == "leapfrog" && springs { 1.0 } else { order };
            // the leading error of an even order cancels on the way back
            assert!(measured > order - 0.1, "{method} on {}", sketch.name);
        }
        let error = there_and_back(&sketch, "adaptive", 1);
        assert!(error < 1e-11, "adaptive on {}: {error:e}", sketch.name);
    }
}
