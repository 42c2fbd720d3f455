//! A primal–dual interior-point method with a filter line search [WaechterBiegler06], on chains.
//!
//! Bounds are enforced by a barrier: φ = f − μ Σ ln(x − l) − μ Σ ln(u − x). A step solves
//! ```math
//! (1)  (H + Σ + δ 1) dx + Aᵀ dλ = − ∇φ − Aᵀ λ
//! (2)  A dx − ε dλ = − c
//! ```
//! with H the second derivatives of f + λ · c, Σ = z_l/(x − l) + z_u/(u − x), and δ large enough that the matrix has as many negative
//! eigenvalues as rows, so that dx is a descent direction. ε makes redundant rows harmless.

use super::Program;
use super::chain::{Chain, Entry};
use super::filter::{Filter, Standing, Taken};
use super::restore::{Restored, restore};

/// Stopping criteria and options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The residual of the optimality conditions that counts as solved.
    pub tolerance: f64,
    /// The most iterations.
    pub iterations: usize,
    /// The initial μ: larger values initially keep farther from bounds, for guesses far from the solution.
    pub barrier: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { tolerance: 1e-9, iterations: 1000, barrier: 0.1 }
    }
}

/// The state of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The number of iterations.
    pub iteration: usize,
    /// f
    pub cost: f64,
    /// The largest violation of a row.
    pub violation: f64,
    /// The largest entry of the gradient of the Lagrangian.
    pub slope: f64,
    /// μ
    pub barrier: f64,
}

/// Why the method stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The optimality conditions hold.
    Solved,
    /// No more progress is possible in double precision; they hold to a thousand times the tolerance.
    Nearly,
    /// No small change reduces the violation of the rows.
    Infeasible,
    /// The cost falls without limit.
    Unbounded,
    /// The iteration limit was reached.
    Iterations,
    /// The caller stopped it.
    Interrupted,
    /// A function value was not finite, or no step could be found.
    Failed,
}

/// The result.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Why the method stopped.
    pub ending: Ending,
    /// The variables.
    pub x: Vec<f64>,
    /// The multipliers of the rows.
    pub multipliers: Vec<f64>,
    /// The final state: iterations, cost, violation, slope.
    pub step: Step,
    /// The largest product of a gap and its multiplier.
    pub complementarity: f64,
}

const REGULAR: f64 = 1e-11;
/// A cost that falls to minus this, relative to 1 and to the cost of the guess, has no least value.
const BOTTOMLESS: f64 = 1e12;
/// How far bound multipliers may be from μ over the gap.
const CORRIDOR: f64 = 1e10;

pub(super) struct Solver<'a, P: Program + ?Sized> {
    pub program: &'a P,
    pub blocks: Vec<usize>,
    pub scale: f64,
    pub x: Vec<f64>,
    pub multipliers: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub mu: f64,
    pub cost: f64,
    pub rows: Vec<f64>,
    pub gradient: Vec<f64>,
    pub jacobian: Vec<Entry>,
    hessian: Vec<Entry>,
    entries: Vec<Entry>,
    shift: f64,
    pub filter: Filter,
    pub iteration: usize,
}

/// Solves for x from an initial guess. `watch` is called in every iteration and may stop the method.
pub fn solve<P: Program + ?Sized>(
    program: &P,
    guess: &[f64],
    settings: &Settings,
    watch: &mut dyn FnMut(&Step) -> bool,
) -> Optimum {
    let mut solver = Solver::new(program, guess, settings);
    let ending = solver.run(settings, watch);
    let step = solver.step();
    let complementarity = solver.complementarity(0.0);
    let multipliers = solver.multipliers.iter().map(|l| l / solver.scale).collect();
    Optimum { ending, x: solver.x, multipliers, step, complementarity }
}

