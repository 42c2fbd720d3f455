//! Extrapolation of the midpoint rule in canonical coordinates, with error control, for reference solutions.
//!
//! Gragg's modified midpoint rule over a step H in n substeps has an error expansion in (H/n)². Its results T_j1
//! for n = 2, 4, 6, … are extrapolated to H/n = 0 by the Aitken–Neville scheme
//! `T_jk = T_j,k−1 + (T_j,k−1 − T_j−1,k−1) / ((n_j/n_j−k+1)² − 1)` [Hairer93, section II.9]; T_jj has order 2j.
//! |T_jj − T_j,j−1| is the error estimate: the step is accepted at the first j ≥ 4 that meets the tolerance.

use super::chart::{chart_rate, largest_turn};
use super::events::between_events;
use super::{Integrator, MemoryReader, StepError, Stepping, System, accept, copy};
use crate::dynamics::State;
use crate::model::Model;

const COLUMNS: usize = 8;
/// A step that needs more should be divided by the user.
const MOST_INNER_STEPS: usize = 100_000;
/// The limit with resting contacts, in evaluations. It ends, for example, the rolling of a disc that lies almost flat.
const MOST_EVALUATIONS: usize = 50_000;
/// A chart is changed well before the angle 2π, where it becomes singular.
const LARGEST_TURN: f64 = 2.0;

/// Divides steps of `dt` into as many inner steps as the tolerance requires; see the module page.
#[derive(Clone, Debug)]
pub struct Adaptive {
    tolerance: f64,
    /// The size of the next inner step; `None` before the first.
    inner: Option<f64>,
    /// One row of the extrapolation table, each entry (u, v).
    table: Vec<Vec<f64>>,
    before: Vec<f64>,
    now: Vec<f64>,
    rate: Vec<f64>,
    stage: State,
    origin: State,
    next: State,
    /// The number of evaluations in the current step.
    spent: usize,
}

impl Adaptive {
    /// Scratch for `model`, relative tolerance 1e-13 an inner step.
    pub fn new(model: &Model) -> Self {
        Adaptive::with_tolerance(model, 1e-13)
    }
    /// As `new`, with another tolerance.
    pub fn with_tolerance(model: &Model, tolerance: f64) -> Self {
        let zeros = || vec![0.0; 2 * model.nv()];
        let state = State::new(model);
        Adaptive {
            tolerance,
            inner: None,
            table: (0..COLUMNS).map(|_| zeros()).collect(),
            before: zeros(),
            now: zeros(),
            rate: zeros(),
            stage: state.clone(),
            origin: state.clone(),
            next: state,
            spent: 0,
        }
    }

    /// Evaluates the rate of (u, v) at y = (u, v), in the chart about `origin`.
    fn evaluate(&mut self, system: &mut System, origin: &State, time: f64) {
        let n = origin.v.len();
        self.spent += 1;
        if self.now.iter().any(|y| !y.is_finite()) {
            self.rate.fill(f64::NAN);
            return;
        }
        let (u, v) = self.now.split_at(n);
        let (du, dv) = self.rate.split_at_mut(n);
        copy(&mut self.stage, origin);
        system.model().integrate(&mut self.stage.q, u, 1.0);
        self.stage.time = time;
        self.stage.v.copy_from_slice(v);
        // on an error, try a smaller step
        if system.stage_acceleration(&mut self.stage, dv).is_err() {
            dv.fill(f64::NAN);
        }
        chart_rate(&system.model(), u, &self.stage.v, du);
    }

    /// Applies Gragg's midpoint rule over `h` in `n` substeps from `origin`; the result is in `now`.
    fn midpoint_rule(&mut self, system: &mut System, origin: &State, h: f64, n: usize) {
        let (nv, s) = (origin.v.len(), h / n as f64);
        self.before[..nv].fill(0.0);
        self.before[nv..].copy_from_slice(&origin.v);
        self.now.clone_from(&self.before);
        self.evaluate(system, origin, origin.time);
        for (y, f) in self.now.iter_mut().zip(&self.rate) {
            *y = s.mul_add(*f, *y);
        }
        for k in 1..n {
            self.evaluate(system, origin, origin.time + s * k as f64);
            for ((y, y0), f) in self.now.iter_mut().zip(&mut self.before).zip(&self.rate) {
                let after = (2.0 * s).mul_add(*f, *y0);
                *y0 = std::mem::replace(y, after);
            }
        }
    }

