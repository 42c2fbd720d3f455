//! Elementary functions for user-written energies, beyond those needed in sweeps.

use super::{Dual, Real};

/// A number with the elementary functions: `f64`, and dual numbers of any depth. Energies are written generic over it, and
/// their derivatives follow.
///
/// ```
/// use poinsot_core::algebra::{Analytic, Dual};
/// fn morse<T: Analytic>(r: T) -> T { (T::one() - (-r).exp()).powi(2) }
/// let at = Dual::<1>::variable(0.5, 0);
/// let e = (-0.5f64).exp();
/// assert!((morse(at).eps[0] - 2.0 * (1.0 - e) * e).abs() < 1e-15);
/// ```
pub trait Analytic: Real {
    /// e to the power of self.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The angle of the point (x, self) of the plane, in (−π, π].
    fn atan2(self, x: Self) -> Self;
    /// True if no part is infinite or NaN.
    fn is_finite(self) -> bool;

    /// Sine.
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// Cosine.
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Tangent.
    fn tan(self) -> Self {
        let (s, c) = self.sin_cos();
        s / c
    }
    /// The n-th power, by repeated squaring.
    fn powi(self, n: i32) -> Self {
        let (mut power, mut square, mut left) = (Self::one(), self, n.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                power = power * square;
            }
            left >>= 1;
            if left > 0 {
                square = square * square;
            }
        }
        if n < 0 { Self::one() / power } else { power }
    }
    /// The power of a positive number, `exp(p ln x)`.
    fn pow(self, p: Self) -> Self {
        (p * self.ln()).exp()
    }
    /// Hyperbolic sine.
    fn sinh(self) -> Self {
        (self.exp() - (-self).exp()) * Self::from_f64(0.5)
    }
    /// Hyperbolic cosine.
    fn cosh(self) -> Self {
        (self.exp() + (-self).exp()) * Self::from_f64(0.5)
    }
    /// Hyperbolic tangent, `1 − 2/(exp(2x) + 1)`.
    fn tanh(self) -> Self {
        let two = Self::from_f64(2.0);
        Self::one() - two / ((self + self).exp() + Self::one())
    }
    /// The angle in [−π/2, π/2] with this sine.
    fn asin(self) -> Self {
        self.atan2((Self::one() - self * self).sqrt())
    }
    /// The angle in [0, π] with this cosine.
    fn acos(self) -> Self {
        (Self::one() - self * self).sqrt().atan2(self)
    }
    /// The angle in (−π/2, π/2) with this tangent.
    fn atan(self) -> Self {
        self.atan2(Self::one())
    }
}

impl Analytic for f64 {
    fn exp(self) -> Self {
        libm::exp(self)
    }
    fn ln(self) -> Self {
        libm::log(self)
    }
    fn atan2(self, x: Self) -> Self {
        libm::atan2(self, x)
    }
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}

impl<const N: usize, T: Analytic> Analytic for Dual<N, T> {
    #[inline(always)]
    fn exp(self) -> Self {
        let e = self.re.exp();
        self.chain(e, e)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(self.re.ln(), T::one() / self.re)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let square = self.re.mul_add(self.re, x.re * x.re);
        self.zip(x, self.re.atan2(x.re), |dy, dx| (x.re * dy - self.re * dx) / square)
    }
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.eps.iter().all(|e| e.is_finite())
    }
}
