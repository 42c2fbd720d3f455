//! Symmetric positive semidefinite systems of unknown rank: `A λ = b`, with λ of least norm.
//!
//! A is scaled to a unit diagonal, `B = S A S` with S = diag(A)^(−½), since its rows may have different units. A pivot is then the squared
//! sine of the angle between its row and the previous ones. Cholesky's method with the largest pivot first [Higham90] stops when no pivot
//! exceeds a tolerance: `B = L Lᵀ` with L of r columns. Then
//!
//! ```math
//! λ = S B⁺ S b      B⁺ = L (Lᵀ L)⁻² Lᵀ
//! ```
//! is the solution with the least `Σ A_kk λ_k²`, and if there is none for b, that of the nearest right-hand side.

use super::lanes::{Isa, Kernel, dispatch};

/// The factor of a semidefinite matrix, with its storage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Semidefinite {
    n: usize,
    rank: usize,
    /// L by rows, n × n, rows in the order of `order`.
    l: Vec<f64>,
    order: Vec<usize>,
    scale: Vec<f64>,
    /// The factor of LᵀL, r × r; only when r < n.
    gram: Vec<f64>,
    work: Vec<f64>,
}

impl Semidefinite {
    /// Makes room for matrices of n rows, if there is less.
    pub fn make_room(&mut self, n: usize) {
        if self.scale.len() < n {
            self.l.resize(n * n, 0.0);
            self.gram.resize(n * n, 0.0);
            self.order.reserve(n);
            self.scale.resize(n, 0.0);
            self.work.resize(n, 0.0);
        }
    }

    /// The number of independent rows.
    #[cfg(test)]
    fn rank(&self) -> usize {
        self.rank
    }
    /// The rows that depend on the others.
    pub fn dependent(&self) -> &[usize] {
        &self.order[self.rank..]
    }

    /// Factors the n × n matrix `a` (its lower half is read). Diagonal entries up to those of `floor` count as 0, and so do pivots of the
    /// matrix with unit diagonal below `tolerance`.
    pub fn factor(&mut self, a: &[f64], floor: &[f64], tolerance: f64) {
        dispatch(Factor(self, a, floor, tolerance));
    }

    #[inline(always)]
    fn factor_here(&mut self, a: &[f64], floor: &[f64], tolerance: f64) {
        let n = floor.len();
        self.n = n;
        self.order.clear();
        self.order.extend(0..n);
        for k in 0..n {
            let diagonal = a[k * n + k];
            (self.scale[k], self.work[k]) =
                if diagonal > floor[k] { (1.0 / diagonal.sqrt(), 1.0) } else { (0.0, 0.0) };
        }
        self.rank = 0;
        for step in 0..n {
            let best = (step..n)
                .fold(step, |b, k| if self.work[self.order[k]] > self.work[self.order[b]] { k } else { b });
            let pivot = self.work[self.order[best]];
            if pivot.is_nan() || pivot <= tolerance {
                break;
            }
            self.order.swap(step, best);
            for c in 0..step {
                self.l.swap(step * n + c, best * n + c);
            }
            self.eliminate(a, step, pivot.sqrt());
            self.rank += 1;
        }
        if self.rank < n {
            self.factor_gram();
        }
    }

    /// Computes column `step` of L, and updates the remaining diagonal.
    #[inline(always)]
    fn eliminate(&mut self, a: &[f64], step: usize, root: f64) {
        let n = self.n;
        let own = self.order[step];
        self.l[step * n + step] = root;
        for k in step + 1..n {
            let row = self.order[k];
            let (i, j) = (row.max(own), row.min(own));
            let mut sum = a[i * n + j] * self.scale[i] * self.scale[j];
            for c in 0..step {
                sum = (-self.l[k * n + c]).mul_add(self.l[step * n + c], sum);
            }
            let entry = sum / root;
            self.l[k * n + step] = entry;
            self.work[row] = (-entry).mul_add(entry, self.work[row]);
        }
    }

    #[inline(always)]
    fn factor_gram(&mut self) {
        let (n, r) = (self.n, self.rank);
        for i in 0..r {
            for j in 0..=i {
                let mut sum = 0.0;
                for k in i..n {
                    sum = self.l[k * n + i].mul_add(self.l[k * n + j], sum);
                }
                for c in 0..j {
                    sum = (-self.gram[i * r + c]).mul_add(self.gram[j * r + c], sum);
                }
                self.gram[i * r + j] = if i == j { sum.max(0.0).sqrt() } else { sum / self.gram[j * r + j] };
            }
        }
    }

