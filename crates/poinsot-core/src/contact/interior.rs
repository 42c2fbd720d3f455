//! A primal–dual interior-point method for contacts: the fallback that does not depend on where it starts.
//!
//! With `x = D λ`, `y = D⁻¹ v`, D = diag(μ, 1, …, 1), the cones of a contact and its dual become the self-dual cone L, and the
//! problem is
//!
//! ```math
//! v = (G + E) λ + q + s n      x ∈ L,  y ∈ L,  x ∘ y = 0      s = μ ‖u_T‖
//! ```
//! A step follows the path x ∘ y = ν e as ν goes to 0, with the scaling W of [Nesterov and Todd](super::nesterov_todd) and
//! Mehrotra's predictor and corrector [Mehrotra92]; Δy eliminated, it is one system of the size of λ:
//! `(G + E + D W⁻² D) Δλ = r`. De Saxcé's term s is either linearised along, or held, which makes the problem convex, and then
//! brought up to date in an outer loop [Acary11].
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::cone::{Rows, norm};
use super::delassus::Delassus;
use super::dense::{Cholesky, Lu};
use super::iterate::Iterate;
use super::nesterov_todd::{Scaling, inner, product, reach};
use super::newton::fill;
use super::problem::{MOST_ROWS, Problem};
use super::scaled::{Block, Cone, Scaled};

/// What becomes of De Saxcé's term in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sliding {
    Linearised,
    Held,
}

/// Keeps redundant equalities solvable; it acts on the step alone.
const PROXIMAL: f64 = 1e-12;

#[derive(Clone, Debug, Default)]
pub(super) struct Interior {
    lu: Lu,
    cholesky: Cholesky,
    active: Vec<usize>,
    place: Vec<usize>,
    pairs: Vec<Pair>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    lambda: Vec<f64>,
    pub at: Iterate,
}

/// x and y of a block. Of an interval, the distances from its lower and its upper end come first and second; those of an end at
/// infinity are not used.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    /// Which of the blocks.
    block: usize,
    x: Rows,
    y: Rows,
    dx: Rows,
    dy: Rows,
    scaling: Scaling,
    /// s = μ ‖u_T‖, and the direction of u_T.
    slip: f64,
    direction: Rows,
    ends: [bool; 2],
}

impl Interior {
    /// Begins inside all cones, far from their boundaries.
    pub fn begin<D: Delassus>(&mut self, problem: &Problem<D>, scaled: &Scaled) {
        let n = problem.matrix.size();
        self.active.clear();
        self.pairs.clear();
        self.place.clear();
        self.place.resize(n, usize::MAX);
        self.lambda.clear();
        self.lambda.resize(n, 0.0);
        let mut size = 0.0f64;
        for (row, q) in problem.free.iter().enumerate() {
            size = size.max((q * scaled.scale[row]).abs());
        }
        let size = if size > 0.0 { size } else { 1.0 };
        for (k, block) in scaled.blocks.iter().enumerate() {
            let mut pair = Pair { block: k, ..Pair::default() };
            let mut x = [0.0; MOST_ROWS];
            match block.cone {
                Cone::Interval { lower, upper } if lower == upper => {
                    self.lambda[block.rows[0]] = lower * scaled.scale[block.rows[0]];
                    continue;
                }
                Cone::Interval { lower, upper } => {
                    pair.ends = [lower.is_finite(), upper.is_finite()];
                    x[0] = match pair.ends {
                        [true, true] => 0.5 * (lower + upper),
                        [true, false] => lower + size,
                        [false, true] => upper - size,
                        [false, false] => 0.0,
                    };
                    (pair.x[0], pair.x[1]) = (x[0] - lower, upper - x[0]);
                    (pair.y[0], pair.y[1]) = (size, size);
                }
                Cone::Friction { mu } => {
                    x[0] = size / mu;
                    (pair.x[0], pair.y[0]) = (size, size);
                }
            }
            for (k, &row) in block.rows().iter().enumerate() {
                self.place[row] = self.active.len();
                self.active.push(row);
                self.lambda[row] = x[k] * scaled.scale[row];
            }
            self.pairs.push(pair);
        }
    }

