//! The quadratic programme of frictionless contact: minimise `½ xᵀ H x + cᵀ x` subject to `A x ≥ b`.
//!
//! Its optimality conditions are `H x + c = Aᵀ y`, `A x − b ≥ 0`, `y ≥ 0`, and y_k = 0 if row k has slack. With H positive definite,
//! eliminating x leaves the linear complementarity problem of `M = A H⁻¹ Aᵀ`, `q = −A H⁻¹ c − b`. Resting contact is the case in which y
//! are the forces, A x − b the accelerations and H the masses.

use super::certificate::Status;
use super::lcp::{Lcp, Method};
use super::problem::{ProblemError, finite};
use nalgebra::{DMatrix, DVector};

/// How a quadratic programme ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpStatus {
    /// The minimum was found.
    Solved,
    /// No x satisfies all conditions.
    NoSolution,
    /// The objective is unbounded below.
    Unbounded,
    /// H is not positive definite, and the outcome is undecided.
    NotConvex,
    /// No solution was found.
    Unsolved,
}

/// A solution of a quadratic programme.
#[derive(Clone, Debug, PartialEq)]
pub struct QpSolution {
    /// How it ended. The rest is a solution only if this is `Solved`.
    pub status: QpStatus,
    /// x.
    pub point: Vec<f64>,
    /// y, one for each row of A.
    pub multipliers: Vec<f64>,
    /// ½ xᵀ H x + cᵀ x.
    pub value: f64,
}

/// Minimises `½ xᵀ H x + cᵀ x` subject to `A x ≥ b`; H and A in row-major order, H symmetric.
///
/// ```
/// use poinsot_core::contact::{QpStatus, minimise};
/// // the least 5x² + 3y² where 2x + y ≥ 3 and −3x − 2y ≥ −2
/// let (a, b) = ([2.0, 1.0, -3.0, -2.0], [3.0, -2.0]);
/// let least = minimise(&[10.0, 0.0, 0.0, 6.0], &[0.0; 2], &a, &b)?;
/// assert_eq!(least.status, QpStatus::Solved);
/// assert!((least.value - 155.0).abs() < 1e-10 && (least.point[1] + 5.0).abs() < 1e-12);
/// // and the greatest: there is none
/// assert_eq!(minimise(&[-10.0, 0.0, 0.0, -6.0], &[0.0; 2], &a, &b)?.status, QpStatus::Unbounded);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
pub fn minimise(h: &[f64], c: &[f64], a: &[f64], b: &[f64]) -> Result<QpSolution, ProblemError> {
    let (n, rows) = (c.len(), b.len());
    if h.len() != n * n {
        return Err(ProblemError::Numbers { size: n, count: h.len() });
    }
    if a.len() != rows * n {
        return Err(ProblemError::Length { what: "A", count: a.len(), expected: rows * n });
    }
    for (what, x) in [("H", h), ("c", c), ("A", a), ("b", b)] {
        finite(what, x)?;
    }
    let (h, a) = (DMatrix::from_row_slice(n, n, h), DMatrix::from_row_slice(rows, n, a));
    let h = (&h + h.transpose()) * 0.5;
    let (c, b) = (DVector::from_column_slice(c), DVector::from_column_slice(b));
    let mut answer = QpSolution {
        status: QpStatus::Unsolved,
        point: vec![0.0; n],
        multipliers: vec![0.0; rows],
        value: 0.0,
    };
    let Some(factor) = h.clone().cholesky() else {
        answer.status = without_least(&h, &a, &b)?;
        return Ok(answer);
    };
    let inverse_a = factor.solve(&a.transpose());
    let (m, q) = (&a * &inverse_a, -(&a * factor.solve(&c)) - &b);
    let mut lcp = Lcp::default();
    let ended = lcp.pivot(m.transpose().as_slice(), q.as_slice(), Method::Lemke)?;
    answer.status = match ended.status {
        Status::NoSolution => QpStatus::NoSolution,
        Status::Unsolved => QpStatus::Unsolved,
        _ => QpStatus::Solved,
    };
    let y = DVector::from_column_slice(lcp.z());
    let x = &inverse_a * &y - factor.solve(&c);
    answer.value = 0.5 * x.dot(&(&h * &x)) + c.dot(&x);
    (answer.point, answer.multipliers) = (x.as_slice().to_vec(), y.as_slice().to_vec());
    Ok(answer)
}

/// The status if H is not positive definite. There is no minimum if, from some feasible x, one can move without end along a direction d of
/// negative curvature, dᵀHd < 0, A d ≥ 0. Such d are searched for near the eigenvectors of H.
fn without_least(h: &DMatrix<f64>, a: &DMatrix<f64>, b: &DVector<f64>) -> Result<QpStatus, ProblemError> {
    let (n, rows) = (h.nrows(), a.nrows());
    let unit = DMatrix::<f64>::identity(n, n);
    let nearest = |target: &DVector<f64>, b: &[f64]| {
        minimise(unit.as_slice(), (-target).as_slice(), a.transpose().as_slice(), b)
    };
    if nearest(&DVector::zeros(n), b.as_slice())?.status == QpStatus::NoSolution {
        return Ok(QpStatus::NoSolution);
    }
    let eigen = h.clone().symmetric_eigen();
    let size = eigen.eigenvalues.amax();
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        for sign in [1.0, -1.0] {
            if *value >= -1e-12 * size {
                continue;
            }
            let d = nearest(&(vector * sign), &vec![0.0; rows])?;
            let d = DVector::from_vec(d.point);
            if d.dot(&(h * &d)) < -1e-9 * size * d.norm_squared() {
                return Ok(QpStatus::Unbounded);
            }
        }
    }
    Ok(QpStatus::NotConvex)
}
