//! The response of deep trees and of free bodies to their rows, `J Y` with `Y = M⁻¹ Jᵀ` a column for each row: by the
//! articulated-body algorithm over the whole model, or by the [factor of the tree](super::sparse), where a column has numbers
//! only in the trees of bodies that its row touches.

use super::islands::Response;
use super::rows::Rows;
use super::sparse::Sparse;
use std::ops::Range;

/// The trees of a model, in an order in which each is in one piece.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    /// For each degree of freedom: its place; and the other way round.
    place: Vec<usize>,
    dof: Vec<usize>,
    /// Where each tree begins, and at last the end.
    begin: Vec<usize>,
    /// For each degree of freedom: its tree.
    pub tree: Vec<usize>,
}

impl Forest {
    /// All degrees of freedom in one tree.
    pub fn whole(n: usize) -> Forest {
        Forest::new((0..n).collect(), vec![0, n])
    }
    /// The degrees of freedom tree by tree, and where each tree begins, and at last the end.
    pub fn new(dof: Vec<usize>, begin: Vec<usize>) -> Forest {
        let (mut place, mut tree) = (vec![0; dof.len()], vec![0; dof.len()]);
        dof.iter().enumerate().for_each(|(at, dof)| place[*dof] = at);
        for (k, ends) in begin.windows(2).enumerate() {
            dof[ends[0]..ends[1]].iter().for_each(|dof| tree[*dof] = k);
        }
        Forest { place, dof, begin, tree }
    }
    fn range(&self, tree: usize) -> Range<usize> {
        self.begin[tree]..self.begin[tree + 1]
    }
}

/// Where the column of a row has numbers: those of one tree, and where they are kept.
#[derive(Clone, Copy, Debug)]
struct Piece {
    tree: usize,
    at: usize,
}

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub forest: Forest,
    /// The pieces of all columns, and where those of each begin.
    pieces: Vec<Piece>,
    first: Vec<usize>,
    y: Vec<f64>,
    /// In maximal coordinates, in the same places: the multipliers of the tree's rows that go with each column.
    tree: Vec<f64>,
}

impl Columns {
    pub fn new(forest: Forest) -> Columns {
        Columns { forest, pieces: Vec::new(), first: vec![0], y: Vec::new(), tree: Vec::new() }
    }

    /// Room for the columns of the active rows; none is made anew where there was enough before.
    pub fn make_room(&mut self, rows: &Rows, active: &[usize]) {
        self.pieces.clear();
        self.first.clear();
        let mut end = 0;
        for &row in active {
            let first = self.pieces.len();
            self.first.push(first);
            for dof in rows.row(row).0 {
                let tree = self.forest.tree[*dof];
                if !self.pieces[first..].iter().any(|p| p.tree == tree) {
                    self.pieces.push(Piece { tree, at: end });
                    end += self.forest.range(tree).len();
                }
            }
        }
        self.first.push(self.pieces.len());
        if self.y.len() < end {
            self.y.resize(end, 0.0);
            self.tree.resize(end, 0.0);
        }
    }

    fn of(&self, k: usize) -> &[Piece] {
        &self.pieces[self.first[k]..self.first[k + 1]]
    }

    /// The pieces of column k, to be set: the places each covers, its numbers, and the multipliers that go with them.
    pub fn each_piece(&mut self, k: usize, mut set: impl FnMut(Range<usize>, &mut [f64], &mut [f64])) {
        for p in self.first[k]..self.first[k + 1] {
            let Piece { tree, at } = self.pieces[p];
            let range = self.forest.range(tree);
            let own = at..at + range.len();
            set(range, &mut self.y[own.clone()], &mut self.tree[own]);
        }
    }

    /// x += λ Y of column k, and the same of the multipliers of the tree.
    #[inline(always)]
    pub fn add(
        &self,
        k: usize,
        lambda: f64,
        x: &mut [f64],
        sparse: Option<&Sparse>,
        multipliers: &mut [f64],
    ) {
        for Piece { tree, at } in self.of(k) {
            let range = self.forest.range(*tree);
            let own = *at..*at + range.len();
            for (y, dof) in self.y[own.clone()].iter().zip(&self.forest.dof[range.clone()]) {
                x[*dof] = lambda.mul_add(*y, x[*dof]);
            }
            if let Some(sparse) = sparse {
                sparse.add_multipliers(range, lambda, &self.tree[own], multipliers);
            }
        }
    }

    /// J of a row times column k.
    #[inline(always)]
    fn dot(&self, rows: &Rows, row: usize, k: usize) -> f64 {
        let (dofs, entries) = rows.row(row);
        let mut sum = 0.0;
        for (dof, j) in dofs.iter().zip(entries) {
            let tree = self.forest.tree[*dof];
            if let Some(p) = self.of(k).iter().find(|p| p.tree == tree) {
                sum = j.mul_add(self.y[p.at + self.forest.place[*dof] - self.forest.begin[tree]], sum);
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
