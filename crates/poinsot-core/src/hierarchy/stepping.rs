//! Steps of a stretching hierarchy, and the projection onto its constraints.

use super::{AffineDynamics, AffineError, NodeMotion};
use crate::spatial::Quat;
use std::fmt;
use std::str::FromStr;

/// The state of a hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct AffineState {
    /// Time, s.
    pub time: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

/// Scratch for a step.
#[derive(Clone, Debug)]
pub(super) struct StepScratch {
    stage: AffineState,
    next: AffineState,
    rate: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

impl Default for StepScratch {
    fn default() -> Self {
        let empty = AffineState { time: 0.0, q: Vec::new(), v: Vec::new() };
        StepScratch { stage: empty.clone(), next: empty, rate: Vec::new(), a: Vec::new(), tau: Vec::new() }
    }
}

impl StepScratch {
    /// Resizes to the state, with `next` equal to it and zero rates.
    fn fit(&mut self, state: &AffineState) {
        for scratch in [&mut self.stage, &mut self.next] {
            scratch.q.clone_from(&state.q);
            scratch.v.clone_from(&state.v);
        }
        for (list, n) in
            [(&mut self.rate, state.q.len()), (&mut self.a, state.v.len()), (&mut self.tau, state.v.len())]
        {
            list.clear();
            list.resize(n, 0.0);
        }
    }
}

/// The methods for stepping a hierarchy. Hierarchies with coordinates alone can also be stepped by the variational methods of
/// [`crate::lagrange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AffineMethod {
    /// `v⁺ = v + h a, q⁺ = q ⊕ h v⁺`, of first order.
    SemiImplicit,
    /// The classical Runge–Kutta method, of fourth order.
    Rk4,
}

impl fmt::Display for AffineMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == AffineMethod::Rk4 { "rk4" } else { "semi-implicit" })
    }
}

impl FromStr for AffineMethod {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "rk4" => Ok(AffineMethod::Rk4),
            "semi-implicit" => Ok(AffineMethod::SemiImplicit),
            _ => Err(format!(
                "there is no method {word:?} for hierarchies that stretch; there are semi-implicit and rk4"
            )),
        }
    }
}

/// The most corrections of a projection.
const MOST_ROUNDS: usize = 30;

impl AffineDynamics {
    /// The state at rest and unstretched.
    pub fn rest(&self) -> AffineState {
        AffineState { time: 0.0, q: self.model.rest(), v: vec![0.0; self.model.nv] }
    }

    /// Takes one step with springs, gravity and constraints; if it fails, `state` is unchanged.
    pub fn step(
        &mut self,
        method: AffineMethod,
        state: &mut AffineState,
        dt: f64,
    ) -> Result<(), AffineError> {
        self.check(&state.q, &[("v", state.v.len())])?;
        if !dt.is_finite() || dt == 0.0 {
            return Err(AffineError::Step(dt));
        }
        let mut scratch = std::mem::take(&mut self.step_scratch);
        let made = self.try_step(method, state, dt, &mut scratch);
        if made.is_ok() {
            std::mem::swap(&mut state.q, &mut scratch.next.q);
            std::mem::swap(&mut state.v, &mut scratch.next.v);
            state.time += dt;
        }
        self.step_scratch = scratch;
        made.map_err(|e| match e {
            AffineError::NotFinite { what, .. } => AffineError::NotFinite { what, time: state.time },
            other => other,
        })
    }

    /// The state after the step, in `scratch.next`.
    fn try_step(
        &mut self,
        method: AffineMethod,
        state: &AffineState,
        dt: f64,
        scratch: &mut StepScratch,
    ) -> Result<(), AffineError> {
        scratch.fit(state);
        match method {
            AffineMethod::SemiImplicit => self.semi_implicit(state, dt, scratch)?,
            AffineMethod::Rk4 => self.rk4(state, dt, scratch)?,
        }
        let StepScratch { next, .. } = scratch;
        next.time = state.time + dt;
        self.normalise(&mut next.q);
        if !next.q.iter().chain(&next.v).all(|x| x.is_finite()) {
            return Err(AffineError::NotFinite { what: "the step", time: state.time });
        }
        self.project(next)
    }

    fn semi_implicit(
        &mut self,
        state: &AffineState,
        dt: f64,
        scratch: &mut StepScratch,
    ) -> Result<(), AffineError> {
        let StepScratch { next, rate, a, tau, .. } = scratch;
        self.forward_dynamics(&state.q, &state.v, tau, &[], a)?;
        shift(&mut next.v, a, dt);
        self.model.rates(&state.q, &next.v, rate);
        shift(&mut next.q, rate, dt);
        Ok(())
    }

    fn rk4(&mut self, state: &AffineState, dt: f64, scratch: &mut StepScratch) -> Result<(), AffineError> {
        let StepScratch { stage, next, rate, a, tau } = scratch;
        for (node, weight) in [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)] {
            stage.q.copy_from_slice(&state.q);
            stage.v.copy_from_slice(&state.v);
            shift(&mut stage.q, rate, node * dt);
            shift(&mut stage.v, a, node * dt);
            self.forward_dynamics(&stage.q, &stage.v, tau, &[], a)?;
            self.model.rates(&stage.q, &stage.v, rate);
            shift(&mut next.q, rate, weight * dt);
            shift(&mut next.v, a, weight * dt);
        }
        Ok(())
    }

    /// Normalises quaternions.
    fn normalise(&self, q: &mut [f64]) {
        for link in &self.model.links {
            let at = match link.motion {
                NodeMotion::Ball => link.q,
                NodeMotion::Free => link.q + 3,
                _ => continue,
            };
            let unit = Quat { w: q[at], x: q[at + 1], y: q[at + 2], z: q[at + 3] }.normalized();
            q[at..at + 4].copy_from_slice(&unit.array());
        }
    }

    /// Projects the coordinates onto C = 0 and the velocities onto Ċ = 0, nearest in the mass metric.
    pub fn project(&mut self, state: &mut AffineState) -> Result<(), AffineError> {
        self.check(&state.q, &[("v", state.v.len())])?;
        if self.rows.value.is_empty() {
            return Ok(());
        }
        let left = |values: &[f64]| values.iter().fold(0.0f64, |m, c| m.max(c.abs()));
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            self.factor_at(&state.q, &state.v)?;
            self.evaluate_rows(&state.q, &state.v);
            self.respond();
            let open = left(&self.rows.value);
            if open == 0.0 || !open.is_finite() || (open < 1e-12 && open >= last) {
                break;
            }
            last = open;
            self.rows.lambda.iter_mut().zip(&self.rows.value).for_each(|(l, c)| *l = -c);
            self.solve_rows();
            let (mut by, mut rate) = std::mem::take(&mut self.correction);
            by.fill(0.0);
            self.push(&mut by);
            self.model.rates(&state.q, &by, &mut rate);
            shift(&mut state.q, &rate, 1.0);
            self.correction = (by, rate);
            self.normalise(&mut state.q);
        }
        let open = left(&self.rows.value);
        if open.is_nan() || open > 1e-9 {
            return Err(AffineError::Constraints { time: state.time, left: open });
        }
        for row in 0..self.rows.value.len() {
            self.rows.lambda[row] = -self.along(row, &state.v);
        }
        self.solve_rows();
        self.push(&mut state.v);
        Ok(())
    }
}

fn shift(x: &mut [f64], rate: &[f64], h: f64) {
    x.iter_mut().zip(rate).for_each(|(x, r)| *x = h.mul_add(*r, *x));
}
