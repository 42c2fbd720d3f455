//! The scaled form of a problem: blocks of rows with a common cone, and scales that give every block a unit mean diagonal.
//!
//! Row r has a scale t_r: `x = λ / t`, `ũ = t u`. Within a contact t includes the ratio μ_k/μ of its row, which makes the friction ellipse
//! a circle of radius μ λ_n. All rows of block i share the factor `1/√d_i`, with d_i the mean diagonal of its part of G, which removes the
//! effect of mass ratios. Rows of a contact with μ_k = 0 are blocks of their own, `λ = 0`.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::cone::{Rows, corrected, norm, project};
use super::delassus::Delassus;
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
    /// Its first place among the scaled rows.
    pub first: usize,
    pub len: usize,
    /// Where its part of the scaled matrix starts, len × len.
    pub local: usize,
    /// The ends of an interval, unscaled: impulses at an end equal it to the last digit.
    pub ends: [f64; 2],
    /// √d: scaled velocities times this are velocities.
    pub root: f64,
}

impl Block {
    /// Extracts its rows from a vector.
    #[inline(always)]
    pub fn take(&self, x: &[f64]) -> Rows {
        let mut out = [0.0; MOST_ROWS];
        let from = &x[self.first..self.first + self.len];
        if let Ok(from) = <&[f64; 3]>::try_from(from) {
            out[..3].copy_from_slice(from);
        } else {
            out[..self.len].copy_from_slice(from);
        }
        out
    }
    /// Writes its rows into a vector.
    #[inline(always)]
    pub fn put(&self, rows: &Rows, x: &mut [f64]) {
        x[self.first..self.first + self.len].copy_from_slice(&rows[..self.len]);
    }
    #[inline(always)]
    pub fn places(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scaled {
    pub blocks: Vec<Block>,
    /// The symmetric part of the scaled matrix within each block, in row-major order.
    pub local: Vec<f64>,
    /// The row of the problem at each place.
    pub row_of: Vec<usize>,
    /// t of each place.
    pub scale: Vec<f64>,
    /// t q of each place.
    pub free: Vec<f64>,
    /// t² times the compliance of each place.
    pub compliance: Vec<f64>,
    /// The largest free velocity of a block, in the units of its rows.
    pub speed: f64,
}

/// Larger friction counts as this: `û = u + μ ‖u_T‖ n` multiplies the rounding errors of u_T by μ.
pub(super) const ROUGHEST: f64 = 1e3;

/// Rounding errors above this fraction of the largest free velocity are not accepted: such impulses have diverged.
pub(super) const MOST_ROUNDING: f64 = 1e-7;

/// How far an iterate is from a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    /// The largest of `√d ‖x − P_K(x − û)‖` over the blocks, or the velocity with which one closes if μ > 1 and that is larger.
    pub residual: f64,
    /// The root mean square of these.
    pub rms: f64,
    /// The largest rounding error in these, which is unavoidable for λ of this size.
    pub floor: f64,
    /// The largest ratio of a residual to its allowance, tolerance plus rounding error. Solved at ≤ 1.
    pub excess: f64,
    /// The sum of the squared scaled residuals: the merit function.
    pub merit: f64,
}

impl Scaled {
    /// Scales a problem; false if the diagonal of G is negative or not finite.
    pub fn prepare<D: Delassus>(&mut self, problem: &Problem<D>) -> bool {
        self.blocks.clear();
        self.local.clear();
        self.row_of.clear();
        self.scale.clear();
        self.free.clear();
        self.compliance.clear();
        self.speed = 0.0;
        let (mut row, mut sound) = (0, true);
        for law in problem.laws {
            let begin = self.blocks.len();
            self.split(law, row);
            row += law.rows();
            for k in begin..self.blocks.len() {
                sound &= self.measure(problem, k);
            }
        }
        sound
    }

    fn push(&mut self, cone: Cone, row: usize) {
        self.blocks.push(Block {
            cone,
            first: self.row_of.len(),
            len: 1,
            local: 0,
            ends: [f64::NEG_INFINITY, f64::INFINITY],
            root: 1.0,
        });
        self.row_of.push(row);
        self.scale.push(1.0);
    }

    /// Splits a law with the first row `row` into blocks.
    fn split(&mut self, law: &Law, row: usize) {
        match *law {
            Law::Interval { lower, upper } => self.push(Cone::Interval { lower, upper }, row),
            Law::Contact { count, friction } => {
                self.push(Cone::Interval { lower: 0.0, upper: f64::INFINITY }, row);
                let contact = self.blocks.len() - 1;
                let friction = friction.map(|mu| mu.min(ROUGHEST));
                if let Some(mu) = friction[..count].iter().copied().find(|mu| *mu > 0.0) {
                    self.blocks[contact].cone = Cone::Friction { mu };
                    for k in (0..count).filter(|k| friction[*k] > 0.0) {
                        self.blocks[contact].len += 1;
                        self.row_of.push(row + 1 + k);
                        self.scale.push(friction[k] / mu);
                    }
                }
                for k in (0..count).filter(|k| friction[*k] == 0.0) {
                    self.push(Cone::Interval { lower: 0.0, upper: 0.0 }, row + 1 + k);
                }
            }
        }
    }

