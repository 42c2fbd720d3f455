//! Attitudes that are not rotations: those of a method that adds `h · rate` to the entries of R or q and does not correct them.
//!
//! ```math
//! RᵀR = 1 + O(h)                                                       the orthogonality error                 (1)
//! R(q) = 1 + 2w [u]× + 2 [u]×²,   q = (w, u)                           orthogonal only for |q| = 1             (2)
//! R ← ½ (R + R⁻ᵀ)                                                      to the nearest rotation                 (3)
//! ```
//! Iteration (3) is Newton's for the polar factor of R [Higham86].

use crate::algebra::{M3, V3};
use crate::spatial::Quat;

/// A replacement of the rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Raw {
    /// The nine entries.
    Matrix(M3),
    /// A quaternion of any length.
    Quaternion(Quat),
}

impl Raw {
    /// The matrix by which vectors of the body are multiplied.
    pub fn matrix(self) -> M3 {
        match self {
            Raw::Matrix(r) => r,
            Raw::Quaternion(q) => unnormalised_matrix(q),
        }
    }

    /// The nearest rotation.
    pub fn rotation(self) -> Quat {
        match self {
            Raw::Matrix(r) => Quat::from_matrix(nearest_rotation(r)),
            Raw::Quaternion(q) => q.normalized(),
        }
    }

    /// A tag and nine numbers.
    pub fn numbers(self) -> [f64; Raw::NUMBERS] {
        let mut out = [0.0; Raw::NUMBERS];
        match self {
            Raw::Matrix(r) => {
                out[0] = 1.0;
                out[1..].copy_from_slice([r.x, r.y, r.z].map(V3::array).as_flattened());
            }
            Raw::Quaternion(q) => {
                out[0] = 2.0;
                out[1..5].copy_from_slice(&q.array());
            }
        }
        out
    }

    /// The inverse of [`Raw::numbers`]; `None` if there is nothing.
    pub fn of_numbers(n: &[f64; Raw::NUMBERS]) -> Option<Raw> {
        let column = |k: usize| V3::new(n[k], n[k + 1], n[k + 2]);
        match n[0] {
            1.0 => Some(Raw::Matrix(M3::columns(column(1), column(4), column(7)))),
            2.0 => Some(Raw::Quaternion(Quat { w: n[1], x: n[2], y: n[3], z: n[4] })),
            _ => None,
        }
    }

    pub const NUMBERS: usize = 10;
}

/// The largest entry of RᵀR − 1.
pub(super) fn orthogonality_error(r: M3) -> f64 {
    (r.transpose() * r - M3::IDENTITY).max_abs()
}

/// Equation (2), whatever the length of q.
pub(super) fn unnormalised_matrix(q: Quat) -> M3 {
    let u = M3::skew(q.vector());
    M3::IDENTITY + u.scale(2.0 * q.w) + (u * u).scale(2.0)
}

/// Equation (3), to round-off; entries that are no longer near any rotation become NaN.
fn nearest_rotation(mut r: M3) -> M3 {
    // quadratic convergence from any positive determinant; a hundred halvings cover the whole range of scales of a double
    for _ in 0..100 {
        let cofactors = M3::columns(r.y.cross(r.z), r.z.cross(r.x), r.x.cross(r.y));
        let next = (r + cofactors.scale(1.0 / r.x.dot(cofactors.x))).scale(0.5);
        let moved = (next - r).max_abs();
        r = next;
        if moved <= 4.0 * f64::EPSILON || moved.is_nan() {
            break;
        }
    }
    r
}
