//! Lemke's method [Lemke65; Cottle92, section 4.4].
//!
//! An artificial z₀ makes all of `w = M z + q + z₀ e` nonnegative. Then the complement of the variable that left enters the basis, again
//! and again, until z₀ itself leaves. The path cannot return to itself unless degenerate pivots cycle, which the lexicographic order of the
//! rows of (B⁻¹q, B⁻¹), with B the basis, rules out. For copositive M, as in polyhedral friction, the path ends in a solution if there is
//! one; otherwise it may end on a ray.

use super::End;

/// Entries of a column below this fraction of its largest count as zero.
const ZERO: f64 = 1e-11;
/// z₀ leaves if another variable reaches 0 earlier by no more than this; z is recomputed at the end. An equality, given as two opposite
/// rows, is where both meet.
const TIE: f64 = 1e-10;

/// The tableau B⁻¹ (I, −M, −e | q), one row for each basic variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Lemke {
    n: usize,
    /// The size of z below which ties are sought; 1 for a problem scaled to 1.
    unit: f64,
    rows: Vec<f64>,
    /// The basic variable of each row: w below n, z below 2n, then z₀.
    basis: Vec<usize>,
    pivot: Vec<f64>,
    values: Vec<f64>,
}

impl Lemke {
    /// Runs the method, with the size of z that counts as 1 in comparisons, for `most` pivots; returns how it ended and the number of
    /// pivots. Writes which z are basic, and a ray if it ended on one.
    pub fn run(
        &mut self,
        m: &[f64],
        q: &[f64],
        unit: f64,
        most: usize,
        basic: &mut [bool],
        ray: &mut [f64],
    ) -> (End, usize) {
        let n = q.len();
        self.unit = unit;
        self.begin(m, q);
        if q.iter().all(|q| *q >= 0.0) {
            self.read(basic);
            return (End::Found, 0);
        }
        let artificial = 2 * n;
        // the lexicographically smallest row of (q, I): the later row wins ties in q
        let mut leaving = 0;
        for i in 1..n {
            if q[i] <= q[leaving] {
                leaving = i;
            }
        }
        let mut entering = artificial;
        for pivots in 1..=most {
            let left = self.basis[leaving];
            self.exchange(leaving, entering);
            if left == artificial {
                self.read(basic);
                return (End::Found, pivots);
            }
            entering = if left < n { left + n } else { left - n };
            match self.leaving(entering) {
                Some(row) => leaving = row,
                None => {
                    self.direction(entering, ray);
                    return (End::Ray, pivots);
                }
            }
        }
        (End::Stuck, most)
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    fn width(&self) -> usize {
        2 * self.n + 2
    }

    fn begin(&mut self, m: &[f64], q: &[f64]) {
        let n = q.len();
        self.n = n;
        let width = self.width();
        self.rows.clear();
        self.rows.resize(n * width, 0.0);
        self.basis.clear();
        self.basis.extend(0..n);
        for i in 0..n {
            let row = &mut self.rows[i * width..(i + 1) * width];
            row[i] = 1.0;
            for j in 0..n {
                row[n + j] = -m[i * n + j];
            }
            (row[2 * n], row[2 * n + 1]) = (-1.0, q[i]);
        }
    }

    fn exchange(&mut self, row: usize, column: usize) {
        let width = self.width();
        let mut pivot = std::mem::take(&mut self.pivot);
        let own = &mut self.rows[row * width..(row + 1) * width];
        let divisor = own[column];
        own.iter_mut().for_each(|x| *x /= divisor);
        own[column] = 1.0;
        pivot.clear();
        pivot.extend_from_slice(own);
        for (i, other) in self.rows.chunks_exact_mut(width).enumerate() {
            let factor = other[column];
            if i != row && factor != 0.0 {
                for (x, p) in other.iter_mut().zip(&pivot) {
                    *x -= factor * p;
                }
                other[column] = 0.0;
            }
        }
        self.pivot = pivot;
        self.basis[row] = column;
    }

    /// The row whose variable reaches 0 first, by the lexicographic rule; z₀ wins all ties.
    fn leaving(&self, column: usize) -> Option<usize> {
        let width = self.width();
        let entry = |i: usize, k: usize| self.rows[i * width + k];
        let greatest = (0..self.n).fold(0.0f64, |m, i| m.max(entry(i, column).abs()));
        let mut best: Option<usize> = None;
        for i in (0..self.n).filter(|i| entry(*i, column) > ZERO * greatest.max(1.0)) {
            best = match best {
                Some(b) if !self.is_before(i, b, column) => Some(b),
                _ => Some(i),
            };
        }
        let artificial = self.basis.iter().position(|v| *v == 2 * self.n);
        match (best, artificial) {
            (Some(b), Some(a)) if entry(a, column) > ZERO * greatest.max(1.0) => {
                let ratio = |i: usize| entry(i, width - 1) / entry(i, column);
                Some(if ratio(a) - ratio(b) <= TIE * (self.unit + ratio(a).abs()) { a } else { b })
            }
            _ => best,
        }
    }

    /// Whether row i reaches 0 before row j.
    fn is_before(&self, i: usize, j: usize, column: usize) -> bool {
        let width = self.width();
        let ratio = |row: usize, k: usize| self.rows[row * width + k] / self.rows[row * width + column];
        let (a, b) = (ratio(i, 2 * self.n + 1), ratio(j, 2 * self.n + 1));
        let tie = |a: f64, b: f64, unit: f64| (a - b).abs() <= 1e-13 * (unit + a.abs().max(b.abs()));
        if !tie(a, b, self.unit) {
            return a < b;
        }
        for k in 0..self.n {
            let (a, b) = (ratio(i, k), ratio(j, k));
            if !tie(a, b, 1.0) {
                return a < b;
            }
        }
        false
    }

    /// Reads off which z are basic, and their values.
    fn read(&mut self, basic: &mut [bool]) {
        let (n, width) = (self.n, self.width());
        self.values.clear();
        self.values.resize(n, 0.0);
        basic.fill(false);
        for (i, &variable) in self.basis.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                basic[variable - n] = true;
                self.values[variable - n] = self.rows[i * width + width - 1];
            }
        }
    }

    /// How z changes as the entering variable grows.
    fn direction(&self, entering: usize, ray: &mut [f64]) {
        let (n, width) = (self.n, self.width());
        ray.fill(0.0);
        if (n..2 * n).contains(&entering) {
            ray[entering - n] = 1.0;
        }
        for (i, &variable) in self.basis.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                ray[variable - n] = -self.rows[i * width + entering];
            }
        }
    }
}
