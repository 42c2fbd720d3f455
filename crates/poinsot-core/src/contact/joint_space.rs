//! Solves the scaled problem of trees in the space of their velocities, for islands with more rows than degrees of freedom.
//!
//! Works like the one for [free bodies](super::body_space), with one dense matrix for all degrees of freedom of the island:
//!
//! ```math
//! w = Yᵀ δ      δ = A⁻¹ (r − B Y w)      (1 + Yᵀ A⁻¹ B Y) w = Yᵀ A⁻¹ r
//! ```
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::dense::{Cholesky, Lu};
use super::factored::{Factored, gathered, spread};
use super::inverses::{Inverses, multiply};
use super::operator::{Kind, Operator, Step};
use super::problem::MOST_ROWS;
use super::scaled::{Block, Scaled};
use super::sweep::{Relaxation, relax};
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub(super) struct JointSpace {
    width: usize,
    /// By place: where the entries of Y start; by block: where their places start.
    begin: Vec<usize>,
    paths: Vec<Range<usize>>,
    path: Vec<usize>,
    y: Vec<f64>,
    free: Vec<f64>,
    compliance: Vec<f64>,
    /// w.
    motion: Vec<f64>,
    inverses: Inverses,
    lu: Lu,
    cholesky: Cholesky,
    symmetric: bool,
    /// Rows of A⁻¹ B Y for one block.
    pushed: Vec<f64>,
}

impl JointSpace {
    /// Loads a problem.
    pub fn load(&mut self, matrix: &Factored, scaled: &Scaled) {
        self.width = matrix.width;
        self.free.clone_from(&scaled.free);
        self.compliance.clone_from(&scaled.compliance);
        self.begin.clear();
        self.paths.clear();
        self.y.clear();
        self.path.clone_from(&matrix.path);
        for (row, t) in scaled.row_of.iter().zip(&scaled.scale) {
            self.begin.push(self.y.len());
            self.y.extend(matrix.numbers(*row).iter().map(|y| t * y));
        }
        for block in &scaled.blocks {
            let row = scaled.row_of[block.first];
            let group = matrix.groups.partition_point(|group| group.rows.end <= row);
            self.paths.push(matrix.groups[group].path.clone());
        }
    }

    /// The places of a block, and the entries of one of its rows.
    #[inline(always)]
    fn row(&self, k: usize, at: usize) -> (&[usize], &[f64]) {
        let places = &self.path[self.paths[k].clone()];
        (places, &self.y[self.begin[at]..self.begin[at] + places.len()])
    }

    /// w = Yᵀ x.
    #[inline(always)]
    fn set_motion(&mut self, scaled: &Scaled, x: &[f64]) {
        let mut motion = std::mem::take(&mut self.motion);
        motion.clear();
        motion.resize(self.width, 0.0);
        for (k, block) in scaled.blocks.iter().enumerate() {
            for at in block.places().filter(|at| x[*at] != 0.0) {
                let (places, y) = self.row(k, at);
                spread(places, y, x[at], &mut motion);
            }
        }
        self.motion = motion;
    }

    #[inline(always)]
    fn velocity(&self, k: usize, at: usize, x: &[f64]) -> f64 {
        let (places, y) = self.row(k, at);
        self.compliance[at].mul_add(x[at], self.free[at]) + gathered(places, y, &self.motion)
    }

    #[inline(always)]
    fn sweep_here(&mut self, scaled: &Scaled, relaxation: Relaxation, backward: bool, x: &mut [f64]) {
        self.set_motion(scaled, x);
        let count = scaled.blocks.len();
        for k in 0..count {
            let k = if backward { count - 1 - k } else { k };
            let block = &scaled.blocks[k];
            let mut u = [0.0; MOST_ROWS];
            for (r, at) in block.places().enumerate() {
                u[r] = self.velocity(k, at, x);
            }
            let before = block.take(x);
            let after = relax(relaxation, block, scaled.local(block), before, u);
            block.put(&after, x);
            let mut motion = std::mem::take(&mut self.motion);
            for (r, at) in block.places().enumerate().filter(|(r, _)| after[*r] != before[*r]) {
                let (places, y) = self.row(k, at);
                spread(places, y, after[r] - before[r], &mut motion);
            }
            self.motion = motion;
        }
    }

