//! Multipliers: `M x = f + Jᵀ λ`, `J x + E λ = g`, whatever x stands for: accelerations, changes of velocity or place.
//!
//! In reduced coordinates, with M⁻¹ the articulated-body algorithm, or on trees that are not deep the factor of M, and
//! Y = M⁻¹ Jᵀ a column for each row,
//!
//! ```math
//! (1)  (J Y + E) λ = g − J M⁻¹ f        x = M⁻¹ f + Y λ
//! ```
//! In maximal coordinates the same holds of the rows that are not in the tree, with the [factor of the tree](super::sparse)
//! in the place of M⁻¹.

use super::kinds::Class;
use super::rows::Rows;
use super::sizes::Sizes;
use super::sparse::Sparse;
use crate::algebra::Semidefinite;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::dynamics::{MassMatrix, Workspace};
use crate::model::{ConstraintId, Model};
use nalgebra::DMatrix;
use thiserror::Error;

/// Pivots below this, of a matrix with unit diagonal, belong to rows that depend on others: the angle between what they
/// ask for is less than 3e-6.
const DEPENDENT: f64 = 1e-11;

/// What is less of a row's [size](super::sizes) is round-off: of squares of J in reduced coordinates, of differences between
/// free bodies in maximal ones.
const NOTHING_REDUCED: f64 = 1e-24;
const NOTHING_MAXIMAL: f64 = 1e-13;
/// Where the rows of M have more numbers than this, on average, the articulated-body algorithm solves faster than its factor.
const DEEP: f64 = 64.0;

/// Why multipliers could not be found.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum ConstraintError {
    #[error(
        "the accelerations of the free bodies are not determined: a body has no inertia where its joints leave it free, or \
         the rows of one joint depend on one another; give masses to the bodies between joints"
    )]
    Singular,
    #[error("constraint \"{constraint}\" has become infinite or not a number")]
    NotFinite { constraint: String },
    #[error(
        "constraint \"{constraint}\" cannot be met: it is off by {violation:e} after {iterations} corrections; the \
         mechanism cannot be assembled near here, or moves too far in one step"
    )]
    NotMet { constraint: String, violation: f64, iterations: usize },
}

/// How freely a model with constraints can move.
#[derive(Clone, Debug, PartialEq)]
pub struct Mobility {
    /// Degrees of freedom less independent rigid rows.
    pub freedoms: usize,
    /// The number of rigid rows.
    pub rows: usize,
    /// How many of them are independent.
    pub rank: usize,
    /// The constraints with rows that depend on the others: their loads are shared by least norm.
    pub redundant: Vec<String>,
}

/// Which rows take part in a system, and what they are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// Rigid rows of C; rotors resist.
    Positions,
    /// Rigid rows of C and those of velocities; rotors resist.
    Velocities,
    /// All of these, and soft rows with the compliance 1/(a k + b c).
    Soft { stiffness: f64, damping: f64 },
    /// The same, and M has a times the Hessian of Σ `pulls` C of the constraints in the tree of free bodies.
    Bent { stiffness: f64, damping: f64 },
}

/// The constraints of a model with room to solve for their multipliers. No call allocates.
#[derive(Clone, Debug)]
pub struct Multipliers {
    pub(crate) rows: Rows,
    /// The tree of free bodies, in maximal coordinates; none: M⁻¹ is the factor of M, or the articulated-body algorithm.
    sparse: Option<Box<Sparse>>,
    mass: Option<Box<MassMatrix>>,
    /// The rows that are not in the tree and take part, and E of each row: infinite for those that take none.
    active: Vec<usize>,
    compliance: Vec<f64>,
    /// Y, a column for each active row, one after the other; and the multipliers of the tree's rows that go with it.
    y: Vec<f64>,
    y_tree: Vec<f64>,
    /// J Y + E.
    delassus: Vec<f64>,
    factor: Semidefinite,
    /// For each active row: a response below this is round-off.
    floor: Vec<f64>,
    sizes: Sizes,
    singular: bool,
    column: Vec<f64>,
    reduced: Vec<f64>,
    nothing: Vec<f64>,
    diagonal: Vec<f64>,
    /// f, g, λ and a change of q or v.
    pub(crate) force: Vec<f64>,
    pub(crate) asked: Vec<f64>,
    /// For each row: the force along falling C whose geometric stiffness counts.
    pub(crate) pulls: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    pub(super) change: Vec<f64>,
}

