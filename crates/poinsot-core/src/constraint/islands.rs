//! Islands: the rows that take part, in groups that do not touch one another, each with the factor of its `J M⁻¹ Jᵀ + E`.
//!
//! M is block diagonal, a block for each tree that grows from the world. So the column `Y = M⁻¹ Jᵀ` of a row has numbers only in
//! the trees the row touches, and two rows meet only where they touch the same tree. Union–find over the trees gives the
//! islands; their order is that of their first rows, and nothing is kept over the whole model but what is linear in it.
//!
//! Small islands are factored with the largest pivot first, and know what depends on what. Long ones, as a row of four-bars,
//! are factored [within their envelope](crate::algebra::Skyline) as long as no row depends on others: in linear time where
//! rows meet only their neighbours.

use super::rows::Rows;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::algebra::{Semidefinite, Skyline};
use crate::dynamics::MassMatrix;
use std::ops::Range;

/// Islands of more rows than this are factored within their envelope.
const LONG: usize = 48;

/// Where the column of a row has numbers: those of one tree, and where they are kept.
#[derive(Clone, Copy, Debug)]
struct Piece {
    tree: usize,
    at: usize,
}

/// The trees of a model, in an order in which each is in one piece.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    /// For each degree of freedom: its place; and the other way round.
    pub place: Vec<usize>,
    pub dof: Vec<usize>,
    /// Where each tree begins, and at last the end.
    pub begin: Vec<usize>,
    /// For each place: its tree.
    pub tree: Vec<usize>,
}

impl Forest {
    /// All degrees of freedom in one tree: what a solver over the whole model makes of it.
    pub fn whole(n: usize) -> Forest {
        Forest { place: (0..n).collect(), dof: (0..n).collect(), begin: vec![0, n], tree: vec![0; n] }
    }
    /// The trees that a mass matrix has.
    pub fn of(mass: &MassMatrix) -> Forest {
        let (dof, begin) = mass.trees();
        Forest::new(dof.to_vec(), begin)
    }
    /// The degrees of freedom tree by tree, and where each tree begins, and at last the end.
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

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Islands {
    pub forest: Forest,
    /// The pieces of all columns, where those of each begin, and their numbers.
    pieces: Vec<Piece>,
    first_piece: Vec<usize>,
    y: Vec<f64>,
    /// Union–find over trees.
    leader: Vec<usize>,
    /// The places in the list of active rows, island by island, and where each island begins.
    order: Vec<usize>,
    begin: Vec<usize>,
    /// For each active row: its island.
    island: Vec<usize>,
    factors: Vec<Factor>,
    matrix: Vec<f64>,
    floor: Vec<f64>,
    right: Vec<f64>,
    /// For each tree: the last row of the island at hand that has touched it.
    touched: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Factor {
    dense: Semidefinite,
    skyline: Skyline,
    is_long: bool,
}

impl Islands {
    pub fn new(forest: Forest) -> Islands {
        let trees = forest.begin.len() - 1;
        Islands {
            forest,
            pieces: Vec::new(),
            first_piece: Vec::new(),
            y: Vec::new(),
            leader: (0..trees).collect(),
            order: Vec::new(),
            begin: Vec::new(),
            island: Vec::new(),
            factors: Vec::new(),
            matrix: Vec::new(),
            floor: Vec::new(),
            right: Vec::new(),
            touched: vec![usize::MAX; trees],
        }
    }

    /// How many islands there are.
    pub fn count(&self) -> usize {
        self.begin.len().saturating_sub(1)
    }

    /// Finds the islands of the active rows, and makes room for their columns.
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
        }
        self.join(active.len());
    }

