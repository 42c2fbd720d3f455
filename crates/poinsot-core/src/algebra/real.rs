//! The number types of sweeps: `f64`, several `f64` side by side, and dual numbers.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number type for the kernels of `spatial`, `dynamics` and `hierarchy`.
///
/// The model's constants are always `f64`; a kernel lifts them with [`Real::from_f64`]. All operations are
/// IEEE operations on each component, so every implementation gives the same bits in each component.
///
/// ```
/// use poinsot_core::algebra::Real;
/// fn hypotenuse<T: Real>(a: T, b: T) -> T { a.mul_add(a, b * b).sqrt() }
/// assert_eq!(hypotenuse(3.0, 4.0), 5.0);
/// ```
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// The constant `x`.
    fn from_f64(x: f64) -> Self;
    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// Sine and cosine, by the polynomial of [`crate::algebra::sin_cos`].
    fn sin_cos(self) -> (Self, Self);
    /// The number 0.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
    /// The number 1.
    #[inline(always)]
    fn one() -> Self {
        Self::from_f64(1.0)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        f64::mul_add(self, a, b)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        crate::algebra::sin_cos(self)
    }
}
