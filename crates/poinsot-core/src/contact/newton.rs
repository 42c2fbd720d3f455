//! A proximal semismooth Newton method for Coulomb's law.
//!
//! With `y = λ − u` (all scaled), the law of a contact is the equation [AlartCurnier91]
//!
//! ```math
//! λ_n = max(0, y_n)      λ_T = P_{‖·‖ ≤ μ λ_n}(y_T)
//! ```
//! It is piecewise linear except for the direction of sliding, and y selects the piece:
//!
//! - separating, y_n ≤ 0: λ⁺ = 0, eliminated;
//! - sticking, ‖y_T‖ ≤ μ y_n: u⁺ = 0;
//! - sliding: u_n⁺ = 0, and with t = y_T/‖y_T‖, P = I − t tᵀ, c = μ y_n/‖y_T‖ the linearised `λ_T⁺ = μ λ_n⁺ t + c P (λ_T⁺ − u_T⁺ − y_T)`.
//!
//! Redundant contacts make this system singular even if solutions exist. A small term ε δ added to the rows of u makes it regular and
//! vanishes with the step δ, so it does not change solutions.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::cone::norm;
use super::iterate::{Iterate, Soft};
use super::operator::{Kind, Operator, Step};
use super::problem::MOST_ROWS;
use super::scaled::{Block, Cone, Scaled};

const MOST_HALVINGS: usize = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    step: Step,
    /// The right-hand side, then the change of x.
    change: Vec<f64>,
    /// x with the held blocks at their values, and the velocity there.
    settled: Iterate,
    trial: Iterate,
    from: Vec<f64>,
    pub room: Vec<f64>,
}

impl Newton {
    /// Takes at most `most` steps from `at`; `best` becomes the best iterate. Returns the number of steps.
    #[expect(clippy::too_many_arguments)]
    pub fn run<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        soft: Option<Soft>,
        tolerance: f64,
        most: usize,
        at: &mut Iterate,
        best: &mut Iterate,
    ) -> usize {
        for steps in 0..most {
            if at.distance.excess <= 1.0 {
                return steps;
            }
            if !self.direction(operator, scaled, soft, at) {
                return steps;
            }
            let before = at.distance.merit;
            self.search(operator, scaled, soft, tolerance, at);
            best.keep_better(at);
            // cycling between pieces, or converged
            if !at.distance.merit.is_finite() || at.distance.merit > 1e4 * before {
                return steps + 1;
            }
        }
        most
    }

    /// Computes the Newton step in `self.change`; false if the system is singular.
    fn direction<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        soft: Option<Soft>,
        at: &Iterate,
    ) -> bool {
        if self.settle(scaled, at) {
            self.settled.evaluate_velocities(operator, scaled, soft);
        } else {
            self.settled.u.clone_from(&at.u);
        }
        let softness = soft.map_or(0.0, |s| s.compliance);
        self.pieces(scaled, O::PROXIMAL + softness, at);
        let regular = operator.factor(scaled, &self.step);
        if regular {
            operator.solve(scaled, &self.step, &mut self.change);
            for (k, change) in self.change.iter_mut().enumerate() {
                *change += self.settled.x[k] - at.x[k];
            }
        }
        regular
    }

    /// Sets held blocks to their values; true if that changes anything.
    fn settle(&mut self, scaled: &Scaled, at: &Iterate) -> bool {
        self.step.begin(scaled);
        self.settled.x.clone_from(&at.x);
        let mut changed = false;
        for (block, kind) in scaled.blocks.iter().zip(&mut self.step.kinds) {
            let normal = at.x[block.first] - at.u[block.first];
            let held = match block.cone {
                Cone::Interval { lower, upper } => {
                    (normal <= lower).then_some(lower).or((normal >= upper).then_some(upper))
                }
                Cone::Friction { .. } => (normal <= 0.0).then_some(0.0),
            };
            let Some(value) = held else {
                *kind = Kind::Plain;
                continue;
            };
            let mut x = [0.0; MOST_ROWS];
            x[0] = value;
            changed |= x != block.take(&at.x);
            block.put(&x, &mut self.settled.x);
        }
        changed
    }

    /// Sets A, B and r of the blocks that are not held.
    fn pieces(&mut self, scaled: &Scaled, proximal: f64, at: &Iterate) {
        self.change.clear();
        self.change.resize(at.x.len(), 0.0);
        for (k, block) in scaled.blocks.iter().enumerate() {
            if self.step.kinds[k] == Kind::Fixed {
                continue;
            }
            for place in block.places() {
                self.change[place] = -self.settled.u[place];
            }
            let (x, u) = (block.take(&at.x), block.take(&at.u));
            let mut y = x;
            for k in 0..block.len {
                y[k] -= u[k];
            }
            let size = norm(&y[1..block.len]);
            match block.cone {
                Cone::Friction { mu } if size > mu * y[0] => {
                    self.step.kinds[k] = Kind::General;
                    let mut direction = y.map(|y| y / size);
                    direction[0] = 0.0;
                    self.slide(block, mu, direction, mu * y[0] / size, proximal, at);
                }
                _ => self.step.plain(block, proximal),
            }
        }
    }

    /// The rows of a contact that slides along t: `(1 − cP) δ_T − μ t δ_n + c P G_T δ` on the left-hand side.
    fn slide(&mut self, block: &Block, mu: f64, t: [f64; MOST_ROWS], c: f64, proximal: f64, at: &Iterate) {
        let len = block.len;
        let (a, b) = self.step.parts(block);
        (a[0], b[0]) = (proximal, 1.0);
        for i in 1..len {
            a[i * len] = -mu * t[i];
            for j in 1..len {
                let unit = if i == j { 1.0 } else { 0.0 };
                let across = c * (unit - t[i] * t[j]);
                b[i * len + j] = across;
                a[i * len + j] = unit + (proximal - 1.0) * across;
            }
        }
        let (x, u, settled) = (block.take(&at.x), block.take(&at.u), block.take(&self.settled.u));
        let b = &self.step.b[block.local..block.local + len * len];
        for i in 1..len {
            let mut sum = mu * x[0] * t[i] - x[i];
            for j in 1..len {
                sum -= b[i * len + j] * (settled[j] - u[j]);
            }
            self.change[block.first + i] = sum;
        }
    }

    /// Line search: the best of the full step and a few halvings of it.
    fn search<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        soft: Option<Soft>,
        tolerance: f64,
        at: &mut Iterate,
    ) {
        let (start, mut part) = (at.distance.merit, 1.0);
        let mut found = f64::INFINITY;
        self.trial.x.clone_from(&at.x);
        self.from.clone_from(&at.x);
        for halving in 0..=MOST_HALVINGS {
            for ((x, from), change) in self.trial.x.iter_mut().zip(&self.from).zip(&self.change) {
                *x = part * change + from;
            }
            self.trial.evaluate(operator, scaled, soft, tolerance, &mut self.room);
            if self.trial.distance.merit < found || halving == 0 {
                found = self.trial.distance.merit;
                at.clone_from_iterate(&self.trial);
            }
            if found < start {
                break;
            }
            part *= 0.5;
        }
    }
}
