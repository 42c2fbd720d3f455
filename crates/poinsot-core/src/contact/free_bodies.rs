//! The Delassus matrix of free bodies in factored form: applying it costs in proportion to the number of contacts.
//!
//! Each row of J has entries on at most two bodies. With the inverse mass of each body `M⁻¹ = S Sᵀ` and `Y = J S`,
//!
//! ```math
//! G = Y Yᵀ      w = Yᵀ λ      u = Y w + q      v = S w
//! ```
//! w are the velocities caused by the impulses, in units in which every body has mass 1 in all directions.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::delassus::Delassus;
use super::dense::folded;
use super::problem::ProblemError;
use crate::algebra::lanes::{Isa, Kernel, dispatch};

/// Six entries of a body, padded with two zeros to eight lanes.
pub(crate) type Six = [f64; 8];

/// The ground, or an absent body.
pub(super) const NONE: usize = usize::MAX;

/// Free bodies and the rows between them. Its memory is reused.
///
/// A ball of 2 kg that touches the ground:
/// ```
/// use poinsot_core::contact::{Delassus, FreeBodies};
/// let mut g = FreeBodies::default();
/// g.begin();
/// let ball = g.push_rigid(0.5, [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]])?;
/// // angular, then linear: along the normal z, and along x at an arm of −0.3 m
/// let (normal, along) = ([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0, -0.3, 0.0, 1.0, 0.0, 0.0]);
/// g.push_rows([Some(ball), None], &[[normal, [0.0; 6]], [along, [0.0; 6]]])?;
/// assert!((g.entry(0, 0) - 0.5).abs() < 1e-15 && (g.entry(1, 1) - 1.4).abs() < 1e-15);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FreeBodies {
    /// S of each body: its columns.
    roots: Vec<[Six; 6]>,
    pub(super) groups: Vec<Group>,
    group_of: Vec<usize>,
    /// Y, for both bodies.
    pub(super) rows: Vec<[Six; 2]>,
}

/// Rows between the same two bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub bodies: [usize; 2],
    pub first: usize,
    pub len: usize,
}

impl FreeBodies {
    /// Starts a new matrix without bodies and rows.
    pub fn begin(&mut self) {
        self.roots.clear();
        self.groups.clear();
        self.group_of.clear();
        self.rows.clear();
    }

    /// The number of bodies.
    pub fn bodies(&self) -> usize {
        self.roots.len()
    }

    /// Adds a body with this inverse mass, in the coordinates in which its rows will be given; returns its number.
    pub fn push_body(&mut self, inverse_mass: &[[f64; 6]; 6]) -> Result<usize, ProblemError> {
        let body = self.roots.len();
        self.roots.push(root(inverse_mass).ok_or(ProblemError::Mass { body })?);
        Ok(body)
    }

    /// Adds a rigid body with this inverse mass and inverse inertia about its centre; returns its number. Its rows are angular first, then
    /// linear at the centre, in the axes of that inertia.
    pub fn push_rigid(
        &mut self,
        inverse_mass: f64,
        inverse_inertia: [[f64; 3]; 3],
    ) -> Result<usize, ProblemError> {
        let mut whole = [[0.0; 6]; 6];
        for i in 0..3 {
            whole[i][..3].copy_from_slice(&inverse_inertia[i]);
            whole[3 + i][3 + i] = inverse_mass;
        }
        self.push_body(&whole)
    }

    /// Adds the rows of one law between two bodies: for each row its six entries on the first and on the second. `None` is the ground,
    /// whose entries are ignored.
    pub fn push_rows(
        &mut self,
        bodies: [Option<usize>; 2],
        rows: &[[[f64; 6]; 2]],
    ) -> Result<(), ProblemError> {
        for body in bodies.into_iter().flatten() {
            if body >= self.roots.len() {
                return Err(ProblemError::Body { row: self.rows.len(), body, count: self.roots.len() });
            }
        }
        let first = self.rows.len();
        self.group_of.extend(rows.iter().map(|_| self.groups.len()));
        for row in rows {
            let mut out = [[0.0; 8]; 2];
            for (side, body) in bodies.iter().enumerate() {
                let Some(body) = *body else { continue };
                // contact of a body with itself: both sides move it
                let to = if bodies[0] == bodies[1] { 0 } else { side };
                for (k, column) in self.roots[body].iter().enumerate() {
                    out[to][k] += (0..6).map(|l| row[side][l] * column[l]).sum::<f64>();
                }
            }
            self.rows.push(out);
        }
        let mut bodies = bodies.map(|body| body.unwrap_or(NONE));
        if bodies[0] == bodies[1] {
            bodies[1] = NONE;
        }
        self.groups.push(Group { bodies, first, len: rows.len() });
        Ok(())
    }

    /// Adds a body in units in which it has mass 1 in all directions; returns its number.
    pub(crate) fn push_unit_body(&mut self) -> usize {
        let mut unit = [[0.0; 8]; 6];
        (0..6).for_each(|k| unit[k][k] = 1.0);
        self.roots.push(unit);
        self.roots.len() - 1
    }

    /// Adds rows between two such bodies, which must be different.
    pub(crate) fn push_unit_rows(&mut self, bodies: [Option<usize>; 2], rows: &[[Six; 2]]) {
        let first = self.rows.len();
        self.group_of.extend(rows.iter().map(|_| self.groups.len()));
        self.rows.extend_from_slice(rows);
        let bodies = bodies.map(|body| body.unwrap_or(NONE));
        self.groups.push(Group { bodies, first, len: rows.len() });
    }

