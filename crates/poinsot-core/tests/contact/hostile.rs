//! What is no problem is refused in words; nothing panics and nothing is NaN.

use crate::common::*;
use nalgebra::{DMatrix, DVector};
use poinsot_core::contact::{
    Blocks, Dense, Exact, Law, Lcp, LcpMethod, Options, Pgs, Polyhedral, Problem, ProblemError, Status,
    minimise,
};

fn refuse(g: &[f64], q: &[f64], laws: &[Law], compliance: &[f64]) -> ProblemError {
    let matrix = Dense::new(q.len().min((g.len() as f64).sqrt() as usize), g);
    let matrix = match matrix {
        Ok(matrix) => matrix,
        Err(e) => return e,
    };
    let problem = Problem { matrix: &matrix, free: q, laws, compliance };
    let (mut x, mut u) = (vec![0.0; q.len()], vec![0.0; q.len()]);
    let error = Exact::default().solve(&problem, &mut x, &mut u).unwrap_err();
    let text = error.to_string();
    assert_eq!(Pgs::default().solve(&problem, &mut x, &mut u).unwrap_err().to_string(), text);
    let other = Polyhedral::new(4).unwrap().solve(&problem, &mut x, &mut u).unwrap_err();
    assert_eq!(other.to_string(), text);
    error
}

#[test]
fn errors_say_what_is_wrong() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let q = [-1.0, 0.0, 0.0];
    let contact = [Law::contact(0.5)];
    let text = |e: ProblemError| e.to_string();
    let mut bad = unit;
    bad[4] = f64::NAN;
    assert_eq!(
        text(refuse(&bad, &q, &contact, &[])),
        "the matrix has the entry NaN in row 1: all must be finite"
    );
    bad[4] = -1.0;
    assert!(text(refuse(&bad, &q, &contact, &[])).contains("-1 on the diagonal in row 1"));
    assert!(text(refuse(&unit, &[f64::INFINITY, 0.0, 0.0], &contact, &[])).contains("free velocity"));
    assert!(text(refuse(&unit, &q, &[Law::contact(-0.1)], &[])).contains("friction of contact 0 is -0.1"));
    assert!(text(refuse(&unit, &q, &[Law::contact(f64::NAN)], &[])).contains("friction of contact 0 is NaN"));
    assert!(text(refuse(&unit, &q, &[Law::AT_LEAST; 2], &[])).contains("3 entries where 2 are needed"));
    assert!(text(refuse(&unit, &q, &contact, &[1.0])).contains("compliance has 1 entries"));
    assert!(text(refuse(&unit, &q, &contact, &[0.0, -1.0, 0.0])).contains("compliance has -1"));
    assert!(text(refuse(&unit, &q, &[Law::elliptic(&[0.5]), Law::EQUALITY], &[])).contains("2 rows"));
    assert!(text(refuse(&unit, &q, &[Law::elliptic(&[0.5; 9])], &[])).contains("10 rows"));
    let empty = Law::Interval { lower: 1.0, upper: 0.0 };
    assert!(text(refuse(&unit, &q, &[empty; 3], &[])).contains("from 1 to 0"));
    assert!(matches!(refuse(&unit[..8], &q, &contact, &[]), ProblemError::Numbers { .. }));
    let mut blocks = Blocks::default();
    assert!(blocks.push(0, &[1.0]).is_err() && blocks.end_row().is_err());
    blocks.begin(&[2]);
    assert!(blocks.push(1, &[1.0; 4]).is_err() && blocks.push(0, &[1.0; 3]).is_err());
    assert!(Polyhedral::new(2).is_err());
    assert!(Lcp::default().solve(&[f64::NAN], &[1.0], LcpMethod::Lemke).is_err());
    assert!(Lcp::default().solve(&[1.0; 3], &[1.0; 2], LcpMethod::Lemke).is_err());
    assert!("simplex".parse::<LcpMethod>().unwrap_err().contains("'lemke' or 'dantzig'"));
    assert!(minimise(&[1.0], &[1.0], &[1.0], &[]).is_err());
}

