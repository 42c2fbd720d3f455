//! The classical fourth-order Runge–Kutta method in canonical coordinates [MuntheKaas98].

use super::chart::chart_rate;
use super::events::between_events;
use super::{Integrator, StepError, Stepping, System, accept, copy, kick};
use crate::dynamics::State;
use crate::model::Model;

const NODES_AND_WEIGHTS: [(f64, f64); 4] =
    [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

/// Fourth order, four evaluations a step; see the module page.
#[derive(Clone, Debug)]
pub struct Rkmk4 {
    /// Stage coordinates, and rates of u and v; and the weighted sums.
    u: Vec<f64>,
    du: Vec<f64>,
    dv: Vec<f64>,
    sum_u: Vec<f64>,
    sum_v: Vec<f64>,
    stage: State,
    next: State,
}

impl Rkmk4 {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let state = State::new(model);
        Rkmk4 {
            u: zeros(),
            du: zeros(),
            dv: zeros(),
            sum_u: zeros(),
            sum_v: zeros(),
            stage: state.clone(),
            next: state,
        }
    }
}

impl Integrator for Rkmk4 {
    fn name(&self) -> &'static str {
        "rkmk4"
    }
    fn stepping(&self) -> Stepping {
        Stepping::Events
    }
    fn order(&self) -> u32 {
        4
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        between_events(system, state, dt, |system, state, h| self.smooth_step(system, state, h))
    }
}

impl Rkmk4 {
    fn smooth_step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = &*system.model();
        self.sum_u.fill(0.0);
        self.sum_v.fill(0.0);
        self.du.fill(0.0);
        self.dv.fill(0.0);
        for (node, weight) in NODES_AND_WEIGHTS {
            let h = node * dt;
            copy(&mut self.stage, state);
            for k in 0..self.u.len() {
                self.u[k] = h * self.du[k];
                self.stage.v[k] = h.mul_add(self.dv[k], state.v[k]);
            }
            model.integrate(&mut self.stage.q, &self.u, 1.0);
            self.stage.time = state.time + h;
            let failed = |source| StepError::Constraint { time: state.time, dt, source };
            system.stage_acceleration(&mut self.stage, &mut self.dv).map_err(failed)?;
            chart_rate(model, &self.u, &self.stage.v, &mut self.du);
            for k in 0..self.u.len() {
                self.sum_u[k] = weight.mul_add(self.du[k], self.sum_u[k]);
                self.sum_v[k] = weight.mul_add(self.dv[k], self.sum_v[k]);
            }
        }
        copy(&mut self.next, state);
        model.integrate(&mut self.next.q, &self.sum_u, dt);
        kick(&mut self.next.v, &self.sum_v, dt);
        self.next.time = state.time + dt;
        accept(system, state, &mut self.next, dt)
    }
}