    fn join(&mut self, active: usize) {
        for piece in &self.pieces {
            self.leader[piece.tree] = piece.tree;
        }
        for k in 0..active {
            let own = self.first_piece[k]..self.first_piece[k + 1];
            for p in own.clone().skip(1) {
                let one = find(&mut self.leader, self.pieces[own.start].tree);
                let other = find(&mut self.leader, self.pieces[p].tree);
                self.leader[one.max(other)] = one.min(other);
            }
        }
        self.order.clear();
        self.begin.clear();
        self.island.clear();
        self.island.resize(active, usize::MAX);
        // an island is numbered when its first row is met; `touched` of its leader says which number
        for piece in &self.pieces {
            self.touched[find(&mut self.leader, piece.tree)] = usize::MAX;
        }
        let mut count = 0;
        for k in 0..active {
            let Some(piece) = self.pieces[self.first_piece[k]..self.first_piece[k + 1]].first() else {
                // a row that touches nothing that moves is an island of its own
                self.island[k] = count;
                count += 1;
                continue;
            };
            let leader = find(&mut self.leader, piece.tree);
            if self.touched[leader] == usize::MAX {
                self.touched[leader] = count;
                count += 1;
            }
            self.island[k] = self.touched[leader];
        }
        // counting sort by island, stable
        self.begin.resize(count + 1, 0);
        for k in 0..active {
            self.begin[self.island[k] + 1] += 1;
        }
        for i in 0..count {
            self.begin[i + 1] += self.begin[i];
        }
        self.order.resize(active, 0);
        for k in (0..active).rev() {
            let end = &mut self.begin[self.island[k] + 1];
            *end -= 1;
            self.order[*end] = k;
        }
        // each end has moved to its island's beginning: shift back
        for i in 0..count {
            self.begin[i] = self.begin[i + 1];
        }
        if count > 0 {
            self.begin[count] = active;
        }
        if self.factors.len() < count {
            self.factors.resize(count, Factor::default());
        }
    }

    /// How many numbers all columns have.
    pub fn column_numbers(&self) -> usize {
        self.y.len()
    }

    /// The pieces of the column of the active row k: the range of places each covers, where its numbers are among those of all
    /// columns, and the numbers, to be set.
    pub fn each_piece(&mut self, k: usize, mut set: impl FnMut(Range<usize>, Range<usize>, &mut [f64])) {
        for p in self.first_piece[k]..self.first_piece[k + 1] {
            let Piece { tree, at } = self.pieces[p];
            let range = self.forest.range(tree);
            let own = at..at + range.len();
            set(range, own.clone(), &mut self.y[own]);
        }
    }

    /// The same pieces to be looked at.
    pub fn pieces(&self, k: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + '_ {
        self.pieces[self.first_piece[k]..self.first_piece[k + 1]].iter().map(|Piece { tree, at }| {
            let range = self.forest.range(*tree);
            (range.clone(), *at..*at + range.len())
        })
    }

    /// x += λ Y of the active row k.
    #[inline(always)]
    pub fn add_column(&self, k: usize, lambda: f64, x: &mut [f64]) {
        for Piece { tree, at } in &self.pieces[self.first_piece[k]..self.first_piece[k + 1]] {
            let range = self.forest.range(*tree);
            for (y, dof) in self.y[*at..*at + range.len()].iter().zip(&self.forest.dof[range]) {
                x[*dof] = lambda.mul_add(*y, x[*dof]);
            }
        }
    }

    /// Factors all islands. `compliance` and `floor` are of an active row; pivots below `tolerance` are dependent.
    pub fn factor(
        &mut self,
        rows: &Rows,
        active: &[usize],
        compliance: impl Fn(usize) -> f64,
        floor: impl Fn(usize) -> f64,
        tolerance: f64,
    ) {
        for i in 0..self.count() {
            let own = self.begin[i]..self.begin[i + 1];
            self.floor.clear();
            self.floor.extend(self.order[own.clone()].iter().map(|k| floor(active[*k])));
            let mut factor = std::mem::take(&mut self.factors[i]);
            factor.is_long = own.len() > LONG
                && self.factor_long(rows, active, own.clone(), &compliance, &mut factor, tolerance);
            if !factor.is_long {
                self.factor_dense(rows, active, own, &compliance, &mut factor, tolerance);
            }
            self.factors[i] = factor;
        }
    }

