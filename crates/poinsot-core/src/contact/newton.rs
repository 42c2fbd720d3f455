//! Proximal semismooth Newton on Coulomb's law.
//!
//! With `y = λ − u` (all scaled), the law of a contact is the equation [AlartCurnier91]
//!
//! ```math
//! λ_n = max(0, y_n)      λ_T = P_{‖·‖ ≤ μ λ_n}(y_T)
//! ```
//! It is linear in pieces but for the direction of sliding, and y says which piece holds:
//!
//! - open, y_n ≤ 0: λ⁺ = 0, eliminated;
//! - sticking, ‖y_T‖ ≤ μ y_n: u⁺ = 0;
//! - sliding: u_n⁺ = 0, and with t = y_T/‖y_T‖, P = I − t tᵀ, c = μ y_n/‖y_T‖ the linearised
//!   `λ_T⁺ = μ λ_n⁺ t + c P (λ_T⁺ − u_T⁺ − y_T)`.
//!
//! Redundant contacts make this system singular though it has solutions. A small ε δ added to the rows of u makes it regular and
//! vanishes with the step δ, so that it moves no solution.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::cone::{Rows, norm};
use super::delassus::Delassus;
use super::dense::Lu;
use super::iterate::Iterate;
use super::problem::{MOST_ROWS, Problem};
use super::scaled::{Block, Cone, Scaled};

/// ε, of a matrix with unit diagonal: larger ones slow the method down at large ratios of mass.
const PROXIMAL: f64 = 1e-11;
const MOST_HALVINGS: usize = 4;
/// No row of the reduced system.
const NONE: usize = usize::MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    lu: Lu,
    /// The rows that are solved for, and where each row of the problem is among them.
    active: Vec<usize>,
    place: Vec<usize>,
    slides: Vec<(usize, Slide)>,
    step: Vec<f64>,
    /// λ with what is eliminated at its value, and the velocity there.
    settled: Iterate,
    trial: Iterate,
    from: Vec<f64>,
}

/// A contact that slides.
#[derive(Clone, Copy, Debug, Default)]
struct Slide {
    direction: Rows,
    /// c = μ y_n / ‖y_T‖ ≤ 1.
    turning: f64,
}

