//! The search: equations (1) and (2) of the [chapter](super), from one start after another.

use super::reach::out_of_reach;
use super::rows::{Rows, frame};
use super::{Outcome, Search, Solution, Target, TargetError, check};
use crate::dynamics::State;
use crate::model::{JointKind, Model};
use std::mem::discriminant;

/// A search that can be repeated: scratch for the targets of one model. Targets may change, but not their kinds and bodies.
#[derive(Clone, Debug)]
pub struct InverseKinematics<'a> {
    model: &'a Model,
    targets: Vec<Target>,
    rows: Rows,
    /// The next trial configuration, and the best of all starts.
    next: Vec<f64>,
    best: Vec<f64>,
    /// Limits: index in qpos, in qvel, lower, upper.
    limits: Vec<(usize, usize, f64, f64)>,
    /// The degrees of freedom that move the targets, and for all whether they may move.
    moving: Vec<usize>,
    free: Vec<bool>,
    step: Vec<f64>,
    /// e and J at the start of the step.
    kept_e: Vec<f64>,
    kept_j: Vec<f64>,
    /// A column of J, J Jᵀ, the factor of J Jᵀ + λ 1, the right-hand side.
    column: Vec<f64>,
    gram: Vec<f64>,
    factor: Vec<f64>,
    y: Vec<f64>,
}

/// When to abandon a descent: it must reduce ½ |e|² by a factor in this many steps, and take no more than this many rounds.
#[derive(Clone, Copy)]
struct Patience {
    steps: usize,
    factor: f64,
    rounds: usize,
}

/// For a descent from a start, where another start may be better.
const START: Patience = Patience { steps: 8, factor: 0.9, rounds: 1 };
/// For the final descent from the best failure, to come as close as possible.
const LAST: Patience = Patience { steps: 8, factor: 1.0 - 1e-13, rounds: 10 };