#[test]
fn settings_and_starts_are_checked() {
    let matrix = Dense::new(1, &[1.0]).unwrap();
    let problem = Problem { matrix: &matrix, free: &[-1.0], laws: &[Law::AT_LEAST], compliance: &[] };
    let solve = |tolerance: f64, x: &mut [f64]| {
        Exact::new(Options { tolerance, ..Options::default() }).solve(&problem, x, &mut [0.0])
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(solve(bad, &mut [0.0]), Err(ProblemError::Tolerance(_))));
    }
    assert!(solve(1e-9, &mut [f64::NAN]).is_err() && solve(1e-9, &mut [0.0; 2]).is_err());
    assert!(solve(1e-9, &mut [-3.0]).unwrap().status.is_solved());
    let none = Problem { matrix: &Dense::new(0, &[]).unwrap(), free: &[], laws: &[], compliance: &[] };
    assert_eq!(Exact::default().solve(&none, &mut [], &mut []).unwrap().status, Status::Solved);
    assert_eq!(Lcp::default().solve(&[], &[], LcpMethod::Dantzig).unwrap().status, Status::Solved);
}

/// A budget of steps is kept, and what is left undone is said.
#[test]
fn budgets_are_kept() {
    let problem = heap(3, 3, 1e3, (0.0, 2.0), 0.0, 3).problem();
    for most_steps in [0, 1, 7, 30] {
        let options = Options { most_steps, ..Options::default() };
        let c = problem.exact_from(options, &vec![0.0; problem.size()]).certificate;
        assert!(c.newton_steps + c.interior_steps <= most_steps, "{most_steps}: {c:?}");
        assert!(c.status.is_solved() || !c.reason.is_empty());
    }
}

/// Indefinite matrices, overflow, tiny and huge numbers: an answer or an honest no, and only finite numbers.
#[test]
fn nothing_becomes_nan() {
    let mut random = Random(77);
    for _ in 0..500 {
        let contacts = 1 + random.index(4);
        let n = 3 * contacts;
        let size = 10f64.powf(random.within(-150.0, 150.0));
        let mut g = DMatrix::from_fn(n, n, |_, _| size * random.within(-1.0, 1.0));
        for k in 0..n {
            g[(k, k)] = if random.next() < 0.2 { 0.0 } else { g[(k, k)].abs() };
        }
        let speed = 10f64.powf(random.within(-150.0, 150.0));
        let q = DVector::from_fn(n, |_, _| speed * random.within(-1.0, 1.0));
        let mu: Vec<f64> = (0..contacts).map(|_| random.within(0.0, 2.0)).collect();
        let problem = Owned::contacts(g, q, &mu);
        for answer in [problem.exact(), problem.pgs(Options::default()), problem.lcp(4)] {
            let c = answer.certificate;
            assert!(answer.x.iter().chain(&answer.u).all(|x| x.is_finite()), "{c:?}");
            assert!(!(c.residual.is_nan() || c.residual_rms.is_nan() || c.cone.is_nan()), "{c:?}");
            assert!(!(c.complementarity.is_nan() || c.dissipation.is_nan() || c.normal_velocity.is_nan()));
        }
    }
}

/// Ten kilograms on a plate of ten grams: the impulses are large for what they move, so smaller ones are searched for, in hundreds of sweeps.
/// A solution that is handed on from the step before is not searched again.
#[test]
fn a_solution_from_the_step_before_costs_nothing() {
    let (plate, load, fall) = (0.01, 10.0, 0.02);
    let numbers = [1.0 / plate, -1.0 / plate, -1.0 / plate, 1.0 / plate + 1.0 / load];
    let g = Dense::new(2, &numbers).unwrap();
    let problem = Problem { matrix: &g, free: &[-fall, 0.0], laws: &[Law::AT_LEAST; 2], compliance: &[] };
    let (mut exact, mut impulse, mut velocity) = (Exact::default(), [0.0; 2], [0.0; 2]);
    let first = exact.solve(&problem, &mut impulse, &mut velocity).unwrap();
    let again = exact.solve(&problem, &mut impulse, &mut velocity).unwrap();
    let weights = [(plate + load) * fall, load * fall];
    assert!(impulse.iter().zip(weights).all(|(p, w)| (p - w).abs() < 1e-9 * w), "{impulse:?}");
    assert!(first.status.is_solved() && again.status.is_solved(), "{first:?}, {again:?}");
    assert!(first.sweeps > 0 && again.sweeps == 0 && again.newton_steps == 0, "{first:?}, {again:?}");
}