    fn factor_dense(
        &mut self,
        rows: &Rows,
        active: &[usize],
        own: Range<usize>,
        compliance: &impl Fn(usize) -> f64,
        factor: &mut Factor,
        tolerance: f64,
    ) {
        let m = own.len();
        let mut matrix = std::mem::take(&mut self.matrix);
        if matrix.len() < m * m {
            matrix.resize(m * m, 0.0);
        }
        dispatch(Delassus { islands: self, rows, active, own: own.clone(), out: &mut matrix[..m * m] });
        for (i, k) in self.order[own].iter().enumerate() {
            matrix[i * m + i] += compliance(active[*k]);
        }
        factor.dense.make_room(m);
        factor.dense.factor(&matrix[..m * m], &self.floor, tolerance);
        self.matrix = matrix;
    }

    /// Within the envelope; false when a row depends on others.
    fn factor_long(
        &mut self,
        rows: &Rows,
        active: &[usize],
        own: Range<usize>,
        compliance: &impl Fn(usize) -> f64,
        factor: &mut Factor,
        tolerance: f64,
    ) -> bool {
        let order = &self.order[own];
        for k in order {
            for p in &self.pieces[self.first_piece[*k]..self.first_piece[*k + 1]] {
                self.touched[p.tree] = usize::MAX;
            }
        }
        factor.skyline.clear();
        for (i, k) in order.iter().enumerate() {
            let pieces = &self.pieces[self.first_piece[*k]..self.first_piece[*k + 1]];
            for p in pieces {
                self.touched[p.tree] = self.touched[p.tree].min(i);
            }
            let first = pieces.iter().map(|p| self.touched[p.tree]).min().unwrap_or(i);
            let row = factor.skyline.push_row(first);
            for (entry, other) in row.iter_mut().zip(&order[first..=i]) {
                *entry = self.dot(rows, active[*k], *other);
            }
            row[i - first] += compliance(active[*k]);
        }
        factor.skyline.factor(&self.floor, tolerance)
    }

    /// J of a row times the column of the active row k.
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

    /// λ in the place of what the active rows lack.
    pub fn solve(&mut self, lack: &mut [f64]) {
        for i in 0..self.count() {
            let own = &self.order[self.begin[i]..self.begin[i + 1]];
            self.right.clear();
            self.right.extend(own.iter().map(|k| lack[*k]));
            if self.factors[i].is_long {
                self.factors[i].skyline.solve(&mut self.right);
            } else {
                self.factors[i].dense.solve(&mut self.right);
            }
            for (k, l) in own.iter().zip(&self.right) {
                lack[*k] = *l;
            }
        }
    }

    /// The active rows that depend on others.
    pub fn dependent(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count()).flat_map(|i| {
            let (own, factor) = (&self.order[self.begin[i]..self.begin[i + 1]], &self.factors[i]);
            let dense = if factor.is_long { &[] } else { factor.dense.dependent() };
            let long = factor.is_long.then(|| factor.skyline.empty_rows());
            dense.iter().copied().chain(long.into_iter().flatten()).map(|k| own[k])
        })
    }
}

/// The leader of a tree's group, by way of ever shorter paths.
fn find(leader: &mut [usize], mut tree: usize) -> usize {
    while leader[tree] != tree {
        leader[tree] = leader[leader[tree]];
        tree = leader[tree];
    }
    tree
}

/// J Y of an island, of which the lower half is written.
struct Delassus<'a> {
    islands: &'a Islands,
    rows: &'a Rows,
    active: &'a [usize],
    own: Range<usize>,
    out: &'a mut [f64],
}

impl Kernel for Delassus<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Delassus { islands, rows, active, own, out } = self;
        let (order, m) = (&islands.order[own.clone()], own.len());
        for (i, k) in order.iter().enumerate() {
            for (j, other) in order[..=i].iter().enumerate() {
                out[i * m + j] = islands.dot(rows, active[*k], *other);
            }
        }
    }
}
