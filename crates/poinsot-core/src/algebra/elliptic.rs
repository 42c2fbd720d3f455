//! Jacobi's elliptic functions sn, cn, dn and the quarter period K, for every parameter m from 0 to 1.
//!
//! With m = k² and m₁ = 1 − m, the arithmetic–geometric mean
//! ```math
//! a₀ = 1, b₀ = √m₁;   aₙ₊₁ = ½(aₙ + bₙ), bₙ₊₁ = √(aₙ bₙ) → a      K(m) = π / 2a                            (1)
//! ```
//! is Landen's descending transformation: it takes m to 0, where sn is sin. From there the ratio cn/sn is carried back up by rational steps
//! [Bulirsch65],
//! ```math
//! e = cot(a u), c = a e, d = 1;   n = N … 0:  e ← e c,  c ← c d,  d ← (bₙ + e)/(aₙ + e),  e ← c/aₙ           (2)
//! ```
//! and finally sn = 1/√(1 + c²), cn = c sn. Everything is a function of m₁, not of m: near m = 1 the functions depend on ln m₁, which is
//! lost in a rounded m. At m₁ = 0 they are tanh, sech, sech.

use super::sin_cos;
use std::f64::consts::{FRAC_PI_2, PI};

/// The number of steps stored: b₀ = 1e-162 (the smallest √m₁) needs 13.
const RUNGS: usize = 16;

/// The functions sn(u|m), cn(u|m), dn(u|m) of one parameter, whose sequence of means is computed once.
///
/// ```
/// use poinsot_core::algebra::Jacobi;
/// let j = Jacobi::with_complement(0.5);
/// assert!((j.quarter_period() - 1.854_074_677_301_371_9).abs() < 1e-15);
/// let (sn, cn, dn) = j.at(j.quarter_period());
/// assert!((sn - 1.0).abs() < 1e-15 && cn.abs() < 1e-15 && (dn - 0.5_f64.sqrt()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Jacobi {
    /// m₁ = 1 − m.
    m1: f64,
    /// (aₙ, bₙ), the first `rungs` of them.
    ladder: [(f64, f64); RUNGS],
    rungs: usize,
    /// The mean a.
    mean: f64,
}

impl Jacobi {
    /// The functions of parameter m = 1 − m₁; m₁ is clamped to [0, 1].
    pub fn with_complement(m1: f64) -> Jacobi {
        let m1 = m1.clamp(0.0, 1.0);
        let mut jacobi = Jacobi { m1, ladder: [(1.0, 1.0); RUNGS], rungs: 0, mean: 0.0 };
        if m1 > 0.0 {
            jacobi.descend();
        }
        jacobi
    }

    /// The functions of parameter m in [0, 1].
    pub fn new(m: f64) -> Jacobi {
        Jacobi::with_complement(1.0 - m)
    }

    /// Equation (1). The last mean is exact to round-off once a and b agree to half the digits.
    fn descend(&mut self) {
        let (mut a, mut b) = (1.0, self.m1.sqrt());
        loop {
            self.ladder[self.rungs] = (a, b);
            self.rungs += 1;
            self.mean = 0.5 * (a + b);
            if (a - b).abs() <= 1e-8 * a || self.rungs == RUNGS {
                return;
            }
            b = (a * b).sqrt();
            a = self.mean;
        }
    }

    /// 1 − m.
    pub fn complement(&self) -> f64 {
        self.m1
    }

    /// K(m), infinite at m = 1: sn and cn have period 4K, dn 2K.
    pub fn quarter_period(&self) -> f64 {
        FRAC_PI_2 / self.mean
    }

    /// (j, w) with `u = 2jK + w` and |w| ≤ K, j an integer.
    pub fn reduce(&self, u: f64) -> (f64, f64) {
        let half_turns = (u * self.mean / PI).round();
        if half_turns == 0.0 { (0.0, u) } else { (half_turns, u - half_turns * (PI / self.mean)) }
    }

    /// (sn u, cn u, dn u).
    pub fn at(&self, u: f64) -> (f64, f64, f64) {
        if self.m1 == 0.0 {
            let sech = 1.0 / libm::cosh(u);
            return (libm::tanh(u), sech, sech);
        }
        let (j, w) = self.reduce(u);
        let (sn, cn, dn) = self.within_half_period(w);
        if j % 2.0 == 0.0 { (sn, cn, dn) } else { (-sn, -cn, dn) }
    }

