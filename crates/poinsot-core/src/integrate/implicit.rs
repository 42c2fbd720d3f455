//! Semi-implicit Euler, implicit in the joints' dampers and springs, and in actuators that act like them.
//!
//! Dampers and springs act with the velocity and position at the end of the step, `v⁺ = v + h a`, `q⁺ = q + h v⁺`:
//!
//! ```math
//! M a = τ − c − D v⁺ − K (q⁺ − q₀)   ⇒   (M + h D + h² K) a = τ − c − (D + h K) v − K (q − q₀)
//! ```
//! For the contents of D and K, and the explicit remainder, see [`super::stiff`]; the drag of a medium is implicit, too ([`super::implicit_drag`]). For scalar coordinates the method is stable at any
//! stiffness and damping, and springs and dampers never add energy. For the spring of an attitude only its own axes are implicit: `q + h v`
//! replaces its chart.
//!
//! Constraints, rigid or soft, are linearised and imposed at the end of the step. If soft ones are stiff and curve within a step, or bodies
//! spin, use [`backward`](super::backward), which is fully nonlinear. Spins of loose bodies that may touch others are treated as in
//! [`super::semi_implicit`].

use super::powers::Kick;
use super::spin::LooseBodies;
use super::{Integrator, StepEquations, StepError, System, accept_impacts, copy, kick};
use crate::constraint::RowTiming;
use crate::dynamics::State;
use crate::model::Model;

/// See the module page.
#[derive(Clone, Debug)]
pub struct Implicit {
    loose: LooseBodies,
    v_hat: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    next: State,
}

impl Implicit {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let (loose, next) = (LooseBodies::of(model), State::new(model));
        Implicit { loose, v_hat: zeros(), a: zeros(), tau: zeros(), diagonal: zeros(), next }
    }

    /// v̇, and v̂.
    fn accelerate(&mut self, system: &mut System, state: &State, dt: f64) {
        let model = &*system.model();
        system.begin_step();
        system.stiff_forces(state, (dt, dt), &mut self.tau, &mut self.diagonal);
        self.v_hat.copy_from_slice(&state.v);
        system.delay_drag(state, &self.v_hat, dt, &self.diagonal, &mut self.tau);
        let spins = system.touches() && self.loose.are_any();
        if spins {
            self.loose.mean(&state.q, &state.v, &self.tau, dt, &mut self.v_hat);
        }
        let (q, v, v_hat) = (&state.q[..], &state.v[..], &self.v_hat[..]);
        system.find_contacts(q, v, dt, dt);
        let stabilisation = system.stabilisation();
        match system.constraints() {
            (ws, None) => {
                ws.forward_dynamics_with(model, q, v_hat, &self.tau, Some(&self.diagonal), None, &mut self.a);
            }
            (ws, Some(multipliers)) if multipliers.any_inequality() || multipliers.any_contact() || spins => {
                let (at, taken) = ((q, v, v_hat), (RowTiming::End, stabilisation));
                let pivots = multipliers.step_dynamics(
                    model,
                    ws,
                    at,
                    &self.tau,
                    &self.diagonal,
                    taken,
                    dt,
                    &mut self.a,
                );
                system.report.note(pivots);
            }
            (ws, Some(multipliers)) => {
                multipliers.implicit_dynamics(model, ws, q, v, &self.tau, &self.diagonal, dt, &mut self.a);
            }
        }
    }
}

impl Integrator for Implicit {
    fn name(&self) -> &'static str {
        "implicit"
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
        let kick = Kick { at: state, v_bias: &self.v_hat, from: v, to, a: &self.a, h: dt, reach: Some(dt) };
        system.note_kick(&kick, &mut self.tau);
        system.note_impulses(dt, &self.next.v);
        accept_impacts(system, state, &mut self.next, dt)
    }
    fn equations(&mut self, system: &mut System, state: &State, dt: f64) -> Option<StepEquations> {
        self.accelerate(system, state, dt);
        let spins = system.touches() && self.loose.are_any();
        Some(StepEquations {
            timing: RowTiming::End,
            stiff: true,
            a: self.a.clone(),
            v_hat: self.v_hat.clone(),
            found_before: None,
            loose: spins.then(|| self.loose.clone()),
            spins_corrected: false,
        })
    }
}
