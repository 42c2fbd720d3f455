//! The response of deep trees and of free bodies to their rows, `J Y` with `Y = M⁻¹ Jᵀ` a column over the whole model for
//! each row: by the articulated-body algorithm, or by the [factor of the tree](super::sparse).

use super::islands::Response;
use super::rows::Rows;

/// See the module page.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    n: usize,
    y: Vec<f64>,
    /// In maximal coordinates: the multipliers of the tree's rows that go with each column.
    tree: Vec<f64>,
    tree_rows: usize,
}

impl Columns {
    /// Columns of n numbers, and of `tree_rows` multipliers.
    pub fn new(n: usize, tree_rows: usize) -> Columns {
        Columns { n, tree_rows, ..Columns::default() }
    }

    /// Room for a number of columns; none is made anew where there was enough before.
    pub fn make_room(&mut self, count: usize) {
        if self.y.len() < count * self.n {
            self.y.resize(count * self.n, 0.0);
        }
        if self.tree.len() < count * self.tree_rows {
            self.tree.resize(count * self.tree_rows, 0.0);
        }
    }

    /// Column k, and the multipliers that go with it.
    pub fn column(&mut self, k: usize) -> (&mut [f64], &mut [f64]) {
        let (n, m) = (self.n, self.tree_rows);
        (&mut self.y[k * n..(k + 1) * n], &mut self.tree[k * m..(k + 1) * m])
    }

    /// x += λ Y of column k, and the same of the multipliers of the tree.
    #[inline(always)]
    pub fn add(&self, k: usize, lambda: f64, x: &mut [f64], multipliers: &mut [f64]) {
        let (n, m) = (self.n, self.tree_rows);
        let add = |to: &mut [f64], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(x, y)| *x = lambda.mul_add(*y, *x));
        };
        add(x, &self.y[k * n..(k + 1) * n]);
        add(multipliers, &self.tree[k * m..(k + 1) * m]);
    }
}

/// J Y between active rows.
pub(super) struct Answers<'a> {
    pub columns: &'a Columns,
    pub rows: &'a Rows,
    pub active: &'a [usize],
}

impl Response for Answers<'_> {
    #[inline(always)]
    fn respond(&mut self, k: usize, others: &[usize], out: &mut [f64]) {
        let n = self.columns.n;
        for (entry, other) in out.iter_mut().zip(others) {
            *entry = self.rows.dot(self.active[k], &self.columns.y[other * n..(other + 1) * n]);
        }
    }
}
