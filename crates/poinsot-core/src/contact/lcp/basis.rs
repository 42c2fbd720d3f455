//! Solves for z, given which z may be nonzero: `M_αα z_α = −q_α`, with one correction by the residual.

use super::super::dense::Lu;

#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    lu: Lu,
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
}
