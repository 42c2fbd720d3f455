//! Problems that one search does not solve: with little torque a pendulum must swing several times, and where a search ends depends on the
//! mesh. What has no solution is said to have none, and why.
#![allow(clippy::unwrap_used)]

use poinsot_optimize::{Ending, Problem, Solution};

fn swing_up(seconds: f64, most: f64, intervals: usize) -> Solution {
    let text = format!(
        r#"
        intervals = {intervals}
        [system]
        kind = "pendulum"
        mass = 1
        length = 0.7
        damping = 0.1
        [time]
        duration = {seconds}
        [[at]]
        time = "start"
        q = 0
        v = 0
        [[at]]
        time = "end"
        q = "pi"
        v = 0
        [[bounds]]
        u = [-{most}, {most}]
        [[minimize]]
        term = "effort"
        "#
    );
    Problem::from_toml(&text).unwrap().solve(&mut |_| true).unwrap()
}

#[test]
fn a_weak_pendulum_swings_up_on_every_mesh() {
    for (seconds, most) in [(4.0, 2.0), (3.0, 3.0), (5.0, 2.0)] {
        let costs: Vec<f64> = [50, 100, 200]
            .map(|n| {
                let found = swing_up(seconds, most, n);
                assert!(found.is_solved(), "{seconds} s, {most} N m, {n} intervals: {}", found.sentence());
                assert!(found.u.iter().all(|u| u[0].abs() <= most + 1e-9));
                found.cost
            })
            .into();
        // meshes approach one motion, or others as good
        assert!((costs[2] - costs[1]).abs() < 1e-3 * costs[2], "{seconds} s, {most} N m: {costs:?}");
    }
}

#[test]
fn a_motion_that_needs_more_torque_is_explained() {
    let found = swing_up(0.5, 2.0, 50);
    assert_eq!(found.ending, Ending::Infeasible);
    let [e] = &found.exceeded[..] else { panic!("{:?}", found.exceeded) };
    assert_eq!((e.what.as_str(), e.bound.abs()), ("u of torque", 2.0));
    assert!(e.value.abs() > 5.0 && (0.0..=0.5).contains(&e.time), "{e:?}");
}

#[test]
fn a_cost_without_a_least_value_is_unbounded() {
    let text = r#"
        [system]
        kind = "particle"
        [time]
        duration = 1
        [[at]]
        time = "start"
        q = 0
        v = 0
        [[minimize]]
        term = "value"
        time = "end"
        of = ["x"]
        weight = -1
    "#;
    let found = Problem::from_toml(text).unwrap().solve(&mut |_| true).unwrap();
    assert_eq!(found.ending, Ending::Unbounded, "{}", found.sentence());
}
