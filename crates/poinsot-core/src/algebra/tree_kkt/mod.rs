//! Bodies in maximal coordinates, connected by the joints of a forest: accelerations and multipliers in linear time [Baraff96].
//!
//! Body i has six unknowns a_i, and is connected to its parent p, or to the world, by an edge of up to six rows with multipliers λ_i; A is
//! the block of the body and B that of its parent:
//!
//! ```math
//! M_i a_i − A_iᵀ λ_i − Σ_children (B_cᵀ λ_c − K_cᵀ a_c) + K_i a_p = f_i
//! A_i a_i + B_i a_p + E_i λ_i = g_i
//! ```
//! E ≥ 0 is the compliance of the rows, 0 for rigid ones; the cross block K is the geometric stiffness of a soft joint, and usually absent.
//! Elimination from the leaves to the root causes no fill-in outside the blocks of a body, of its edge and of the pair (edge, parent):
//!
//! ```math
//! S = A D⁻¹ Aᵀ + E        P = B − A D⁻¹ K        D_p ← D_p + Pᵀ S⁻¹ P − Kᵀ D⁻¹ K
//! ```
//! where D starts as M. Both D and S are positive definite, so neither is pivoted.

mod apply;
mod factor;
mod pivots;
mod solve;
#[cfg(test)]
mod tests;

use super::Lanes;
use super::lanes::dispatch;
use std::ops::Range;
use thiserror::Error;

/// A 6 × 6 matrix, by rows.
pub type Block = [[f64; 6]; 6];

/// One row of an edge: `child · a_i + parent · a_p + compliance · λ = g`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// The row of A.
    pub child: [f64; 6],
    /// The row of B; not read if the parent is the world.
    pub parent: [f64; 6],
    /// The row's entry of E: 0 for a rigid row, positive for a soft one.
    pub compliance: f64,
}

/// Where the elimination found a zero pivot.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum SingularNode {
    #[error("body {body} has no inertia along its unknown {unknown}; give it a mass")]
    Body { body: usize, unknown: usize },
    #[error(
        "row {row} of the edge above body {body} follows from the rows before it; remove it, or give it a compliance"
    )]
    Edge { body: usize, row: usize },
}

/// A pivot below this fraction of its original diagonal entry is round-off.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// The system of a forest, and its factor. It is allocated once; then blocks are written, factored and solved repeatedly without
/// allocation.
///
/// ```
/// use poinsot_core::algebra::tree_kkt::{Row, TreeKkt};
/// // a mass of 2 on a rigid row along x, below one of 3 that falls freely but for a soft row along x
/// let mut kkt = TreeKkt::new(&[None, Some(0)], &[1, 1]);
/// for (block, mass) in kkt.masses_mut().iter_mut().zip([3.0, 2.0]) {
///     (0..6).for_each(|k| block[k][k] = mass);
/// }
/// let x = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// kkt.rows_mut(0)[0] = Row { child: x, parent: [0.0; 6], compliance: 0.1 };
/// kkt.rows_mut(1)[0] = Row { child: x, parent: x.map(|j| -j), compliance: 0.0 };
/// kkt.factor()?;
/// let (mut f, mut g) = ([x.map(|x| 15.0 * x), [0.0; 6]], [[0.0; 6]; 2]);
/// kkt.solve(&mut f, &mut g);
/// let [a, b] = f.map(|a| a[0]);
/// assert!((a - 1.0).abs() < 1e-15 && (b - 1.0).abs() < 1e-15);
/// assert!((g[0][0] + 10.0).abs() < 1e-14 && (g[1][0] - 2.0).abs() < 1e-15);
/// # Ok::<(), poinsot_core::algebra::tree_kkt::SingularNode>(())
/// ```
#[derive(Clone, Debug)]
pub struct TreeKkt {
    nodes: Vec<Node>,
    masses: Vec<Block>,
    rows: Vec<Row>,
    /// K of every body; empty if there are no cross blocks.
    crosses: Vec<Block>,
    /// The factors of the nodes for [`TreeKkt::solve`], one after the other; see the module `factor`.
    factors: Vec<f64>,
    /// L⁻¹ K of every body, rows divided by their pivots; empty if there are no cross blocks.
    cross_factors: Vec<Block>,
    /// Contributions to D of the bodies that receive some from bodies other than the next one.
    deposits: Vec<[Lanes<8>; 6]>,
    factored: bool,
}

/// A body with the edge above it.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: Parent,
    rows: usize,
    /// Where its rows start.
    row: usize,
    /// Where its factor starts.
    factor: usize,
    /// Its index among the deposits, if it has one.
    deposit: Option<usize>,
}

/// The parent of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parent {
    World,
    /// The body right before it: values are passed in registers.
    Before,
    /// Another body, and its index among the deposits.
    Other {
        body: usize,
        deposit: usize,
    },
}

/// The size of the factor of a node with this number of rows.
const fn factor_size(rows: usize) -> usize {
    36 + 12 * rows + rows * rows
}

