//! Stacks, arches, pyramids, heaps: how many are solved, how exactly, with how much work.
//!
//! The aim is that all are solved, to 1e-10 of the greatest free velocity and what rounding adds. What is asserted is that aim
//! where it is reached; `the_large_ones` prints what is reached beyond.

use crate::common::*;
use std::collections::BTreeMap;
use std::time::Instant;

/// Solves all, prints a line, and says how many were solved.
fn solve(name: &str, problems: impl IntoIterator<Item = Owned>) -> (usize, usize) {
    let (mut count, mut solved, mut worst, mut steps) = (0, 0, 0.0f64, 0);
    let (mut times, mut stages, mut contacts) = (Vec::new(), BTreeMap::new(), 0);
    for problem in problems {
        let begin = Instant::now();
        let answer = problem.exact();
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        let c = answer.certificate;
        assert!(answer.x.iter().chain(&answer.u).all(|x| x.is_finite()));
        // what it says of itself is so
        let natural = problem.natural_map(&answer.x);
        if c.status.is_solved() {
            assert!(c.residual <= 1e-10 * problem.q.amax() * 2.0 + c.floor * 2.0, "{name}: {c:?}");
            assert!(c.cone <= 1e-12 * answer.x.iter().fold(1.0, |m: f64, x| m.max(x.abs())), "{name}: {c:?}");
        } else {
            assert!(!c.reason.is_empty() && natural > 0.0);
        }
        count += 1;
        solved += c.status.is_solved() as usize;
        worst = worst.max(c.residual / problem.q.amax());
        steps = steps.max(c.iterations());
        contacts = contacts.max(problem.size() / 3);
        *stages.entry(c.stage.word()).or_insert(0) += 1;
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{name:26} {contacts:3} contacts {solved:3}/{count:3} worst {worst:7.1e} iterations ≤ {steps:4} median {:8.2} ms {stages:?}",
        times[count / 2]
    );
    (solved, count)
}

fn solve_all(name: &str, problems: impl IntoIterator<Item = Owned>) {
    let (solved, count) = solve(name, problems);
    assert_eq!(solved, count, "{name}");
}

#[test]
fn stacks_of_any_ratio_of_mass() {
    for top in [1.0, 1e3, 1e6] {
        let pushes = (0..6).map(|k| stack(10, top, 0.3 + 0.1 * k as f64, 0.05 * k as f64).problem());
        solve_all(&format!("stack of 10, top {top:e}"), pushes);
    }
    solve_all("stack of 20", (0..3).map(|k| stack(20, 1.0, 0.5, 0.05 * k as f64).problem()));
}

#[test]
fn arches_and_pyramids() {
    let arches = [7, 13, 25].into_iter().flat_map(|n| [0.1, 0.12, 0.2].map(|t| arch(n, t, 0.8).problem()));
    solve_all("arch", arches);
    solve_all("pyramid", [3, 5].map(|n| pyramid(n, 0.5).problem()));
}

#[test]
fn heaps_of_balls() {
    for ratio in [1.0, 1e3] {
        for moving in [0.0, 0.3] {
            let balls = |side, layers| {
                (0..6).map(move |seed| heap(side, layers, ratio, (0.0, 2.0), moving, seed).problem())
            };
            solve_all(&format!("heap 2, {ratio:e}, {moving} m/s"), balls(2, 2));
            solve_all(&format!("heap 3, {ratio:e}, {moving} m/s"), balls(3, 3));
        }
    }
}

/// Contacts in random places with long arms, μ from 0 to 2, masses of any ratio: harder than what touches in fact.
#[test]
fn random_contacts() {
    for (bodies, ratio, moving) in [
        (1, 1.0, 0.0),
        (1, 1e6, 1.0),
        (3, 1.0, 0.0),
        (3, 1e6, 1.0),
        (8, 1.0, 0.0),
        (8, 1e6, 0.0),
        (8, 1e6, 1.0),
    ] {
        let problems = (0..20).map(|seed| pile(bodies, ratio, (0.0, 2.0), moving, seed).problem());
        solve_all(&format!("random {bodies}, {ratio:e}, {moving} m/s"), problems);
    }
}

/// The whole table, 200 contacts included: minutes of work, so only when asked for.
#[test]
#[ignore = "takes minutes"]
fn the_large_ones() {
    solve("pyramid", [7, 9].map(|n| pyramid(n, 0.5).problem()));
    for (side, layers) in [(3, 3), (4, 3), (5, 3)] {
        for ratio in [1.0, 1e3, 1e6] {
            for moving in [0.0, 0.3] {
                let balls = (0..6).map(|seed| heap(side, layers, ratio, (0.1, 1.0), moving, seed).problem());
                solve(&format!("heap {side}, {ratio:e}, {moving} m/s"), balls);
            }
        }
    }
    for (bodies, ratio, moving) in
        [(15, 1.0, 0.0), (15, 1e6, 0.0), (15, 1e6, 1.0), (30, 1.0, 0.0), (30, 1.0, 1.0), (30, 1e6, 1.0)]
    {
        let problems = (0..20).map(|seed| pile(bodies, ratio, (0.2, 1.0), moving, seed).problem());
        solve(&format!("random {bodies}, {ratio:e}, {moving} m/s"), problems);
    }
}
