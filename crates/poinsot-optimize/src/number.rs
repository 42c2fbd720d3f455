//! Second derivatives: a number with one more derivative beside it, of any number type.

use poinsot::algebra::Real;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `re + eps ε` with `ε² = 0`, over any number type: over [`Dual`](poinsot::algebra::Dual) it gives second derivatives, and
/// with ε an instant it gives rates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pair<T> {
    /// The value.
    pub re: T,
    /// Its derivative.
    pub eps: T,
}

impl<T: Real> Pair<T> {
    /// f(self), given f and f′ at `self.re`.
    #[inline(always)]
    fn chain(self, f: T, df: T) -> Self {
        Pair { re: f, eps: df * self.eps }
    }
}

impl<T: Real> Add for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Pair { re: self.re + o.re, eps: self.eps + o.eps }
    }
}
impl<T: Real> Sub for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Pair { re: self.re - o.re, eps: self.eps - o.eps }
    }
}
#[allow(clippy::suspicious_arithmetic_impl)] // the product rule
impl<T: Real> Mul for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Pair { re: self.re * o.re, eps: self.eps * o.re + self.re * o.eps }
    }
}
#[allow(clippy::suspicious_arithmetic_impl)] // the quotient rule
impl<T: Real> Div for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let q = self.re / o.re;
        Pair { re: q, eps: (self.eps - q * o.eps) / o.re }
    }
}
impl<T: Real> Neg for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Pair { re: -self.re, eps: -self.eps }
    }
}
impl<T: Real> AddAssign for Pair<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real> SubAssign for Pair<T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T: Real> Real for Pair<T> {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Pair { re: T::from_f64(x), eps: T::zero() }
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Pair { re: self.re.mul_add(a.re, b.re), eps: self.re.mul_add(a.eps, self.eps.mul_add(a.re, b.eps)) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot::algebra::Dual;

    /// f(x, y) = sin(x) √y / (x + y): all second derivatives beside those worked out by hand.
    #[test]
    fn second_derivatives_are_exact() {
        let (x, y) = (0.7, 1.3);
        let of = |direction: usize| {
            let one = |k: usize| Dual::<2>::from_f64(f64::from(u8::from(k == direction)));
            let a = Pair { re: Dual::<2>::variable(x, 0), eps: one(0) };
            let b = Pair { re: Dual::<2>::variable(y, 1), eps: one(1) };
            (a.sin_cos().0 * b.sqrt() / (a + b)).eps.eps
        };
        let (s, c, w, d) = (libm::sin(x), libm::cos(x), y.sqrt(), x + y);
        let xx = w * (-s / d - 2.0 * c / (d * d) + 2.0 * s / (d * d * d));
        let xy = c / (2.0 * w * d) - c * w / (d * d) - s / (2.0 * w * d * d) + 2.0 * s * w / (d * d * d);
        let yy = s * (-1.0 / (4.0 * w * w * w * d) - 1.0 / (w * d * d) + 2.0 * w / (d * d * d));
        for (found, expected) in of(0).into_iter().chain(of(1)).zip([xx, xy, xy, yy]) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
    }
}
