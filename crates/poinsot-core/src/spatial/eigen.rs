//! Eigenvalues and eigenvectors of symmetric matrices, with guaranteed termination: on numbers that are not finite the iteration would
//! never end.

use crate::algebra::Sym3;
use nalgebra::{Matrix3, Matrix4, Vector3, Vector4};

/// A few steps for each eigenvalue are enough.
const MOST_STEPS: usize = 1000;

/// Eigenvalues, unordered, and a matrix of eigenvectors; NaN and the identity if there are none.
pub(crate) fn eigen3(i: Sym3) -> (Vector3<f64>, Matrix3<f64>) {
    let m = Matrix3::new(i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz);
    let finite = m.iter().all(|x| x.is_finite());
    match finite.then(|| m.try_symmetric_eigen(f64::EPSILON, MOST_STEPS)).flatten() {
        Some(eigen) => (eigen.eigenvalues, eigen.eigenvectors),
        None => (Vector3::repeat(f64::NAN), Matrix3::identity()),
    }
}

/// Eigenvalues, unordered; NaN if there are none.
pub(crate) fn eigenvalues4(m: Matrix4<f64>) -> Vector4<f64> {
    let finite = m.iter().all(|x| x.is_finite());
    let found = finite.then(|| m.try_symmetric_eigen(f64::EPSILON, MOST_STEPS)).flatten();
    found.map_or(Vector4::repeat(f64::NAN), |eigen| eigen.eigenvalues)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_end_for_any_numbers() {
        let odd = [0.0, -0.0, 1.0, 1e-320, 1e308, -1e308, f64::MAX, f64::INFINITY, f64::NAN];
        for a in odd {
            for b in odd {
                for c in odd {
                    for i in [Sym3::diagonal(a, b, c), Sym3 { xx: a, yy: b, zz: c, xy: b, xz: c, yz: a }] {
                        let (values, _) = eigen3(i);
                        let finite = [a, b, c].iter().all(|x| x.is_finite());
                        assert!(finite || values.iter().all(|x| x.is_nan()), "{i:?}: {values}");
                    }
                    eigenvalues4(Matrix4::from_fn(|i, j| [a, b, c][(i + j) % 3]));
                }
            }
        }
    }
}
