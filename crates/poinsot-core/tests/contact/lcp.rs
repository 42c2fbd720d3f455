//! Linear complementarity problems with known solutions, by both methods; quadratic programmes compared with Clarabel.

use crate::common::{Bodies, Random, stack};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use nalgebra::{DMatrix, DVector};
use poinsot_core::contact::{Lcp, LcpMethod, LcpSolution, QpStatus, Status, minimise};
use std::f64::consts::{FRAC_PI_3, FRAC_PI_6};

const BOTH: [LcpMethod; 2] = [LcpMethod::Lemke, LcpMethod::Dantzig];

fn solve(m: &[f64], q: &[f64], method: LcpMethod) -> (LcpSolution, Vec<f64>, Vec<f64>) {
    let mut lcp = Lcp::default();
    let answer = lcp.solve(m, q, method).unwrap();
    let (z, w) = (lcp.z().to_vec(), lcp.w().to_vec());
    // whatever it says of itself
    if answer.status.is_solved() {
        let n = q.len();
        for i in 0..n {
            let own = q[i] + (0..n).map(|j| m[i * n + j] * z[j]).sum::<f64>();
            let size = q[i].abs() + (0..n).map(|j| (m[i * n + j] * z[j]).abs()).sum::<f64>();
            assert!(own >= -1e-12 * size && z[i] >= 0.0, "row {i}: w = {own}, z = {}", z[i]);
            assert!(own.min(z[i]) <= 1e-12 * size, "row {i}: w = {own}, z = {}", z[i]);
        }
    }
    (answer, z, w)
}

/// The lower triangular matrix of ones on and twos below the diagonal [Murty88, chapter 6].
fn murty(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| [0.0, 1.0, 2.0][1 + (k / n > k % n) as usize - (k / n < k % n) as usize]).collect()
}

