//! Equalities, limits, dry friction, compliance, torsion and rolling together with contacts.

use crate::common::*;
use nalgebra::{DMatrix, DVector};
use poinsot_core::contact::{Blocks, Delassus, Exact, Law, Problem, Status};

/// Checks an answer against every law, by its own measure.
fn assert_lawful(problem: &Owned, x: &[f64], most: f64) {
    let mut u = &problem.g * DVector::from_column_slice(x) + &problem.q;
    for (k, e) in problem.compliance.iter().enumerate() {
        u[k] += e * x[k];
    }
    let mut row = 0;
    for law in &problem.laws {
        match *law {
            Law::Interval { lower, upper } => {
                let (x, u) = (x[row], u[row]);
                assert!(x >= lower && x <= upper);
                if x > lower {
                    assert!(u <= most, "{law:?}: λ = {x}, u = {u}");
                }
                if x < upper {
                    assert!(u >= -most, "{law:?}: λ = {x}, u = {u}");
                }
            }
            Law::Contact { count, friction } => {
                let (x, u) = (&x[row..row + 1 + count], &u.as_slice()[row..row + 1 + count]);
                assert!(u[0] >= -most && x[0] >= 0.0 && x[0] * u[0] <= most * (1.0 + x[0]));
                let inside: f64 =
                    (0..count).filter(|k| friction[*k] > 0.0).map(|k| (x[1 + k] / friction[k]).powi(2)).sum();
                assert!(inside.sqrt() <= x[0] * (1.0 + 1e-12) + 1e-15);
                let slip = (0..count).map(|k| (friction[k] * u[1 + k]).powi(2)).sum::<f64>().sqrt();
                let work: f64 = (0..count).map(|k| x[1 + k] * u[1 + k]).sum();
                assert!((x[0] * slip + work).abs() <= most * (1.0 + x[0]), "{law:?}: {}", x[0] * slip + work);
                for k in (0..count).filter(|k| friction[*k] == 0.0) {
                    assert_eq!(x[1 + k], 0.0);
                }
            }
        }
        row += law.rows();
    }
}

fn random_laws(random: &mut Random) -> Vec<Law> {
    (0..1 + random.index(8))
        .map(|_| match random.index(7) {
            0 => Law::EQUALITY,
            1 => Law::AT_LEAST,
            2 => Law::within(random.within(0.0, 2.0)),
            3 => Law::elliptic(&[0.6, 0.6, 0.1]),
            4 => Law::elliptic(&[0.5, 0.8, 0.05, 0.01, 0.02]),
            5 => Law::elliptic(&[0.5, 0.5, 0.0]),
            _ => Law::contact(random.within(0.0, 1.0)),
        })
        .collect()
}

/// Islands with all laws: the exact solver keeps every one of them.
#[test]
fn all_laws_together() {
    let mut random = Random(21);
    let mut solved = 0;
    for case in 0..300 {
        let laws = random_laws(&mut random);
        let n: usize = laws.iter().map(Law::rows).sum();
        let factor = DMatrix::from_fn(n, n + 1, |_, _| random.within(-1.0, 1.0));
        let mut problem = Owned::new(
            &factor * factor.transpose(),
            DVector::from_fn(n, |_, _| random.within(-1.0, 1.0)),
            laws,
        );
        if case % 3 == 0 {
            problem.compliance = (0..n).map(|_| random.within(0.0, 0.1)).collect();
        }
        let answer = problem.exact();
        assert!(answer.certificate.status != Status::NoSolution);
        if answer.certificate.status.is_solved() {
            solved += 1;
            assert_lawful(&problem, &answer.x, 1e-8);
        }
        let polyhedral = problem.lcp(6);
        assert!(polyhedral.certificate.status.is_solved(), "case {case}: {:?}", polyhedral.certificate);
    }
    assert!(solved >= 299, "{solved} of 300");
}

/// With rows alone, no contacts, pivoting and the exact solver agree.
#[test]
fn rows_agree_with_pivoting() {
    let mut random = Random(22);
    for case in 0..100 {
        let n = 1 + random.index(12);
        let laws: Vec<Law> = (0..n)
            .map(|_| match random.index(4) {
                0 => Law::EQUALITY,
                1 => Law::AT_LEAST,
                2 => Law::within(random.within(0.0, 1.0)),
                _ => Law::Interval { lower: f64::NEG_INFINITY, upper: random.within(-0.5, 0.5) },
            })
            .collect();
        let factor = DMatrix::from_fn(n, n, |_, _| random.within(-1.0, 1.0));
        let g = &factor * factor.transpose() + DMatrix::identity(n, n) * 0.05;
        let problem = Owned::new(g, DVector::from_fn(n, |_, _| random.within(-1.0, 1.0)), laws);
        let (exact, pivots) = (problem.exact(), problem.lcp(4));
        assert!(exact.certificate.status.is_solved() && pivots.certificate.status.is_solved(), "case {case}");
        assert_lawful(&problem, &exact.x, 1e-9);
        for (a, b) in exact.x.iter().zip(&pivots.x) {
            assert!((a - b).abs() < 1e-7 * (1.0 + a.abs()), "case {case}: {a} and {b}");
        }
    }
}