impl<'a, P: Program + ?Sized> Solver<'a, P> {
    fn new(program: &'a P, guess: &[f64], settings: &Settings) -> Self {
        let (n, m) = (program.blocks_of_variables().len(), program.blocks_of_rows().len());
        let blocks = program.blocks_of_variables().iter().chain(program.blocks_of_rows()).copied().collect();
        let x: Vec<f64> = guess.iter().zip(program.bounds()).map(|(x, b)| inside(*x, *b)).collect();
        let bounded = program.bounds().iter().any(|(l, u)| l.is_finite() || u.is_finite());
        let mut solver = Solver {
            program,
            blocks,
            scale: 1.0,
            x,
            multipliers: vec![0.0; m],
            lower: program.bounds().iter().map(|b| f64::from(u8::from(b.0.is_finite()))).collect(),
            upper: program.bounds().iter().map(|b| f64::from(u8::from(b.1.is_finite()))).collect(),
            mu: if bounded { settings.barrier } else { 0.0 },
            cost: 0.0,
            rows: vec![0.0; m],
            gradient: vec![0.0; n],
            jacobian: Vec::new(),
            hessian: Vec::new(),
            entries: Vec::new(),
            shift: 0.0,
            filter: Filter::default(),
            iteration: 0,
        };
        solver.evaluate();
        let steepest = solver.gradient.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
        solver.scale = if steepest > 100.0 { 100.0 / steepest } else { 1.0 };
        solver.evaluate();
        solver.filter = Filter::new(solver.violation());
        solver.estimate_multipliers();
        solver
    }

    /// Evaluates f, c and their derivatives at x; f is scaled.
    pub fn evaluate(&mut self) {
        self.cost = self.scale * self.program.values(&self.x, &mut self.rows);
        self.jacobian.clear();
        self.program.slopes(&self.x, &mut self.gradient, &mut self.jacobian);
        self.gradient.iter_mut().for_each(|g| *g *= self.scale);
    }

    /// Computes the least-squares multipliers of the rows for the gradient of the Lagrangian; 0 if they would be too large.
    pub fn estimate_multipliers(&mut self) {
        let (n, m) = (self.x.len(), self.rows.len());
        self.entries.clear();
        self.entries.extend((0..n).map(|k| (k, k, 1.0)));
        self.entries.extend(self.jacobian.iter().map(|(r, k, a)| (n + r, *k, *a)));
        self.entries.extend((0..m).map(|r| (n + r, n + r, -1e-8)));
        let chain = Chain::factor(&self.blocks, &self.entries);
        let mut right: Vec<f64> = (0..n)
            .map(|k| self.lower[k] - self.upper[k] - self.gradient[k])
            .chain((0..m).map(|_| 0.0))
            .collect();
        chain.solve(&mut right);
        let found = &right[n..];
        let tame = found.iter().all(|l| l.abs() <= 1e3);
        self.multipliers = if tame { found.to_vec() } else { vec![0.0; m] };
    }

    pub fn violation(&self) -> f64 {
        self.rows.iter().map(|c| c.abs()).sum()
    }

    /// Distances to the lower and upper bound.
    pub fn gaps(&self, x: &[f64], k: usize) -> (f64, f64) {
        let (l, u) = self.program.bounds()[k];
        (x[k] - l, u - x[k])
    }

    /// φ − scaled f at x.
    pub fn barrier(&self, x: &[f64]) -> f64 {
        let log = |gap: f64| if gap.is_finite() { libm::log(gap) } else { 0.0 };
        let sum: f64 = (0..x.len()).map(|k| self.gaps(x, k)).map(|(l, u)| log(l) + log(u)).sum();
        -self.mu * sum
    }

    pub fn standing(&self) -> Standing {
        Standing { violation: self.violation(), cost: self.cost + self.barrier(&self.x) }
    }

    /// The violation and cost at another point, and its rows.
    fn standing_at(&self, x: &[f64], rows: &mut [f64]) -> Standing {
        let cost = self.scale * self.program.values(x, rows) + self.barrier(x);
        Standing { violation: rows.iter().map(|c| c.abs()).sum(), cost }
    }

    fn slope_of_lagrangian(&self) -> Vec<f64> {
        let mut slope: Vec<f64> =
            (0..self.x.len()).map(|k| self.gradient[k] - self.lower[k] + self.upper[k]).collect();
        for (r, k, a) in &self.jacobian {
            slope[*k] += a * self.multipliers[*r];
        }
        slope
    }

