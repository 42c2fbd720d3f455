//! Dual numbers: a value with its derivatives in `N` directions, exact to round-off.
//!
//! The parts may be dual numbers themselves: `Dual<1, Dual<1>>` is `f + f_x ε + f_y η + f_xy εη`, a hyper-dual number with
//! the second derivative in its last part [Fike11].

use super::Real;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `re + Σ eps[k] εₖ` with `εₖ εₗ = 0`: evaluating `f` on it gives `f` and its derivatives along `eps`.
///
/// ```
/// use poinsot_core::algebra::{Dual, Real};
/// let x = Dual::<1>::variable(3.0, 0);
/// let y = x * x + x.sqrt();
/// assert!((y.eps[0] - (6.0 + 0.5 / 3f64.sqrt())).abs() < 1e-15);
/// // (x³)″ = 6x
/// let x = Dual::<1, Dual<1>> { re: Dual::variable(3.0, 0), eps: [Dual::one()] };
/// assert_eq!((x * x * x).eps[0].eps[0], 18.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize, T = f64> {
    /// The value.
    pub re: T,
    /// The derivatives.
    pub eps: [T; N],
}

impl<const N: usize, T: Real> Dual<N, T> {
    /// The `k`-th independent variable, at value `re`.
    pub fn variable(re: T, k: usize) -> Self {
        let mut eps = [T::zero(); N];
        eps[k] = T::one();
        Self { re, eps }
    }

    /// f(self), given f and f′ at `self.re`.
    #[inline(always)]
    pub(super) fn chain(self, f: T, df: T) -> Self {
        Self { re: f, eps: self.eps.map(|e| df * e) }
    }

    #[inline(always)]
    pub(super) fn zip(self, o: Self, re: T, f: impl Fn(T, T) -> T) -> Self {
        Self { re, eps: std::array::from_fn(|k| f(self.eps[k], o.eps[k])) }
    }
}

impl<const N: usize, T: Real> Default for Dual<N, T> {
    fn default() -> Self {
        Self { re: T::zero(), eps: [T::zero(); N] }
    }
}

impl<const N: usize, T: Real> Add for Dual<N, T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, self.re + o.re, |a, b| a + b)
    }
}
impl<const N: usize, T: Real> Sub for Dual<N, T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, self.re - o.re, |a, b| a - b)
    }
}
#[allow(clippy::suspicious_arithmetic_impl)] // the product rule
impl<const N: usize, T: Real> Mul for Dual<N, T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.zip(o, self.re * o.re, |a, b| a * o.re + self.re * b)
    }
}
#[allow(clippy::suspicious_arithmetic_impl)] // the quotient rule
impl<const N: usize, T: Real> Div for Dual<N, T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let q = self.re / o.re;
        self.zip(o, q, |a, b| (a - q * b) / o.re)
    }
}
impl<const N: usize, T: Real> Neg for Dual<N, T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.chain(-self.re, T::from_f64(-1.0))
    }
}
impl<const N: usize, T: Real> AddAssign for Dual<N, T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<const N: usize, T: Real> SubAssign for Dual<N, T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<const N: usize, T: Real> Real for Dual<N, T> {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self { re: T::from_f64(x), eps: [T::zero(); N] }
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
        self.chain(r, T::from_f64(0.5) / r)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.re.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
}
