//! Islands: groups of active rows that do not interact, each with the factor of its `J M⁻¹ Jᵀ + E`.
//!
//! M is block diagonal, with a block for each tree rooted in the world. Two rows interact only if they touch the same tree. Union–find over
//! the trees gives the islands, in the order of their first rows. Everything stored over the whole model is linear in its size.
//!
//! Small islands are factored with the largest pivot first, which reveals dependent rows. Long ones, such as a row of four-bars, are
//! factored [within their envelope](crate::algebra::Skyline) as long as no row depends on others: in linear time if rows interact only with
//! their neighbours.

use super::rows::Rows;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::algebra::{Semidefinite, Skyline};
use std::ops::Range;

/// Islands of more rows than this are factored within their envelope.
const LONG: usize = 48;

/// The response of the model to rows: `J M⁻¹ Jᵀ`, indexed by the list of active rows.
pub(super) trait Response {
    /// Writes the entries of row k with the others.
    fn respond(&mut self, k: usize, others: &[usize], out: &mut [f64]);
}

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Islands {
    /// The trees that each row touches, and where those of each row start.
    trees: Vec<usize>,
    first_tree: Vec<usize>,
    /// Union–find over trees.
    leader: Vec<usize>,
    /// The active rows of the current islands.
    formed: Vec<usize>,
    /// The indices in the list of active rows, island by island, and where each island starts.
    order: Vec<usize>,
    begin: Vec<usize>,
    /// For each active row: its island.
    island: Vec<usize>,
    factors: Vec<Factor>,
    matrix: Vec<f64>,
    floor: Vec<f64>,
    right: Vec<f64>,
    /// Scratch for each tree: while islands are formed, the island of a leader; while one is factored within its envelope, the
    /// first of its rows that touches the tree.
    touched: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Factor {
    dense: Semidefinite,
    skyline: Skyline,
    is_long: bool,
}

impl Islands {
    /// For rows on the trees of a model, given its degrees of freedom tree by tree and where each tree starts.
    pub fn new(rows: &Rows, (dofs, begin): (&[usize], &[usize])) -> Islands {
        let mut tree = vec![0; dofs.len()];
        for (k, ends) in begin.windows(2).enumerate() {
            dofs[ends[0]..ends[1]].iter().for_each(|dof| tree[*dof] = k);
        }
        let (mut trees, mut first_tree, mut count) = (Vec::new(), vec![0], 1);
        for row in 0..rows.len() {
            let mut own: Vec<usize> = rows.row(row).0.iter().map(|dof| tree[*dof]).collect();
            own.sort_unstable();
            own.dedup();
            count = own.iter().fold(count, |count, tree| count.max(tree + 1));
            trees.extend(own);
            first_tree.push(trees.len());
        }
        Islands {
            trees,
            first_tree,
            leader: (0..count).collect(),
            formed: Vec::new(),
            order: Vec::new(),
            begin: Vec::new(),
            island: Vec::new(),
            factors: Vec::new(),
            matrix: Vec::new(),
            floor: Vec::new(),
            right: Vec::new(),
            touched: vec![usize::MAX; count],
        }
    }

    /// The number of islands.
    pub fn count(&self) -> usize {
        self.begin.len().saturating_sub(1)
    }

    fn trees_of(&self, row: usize) -> &[usize] {
        &self.trees[self.first_tree[row]..self.first_tree[row + 1]]
    }

    /// Finds the islands of the active rows.
    pub fn form(&mut self, active: &[usize]) {
        if self.formed == active {
            return;
        }
        self.formed.clear();
        self.formed.extend_from_slice(active);
        self.order.clear();
        self.begin.clear();
        if self.leader.len() == 1 {
            self.order.extend(0..active.len());
            self.begin.extend([0, active.len()]);
        } else {
            self.join(active);
        }
        if self.factors.len() < self.count() {
            self.factors.resize(self.count(), Factor::default());
        }
    }

    fn join(&mut self, active: &[usize]) {
        for &row in active {
            for at in self.first_tree[row]..self.first_tree[row + 1] {
                self.leader[self.trees[at]] = self.trees[at];
                self.touched[self.trees[at]] = usize::MAX;
            }
        }
        for &row in active {
            let own = self.first_tree[row]..self.first_tree[row + 1];
            for at in own.clone().skip(1) {
                let one = find(&mut self.leader, self.trees[own.start]);
                let other = find(&mut self.leader, self.trees[at]);
                self.leader[one.max(other)] = one.min(other);
            }
        }
        self.island.clear();
        // an island is numbered at its first row; `touched` of its leader holds the number
        let mut count = 0;
        for &row in active {
            let Some(&tree) = self.trees_of(row).first() else {
                // a row that touches nothing movable is an island of its own
                self.island.push(count);
                count += 1;
                continue;
            };
            let leader = find(&mut self.leader, tree);
            if self.touched[leader] == usize::MAX {
                self.touched[leader] = count;
                count += 1;
            }
            self.island.push(self.touched[leader]);
        }
        self.sort(count);
    }

    /// Counting sort by island, stable.
    fn sort(&mut self, count: usize) {
        let active = self.island.len();
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
        // the start of island i is now in begin[i + 1]: shift back
        for i in 0..count {
            self.begin[i] = self.begin[i + 1];
        }
        if count > 0 {
            self.begin[count] = active;
        }
    }

    /// Factors all islands. `compliance` is that of all rows, `floor` that of the active ones; rows with pivots below `tolerance` are
    /// dependent.
    pub fn factor(
        &mut self,
        response: &mut impl Response,
        active: &[usize],
        compliance: &[f64],
        floor: &[f64],
        tolerance: f64,
    ) {
        for i in 0..self.count() {
            let own = self.begin[i]..self.begin[i + 1];
            self.floor.clear();
            self.floor.extend(self.order[own.clone()].iter().map(|k| floor[*k]));
            let mut factor = std::mem::take(&mut self.factors[i]);
            factor.is_long = own.len() > LONG
                && self.factor_long(response, active, own.clone(), compliance, &mut factor, tolerance);
            if !factor.is_long {
                self.factor_dense(response, active, own, compliance, &mut factor, tolerance);
            }
            self.factors[i] = factor;
        }
    }

    fn factor_dense(
        &mut self,
        response: &mut impl Response,
        active: &[usize],
        own: Range<usize>,
        compliance: &[f64],
        factor: &mut Factor,
        tolerance: f64,
    ) {
        let m = own.len();
        if self.matrix.len() < m * m {
            self.matrix.resize(m * m, 0.0);
        }
        let (order, matrix) = (&self.order[own], &mut self.matrix[..m * m]);
        dispatch(Delassus { response, order, out: matrix });
        for (i, k) in order.iter().enumerate() {
            matrix[i * m + i] += compliance[active[*k]];
        }
        factor.dense.make_room(m);
        factor.dense.factor(matrix, &self.floor, tolerance);
    }

    /// Factors an island within its envelope; false if a row depends on others.
    fn factor_long(
        &mut self,
        response: &mut impl Response,
        active: &[usize],
        own: Range<usize>,
        compliance: &[f64],
        factor: &mut Factor,
        tolerance: f64,
    ) -> bool {
        let Islands { trees, first_tree, order, touched, .. } = self;
        let (order, trees_of) = (&order[own], |k: usize| first_tree[active[k]]..first_tree[active[k] + 1]);
        for k in order {
            trees[trees_of(*k)].iter().for_each(|tree| touched[*tree] = usize::MAX);
        }
        factor.skyline.clear();
        for (i, k) in order.iter().enumerate() {
            let mut first = i;
            for tree in &trees[trees_of(*k)] {
                touched[*tree] = touched[*tree].min(i);
                first = first.min(touched[*tree]);
            }
            let row = factor.skyline.push_row(first);
            dispatch(Envelope { response, k: *k, others: &order[first..=i], out: row });
            row[i - first] += compliance[active[*k]];
        }
        factor.skyline.factor(&self.floor, tolerance)
    }

    /// Replaces the residuals of the active rows by λ. If rows depend on others, this is the λ of least norm if `least`, else any solution.
    pub fn solve(&mut self, lack: &mut [f64], least: bool) {
        for i in 0..self.count() {
            let own = &self.order[self.begin[i]..self.begin[i + 1]];
            self.right.clear();
            self.right.extend(own.iter().map(|k| lack[*k]));
            if self.factors[i].is_long {
                self.factors[i].skyline.solve(&mut self.right);
            } else {
                self.factors[i].dense.solve(&mut self.right, least);
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

/// The leader of a tree's group, with path compression.
fn find(leader: &mut [usize], mut tree: usize) -> usize {
    while leader[tree] != tree {
        leader[tree] = leader[leader[tree]];
        tree = leader[tree];
    }
    tree
}

/// J M⁻¹ Jᵀ of an island, of which the lower half is written.
struct Delassus<'a, R> {
    response: &'a mut R,
    order: &'a [usize],
    out: &'a mut [f64],
}

impl<R: Response> Kernel for Delassus<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Delassus { response, order, out } = self;
        let m = order.len();
        for (i, k) in order.iter().enumerate() {
            response.respond(*k, &order[..=i], &mut out[i * m..=i * m + i]);
        }
    }
}

/// One row of the matrix, from its first nonzero entry.
struct Envelope<'a, R> {
    response: &'a mut R,
    k: usize,
    others: &'a [usize],
    out: &'a mut [f64],
}

impl<R: Response> Kernel for Envelope<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.response.respond(self.k, self.others, self.out);
    }
}
