//! Problems whose optimum is known: exact solutions and solutions of the two-point boundary value problem of Pontryagin.
#![allow(clippy::unwrap_used)]

use poinsot_optimize::{Problem, Solution};

/// The file of the examples, with some of its lines in other words.
fn example(name: &str, changes: &[(&str, &str)]) -> Problem {
    let path = format!("{}/../../examples/optimize/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut text = std::fs::read_to_string(path).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{name} has no {from}");
        text = text.replace(from, to);
    }
    Problem::from_toml(&text).unwrap()
}

fn solved(problem: &Problem) -> Solution {
    let begin = std::time::Instant::now();
    let found = problem.solve(&mut |_| true).unwrap();
    println!(
        "{} iterations, {:?}, cost {}, residual {:e}",
        found.iterations,
        begin.elapsed(),
        found.cost,
        found.residual()
    );
    assert!(found.is_solved(), "{}: {:?}", found.sentence(), found.violated);
    assert!(found.violation < 1e-8 && found.slope < 1e-6, "{} {}", found.violation, found.slope);
    found
}

fn cost(name: &str, changes: &[(&str, &str)]) -> f64 {
    solved(&example(name, changes)).cost
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected} ± {tolerance}");
}

/// x = d (3s² − 2s³). The effect of u on x(T) by Hermite–Simpson is Simpson's rule of (T − t) u, and so is the cost: the optimum is
/// exact in any number of intervals. By trapezoids the effect of the first and the last u is off, and
/// cost = m² d² / (T³/12 − h² T/3 + h³/4).
#[test]
fn a_block_is_moved() {
    let found = solved(&example("block-move", &[]));
    close(found.cost, 12.0, 1e-12);
    let half = found.time.iter().position(|t| (t - 0.5).abs() < 1e-12).unwrap();
    close(found.q[half][0], 0.5, 1e-13);
    close(found.v[half][0], 1.5, 1e-13);
    close(found.u[0][0], 6.0, 1e-12);
    // m = 2.5, d = -3, T = 1.7
    let other = [("mass = 1.0", "mass = 2.5"), ("q = 1.0", "q = -3.0"), ("duration = 1.0", "duration = 1.7")];
    let exact = 12.0 * (2.5f64 * 3.0).powi(2) / 1.7f64.powi(3);
    close(cost("block-move", &other) / exact, 1.0, 1e-12);
    for n in [20, 40] {
        let h = 1.0 / f64::from(n);
        let words = format!("intervals = {n}\nscheme = \"trapezoidal\"");
        let exact = 1.0 / (1.0 / 12.0 - h * h / 3.0 + h * h * h / 4.0);
        close(cost("block-move", &[("intervals = 20", &words)]), exact, 1e-11);
    }
}

/// R (θ − sin θ) = x, R (1 − cos θ) = y, T = θ √(R/g).
fn cycloid(x: f64, y: f64, g: f64) -> f64 {
    let ratio = |t: f64| (t - libm::sin(t)) / (1.0 - libm::cos(t)) - x / y;
    let (mut low, mut high) = (1e-9, 2.0 * std::f64::consts::PI - 1e-9);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if ratio(middle) < 0.0 { low = middle } else { high = middle }
    }
    let r = y / (1.0 - libm::cos(low));
    low * (r / g).sqrt()
}

#[test]
fn beads_slide_down_cycloids() {
    close(cycloid(2.0, 2.0, 9.81), 0.824_338_669_439_183_8, 1e-13);
    close(cycloid(10.0, 5.0, 9.81), 1.801_295_483_013_719_5, 1e-13);
    for (x, y) in [(2.0, 2.0), (10.0, 5.0), (1.0, 3.0), (4.0, 1.0)] {
        let end = format!("q = {{ x = {x:?}, y = {y:?} }}");
        let with =
            |n: &str| cost("brachistochrone", &[("q = { x = 2.0, y = 2.0 }", &end), ("intervals = 100", n)]);
        fourth_order(&[with("intervals = 25"), with("intervals = 50")], cycloid(x, y, 9.81), 1e-9);
    }
}