    /// Equation (2) for |u| ≤ K.
    fn within_half_period(&self, u: f64) -> (f64, f64, f64) {
        let (sin, cos) = sin_cos(u * self.mean);
        if sin == 0.0 {
            return (u, 1.0, 1.0);
        }
        let mut e = cos / sin;
        let mut c = e * self.mean;
        let mut d = 1.0;
        for &(a, b) in self.ladder[..self.rungs].iter().rev() {
            e *= c;
            c *= d;
            d = (b + e) / (a + e);
            e = c / a;
        }
        let sn = (1.0 / (1.0 + c * c).sqrt()).copysign(sin);
        (sn, c * sn, d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sn, cn, dn from mpmath 1.3 with 40 digits.
    const KNOWN: [[f64; 5]; 6] = [
        // m₁, u, sn, cn, dn
        [0.5, 0.7, 0.6243400909662173, 0.7811526424536344, 0.8972734953213249],
        [0.1, 2.3, 0.996045443097323, 0.08884523220217018, 0.3272676698920194],
        [1e-05, 6.0, 0.9999900841186588, 0.0044532756885014655, 0.005461818931560678],
        [1e-12, 10.0, 0.9999999958779427, 9.079710602983692e-05, 9.080261264625156e-05],
        [0.999, -3.0, -0.1418974661176635, -0.9898813611283862, 0.9999899325038775],
        [1e-30, 20.0, 1.0, 4.122307244877055e-09, 4.122307244877176e-09],
    ];

    #[test]
    fn known_values() {
        for [m1, u, sn, cn, dn] in KNOWN {
            let (s, c, d) = Jacobi::with_complement(m1).at(u);
            let worst = (s - sn).abs().max((c - cn).abs()).max((d - dn).abs());
            assert!(worst <= 4e-16 * (1.0 + u.abs()), "m1 = {m1}, u = {u}: {worst:e}");
        }
    }

    #[test]
    fn quarter_periods() {
        for (m1, k) in [
            (1.0, FRAC_PI_2),
            (0.5, 1.8540746773013719),
            (0.01, 3.6956373629898747),
            (1e-05, 7.142772450581778),
            (1e-16, 19.806975105072258),
            (1e-300, 346.77405831022674),
        ] {
            let got = Jacobi::with_complement(m1).quarter_period();
            assert!((got / k - 1.0).abs() < 5e-16, "m1 = {m1}: {got} against {k}");
        }
        assert_eq!(Jacobi::new(1.0).quarter_period(), f64::INFINITY);
    }

    #[test]
    fn pythagoras_and_addition_theorem() {
        for m1 in [1.0, 0.9, 0.3, 1e-2, 1e-6, 1e-12, 1e-20, 1e-200, 0.0] {
            let j = Jacobi::with_complement(m1);
            for (u, v) in [(0.1, 0.2), (1e-9, 0.7), (2.0, -0.5), (5.0, 3.0), (-7.0, 1.0)] {
                let ((s, c, d), (s1, c1, d1), (s2, _, _)) = (j.at(u), j.at(v), j.at(u + v));
                assert!((s * s + c * c - 1.0).abs() < 1e-15);
                assert!((d * d + (1.0 - m1) * s * s - 1.0).abs() < 1e-15, "m1 = {m1}, u = {u}");
                // 1 − m s² s₁² without cancellation
                let sum = (s * c1 * d1 + s1 * c * d) / (c * c + s * s * d1 * d1);
                assert!((sum - s2).abs() < 4e-15, "m1 = {m1}: sn({u} + {v}) = {s2}, not {sum}");
            }
        }
    }

    #[test]
    fn many_periods_away() {
        let j = Jacobi::with_complement(1e-3);
        let period = 4.0 * j.quarter_period();
        let near = j.at(0.3);
        let far = j.at(0.3 + 1000.0 * period);
        assert!((near.0 - far.0).abs() < 1e-11 && (near.2 - far.2).abs() < 1e-11);
    }
}