    /// Adds row j to the table; returns the error estimate in units of the tolerance, and the index where it is largest. The tolerance
    /// includes what the round-off of accelerations, `noise` for each degree of freedom, causes within h.
    fn extrapolate(&mut self, j: usize, noise: &[f64], h: f64) -> (f64, usize) {
        let (mut worst, mut place) = (0.0, 0);
        let n = self.now.len() / 2;
        let scale = self.now.iter().fold(1.0, |m: f64, y| m.max(y.abs()));
        for c in 0..self.now.len() {
            let mut entry = self.now[c];
            for k in 0..j {
                let old = std::mem::replace(&mut self.table[k][c], entry);
                let ratio = (j + 1) as f64 / (j - k) as f64;
                entry += (entry - old) / (ratio * ratio - 1.0);
            }
            self.table[j][c] = entry;
            let error = if j == 0 { f64::INFINITY } else { (entry - self.table[j - 1][c]).abs() };
            let error = if error.is_nan() { f64::INFINITY } else { error };
            let random = noise.get(c % n).map_or(0.0, |a| h.abs() * a * if c < n { h.abs() } else { 1.0 });
            let error = error / self.tolerance.mul_add(scale, random);
            if error > worst {
                (worst, place) = (error, c);
            }
        }
        (worst, place)
    }

    /// Takes one inner step of at most `h` from `origin` into `next`; returns its size and that of the next one.
    fn inner_step(
        &mut self,
        system: &mut System,
        origin: &State,
        mut h: f64,
    ) -> Result<(f64, f64), StepError> {
        let model = &*system.model();
        let (nv, mut place, whole) = (origin.v.len(), 0, h);
        loop {
            if h != whole && h.abs() < 1e-12 * origin.time.abs().max(1e-3) {
                let what = model.dof_name(place % nv.max(1));
                return Err(StepError::StepTooSmall { time: origin.time, step: h.abs(), what });
            }
            let mut error = f64::INFINITY;
            for j in 0..COLUMNS {
                system.go_on(origin.time)?;
                self.midpoint_rule(system, origin, h, 2 * (j + 1));
                (error, place) = self.extrapolate(j, system.rest_noise(), h);
                let turned = largest_turn(model, &self.table[j][..nv]);
                if j >= 3 && error <= 1.0 && turned <= LARGEST_TURN {
                    copy(&mut self.next, origin);
                    model.integrate(&mut self.next.q, &self.table[j][..nv], 1.0);
                    self.next.v.copy_from_slice(&self.table[j][nv..]);
                    self.next.time = origin.time + h;
                    let growth = 0.9 * libm::pow(0.5 / error.max(1e-8), 1.0 / (2 * j + 1) as f64);
                    // a step accepted early may grow; one that needed every column shrinks a little
                    return Ok((h, h * growth.clamp(0.5, if j < COLUMNS - 2 { 2.0 } else { 1.1 })));
                }
            }
            let factor = 0.9 * libm::pow(0.5 / error, 1.0 / (2 * COLUMNS - 1) as f64);
            h *= if factor.is_finite() { factor.clamp(0.1, 0.7) } else { 0.1 };
        }
    }
}

impl Integrator for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }
    fn stepping(&self) -> Stepping {
        Stepping::Events
    }
    fn order(&self) -> u32 {
        2 * COLUMNS as u32
    }
    fn memory(&self, out: &mut Vec<f64>) {
        out.extend([f64::from(self.inner.is_some()), self.inner.unwrap_or(0.0)]);
    }
    fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        let (some, inner) = (from.flag(), from.number());
        self.inner = (some && inner > 0.0).then_some(inner);
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        self.spent = 0;
        between_events(system, state, dt, |system, state, h| self.smooth_step(system, state, h))
    }
}

impl Adaptive {
    fn smooth_step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = &*system.model();
        let end = state.time + dt;
        let bad = || state.first_not_finite(model);
        // these errors do not go away with smaller steps
        if let Some(what) = (!end.is_finite()).then(|| "time".to_string()).or_else(bad) {
            return Err(StepError::NotFinite { time: state.time, dt, what });
        }
        let mut origin = std::mem::take(&mut self.origin);
        copy(&mut origin, state);
        let outcome = self.march(system, &mut origin, end, dt);
        copy(&mut self.next, &origin);
        self.origin = origin;
        outcome?;
        accept(system, state, &mut self.next, dt)
    }
}

impl Adaptive {
    /// Takes inner steps from `origin` to the time `end`, which is earlier if dt < 0.
    fn march(&mut self, system: &mut System, origin: &mut State, end: f64, dt: f64) -> Result<(), StepError> {
        let mut inner = self.inner.unwrap_or(dt.abs().min(1e-2));
        let mut steps = 0;
        while origin.time != end {
            let long = system.any_resting() && self.spent > MOST_EVALUATIONS;
            if steps == MOST_INNER_STEPS || long {
                return Err(StepError::TooMuchWork { time: origin.time, dt, most: MOST_INNER_STEPS });
            }
            steps += 1;
            let left = end - origin.time;
            // avoid a tiny last step: two equal steps instead of a long and a tiny one
            let h = if inner >= left.abs() { left } else { inner.min(0.5 * left.abs()).copysign(left) };
            let (taken, after) = self.inner_step(system, origin, h)?;
            // a step cut short by the end says little about the size of the next
            inner = if taken == h && h.abs() < inner { inner.max(after.abs()) } else { after.abs() };
            std::mem::swap(origin, &mut self.next);
            if taken == left {
                origin.time = end;
            }
        }
        self.inner = Some(inner);
        Ok(())
    }
}
