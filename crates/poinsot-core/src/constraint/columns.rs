//! The response of deep trees and of free bodies to their rows, `J Y` with `Y = M⁻¹ Jᵀ` a column for each row: by the
//! articulated-body algorithm, or by the [factor of the tree](super::sparse).
//!
//! A column has entries only in the trees that its row touches, one piece for each.

use super::islands::Response;
use super::rows::Rows;
use std::ops::Range;

/// The trees of a model, ordered so that each is contiguous.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    /// For each degree of freedom: its place; and the inverse permutation.
    place: Vec<usize>,
    pub dof: Vec<usize>,
    /// Where each tree starts, followed by the end.
    pub begin: Vec<usize>,
    /// For each place: its tree.
    tree: Vec<usize>,
}

impl Forest {
    /// All degrees of freedom in one tree, for a solver of the whole model.
    pub fn whole(n: usize) -> Forest {
        Forest::new((0..n).collect(), vec![0, n])
    }
    /// From the degrees of freedom tree by tree, and where each tree starts, followed by the end.
    pub fn new(dof: Vec<usize>, begin: Vec<usize>) -> Forest {
        let mut place = vec![0; dof.len()];
        dof.iter().enumerate().for_each(|(at, dof)| place[*dof] = at);
        let trees = begin.windows(2).enumerate();
        let tree = trees.flat_map(|(k, ends)| std::iter::repeat_n(k, ends[1] - ends[0])).collect();
        Forest { place, dof, begin, tree }
    }
    fn range(&self, tree: usize) -> Range<usize> {
        self.begin[tree]..self.begin[tree + 1]
    }
}

/// The nonzero part of a column in one tree, and where its entries are stored.
#[derive(Clone, Copy, Debug)]
struct Piece {
    tree: usize,
    at: usize,
}

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub forest: Forest,
    /// The pieces of all columns, where those of each column start, and their entries.
    pieces: Vec<Piece>,
    first_piece: Vec<usize>,
    y: Vec<f64>,
    /// In maximal coordinates, at the same places: the multipliers of the tree's rows for each column.
    multipliers: Vec<f64>,
}

impl Columns {
    pub fn new(forest: Forest) -> Columns {
        let (pieces, first_piece, y, multipliers) = Default::default();
        Columns { forest, pieces, first_piece, y, multipliers }
    }

    /// Makes room for the columns of the active rows; nothing is allocated if there was enough before.
    pub fn form(&mut self, rows: &Rows, active: &[usize]) {
        self.pieces.clear();
        self.first_piece.clear();
        let mut end = 0;
        for (k, &row) in active.iter().enumerate() {
            self.first_piece.push(self.pieces.len());
            for dof in rows.row(row).0 {
                let tree = self.forest.tree[self.forest.place[*dof]];
                let own = &self.pieces[self.first_piece[k]..];
                if !own.iter().any(|p| p.tree == tree) {
                    self.pieces.push(Piece { tree, at: end });
                    end += self.forest.range(tree).len();
                }
            }
        }
        self.first_piece.push(self.pieces.len());
        if self.y.len() < end {
            self.y.resize(end, 0.0);
            self.multipliers.resize(end, 0.0);
        }
    }

    /// Visits the pieces of column k for writing: the range of places that each covers, its entries, and its multipliers.
    pub fn each_piece(&mut self, k: usize, mut set: impl FnMut(Range<usize>, &mut [f64], &mut [f64])) {
        for Piece { tree, at } in &self.pieces[self.first_piece[k]..self.first_piece[k + 1]] {
            let range = self.forest.range(*tree);
            let own = *at..at + range.len();
            set(range, &mut self.y[own.clone()], &mut self.multipliers[own]);
        }
    }

    /// The range of places that each piece of column k covers, and its multipliers.
    pub fn multipliers(&self, k: usize) -> impl Iterator<Item = (Range<usize>, &[f64])> + '_ {
        self.pieces[self.first_piece[k]..self.first_piece[k + 1]].iter().map(|Piece { tree, at }| {
            let range = self.forest.range(*tree);
            (range.clone(), &self.multipliers[*at..at + range.len()])
        })
    }

    /// x += λ Y of column k.
    #[inline(always)]
    pub fn add(&self, k: usize, lambda: f64, x: &mut [f64]) {
        for Piece { tree, at } in &self.pieces[self.first_piece[k]..self.first_piece[k + 1]] {
            let range = self.forest.range(*tree);
            for (y, dof) in self.y[*at..*at + range.len()].iter().zip(&self.forest.dof[range]) {
                x[*dof] = lambda.mul_add(*y, x[*dof]);
            }
        }
    }

    /// J of a row times column k.
    #[inline(always)]
    fn dot(&self, rows: &Rows, row: usize, k: usize) -> f64 {
        let (dofs, entries) = rows.row(row);
        let pieces = &self.pieces[self.first_piece[k]..self.first_piece[k + 1]];
        let mut sum = 0.0;
        for (dof, j) in dofs.iter().zip(entries) {
            let place = self.forest.place[*dof];
            let tree = self.forest.tree[place];
            if let Some(p) = pieces.iter().find(|p| p.tree == tree) {
                sum = j.mul_add(self.y[p.at + place - self.forest.begin[tree]], sum);
            }
        }
        sum
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
        for (entry, other) in out.iter_mut().zip(others) {
            *entry = self.columns.dot(self.rows, self.active[k], *other);
        }
    }
}
