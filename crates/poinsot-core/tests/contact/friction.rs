//! Friction with known answers.

use crate::common::*;
use nalgebra::{DMatrix, DVector};
use poinsot_core::contact::{Law, Options, Status};

fn near(found: &[f64], exact: &[f64], most: f64) -> bool {
    found.len() == exact.len() && found.iter().zip(exact).all(|(a, b)| (a - b).abs() <= most)
}

/// One contact that sticks, its answer chosen before its problem.
#[test]
fn one_that_sticks() {
    let g = DMatrix::from_row_slice(
        3,
        3,
        &[
            5.134979747836,
            0.247820851309,
            0.456806443245,
            0.247820851309,
            0.513267920565,
            0.032097430423,
            0.456806443245,
            0.032097430423,
            3.898801505588,
        ],
    );
    let q = DVector::from_vec(vec![-22.17576646744224, -0.6351077060852411, -4.140847737130401]);
    let problem = Owned::contacts(g, q, &[0.5]);
    let answer = problem.exact();
    assert_eq!(answer.certificate.status, Status::Solved);
    assert!(near(&answer.x, &[4.310810375281767, -0.8792906552286762, 0.56424128019062], 1e-12));
    assert!(problem.natural_map(&answer.x) < 1e-14);
}

/// With a cone that is nearly a half space a contact sticks where its normal impulse is positive, and a residual that says so means it.
#[test]
fn friction_without_bound() {
    let mut random = Random(3);
    for case in 0..200 {
        let factor = DMatrix::from_fn(3, 3, |_, _| random.within(-1.0, 1.0));
        let g = &factor * factor.transpose() + DMatrix::identity(3, 3) * 0.1;
        let q = DVector::from_fn(3, |k, _| if k == 0 { -3.0 } else { random.within(-3.0, 3.0) });
        let sticks = -g.clone().try_inverse().unwrap() * &q;
        for mu in [1e2, 1e3, 1e4, 1e6, 1e9, 1e15] {
            let answer = Owned::contacts(g.clone(), q.clone(), &[mu]).exact();
            let certificate = answer.certificate;
            assert!(certificate.normal_velocity < 1e-9, "{case} {mu}: {certificate:?}");
            if sticks[0] > 0.02 * (sticks[1].hypot(sticks[2])) {
                assert_eq!(certificate.status, Status::Solved, "{case} {mu}");
                assert!(near(&answer.u, &[0.0; 3], 1e-9), "{case} {mu}: {:?}", answer.u);
            }
        }
    }
}

/// Problems made backwards from an answer with open, sticking and sliding contacts.
#[test]
fn constructed_answers_are_found() {
    let mut random = Random(11);
    for case in 0..300 {
        let contacts = 1 + random.index(8);
        let n = 3 * contacts;
        // of full rank or less
        let rank = if case % 2 == 0 { n } else { n - random.index(contacts + 1) };
        let factor = DMatrix::from_fn(n, rank, |_, _| random.within(-1.0, 1.0));
        let g = &factor * factor.transpose();
        let mu = [0.0, 0.1, 0.3, 0.5][random.index(4)];
        let (mut x, mut u) = (DVector::zeros(n), DVector::zeros(n));
        for i in 0..contacts {
            let angle = random.within(0.0, std::f64::consts::TAU);
            let direction = [angle.cos(), angle.sin()];
            match random.index(3) {
                0 => u[3 * i] = random.within(0.1, 1.0),
                1 => {
                    x[3 * i] = random.within(1.0, 5.0);
                    let part = random.within(0.0, 0.9) * mu * x[3 * i];
                    (0..2).for_each(|k| x[3 * i + 1 + k] = part * direction[k]);
                }
                _ => {
                    x[3 * i] = random.within(1.0, 5.0);
                    let slip = random.within(0.1, 1.0);
                    for k in 0..2 {
                        x[3 * i + 1 + k] = -mu * x[3 * i] * direction[k];
                        u[3 * i + 1 + k] = slip * direction[k];
                    }
                }
            }
        }
        let q = &u - &g * &x;
        let problem = Owned::contacts(g, q, &vec![mu; contacts]);
        let answer = problem.exact();
        assert!(answer.certificate.status.is_solved(), "case {case}: {:?}", answer.certificate);
        assert!(answer.certificate.residual <= 1e-10 * problem.q.amax() + answer.certificate.floor);
        assert!(problem.natural_map(&answer.x) < 1e-9, "case {case}: {:e}", problem.natural_map(&answer.x));
        assert!(answer.certificate.cone < 1e-14, "case {case}");
    }
}