    /// Solves for λ in place of b: the solution of least norm or, at lower cost, the one that is zero for dependent rows.
    pub fn solve(&mut self, b: &mut [f64], least: bool) {
        dispatch(Solve(self, b, least));
    }

    #[inline(always)]
    fn solve_here(&mut self, b: &mut [f64], least: bool) {
        let (n, r) = (self.n, self.rank);
        for k in 0..n {
            self.work[k] = b[self.order[k]] * self.scale[self.order[k]];
        }
        if r == n || !least {
            lower_solve(&self.l, n, r, &mut self.work);
            upper_solve(&self.l, n, r, &mut self.work);
            self.work[r..n].fill(0.0);
        } else {
            // y = Lᵀ b, in place: entry c needs only entries from c on
            for c in 0..r {
                let mut sum = 0.0;
                for k in c..n {
                    sum = self.l[k * n + c].mul_add(self.work[k], sum);
                }
                self.work[c] = sum;
            }
            for _ in 0..2 {
                lower_solve(&self.gram, r, r, &mut self.work);
                upper_solve(&self.gram, r, r, &mut self.work);
            }
            // λ = L y, starting from the last row: row k needs only entries up to k
            for k in (0..n).rev() {
                let mut sum = 0.0;
                for c in 0..r.min(k + 1) {
                    sum = self.l[k * n + c].mul_add(self.work[c], sum);
                }
                self.work[k] = sum;
            }
        }
        for k in 0..n {
            b[self.order[k]] = self.work[k] * self.scale[self.order[k]];
        }
    }
}

struct Factor<'a>(&'a mut Semidefinite, &'a [f64], &'a [f64], f64);
struct Solve<'a>(&'a mut Semidefinite, &'a mut [f64], bool);

impl Kernel for Factor<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.factor_here(self.1, self.2, self.3);
    }
}
impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_here(self.1, self.2);
    }
}

/// x := L⁻¹ x for the leading r × r triangle of rows of length `stride`.
#[inline(always)]
fn lower_solve(l: &[f64], stride: usize, r: usize, x: &mut [f64]) {
    for i in 0..r {
        let mut sum = x[i];
        for j in 0..i {
            sum = (-l[i * stride + j]).mul_add(x[j], sum);
        }
        x[i] = sum / l[i * stride + i];
    }
}

/// x := L⁻ᵀ x.
#[inline(always)]
fn upper_solve(l: &[f64], stride: usize, r: usize, x: &mut [f64]) {
    for i in (0..r).rev() {
        let mut sum = x[i];
        for j in i + 1..r {
            sum = (-l[j * stride + i]).mul_add(x[j], sum);
        }
        x[i] = sum / l[i * stride + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// A solution in the range of the matrix is the one of least norm.
    #[test]
    fn least_norm_solutions_of_any_rank() {
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for n in 1..12 {
            for rank in 0..=n {
                let factor = DMatrix::from_fn(n, rank, |_, _| random());
                let mut a = &factor * factor.transpose();
                // unit diagonals where nonzero: then both norms are equal
                let scale: Vec<f64> =
                    (0..n).map(|k| if a[(k, k)] > 0.0 { 1.0 / a[(k, k)].sqrt() } else { 0.0 }).collect();
                a = DMatrix::from_fn(n, n, |i, j| a[(i, j)] * scale[i] * scale[j]);
                let range = DMatrix::from_fn(n, rank, |i, j| scale[i] * factor[(i, j)]).qr().q();
                let b = &a * DVector::from_fn(n, |_, _| random());
                let mut s = Semidefinite::default();
                s.make_room(n);
                s.factor(a.as_slice(), &vec![0.0; n], 1e-10);
                assert_eq!(s.rank(), rank, "n = {n}");
                let mut x: Vec<f64> = b.iter().copied().collect();
                s.solve(&mut x, true);
                let x = DVector::from_vec(x);
                let (off, outside) = ((&a * &x - &b).norm(), (&x - &range * range.tr_mul(&x)).norm());
                assert!(off <= 1e-12, "n = {n}, rank {rank}: {off:e}");
                assert!(outside <= 1e-7 * (1.0 + x.norm()), "n = {n}, rank {rank}: {outside:e}");
            }
        }
    }
}
