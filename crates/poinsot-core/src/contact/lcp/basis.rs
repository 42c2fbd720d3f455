//! Systems `M_αα x = b` of the rows and columns α of a matrix M, solved with two corrections by the residual.

use super::super::dense::Lu;
use crate::algebra::LeastNorm;

/// Columns of M_αα shorter than this, relative to the longest, depend on the others: the corners of a box that has drifted do so to its drift
/// alone. A ratio of masses of a million makes columns of 1e-7.
const DEPENDENT: f64 = 1e-9;

#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    lu: Lu,
    least: LeastNorm,
    matrix: Vec<f64>,
    /// α, in ascending order.
    pub rows: Vec<usize>,
    /// The last solution.
    pub x: Vec<f64>,
    correction: Vec<f64>,
}

impl Basis {
    /// Factors M_αα of the row-major n×n matrix `m`; false if it is singular.
    pub fn factor(&mut self, m: &[f64], alpha: &[bool]) -> bool {
        let n = alpha.len();
        self.rows.clear();
        self.rows.extend((0..n).filter(|i| alpha[*i]));
        let k = self.rows.len();
        let a = self.lu.begin(k);
        for (i, &row) in self.rows.iter().enumerate() {
            for (j, &column) in self.rows.iter().enumerate() {
                a[i * k + j] = m[row * n + column];
            }
        }
        self.lu.factor() && !self.lu.is_nearly_singular()
    }

    /// Solves for x, with `b(i)` the right-hand side of row i of M.
    pub fn solve_for(&mut self, m: &[f64], n: usize, b: impl Fn(usize) -> f64) {
        self.x.clear();
        self.x.resize(self.rows.len(), 0.0);
        for _ in 0..3 {
            self.correction.clear();
            for &row in &self.rows {
                let sum = row_times(m, n, row, &self.rows, &self.x);
                self.correction.push(b(row) - sum);
            }
            self.lu.solve(&mut self.correction);
            self.x.iter_mut().zip(&self.correction).for_each(|(x, d)| *x += d);
        }
    }

    /// Row i of M, in the columns α, times x.
    pub fn row_times_x(&self, m: &[f64], n: usize, i: usize) -> f64 {
        row_times(m, n, i, &self.rows, &self.x)
    }

    /// Solves for z, given which z may be nonzero: `M_αα z_α = −q_α`. False if M_αα is singular.
    pub fn solve(&mut self, m: &[f64], q: &[f64], basic: &[bool], z: &mut [f64]) -> bool {
        z.fill(0.0);
        if !self.factor(m, basic) {
            return false;
        }
        self.solve_for(m, q.len(), |row| -q[row]);
        for (&row, x) in self.rows.iter().zip(&self.x) {
            z[row] = *x;
        }
        z.iter().all(|z| z.is_finite())
    }

    /// Where M_αα is singular, as for redundant contacts: the smallest changes of z_α that remove the rounding errors of `M_αα z_α = −q_α`.
    pub fn correct(&mut self, m: &[f64], q: &[f64], basic: &[bool], z: &mut [f64]) {
        let n = q.len();
        self.rows.clear();
        self.rows.extend((0..n).filter(|i| basic[*i]));
        let rows = &self.rows;
        self.matrix.clear();
        self.matrix.extend(rows.iter().flat_map(|row| rows.iter().map(move |column| m[row * n + column])));
        self.least.factor(&self.matrix, rows.len(), DEPENDENT);
        for _ in 0..2 {
            self.correction.clear();
            for row in rows {
                let sum = (0..n).fold(q[*row], |sum, column| m[row * n + column].mul_add(z[column], sum));
                self.correction.push(-sum);
            }
            self.x.clear();
            self.x.resize(rows.len(), 0.0);
            self.least.solve(&self.correction, &mut self.x);
            rows.iter().zip(&self.x).for_each(|(row, d)| z[*row] += d);
        }
    }
}

fn row_times(m: &[f64], n: usize, i: usize, columns: &[usize], x: &[f64]) -> f64 {
    columns.iter().zip(x).map(|(&column, x)| m[i * n + column] * x).sum()
}
