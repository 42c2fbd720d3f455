//! The response of shallow trees to their rows, `J M⁻¹ Jᵀ`, by the half products `Z` of the factor `M = Lᵀ D L`.
//!
//! ```math
//! (1)  Z = L⁻ᵀ Jᵀ      J M⁻¹ Jᵀ = Zᵀ D⁻¹ Z
//! (2)  y = L⁻ᵀ f       J M⁻¹ f = Zᵀ D⁻¹ y       M⁻¹ (f + Jᵀ λ) = L⁻¹ D⁻¹ (y + Z λ)
//! ```
//! L⁻ᵀ only moves entries towards the root [Featherstone05]: a column of Z has entries only on the paths from the root to the degrees of
//! freedom of its row. So nothing is computed over the whole model for each row, not even M⁻¹ Jᵀ, and the result has the symmetry of (1) to
//! the last bit.

use super::islands::Response;
use super::rows::Rows;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::dynamics::{MassMatrix, Workspace};
use crate::model::Model;

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Halves {
    pub mass: MassMatrix,
    /// For each row: where its column starts in `paths` and `z`, followed by the end.
    begin: Vec<usize>,
    /// The places of each column, in the order of [`MassMatrix::order`], from the leaves.
    paths: Vec<usize>,
    z: Vec<f64>,
    /// For each row: its column belongs to the current factor.
    known: Vec<bool>,
    factored: bool,
    /// For each degree of freedom: its place.
    place: Vec<usize>,
    /// Scratch for one column over all places, 0 except while in use; and y.
    column: Vec<f64>,
    y: Vec<f64>,
}

impl Halves {
    pub fn new(model: &Model, rows: &Rows) -> Halves {
        let mass = MassMatrix::new(model);
        let n = model.nv();
        let mut place = vec![0; n];
        mass.order().iter().enumerate().for_each(|(at, dof)| place[*dof] = at);
        let (mut begin, mut paths) = (vec![0], Vec::new());
        for row in 0..rows.len() {
            let touched = rows.row(row).0.iter().map(|dof| place[*dof]);
            let mut own: Vec<usize> = touched.flat_map(|t| mass.path(t)).collect();
            own.sort_unstable_by(|a, b| b.cmp(a));
            own.dedup();
            paths.extend(own);
            begin.push(paths.len());
        }
        let (z, known) = (vec![0.0; paths.len()], vec![false; rows.len()]);
        Halves { mass, begin, paths, z, known, factored: false, place, column: vec![0.0; n], y: vec![0.0; n] }
    }

    /// Discards the current factor, which belongs to another configuration.
    pub fn forget(&mut self) {
        self.factored = false;
    }
    pub fn is_factored(&self) -> bool {
        self.factored
    }

    /// Factors M at q, with `diagonal` in place of the rotor inertias, unless this is the current factor.
    pub fn factor(&mut self, model: &Model, ws: &mut Workspace, q: &[f64], diagonal: &[f64]) {
        if self.factored {
            return;
        }
        ws.mass_matrix(model, q, &mut self.mass);
        self.mass.add_diagonal(|k| diagonal[k] - model.tree.armature[k]);
        self.mass.factor();
        self.mass.write_out();
        self.known.fill(false);
        self.factored = true;
    }