    /// Takes s from the velocities at hand.
    pub fn update_sliding(&mut self, scaled: &Scaled) {
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            let Cone::Friction { mu } = block.cone else { continue };
            let u = scaled.velocities(block, &self.at.u);
            let size = norm(&u[1..block.len]);
            pair.slip = mu * size;
            pair.direction = if size > 0.0 { u.map(|u| u / size) } else { [0.0; MOST_ROWS] };
        }
    }

    /// Σ xᵀy over the number of cones.
    pub fn gap(&self, scaled: &Scaled) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        for pair in &self.pairs {
            let block = &scaled.blocks[pair.block];
            if let Cone::Friction { .. } = block.cone {
                sum += inner(&pair.x, &pair.y, block.len);
                count += 1;
            } else {
                for k in (0..2).filter(|k| pair.ends[*k]) {
                    sum += pair.x[k] * pair.y[k];
                    count += 1;
                }
            }
        }
        if count == 0 { 0.0 } else { sum / count as f64 }
    }

    /// One step; None where none can be made, else the part of it that stayed inside.
    pub fn step<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        scaled: &Scaled,
        sliding: Sliding,
        tolerance: f64,
    ) -> Option<f64> {
        self.at.lambda.clone_from(&self.lambda);
        self.at.evaluate_velocities(problem);
        if sliding == Sliding::Linearised {
            self.update_sliding(scaled);
        }
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            if let Cone::Friction { .. } = block.cone {
                pair.scaling = Scaling::new(&pair.x, &pair.y, block.len)?;
            }
        }
        self.factor(problem, scaled, sliding)?;
        let gap = self.gap(scaled);
        self.solve(scaled, sliding, None);
        let far = self.reach(scaled).min(1.0);
        let centring = (1.0 - far).powi(3);
        self.solve(scaled, sliding, Some(centring * gap));
        let part = (0.99 * self.reach(scaled)).min(1.0);
        if part.is_nan() || part <= 1e-12 {
            return None;
        }
        self.advance(scaled, part);
        self.at.lambda.clone_from(&self.lambda);
        self.at.evaluate(problem, scaled, tolerance);
        self.at.lambda.iter().all(|x| x.is_finite()).then_some(part)
    }

    fn factor<D: Delassus>(&mut self, problem: &Problem<D>, scaled: &Scaled, sliding: Sliding) -> Option<()> {
        let m = self.active.len();
        let linearised = sliding == Sliding::Linearised;
        let a = if linearised { self.lu.begin(m) } else { self.cholesky.begin(m) };
        fill(problem, scaled, &self.active, &self.place, a);
        for pair in &self.pairs {
            let block = &scaled.blocks[pair.block];
            let first = self.place[block.rows[0]];
            if linearised && let Cone::Friction { mu } = block.cone {
                for k in 1..block.len {
                    let factor = mu * pair.direction[k];
                    for column in 0..m {
                        a[first * m + column] += factor * a[(first + k) * m + column];
                    }
                }
            }
            for i in 0..block.len {
                a[(first + i) * m + first + i] += PROXIMAL;
            }
            match block.cone {
                Cone::Friction { mu } => {
                    let d = |k: usize| if k == 0 { mu } else { 1.0 };
                    for i in 0..block.len {
                        for j in 0..block.len {
                            a[(first + i) * m + first + j] += d(i) * pair.scaling.inverse_square(i, j) * d(j);
                        }
                    }
                }
                Cone::Interval { .. } => {
                    for k in (0..2).filter(|k| pair.ends[*k]) {
                        a[first * m + first] += pair.y[k] / pair.x[k];
                    }
                }
            }
        }
        let done = if linearised { self.lu.factor() } else { self.cholesky.factor().is_ok() };
        done.then_some(())
    }

    /// Δλ, Δx and Δy: towards x ∘ y = 0, or with the target ν and what the first solve says of second order.
    fn solve(&mut self, scaled: &Scaled, sliding: Sliding, target: Option<f64>) {
        self.rhs.clear();
        self.rhs.resize(self.active.len(), 0.0);
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            let u = scaled.velocities(block, &self.at.u);
            let r = pair.right_side(block, &u, target);
            let first = self.place[block.rows[0]];
            self.rhs[first..first + block.len].copy_from_slice(&r[..block.len]);
        }
        self.step.clone_from(&self.rhs);
        match sliding {
            Sliding::Linearised => self.lu.solve(&mut self.step),
            Sliding::Held => self.cholesky.solve(&mut self.step),
        }
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            let first = self.place[block.rows[0]];
            pair.take_step(block, &self.step[first..first + block.len]);
        }
    }

    fn reach(&self, scaled: &Scaled) -> f64 {
        let mut least = f64::INFINITY;
        for pair in &self.pairs {
            let len = scaled.blocks[pair.block].len;
            if let Cone::Friction { .. } = scaled.blocks[pair.block].cone {
                least = least.min(reach(&pair.x, &pair.dx, len)).min(reach(&pair.y, &pair.dy, len));
                continue;
            }
            for k in (0..2).filter(|k| pair.ends[*k]) {
                for (z, d) in [(pair.x[k], pair.dx[k]), (pair.y[k], pair.dy[k])] {
                    if d < 0.0 {
                        least = least.min(-z / d);
                    }
                }
            }
        }
        least
    }

    fn advance(&mut self, scaled: &Scaled, part: f64) {
        for pair in &mut self.pairs {
            for k in 0..MOST_ROWS {
                pair.x[k] += part * pair.dx[k];
                pair.y[k] += part * pair.dy[k];
            }
        }
        for (step, &row) in self.step.iter().zip(&self.active) {
            self.lambda[row] += part * step * scaled.scale[row];
        }
    }
}