/// A ball that spins on the spot about the normal: torsion takes μ_τ λ_n from it.
#[test]
fn torsion_brakes_a_spin() {
    // rows: normal, two of sliding, torsion; mass 1, inertia 0.1
    let g = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 1.0, 10.0]));
    let q = DVector::from_vec(vec![-0.2, 0.0, 0.0, 3.0]);
    let spins = Owned::new(g.clone(), q, vec![Law::elliptic(&[0.5, 0.5, 0.01])]).exact();
    assert!(spins.certificate.status.is_solved());
    assert!((spins.x[3] + 0.01 * 0.2).abs() < 1e-15 && (spins.u[3] - (3.0 - 10.0 * 0.002)).abs() < 1e-12);
    let slow = DVector::from_vec(vec![-0.2, 0.0, 0.0, 0.01]);
    let rests = Owned::new(g, slow, vec![Law::elliptic(&[0.5, 0.5, 0.01])]).exact();
    assert!(rests.u[3].abs() < 1e-12 && (rests.x[3] + 0.001).abs() < 1e-12);
}

/// Rigid is the limit of soft.
#[test]
fn compliance() {
    let mut problem = stack(2, 1.0, 0.5, 0.1).problem();
    let rigid = problem.exact();
    let mut last = f64::INFINITY;
    for e in [1e-1, 1e-3, 1e-5, 1e-7] {
        problem.compliance = vec![e; problem.size()];
        let soft = problem.exact();
        assert_eq!(soft.certificate.status, Status::Solved);
        let off = soft.u.iter().zip(&rigid.u).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < last && off < 10.0 * e, "{e:e}: {off:e}");
        last = off;
    }
}

/// By blocks it is the same problem.
#[test]
fn blocks_and_dense_agree() {
    for bodies in [stack(6, 10.0, 0.5, 0.1), heap(3, 2, 10.0, (0.2, 0.8), 0.2, 4)] {
        let problem = bodies.problem();
        let dense = problem.exact();
        let matrix: Blocks = blocks(&problem);
        let sparse =
            Problem { matrix: &matrix, free: problem.q.as_slice(), laws: &problem.laws, compliance: &[] };
        let (mut x, mut u) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
        let certificate = Exact::default().solve(&sparse, &mut x, &mut u).unwrap();
        assert!(certificate.status.is_solved());
        for (a, b) in u.iter().zip(&dense.u) {
            assert!((a - b).abs() < 1e-8, "{a} and {b}");
        }
    }
}

/// By bodies it is the same problem.
#[test]
fn bodies_and_dense_agree() {
    for bodies in [
        stack(3, 1.0, 0.5, 0.0),
        stack(6, 10.0, 0.5, 0.1),
        stack(10, 1e3, 0.4, 0.3),
        arch(7, 0.2, 0.8),
        heap(3, 2, 10.0, (0.2, 0.8), 0.2, 4),
        heap(3, 3, 1.0, (0.2, 0.8), 0.3, 5),
    ] {
        let (dense, by_bodies) = (bodies.problem(), bodies.by_bodies());
        let n = dense.size();
        assert_eq!(by_bodies.g.size(), n);
        for row in 0..n {
            let mut full = vec![0.0; n];
            by_bodies.g.row(row, |first, x| full[first..first + x.len()].copy_from_slice(x));
            for (column, x) in full.iter().enumerate() {
                assert!((x - dense.g[(row, column)]).abs() < 1e-13);
                assert_eq!(by_bodies.g.entry(row, column), *x);
            }
        }
        let (a, b) = (dense.exact(), by_bodies.exact());
        assert!(a.certificate.status.is_solved() && b.certificate.status.is_solved(), "{:?}", b.certificate);
        for (a, b) in a.u.iter().zip(&b.u) {
            assert!((a - b).abs() < 1e-7, "{a} and {b}");
        }
        assert!(dense.natural_map(&b.x) < 1e-8);
    }
}