    #[inline(always)]
    fn assemble(&mut self, scaled: &Scaled, step: &Step) -> bool {
        self.symmetric = !step.kinds.contains(&Kind::General);
        if !self.inverses.find(scaled, step, &self.compliance) {
            return false;
        }
        let n = self.width;
        let (mut lu, mut cholesky) = (std::mem::take(&mut self.lu), std::mem::take(&mut self.cholesky));
        let matrix = if self.symmetric { cholesky.begin(n) } else { lu.begin(n) };
        (0..n).for_each(|k| matrix[k * n + k] = 1.0);
        for (k, block) in scaled.blocks.iter().enumerate().filter(|(k, _)| step.kinds[*k] != Kind::Fixed) {
            self.add_block(k, block, matrix);
        }
        (self.lu, self.cholesky) = (lu, cholesky);
        true
    }

    /// Adds Yᵀ A⁻¹ B Y for one block.
    #[inline(always)]
    fn add_block(&mut self, k: usize, block: &Block, matrix: &mut [f64]) {
        let (n, count) = (self.width, self.paths[k].len());
        let mut pushed = std::mem::take(&mut self.pushed);
        pushed.clear();
        pushed.resize(block.len * count, 0.0);
        let h = &self.inverses.stiffness[block.local..];
        for (i, to) in pushed.chunks_exact_mut(count.max(1)).enumerate() {
            for (j, at) in block.places().enumerate() {
                for (to, y) in to.iter_mut().zip(self.row(k, at).1) {
                    *to = h[i * block.len + j].mul_add(*y, *to);
                }
            }
        }
        for (i, at) in block.places().enumerate() {
            let (places, y) = self.row(k, at);
            let own = &pushed[i * count..(i + 1) * count];
            for (r, (place, y)) in places.iter().zip(y).enumerate() {
                // if symmetric, the lower half is enough
                let end = if self.symmetric { r + 1 } else { count };
                spread(&places[..end], &own[..end], *y, &mut matrix[place * n..(place + 1) * n]);
            }
        }
        self.pushed = pushed;
    }

    #[inline(always)]
    fn solve_here(&mut self, scaled: &Scaled, step: &Step, x: &mut [f64]) {
        for (block, kind) in scaled.blocks.iter().zip(&step.kinds) {
            let r = block.take(x);
            let mut out = [0.0; MOST_ROWS];
            if *kind != Kind::Fixed {
                out = multiply(&self.inverses.inverse[block.local..], block.len, &r);
            }
            block.put(&out, x);
        }
        self.set_motion(scaled, x);
        if self.symmetric {
            self.cholesky.solve(&mut self.motion);
        } else {
            self.lu.solve(&mut self.motion);
        }
        for (k, block) in scaled.blocks.iter().enumerate().filter(|(k, _)| step.kinds[*k] != Kind::Fixed) {
            let mut u = [0.0; MOST_ROWS];
            for (r, at) in block.places().enumerate() {
                let (places, y) = self.row(k, at);
                u[r] = gathered(places, y, &self.motion);
            }
            let change = multiply(&self.inverses.stiffness[block.local..], block.len, &u);
            for (r, at) in block.places().enumerate() {
                x[at] -= change[r];
            }
        }
    }
}

impl Operator for JointSpace {
    const PROXIMAL: f64 = 1e-9;
    const FACTORS: bool = true;

    fn velocities(&mut self, scaled: &Scaled, x: &[f64], u: &mut [f64]) {
        dispatch(Velocities(self, scaled, x, u));
    }
    fn sizes(&mut self, scaled: &Scaled, x: &[f64], sizes: &mut [f64]) {
        let mut large = vec_of(&mut self.pushed, self.width);
        for (k, block) in scaled.blocks.iter().enumerate() {
            for at in block.places() {
                let (places, y) = self.row(k, at);
                places.iter().zip(y).for_each(|(place, y)| large[*place] += (y * x[at]).abs());
            }
        }
        for (k, block) in scaled.blocks.iter().enumerate() {
            for at in block.places() {
                let (places, y) = self.row(k, at);
                let own = self.free[at].abs() + (self.compliance[at] * x[at]).abs();
                sizes[at] =
                    places.iter().zip(y).fold(own, |sum, (place, y)| y.abs().mul_add(large[*place], sum));
            }
        }
        self.pushed = large;
    }
    fn sweep(&mut self, scaled: &Scaled, relaxation: Relaxation, backward: bool, x: &mut [f64]) {
        dispatch(Sweep(self, scaled, relaxation, backward, x));
    }
    fn factor(&mut self, scaled: &Scaled, step: &Step) -> bool {
        dispatch(Assemble(self, scaled, step))
            && if self.symmetric { self.cholesky.factor().is_ok() } else { self.lu.factor() }
    }
    fn solve(&mut self, scaled: &Scaled, step: &Step, x: &mut [f64]) {
        dispatch(Solve(self, scaled, step, x));
    }
}

