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

/// x = d (3s² − 2s³): all numbers at the order of the scheme.
#[test]
fn a_block_is_moved() {
    let found = solved(&example("block-move", &[]));
    // fourth order: Simpson's rule of u² gives a little less than there is
    close(found.cost, 12.0, 1e-6);
    let half = found.time.iter().position(|t| (t - 0.5).abs() < 1e-12).unwrap();
    close(found.q[half][0], 0.5, 1e-6);
    close(found.v[half][0], 1.5, 1e-6);
    close(found.u[0][0], 6.0, 1e-2);
    let fine = cost("block-move", &[("intervals = 20", "intervals = 80")]);
    let order = libm::log2((found.cost - 12.0) / (fine - 12.0)) / 2.0;
    close(order, 4.0, 0.2);
    close(fine, 12.0, 1e-9);
    // m = 2.5, d = -3, T = 1.7
    let other = [("mass = 1.0", "mass = 2.5"), ("q = 1.0", "q = -3.0"), ("duration = 1.0", "duration = 1.7")];
    let exact = 12.0 * (2.5f64 * 3.0).powi(2) / 1.7f64.powi(3);
    close(cost("block-move", &other) / exact, 1.0, 1e-7);
    let trapezoidal = |n: &str| {
        let n = format!("intervals = {n}\nscheme = \"trapezoidal\"");
        cost("block-move", &[("intervals = 20", &n)]) - 12.0
    };
    let order = libm::log2(trapezoidal("20") / trapezoidal("40"));
    close(order, 2.0, 0.1);
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
    close(cost("brachistochrone", &[]), cycloid(2.0, 2.0, 9.81), 1e-8);
    let ends = |x: &str| [("q = { x = 2.0, y = 2.0 }", format!("q = {{ {x} }}"))];
    for (words, x, y) in
        [("x = 10.0, y = 5.0", 10.0, 5.0), ("x = 1.0, y = 3.0", 1.0, 3.0), ("x = 4.0, y = 1.0", 4.0, 1.0)]
    {
        let change = ends(words);
        close(cost("brachistochrone", &[(change[0].0, &change[0].1)]), cycloid(x, y, 9.81), 1e-7);
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
    for n in [4, 5, 6, 8, 9, 10, 12] {
        let l = format!("\"1/{n}\"");
        let found = cost("bryson-denham", &[("\"1/9\"", &l)]);
        close(found, bryson_denham(1.0 / f64::from(n)), 2e-3);
    }
    // where the junctions 3 l and 1 − 3 l are nodes, the scheme has its order
    close(cost("bryson-denham", &[]), 4.0, 1e-5);
    close(cost("bryson-denham", &[("\"1/9\"", "0.5")]), 2.0, 1e-7);
}

#[test]
fn a_cart_swings_its_pole_up() {
    let trapezoidal = cost("cart-pole", &[("intervals = 80", "intervals = 30\nscheme = \"trapezoidal\"")]);
    close(trapezoidal, 59.686_163_505_097_96, 1e-7);
    let with = |n: &str| solved(&example("cart-pole", &[("intervals = 80", n)]));
    let (coarse, fine) = (with("intervals = 40"), with("intervals = 80"));
    let exact = 58.807_667_458_167_23;
    close(fine.cost, exact, 1e-5);
    let order = libm::log2((coarse.cost - exact).abs() / (fine.cost - exact).abs());
    assert!(order > 3.7, "{order}");
    let middle = fine.time.iter().position(|t| (t - 1.0).abs() < 1e-12).unwrap();
    for (found, expected) in fine.q[middle].iter().zip([1.048_514_105_433_924_4, 1.234_882_517_963_275]) {
        close(*found, expected, 1e-5);
    }
}

#[test]
fn a_pendulum_swings_up() {
    let with = |n: &str| solved(&example("pendulum", &[("intervals = 80", n)]));
    let (coarse, fine) = (with("intervals = 40"), with("intervals = 80"));
    let exact = 36.640_289_062_391_12;
    close(fine.cost, exact, 1e-4);
    let order = libm::log2((coarse.cost - exact).abs() / (fine.cost - exact).abs());
    assert!(order > 3.7, "{order}");
}

#[test]
fn particles_fly_by_jets() {
    for (n, exact) in [(8, 430.358_215_178_571_43), (16, 447.138_904_017_857_15), (32, 456.690_538_760_080_6)]
    {
        let n = format!("intervals = {n}");
        close(cost("particle", &[("intervals = 16", &n)]), exact, 1e-8);
    }
    let smooth = [("\"central-difference\"", "\"hermite-simpson\"")];
    close(cost("particle", &smooth), 466.812_45, 1e-5);
}