/// J(l) of Bryson and Ho, section 3.11.
fn bryson_denham(l: f64) -> f64 {
    match l {
        l if l <= 1.0 / 6.0 => 4.0 / (9.0 * l),
        l if l <= 0.25 => 2.0 + 6.0 * (1.0 - 4.0 * l) * (1.0 - 4.0 * l),
        _ => 2.0,
    }
}

#[test]
fn walls_are_not_passed() {
    let with = |l: &str, n: u32| {
        let (l, n) = (format!("\"{l}\""), format!("intervals = {n}"));
        cost("bryson-denham", &[("\"1/9\"", &l), ("intervals = 90", &n)])
    };
    // where the junctions 3 l and 1 − 3 l, or the touch at 1/2, are nodes, the pieces are cubics: exact but for the barrier
    for n in [4, 5, 6, 8, 9, 10, 12] {
        close(with(&format!("1/{n}"), 120), bryson_denham(1.0 / f64::from(n)), 1e-7);
    }
    close(with("0.5", 90), 2.0, 1e-12);
    // elsewhere u² has a kink of its slope within an interval, and Simpson's rule of both halves is off by at most s² h³/162, s = 2/(9 l²);
    // the optimum makes use of that, so twice as much is let
    for n in [45, 90] {
        let (s, h) = (2.0 / 9.0 * 64.0, 1.0 / f64::from(n));
        close(with("1/8", n), bryson_denham(0.125), s * s * h * h * h / 81.0);
    }
}

/// Costs at h and h/2 of a scheme of order 4: the second is off by a fifteenth of their difference, up to terms of higher order (half of
/// that again) and what the solver leaves.
#[track_caller]
fn fourth_order([coarse, fine]: &[f64; 2], exact: f64, rest: f64) {
    println!("errors {:e} {:e}", coarse - exact, fine - exact);
    close(*fine, exact, 1.5 * (coarse - fine).abs() / 15.0 + rest);
}

#[test]
fn a_cart_swings_its_pole_up() {
    let trapezoidal = cost("cart-pole", &[("intervals = 80", "intervals = 30\nscheme = \"trapezoidal\"")]);
    // a reference of 9 digits
    close(trapezoidal, 59.686_163_505_097_96, 1e-7);
    let with = |n: &str| solved(&example("cart-pole", &[("intervals = 80", n)]));
    let (coarse, fine) = (with("intervals = 80"), with("intervals = 160"));
    fourth_order(&[coarse.cost, fine.cost], 58.807_667_458_167_23, 1e-8);
    let half = |s: &Solution| s.q[s.time.iter().position(|t| (t - 1.0).abs() < 1e-12).unwrap()].clone();
    let (coarse, fine) = (half(&coarse), half(&fine));
    for (k, exact) in [1.048_514_105_433_924_4, 1.234_882_517_963_275].into_iter().enumerate() {
        fourth_order(&[coarse[k], fine[k]], exact, 1e-9);
    }
}

#[test]
fn a_pendulum_swings_up() {
    let with = |n: &str| cost("pendulum", &[("intervals = 80", n)]);
    fourth_order(&[with("intervals = 40"), with("intervals = 80")], 36.640_289_062_391_12, 1e-8);
}

#[test]
fn particles_fly_by_jets() {
    for (n, exact) in [(8, 430.358_215_178_571_4), (16, 447.138_904_017_857_15), (32, 456.690_538_760_080_6)]
    {
        let n = format!("intervals = {n}");
        close(cost("particle", &[("intervals = 16", &n)]), exact, 1e-8);
    }
    let smooth = [("\"central-difference\"", "\"hermite-simpson\"")];
    // exact, as for the block
    close(cost("particle", &smooth), 466.812_45, 1e-9);
}
