//! Semi-implicit Euler: `v⁺ = v + h v̇(q, v)`, `q⁺ = q ⊕ h v⁺`.
//!
//! Symplectic if the mass matrix is constant [Hairer06, section I.1.2]. In general it is not, since v is not the momentum: the energy of a
//! free spinning body or of a tumbling tree grows. Use `midpoint` for long runs. If contacts are enabled, collisions may leave bodies with
//! spins of any speed, so the gyroscopic torque of loose bodies is taken at the mean angular velocity of the step ([`super::spin`]), which
//! is stable at any step size.

use super::powers::Kick;
use super::spin::LooseBodies;
use super::{Integrator, StepEquations, StepError, System, accept_impacts, copy, kick};
use crate::constraint::RowTiming;
use crate::dynamics::State;
use crate::model::Model;

/// One evaluation a step; see the module page.
#[derive(Clone, Debug)]
pub struct SemiImplicit {
    loose: LooseBodies,
    v_hat: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    next: State,
}

impl SemiImplicit {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let (loose, next) = (LooseBodies::of(model), State::new(model));
        SemiImplicit { loose, v_hat: zeros(), a: zeros(), tau: zeros(), next }
    }

    /// v̇, and v̂.
    fn accelerate(&mut self, system: &mut System, state: &State, dt: f64) {
        system.begin_step();
        self.v_hat.copy_from_slice(&state.v);
        system.step_acceleration(state, dt, Some((&self.loose, &mut self.v_hat)), &mut self.a);
    }
}

impl Integrator for SemiImplicit {
    fn name(&self) -> &'static str {
        "semi-implicit"
    }
    fn order(&self) -> u32 {
        1
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = &*system.model();
        self.accelerate(system, state, dt);
        copy(&mut self.next, state);
        kick(&mut self.next.v, &self.a, dt);
        model.integrate(&mut self.next.q, &self.next.v, dt);
        self.next.time = state.time + dt;
        let (v, to) = (&state.v[..], &self.next.v[..]);
        let kick = Kick { at: state, v_bias: &self.v_hat, from: v, to, a: &self.a, h: dt, reach: None };
        system.note_kick(&kick, &mut self.tau);
        system.note_impulses(dt, &self.next.v);
        accept_impacts(system, state, &mut self.next, dt)
    }
    fn equations(&mut self, system: &mut System, state: &State, dt: f64) -> Option<StepEquations> {
        self.accelerate(system, state, dt);
        let spins = system.touches() && self.loose.are_any();
        Some(StepEquations {
            timing: RowTiming::Begin,
            stiff: false,
            a: self.a.clone(),
            v_hat: self.v_hat.clone(),
            found_before: None,
            loose: spins.then(|| self.loose.clone()),
            spins_corrected: false,
        })
    }
}
