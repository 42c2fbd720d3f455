//! Gauss–Seidel: block after block, each solved with all others held.
//!
//! Two ways with a block: [exactly](super::local), or by a step along −u and a projection, normal first, then the tangential
//! part onto the disk of radius μ λ_n. Both have the same fixed points, the solutions of the whole problem [Jourdan98].

use super::cone::{Rows, norm};
use super::delassus::Delassus;
use super::dense::dot;
use super::local;
use super::problem::Problem;
use super::scaled::{Block, Cone, Scaled};
use crate::algebra::lanes::{Isa, Kernel, dispatch};

/// What is done with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Exact,
    Projected,
}

/// One pass over all blocks, from the first or from the last.
pub(super) fn sweep<D: Delassus>(
    problem: &Problem<D>,
    scaled: &Scaled,
    way: Way,
    backward: bool,
    lambda: &mut [f64],
) {
    dispatch(Sweep { problem, scaled, way, backward, lambda });
}

struct Sweep<'a, 'p, D> {
    problem: &'a Problem<'p, D>,
    scaled: &'a Scaled,
    way: Way,
    backward: bool,
    lambda: &'a mut [f64],
}

impl<D: Delassus> Kernel for Sweep<'_, '_, D> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let count = self.scaled.blocks.len();
        for k in 0..count {
            let block = &self.scaled.blocks[if self.backward { count - 1 - k } else { k }];
            let mut u = [0.0; super::problem::MOST_ROWS];
            for (k, &row) in block.rows().iter().enumerate() {
                let compliance = self.problem.compliance.get(row).copied().unwrap_or(0.0);
                let mut sum = compliance.mul_add(self.lambda[row], self.problem.free[row]);
                for (first, numbers) in self.problem.matrix.row(row) {
                    sum += dot(numbers, &self.lambda[first..first + numbers.len()]);
                }
                u[k] = sum * self.scaled.scale[row];
            }
            let before = self.scaled.impulses(block, self.lambda);
            let a = self.scaled.local(block);
            let after = match self.way {
                Way::Exact => local::solve(block, a, &before, &u),
                Way::Projected => projected(block, a, before, u),
            };
            self.scaled.store(block, &after, self.lambda);
        }
    }
}

/// Normal first, then the tangential part.
#[inline(always)]
fn projected(block: &Block, a: &[f64], mut x: Rows, u: Rows) -> Rows {
    let Cone::Friction { mu } = block.cone else { return local::solve(block, a, &x, &u) };
    if a[0] <= 0.0 {
        return [0.0; super::problem::MOST_ROWS];
    }
    let len = block.len;
    let normal = (x[0] - u[0] / a[0]).max(0.0);
    let change = normal - x[0];
    x[0] = normal;
    // the trace bounds the greatest eigenvalue of A_TT
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
