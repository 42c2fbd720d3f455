//! A problem made ready: blocks of rows with a common cone, and scales that give every block a unit diagonal.
//!
//! Row r has a scale t_r: `λ̃ = λ / t`, `ũ = t u`. Within a contact t carries the ratio μ_k/μ of its row, which makes the
//! ellipse of friction a circle of radius μ λ_n; and all rows of block i share `1/√d_i` with d_i the mean of the diagonal of its
//! part of G, which makes masses of any ratio alike. Rows of a contact whose μ_k is 0 are rows of their own, `λ = 0`.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::cone::{Rows, corrected, norm, project};
use super::delassus::Delassus;
use super::dense::dot;
use super::problem::{Law, MOST_ROWS, Problem};
use crate::algebra::lanes::{Isa, Kernel, dispatch};

/// The cone of a block, in scaled units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cone {
    Interval { lower: f64, upper: f64 },
    Friction { mu: f64 },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub cone: Cone,
    pub len: usize,
    pub rows: [usize; MOST_ROWS],
    /// Where its part of the scaled matrix begins, len × len.
    pub local: usize,
    /// The ends of an interval, not scaled: impulses at an end are that number to the last digit.
    pub ends: [f64; 2],
    /// √d: scaled velocities times this are velocities.
    pub root: f64,
}

impl Block {
    #[inline(always)]
    pub fn rows(&self) -> &[usize] {
        &self.rows[..self.len]
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scaled {
    pub blocks: Vec<Block>,
    /// The symmetric part of the scaled matrix within each block, row after row.
    pub local: Vec<f64>,
    /// t of each row.
    pub scale: Vec<f64>,
    /// The greatest free velocity of a block, in the unit of its rows.
    pub speed: f64,
}

/// Rounding errors above this part of the greatest free velocity are no excuse: such impulses have run away.
const MOST_ROUNDING: f64 = 1e-7;

/// How far reactions are from a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    /// The largest of `√d ‖λ̃ − P_K(λ̃ − û)‖` over the blocks: a velocity.
    pub residual: f64,
    /// The root of the mean of their squares.
    pub rms: f64,
    /// The largest rounding error in these that the size of λ makes unavoidable.
    pub floor: f64,
    /// The largest ratio of a residual and what is allowed: tolerance plus rounding error. Solved at ≤ 1.
    pub excess: f64,
    /// Σ of the squares of the scaled residuals, which descent is measured by.
    pub merit: f64,
}

impl Scaled {
    pub fn prepare<D: Delassus>(&mut self, problem: &Problem<D>) {
        let n = problem.matrix.size();
        self.blocks.clear();
        self.local.clear();
        self.scale.clear();
        self.scale.resize(n, 1.0);
        self.speed = 0.0;
        let mut row = 0;
        for law in problem.laws {
            self.split(law, row);
            row += law.rows();
        }
        for k in 0..self.blocks.len() {
            self.measure(problem, k);
        }
    }

    /// The blocks of a law whose first row is `row`.
    fn split(&mut self, law: &Law, row: usize) {
        let block = |cone, row| Block {
            cone,
            len: 1,
            rows: [row, 0, 0, 0, 0, 0],
            local: 0,
            ends: [f64::NEG_INFINITY, f64::INFINITY],
            root: 1.0,
        };
        match *law {
            Law::Interval { lower, upper } => {
                self.blocks.push(block(Cone::Interval { lower, upper }, row));
            }
            Law::Contact { count, friction } => {
                let mu = friction[..count].iter().copied().find(|mu| *mu > 0.0);
                let mut contact = block(Cone::Interval { lower: 0.0, upper: f64::INFINITY }, row);
                if let Some(mu) = mu {
                    contact.cone = Cone::Friction { mu };
                    for k in (0..count).filter(|k| friction[*k] > 0.0) {
                        contact.rows[contact.len] = row + 1 + k;
                        contact.len += 1;
                        self.scale[row + 1 + k] = friction[k] / mu;
                    }
                }
                self.blocks.push(contact);
                for k in (0..count).filter(|k| friction[*k] == 0.0) {
                    self.blocks.push(block(Cone::Interval { lower: 0.0, upper: 0.0 }, row + 1 + k));
                }
            }
        }
    }

    /// Scales and local matrix of a block.
    fn measure<D: Delassus>(&mut self, problem: &Problem<D>, k: usize) {
        let Block { len, rows, cone, .. } = self.blocks[k];
        let mut a = [[0.0; MOST_ROWS]; MOST_ROWS];
        for (i, &row) in rows[..len].iter().enumerate() {
            for (first, numbers) in problem.matrix.row(row) {
                for (j, &column) in rows[..len].iter().enumerate() {
                    if let Some(x) = column.checked_sub(first).and_then(|c| numbers.get(c)) {
                        a[i][j] += x * self.scale[row] * self.scale[column];
                    }
                }
            }
            a[i][i] += problem.compliance.get(row).unwrap_or(&0.0) * self.scale[row] * self.scale[row];
        }
        let mean = (0..len).map(|i| a[i][i]).sum::<f64>() / len as f64;
        let d = if mean > 0.0 { mean } else { 1.0 };
        let root = d.sqrt();
        self.blocks[k].root = root;
        self.blocks[k].local = self.local.len();
        for i in 0..len {
            for j in 0..len {
                self.local.push(0.5 * (a[i][j] + a[j][i]) / d);
            }
        }
        let mut free = [0.0; MOST_ROWS];
        for (i, &row) in rows[..len].iter().enumerate() {
            free[i] = problem.free[row] * self.scale[row];
            self.scale[row] /= root;
        }
        self.speed = self.speed.max(norm(&free));
        if let Cone::Interval { lower, upper } = cone {
            let t = self.scale[rows[0]];
            self.blocks[k].ends = [lower, upper];
            self.blocks[k].cone = Cone::Interval { lower: lower / t, upper: upper / t };
        }
    }