/// Returns zeroed scratch without allocating.
fn vec_of(room: &mut Vec<f64>, count: usize) -> Vec<f64> {
    let mut out = std::mem::take(room);
    out.clear();
    out.resize(count, 0.0);
    out
}

struct Velocities<'a>(&'a mut JointSpace, &'a Scaled, &'a [f64], &'a mut [f64]);
impl Kernel for Velocities<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Velocities(own, scaled, x, u) = self;
        own.set_motion(scaled, x);
        for (k, block) in scaled.blocks.iter().enumerate() {
            block.places().for_each(|at| u[at] = own.velocity(k, at, x));
        }
    }
}
struct Sweep<'a>(&'a mut JointSpace, &'a Scaled, Relaxation, bool, &'a mut [f64]);
impl Kernel for Sweep<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.sweep_here(self.1, self.2, self.3, self.4);
    }
}
struct Assemble<'a>(&'a mut JointSpace, &'a Scaled, &'a Step);
impl Kernel for Assemble<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        self.0.assemble(self.1, self.2)
    }
}
struct Solve<'a>(&'a mut JointSpace, &'a Scaled, &'a Step, &'a mut [f64]);
impl Kernel for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.solve_here(self.1, self.2, self.3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Delassus, Dense, Exact, Law, Problem};

    /// Contacts of a tree with few degrees of freedom, so that G is singular: the solution also solves the problem with the dense matrix.
    #[test]
    fn an_answer_is_one_of_the_dense_matrix() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for round in 0..40 {
            let (contacts, width) = (6, 7);
            let mut half = Factored::default();
            half.begin(width);
            for k in 0..contacts {
                // some paths have gaps
                let path: Vec<usize> = (0..width).filter(|at| (at + k) % 5 != 0 || round % 2 == 0).collect();
                let numbers: Vec<f64> = (0..3 * path.len()).map(|_| random()).collect();
                half.push(3, path.iter().copied(), |row, at| numbers[row * path.len() + at]);
            }
            let n = 3 * contacts;
            let all: Vec<f64> = (0..n * n).map(|k| half.entry(k / n, k % n)).collect();
            let dense = Dense::new(n, &all).expect("a matrix");
            // velocities in the range of G, so that a solution exists
            let w: Vec<f64> = (0..width).map(|_| random()).collect();
            let free: Vec<f64> =
                (0..n).map(|row| gathered(half.places(row), half.numbers(row), &w)).collect();
            let laws = vec![Law::contact(0.5); contacts];
            let (mut impulse, mut velocity) = (vec![0.0; n], vec![0.0; n]);
            let problem = Problem { matrix: &dense, free: &free, laws: &laws, compliance: &[] };
            let one = Exact::default().solve(&problem, &mut impulse, &mut velocity).expect("an answer");
            impulse.fill(0.0);
            let problem = Problem { matrix: &half, free: &free, laws: &laws, compliance: &[] };
            let mut again = vec![0.0; n];
            let other = Exact::default().solve(&problem, &mut impulse, &mut again).expect("an answer");
            assert!(one.status.is_solved() && other.status.is_solved(), "{round}: {one:?} {other:?}");
            // a solution of one problem solves the other
            let problem = Problem { matrix: &dense, free: &free, laws: &laws, compliance: &[] };
            let certified = Exact::default().solve(&problem, &mut impulse, &mut velocity);
            assert_eq!(certified.map(|c| c.iterations()), Ok(0), "{round}");
            let off = again.iter().zip(&velocity).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(off < 1e-12, "{round}: {off}");
        }
    }
}