impl Newton {
    /// At most `most` steps from `at`, which becomes the best that was met. How many were made.
    pub fn run<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        scaled: &Scaled,
        tolerance: f64,
        most: usize,
        at: &mut Iterate,
        best: &mut Iterate,
    ) -> usize {
        for steps in 0..most {
            if at.distance.excess <= 1.0 {
                return steps;
            }
            if !self.direction(problem, scaled, at) {
                return steps;
            }
            let before = at.distance.merit;
            self.search(problem, scaled, tolerance, at);
            best.keep_better(at);
            // cycling between pieces, or nothing left to gain
            if !at.distance.merit.is_finite() || at.distance.merit > 1e4 * before {
                return steps + 1;
            }
        }
        most
    }

    /// The step of Newton's method, in `self.step`: false where the system is singular.
    fn direction<D: Delassus>(&mut self, problem: &Problem<D>, scaled: &Scaled, at: &Iterate) -> bool {
        self.settle(scaled, at);
        self.settled.evaluate_velocities(problem);
        let m = self.active.len();
        let mut rhs = std::mem::take(&mut self.step);
        rhs.clear();
        rhs.extend(self.active.iter().map(|row| -self.settled.u[*row] * scaled.scale[*row]));
        fill(problem, scaled, &self.active, &self.place, self.lu.begin(m));
        for k in 0..m {
            self.lu.a[k * m + k] += PROXIMAL;
        }
        for k in 0..self.slides.len() {
            let (block, slide) = self.slides[k];
            self.turn(scaled, &scaled.blocks[block], slide, at, &mut rhs);
        }
        let regular = self.lu.factor();
        if regular {
            self.lu.solve(&mut rhs);
        }
        self.step = rhs;
        regular
    }

    /// Which piece holds for each block: what has a given value is given it.
    fn settle(&mut self, scaled: &Scaled, at: &Iterate) {
        let n = at.lambda.len();
        self.active.clear();
        self.slides.clear();
        self.place.clear();
        self.place.resize(n, NONE);
        self.settled.lambda.clone_from(&at.lambda);
        for (k, block) in scaled.blocks.iter().enumerate() {
            let (x, u) = (scaled.impulses(block, &at.lambda), scaled.velocities(block, &at.u));
            let mut y = x;
            for k in 0..block.len {
                y[k] -= u[k];
            }
            let held = match block.cone {
                Cone::Interval { lower, upper } => {
                    (y[0] <= lower).then_some(lower).or((y[0] >= upper).then_some(upper))
                }
                Cone::Friction { .. } => (y[0] <= 0.0).then_some(0.0),
            };
            if let Some(value) = held {
                let mut x = [0.0; MOST_ROWS];
                x[0] = value;
                scaled.store(block, &x, &mut self.settled.lambda);
                continue;
            }
            if let Cone::Friction { mu } = block.cone {
                let size = norm(&y[1..block.len]);
                if size > mu * y[0] {
                    let mut direction = y.map(|y| y / size);
                    direction[0] = 0.0;
                    self.slides.push((k, Slide { direction, turning: mu * y[0] / size }));
                }
            }
            for &row in block.rows() {
                self.place[row] = self.active.len();
                self.active.push(row);
            }
        }
    }

    /// Replaces the tangential rows of a sliding contact: `(I − cP) δ_T − μ t δ_n + c P G_T δ` on the left.
    fn turn(&mut self, scaled: &Scaled, block: &Block, slide: Slide, at: &Iterate, rhs: &mut [f64]) {
        let Cone::Friction { mu } = block.cone else { return };
        let (m, len, Slide { direction: t, turning: c }) = (self.active.len(), block.len, slide);
        let first = self.place[block.rows[0]];
        let across = |z: &Rows| {
            let along = (1..len).map(|k| t[k] * z[k]).sum::<f64>();
            let mut out = *z;
            (1..len).for_each(|k| out[k] -= along * t[k]);
            out
        };
        for column in 0..m {
            let mut g = [0.0; MOST_ROWS];
            for k in 1..len {
                g[k] = self.lu.a[(first + k) * m + column];
            }
            let g = across(&g);
            for k in 1..len {
                self.lu.a[(first + k) * m + column] = c * g[k];
            }
        }
        for k in 1..len {
            let mut unit = [0.0; MOST_ROWS];
            unit[k] = 1.0;
            let p = across(&unit);
            for l in 1..len {
                self.lu.a[(first + l) * m + first + k] += unit[l] - c * p[l];
            }
            self.lu.a[(first + k) * m + first] -= mu * t[k];
        }
        let (x, u) = (scaled.impulses(block, &at.lambda), scaled.velocities(block, &at.u));
        let mut change = scaled.velocities(block, &self.settled.u);
        (0..len).for_each(|k| change[k] -= u[k]);
        let change = across(&change);
        for k in 1..len {
            rhs[first + k] = mu * x[0] * t[k] - x[k] - c * change[k];
        }
    }

    /// The best of the whole step and a few halves of it.
    fn search<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        scaled: &Scaled,
        tolerance: f64,
        at: &mut Iterate,
    ) {
        // the whole change of λ, eliminated rows too
        let change = &mut self.settled.lambda;
        for (row, change) in change.iter_mut().enumerate() {
            *change -= at.lambda[row];
            if self.place[row] != NONE {
                *change = self.step[self.place[row]] * scaled.scale[row];
            }
        }
        let (start, mut part) = (at.distance.merit, 1.0);
        let mut found = f64::INFINITY;
        self.trial.lambda.clone_from(&at.lambda);
        self.from.clone_from(&at.lambda);
        for halving in 0..=MOST_HALVINGS {
            for (row, x) in self.trial.lambda.iter_mut().enumerate() {
                *x = part * self.settled.lambda[row] + self.from[row];
            }
            self.trial.evaluate(problem, scaled, tolerance);
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

/// The rows and columns `active` of the scaled matrix.
pub(super) fn fill<D: Delassus>(
    problem: &Problem<D>,
    scaled: &Scaled,
    active: &[usize],
    place: &[usize],
    out: &mut [f64],
) {
    let m = active.len();
    for (i, &row) in active.iter().enumerate() {
        let to = &mut out[i * m..(i + 1) * m];
        for (first, numbers) in problem.matrix.row(row) {
            for (k, x) in numbers.iter().enumerate() {
                if let Some(to) = to.get_mut(place[first + k]) {
                    *to = scaled.scale[row] * x * scaled.scale[first + k];
                }
            }
        }
        to[i] += problem.compliance.get(row).unwrap_or(&0.0) * scaled.scale[row] * scaled.scale[row];
    }
}