    /// Computes (1) for the rows whose columns are missing.
    pub fn carry(&mut self, rows: &Rows, active: &[usize]) {
        struct Carry<'a>(&'a mut Halves, &'a Rows, &'a [usize]);
        impl Kernel for Carry<'_> {
            type Output = ();
            #[inline(always)]
            fn run<I: Isa>(self) {
                for row in self.2 {
                    self.0.carry_row(self.1, *row);
                }
            }
        }
        dispatch(Carry(self, rows, active));
    }

    #[inline(always)]
    fn carry_row(&mut self, rows: &Rows, row: usize) {
        if std::mem::replace(&mut self.known[row], true) {
            return;
        }
        let Halves { mass, begin, paths, z, place, column, .. } = self;
        let (dofs, entries) = rows.row(row);
        for (dof, j) in dofs.iter().zip(entries) {
            column[place[*dof]] = *j;
        }
        let own = begin[row]..begin[row + 1];
        for (z, t) in z[own.clone()].iter_mut().zip(&paths[own]) {
            *z = std::mem::take(&mut column[*t]);
            if *z != 0.0 {
                mass.carry_toward_root(*t, *z, column);
            }
        }
    }

    /// Writes `J M⁻¹ Jᵀ` between a row and others.
    #[inline(always)]
    pub fn respond(&mut self, row: usize, others: impl Iterator<Item = usize>, out: &mut [f64]) {
        let Halves { mass, begin, paths, z, column, .. } = self;
        let own = begin[row]..begin[row + 1];
        for (z, t) in z[own.clone()].iter().zip(&paths[own.clone()]) {
            column[*t] = z * mass.inverse_pivot(*t);
        }
        for (entry, other) in out.iter_mut().zip(others) {
            let theirs = begin[other]..begin[other + 1];
            *entry = dot(&z[theirs.clone()], &paths[theirs], column);
        }
        paths[own].iter().for_each(|t| column[*t] = 0.0);
    }

    /// Computes y of (2) for the force f, in the order of qvel. Until [`Halves::answered`], the [`Halves::answer`] of each row is
    /// available.
    #[inline(always)]
    pub fn begin_force(&mut self, force: &[f64]) {
        let Halves { mass, y, .. } = self;
        let mut any = false;
        for (y, dof) in y.iter_mut().zip(mass.order()) {
            *y = force[*dof];
            any |= *y != 0.0;
        }
        if any {
            for t in (0..self.y.len()).rev() {
                let y_t = self.y[t];
                self.mass.carry_toward_root(t, y_t, &mut self.y);
            }
        }
        let Halves { mass, y, column, .. } = self;
        for (t, (d, y)) in column.iter_mut().zip(y.iter()).enumerate() {
            *d = y * mass.inverse_pivot(t);
        }
    }

    /// Sets y of (2) to that of zero force.
    #[inline(always)]
    pub fn begin_at_rest(&mut self) {
        self.y.fill(0.0);
    }

    /// J M⁻¹ f of a row, after [`Halves::begin_force`].
    #[inline(always)]
    pub fn answer(&self, row: usize) -> f64 {
        let own = self.begin[row]..self.begin[row + 1];
        dot(&self.z[own.clone()], &self.paths[own], &self.column)
    }

    /// Clears y after the last [`Halves::answer`].
    #[inline(always)]
    pub fn answered(&mut self) {
        self.column.fill(0.0);
    }

    /// y += Z λ of a row.
    #[inline(always)]
    pub fn add(&mut self, row: usize, lambda: f64) {
        let own = self.begin[row]..self.begin[row + 1];
        for (z, t) in self.z[own.clone()].iter().zip(&self.paths[own]) {
            self.y[*t] = z.mul_add(lambda, self.y[*t]);
        }
    }

    /// x = L⁻¹ D⁻¹ y, in the order of qvel.
    #[inline(always)]
    pub fn finish(&mut self, x: &mut [f64]) {
        for t in 0..self.y.len() {
            let carried = self.mass.carry_from_root(t, &self.y);
            self.y[t] = self.y[t].mul_add(self.mass.inverse_pivot(t), -carried);
            x[self.mass.order()[t]] = self.y[t];
        }
    }
}

/// `J M⁻¹ Jᵀ` between active rows.
pub(super) struct Answers<'a> {
    pub halves: &'a mut Halves,
    pub active: &'a [usize],
}

impl Response for Answers<'_> {
    #[inline(always)]
    fn respond(&mut self, k: usize, others: &[usize], out: &mut [f64]) {
        self.halves.respond(self.active[k], others.iter().map(|k| self.active[*k]), out);
    }
}

/// z · x, with x dense; four independent sums, since a single one would be bound by latency.
#[inline(always)]
fn dot(z: &[f64], places: &[usize], x: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (z4, p4) = (z.chunks_exact(4), places.chunks_exact(4));
    let (z_rest, p_rest) = (z4.remainder(), p4.remainder());
    for (z, p) in z4.zip(p4) {
        for k in 0..4 {
            sums[k] = z[k].mul_add(x[p[k]], sums[k]);
        }
    }
    for ((z, p), sum) in z_rest.iter().zip(p_rest).zip(&mut sums) {
        *sum = z.mul_add(x[*p], *sum);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
