//! The operations that all methods need of a scaled problem, independent of how its matrix is stored.
//!
//! Steps of Newton's method and of the interior-point method have the same form: each block has small matrices A and B, and
//!
//! ```math
//! A δ + B G̃ δ = r
//! ```
//! is solved for the change δ of the impulses. The method defines the step; the operator knows how best to solve it.

use super::scaled::{Block, Scaled};
use super::sweep::Relaxation;

pub(super) trait Operator {
    /// ε of the term ε δ that keeps steps solvable with redundant contacts, for a matrix with unit diagonal.
    const PROXIMAL: f64;
    /// True if it can solve for steps.
    const FACTORS: bool;

    /// `u = G̃ x + q̃`.
    fn velocities(&mut self, scaled: &Scaled, x: &[f64], u: &mut [f64]);
    /// `|G̃| |x| + |q̃|`.
    fn sizes(&mut self, scaled: &Scaled, x: &[f64], sizes: &mut [f64]);
    /// One Gauss–Seidel sweep over all blocks, forwards or backwards.
    fn sweep(&mut self, scaled: &Scaled, relaxation: Relaxation, backward: bool, x: &mut [f64]);
    /// Factors the matrix of a step; false if it is singular.
    fn factor(&mut self, scaled: &Scaled, step: &Step) -> bool;
    /// Solves for δ in place of r, with the current factor. Held blocks have δ = 0.
    fn solve(&mut self, scaled: &Scaled, step: &Step, x: &mut [f64]);
}

/// A and B of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub kinds: Vec<Kind>,
    /// In row-major order, at the offsets of the local matrices.
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    /// A⁻¹ of the blocks of kind `Known`.
    pub inverse: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// δ = 0.
    Fixed,
    /// B = 1 and A diagonal.
    Plain,
    /// B = 1 and A symmetric, with A⁻¹ given in a form that preserves accuracy.
    Known,
    General,
}

impl Step {
    /// Starts with all blocks held, A and B zero.
    pub fn begin(&mut self, scaled: &Scaled) {
        self.kinds.clear();
        self.kinds.resize(scaled.blocks.len(), Kind::Fixed);
        for matrix in [&mut self.a, &mut self.b, &mut self.inverse] {
            matrix.clear();
            matrix.resize(scaled.local.len(), 0.0);
        }
    }

    /// A and B of a block.
    #[inline(always)]
    pub fn parts(&mut self, block: &Block) -> (&mut [f64], &mut [f64]) {
        let at = block.local..block.local + block.len * block.len;
        (&mut self.a[at.clone()], &mut self.b[at])
    }

    /// Sets B = 1 and A = ε.
    #[inline(always)]
    pub fn plain(&mut self, block: &Block, proximal: f64) {
        let (a, b) = self.parts(block);
        for k in 0..block.len {
            (a[k * block.len + k], b[k * block.len + k]) = (proximal, 1.0);
        }
    }
}
