//! Multipliers: `M x = f + Jᵀ λ`, `J x + E λ = g`, whatever x stands for: accelerations, or changes of velocity or configuration.
//!
//! ```math
//! (1)  (J M⁻¹ Jᵀ + E) λ = g − J M⁻¹ f        x = M⁻¹ (f + Jᵀ λ)
//! ```
//! In reduced coordinates M⁻¹ is the [factor of M](super::halves), or for deep trees the articulated-body algorithm. In maximal coordinates
//! the equations apply to the rows outside the tree, with the [factor of the tree](super::sparse) in place of M⁻¹.

use super::columns::{self, Columns, Forest};
use super::halves::{self, Halves};
use super::islands::Islands;
use super::joint_tree::JointTree;
use super::law::{RowSystem, Status};
use super::rows::{RowKind, Rows};
use super::sizes::Sizes;
use super::sparse::Sparse;
use super::touch::ContactWorkspace;
use crate::algebra::Digits;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::dynamics::{MassMatrix, Workspace};
use crate::model::{ConstraintId, Model};
use nalgebra::DMatrix;
use thiserror::Error;

/// Pivots below this, for a matrix with unit diagonal, belong to rows that depend on others: the angle between their directions is less
/// than 3e-6.
const DEPENDENT: f64 = 1e-11;

/// In maximal coordinates, rows that are dependent where the constraints are met seem independent where they are violated by C, as in the
/// stages of a step: the squared sine between them is of the order of C², in square metres.
const OPEN: f64 = 1e5;
const MOST_OPEN: f64 = 1e-5;

/// Anything below this fraction of a row's [size](super::sizes) is round-off: of squares of J in reduced coordinates, of differences
/// between free bodies in maximal ones.
const NOTHING_REDUCED: f64 = 1e-24;
const NOTHING_MAXIMAL: f64 = 1e-13;
/// If the rows of M have more entries than this on average, the articulated-body algorithm is faster than the factor.
const DEEP: f64 = 64.0;

/// Why multipliers could not be found.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages explain the fields
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
        "constraint \"{constraint}\" cannot be met: it is off by {} after {iterations} corrections; the \
         mechanism cannot be assembled near here, or moves too far in one step",
        Digits(*violation)
    )]
    NotMet { constraint: String, violation: f64, iterations: usize },
}

/// How freely a model with constraints can move.
#[derive(Clone, Debug, PartialEq)]
pub struct Mobility {
    /// Degrees of freedom minus independent rigid rows.
    pub freedoms: usize,
    /// The number of rigid rows.
    pub rows: usize,
    /// How many of them are independent.
    pub rank: usize,
    /// The constraints with dependent rows: these share their loads by least norm.
    pub redundant: Vec<String>,
}

/// The constraints of a model, with scratch for solving for their multipliers. No call allocates.
#[derive(Clone, Debug)]
pub struct Multipliers {
    pub(crate) rows: Rows,
    /// The rows at another state, for queries that must not disturb the step.
    there: Option<Box<Rows>>,
    /// The tree of free bodies, in maximal coordinates; otherwise `None`, and M⁻¹ is the factor of M or the articulated-body algorithm.
    pub(super) sparse: Option<Box<Sparse>>,
    /// Its fast path, if all rows are those of joints in the tree.
    pub(super) joint_tree: Option<Box<JointTree>>,
    /// True if the tree has room for geometric stiffness.
    bends: bool,
    /// For shallow trees: the factor of M, and the columns of the rows.
    halves: Option<Box<Halves>>,
    /// The columns of deep trees.
    columns: Columns,
    /// The active rows that are not in the tree, and E of each row: infinite for inactive rows.
    active: Vec<usize>,
    compliance: Vec<f64>,
    islands: Islands,
    sizes: Sizes,
    floor: Vec<f64>,
    pub(super) singular: bool,
    /// For each row that is a rate of a joint between free bodies: its resistance in a step that is implicit in it.
    resistance: Vec<f64>,
    /// The system factored last, and whether its factor may be reused.
    pub(super) factored_system: RowSystem,
    pub(super) factor_at_hand: bool,
    column: Vec<f64>,
    reduced: Vec<f64>,
    diagonal: Vec<f64>,
    /// f, g, λ and a change of q or v.
    pub(crate) force: Vec<f64>,
    pub(crate) targets: Vec<f64>,
    /// For each row: the force in the direction of decreasing C whose geometric stiffness is included.
    pub(crate) pulls: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    pub(super) change: Vec<f64>,
    /// True if some row is an inequality; is soft; is a rigid equality or a rotor; is a rotor.
    pub(super) inequalities: bool,
    pub(super) soft: bool,
    pub(super) rigid: bool,
    pub(super) rotors: bool,
    /// For each row: its approach rate at the start of the step, its rate then, and its impulse in the step.
    pub(super) approach: Vec<f64>,
    pub(super) rate_before: Vec<f64>,
    pub(crate) impulse: Vec<f64>,
    /// Statuses before an impact, and the rows to be revised.
    pub(super) kept: Vec<Status>,
    pub(super) revised: Vec<(usize, Status)>,
    /// For each degree of freedom: whether it is locked, its prescribed acceleration or the force that produces it, and the sum of squares
    /// of the entries that lock it.
    pub(super) locked: Vec<bool>,
    pub(super) given: Vec<f64>,
    pub(super) weight: Vec<f64>,
    /// J x of each inequality, for the last x.
    pub(super) along: Vec<f64>,
    /// Forces without rows, and trial accelerations.
    pub(super) smooth: Vec<f64>,
    pub(super) trial: Vec<f64>,
    /// Contacts, if enabled.
    pub(crate) touching: Option<Box<ContactWorkspace>>,
}

