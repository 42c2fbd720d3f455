//! Symmetric positive definite systems with a narrow envelope: `A λ = b` by Cholesky's method within the envelope [George81, section 4.2].
//!
//! As in [`super::semidefinite`], A is first scaled to a unit diagonal, so that a pivot measures how independent its row is of the previous
//! ones. There is no pivoting, and a pivot that is too small ends the factorisation.

use super::lanes::{Isa, Kernel, dispatch};

/// The factor, with its storage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skyline {
    /// The first column of each row, and where the row's entries end: those of row i are at `end[i] − (i − first[i]) − 1 ..`.
    first: Vec<usize>,
    begin: Vec<usize>,
    entries: Vec<f64>,
    scale: Vec<f64>,
}

impl Skyline {
    /// Starts a matrix without rows.
    pub fn clear(&mut self) {
        self.first.clear();
        self.begin.clear();
        self.entries.clear();
        self.scale.clear();
    }

    /// Adds a row from the column `first` to the diagonal, all 0, and returns it to be filled.
    pub fn push_row(&mut self, first: usize) -> &mut [f64] {
        let (row, begin) = (self.first.len(), self.entries.len());
        self.first.push(first.min(row));
        self.begin.push(begin);
        self.entries.resize(begin + row + 1 - first.min(row), 0.0);
        &mut self.entries[begin..]
    }

    /// Factors the matrix. Diagonal entries up to those of `floor` count as 0, and so do their unknowns. False if a pivot of the matrix
    /// with unit diagonal is not above `tolerance`.
    pub fn factor(&mut self, floor: &[f64], tolerance: f64) -> bool {
        dispatch(Factor(self, floor, tolerance))
    }

    #[inline(always)]
    fn factor_here(&mut self, floor: &[f64], tolerance: f64) -> bool {
        let n = self.first.len();
        for (row, floor) in floor.iter().enumerate() {
            let diagonal = self.entries[self.begin[row] + row - self.first[row]];
            self.scale.push(if diagonal > *floor { 1.0 / diagonal.sqrt() } else { 0.0 });
        }
        for row in 0..n {
            let (first, begin) = (self.first[row], self.begin[row]);
            if self.scale[row] == 0.0 {
                self.entries[begin..=begin + row - first].fill(0.0);
                self.entries[begin + row - first] = 1.0;
                continue;
            }
            for column in first..row {
                let common = first.max(self.first[column]);
                let mut sum = self.entries[begin + column - first] * self.scale[row] * self.scale[column];
                let (above, own) = self.entries.split_at(begin);
                let above = &above[self.begin[column] + common - self.first[column]..][..column - common];
                for (a, b) in above.iter().zip(&own[common - first..]) {
                    sum = (-a).mul_add(*b, sum);
                }
                let pivot = self.entries[self.begin[column] + column - self.first[column]];
                self.entries[begin + column - first] = sum / pivot;
            }
            let own = &self.entries[begin..begin + row - first];
            let pivot = own.iter().fold(1.0, |left, l| (-l).mul_add(*l, left));
            if pivot.is_nan() || pivot <= tolerance {
                return false;
            }
            self.entries[begin + row - first] = pivot.sqrt();
        }
        true
    }

    /// The rows with diagonal entries that counted as 0.
    pub fn empty_rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.scale.len()).filter(|row| self.scale[*row] == 0.0)
    }

    /// Solves for λ in place of b.
    pub fn solve(&self, b: &mut [f64]) {
        dispatch(Solve(self, b));
    }

    #[inline(always)]
    fn solve_here(&self, b: &mut [f64]) {
        let n = self.first.len();
        for row in 0..n {
            let (first, begin) = (self.first[row], self.begin[row]);
            let mut sum = b[row] * self.scale[row];
            for (l, x) in self.entries[begin..begin + row - first].iter().zip(&b[first..row]) {
                sum = (-l).mul_add(*x, sum);
            }
            b[row] = sum / self.entries[begin + row - first];
        }
        for row in (0..n).rev() {
            let (first, begin) = (self.first[row], self.begin[row]);
            let x = b[row] / self.entries[begin + row - first];
            for (l, above) in self.entries[begin..begin + row - first].iter().zip(&mut b[first..row]) {
                *above = (-l).mul_add(x, *above);
            }
            b[row] = x * self.scale[row];
        }
    }
}

struct Factor<'a>(&'a mut Skyline, &'a [f64], f64);
struct Solve<'a>(&'a Skyline, &'a mut [f64]);

impl Kernel for Factor<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        self.0.factor_here(self.1, self.2)
    }
}
impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_here(self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn it_solves_what_a_dense_factor_solves() {
        let n = 40;
        // a band with an arrow at its end
        let linked = |i: usize, j: usize| i.abs_diff(j) <= 3 || i == n - 1 || j == n - 1;
        let wave = |i: usize, j: usize| ((i * 7 + j * 7) as f64).sin();
        let a = DMatrix::from_fn(n, n, |i, j| match (i == j, linked(i, j)) {
            (true, _) => 40.0 + i as f64,
            (false, true) => wave(i.min(j), i.max(j)),
            _ => 0.0,
        });
        let mut s = Skyline::default();
        for row in 0..n {
            let first = (0..row).find(|c| linked(row, *c)).unwrap_or(row);
            for (k, entry) in s.push_row(first).iter_mut().enumerate() {
                *entry = a[(row, first + k)];
            }
        }
        assert!(s.factor(&vec![0.0; n], 1e-11));
        let wanted = DVector::from_fn(n, |i, _| (i as f64).cos());
        let mut x: Vec<f64> = (&a * &wanted).iter().copied().collect();
        s.solve(&mut x);
        assert!((DVector::from_vec(x) - wanted).norm() < 1e-13);
    }

    #[test]
    fn a_row_that_depends_on_another_is_found() {
        let mut s = Skyline::default();
        s.push_row(0)[0] = 2.0;
        s.push_row(0).copy_from_slice(&[2.0, 2.0]);
        assert!(!s.factor(&[0.0; 2], 1e-11));
    }
}
