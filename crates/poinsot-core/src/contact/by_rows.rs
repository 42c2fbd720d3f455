//! Accesses the scaled problem through the rows of its matrix, without a copy: for problems too large to factor.

use super::delassus::Delassus;
use super::dense::dot;
use super::operator::{Operator, Step};
use super::problem::{MOST_ROWS, Problem};
use super::scaled::Scaled;
use super::sweep::{Relaxation, relax};
use crate::algebra::lanes::{Isa, Kernel, dispatch};

/// Scratch: λ, G λ, and the magnitudes of its terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    lambda: Vec<f64>,
    sizes: Vec<f64>,
    made: Vec<f64>,
    other: Vec<f64>,
}

pub(super) struct ByRows<'a, 'p, D> {
    pub problem: &'a Problem<'p, D>,
    pub room: &'a mut Scratch,
}

impl<D: Delassus> ByRows<'_, '_, D> {
    /// Computes G λ and |G| |λ|.
    fn apply(&mut self, scaled: &Scaled, x: &[f64]) {
        let Scratch { lambda, sizes, made, other } = &mut *self.room;
        scaled.unscaled(x, lambda);
        made.resize(x.len(), 0.0);
        sizes.resize(x.len(), 0.0);
        self.problem.matrix.apply(lambda, made, sizes, other);
    }
}

impl<D: Delassus> Operator for ByRows<'_, '_, D> {
    const PROXIMAL: f64 = 1e-11;
    const FACTORS: bool = false;

    fn velocities(&mut self, s: &Scaled, x: &[f64], u: &mut [f64]) {
        self.apply(s, x);
        for (k, u) in u.iter_mut().enumerate() {
            *u = s.compliance[k].mul_add(x[k], s.scale[k].mul_add(self.room.made[s.row_of[k]], s.free[k]));
        }
    }

    fn sizes(&mut self, s: &Scaled, x: &[f64], sizes: &mut [f64]) {
        self.apply(s, x);
        for (k, size) in sizes.iter_mut().enumerate() {
            *size =
                s.scale[k] * self.room.sizes[s.row_of[k]] + s.free[k].abs() + (s.compliance[k] * x[k]).abs();
        }
    }

    fn sweep(&mut self, scaled: &Scaled, relaxation: Relaxation, backward: bool, x: &mut [f64]) {
        scaled.unscaled(x, &mut self.room.lambda);
        let lambda = &mut self.room.lambda;
        dispatch(Sweep { problem: self.problem, scaled, relaxation, backward, x, lambda });
    }

    fn factor(&mut self, _: &Scaled, _: &Step) -> bool {
        false
    }
    fn solve(&mut self, _: &Scaled, _: &Step, _: &mut [f64]) {}
}

struct Sweep<'a, 'p, D> {
    problem: &'a Problem<'p, D>,
    scaled: &'a Scaled,
    relaxation: Relaxation,
    backward: bool,
    x: &'a mut [f64],
    lambda: &'a mut [f64],
}

impl<D: Delassus> Kernel for Sweep<'_, '_, D> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let s = self.scaled;
        let count = s.blocks.len();
        for k in 0..count {
            let block = &s.blocks[if self.backward { count - 1 - k } else { k }];
            let mut u = [0.0; MOST_ROWS];
            for (k, at) in block.places().enumerate() {
                let mut sum = 0.0;
                self.problem.matrix.row(s.row_of[at], |first, numbers| {
                    sum += dot(numbers, &self.lambda[first..first + numbers.len()]);
                });
                u[k] = s.compliance[at].mul_add(self.x[at], s.scale[at].mul_add(sum, s.free[at]));
            }
            let after = relax(self.relaxation, block, s.local(block), block.take(self.x), u);
            block.put(&after, self.x);
            for at in block.places() {
                self.lambda[s.row_of[at]] = self.x[at] * s.scale[at];
            }
        }
    }
}