impl Multipliers {
    /// Scratch for the constraints of `model`.
    pub fn new(model: &Model) -> Multipliers {
        Multipliers::with_rows(model, Rows::new(model))
    }
    /// The number of rows of a model.
    pub(crate) fn count(model: &Model) -> usize {
        model.constraints().iter().map(|c| c.rows()).sum::<usize>() + model.bounds().len()
    }
    /// Makes room for geometric stiffness, on the first call.
    pub(crate) fn allow_bending(&mut self, model: &Model) {
        if self.sparse.is_some() && !std::mem::replace(&mut self.bends, true) {
            self.sparse = Sparse::new(model, &self.rows, true).map(Box::new);
            self.joint_tree = None;
        }
    }
    fn with_rows(model: &Model, rows: Rows) -> Multipliers {
        let sparse = Sparse::new(model, &rows, false).map(Box::new);
        let (m, n) = (rows.len(), model.nv());
        let shallow = sparse.is_none() && m > 0 && MassMatrix::mean_row(model) <= DEEP;
        let halves = shallow.then(|| Box::new(Halves::new(model, &rows)));
        // bounds allocate when they first become active
        let auxiliary =
            (0..rows.first_bound).filter(|r| sparse.as_ref().is_none_or(|s| s.place[*r].is_none())).count();
        let forest = sparse.as_ref().map_or_else(|| Forest::whole(n), |sparse| sparse.forest(model));
        let trees = halves.as_ref().map(|halves| halves.mass.trees());
        let trees = trees.as_ref().map_or((&forest.dof[..], &forest.begin[..]), |(dof, begin)| (dof, begin));
        Multipliers {
            active: Vec::with_capacity(auxiliary),
            compliance: vec![0.0; m],
            islands: Islands::new(&rows, trees),
            columns: Columns::new(forest),
            sizes: Sizes::new(model),
            floor: Vec::with_capacity(auxiliary),
            there: None,
            bends: false,
            singular: false,
            resistance: vec![0.0; m],
            factored_system: RowSystem::Velocities,
            factor_at_hand: false,
            column: vec![0.0; n],
            reduced: vec![0.0; auxiliary],
            diagonal: vec![0.0; n],
            force: vec![0.0; n],
            targets: vec![0.0; m],
            pulls: vec![0.0; m],
            lambda: vec![0.0; m],
            change: vec![0.0; n],
            inequalities: rows.any_inequality(),
            soft: rows.kinds.iter().any(|k| k.terms.is_soft()),
            rigid: rows.kinds.iter().any(|k| k.terms.is_always_active()),
            rotors: rows.kinds.iter().any(|k| k.terms.inertia().is_some_and(|i| i > 0.0)),
            approach: vec![0.0; m],
            rate_before: vec![0.0; m],
            impulse: vec![0.0; m],
            kept: rows.status.clone(),
            revised: Vec::with_capacity(m),
            locked: vec![false; n],
            given: vec![0.0; n],
            weight: vec![0.0; n],
            along: vec![0.0; m],
            smooth: vec![0.0; n],
            trial: vec![0.0; n],
            touching: None,
            joint_tree: sparse.as_ref().and_then(|s| JointTree::new(model, &rows, s)).map(Box::new),
            sparse,
            halves,
            rows,
        }
    }

