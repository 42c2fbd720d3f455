//! Square systems of unknown rank, symmetric or not: `A x = b`, with the least-squares solution of least norm.
//!
//! Householder QR with column pivoting gives `A P = Q (R; 0)` with R of r rows, where no remaining column is longer than a tolerance; then
//! `Rᵀ = Z T`, and `x = P Z T⁻ᵀ (Qᵀ b)` [GolubVanLoan13, section 5.5].
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::lanes::{Isa, Kernel, dispatch};

/// The factors of a matrix. Does not allocate once it has grown.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeastNorm {
    n: usize,
    rank: usize,
    /// R, in row-major order; and the reflectors of Q, one after the other.
    r: Vec<f64>,
    q: Vec<f64>,
    beta: Vec<f64>,
    order: Vec<usize>,
    /// The factors of Rᵀ, if the rank is not full.
    t: Vec<f64>,
    z: Vec<f64>,
    gamma: Vec<f64>,
    work: Vec<f64>,
}

/// Turns the entries of `column` from k on into the vector v that reflects them to a multiple α of the k-th unit vector, with v_k = 1.
/// Returns (α, β).
#[inline(always)]
fn reflector(column: &mut [f64], k: usize) -> (f64, f64) {
    let mut square = 0.0f64;
    for x in &column[k..] {
        square = x.mul_add(*x, square);
    }
    let (norm, head) = (square.sqrt(), column[k]);
    if norm == 0.0 {
        return (head, 0.0);
    }
    let alpha = if head > 0.0 { -norm } else { norm };
    let first = head - alpha;
    column[k] = 1.0;
    for x in &mut column[k + 1..] {
        *x /= first;
    }
    (alpha, -first / alpha)
}

/// x ← (1 − β v vᵀ) x, where v is 1 at k and 0 before.
fn reflect(v: &[f64], k: usize, beta: f64, x: &mut [f64]) {
    let dot = (k + 1..x.len()).fold(x[k], |sum, i| v[i].mul_add(x[i], sum));
    let by = -beta * dot;
    x[k] += by;
    (k + 1..x.len()).for_each(|i| x[i] = v[i].mul_add(by, x[i]));
}

/// Reflects all columns after the k-th of a row-major matrix of `width` columns, several at a time; `by` is scratch.
#[inline(always)]
fn reflect_columns(v: &[f64], k: usize, beta: f64, a: &mut [f64], width: usize, by: &mut [f64]) {
    let by = &mut by[k + 1..width];
    by.copy_from_slice(&a[k * width + k + 1..(k + 1) * width]);
    for i in k + 1..v.len() {
        for (sum, x) in by.iter_mut().zip(&a[i * width + k + 1..(i + 1) * width]) {
            *sum = v[i].mul_add(*x, *sum);
        }
    }
    for x in by.iter_mut() {
        *x *= -beta;
    }
    for (x, by) in a[k * width + k + 1..(k + 1) * width].iter_mut().zip(by.iter()) {
        *x += by;
    }
    for i in k + 1..v.len() {
        for (x, by) in a[i * width + k + 1..(i + 1) * width].iter_mut().zip(by.iter()) {
            *x = v[i].mul_add(*by, *x);
        }
    }
}

/// Reflects the k-th column of a matrix in rows of `width` numbers to a multiple of the k-th unit vector, and the columns behind it. Returns β.
#[inline(always)]
fn eliminate(v: &mut [f64], k: usize, a: &mut [f64], width: usize, by: &mut [f64]) -> f64 {
    for i in k..v.len() {
        v[i] = a[i * width + k];
    }
    let (alpha, beta) = reflector(v, k);
    a[k * width + k] = alpha;
    reflect_columns(v, k, beta, a, width, by);
    beta
}

struct Factor<'a> {
    own: &'a mut LeastNorm,
    tolerance: f64,
}

impl Kernel for Factor<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.own.factor_here(self.tolerance);
    }
}

impl LeastNorm {
    /// The number of independent rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Factors the row-major n × n matrix `a`; remaining columns shorter than `tolerance` times the longest count as zero.
    pub fn factor(&mut self, a: &[f64], n: usize, tolerance: f64) {
        self.n = n;
        for (list, size) in
            [(&mut self.q, n * n), (&mut self.beta, n), (&mut self.gamma, n), (&mut self.work, n)]
        {
            list.clear();
            list.resize(size, 0.0);
        }
        self.r.clear();
        self.r.extend_from_slice(a);
        self.order.clear();
        self.order.extend(0..n);
        dispatch(Factor { own: self, tolerance });
    }