impl Multipliers {
    /// Room for the constraints of `model`.
    pub fn new(model: &Model) -> Multipliers {
        Multipliers::with_room(model, false)
    }
    /// The same with room for geometric stiffness.
    pub(crate) fn bending(model: &Model) -> Multipliers {
        Multipliers::with_room(model, true)
    }
    fn with_room(model: &Model, bends: bool) -> Multipliers {
        let rows = Rows::new(model);
        let sparse = Sparse::new(model, &rows, bends).map(Box::new);
        let (m, n) = (rows.len(), model.nv());
        let shallow = sparse.is_none() && m > 0 && MassMatrix::mean_row(model) <= DEEP;
        let mass = shallow.then(|| Box::new(MassMatrix::new(model)));
        let auxiliary = sparse.as_ref().map_or(m, |s| s.place.iter().filter(|p| p.is_none()).count());
        Multipliers {
            active: Vec::with_capacity(auxiliary),
            compliance: vec![0.0; m],
            y: vec![0.0; auxiliary * n],
            y_tree: vec![0.0; if sparse.is_some() { auxiliary * m } else { 0 }],
            delassus: vec![0.0; auxiliary * auxiliary],
            factor: Semidefinite::new(auxiliary),
            floor: Vec::with_capacity(auxiliary),
            sizes: Sizes::new(model),
            singular: false,
            column: vec![0.0; n],
            reduced: vec![0.0; auxiliary],
            nothing: vec![0.0; m],
            diagonal: vec![0.0; n],
            force: vec![0.0; n],
            asked: vec![0.0; m],
            pulls: vec![0.0; m],
            lambda: vec![0.0; m],
            change: vec![0.0; n],
            sparse,
            mass,
            rows,
        }
    }

    /// The number of rows of all constraints: the number of multipliers.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// True when the system factored last has no solution.
    pub(crate) fn is_singular(&self) -> bool {
        self.singular
    }
    /// True when there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// C, Ċ, J and J̇v of all rows at (q, v), to be read with [`Multipliers::values`], [`Multipliers::rates`],
    /// [`Multipliers::jacobian`] and [`Multipliers::bias`].
    pub fn evaluate(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) {
        self.rows.evaluate(model, ws, q, Some(v));
    }
    /// C of each row, m or rad; 0 for rows that hold velocities alone.
    pub fn values(&self) -> &[f64] {
        &self.rows.value
    }
    /// Ċ = J v of each row.
    pub fn rates(&self) -> &[f64] {
        &self.rows.rate
    }
    /// J̇ v of each row.
    pub fn bias(&self) -> &[f64] {
        &self.rows.bias
    }
    /// J, a row for each row; it is made anew at each call.
    pub fn jacobian(&self) -> DMatrix<f64> {
        let mut j = DMatrix::zeros(self.len(), self.change.len());
        for row in 0..self.len() {
            self.rows.entries(row).for_each(|(dof, entry)| j[(row, dof)] = entry);
        }
        j
    }
    /// The rows of a constraint among all rows.
    pub fn rows_of(&self, constraint: ConstraintId) -> std::ops::Range<usize> {
        self.rows.of(constraint.index())
    }

    /// Chooses rows and factors the system for the rows evaluated last, at the same q, with `diagonal` in place of the
    /// rotor inertias on the diagonal of M.
    pub(crate) fn factor(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        asked: Asked,
        diagonal: &[f64],
    ) {
        self.diagonal.copy_from_slice(diagonal);
        self.choose(asked);
        if let Some(sparse) = &mut self.sparse {
            ws.poses(model, q);
            let bent = if let Asked::Bent { stiffness, .. } = asked { stiffness } else { 0.0 };
            let mut factored = sparse.factor(model, ws, &self.rows, &self.compliance, &self.pulls, bent);
            // a compressed joint bends away: without its geometric stiffness the matrix is definite
            if !factored && bent != 0.0 {
                factored = sparse.factor(model, ws, &self.rows, &self.compliance, &self.pulls, 0.0);
            }
            self.singular = !factored;
        }
        if self.singular {
            return;
        }
        if let Some(mass) = self.mass.as_mut().filter(|_| !self.active.is_empty()) {
            ws.mass_matrix(model, q, mass);
            mass.add_diagonal(|k| diagonal[k] - model.tree.armature[k]);
            mass.factor();
        }
        let (m, n, all) = (self.active.len(), model.nv(), self.rows.len());
        for k in 0..m {
            self.column.fill(0.0);
            self.rows.add(self.active[k], 1.0, &mut self.column);
            let y = &mut self.y[k * n..(k + 1) * n];
            match (&mut self.sparse, &self.mass) {
                (None, None) => ws.mass_solve_with(model, q, &self.column, diagonal, y),
                (None, Some(mass)) => {
                    y.copy_from_slice(&self.column);
                    mass.solve(y);
                }
                (Some(sparse), _) => {
                    let tree = &mut self.y_tree[k * all..(k + 1) * all];
                    sparse.solve(model, &self.rows, &self.column, &self.nothing, y, tree);
                }
            }
        }
        let (rows, active, y) = (&self.rows, &self.active, &self.y);
        dispatch(Delassus { rows, active, y, n, out: &mut self.delassus });
        for (i, &row) in self.active.iter().enumerate() {
            self.delassus[i * m + i] += self.compliance[row];
        }
        let nothing = if self.sparse.is_some() { NOTHING_MAXIMAL } else { NOTHING_REDUCED };
        self.floor.clear();
        self.floor.extend(self.active.iter().map(|row| nothing * self.sizes.of(&self.rows, ws, *row)));
        self.factor.factor(&self.delassus[..m * m], &self.floor, DEPENDENT);
    }