    /// The largest deviation of gap times multiplier from μ.
    fn complementarity(&self, mu: f64) -> f64 {
        let off = |gap: f64, z: f64| if gap.is_finite() { (gap * z - mu).abs() } else { 0.0 };
        let of = |k| {
            let (l, u) = self.gaps(&self.x, k);
            off(l, self.lower[k]).max(off(u, self.upper[k]))
        };
        (0..self.x.len()).map(of).fold(0.0, f64::max)
    }

    /// The residual of the optimality conditions with the barrier μ.
    fn residual(&self, mu: f64) -> f64 {
        let duals = self.multipliers.iter().chain(&self.lower).chain(&self.upper);
        let mean = duals.map(|l| l.abs()).sum::<f64>() / (self.rows.len() + 2 * self.x.len()).max(1) as f64;
        let large = mean.max(100.0) / 100.0;
        let slope = largest(&self.slope_of_lagrangian());
        let parts = [slope / large, largest(&self.rows), self.complementarity(mu) / large];
        if parts.iter().any(|p| p.is_nan()) { f64::NAN } else { largest(&parts) }
    }

    fn step(&self) -> Step {
        Step {
            iteration: self.iteration,
            cost: self.cost / self.scale,
            violation: largest(&self.rows),
            slope: largest(&self.slope_of_lagrangian()) / self.scale,
            barrier: self.mu,
        }
    }

    fn run(&mut self, settings: &Settings, watch: &mut dyn FnMut(&Step) -> bool) -> Ending {
        let mut tired = 0;
        let bottom = -BOTTOMLESS * self.cost.abs().max(self.scale);
        loop {
            let residual = self.residual(0.0);
            if residual.is_nan() || !self.cost.is_finite() {
                return Ending::Failed;
            }
            if !watch(&self.step()) {
                return Ending::Interrupted;
            }
            if self.cost < bottom {
                return Ending::Unbounded;
            }
            if residual <= settings.tolerance {
                return Ending::Solved;
            }
            if tired >= 3 && residual <= 1e3 * settings.tolerance {
                return Ending::Nearly;
            }
            if self.iteration >= settings.iterations {
                return Ending::Iterations;
            }
            self.lower_barrier(settings.tolerance);
            let Some(chain) = self.factor() else { return Ending::Failed };
            self.iteration += 1;
            let direction = self.direction(&chain, &self.rows);
            match self.search(&chain, &direction) {
                Some(full) => tired = if full { 0 } else { tired + 1 },
                None => match restore(self, settings, watch) {
                    Restored::Better => tired = 0,
                    Restored::Feasible => tired += 1,
                    Restored::Stuck => return Ending::Infeasible,
                    Restored::Iterations => return Ending::Iterations,
                    Restored::Interrupted => return Ending::Interrupted,
                },
            }
            if tired > 20 {
                return Ending::Failed;
            }
        }
    }

    /// Decreases μ once the barrier problem is solved well enough.
    fn lower_barrier(&mut self, tolerance: f64) {
        let least = tolerance / 100.0;
        while self.mu > least && self.residual(self.mu) <= 10.0 * self.mu {
            self.mu = (0.2 * self.mu).min(libm::pow(self.mu, 1.5)).max(least);
            self.filter.clear();
        }
    }

    /// Σ of equation (1).
    fn stiffness(&self, k: usize) -> f64 {
        let (l, u) = self.gaps(&self.x, k);
        let of = |z: f64, gap: f64| if gap.is_finite() { z / gap } else { 0.0 };
        of(self.lower[k], l) + of(self.upper[k], u)
    }

    /// Factors the matrix of (1), with as many negative eigenvalues as rows.
    fn factor(&mut self) -> Option<Chain> {
        self.hessian.clear();
        self.program.curvature(&self.x, self.scale, &self.multipliers, &mut self.hessian);
        let mut shift = 0.0;
        for _ in 0..40 {
            let chain = self.factor_with(shift);
            if chain.negative == self.rows.len() && chain.zero == 0 {
                self.shift = if shift > 0.0 { shift } else { self.shift };
                return Some(chain);
            }
            shift = match (shift == 0.0, self.shift == 0.0) {
                (true, true) => 1e-4,
                (true, false) => (self.shift / 3.0).max(1e-20),
                (false, true) => 100.0 * shift,
                (false, false) => 8.0 * shift,
            };
        }
        None
    }