    #[inline(always)]
    fn factor_here(&mut self, tolerance: f64) {
        let (n, mut longest) = (self.n, 0.0);
        self.rank = 0;
        for k in 0..n {
            let (best, square) = self.longest_column(k);
            let norm = square.sqrt();
            longest = if k == 0 { norm } else { longest };
            // NaN does not count towards the rank
            if norm.is_nan() || norm <= tolerance * longest {
                break;
            }
            self.order.swap(k, best);
            for row in self.r.chunks_exact_mut(n) {
                row.swap(k, best);
            }
            let v = &mut self.q[k * n..(k + 1) * n];
            self.beta[k] = eliminate(v, k, &mut self.r, n, &mut self.work);
            self.rank += 1;
        }
        if self.rank < n {
            self.factor_rows();
        }
    }

    /// The longest of the remaining columns, and the square of its length.
    #[inline(always)]
    fn longest_column(&mut self, k: usize) -> (usize, f64) {
        let (n, squares) = (self.n, &mut self.work[k..]);
        squares.fill(0.0);
        for i in k..n {
            for (sum, x) in squares.iter_mut().zip(&self.r[i * n + k..(i + 1) * n]) {
                *sum = x.mul_add(*x, *sum);
            }
        }
        let mut best = 0;
        for j in 1..squares.len() {
            if squares[j] > squares[best] {
                best = j;
            }
        }
        (k + best, squares[best])
    }

    #[inline(always)]
    fn factor_rows(&mut self) {
        let (n, r) = (self.n, self.rank);
        for list in [&mut self.t, &mut self.z] {
            list.clear();
            list.resize(n * r, 0.0);
        }
        for i in 0..r {
            for j in i..n {
                self.t[j * r + i] = self.r[i * n + j];
            }
        }
        for k in 0..r {
            let v = &mut self.z[k * n..(k + 1) * n];
            self.gamma[k] = eliminate(v, k, &mut self.t, r, &mut self.work);
        }
    }

    /// Solves for x with the right-hand side b.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        let (n, r) = (self.n, self.rank);
        let y = &mut self.work;
        y.copy_from_slice(b);
        (0..r).for_each(|k| reflect(&self.q[k * n..(k + 1) * n], k, self.beta[k], y));
        if r == n {
            for k in (0..n).rev() {
                let sum = (k + 1..n).fold(y[k], |sum, j| (-self.r[k * n + j]).mul_add(y[j], sum));
                y[k] = sum / self.r[k * n + k];
            }
        } else {
            for k in 0..r {
                let sum = (0..k).fold(y[k], |sum, j| (-self.t[j * r + k]).mul_add(y[j], sum));
                y[k] = sum / self.t[k * r + k];
            }
            y[r..].fill(0.0);
            (0..r).rev().for_each(|k| reflect(&self.z[k * n..(k + 1) * n], k, self.gamma[k], y));
        }
        self.order.iter().zip(y.iter()).for_each(|(at, y)| x[*at] = *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(a: &[f64], b: &[f64]) -> (usize, Vec<f64>) {
        let (mut factor, mut x) = (LeastNorm::default(), vec![0.0; b.len()]);
        factor.factor(a, b.len(), 1e-12);
        factor.solve(b, &mut x);
        (factor.rank(), x)
    }

    #[test]
    fn a_system_of_full_rank_has_its_solution() {
        let (rank, x) = solved(&[0.0, 2.0, 1.0, 1.0, 1.0, -1.0, 3.0, 0.0, 2.0], &[7.0, 0.0, 9.0]);
        assert_eq!(rank, 3);
        let check = |row: [f64; 3], b: f64| (row[0] * x[0] + row[1] * x[1] + row[2] * x[2] - b).abs() < 1e-13;
        assert!(check([0.0, 2.0, 1.0], 7.0) && check([1.0, 1.0, -1.0], 0.0) && check([3.0, 0.0, 2.0], 9.0));
    }

    #[test]
    fn one_of_less_rank_has_the_solution_of_least_norm() {
        // x + y + z + w = 4 four times over: all 1
        let (rank, x) = solved(&[1.0; 16], &[4.0; 4]);
        assert_eq!(rank, 1);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14));
        // not symmetric: a = (1, 2)ᵀ (3, 4); the least norm is along (3, 4)
        let (rank, x) = solved(&[3.0, 4.0, 6.0, 8.0], &[25.0, 50.0]);
        assert_eq!(rank, 1);
        assert!((x[0] - 3.0).abs() < 1e-14 && (x[1] - 4.0).abs() < 1e-14);
    }

    #[test]
    fn nothing_has_the_solution_nothing() {
        assert_eq!(solved(&[0.0; 4], &[1.0, 1.0]), (0, vec![0.0; 2]));
    }
}
