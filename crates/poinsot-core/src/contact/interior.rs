//! A primal–dual interior-point method for contacts: the fallback that does not depend on the initial guess.
//!
//! With `x = D λ`, `y = D⁻¹ v`, D = diag(μ, 1, …, 1), the cones of a contact and its dual become the self-dual cone L, and the
//! problem is
//!
//! ```math
//! v = (G + E) λ + q + s n      x ∈ L,  y ∈ L,  x ∘ y = 0      s = μ ‖u_T‖
//! ```
//! A step follows the central path x ∘ y = ν e as ν goes to 0, with the scaling W of [Nesterov and Todd](super::nesterov_todd) and
//! Mehrotra's predictor–corrector [Mehrotra92]. With Δy eliminated, it is one system of the size of λ: `(G + E + D W⁻² D) Δλ = r`. De
//! Saxcé's term s is either linearised in each step, or held fixed, which makes the problem convex, and updated in an outer loop [Acary11].
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::cone::{Rows, norm};
use super::iterate::Iterate;
use super::nesterov_todd::{Scaling, inner, product, reach};
use super::operator::{Kind, Operator, Step};
use super::problem::MOST_ROWS;
use super::scaled::{Block, Cone, Scaled};

/// The treatment of De Saxcé's term in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sliding {
    Linearised,
    Held,
}

/// Regularisation that keeps redundant equalities solvable; it acts on the step alone.
const PROXIMAL: f64 = 1e-12;

#[derive(Clone, Debug, Default)]
pub(super) struct Interior {
    pairs: Vec<Pair>,
    step: Step,
    /// The right-hand side, then the change of x.
    change: Vec<f64>,
    x: Vec<f64>,
    pub at: Iterate,
    room: Vec<f64>,
}

/// x and y of a block. For an interval, the first two entries are the distances from its lower and upper ends; those of infinite ends are
/// not used.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    /// The index of the block.
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
    /// Starts inside all cones, far from their boundaries.
    pub fn begin(&mut self, scaled: &Scaled) {
        self.pairs.clear();
        self.x.clear();
        self.x.resize(scaled.free.len(), 0.0);
        let size = scaled.free.iter().fold(0.0f64, |size, q| size.max(q.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        for (k, block) in scaled.blocks.iter().enumerate() {
            let mut pair = Pair { block: k, ..Pair::default() };
            let x = &mut self.x[block.first];
            match block.cone {
                Cone::Interval { lower, upper } if lower == upper => {
                    *x = lower;
                    continue;
                }
                Cone::Interval { lower, upper } => {
                    pair.ends = [lower.is_finite(), upper.is_finite()];
                    *x = match pair.ends {
                        [true, true] => 0.5 * (lower + upper),
                        [true, false] => lower + size,
                        [false, true] => upper - size,
                        [false, false] => 0.0,
                    };
                    (pair.x[0], pair.x[1]) = (*x - lower, upper - *x);
                    (pair.y[0], pair.y[1]) = (size, size);
                }
                Cone::Friction { mu } => {
                    *x = size / mu;
                    (pair.x[0], pair.y[0]) = (size, size);
                }
            }
            self.pairs.push(pair);
        }
    }

    /// Updates s from the current velocities.
    pub fn update_sliding(&mut self, scaled: &Scaled) {
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            let Cone::Friction { mu } = block.cone else { continue };
            let u = block.take(&self.at.u);
            let size = norm(&u[1..block.len]);
            pair.slip = mu * size;
            pair.direction = if size > 0.0 { u.map(|u| u / size) } else { [0.0; MOST_ROWS] };
        }
    }

    /// Σ xᵀy divided by the number of cones.
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

    /// Takes one step; returns the step length that stayed inside the cones, or `None` if no step is possible.
    pub fn step<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        sliding: Sliding,
        tolerance: f64,
    ) -> Option<f64> {
        self.at.x.clone_from(&self.x);
        self.at.evaluate_velocities(operator, scaled, None);
        if sliding == Sliding::Linearised {
            self.update_sliding(scaled);
        }
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            if let Cone::Friction { .. } = block.cone {
                pair.scaling = Scaling::new(&pair.x, &pair.y, block.len)?;
            }
        }
        self.assemble(scaled, sliding);
        if !operator.factor(scaled, &self.step) {
            return None;
        }
        let gap = self.gap(scaled);
        self.solve(operator, scaled, None);
        let far = self.reach(scaled).min(1.0);
        let centring = (1.0 - far).powi(3);
        self.solve(operator, scaled, Some(centring * gap));
        let part = (0.99 * self.reach(scaled)).min(1.0);
        if part.is_nan() || part <= 1e-12 {
            return None;
        }
        self.advance(part);
        self.at.x.clone_from(&self.x);
        self.at.evaluate(operator, scaled, None, tolerance, &mut self.room);
        self.at.x.iter().all(|x| x.is_finite()).then_some(part)
    }

    /// A = D W⁻² D and B = 1, with the sliding term in its first row if it is linearised.
    fn assemble(&mut self, scaled: &Scaled, sliding: Sliding) {
        self.step.begin(scaled);
        for pair in &self.pairs {
            let block = &scaled.blocks[pair.block];
            let len = block.len;
            self.step.plain(block, PROXIMAL);
            self.step.kinds[pair.block] = Kind::Plain;
            match block.cone {
                Cone::Friction { mu } => {
                    let d = |k: usize| if k == 0 { mu } else { 1.0 };
                    let inverse = &mut self.step.inverse[block.local..block.local + len * len];
                    for i in 0..len {
                        for j in 0..len {
                            self.step.a[block.local + i * len + j] +=
                                d(i) * pair.scaling.inverse_square(i, j) * d(j);
                            inverse[i * len + j] = pair.scaling.square(i, j) / (d(i) * d(j));
                        }
                    }
                    self.step.kinds[pair.block] = Kind::Known;
                    if sliding == Sliding::Linearised {
                        for k in 1..len {
                            self.step.b[block.local + k] = mu * pair.direction[k];
                        }
                        self.step.kinds[pair.block] = Kind::General;
                    }
                }
                Cone::Interval { .. } => {
                    for k in (0..2).filter(|k| pair.ends[*k]) {
                        self.step.a[block.local] += pair.y[k] / pair.x[k];
                    }
                }
            }
        }
    }

    /// Computes the changes of λ, x and y: towards x ∘ y = 0, or towards the target ν with the second-order correction of the first solve.
    fn solve<O: Operator>(&mut self, operator: &mut O, scaled: &Scaled, target: Option<f64>) {
        self.change.clear();
        self.change.resize(self.x.len(), 0.0);
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            let r = pair.right_side(block, &block.take(&self.at.u), target);
            block.put(&r, &mut self.change);
        }
        operator.solve(scaled, &self.step, &mut self.change);
        for pair in &mut self.pairs {
            let block = &scaled.blocks[pair.block];
            pair.take_step(block, &self.change[block.places()]);
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

    fn advance(&mut self, part: f64) {
        for pair in &mut self.pairs {
            for k in 0..MOST_ROWS {
                pair.x[k] += part * pair.dx[k];
                pair.y[k] += part * pair.dy[k];
            }
        }
        for (x, change) in self.x.iter_mut().zip(&self.change) {
            *x += part * change;
        }
    }
}

impl Pair {
    /// `D y − v + D W⁻¹ z`, with z the solution of the right-hand side for ℓ ∘ z; stores z in dy.
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

    /// Computes Δx and Δy from Δλ.
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
