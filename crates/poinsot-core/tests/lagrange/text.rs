//! Energies given as text: values, derivatives, and what is refused.

use super::*;
use poinsot_core::algebra::Dual;
use poinsot_core::lagrange::{Expression, ExpressionError, FormulaError};

fn value(text: &str) -> f64 {
    Expression::parse(text, &["x", "y"], &[("k", 4.0), ("n", 3.0)]).unwrap().evaluate(&[0.5, -2.0])
}

#[test]
fn formulas_mean_what_they_say() {
    let cases = [
        ("1 + 2*3", 7.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2**3**2", 512.0),
        ("(x + y)*k", -6.0),
        ("x - y - 1", 1.5),
        ("k/2/2", 1.0),
        ("y^2 + y^n", -4.0),
        ("k^0.5", 2.0),
        ("k^1.5", 8.0),
        ("--x", 0.5),
        ("1.5e-1 + .5", 0.65),
        ("sqrt(k)*exp(0)", 2.0),
        ("atan2(1, 0) - pi/2", 0.0),
        ("ln(exp(x))", 0.5),
        ("sin(x)^2 + cos(x)^2", 1.0),
        ("cosh(x)^2 - sinh(x)**2", 1.0),
        ("tanh(x) - sinh(x)/cosh(x)", 0.0),
        ("tan(atan(x)) + asin(sin(x)) - acos(cos(x))", 0.5),
        ("k^x", 2.0),
    ];
    for (text, expected) in cases {
        assert!((value(text) - expected).abs() < 1e-14, "{text}: {}", value(text));
    }
}

#[test]
fn derivatives_of_formulas_are_those_of_calculus() {
    type Case = (&'static str, fn(f64) -> f64);
    let cases: [Case; 8] = [
        ("x^3", |x| 3.0 * x * x),
        ("sin(x)*exp(-x)", |x| (x.cos() - x.sin()) * (-x).exp()),
        ("x^2.5", |x| 2.5 * x.powf(1.5)),
        ("x^x", |x| x.powf(x) * (x.ln() + 1.0)),
        ("atan2(x, 2)", |x| 2.0 / (4.0 + x * x)),
        ("asin(x/2)", |x| 0.5 / (1.0 - x * x / 4.0).sqrt()),
        ("tanh(x)", |x| 1.0 - x.tanh().powi(2)),
        ("1/(1 + x^-2)", |x| 2.0 * x / (x * x + 1.0).powi(2)),
    ];
    for (text, expected) in cases {
        let formula = Expression::parse(text, &["x"], &[]).unwrap();
        let found = formula.evaluate(&[Dual::<1>::variable(0.7, 0)]).eps[0];
        assert!((found - expected(0.7)).abs() < 1e-14, "{text}: {found}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let error = |text: &str| Expression::parse(text, &["x"], &[]).unwrap_err();
    assert_eq!(
        error("2*(x + 1").to_string(),
        "in \"2*(x + 1\", at character 9: the end where a closing bracket should be"
    );
    assert_eq!(
        error("x + y").to_string(),
        "in \"x + y\", at character 5: \"y\" is not known; there are x, pi"
    );
    assert!(matches!(error("sin(x, x)"), ExpressionError::Arguments { found: 2, .. }));
    assert!(matches!(error("atan2(x)"), ExpressionError::Arguments { expected: 2, .. }));
    for text in ["", "x x", "1..2", "x +", "sin x", ")", "1e999", "__import__('os')", "x; y", "é"] {
        assert!(Expression::parse(text, &["x"], &[]).is_err(), "{text}");
    }
    assert!(matches!(error(&"(".repeat(10_000)), ExpressionError::Deep { .. }));
    assert!(matches!(error(&"2^".repeat(10_000)), ExpressionError::Deep { .. }));
    // long is not deep
    let long = Expression::parse(&"x + ".repeat(20_000).add("x"), &["x"], &[]).unwrap();
    assert_eq!(long.evaluate(&[1.0]), 20_001.0);
}

use std::ops::Add;

#[test]
fn no_text_makes_the_parser_panic() {
    let alphabet: Vec<char> = "x1.e+-*/^(), sincotaqrp2k\u{3b8}\n".chars().collect();
    let mut seed = 1u64;
    for _ in 0..20_000 {
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize
        };
        let length = next() % 12;
        let text: String = (0..length).map(|_| alphabet[next() % alphabet.len()]).collect();
        if let Ok(formula) = Expression::parse(&text, &["x"], &[("k", 2.0)]) {
            formula.evaluate(&[0.5]);
        }
    }
}

#[test]
fn names_are_checked() {
    let refused = |coordinates: &[&str], parameters: &[(&str, f64)]| {
        FormulaLagrangian::new(coordinates, parameters).unwrap_err()
    };
    assert_eq!(refused(&[], &[]), FormulaError::Empty);
    assert!(matches!(refused(&["x", "x"], &[]), FormulaError::Name { .. }));
    assert!(matches!(refused(&["x", "x_dot"], &[]), FormulaError::Name { .. }));
    assert!(matches!(refused(&["sin"], &[]), FormulaError::Name { .. }));
    assert!(matches!(refused(&["2x"], &[]), FormulaError::Name { .. }));
    assert!(matches!(refused(&["x"], &[("x", 1.0)]), FormulaError::Name { .. }));
    assert!(matches!(refused(&["x"], &[("m", f64::NAN)]), FormulaError::Number { .. }));
    // a potential has no velocities
    assert!(FormulaLagrangian::parse(&["x"], "x_dot^2", "x_dot", &[]).is_err());
    assert!(FormulaLagrangian::new(&["x"], &[]).unwrap().atom(-1.0, ["x", "0", "0"]).is_err());
}

#[test]
fn atoms_given_as_text_are_the_double_pendulum() {
    let parameters = [("l1", 0.8), ("l2", 1.1)];
    let atoms = FormulaLagrangian::new(&["a", "b"], &parameters)
        .and_then(|w| w.atom(1.3, ["l1*sin(a)", "0", "-l1*cos(a)"]))
        .and_then(|w| w.atom(0.7, ["l1*sin(a) + l2*sin(b)", "0", "-l1*cos(a) - l2*cos(b)"]))
        .and_then(|w| w.density("9.81*z"))
        .unwrap();
    let mut atoms = EquationsOfMotion::new(atoms);
    let mut other = EquationsOfMotion::new(DoublePendulum { masses: [1.3, 0.7], lengths: [0.8, 1.1] });
    let (mut x, mut y) = ([0.0; 2], [0.0; 2]);
    atoms.acceleration(&[0.4, -1.0], &[1.0, 0.5], &mut x).unwrap();
    other.acceleration(&[0.4, -1.0], &[1.0, 0.5], &mut y).unwrap();
    assert!((x[0] - y[0]).abs() + (x[1] - y[1]).abs() < 1e-12);
}
