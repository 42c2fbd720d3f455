//! Islands of hundreds of bodies, known by their bodies.
//!
//! The aim at rest is 1e-9 m/s for a pile of 1000 bodies and for any ratio of masses, from nothing and from the impulses of the step before.
//! In motion there is none: what is reached is printed, and must be said by the certificate.

use crate::common::*;
use poinsot_core::contact::{Delassus, Options};

/// The largest ‖λ − P(λ − û)‖ over the contacts, by the test's own arithmetic, relative to the largest q.
fn natural_map(problem: &ByBodies, x: &[f64]) -> f64 {
    let n = x.len();
    let (mut u, mut sizes) = (vec![0.0; n], vec![0.0; n]);
    problem.g.apply(x, &mut u, &mut sizes, &mut Vec::new());
    (0..n).for_each(|k| u[k] += problem.q[k]);
    let mut owned = Vec::new();
    for (i, law) in problem.laws.iter().enumerate() {
        let poinsot_core::contact::Law::Contact { friction: [mu, ..], .. } = *law else { panic!() };
        let d: f64 = (0..3).map(|k| problem.g.entry(3 * i + k, 3 * i + k)).sum::<f64>() / 3.0;
        let (x, u) = (&x[3 * i..3 * i + 3], &u[3 * i..3 * i + 3]);
        let slip = u[1].hypot(u[2]);
        let z = [x[0] - (u[0] + mu * slip) / d, x[1] - u[1] / d, x[2] - u[2] / d];
        let t = z[1].hypot(z[2]);
        let n = ((z[0] + mu * t) / (1.0 + mu * mu)).max(0.0);
        let p = if t <= mu * z[0] { z } else { [n, mu * n * z[1] / t, mu * n * z[2] / t] };
        owned.push(d * (0..3).map(|k| (x[k] - p[k]).powi(2)).sum::<f64>().sqrt());
    }
    owned.into_iter().fold(0.0, f64::max)
}

fn at_rest(name: &str, bodies: &Bodies) {
    let problem = bodies.by_bodies();
    let cold = problem.exact();
    let mut start = cold.x.clone();
    start.iter_mut().enumerate().for_each(|(k, x)| *x *= 1.0 + 1e-3 * ((k * k) as f64).sin());
    let warm = problem.exact_from(Options::default(), &start);
    for (how, answer) in [("cold", cold), ("warm", warm)] {
        let c = answer.certificate;
        let own = natural_map(&problem, &answer.x);
        println!(
            "{name:26} {:4} bodies {:5} contacts {how} {} {:.1e} m/s, {:?}, {} + {} + {}",
            problem.g.bodies(),
            problem.laws.len(),
            c.status,
            c.residual,
            c.stage,
            c.sweeps,
            c.newton_steps,
            c.interior_steps
        );
        assert!(c.status.is_solved(), "{name}, {how}: {c:?}");
        assert!(c.residual <= 1e-9 && own <= 1e-9, "{name}, {how}: {own:e}, {c:?}");
    }
}

#[test]
fn heaps_at_rest_with_any_ratio_of_mass() {
    for ratio in [1.0, 1e3, 1e6] {
        at_rest(&format!("heap, masses to {ratio:e}"), &heap(6, 6, ratio, (0.6, 1.0), 0.0, 1));
    }
}

#[test]
fn a_pile_of_a_thousand_at_rest() {
    at_rest("pyramid", &pyramid(44, 0.6));
}

#[test]
fn in_motion_it_is_said_how_far() {
    for (low, moving) in [(0.1, 0.0), (0.6, 0.3)] {
        let problem = heap(5, 5, 1.0, (low, 1.0), moving, 1).by_bodies();
        let answer = problem.exact();
        let c = answer.certificate;
        let own = natural_map(&problem, &answer.x);
        println!("heap, {moving} m/s: {} {:.1e} m/s, rms {:.1e}", c.status, c.residual, c.residual_rms);
        assert!((own - c.residual).abs() <= 1e-3 * c.residual + 1e-12, "{own:e} {c:?}");
        assert!(c.status.is_solved() || (!c.reason.is_empty() && c.residual < 1e-3), "{c:?}");
    }
}
