//! Decides whether a problem has more than one solution, or none.
//!
//! *Uniqueness.* Impulses in the interior of their cones may change in any direction, those of a sliding contact along (1, −μ t), and those
//! of a separating one not at all. With these directions as the columns of B, a change B z leaves all velocities as they are if
//! `Bᵀ (G + E) B z = 0`: if that matrix is singular, the impulses are not unique.
//!
//! *Existence.* Some impulses satisfy the velocity conditions of normals, limits and equalities if and only if they can be satisfied
//! without friction, because G is positive semidefinite: a linear complementarity problem, which [Lemke's method](super::lcp) decides.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::certificate::Status;
use super::cone::norm;
use super::delassus::Delassus;
use super::iterate::Iterate;
use super::lcp::{Lcp, Method};
use super::problem::{Law, MOST_ROWS, Problem};
use super::scaled::{Cone, Scaled};
use crate::algebra::Semidefinite;

/// A matrix with unit diagonal counts as singular if it has a pivot below this.
const SINGULAR: f64 = 1e-10;
/// An impulse closer than this to its boundary, relative to its size, does not count as interior.
const MARGIN: f64 = 1e-7;

#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    active: Vec<usize>,
    place: Vec<usize>,
    whole: Vec<f64>,
    reduced: Vec<f64>,
    /// For each column of B: its first row among the active ones, its length, and its entries.
    columns: Vec<(usize, usize, [f64; MOST_ROWS])>,
    zeros: Vec<f64>,
    factor: Semidefinite,
    lcp: Lcp,
    m: Vec<f64>,
    q: Vec<f64>,
}

impl Verdict {
    /// True if other admissible impulses give the same velocities.
    pub fn has_others<D: Delassus>(&mut self, problem: &Problem<D>, scaled: &Scaled, at: &Iterate) -> bool {
        self.directions(scaled, at);
        let (m, n) = (self.active.len(), self.columns.len());
        self.whole.clear();
        self.whole.resize(m * m, 0.0);
        fill(problem, scaled, &self.active, &self.place, &mut self.whole);
        self.reduced.clear();
        self.reduced.resize(n * n, 0.0);
        for (i, (row, rows, left)) in self.columns.iter().enumerate() {
            for (j, (column, columns, right)) in self.columns.iter().enumerate() {
                let mut sum = 0.0;
                for k in 0..*rows {
                    for l in 0..*columns {
                        sum += left[k] * self.whole[(row + k) * m + column + l] * right[l];
                    }
                }
                // the symmetric part has the same null space, since the matrix is positive semidefinite
                self.reduced[i * n + j] += 0.5 * sum;
                self.reduced[j * n + i] += 0.5 * sum;
            }
        }
        self.zeros.clear();
        self.zeros.resize(n, 1e-14);
        self.factor.make_room(n);
        self.factor.factor(&self.reduced, &self.zeros, SINGULAR);
        !self.factor.dependent().is_empty()
    }

    /// Lists the columns of B.
    fn directions(&mut self, scaled: &Scaled, at: &Iterate) {
        self.active.clear();
        self.columns.clear();
        self.place.clear();
        self.place.resize(at.x.len(), usize::MAX);
        let margin = MARGIN
            * scaled.blocks.iter().fold(0.0f64, |most, block| {
                most.max(at.x[block.places()].iter().fold(0.0, |m, x| m.max(x.abs())))
            });
        for block in &scaled.blocks {
            let (x, u) = (block.take(&at.x), block.take(&at.u));
            let first = self.active.len();
            match block.cone {
                Cone::Interval { lower, upper } => {
                    if x[0] > lower + margin && x[0] < upper - margin {
                        self.columns.push((first, 1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
                    }
                }
                Cone::Friction { mu } => {
                    let (pull, slip) = (norm(&x[1..block.len]), norm(&u[1..block.len]));
                    if x[0] > margin && pull < mu * x[0] - margin {
                        for k in 0..block.len {
                            let mut unit = [0.0; MOST_ROWS];
                            unit[k] = 1.0;
                            self.columns.push((first, block.len, unit));
                        }
                    } else if x[0] > margin && slip > 0.0 && pull > 0.0 {
                        let mut along = x.map(|x| mu * x / pull);
                        along[0] = 1.0;
                        self.columns.push((first, block.len, along));
                    }
                }
            }
            if self.columns.last().is_some_and(|c| c.0 == first) {
                for place in block.places() {
                    self.place[scaled.row_of[place]] = self.active.len();
                    self.active.push(place);
                }
            }
        }
    }

    /// True if normals, limits and equalities cannot all be satisfied, whatever the impulses.
    pub fn is_impossible<D: Delassus>(&mut self, problem: &Problem<D>) -> bool {
        self.active.clear();
        let mut row = 0;
        // a free impulse is the difference of two unknowns: its row appears twice, with opposite signs
        let mut signs = Vec::new();
        for law in problem.laws {
            let (up, down) = match *law {
                Law::Interval { lower, upper } => (upper == f64::INFINITY, lower == f64::NEG_INFINITY),
                Law::Contact { .. } => (true, false),
            };
            for (used, sign) in [(up, 1.0), (down, -1.0)] {
                if used {
                    self.active.push(row);
                    signs.push(sign);
                }
            }
            row += law.rows();
        }
        let n = self.active.len();
        if n == 0 || n > 600 {
            return false;
        }
        self.m.clear();
        self.m.resize(n * n, 0.0);
        self.q.clear();
        for (i, &row) in self.active.iter().enumerate() {
            self.q.push(signs[i] * problem.free[row]);
            let (active, to) = (&self.active, &mut self.m[i * n..(i + 1) * n]);
            problem.matrix.row(row, |first, numbers| {
                for (j, &column) in active.iter().enumerate() {
                    if let Some(x) = column.checked_sub(first).and_then(|c| numbers.get(c)) {
                        to[j] += signs[i] * signs[j] * x;
                    }
                }
            });
            for j in (0..n).filter(|j| self.active[*j] == row) {
                self.m[i * n + j] += signs[i] * signs[j] * problem.compliance.get(row).unwrap_or(&0.0);
            }
        }
        let answer = self.lcp.solve(&self.m, &self.q, Method::Lemke);
        answer.is_ok_and(|answer| answer.status == Status::NoSolution)
    }
}

/// Fills in the scaled matrix at the places `active`; `place` gives the index of each row of the problem among them.
fn fill<D: Delassus>(
    problem: &Problem<D>,
    scaled: &Scaled,
    active: &[usize],
    place: &[usize],
    out: &mut [f64],
) {
    let m = active.len();
    for (i, &at) in active.iter().enumerate() {
        let to = &mut out[i * m..(i + 1) * m];
        problem.matrix.row(scaled.row_of[at], |first, numbers| {
            for (k, x) in numbers.iter().enumerate() {
                if let Some(to) = to.get_mut(place[first + k]) {
                    *to += x;
                }
            }
        });
        for (to, other) in to.iter_mut().zip(active) {
            *to *= scaled.scale[at] * scaled.scale[*other];
        }
        to[i] += scaled.compliance[at];
    }
}