    /// Runs an action on a second set of rows, for another state; the current rows are preserved.
    pub(crate) fn elsewhere<R>(&mut self, act: impl FnOnce(&mut Multipliers) -> R) -> R {
        let mut there = self.there.take().unwrap_or_else(|| Box::new(self.rows.clone()));
        there.status.copy_from_slice(&self.rows.status);
        there.count_turns_as(&self.rows);
        std::mem::swap(&mut self.rows, &mut there);
        let out = act(self);
        std::mem::swap(&mut self.rows, &mut there);
        self.there = Some(there);
        out
    }
    /// The rows evaluated at the other state, or the current ones.
    pub(crate) fn there(&self) -> &Rows {
        self.there.as_deref().unwrap_or(&self.rows)
    }
    /// True if some row is an equality or soft, or if joints are constraints between free bodies.
    pub(super) fn needs_rows(&self) -> bool {
        self.sparse.is_some() || self.rigid || self.soft
    }
    pub(crate) fn is_active(&self, row: usize) -> bool {
        self.rows.status[row] == Status::Active
    }

    /// The number of rows of constraints, which come before those of bounds.
    pub fn constraint_rows(&self) -> usize {
        self.rows.first_bound
    }
    /// The number of rows of all constraints and bounds: the number of multipliers.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// True if the system factored last has no solution.
    pub(crate) fn is_singular(&self) -> bool {
        self.singular
    }
    /// Removes the resistance to the rates of joints.
    pub(crate) fn clear_resistance(&mut self) {
        self.resistance.fill(0.0);
    }
    /// Adds resistance to one of the rates of a joint, whose constraint is a rotor.
    pub(crate) fn resist(&mut self, rotor: ConstraintId, rate: usize, by: f64) {
        let row = self.rows.of(rotor.index()).start + rate;
        self.resistance[row] += by;
    }
    /// True if the bodies are free, and their joints rows.
    pub(crate) fn is_maximal(&self) -> bool {
        self.sparse.is_some()
    }
    /// True if there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// C, Ċ, J and J̇v of all rows at (q, v), to be read with [`Multipliers::values`], [`Multipliers::rates`],
    /// [`Multipliers::jacobian`] and [`Multipliers::bias`].
    pub fn evaluate(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) {
        self.rows.evaluate(model, ws, q, Some(v));
    }
    /// C and J of all rows at q.
    pub(crate) fn evaluate_at(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) {
        self.rows.evaluate(model, ws, q, None);
    }
    /// The rigid rows C = 0.
    pub(crate) fn equality_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let is_equality = |row: &usize| {
            let terms = self.rows.kinds[*row].terms;
            terms.constrains_position() && !terms.is_inequality()
        };
        (0..self.len()).filter(is_equality)
    }
    /// The degrees of freedom that a row depends on, and J there.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        self.rows.entries(row)
    }
    /// C of each row, m or rad; 0 for rows that constrain velocities alone.
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
    /// J, a row for each row; computed anew at each call.
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
        system: RowSystem,
        diagonal: &[f64],
    ) {
        self.factor_masses(model, ws, q, system, diagonal);
        self.factor_rows(model, ws, q);
    }

    /// The first half: M, and in maximal coordinates the tree.
    pub(super) fn factor_masses(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        system: RowSystem,
        diagonal: &[f64],
    ) {
        self.diagonal.copy_from_slice(diagonal);
        self.factored_system = system;
        self.joint_tree.iter_mut().for_each(|joint_tree| joint_tree.forget());
        if self.sparse.is_some() {
            self.choose();
        }
        if let Some(sparse) = &mut self.sparse {
            ws.poses(model, q);
            let bent = if let RowSystem::WithGeometricStiffness { stiffness, .. } = system {
                stiffness
            } else {
                0.0
            };
            let mut factored = sparse.factor(model, ws, &self.rows, &self.compliance, &self.pulls, bent);
            // a compressed joint buckles: without its geometric stiffness the matrix is definite
            if !factored && bent != 0.0 {
                factored = sparse.factor(model, ws, &self.rows, &self.compliance, &self.pulls, 0.0);
            }
            self.singular = !factored;
        }
        self.halves.iter_mut().for_each(|halves| halves.forget());
    }

    /// The second half: the active rows, except those of the tree.
    pub(super) fn factor_rows(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) {
        self.factor_at_hand = true;
        if self.singular {
            return;
        }
        self.choose();
        if self.reduced.len() < self.active.len() {
            self.reduced.resize(self.active.len(), 0.0);
        }
        self.islands.form(&self.active);
        if let Some(halves) = self.halves.as_mut().filter(|_| !self.active.is_empty()) {
            halves.factor(model, ws, q, &self.diagonal);
            halves.carry(&self.rows, &self.active);
        } else {
            self.make_columns(model, ws, q);
        }
        let tolerance = if self.sparse.is_some() && self.factored_system != RowSystem::Positions {
            DEPENDENT.max((OPEN * self.rows.worst().1.powi(2)).min(MOST_OPEN))
        } else {
            DEPENDENT
        };
        let least = if self.sparse.is_some() { NOTHING_MAXIMAL } else { NOTHING_REDUCED };
        self.sizes.of_rows(&self.rows, ws, &self.active, &mut self.floor);
        self.floor.iter_mut().for_each(|size| *size *= least);
        let (rows, active, compliance, floor) = (&self.rows, &self.active, &self.compliance, &self.floor);
        if let Some(halves) = &mut self.halves {
            let mut response = halves::Answers { halves, active };
            self.islands.factor(&mut response, active, compliance, floor, tolerance);
        } else {
            let mut response = columns::Answers { columns: &self.columns, rows, active };
            self.islands.factor(&mut response, active, compliance, floor, tolerance);
        }
    }

    /// Computes Y = M⁻¹ Jᵀ of the active rows.
    fn make_columns(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) {
        self.columns.form(&self.rows, &self.active);
        for (k, &row) in self.active.iter().enumerate() {
            let (rows, column, diagonal) = (&self.rows, &mut self.column, &self.diagonal);
            rows.add(row, 1.0, column);
            match &mut self.sparse {
                Some(sparse) => self.columns.each_piece(k, |tree, y, multipliers| {
                    sparse.solve_tree(model, rows, tree, column, y, multipliers);
                }),
                None => {
                    self.columns.each_piece(k, |_, y, _| ws.mass_solve_with(model, q, column, diagonal, y))
                }
            }
            rows.entries(row).for_each(|(dof, _)| column[dof] = 0.0);
        }
    }

    /// Marks the current factor as belonging to an unrelated state.
    pub(crate) fn forget_factor(&mut self) {
        self.factor_at_hand = false;
    }

    /// True if the current factor belongs to exactly the active rows of the requested system, with the same compliances.
    pub(super) fn factor_serves(&self, system: RowSystem) -> bool {
        let same = |(row, kind): (usize, &RowKind)| {
            self.compliance[row] == kind.terms.compliance(self.rows.status[row], system, self.resistance[row])
        };
        self.factor_at_hand && !self.singular && self.rows.kinds.iter().enumerate().all(same)
    }

    /// True for a row of the system factored last.
    pub(super) fn takes_part(&self, row: usize) -> bool {
        self.compliance[row].is_finite()
    }
    /// The rows of the system factored last.
    pub(super) fn rows_taking_part(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rows.len()).filter(|row| self.takes_part(*row))
    }

    fn choose(&mut self) {
        let system = self.factored_system;
        self.active.clear();
        for (row, kind) in self.rows.kinds.iter().enumerate() {
            let status = self.rows.status[row];
            if status != Status::Active {
                self.compliance[row] = f64::INFINITY;
                continue;
            }
            self.compliance[row] = kind.terms.compliance(status, system, self.resistance[row]);
            let in_tree = self.sparse.as_ref().is_some_and(|s| s.place[row].is_some());
            if self.compliance[row].is_finite() && !in_tree {
                self.active.push(row);
            }
        }
    }

    /// Solves for x and λ, given f = `force` and g = `targets`; λ is 0 for inactive rows. If bodies have no inertia, or rows of the tree
    /// depend on one another, there is no solution: x is NaN.
    pub(crate) fn solve_for_targets(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], x: &mut [f64]) {
        if self.singular {
            x.fill(f64::NAN);
            return;
        }
        self.lambda.fill(0.0);
        if self.halves.as_ref().is_some_and(|halves| halves.is_factored()) {
            return dispatch(SolveRowsByHalves(self, x));
        }
        match &mut self.sparse {
            None => ws.mass_solve_with(model, q, &self.force, &self.diagonal, x),
            Some(sparse) => {
                sparse.solve(model, &self.rows, &self.force, &self.targets, x, &mut self.lambda);
            }
        }
        if !self.active.is_empty() {
            dispatch(SolveRows(self, x));
        }
    }

    /// Solves for x with f = 0 and g = `targets`; among dependent rows, some get a multiplier and others zero.
    pub(super) fn correct(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], x: &mut [f64]) {
        struct Correct<'a>(&'a mut Multipliers, &'a mut [f64]);
        impl Kernel for Correct<'_> {
            type Output = ();
            #[inline(always)]
            fn run<I: Isa>(self) {
                self.0.correct_by_halves(self.1);
            }
        }
        if !self.singular && self.halves.as_ref().is_some_and(|halves| halves.is_factored()) {
            return dispatch(Correct(self, x));
        }
        self.force.fill(0.0);
        self.solve_for_targets(model, ws, q, x);
    }

    #[inline(always)]
    fn correct_by_halves(&mut self, x: &mut [f64]) {
        let Some(halves) = &mut self.halves else { return };
        halves.begin_at_rest();
        for (k, &row) in self.active.iter().enumerate() {
            self.reduced[k] = self.targets[row];
        }
        self.islands.solve(&mut self.reduced[..self.active.len()], false);
        for (k, &row) in self.active.iter().enumerate() {
            halves.add(row, self.reduced[k]);
        }
        halves.finish(x);
    }

    /// Computes x and λ of the active rows, from x without them.
    #[inline(always)]
    fn hold(&mut self, x: &mut [f64]) {
        for (k, &row) in self.active.iter().enumerate() {
            self.reduced[k] = self.targets[row] - self.rows.dot(row, x);
        }
        self.islands.solve(&mut self.reduced[..self.active.len()], true);
        for (k, &row) in self.active.iter().enumerate() {
            let l = self.reduced[k];
            self.lambda[row] = l;
            self.columns.add(k, l, x);
            if let Some(sparse) = &self.sparse {
                for (tree, own) in self.columns.multipliers(k) {
                    sparse.add_multipliers(tree, l, own, &mut self.lambda);
                }
            }
        }
    }

    /// Computes x and λ with the factor of M.
    #[inline(always)]
    fn solve_rows_by_halves(&mut self, x: &mut [f64]) {
        let Some(halves) = &mut self.halves else { return };
        halves.begin_force(&self.force);
        for (k, &row) in self.active.iter().enumerate() {
            self.reduced[k] = self.targets[row] - halves.answer(row);
        }
        halves.answered();
        self.islands.solve(&mut self.reduced[..self.active.len()], true);
        for (k, &row) in self.active.iter().enumerate() {
            self.lambda[row] = self.reduced[k];
            halves.add(row, self.reduced[k]);
        }
        halves.finish(x);
    }

    /// How freely the model can move at q.
    pub fn mobility(&mut self, model: &Model, ws: &mut Workspace, q: &[f64]) -> Mobility {
        self.rows.evaluate(model, ws, q, None);
        let armature = &model.tree.armature;
        self.factor(model, ws, q, RowSystem::Velocities, armature);
        let rows = self.compliance.iter().filter(|e| **e == 0.0).count();
        let mut names: Vec<usize> = (self.islands.dependent())
            .filter_map(|k| self.rows.kinds[self.active[k]].owner.constraint())
            .collect();
        names.sort_unstable();
        names.dedup();
        let rank = rows - self.islands.dependent().count();
        let redundant = names.into_iter().map(|c| model.constraints()[c].name.clone()).collect();
        Mobility { freedoms: model.nv() - rank, rows, rank, redundant }
    }
}

struct SolveRows<'a>(&'a mut Multipliers, &'a mut [f64]);

impl Kernel for SolveRows<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.hold(self.1);
    }
}

struct SolveRowsByHalves<'a>(&'a mut Multipliers, &'a mut [f64]);

impl Kernel for SolveRowsByHalves<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_rows_by_halves(self.1);
    }
}
