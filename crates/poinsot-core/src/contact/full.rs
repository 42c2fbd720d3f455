//! The scaled problem as one dense matrix, for up to a few hundred rows.

use super::delassus::Delassus;
use super::dense::{Cholesky, Lu, dot, dot_and_size};
use super::operator::{Kind, Operator, Step};
use super::problem::{MOST_ROWS, Problem};
use super::scaled::Scaled;
use super::sweep::{Relaxation, relax};
use crate::algebra::lanes::{Isa, Kernel, dispatch};

#[derive(Clone, Debug, Default)]
pub(super) struct Full {
    /// G̃ with the compliance, in row-major order.
    matrix: Vec<f64>,
    free: Vec<f64>,
    symmetric: bool,
    lu: Lu,
    cholesky: Cholesky,
    /// True if the current factor is Cholesky's.
    half: bool,
    /// The places of the unknowns.
    active: Vec<usize>,
    right: Vec<f64>,
}

impl Full {
    /// Loads a problem.
    pub fn load<D: Delassus>(&mut self, problem: &Problem<D>, scaled: &Scaled) {
        let n = scaled.row_of.len();
        self.free.clone_from(&scaled.free);
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        let in_order = scaled.row_of.iter().enumerate().all(|(k, row)| k == *row);
        self.right.clear();
        self.right.resize(n, 0.0);
        for (k, to) in self.matrix.chunks_exact_mut(n.max(1)).enumerate() {
            let (row, t) = (scaled.row_of[k], scaled.scale[k]);
            if in_order {
                problem.matrix.row(row, |first, numbers| {
                    let scales = &scaled.scale[first..first + numbers.len()];
                    for ((to, x), s) in to[first..].iter_mut().zip(numbers).zip(scales) {
                        *to += t * x * s;
                    }
                });
            } else {
                self.right.fill(0.0);
                problem.matrix.row(row, |first, numbers| {
                    for (to, x) in self.right[first..].iter_mut().zip(numbers) {
                        *to += t * x;
                    }
                });
                for ((to, row), s) in to.iter_mut().zip(&scaled.row_of).zip(&scaled.scale) {
                    *to = self.right[*row] * s;
                }
            }
            to[k] += scaled.compliance[k];
        }
        self.symmetric = (0..n).all(|i| {
            (0..i).all(|j| (self.matrix[i * n + j] - self.matrix[j * n + i]).abs() <= 4.0 * f64::EPSILON)
        });
    }

    /// Assembles the matrix of a step.
    #[inline(always)]
    fn fill(&mut self, scaled: &Scaled, step: &Step) {
        let n = self.free.len();
        let m = self.active.len();
        let a = if self.half { self.cholesky.begin(m) } else { self.lu.begin(m) };
        let mut first = 0;
        for (block, kind) in scaled.blocks.iter().zip(&step.kinds) {
            if *kind == Kind::Fixed {
                continue;
            }
            let len = block.len;
            let to = &mut a[first * m..(first + len) * m];
            for (k, to) in to.chunks_exact_mut(m).enumerate() {
                let from = &self.matrix[(block.first + k) * n..(block.first + k + 1) * n];
                if m == n {
                    to.copy_from_slice(from);
                } else {
                    for (to, at) in to.iter_mut().zip(&self.active) {
                        *to = from[*at];
                    }
                }
            }
            let at = block.local..block.local + len * len;
            if *kind == Kind::General {
                combine(&step.b[at.clone()], len, m, to);
            }
            for i in 0..len {
                for j in 0..len {
                    to[i * m + first + j] += step.a[block.local + i * len + j];
                }
            }
            first += len;
        }
    }
}

/// Multiplies the rows by B.
#[inline(always)]
fn combine(b: &[f64], len: usize, m: usize, rows: &mut [f64]) {
    for column in 0..m {
        let mut old = [0.0; MOST_ROWS];
        for k in 0..len {
            old[k] = rows[k * m + column];
        }
        for i in 0..len {
            let mut sum = 0.0;
            for k in 0..len {
                sum += b[i * len + k] * old[k];
            }
            rows[i * m + column] = sum;
        }
    }
}

impl Operator for Full {
    const PROXIMAL: f64 = 1e-11;
    const FACTORS: bool = true;

    fn velocities(&mut self, _: &Scaled, x: &[f64], u: &mut [f64]) {
        dispatch(Velocities(self, x, u));
    }
    fn sizes(&mut self, _: &Scaled, x: &[f64], sizes: &mut [f64]) {
        dispatch(Sizes(self, x, sizes));
    }
    fn sweep(&mut self, scaled: &Scaled, relaxation: Relaxation, backward: bool, x: &mut [f64]) {
        dispatch(Sweep { full: self, scaled, relaxation, backward, x });
    }

    fn factor(&mut self, scaled: &Scaled, step: &Step) -> bool {
        self.active.clear();
        for (block, kind) in scaled.blocks.iter().zip(&step.kinds) {
            if *kind != Kind::Fixed {
                self.active.extend(block.places());
            }
        }
        self.half = self.symmetric && !step.kinds.contains(&Kind::General);
        dispatch(Fill(self, scaled, step));
        if self.half { self.cholesky.factor().is_ok() } else { self.lu.factor() }
    }

    fn solve(&mut self, _: &Scaled, _: &Step, x: &mut [f64]) {
        self.right.clear();
        self.right.extend(self.active.iter().map(|at| x[*at]));
        if self.half {
            self.cholesky.solve(&mut self.right)
        } else {
            self.lu.solve(&mut self.right)
        }
        x.fill(0.0);
        for (at, value) in self.active.iter().zip(&self.right) {
            x[*at] = *value;
        }
    }
}

struct Velocities<'a>(&'a Full, &'a [f64], &'a mut [f64]);
impl Kernel for Velocities<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Velocities(full, x, u) = self;
        let n = x.len();
        for (k, u) in u.iter_mut().enumerate() {
            *u = full.free[k] + dot(&full.matrix[k * n..(k + 1) * n], x);
        }
    }
}

struct Sizes<'a>(&'a Full, &'a [f64], &'a mut [f64]);
impl Kernel for Sizes<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Sizes(full, x, sizes) = self;
        let n = x.len();
        for (k, size) in sizes.iter_mut().enumerate() {
            *size = full.free[k].abs() + dot_and_size(&full.matrix[k * n..(k + 1) * n], x).1;
        }
    }
}

struct Sweep<'a> {
    full: &'a Full,
    scaled: &'a Scaled,
    relaxation: Relaxation,
    backward: bool,
    x: &'a mut [f64],
}

impl Kernel for Sweep<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (n, count) = (self.x.len(), self.scaled.blocks.len());
        for k in 0..count {
            let block = &self.scaled.blocks[if self.backward { count - 1 - k } else { k }];
            let mut u = [0.0; MOST_ROWS];
            for (k, at) in block.places().enumerate() {
                u[k] = self.full.free[at] + dot(&self.full.matrix[at * n..(at + 1) * n], self.x);
            }
            let after = relax(self.relaxation, block, self.scaled.local(block), block.take(self.x), u);
            block.put(&after, self.x);
        }
    }
}

struct Fill<'a>(&'a mut Full, &'a Scaled, &'a Step);
impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.fill(self.1, self.2);
    }
}
