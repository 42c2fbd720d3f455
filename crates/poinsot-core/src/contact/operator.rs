//! What the methods need of a scaled problem, however its matrix is kept.
//!
//! Steps of Newton's method and of the interior-point method are all of one form: each block has small matrices A and B, and
//!
//! ```math
//! A δ + B G̃ δ = r
//! ```
//! is solved for the change δ of the impulses. What a step is, its method says; how to solve it best, the operator knows.

use super::scaled::{Block, Scaled};
use super::sweep::Way;

pub(super) trait Operator {
    /// ε of the term ε δ that keeps steps solvable where contacts are redundant, of a matrix with unit diagonal.
    const PROXIMAL: f64;
    /// True where it can solve for steps.
    const FACTORS: bool;

    /// `u = G̃ x + q̃`.
    fn velocities(&mut self, scaled: &Scaled, x: &[f64], u: &mut [f64]);
    /// `|G̃| |x| + |q̃|`.
    fn sizes(&mut self, scaled: &Scaled, x: &[f64], sizes: &mut [f64]);
    /// One pass of Gauss–Seidel over all blocks, from the first or from the last.
    fn sweep(&mut self, scaled: &Scaled, way: Way, backward: bool, x: &mut [f64]);
    /// Factors the matrix of a step; false where it is singular.
    fn factor(&mut self, scaled: &Scaled, step: &Step) -> bool;
    /// x: from r to δ, with the factor at hand. Blocks that are held have δ = 0.
    fn solve(&mut self, scaled: &Scaled, step: &Step, x: &mut [f64]);
}

/// A and B of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub kinds: Vec<Kind>,
    /// Row after row, where the local matrices of the blocks are.
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    /// A⁻¹ of the blocks of kind `Known`.
    pub inverse: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// δ = 0.
    Held,
    /// B = 1 and A diagonal.
    Plain,
    /// B = 1 and A symmetric, with A⁻¹ in a form that loses no digits.
    Known,
    General,
}

impl Step {
    /// All held, A and B zero.
    pub fn begin(&mut self, scaled: &Scaled) {
        self.kinds.clear();
        self.kinds.resize(scaled.blocks.len(), Kind::Held);
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

    /// B = 1 and A = ε.
    #[inline(always)]
    pub fn plain(&mut self, block: &Block, proximal: f64) {
        let (a, b) = self.parts(block);
        for k in 0..block.len {
            (a[k * block.len + k], b[k * block.len + k]) = (proximal, 1.0);
        }
    }
}
