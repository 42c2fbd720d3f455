//! Dense factorisations of row-major square matrices: LU with partial pivoting, and Cholesky.

use crate::algebra::Real;
use crate::algebra::lanes::{Eight, Isa, Kernel, dispatch};

/// Σ aᵢ bᵢ, in eight independent sums that are added in a fixed order.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sums = [0.0f64; 8];
    let (mut x, mut y) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in (&mut x).zip(&mut y) {
        for k in 0..8 {
            sums[k] = x[k].mul_add(y[k], sums[k]);
        }
    }
    let mut sum = folded(&sums);
    for (x, y) in x.remainder().iter().zip(y.remainder()) {
        sum = x.mul_add(*y, sum);
    }
    sum
}

/// Σ aᵢ bᵢ, and Σ |aᵢ bᵢ|.
#[inline(always)]
pub(super) fn dot_and_size(a: &[f64], b: &[f64]) -> (f64, f64) {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let (mut sums, mut sizes) = ([0.0f64; 8], [0.0f64; 8]);
    let (mut x, mut y) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in (&mut x).zip(&mut y) {
        for k in 0..8 {
            sums[k] = x[k].mul_add(y[k], sums[k]);
            sizes[k] = x[k].abs().mul_add(y[k].abs(), sizes[k]);
        }
    }
    let (mut sum, mut size) = (folded(&sums), folded(&sizes));
    for (x, y) in x.remainder().iter().zip(y.remainder()) {
        sum = x.mul_add(*y, sum);
        size = x.abs().mul_add(y.abs(), size);
    }
    (sum, size)
}

/// Eight sums added in a fixed order.
#[inline(always)]
pub(super) fn folded(sums: &[f64; 8]) -> f64 {
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

/// y += a x.
#[inline(always)]
fn add(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = a.mul_add(*x, *y);
    }
}

/// y += a x in chunks of eight, including the remainder, which dominates for short rows.
#[inline(always)]
fn add_by_eights<I: Isa>(a: f64, x: &[f64], y: &mut [f64]) {
    let a = I::F64x8::from_f64(a);
    for (x, y) in x.chunks(8).zip(y.chunks_mut(8)) {
        I::F64x8::load_some(x).mul_add(a, I::F64x8::load_some(y)).store_some(y);
    }
}

/// P A = L U, in place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    pub a: Vec<f64>,
    swaps: Vec<usize>,
}

impl Lu {
    /// Returns a zeroed matrix of n rows to fill in.
    pub fn begin(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        &mut self.a
    }
    /// Factors the matrix; false if it is singular or not finite.
    pub fn factor(&mut self) -> bool {
        dispatch(FactorLu(self))
    }
    /// x := A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        dispatch(SolveLu(self, x));
    }
    /// True if the pivots differ by the full range of double precision.
    pub fn is_nearly_singular(&self) -> bool {
        let pivots = || (0..self.n).map(|k| self.a[k * self.n + k].abs());
        let greatest = pivots().fold(0.0, f64::max);
        pivots().any(|p| p <= 1e-14 * greatest)
    }

    #[inline(always)]
    fn factor_here<I: Isa>(&mut self) -> bool {
        let n = self.n;
        self.swaps.clear();
        for k in 0..n {
            let size = |a: &[f64], i: usize| a[i * n + k].abs();
            let pivot = (k..n).fold(k, |b, i| if size(&self.a, i) > size(&self.a, b) { i } else { b });
            let greatest = size(&self.a, pivot);
            if !(greatest > 0.0 && greatest.is_finite()) {
                return false;
            }
            self.swaps.push(pivot);
            if pivot != k {
                let (upper, lower) = self.a.split_at_mut(pivot * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            }
            let (upper, lower) = self.a.split_at_mut((k + 1) * n);
            let own = &upper[k * n + k..];
            for row in lower.chunks_exact_mut(n) {
                if row[k] != 0.0 {
                    let factor = row[k] / own[0];
                    row[k] = factor;
                    add_by_eights::<I>(-factor, &own[1..], &mut row[k + 1..]);
                }
            }
        }
        true
    }

    #[inline(always)]
    fn solve_here(&self, x: &mut [f64]) {
        let n = self.n;
        for (k, &pivot) in self.swaps.iter().enumerate() {
            x.swap(k, pivot);
        }
        for i in 0..n {
            x[i] -= dot(&self.a[i * n..i * n + i], &x[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n..(i + 1) * n];
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..n])) / row[i];
        }
    }
}

/// A = L Lᵀ of a symmetric positive definite matrix, of which the lower half is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Cholesky {
    n: usize,
    pub a: Vec<f64>,
}

impl Cholesky {
    /// Returns a zeroed matrix of n rows to fill in.
    pub fn begin(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        &mut self.a
    }
    /// Factors the matrix; the error is the first row at which it is not positive definite.
    pub fn factor(&mut self) -> Result<(), usize> {
        dispatch(FactorCholesky(self))
    }
    /// x := A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        dispatch(SolveCholesky(self, x));
    }

    #[inline(always)]
    fn factor_here(&mut self) -> Result<(), usize> {
        let n = self.n;
        for i in 0..n {
            let (above, own) = self.a.split_at_mut(i * n);
            for j in 0..i {
                let other = &above[j * n..j * n + j + 1];
                own[j] = (own[j] - dot(&other[..j], &own[..j])) / other[j];
            }
            let square = own[i] - dot(&own[..i], &own[..i]);
            if !(square > 0.0 && square.is_finite()) {
                return Err(i);
            }
            own[i] = square.sqrt();
        }
        Ok(())
    }

    #[inline(always)]
    fn solve_here(&self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            x[i] = (x[i] - dot(&self.a[i * n..i * n + i], &x[..i])) / self.a[i * n + i];
        }
        for i in (0..n).rev() {
            x[i] /= self.a[i * n + i];
            let own = x[i];
            add(-own, &self.a[i * n..i * n + i], &mut x[..i]);
        }
    }
}

struct FactorLu<'a>(&'a mut Lu);
struct SolveLu<'a>(&'a Lu, &'a mut [f64]);
struct FactorCholesky<'a>(&'a mut Cholesky);
struct SolveCholesky<'a>(&'a Cholesky, &'a mut [f64]);

impl Kernel for FactorLu<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        self.0.factor_here::<I>()
    }
}
impl Kernel for SolveLu<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_here(self.1);
    }
}
impl Kernel for FactorCholesky<'_> {
    type Output = Result<(), usize>;
    #[inline(always)]
    fn run<I: Isa>(self) -> Self::Output {
        self.0.factor_here()
    }
}
impl Kernel for SolveCholesky<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_here(self.1);
    }
}