impl TreeKkt {
    /// A system of `parent.len()` bodies; body i is connected to `parent[i]` (`None` for the world) by `rows[i]` rows.
    ///
    /// ```
    /// // three bodies in a row, the first on the world, all by hinges
    /// let kkt = poinsot_core::algebra::TreeKkt::new(&[None, Some(0), Some(1)], &[5, 5, 5]);
    /// assert_eq!((kkt.bodies(), kkt.rows(2).len()), (3, 5));
    /// ```
    ///
    /// # Panics
    /// If a parent does not come before its child, an edge has more than six rows, or the lengths differ.
    pub fn new(parent: &[Option<usize>], rows: &[usize]) -> TreeKkt {
        assert_eq!(parent.len(), rows.len(), "there are {} parents and {} edges", parent.len(), rows.len());
        let mut deposit = vec![None; parent.len()];
        let mut deposits = 0;
        for (i, p) in parent.iter().enumerate() {
            let Some(p) = *p else { continue };
            assert!(p < i, "body {i} hangs on body {p}, which must stand before it");
            if p + 1 != i && deposit[p].is_none() {
                deposit[p] = Some(deposits);
                deposits += 1;
            }
        }
        let (mut nodes, mut row, mut factor) = (Vec::with_capacity(parent.len()), 0, 0);
        for i in 0..parent.len() {
            assert!(rows[i] <= 6, "body {i} has {} rows, and an edge has six at most", rows[i]);
            let parent = match parent[i] {
                None => Parent::World,
                Some(p) if p + 1 == i => Parent::Before,
                Some(p) => Parent::Other { body: p, deposit: deposit[p].unwrap_or_default() },
            };
            nodes.push(Node { parent, rows: rows[i], row, factor, deposit: deposit[i] });
            row += rows[i];
            factor += factor_size(rows[i]);
        }
        TreeKkt {
            masses: vec![[[0.0; 6]; 6]; nodes.len()],
            rows: vec![Row::default(); row],
            crosses: Vec::new(),
            factors: vec![0.0; factor],
            cross_factors: Vec::new(),
            deposits: vec![Default::default(); deposits],
            factored: false,
            nodes,
        }
    }

    /// As [`TreeKkt::new`], with a cross block for every body.
    ///
    /// # Panics
    /// As [`TreeKkt::new`].
    pub fn with_crosses(parent: &[Option<usize>], rows: &[usize]) -> TreeKkt {
        let kkt = TreeKkt::new(parent, rows);
        let zero = vec![[[0.0; 6]; 6]; kkt.nodes.len()];
        TreeKkt { crosses: zero.clone(), cross_factors: zero, ..kkt }
    }

    /// The number of bodies.
    pub fn bodies(&self) -> usize {
        self.nodes.len()
    }

    /// M of every body, for writing; only the entries on and above the diagonal are read.
    pub fn masses_mut(&mut self) -> &mut [Block] {
        &mut self.masses
    }

    /// The rows of the edge above a body.
    pub fn rows(&self, body: usize) -> &[Row] {
        let Node { row, rows, .. } = self.nodes[body];
        &self.rows[row..row + rows]
    }

    /// The rows of the edge above a body, for writing.
    pub fn rows_mut(&mut self, body: usize) -> &mut [Row] {
        let Node { row, rows, .. } = self.nodes[body];
        &mut self.rows[row..row + rows]
    }

    /// K of every body: rows for the unknowns of the body, columns for those of its parent; not read for children of the world. Empty
    /// unless created by [`TreeKkt::with_crosses`].
    pub fn crosses_mut(&mut self) -> &mut [Block] {
        &mut self.crosses
    }

    /// Factors the current system, from the leaves to the root, for [`TreeKkt::solve`].
    ///
    /// The blocks are not changed, and may be modified before solving: the factor remains that of the system as factored.
    ///
    /// # Errors
    /// If a body has no inertia along some unknown, or a row depends on others; then there is no factor.
    pub fn factor(&mut self) -> Result<(), SingularNode> {
        self.factored = false;
        dispatch(factor::Factor(self))?;
        self.factored = true;
        Ok(())
    }

    /// Solves for one right-hand side, in place: f becomes a, and g becomes λ. Entries of g beyond the rows of an edge are not touched.
    ///
    /// # Panics
    /// If the system has no factor, or f and g do not have one entry for each body.
    pub fn solve(&self, f: &mut [[f64; 6]], g: &mut [[f64; 6]]) {
        self.solve_part(0..self.nodes.len(), f, g);
    }

    /// As [`TreeKkt::solve`] for a range of bodies whose parents are in the range or the world; other entries are not touched.
    pub(crate) fn solve_part(&self, part: Range<usize>, f: &mut [[f64; 6]], g: &mut [[f64; 6]]) {
        assert!(self.factored, "call factor() before solve(), and look at its result");
        self.check(f.len(), g.len());
        dispatch(solve::Solve { kkt: self, part, f, g });
    }

    /// Writes the left-hand sides at (a, λ) to f and g; their difference from the right-hand sides is the residual. Entries of g beyond the
    /// rows of an edge are not touched.
    ///
    /// # Panics
    /// If an argument does not have one entry for each body.
    pub fn apply(&self, a: &[[f64; 6]], lambda: &[[f64; 6]], f: &mut [[f64; 6]], g: &mut [[f64; 6]]) {
        self.apply_part(0..self.nodes.len(), a, lambda, f, g);
    }

    /// As [`TreeKkt::apply`] for a range of bodies, as in `solve_part`.
    pub(crate) fn apply_part(
        &self,
        part: Range<usize>,
        a: &[[f64; 6]],
        lambda: &[[f64; 6]],
        f: &mut [[f64; 6]],
        g: &mut [[f64; 6]],
    ) {
        self.check(a.len(), lambda.len());
        self.check(f.len(), g.len());
        dispatch(apply::Apply { kkt: self, part, a, lambda, f, g });
    }

    fn check(&self, bodies: usize, edges: usize) {
        let n = self.nodes.len();
        assert!(bodies == n && edges == n, "{n} bodies have {n} entries, not {bodies} and {edges}");
    }
}