    /// Computes the scales and the local matrix of a block.
    fn measure<D: Delassus>(&mut self, problem: &Problem<D>, k: usize) -> bool {
        let Block { first, len, cone, .. } = self.blocks[k];
        let mut a = [[0.0; MOST_ROWS]; MOST_ROWS];
        let mut sound = true;
        for i in 0..len {
            let (row, scale) = (self.row_of[first + i], self.scale[first + i]);
            for j in 0..len {
                let x = problem.matrix.entry(row, self.row_of[first + j]);
                sound &= i != j || x >= 0.0;
                a[i][j] = x * scale * self.scale[first + j];
            }
            a[i][i] += problem.compliance.get(row).unwrap_or(&0.0) * scale * scale;
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
        for i in 0..len {
            let row = self.row_of[first + i];
            free[i] = problem.free[row] * self.scale[first + i];
            self.scale[first + i] /= root;
            let t = self.scale[first + i];
            self.free.push(problem.free[row] * t);
            self.compliance.push(problem.compliance.get(row).unwrap_or(&0.0) * t * t);
        }
        self.speed = self.speed.max(norm(&free));
        if let Cone::Interval { lower, upper } = cone {
            let t = self.scale[first];
            self.blocks[k].ends = [lower, upper];
            self.blocks[k].cone = Cone::Interval { lower: lower / t, upper: upper / t };
        }
        sound
    }

    #[inline(always)]
    pub fn local(&self, block: &Block) -> &[f64] {
        &self.local[block.local..block.local + block.len * block.len]
    }

    /// x of λ.
    pub fn impulses(&self, lambda: &[f64], x: &mut Vec<f64>) {
        x.clear();
        x.extend(self.row_of.iter().zip(&self.scale).map(|(row, t)| lambda[*row] / t));
    }
    /// ũ of u.
    pub fn velocities(&self, u: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.row_of.iter().zip(&self.scale).map(|(row, t)| u[*row] * t));
    }
    /// λ of x.
    pub fn unscaled(&self, x: &[f64], lambda: &mut Vec<f64>) {
        lambda.resize(x.len(), 0.0);
        for ((row, t), x) in self.row_of.iter().zip(&self.scale).zip(x) {
            lambda[*row] = x * t;
        }
        for block in &self.blocks {
            if let Cone::Interval { lower, upper } = block.cone {
                for (end, exact) in [(lower, block.ends[0]), (upper, block.ends[1])] {
                    if x[block.first] == end {
                        lambda[self.row_of[block.first]] = exact;
                    }
                }
            }
        }
    }

    /// Projects every x onto its cone.
    pub fn project(&self, x: &mut [f64]) {
        for block in &self.blocks {
            let nearest = nearest(block, &block.take(x));
            block.put(&nearest, x);
        }
    }

    /// How far (x, ũ) is from a solution; `floor` is the rounding error of each ũ, empty if unknown.
    pub fn distance(&self, x: &[f64], u: &[f64], floor: &[f64], tolerance: f64) -> Distance {
        dispatch(Measure { scaled: self, x, u, floor, tolerance })
    }
}

/// The kernel of [`Scaled::distance`].
struct Measure<'a> {
    scaled: &'a Scaled,
    x: &'a [f64],
    u: &'a [f64],
    floor: &'a [f64],
    tolerance: f64,
}

impl Kernel for Measure<'_> {
    type Output = Distance;
    #[inline(always)]
    fn run<I: Isa>(self) -> Distance {
        let Measure { scaled: own, x, u, floor, tolerance } = self;
        let (mut out, mut squares) = (Distance::default(), 0.0);
        for block in &own.blocks {
            let scaled = miss(block, x, u);
            let residual = block.root * scaled;
            let rounding = if floor.is_empty() { 0.0 } else { norm(&floor[block.places()]) * block.root };
            let allowed = tolerance.mul_add(own.speed, rounding.min(MOST_ROUNDING * own.speed));
            out.residual = out.residual.max(residual);
            out.floor = out.floor.max(rounding);
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
        out.rms = (squares / own.blocks.len().max(1) as f64).sqrt();
        out
    }
}

/// ‖x − P_K(x − û)‖ of one block.
#[inline(always)]
fn miss(block: &Block, x: &[f64], u: &[f64]) -> f64 {
    match block.cone {
        Cone::Interval { lower, upper } => {
            let (x, u) = (x[block.first], u[block.first]);
            // not `clamp`: it panics on NaN
            (x - (x - u).max(lower).min(upper)).abs()
        }
        // for the most frequent length the compiler knows all loop bounds
        Cone::Friction { mu } if block.len == 3 => miss_cone(mu, block.take(x), block.take(u), 3),
        Cone::Friction { mu } => miss_cone(mu, block.take(x), block.take(u), block.len),
    }
}

#[inline(always)]
fn miss_cone(mu: f64, x: Rows, u: Rows, len: usize) -> f64 {
    let (hat, mut z) = (corrected(mu, &u, len), x);
    for k in 0..len {
        z[k] -= hat[k];
    }
    let (p, mut out) = (project(mu, &z, len), x);
    for k in 0..len {
        out[k] -= p[k];
    }
    let off = norm(&out[..len]);
    // without an impulse off is −u_n/√(1 + μ²): for large μ it would not show that the contact closes
    if mu > 1.0 { off.max(-u[0]) } else { off }
}

/// Projects onto the cone of a block.
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