    fn factor_with(&mut self, shift: f64) -> Chain {
        let (n, m) = (self.x.len(), self.rows.len());
        self.entries.clear();
        self.entries.extend_from_slice(&self.hessian);
        for k in 0..n {
            self.entries.push((k, k, self.stiffness(k) + shift));
        }
        self.entries.extend(self.jacobian.iter().map(|(r, k, a)| (n + r, *k, *a)));
        self.entries.extend((0..m).map(|r| (n + r, n + r, -REGULAR)));
        Chain::factor(&self.blocks, &self.entries)
    }

    /// ∇φ
    pub fn barrier_gradient(&self, k: usize) -> f64 {
        let (l, u) = self.gaps(&self.x, k);
        self.gradient[k] - self.mu / l + self.mu / u
    }

    /// Solves for (dx, dλ) with these values of the rows, refined twice as if ε were 0, so that rows are satisfied to round-off.
    fn direction(&self, chain: &Chain, rows: &[f64]) -> Vec<f64> {
        let n = self.x.len();
        let mut right: Vec<f64> = (0..n).map(|k| -self.barrier_gradient(k)).collect();
        for (r, k, a) in &self.jacobian {
            right[*k] -= a * self.multipliers[*r];
        }
        right.extend(rows.iter().map(|c| -c));
        let mut x = right.clone();
        chain.solve(&mut x);
        for _ in 0..2 {
            let mut rest = right.clone();
            for (rest, l) in rest.iter_mut().zip(&x).skip(n) {
                *rest -= REGULAR * l;
            }
            for (i, j, a) in &self.entries {
                rest[*i] -= a * x[*j];
                if i != j {
                    rest[*j] -= a * x[*i];
                }
            }
            chain.solve(&mut rest);
            x.iter_mut().zip(&rest).for_each(|(x, r)| *x += r);
        }
        x
    }

    /// Changes of the bound multipliers of variable k.
    fn dual_step(&self, k: usize, dx: f64) -> (f64, f64) {
        let (l, u) = self.gaps(&self.x, k);
        let of = |z: f64, gap: f64, closing: f64| {
            if gap.is_finite() { self.mu / gap - z + z / gap * closing } else { 0.0 }
        };
        (of(self.lower[k], l, -dx), of(self.upper[k], u, dx))
    }

    /// The longest step along dx that keeps a fraction of every gap (fraction to the boundary).
    pub fn longest(&self, dx: &[f64]) -> f64 {
        let keep = (1.0 - self.mu).max(0.99);
        let mut alpha = 1.0f64;
        for (k, d) in dx.iter().enumerate().take(self.x.len()) {
            let (l, u) = self.gaps(&self.x, k);
            if *d < 0.0 && l.is_finite() {
                alpha = alpha.min(keep * l / -d);
            }
            if *d > 0.0 && u.is_finite() {
                alpha = alpha.min(keep * u / d);
            }
        }
        alpha
    }

    fn longest_dual(&self, direction: &[f64]) -> f64 {
        let keep = (1.0 - self.mu).max(0.99);
        let mut alpha = 1.0f64;
        for (k, dx) in direction.iter().enumerate().take(self.x.len()) {
            let (l, u) = self.dual_step(k, *dx);
            for (z, dz) in [(self.lower[k], l), (self.upper[k], u)] {
                if dz < 0.0 && z > 0.0 {
                    alpha = alpha.min(keep * z / -dz);
                }
            }
        }
        alpha
    }

    /// Line search along the direction with the filter: returns whether there was visible progress; `None` if no step is accepted.
    fn search(&mut self, chain: &Chain, direction: &[f64]) -> Option<bool> {
        let n = self.x.len();
        let dx = &direction[..n];
        let now = self.standing();
        let slope: f64 = (0..n).map(|k| self.barrier_gradient(k) * dx[k]).sum();
        let tiny = dx.iter().zip(&self.x).all(|(d, x)| d.abs() <= 10.0 * f64::EPSILON * (1.0 + x.abs()));
        let longest = self.longest(dx);
        if tiny {
            self.go(direction, dx, longest, None);
            return Some(false);
        }
        let (mut alpha, shortest) = (longest, self.filter.shortest(now, slope));
        let mut rows = vec![0.0; self.rows.len()];
        let mut first = true;
        while alpha >= shortest {
            let x = along(&self.x, dx, alpha);
            let trial = self.standing_at(&x, &mut rows);
            if let Some(taken) = self.filter.judge(now, trial, alpha, slope) {
                self.go(direction, dx, alpha, (taken == Taken::Better).then_some(now));
                return Some(true);
            }
            let worse = trial.violation >= now.violation && trial.violation.is_finite();
            if first && worse && self.correct(chain, direction, now, slope, &rows, longest) {
                return Some(true);
            }
            first = false;
            alpha *= 0.5;
        }
        None
    }