impl Pair {
    /// `D y − v + D W⁻¹ z`, with z what ℓ ∘ z asks for; keeps z in dy.
    fn right_side(&mut self, block: &Block, u: &Rows, target: Option<f64>) -> Rows {
        let mut out = [0.0; MOST_ROWS];
        let Cone::Friction { mu } = block.cone else {
            out[0] = -u[0];
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                if self.ends[k] {
                    let second = if target.is_some() { self.dx[k] * self.dy[k] } else { 0.0 };
                    let z = (target.unwrap_or(0.0) - second) / self.x[k] - self.y[k];
                    self.dy[k] = z;
                    out[0] += sign * (self.y[k] + z);
                }
            }
            return out;
        };
        let len = block.len;
        let l = self.scaling.point;
        let mut z = l.map(|l| -l);
        if let Some(target) = target {
            let second = product(&self.scaling.divide(&self.dx), &self.scaling.times(&self.dy), len);
            let mut r = second.map(|s| -s);
            r[0] += target;
            let r = self.scaling.quotient(&r);
            (0..len).for_each(|k| z[k] += r[k]);
        }
        let z = self.scaling.divide(&z);
        for k in 0..len {
            let d = if k == 0 { mu } else { 1.0 };
            out[k] = d * (self.y[k] + z[k]) - u[k];
        }
        out[0] -= self.slip;
        self.dy = z;
        out
    }

    /// Δx and Δy from Δλ.
    fn take_step(&mut self, block: &Block, step: &[f64]) {
        let Cone::Friction { mu } = block.cone else {
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                self.dx[k] = sign * step[0];
                self.dy[k] -= self.y[k] / self.x[k] * self.dx[k];
            }
            return;
        };
        self.dx[0] = mu * step[0];
        self.dx[1..block.len].copy_from_slice(&step[1..]);
        let back = self.scaling.divide(&self.scaling.divide(&self.dx));
        for k in 0..block.len {
            self.dy[k] -= back[k];
        }
    }
}