/// Two planar facts of the sliding rod: a step of impulses always has an answer, and as the step shrinks it is the impulse that stops
/// the end at once where no finite force exists.
#[test]
fn painleve_by_impulses() {
    for (theta, mu, rate, stops) in [
        (std::f64::consts::FRAC_PI_6, 0.5, 0.0, false),
        (std::f64::consts::FRAC_PI_3, 1.6, 0.0, true),
        (2f64.atan(), 1.2, 0.0, false),
    ] {
        // mass 1, half length ½, inertia 1/12; the end at −½ (c, s) slides along −x at 1 m/s
        let (s, c) = f64::sin_cos(theta);
        let inertia = 1.0 / 12.0;
        let arm = [-0.5 * c, -0.5 * s];
        let normal = [0.0, 1.0, arm[0]];
        let tangent = [1.0, 0.0, -arm[1]];
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] / inertia;
        let g = DMatrix::from_row_slice(
            3,
            3,
            &[
                dot(normal, normal),
                dot(normal, tangent),
                0.0,
                dot(normal, tangent),
                dot(tangent, tangent),
                0.0,
                0.0,
                0.0,
                1.0,
            ],
        );
        let h = 1e-7;
        let q = DVector::from_vec(vec![h * (-9.81 + 0.5 * rate * rate * s), -1.0, 0.0]);
        let problem = Owned::contacts(g, q, &[mu]);
        for answer in [problem.exact(), problem.lcp(8)] {
            assert!(answer.certificate.status.is_solved(), "{:?}", answer.certificate);
            let [n, t] = [answer.x[0], answer.x[1]];
            if stops {
                assert!((t - 0.4375).abs() < 1e-5 && (n - 0.324759526419164).abs() < 1e-5, "{n} {t}");
            } else {
                let force = 9.81 / (1.0 + 3.0 * c * c - 3.0 * mu * s * c);
                assert!((n / h / force - 1.0).abs() < 1e-5, "{} and {force}", n / h);
            }
        }
    }
}

/// On a polyhedral cone the answer nears that of the true one with the square of the number of edges.
#[test]
fn many_edges_are_nearly_a_cone() {
    let problem = stack(2, 3.0, 0.3, 0.4).problem();
    let exact = problem.exact();
    let off = |facets| {
        let answer = problem.lcp(facets);
        assert!(answer.certificate.status.is_solved() && answer.certificate.residual < 1e-13);
        answer.u.iter().zip(&exact.u).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    let (few, many) = (off(7), off(28));
    assert!(many < 1e-2 && many < 0.2 * few.max(1e-3), "{few:e} {many:e}");
}

/// The impulses of the step before are the answer already.
#[test]
fn a_warm_start_is_taken() {
    let problem = stack(10, 1e3, 0.5, 0.0).problem();
    let cold = problem.exact();
    let warm = problem.exact_from(Options::default(), &cold.x);
    assert_eq!(warm.certificate.iterations(), 0);
    assert_eq!((warm.x, warm.u), (cold.x, cold.u));
}

/// Sweeps end in the same place, where they end.
#[test]
fn sweeps_agree() {
    let problem = stack(3, 2.0, 0.5, 0.3).problem();
    let exact = problem.exact();
    let swept = problem.pgs(Options { tolerance: 1e-9, most_sweeps: 20_000, ..Options::default() });
    assert!(swept.certificate.status.is_solved(), "{:?}", swept.certificate);
    assert!(near(&swept.u, &exact.u, 1e-6));
}

/// Four corners of one box on the ground: many impulses, one motion. Three points of a tripod: one of each.
#[test]
fn it_is_told_whether_others_would_do() {
    assert_eq!(stack(1, 1.0, 0.5, 0.0).problem().exact().certificate.status, Status::NotUnique);
    let mut tripod = Bodies::default();
    tripod.body(1.0, 0.4, [0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0, -0.1]);
    for k in 0..3 {
        let angle = 2.1 * k as f64;
        tripod.contact([Some(0), None], [0.0, 0.0, 1.0], [angle.cos(), angle.sin(), 0.0], 0.0);
    }
    assert_eq!(tripod.problem().exact().certificate.status, Status::Solved);
}

/// Between two walls that close in on it nothing helps, and that is said.
#[test]
fn squeezed() {
    let g = DMatrix::from_row_slice(2, 2, &[1.0, -1.0, -1.0, 1.0]);
    let problem = Owned::new(g, DVector::from_vec(vec![-1.0, -0.5]), vec![Law::AT_LEAST; 2]);
    for answer in [problem.exact(), problem.lcp(4)] {
        assert_eq!(answer.certificate.status, Status::NoSolution, "{:?}", answer.certificate);
        assert!(!answer.certificate.reason.is_empty() && answer.x.iter().all(|x| x.is_finite()));
    }
    let fixed = Owned::contacts(DMatrix::zeros(3, 3), DVector::from_vec(vec![-1.0, 0.0, 0.0]), &[0.5]);
    assert_eq!(fixed.exact().certificate.status, Status::NoSolution);
}