    /// Second-order corrections: the same step, aimed at the rows at its end.
    fn correct(
        &mut self,
        chain: &Chain,
        direction: &[f64],
        now: Standing,
        slope: f64,
        trial_rows: &[f64],
        longest: f64,
    ) -> bool {
        let n = self.x.len();
        let mut aim: Vec<f64> = self.rows.iter().zip(trial_rows).map(|(c, t)| longest * c + t).collect();
        let (mut rows, mut last) = (vec![0.0; aim.len()], f64::INFINITY);
        for _ in 0..4 {
            let corrected = self.direction(chain, &aim);
            let alpha = self.longest(&corrected[..n]);
            let trial = self.standing_at(&along(&self.x, &corrected[..n], alpha), &mut rows);
            if let Some(taken) = self.filter.judge(now, trial, longest, slope) {
                let dx = corrected[..n].to_vec();
                self.go(direction, &dx, alpha, (taken == Taken::Better).then_some(now));
                return true;
            }
            if trial.violation.is_nan() || trial.violation >= 0.99 * last {
                return false;
            }
            last = trial.violation;
            aim.iter_mut().zip(&rows).for_each(|(a, r)| *a = alpha * *a + r);
        }
        false
    }

    /// Takes the step, and evaluates there.
    fn go(&mut self, direction: &[f64], dx: &[f64], alpha: f64, corner: Option<Standing>) {
        if let Some(corner) = corner {
            self.filter.add(corner);
        }
        let (n, dual) = (self.x.len(), self.longest_dual(direction));
        for (k, dx) in direction.iter().enumerate().take(n) {
            let (l, u) = self.dual_step(k, *dx);
            self.lower[k] += dual * l;
            self.upper[k] += dual * u;
        }
        self.x = along(&self.x, dx, alpha);
        self.multipliers.iter_mut().zip(&direction[n..]).for_each(|(l, d)| *l += alpha * d);
        self.keep_corridor();
        self.evaluate();
    }

    /// Keeps bound multipliers near μ over the gap.
    fn keep_corridor(&mut self) {
        for k in 0..self.x.len() {
            let (l, u) = self.gaps(&self.x, k);
            for (z, gap) in [(&mut self.lower[k], l), (&mut self.upper[k], u)] {
                if gap.is_finite() {
                    *z = z.clamp(self.mu / (CORRIDOR * gap), CORRIDOR * self.mu / gap);
                }
            }
        }
    }

    /// Recomputes multipliers after a restoration.
    pub fn settle(&mut self) {
        for k in 0..self.x.len() {
            let (l, u) = self.gaps(&self.x, k);
            let of =
                |z: f64, gap: f64| if gap.is_finite() { z.min(1.0).max(self.mu / gap).min(1e3) } else { 0.0 };
            (self.lower[k], self.upper[k]) = (of(self.lower[k], l), of(self.upper[k], u));
        }
        self.estimate_multipliers();
    }
}

/// x + α d
pub(super) fn along(x: &[f64], d: &[f64], alpha: f64) -> Vec<f64> {
    x.iter().zip(d).map(|(x, d)| x + alpha * d).collect()
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| if x.is_nan() || m.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

/// Moves a guess into the interior of its bounds.
fn inside(x: f64, (l, u): (f64, f64)) -> f64 {
    let margin = |end: f64| {
        (0.01 * end.abs().max(1.0)).min(if (u - l).is_finite() { 0.01 * (u - l) } else { f64::INFINITY })
    };
    let low = if l.is_finite() { l + margin(l) } else { f64::NEG_INFINITY };
    let high = if u.is_finite() { u - margin(u) } else { f64::INFINITY };
    x.max(low).min(high)
}
