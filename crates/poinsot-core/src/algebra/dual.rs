//! Dual numbers: a value with its derivatives in `N` directions, exact to round-off.

use super::Real;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `re + Σ eps[k] εₖ` with `εₖ εₗ = 0`: computing `f` on it gives `f` and its derivatives along `eps`.
///
/// ```
/// use poinsot_core::algebra::{Dual, Real};
/// let x = Dual::<1>::variable(3.0, 0);
/// let y = x * x + x.sqrt();
/// assert!((y.eps[0] - (6.0 + 0.5 / 3f64.sqrt())).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize> {
    /// The value.
    pub re: f64,
    /// The derivatives.
    pub eps: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// The `k`-th independent variable, at value `re`.
    pub fn variable(re: f64, k: usize) -> Self {
        let mut eps = [0.0; N];
        eps[k] = 1.0;
        Self { re, eps }
    }

    /// f(self), given f and f′ at `self.re`.
    #[inline(always)]
    fn chain(self, f: f64, df: f64) -> Self {
        Self { re: f, eps: self.eps.map(|e| df * e) }
    }

    #[inline(always)]
    fn zip(self, o: Self, re: f64, f: impl Fn(f64, f64) -> f64) -> Self {
        Self { re, eps: std::array::from_fn(|k| f(self.eps[k], o.eps[k])) }
    }
}

impl<const N: usize> Default for Dual<N> {
    fn default() -> Self {
        Self { re: 0.0, eps: [0.0; N] }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, self.re + o.re, |a, b| a + b)
    }
}
impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, self.re - o.re, |a, b| a - b)
    }
}
#[allow(clippy::suspicious_arithmetic_impl)] // the product rule
impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.zip(o, self.re * o.re, |a, b| a * o.re + self.re * b)
    }
}
#[allow(clippy::suspicious_arithmetic_impl)] // the quotient rule
impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let q = self.re / o.re;
        self.zip(o, q, |a, b| (a - q * b) / o.re)
    }
}
impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.chain(-self.re, -1.0)
    }
}
impl<const N: usize> AddAssign for Dual<N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<const N: usize> SubAssign for Dual<N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<const N: usize> Real for Dual<N> {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self { re: x, eps: [0.0; N] }
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        let re = self.re.mul_add(a.re, b.re);
        let eps = std::array::from_fn(|k| self.re.mul_add(a.eps[k], self.eps[k].mul_add(a.re, b.eps[k])));
        Self { re, eps }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let r = self.re.sqrt();
        self.chain(r, 0.5 / r)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = crate::algebra::sin_cos(self.re);
        (self.chain(s, c), self.chain(c, -s))
    }
}