    /// `M⁻¹ Jᵀ λ`: the change of velocity of each body.
    pub fn velocity_changes(&self, impulse: &[f64], out: &mut Vec<[f64; 6]>) {
        out.clear();
        out.resize(self.roots.len(), [0.0; 6]);
        for group in &self.groups {
            for (row, lambda) in self.rows[group.first..].iter().zip(&impulse[group.first..]).take(group.len)
            {
                for (side, &body) in group.bodies.iter().enumerate() {
                    if body != NONE {
                        (0..6).for_each(|k| out[body][k] += row[side][k] * lambda);
                    }
                }
            }
        }
        for (out, root) in out.iter_mut().zip(&self.roots) {
            let w = *out;
            *out = std::array::from_fn(|l| (0..6).map(|k| root[k][l] * w[k]).sum());
        }
    }

    /// The bodies of a row.
    pub(super) fn bodies_of(&self, row: usize) -> [usize; 2] {
        self.groups[self.group_of[row]].bodies
    }

    /// The entry of G for two rows, a sum over the bodies they share.
    fn product(&self, row: usize, column: usize) -> f64 {
        let (of_row, of_column) = (self.group_of[row], self.group_of[column]);
        if of_row == of_column {
            let ([a, b], [c, d]) = (&self.rows[row], &self.rows[column]);
            return (0..6).map(|k| a[k] * c[k] + b[k] * d[k]).sum();
        }
        let mut sum = 0.0;
        for (i, body) in self.groups[of_row].bodies.iter().enumerate() {
            for (j, other) in self.groups[of_column].bodies.iter().enumerate() {
                if body == other && *body != NONE {
                    let (a, b) = (&self.rows[row][i], &self.rows[column][j]);
                    sum += (0..6).map(|k| a[k] * b[k]).sum::<f64>();
                }
            }
        }
        sum
    }
}

/// The columns of the lower triangular S with A = S Sᵀ, by Cholesky's method; null directions of A stay zero. `None` if A is not symmetric,
/// finite and positive semidefinite.
fn root(a: &[[f64; 6]; 6]) -> Option<[Six; 6]> {
    let mut s = [[0.0; 8]; 6];
    let rounding = |i: usize| 1e-12 * a[i][i];
    for j in 0..6 {
        let mut pivot = a[j][j];
        for k in 0..j {
            pivot -= s[k][j] * s[k][j];
        }
        if !(pivot >= -rounding(j) && pivot.is_finite()) {
            return None;
        }
        let nothing = pivot <= rounding(j);
        let root = if nothing { 0.0 } else { pivot.sqrt() };
        s[j][j] = root;
        for i in j + 1..6 {
            let size = (a[i][i] * a[j][j]).max(0.0).sqrt();
            let mut x = a[i][j];
            for k in 0..j {
                x -= s[k][i] * s[k][j];
            }
            if !((a[i][j] - a[j][i]).abs() <= 1e-9 * size && (!nothing || x.abs() <= 1e-6 * size)) {
                return None;
            }
            s[j][i] = if nothing { 0.0 } else { x / root };
        }
    }
    Some(s)
}

impl Delassus for FreeBodies {
    fn size(&self) -> usize {
        self.rows.len()
    }
    fn row(&self, row: usize, mut see: impl FnMut(usize, &[f64])) {
        let own = self.groups[self.group_of[row]].bodies;
        for group in &self.groups {
            if group.bodies.iter().any(|body| *body != NONE && own.contains(body)) {
                for column in group.first..group.first + group.len {
                    see(column, &[self.product(row, column)]);
                }
            }
        }
    }
    fn entry(&self, row: usize, column: usize) -> f64 {
        self.product(row, column)
    }
    fn apply(&self, lambda: &[f64], u: &mut [f64], sizes: &mut [f64], room: &mut Vec<f64>) {
        // w and Σ |Y| |λ| of each body, and of the ground, where they are zero
        room.clear();
        room.resize(16 * (self.roots.len() + 1), 0.0);
        dispatch(Apply { bodies: self, lambda, u, sizes, room });
    }
    fn free_bodies(&self) -> Option<&FreeBodies> {
        Some(self)
    }
}

struct Apply<'a> {
    bodies: &'a FreeBodies,
    lambda: &'a [f64],
    u: &'a mut [f64],
    sizes: &'a mut [f64],
    room: &'a mut [f64],
}

impl Kernel for Apply<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let FreeBodies { groups, rows, roots, .. } = self.bodies;
        let (motion, _) = self.room.as_chunks_mut::<16>();
        let count = roots.len();
        for group in groups {
            for row in group.first..group.first + group.len {
                for (side, &body) in group.bodies.iter().enumerate() {
                    let to = &mut motion[body.min(count)];
                    for k in 0..8 {
                        let part = rows[row][side][k] * self.lambda[row];
                        to[k] += part;
                        to[8 + k] += part.abs();
                    }
                }
            }
        }
        for group in groups {
            let [a, b] = group.bodies.map(|body| &motion[body.min(count)]);
            for row in group.first..group.first + group.len {
                let (mut sum, mut size) = ([0.0; 8], [0.0; 8]);
                let [y, z] = &rows[row];
                for k in 0..8 {
                    sum[k] = y[k].mul_add(a[k], z[k] * b[k]);
                    size[k] = y[k].abs().mul_add(a[8 + k], z[k].abs() * b[8 + k]);
                }
                (self.u[row], self.sizes[row]) = (folded(&sum), folded(&size));
            }
        }
    }
}
