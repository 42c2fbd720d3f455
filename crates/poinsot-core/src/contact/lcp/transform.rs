//! The principal pivot transform: the same problem with z and w exchanged in some pairs [Cottle92, section 2.3].
//!
//! With α the exchanged pairs and β the others,
//!
//! ```math
//! M' = ⎡  A⁻¹     −A⁻¹ B    ⎤     q' = ⎡ −A⁻¹ q_α         ⎤     A = M_αα, B = M_αβ, C = M_βα, D = M_ββ
//!      ⎣ C A⁻¹   D − C A⁻¹ B ⎦          ⎣ q_β − C A⁻¹ q_α  ⎦
//! ```
//! If α are the basic variables of an approximate solution, q' ≥ 0 except for its error. A method that starts from there works at the
//! scale of the error, without the rounding errors of the pivots made so far.

use super::basis::Basis;

#[derive(Clone, Debug, Default)]
pub(super) struct Transform {
    basis: Basis,
    /// M', in row-major order.
    pub m: Vec<f64>,
    /// q'.
    pub q: Vec<f64>,
}

impl Transform {
    /// Computes M' and q'; false if A is singular.
    pub fn compute(&mut self, m: &[f64], q: &[f64], exchanged: &[bool]) -> bool {
        let n = q.len();
        if !self.basis.factor(m, exchanged) {
            return false;
        }
        self.m.clear();
        self.m.resize(n * n, 0.0);
        self.q.clear();
        self.q.resize(n, 0.0);
        for j in 0..n {
            if exchanged[j] {
                self.basis.solve_for(m, n, |row| if row == j { 1.0 } else { 0.0 });
            } else {
                self.basis.solve_for(m, n, |row| -m[row * n + j]);
            }
            for i in 0..n {
                let own = if exchanged[i] || exchanged[j] { 0.0 } else { m[i * n + j] };
                self.m[i * n + j] = own + self.entry(m, n, i, exchanged[i]);
            }
        }
        self.basis.solve_for(m, n, |row| -q[row]);
        for i in 0..n {
            self.q[i] = if exchanged[i] { 0.0 } else { q[i] } + self.entry(m, n, i, exchanged[i]);
        }
        self.q.iter().chain(&self.m).all(|x| x.is_finite())
    }

    /// Row i of the solved column x, or of C x.
    fn entry(&self, m: &[f64], n: usize, i: usize, exchanged: bool) -> f64 {
        if exchanged {
            return self.basis.rows.binary_search(&i).map_or(0.0, |k| self.basis.x[k]);
        }
        self.basis.row_times_x(m, n, i)
    }
}