/// Name, M, q, how it ends, and all basic solutions.
type Case = (&'static str, Vec<f64>, Vec<f64>, Status, Vec<Vec<f64>>);

#[test]
fn small_problems_have_the_solutions_of_exact_arithmetic() {
    let third = 1.0 / 3.0;
    let cases: Vec<Case> = vec![
        (
            "positive definite",
            vec![2.0, 1.0, 1.0, 2.0],
            vec![-5.0, -6.0],
            Status::Solved,
            vec![vec![4.0 / 3.0, 7.0 / 3.0]],
        ),
        (
            "three solutions",
            vec![1.0, 2.0, 2.0, 1.0],
            vec![-1.0, -1.0],
            Status::NotUnique,
            vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![third, third]],
        ),
        ("degenerate", vec![1.0, 0.0, 0.0, 1.0], vec![0.0, -1.0], Status::Solved, vec![vec![0.0, 1.0]]),
        ("ray", vec![1.0, -1.0, -1.0, 1.0], vec![1.0, -1.0], Status::NotUnique, vec![vec![0.0, 1.0]]),
        ("infeasible", vec![0.0, -1.0, -1.0, 0.0], vec![-1.0, -1.0], Status::NoSolution, vec![]),
        ("infeasible and skew", vec![0.0, 1.0, -1.0, 0.0], vec![-1.0, -1.0], Status::NoSolution, vec![]),
        ("murty", murty(6), vec![-1.0; 6], Status::Solved, vec![vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]),
        (
            "long way",
            murty(6),
            vec![-126.0, -124.0, -120.0, -112.0, -96.0, -64.0],
            Status::Solved,
            vec![vec![126.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
        ),
        (
            "least index alone cycles",
            vec![1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0],
            vec![-1.0; 3],
            Status::Solved,
            vec![vec![third; 3]],
        ),
        (
            "isolated",
            vec![0.0, -1.0, -1.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0],
            vec![0.0, -1.0, 1.0],
            Status::Solved,
            vec![vec![1.0, 0.0, 0.0]],
        ),
    ];
    for (name, m, q, status, solutions) in cases {
        for method in BOTH {
            let (answer, z, _) = solve(&m, &q, method);
            assert_eq!(answer.status, status, "{name} by {method:?}: {answer:?} {z:?}");
            let near = |s: &Vec<f64>| s.iter().zip(&z).all(|(a, b)| (a - b).abs() <= 1e-13 * (1.0 + a.abs()));
            assert!(solutions.is_empty() || solutions.iter().any(near), "{name} by {method:?}: {z:?}");
        }
    }
    // z₁ + z₂ = 1, all of it
    for method in BOTH {
        let (answer, z, _) = solve(&[1.0; 4], &[-1.0, -1.0], method);
        assert_eq!(answer.status, Status::NotUnique);
        assert!((z[0] + z[1] - 1.0).abs() < 1e-15 && z[0] >= 0.0 && z[1] >= 0.0);
    }
}

/// Normal impulses of a stack of four, bottom first: the weight above over a step of 0.01 s.
#[test]
fn a_stack_carries_what_is_above() {
    for masses in [[1.0, 1.0, 1.0, 1.0], [1.0, 10.0, 100.0, 1000.0], [1.0, 1.0, 1.0, 1e6]] {
        let mut m = [0.0; 16];
        for i in 0..4 {
            m[5 * i] = 1.0 / masses[i] + if i > 0 { 1.0 / masses[i - 1] } else { 0.0 };
            if i > 0 {
                (m[4 * i + i - 1], m[4 * (i - 1) + i]) = (-1.0 / masses[i - 1], -1.0 / masses[i - 1]);
            }
        }
        for method in BOTH {
            let (answer, z, _) = solve(&m, &[-0.0981, 0.0, 0.0, 0.0], method);
            assert_eq!(answer.status, Status::Solved);
            for i in 0..4 {
                let above = 0.0981 * masses[i..].iter().sum::<f64>();
                // the condition of the matrix is the ratio of the masses
                let most = 1e-15 * masses[3].max(10.0);
                assert!((z[i] / above - 1.0).abs() < most, "{method:?} {i}: {} and {above}", z[i]);
            }
        }
    }
}

/// A sliding rod on the ground: normal acceleration A N + b, A < 0 from Painlevé's friction on.
#[test]
fn painleve() {
    for (theta, mu, rate) in [
        (FRAC_PI_6, 0.5, 0.0),
        (1.1071, 1.2, 0.0),
        (FRAC_PI_3, 1.6, 0.0),
        (FRAC_PI_3, 1.6, 5.0),
        (1.1345, 1.8, 7.0f64),
    ] {
        let (s, c) = f64::sin_cos(theta);
        let a = 1.0 + 3.0 * c * c - 3.0 * mu * s * c;
        let b = -9.81 + 0.5 * rate * rate * s;
        let expected = match (a > 0.0, b > 0.0) {
            (true, _) => Status::Solved,
            (false, false) => Status::NoSolution,
            (false, true) => Status::NotUnique,
        };
        for method in BOTH {
            let (answer, z, _) = solve(&[a], &[b], method);
            assert_eq!(answer.status, expected, "θ = {theta}, μ = {mu}");
            if expected == Status::Solved {
                assert!((z[0] + b / a).abs() < 1e-13 * z[0]);
            }
        }
    }
}

/// Four legs carry what three could: any answer is in equilibrium, and it says that there are others.
#[test]
fn a_table_on_four_legs() {
    let legs = [[0.5, 0.3], [-0.5, 0.3], [-0.5, -0.3], [0.5, -0.3]];
    let (x, y, weight) = (0.1, 0.05, 100.0);
    // accelerations of the legs by unit forces, mass and inertias 1; the weight acts at (x, y)
    let row = |p: [f64; 2], q: [f64; 2]| 1.0 + p[0] * q[0] + p[1] * q[1];
    let m: Vec<f64> = legs.iter().flat_map(|p| legs.iter().map(|q| row(*p, *q))).collect();
    let q: Vec<f64> = legs.iter().map(|p| -weight * row(*p, [x, y])).collect();
    for method in BOTH {
        let (answer, f, _) = solve(&m, &q, method);
        assert_eq!(answer.status, Status::NotUnique);
        let moment = |k: usize| legs.iter().zip(&f).map(|(p, f)| p[k] * f).sum::<f64>();
        assert!((f.iter().sum::<f64>() - weight).abs() < 1e-12);
        assert!((moment(0) - weight * x).abs() < 1e-12 && (moment(1) - weight * y).abs() < 1e-12);
        let least = [34.0 + 1.0 / 6.0, 24.0 + 1.0 / 6.0, 15.0 + 5.0 / 6.0, 25.0 + 5.0 / 6.0];
        let along: Vec<f64> =
            f.iter().zip(least).zip([1.0, -1.0, 1.0, -1.0]).map(|((f, l), s)| (f - l) * s).collect();
        assert!(along.iter().all(|s| (s - along[0]).abs() < 1e-11), "{along:?}");
        assert!((-15.84..=24.17).contains(&along[0]));
    }
}

#[test]
fn random_problems() {
    let mut random = Random(5);
    for case in 0..400 {
        let n = 1 + random.index(30);
        let rank = 1 + random.index(n);
        let factor = DMatrix::from_fn(n, rank, |_, _| random.within(-1.0, 1.0));
        let scale = DVector::from_fn(n, |_, _| 10f64.powf(random.within(-2.0, 2.0)));
        let skew = DMatrix::from_fn(n, n, |_, _| random.within(-1.0, 1.0));
        let mut m = &factor * factor.transpose();
        if case % 3 == 0 {
            m += &skew - skew.transpose();
        }
        let m = DMatrix::from_fn(n, n, |i, j| m[(i, j)] * scale[i] * scale[j]);
        // with a solution: z and w of a choice of each pair
        let chosen: Vec<bool> = (0..n).map(|_| random.next() < 0.5).collect();
        let z = DVector::from_fn(n, |i, _| if chosen[i] { random.within(0.0, 2.0) / scale[i] } else { 0.0 });
        let w = DVector::from_fn(n, |i, _| if chosen[i] { 0.0 } else { random.within(0.0, 2.0) * scale[i] });
        let q = w - &m * z;
        for method in BOTH {
            let (answer, ..) = solve(m.transpose().as_slice(), q.as_slice(), method);
            assert!(answer.status.is_solved(), "case {case}, n = {n}, rank {rank}, {method:?}: {answer:?}");
        }
    }
}

/// Neither M is positive semidefinite, and all choices of basic variables show that there is no solution.
#[test]
fn without_a_solution_all_numbers_stay_finite() {
    let cases: [(&[f64], &[f64]); 2] = [
        (&[1.0, 0.0, -1.0, 0.0], &[-1.0, 0.5]),
        (
            &[-2.0, -1.0, 2.0, 2.0, -2.0, -1.0, 0.0, 1.0, -2.0, -2.0, 0.0, 1.0, -1.0, 1.0, 0.0, -2.0],
            &[2.0, -2.0, 1.0, 0.0],
        ),
    ];
    for (m, q) in cases {
        for method in BOTH {
            let (answer, z, w) = solve(m, q, method);
            assert_eq!(answer.status, Status::Unsolved, "{method:?}: {answer:?} {z:?}");
            assert!(!answer.reason.is_empty() && answer.residual > 0.1 && answer.residual.is_finite());
            assert!(z.iter().chain(&w).all(|x| x.is_finite()), "{method:?}: {z:?} {w:?}");
        }
    }
}

/// Stacks with a heavy top, by both methods: from nothing, and from the answer, which then needs no pivot.
#[test]
fn stacks_with_a_heavy_top() {
    for top in [1.0, 1e3, 1e6] {
        let problem = stack(10, top, 0.5, 0.0).problem();
        // principal pivoting leaves cones to Lemke's method, after many exchanges
        for (facets, method) in [(4, LcpMethod::Lemke), (8, LcpMethod::Lemke), (4, LcpMethod::Dantzig)] {
            let cold = problem.lcp_by(facets, method);
            let c = cold.certificate;
            println!(
                "top {top:e}, {facets} edges, {method:?}: {:?} {:.1e} {}",
                c.status, c.residual, c.pivots
            );
            assert!(c.status.is_solved(), "{top} {facets} {method:?}: {c:?}");
            let warm = problem.lcp_from(facets, method, &cold.x).certificate;
            assert!(warm.status.is_solved() && warm.pivots == 0, "{top} {facets} {method:?}: {warm:?}");
        }
    }
}

/// Three cylinders in a pyramid, each contact at its two ends, moving by round-off of all sizes: with 18 freedoms and 30 rows, nearly every
/// exchange is degenerate.
#[test]
fn a_pyramid_that_drifts_is_solved() {
    let mut random = Random(4);
    let (r, long, fall) = (0.1, 0.3, -9.81 * 5e-3);
    let (mut unsolved, mut all) = (Vec::new(), 0);
    for drift in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2] {
        for _ in 0..10 {
            let mut bodies = Bodies::default();
            let centres = [[-r, 0.0, r], [r, 0.0, r], [0.0, 0.0, r + r * 3f64.sqrt()]];
            for centre in centres {
                let mut v = [0.0, 0.0, 0.0, 0.0, 0.0, fall];
                v.iter_mut().for_each(|v| *v += drift * random.within(-1.0, 1.0));
                bodies.body(1.0, 0.15, centre, v);
            }
            for y in [-long, long] {
                let up = [0.0, 0.0, 1.0];
                for (k, x) in [(0, -r), (1, r)] {
                    bodies.contact([Some(k), None], up, [x, y, 0.0], 0.5);
                    let normal = [-x, 0.0, r * 3f64.sqrt()];
                    let point = [0.5 * x, y, r + 0.5 * r * 3f64.sqrt()];
                    bodies.contact([Some(2), Some(k)], normal, point, 0.6);
                }
                bodies.contact([Some(1), Some(0)], [1.0, 0.0, 0.0], [0.0, y, r], 0.6);
            }
            let problem = bodies.problem();
            for facets in [4, 5, 8] {
                let certificate = problem.lcp(facets).certificate;
                all += 1;
                if certificate.status.is_solved() {
                    assert!(certificate.residual < 1e-12, "{drift} {facets}: {certificate:?}");
                } else {
                    unsolved.push((drift, facets, certificate.residual));
                }
            }
        }
    }
    assert!(unsolved.len() * 100 <= all, "{} of {all}: {unsolved:?}", unsolved.len());
    assert!(unsolved.iter().all(|(.., residual)| *residual < 1e-10), "{unsolved:?}");
}

/// Where no z will do, the methods prove it.
#[test]
fn infeasible_problems_are_proved_so() {
    let mut random = Random(8);
    for _ in 0..100 {
        let n = 2 + random.index(10);
        let factor = DMatrix::from_fn(n, n - 1, |_, _| random.within(-1.0, 1.0));
        // Mᵀ y = 0 for a y > 0, and qᵀ y < 0
        let y = DVector::from_fn(n, |_, _| random.within(0.5, 1.0));
        let normal = y.normalize();
        let factor = &factor - &normal * (normal.transpose() * &factor);
        let m = &factor * factor.transpose();
        let q = DVector::from_fn(n, |_, _| random.within(-1.0, 1.0));
        let q = &q - &normal * (normal.dot(&q) + 0.5);
        for method in BOTH {
            let (answer, ..) = solve(m.transpose().as_slice(), q.as_slice(), method);
            assert_eq!(answer.status, Status::NoSolution, "{method:?} n = {n}: {answer:?}");
        }
    }
}

#[test]
fn the_worked_quadratic_programme() {
    let (a, b) = ([2.0, 1.0, -3.0, -2.0], [3.0, -2.0]);
    let least = minimise(&[10.0, 0.0, 0.0, 6.0], &[0.0; 2], &a, &b).unwrap();
    assert_eq!(least.status, QpStatus::Solved);
    assert!((least.value - 155.0).abs() < 1e-11);
    for (found, exact) in least.point.iter().chain(&least.multipliers).zip([4.0, -5.0, 170.0, 100.0]) {
        assert!((found - exact).abs() < 1e-11, "{least:?}");
    }
    let printed = minimise(&[-10.0, 0.0, 0.0, -6.0], &[0.0; 2], &a, &b).unwrap();
    assert_eq!(printed.status, QpStatus::Unbounded);
    let none = minimise(&[1.0], &[0.0], &[1.0, -1.0], &[1.0, 0.0]).unwrap();
    assert_eq!(none.status, QpStatus::NoSolution);
    let bounded = minimise(&[-1.0], &[0.0], &[1.0, -1.0], &[-1.0, -1.0]).unwrap();
    assert_eq!(bounded.status, QpStatus::NotConvex);
}

#[test]
fn quadratic_programmes_beside_clarabel() {
    let mut random = Random(3);
    for case in 0..40 {
        let (n, rows) = (2 + random.index(8), 1 + random.index(12));
        let factor = DMatrix::from_fn(n, n, |_, _| random.within(-1.0, 1.0));
        let h = &factor * factor.transpose() + DMatrix::identity(n, n) * 0.1;
        let c = DVector::from_fn(n, |_, _| random.within(-1.0, 1.0));
        let a = DMatrix::from_fn(rows, n, |_, _| random.within(-1.0, 1.0));
        let inside = DVector::from_fn(n, |_, _| random.within(-1.0, 1.0));
        let b = &a * inside - DVector::from_fn(rows, |_, _| random.within(0.0, 0.5));
        let answer = minimise(h.as_slice(), c.as_slice(), a.transpose().as_slice(), b.as_slice()).unwrap();
        assert_eq!(answer.status, QpStatus::Solved, "case {case}");
        let sparse = |m: &DMatrix<f64>| {
            let rows: Vec<Vec<f64>> = m.row_iter().map(|r| r.iter().copied().collect()).collect();
            CscMatrix::from(rows.iter())
        };
        let upper = DMatrix::from_fn(n, n, |i, j| if i <= j { h[(i, j)] } else { 0.0 });
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-12,
            tol_gap_rel: 1e-12,
            tol_feas: 1e-12,
            ..Default::default()
        };
        // Clarabel has A x + s = b, s ≥ 0
        let cones = [SupportedConeT::NonnegativeConeT(rows)];
        let mut oracle = DefaultSolver::new(
            &sparse(&upper),
            c.as_slice(),
            &sparse(&-&a),
            (-&b).as_slice(),
            &cones,
            settings,
        )
        .unwrap();
        oracle.solve();
        for (own, other) in answer.point.iter().zip(&oracle.solution.x) {
            assert!((own - other).abs() < 1e-6, "case {case}: {own} and {other}");
        }
        for (own, other) in answer.multipliers.iter().zip(&oracle.solution.z) {
            assert!((own - other).abs() < 1e-5, "case {case}: {own} and {other}");
        }
        assert!((answer.value - oracle.solution.obj_val).abs() < 1e-8);
    }
}