impl<'a> InverseKinematics<'a> {
    /// Scratch for these targets.
    ///
    /// # Errors
    /// If a target does not belong to this model.
    pub fn new(model: &'a Model, targets: &[Target]) -> Result<InverseKinematics<'a>, TargetError> {
        check(model, targets)?;
        let rows = Rows::new(model, targets);
        let (m, n) = (rows.e.len(), model.nv());
        let single = model.joints().iter().filter(|j| j.kind.nv() == 1);
        let limits =
            single.filter_map(|j| j.limits.map(|(a, b)| (j.coordinates().start, j.dofs().start, a, b)));
        Ok(InverseKinematics {
            model,
            targets: targets.to_vec(),
            moving: rows.moving(model, targets),
            rows,
            next: vec![0.0; model.nq()],
            best: vec![0.0; model.nq()],
            limits: limits.collect(),
            free: vec![true; n],
            step: vec![0.0; n],
            kept_e: vec![0.0; m],
            kept_j: vec![0.0; m * n],
            column: vec![0.0; m],
            gram: vec![0.0; m * m],
            factor: vec![0.0; m * m],
            y: vec![0.0; m],
        })
    }

    /// Replaces the targets by others of the same kinds, of the same bodies.
    ///
    /// # Errors
    /// If a target does not belong to this model, or differs in kind or body from the one that it replaces.
    pub fn set_targets(&mut self, targets: &[Target]) -> Result<(), TargetError> {
        check(self.model, targets)?;
        let body = |target: &Target| frame(target).map(|f| f.body);
        let same = |(a, b): (&Target, &Target)| body(a) == body(b) && discriminant(a) == discriminant(b);
        if targets.len() != self.targets.len() || !targets.iter().zip(&self.targets).all(same) {
            return Err(TargetError::Kinds);
        }
        self.targets.copy_from_slice(targets);
        Ok(())
    }

    /// Searches for a configuration that reaches the targets, starting from `start`.
    ///
    /// # Errors
    /// If a configuration does not fit the model.
    pub fn solve(&mut self, start: &[f64], search: &Search) -> Result<Solution, TargetError> {
        self.fits("the start", start)?;
        if let Some(posture) = &search.posture {
            self.fits("the posture", posture)?;
        }
        self.best.copy_from_slice(start);
        let hopeless = out_of_reach(self.model, &self.targets, search.limits);
        let (mut q, mut nearest, mut iterations, mut starts) = (start.to_vec(), f64::INFINITY, 0, 0);
        while starts < search.starts.max(1) {
            if starts > 0 {
                self.random_start(search.seed.wrapping_add(starts as u64), &mut q);
            }
            starts += 1;
            let (error, steps) = self.descend(&mut q, search, START);
            iterations += steps;
            if error < nearest {
                nearest = error;
                self.best.copy_from_slice(&q);
            }
            // out of reach, a few starts suffice to come as close as possible
            if reached(nearest, search) || (hopeless && starts >= 8) {
                break;
            }
        }
        q.copy_from_slice(&self.best);
        if !reached(nearest, search) && nearest.is_finite() {
            let (error, steps) = self.descend(&mut q, search, LAST);
            (nearest, iterations) = (error, iterations + steps);
        }
        if let Some(posture) = search.posture.as_deref().filter(|_| reached(nearest, search)) {
            iterations += self.settle(&mut q, posture, search);
        }
        Ok(self.solution(q, hopeless, iterations, starts, search))
    }

    fn fits(&self, what: &'static str, q: &[f64]) -> Result<(), TargetError> {
        let nq = self.model.nq();
        if q.len() != nq {
            return Err(TargetError::Length { what, found: q.len(), nq });
        }
        if q.iter().any(|x| !x.is_finite()) {
            return Err(TargetError::Configuration { what });
        }
        Ok(())
    }

    /// Takes steps from q until the targets are reached, or no step improves them; returns ½ |e|² and the number of steps.
    fn descend(&mut self, q: &mut [f64], search: &Search, patience: Patience) -> (f64, usize) {
        if search.limits {
            self.clamp(q);
        }
        let mut error = self.rows.evaluate(self.model, &self.targets, q);
        let (mut mu, mut mark, mut since) = (1.0, error, 0);
        for steps in 0..search.iterations * patience.rounds {
            if !error.is_finite() || reached(error, search) {
                return (error, steps);
            }
            self.choose_free(q, search.limits);
            self.form_gram();
            let nearer = loop {
                // of rows that depend on others, as those of loops do, some damping makes the matrix definite
                if self.find_step(mu * (error + 1e-18)) {
                    self.next.copy_from_slice(q);
                    self.model.integrate(&mut self.next, &self.step, 1.0);
                    if search.limits {
                        let mut next = std::mem::take(&mut self.next);
                        self.clamp(&mut next);
                        self.next = next;
                    }
                    let tried = self.rows.evaluate(self.model, &self.targets, &self.next);
                    if tried < error {
                        break Some(tried);
                    }
                }
                mu *= 8.0;
                if mu > 1e12 {
                    break None;
                }
            };
            let Some(tried) = nearer else {
                self.rows.evaluate(self.model, &self.targets, q);
                return (error, steps + 1);
            };
            q.copy_from_slice(&self.next);
            mu = (mu / 4.0).max(1e-6);
            error = tried;
            since += 1;
            if since == patience.steps {
                if error > patience.factor * mark {
                    return (error, steps + 1);
                }
                (mark, since) = (error, 0);
            }
        }
        (error, search.iterations * patience.rounds)
    }

    /// Selects the degrees of freedom that may move: one at its limit may not while the gradient pushes it outward.
    fn choose_free(&mut self, q: &[f64], limits: bool) {
        self.free.fill(true);
        if !limits {
            return;
        }
        let n = self.model.nv();
        for &(at, dof, lower, upper) in &self.limits {
            let column = self.rows.j.iter().skip(dof).step_by(n);
            let gradient: f64 = column.zip(&self.rows.e).map(|(j, e)| j * e).sum();
            let held = (q[at] <= lower && gradient > 0.0) || (q[at] >= upper && gradient < 0.0);
            self.free[dof] = !held;
        }
    }

    /// Computes J_f J_fᵀ; the columns of locked degrees of freedom are zeroed.
    fn form_gram(&mut self) {
        let (n, m) = (self.model.nv(), self.rows.e.len());
        for (k, _) in self.free.iter().enumerate().filter(|(_, free)| !**free) {
            (0..m).for_each(|row| self.rows.j[row * n + k] = 0.0);
        }
        // column by column, so that no sum waits for another; products and sums are rounded apart, for a fused one is a call on processors
        // that this code is not compiled for
        self.gram.fill(0.0);
        for k in self.moving.iter().filter(|k| self.free[**k]) {
            for (c, j) in self.column.iter_mut().zip(self.rows.j.iter().skip(*k).step_by(n)) {
                *c = *j;
            }
            for (a, (row, x)) in self.gram.chunks_exact_mut(m).zip(&self.column).enumerate() {
                row[..=a].iter_mut().zip(&self.column).for_each(|(sum, y)| *sum += x * y);
            }
        }
        // trial steps overwrite those of `rows`
        self.kept_j.copy_from_slice(&self.rows.j);
        self.kept_e.copy_from_slice(&self.rows.e);
    }

    /// Equation (1); false when this damping does not make the matrix definite.
    fn find_step(&mut self, lambda: f64) -> bool {
        let (n, m) = (self.model.nv(), self.kept_e.len());
        self.factor.copy_from_slice(&self.gram);
        (0..m).for_each(|k| self.factor[k * m + k] += lambda);
        if !cholesky(&mut self.factor, m) {
            return false;
        }
        self.y.copy_from_slice(&self.kept_e);
        substitute(&self.factor, m, &mut self.y);
        self.step.fill(0.0);
        for (row, y) in self.kept_j.chunks_exact(n.max(1)).zip(&self.y) {
            self.moving.iter().for_each(|k| self.step[*k] -= row[*k] * y);
        }
        true
    }

    /// Moves towards a posture along the directions that the targets leave free, as long as that is an improvement.
    fn settle(&mut self, q: &mut [f64], posture: &[f64], search: &Search) -> usize {
        let n = self.model.nv();
        let (mut pull, mut kept, mut steps) = (vec![0.0; n], q.to_vec(), 0);
        let mut away = self.distance(q, posture, &mut pull);
        let mut scale = 1.0;
        while steps < search.iterations && scale > 1e-3 {
            self.rows.evaluate(self.model, &self.targets, q);
            self.choose_free(q, search.limits);
            self.form_gram();
            // e ← J_f pull: then (1) removes the part of the pull that would move the targets
            for (k, free) in self.free.iter().enumerate() {
                if !*free {
                    pull[k] = 0.0;
                }
            }
            for (e, row) in self.kept_e.iter_mut().zip(self.kept_j.chunks_exact(n.max(1))) {
                *e = row.iter().zip(&pull).map(|(j, p)| j * p).sum();
            }
            if !self.find_step(1e-12) {
                break;
            }
            let motion: Vec<f64> = self.step.iter().zip(&pull).map(|(s, p)| scale * (s + p)).collect();
            kept.copy_from_slice(q);
            self.model.integrate(q, &motion, 1.0);
            let (error, used) = self.descend(q, search, START);
            steps += used.max(1);
            let now = self.distance(q, posture, &mut pull);
            if !reached(error, search) || now >= away * (1.0 - 1e-6) {
                q.copy_from_slice(&kept);
                away = self.distance(q, posture, &mut pull);
                scale *= 0.5;
            } else {
                away = now;
            }
        }
        steps
    }

    fn distance(&self, q: &[f64], posture: &[f64], pull: &mut [f64]) -> f64 {
        self.model.difference(q, posture, pull);
        pull.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    fn clamp(&self, q: &mut [f64]) {
        for &(at, _, lower, upper) in &self.limits {
            q[at] = q[at].max(lower).min(upper);
        }
    }

    /// The next of a fixed sequence of configurations; a joint without limits gets any angle of a full turn.
    fn random_start(&self, seed: u64, q: &mut Vec<f64>) {
        *q = self.model.random_configuration(seed);
        for joint in self.model.joints() {
            if matches!(joint.kind, JointKind::Revolute { .. }) && joint.limits.is_none() {
                q[joint.coordinates().start] *= std::f64::consts::PI;
            }
        }
    }

    fn solution(
        &mut self,
        q: Vec<f64>,
        hopeless: bool,
        iterations: usize,
        starts: usize,
        search: &Search,
    ) -> Solution {
        let state = State { q, ..State::new(self.model) };
        let deviations = self.rows.deviations(self.model, &self.targets, &state);
        let gap = self.rows.gap(self.model, &state.q);
        let near = |x: f64| x <= search.tolerance;
        let converged = near(gap) && deviations.iter().all(|d| near(d.distance) && near(d.angle));
        let outcome = match (converged, hopeless) {
            (true, _) => Outcome::Converged,
            (false, true) => Outcome::Unreachable,
            (false, false) => Outcome::LocalMinimum,
        };
        let ends = |q: f64, a: f64, b: f64| q <= a + search.tolerance || q >= b - search.tolerance;
        let at_limit = self.limits.iter().filter(|(at, _, a, b)| ends(state.q[*at], *a, *b));
        let at_limit = at_limit.map(|(_, dof, _, _)| *dof).collect();
        Solution { q: state.q, outcome, deviations, gap, iterations, starts, at_limit }
    }
}

/// True if ½ |e|² is within the tolerance, which bounds every single deviation.
fn reached(half_square: f64, search: &Search) -> bool {
    (2.0 * half_square).sqrt() <= search.tolerance
}

/// Computes the Cholesky factor of the lower triangle, in place; false if the matrix is not definite.
fn cholesky(a: &mut [f64], m: usize) -> bool {
    for k in 0..m {
        for row in k..m {
            let sum = (0..k).fold(a[row * m + k], |s, c| s - a[row * m + c] * a[k * m + c]);
            a[row * m + k] = if row == k { sum.sqrt() } else { sum / a[k * m + k] };
        }
        if a[k * m + k].is_nan() || a[k * m + k] <= 0.0 {
            return false;
        }
    }
    true
}

/// x ← (L Lᵀ)⁻¹ x.
fn substitute(l: &[f64], m: usize, x: &mut [f64]) {
    for k in 0..m {
        let sum = (0..k).fold(x[k], |s, c| s - l[k * m + c] * x[c]);
        x[k] = sum / l[k * m + k];
    }
    for k in (0..m).rev() {
        let sum = (k + 1..m).fold(x[k], |s, c| s - l[c * m + k] * x[c]);
        x[k] = sum / l[k * m + k];
    }
}
