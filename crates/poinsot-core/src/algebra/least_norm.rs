//! Square systems of unknown rank, symmetric or not: `A x = b`, with the least-squares solution of least norm.
//!
//! Householder QR with column pivoting gives `A P = Q (R; 0)` with R of r rows, where no remaining column is longer than a tolerance; then
//! `Rᵀ = Z T`, and `x = P Z T⁻ᵀ (Qᵀ b)` [GolubVanLoan13, section 5.5].
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

/// The factors of a matrix. Does not allocate once it has grown.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeastNorm {
    n: usize,
    rank: usize,
    /// In column-major order: R, and below its diagonal the reflectors of Q.
    q: Vec<f64>,
    beta: Vec<f64>,
    order: Vec<usize>,
    /// The same for Rᵀ, if the rank is not full.
    z: Vec<f64>,
    gamma: Vec<f64>,
    work: Vec<f64>,
}

/// Reflects the entries of `column` from k on (length n) to a multiple of the k-th unit vector; stores the reflector there, with first
/// entry 1.
fn reflector(column: &mut [f64], k: usize) -> f64 {
    let norm = column[k..].iter().fold(0.0, |sum: f64, x| x.mul_add(*x, sum)).sqrt();
    if norm == 0.0 {
        return 0.0;
    }
    let head = column[k];
    let alpha = if head > 0.0 { -norm } else { norm };
    let first = head - alpha;
    column[k + 1..].iter_mut().for_each(|x| *x /= first);
    column[k] = alpha;
    -first / alpha
}

/// x ← (1 − β v vᵀ) x, where v is 1 at k and has the entries of `column` below.
fn reflect(column: &[f64], k: usize, beta: f64, x: &mut [f64]) {
    let dot = (k + 1..x.len()).fold(x[k], |sum, i| column[i].mul_add(x[i], sum));
    let by = -beta * dot;
    x[k] += by;
    (k + 1..x.len()).for_each(|i| x[i] = column[i].mul_add(by, x[i]));
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
        self.order.clear();
        self.order.extend(0..n);
        for (k, x) in a.iter().enumerate() {
            self.q[k % n * n + k / n] = *x;
        }
        self.rank = 0;
        let mut longest = 0.0;
        for k in 0..n {
            let length = |q: &[f64], j: usize| {
                q[j * n + k..(j + 1) * n].iter().fold(0.0, |s: f64, x| x.mul_add(*x, s))
            };
            let best =
                (k..n).fold(k, |best, j| if length(&self.q, j) > length(&self.q, best) { j } else { best });
            let norm = length(&self.q, best).sqrt();
            longest = if k == 0 { norm } else { longest };
            // NaN does not count towards the rank
            if norm.is_nan() || norm <= tolerance * longest {
                break;
            }
            self.order.swap(k, best);
            (0..n).for_each(|i| self.q.swap(k * n + i, best * n + i));
            let (done, rest) = self.q.split_at_mut((k + 1) * n);
            let column = &mut done[k * n..];
            self.beta[k] = reflector(column, k);
            rest.chunks_exact_mut(n).for_each(|x| reflect(column, k, self.beta[k], x));
            self.rank += 1;
        }
        if self.rank < n {
            self.factor_rows();
        }
    }

    fn factor_rows(&mut self) {
        let (n, r) = (self.n, self.rank);
        self.z.clear();
        self.z.resize(n * r, 0.0);
        for i in 0..r {
            (i..n).for_each(|j| self.z[i * n + j] = self.q[j * n + i]);
        }
        for k in 0..r {
            let (done, rest) = self.z.split_at_mut((k + 1) * n);
            let column = &mut done[k * n..];
            self.gamma[k] = reflector(column, k);
            rest.chunks_exact_mut(n).for_each(|x| reflect(column, k, self.gamma[k], x));
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
                let sum = (k + 1..n).fold(y[k], |sum, j| (-self.q[j * n + k]).mul_add(y[j], sum));
                y[k] = sum / self.q[k * n + k];
            }
        } else {
            for k in 0..r {
                let sum = (0..k).fold(y[k], |sum, j| (-self.z[k * n + j]).mul_add(y[j], sum));
                y[k] = sum / self.z[k * n + k];
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
