//! Solves for z, given which z may be nonzero: `M_αα z_α = −q_α`, with one correction by the residual.

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
    rows: Vec<usize>,
    x: Vec<f64>,
    correction: Vec<f64>,
}

impl Basis {
    /// False if M_αα is singular.
    pub fn solve(&mut self, m: &[f64], q: &[f64], basic: &[bool], z: &mut [f64]) -> bool {
        let n = q.len();
        z.fill(0.0);
        self.rows.clear();
        self.rows.extend((0..n).filter(|i| basic[*i]));
        let k = self.rows.len();
        let a = self.lu.begin(k);
        for (i, &row) in self.rows.iter().enumerate() {
            for (j, &column) in self.rows.iter().enumerate() {
                a[i * k + j] = m[row * n + column];
            }
        }
        if !self.lu.factor() || self.lu.is_nearly_singular() {
            return false;
        }
        self.x.clear();
        self.x.resize(k, 0.0);
        for _ in 0..3 {
            self.correction.clear();
            for &row in &self.rows {
                let sum: f64 =
                    self.rows.iter().zip(&self.x).map(|(&column, x)| m[row * n + column] * x).sum();
                self.correction.push(-q[row] - sum);
            }
            self.lu.solve(&mut self.correction);
            for (x, d) in self.x.iter_mut().zip(&self.correction) {
                *x += d;
            }
        }
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