    #[inline(always)]
    pub fn local(&self, block: &Block) -> &[f64] {
        &self.local[block.local..block.local + block.len * block.len]
    }

    /// The rows of a block out of a vector of impulses, scaled.
    #[inline(always)]
    pub fn impulses(&self, block: &Block, lambda: &[f64]) -> Rows {
        let mut out = [0.0; MOST_ROWS];
        for (k, &row) in block.rows().iter().enumerate() {
            out[k] = lambda[row] / self.scale[row];
        }
        out
    }
    /// The rows of a block out of a vector of velocities, scaled.
    #[inline(always)]
    pub fn velocities(&self, block: &Block, u: &[f64]) -> Rows {
        let mut out = [0.0; MOST_ROWS];
        for (k, &row) in block.rows().iter().enumerate() {
            out[k] = u[row] * self.scale[row];
        }
        out
    }
    /// Writes scaled impulses of a block back.
    #[inline(always)]
    pub fn store(&self, block: &Block, x: &Rows, lambda: &mut [f64]) {
        for (k, &row) in block.rows().iter().enumerate() {
            lambda[row] = x[k] * self.scale[row];
        }
        if let Cone::Interval { lower, upper } = block.cone {
            for (end, exact) in [(lower, block.ends[0]), (upper, block.ends[1])] {
                if x[0] == end {
                    lambda[block.rows[0]] = exact;
                }
            }
        }
    }

    /// Every λ becomes the nearest one that its cone allows.
    pub fn project(&self, lambda: &mut [f64]) {
        for block in &self.blocks {
            let x = nearest(block, &self.impulses(block, lambda));
            self.store(block, &x, lambda);
        }
    }

    /// How far (λ, u) is from a solution; `floor` is the rounding error of each u.
    pub fn distance(&self, lambda: &[f64], u: &[f64], floor: &[f64], tolerance: f64) -> Distance {
        let mut out = Distance::default();
        let mut squares = 0.0;
        for block in &self.blocks {
            let scaled = norm(&self.miss(block, lambda, u)[..block.len]);
            let residual = block.root * scaled;
            let own = norm(&self.velocities(block, floor)[..block.len]) * block.root;
            let allowed = tolerance.mul_add(self.speed, own.min(MOST_ROUNDING * self.speed));
            out.residual = out.residual.max(residual);
            out.floor = out.floor.max(own);
            out.merit += scaled * scaled;
            squares += residual * residual;
            if residual > allowed {
                out.excess = out.excess.max(residual / allowed);
            }
            if !residual.is_finite() {
                out =
                    Distance { residual: f64::INFINITY, excess: f64::INFINITY, merit: f64::INFINITY, ..out };
            }
        }
        out.rms = (squares / self.blocks.len().max(1) as f64).sqrt();
        out
    }

    /// λ̃ − P_K(λ̃ − û) of a block.
    pub fn miss(&self, block: &Block, lambda: &[f64], u: &[f64]) -> Rows {
        let (x, v) = (self.impulses(block, lambda), self.velocities(block, u));
        let hat = match block.cone {
            Cone::Friction { mu } => corrected(mu, &v, block.len),
            Cone::Interval { .. } => v,
        };
        let mut z = x;
        for k in 0..block.len {
            z[k] -= hat[k];
        }
        let p = nearest(block, &z);
        let mut out = x;
        for k in 0..block.len {
            out[k] -= p[k];
        }
        out
    }
}

/// The nearest impulses that the cone of a block allows.
#[inline(always)]
pub(super) fn nearest(block: &Block, z: &Rows) -> Rows {
    match block.cone {
        Cone::Interval { lower, upper } => {
            let mut out = *z;
            // not `clamp`: it panics on NaN
            out[0] = z[0].max(lower).min(upper);
            out
        }
        Cone::Friction { mu } => project(mu, z, block.len),
    }
}

/// `u = (G + E) λ + q`, and of each u the rounding error `2ε (|G| |λ| + |q|)`.
pub(super) fn velocities<D: Delassus>(
    problem: &Problem<D>,
    lambda: &[f64],
    u: &mut [f64],
    floor: &mut [f64],
) {
    dispatch(Velocities { problem, lambda, u, floor });
}

struct Velocities<'a, 'p, D> {
    problem: &'a Problem<'p, D>,
    lambda: &'a [f64],
    u: &'a mut [f64],
    floor: &'a mut [f64],
}

impl<D: Delassus> Kernel for Velocities<'_, '_, D> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for row in 0..self.u.len() {
            let compliance = self.problem.compliance.get(row).copied().unwrap_or(0.0);
            let own = self.problem.free[row];
            let (mut sum, mut size) = (
                compliance.mul_add(self.lambda[row], own),
                own.abs() + (compliance * self.lambda[row]).abs(),
            );
            for (first, numbers) in self.problem.matrix.row(row) {
                let x = &self.lambda[first..first + numbers.len()];
                sum += dot(numbers, x);
                size += dot_of_sizes(numbers, x);
            }
            self.u[row] = sum;
            self.floor[row] = 2.0 * f64::EPSILON * size;
        }
    }
}

/// Σ |aᵢ bᵢ|.
#[inline(always)]
fn dot_of_sizes(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0f64; 8];
    let (mut x, mut y) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in (&mut x).zip(&mut y) {
        for k in 0..8 {
            sums[k] = x[k].abs().mul_add(y[k].abs(), sums[k]);
        }
    }
    let mut sum = sums.iter().sum::<f64>();
    for (x, y) in x.remainder().iter().zip(y.remainder()) {
        sum = x.abs().mul_add(y.abs(), sum);
    }
    sum
}