    fn choose(&mut self, asked: Asked) {
        self.active.clear();
        for (row, kind) in self.rows.kinds.iter().enumerate() {
            self.compliance[row] = match (kind.class, kind.soft, asked) {
                (Class::Rotor(inertia), _, _) => 1.0 / inertia,
                // a row without stiffness asks for nothing: 1/0
                (
                    _,
                    Some((k, c)),
                    Asked::Soft { stiffness, damping } | Asked::Bent { stiffness, damping },
                ) => 1.0 / stiffness.mul_add(k, damping * c),
                (_, Some(_), _) | (Class::Velocity, None, Asked::Positions) => f64::INFINITY,
                (_, None, _) => 0.0,
            };
            let in_tree = self.sparse.as_ref().is_some_and(|s| s.place[row].is_some());
            if self.compliance[row].is_finite() && !in_tree {
                self.active.push(row);
            }
        }
    }

    /// x and λ for f = `force` and g = `asked`; λ is 0 for rows that take no part. Where bodies have no inertia, or rows
    /// of the tree depend on one another, there is no solution: x is not a number.
    pub(crate) fn solve_asked(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], x: &mut [f64]) {
        if self.singular {
            x.fill(f64::NAN);
            return;
        }
        let (n, all) = (model.nv(), self.rows.len());
        self.lambda.fill(0.0);
        match &mut self.sparse {
            None => ws.mass_solve_with(model, q, &self.force, &self.diagonal, x),
            Some(sparse) => {
                sparse.solve(model, &self.rows, &self.force, &self.asked, x, &mut self.lambda);
            }
        }
        for (k, &row) in self.active.iter().enumerate() {
            self.reduced[k] = self.asked[row] - self.rows.dot(row, x);
        }
        self.factor.solve(&mut self.reduced[..self.active.len()]);
        for (k, &row) in self.active.iter().enumerate() {
            let l = self.reduced[k];
            self.lambda[row] = l;
            for (x, y) in x.iter_mut().zip(&self.y[k * n..(k + 1) * n]) {
                *x = l.mul_add(*y, *x);
            }
            if self.sparse.is_some() {
                for (lambda, y) in self.lambda.iter_mut().zip(&self.y_tree[k * all..(k + 1) * all]) {
                    *lambda = l.mul_add(*y, *lambda);
                }
            }
        }
    }

    /// How freely the model can move at q.
    pub fn mobility(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> Mobility {
        self.rows.evaluate(model, ws, q, None);
        let armature = &model.tree.armature;
        self.factor(model, ws, q, Asked::Velocities, armature);
        let rows = self.compliance.iter().filter(|e| **e == 0.0).count();
        let mut names: Vec<usize> =
            self.factor.dependent().iter().map(|k| self.rows.kinds[self.active[*k]].constraint).collect();
        names.sort_unstable();
        names.dedup();
        let rank = rows - self.factor.dependent().len();
        let redundant = names.into_iter().map(|c| model.constraints()[c].name.clone()).collect();
        Mobility { freedoms: model.nv() - rank, rows, rank, redundant }
    }
}

/// J Y, of which the lower half is written.
struct Delassus<'a> {
    rows: &'a Rows,
    active: &'a [usize],
    y: &'a [f64],
    n: usize,
    out: &'a mut [f64],
}

impl Kernel for Delassus<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Delassus { rows, active, y, n, out } = self;
        for (i, &row) in active.iter().enumerate() {
            let (dofs, entries) = rows.row(row);
            for k in 0..=i {
                let (y, mut sum) = (&y[k * n..(k + 1) * n], 0.0);
                for (dof, j) in dofs.iter().zip(entries) {
                    sum = j.mul_add(y[*dof], sum);
                }
                out[i * active.len() + k] = sum;
            }
        }
    }
}
