//! Gauss–Seidel: blocks are solved one after another, with all others fixed.
//!
//! A block is solved either [exactly](super::local), or by a step along −u and a projection: normal first, then the tangential part onto
//! the disk of radius μ λ_n. Both have the same fixed points, the solutions of the whole problem [Jourdan98].

use super::cone::{Rows, norm};
use super::local;
use super::problem::MOST_ROWS;
use super::scaled::{Block, Cone};

/// How a block is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relaxation {
    Exact,
    Projected,
}

/// Computes x of a block from its previous value and velocity; `a` is the scaled matrix of the block in row-major order.
#[inline(always)]
pub(super) fn relax(relaxation: Relaxation, block: &Block, a: &[f64], before: Rows, u: Rows) -> Rows {
    match relaxation {
        Relaxation::Exact => local::solve(block, a, &before, &u),
        Relaxation::Projected => projected(block, a, before, u),
    }
}

/// Projects the normal first, then the tangential part.
#[inline(always)]
fn projected(block: &Block, a: &[f64], mut x: Rows, u: Rows) -> Rows {
    let Cone::Friction { mu } = block.cone else { return local::solve(block, a, &x, &u) };
    if a[0] <= 0.0 {
        return [0.0; MOST_ROWS];
    }
    let len = block.len;
    let normal = (x[0] - u[0] / a[0]).max(0.0);
    let change = normal - x[0];
    x[0] = normal;
    // the trace bounds the largest eigenvalue of A_TT
    let mut trace = 0.0;
    for k in 1..len {
        trace += a[k * len + k];
    }
    if trace > 0.0 {
        for k in 1..len {
            x[k] -= (u[k] + a[k * len] * change) / trace;
        }
    }
    let (size, most) = (norm(&x[1..len]), mu * normal);
    if size > most {
        for x in &mut x[1..len] {
            *x *= most / size;
        }
    }
    x
}
