//! Semi-implicit Euler, implicit in the joints' dampers and springs, and in actuators that act like them.
//!
//! Dampers and springs act with the velocity and position at the end of the step, `v⁺ = v + h a`, `q⁺ = q + h v⁺`:
//!
//! ```math
//! M a = τ − c − D v⁺ − K (q⁺ − q₀)   ⇒   (M + h D + h² K) a = τ − c − (D + h K) v − K (q − q₀)
//! ```
//! D and K are diagonal, so the matrix on the left is M with other rotor inertias: the articulated-body algorithm
//! solves it in O(n). Stable for any stiffness and damping of lines, and never adds energy
//! through them. Of the spring of an attitude only its own axes are implicit: `q + h v` stands for its chart.
//!
//! Constraints are met at the end of the step, rigid or soft, as [`crate::constraint`] has it for implicit steps. Soft ones
//! are followed around their bends by Broyden's method; where that does not converge (a load of many times the mass that
//! carries it) the step is the first one of it, as if they were straight: stable too, but less exact.
//!
//! An actuator on a joint of one coordinate adds `−∂τ/∂v` to D and `−∂τ/∂q` to K where these resist (a servo does), as
//! long as its force is not at the end of its range. Explicit, and so to be kept soft: springs and dampers of tendons,
//! actuators on tendons, sites and joints of several coordinates, which would couple degrees of freedom.

use super::broyden::Broyden;
use super::{Integrator, Quadrature, StepError, System, accept, copy};
use crate::dynamics::State;
use crate::model::Model;

const MOST_ITERATIONS: usize = 20;

/// See the module page.
#[derive(Clone, Debug)]
pub struct Implicit {
    a: Vec<f64>,
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    next: State,
    bends: Option<Bends>,
}

/// What it takes to follow soft constraints around their bends.
#[derive(Clone, Debug)]
struct Bends {
    solver: Broyden,
    first: State,
}

impl Implicit {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let soft = model.constraints().iter().any(|c| c.softness.is_some());
        let bends = soft.then(|| Bends { solver: Broyden::new(model.nv()), first: State::new(model) });
        Implicit { a: zeros(), tau: zeros(), diagonal: zeros(), next: State::new(model), bends }
    }

    /// The end of the step for the acceleration at hand.
    fn move_on(&mut self, model: &Model, state: &State, dt: f64) {
        copy(&mut self.next, state);
        for (v, a) in self.next.v.iter_mut().zip(&self.a) {
            *v = a.mul_add(dt, *v);
        }
        model.integrate(&mut self.next.q, &self.next.v, dt);
    }

    /// Corrects the end of the step until soft constraints are at their springs' forces there.
    fn follow(&mut self, bends: &mut Bends, system: &mut System, state: &State, dt: f64) {
        let model = &*system.model();
        copy(&mut bends.first, &self.next);
        bends.solver.restart();
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            let (ws, Some(held)) = system.constraints() else { return };
            held.implicit_correction(model, ws, &self.next, &state.v, &self.diagonal, dt, &mut self.a);
            for (k, a) in self.a.iter_mut().enumerate() {
                *a = a.mul_add(dt, state.v[k]) - self.next.v[k];
            }
            bends.solver.improve(&mut self.a);
            let (mut largest, mut size) = (0.0f64, 1e-300f64);
            for (v, d) in self.next.v.iter_mut().zip(&self.a) {
                *v += d;
                (largest, size) = (largest.max(d.abs()), size.max(v.abs()));
            }
            self.next.q.copy_from_slice(&state.q);
            model.integrate(&mut self.next.q, &self.next.v, dt);
            if largest <= 1e-14 * size || (largest >= 0.5 * last && largest <= 1e-9 * size) {
                return;
            }
            last = largest;
        }
        copy(&mut self.next, &bends.first);
    }
}

impl Integrator for Implicit {
    fn name(&self) -> &'static str {
        "implicit"
    }
    fn order(&self) -> u32 {
        1
    }
    fn quadrature(&self) -> Quadrature {
        Quadrature::End
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = &*system.model();
        system.forces_but_soft(state.time, &state.q, &state.v, &mut self.tau);
        for joint in model.joints() {
            for k in joint.dofs() {
                let stiffness = dt * joint.stiffness;
                self.diagonal[k] = joint.armature + dt * (joint.damping + stiffness);
                self.tau[k] = (-stiffness).mul_add(state.v[k], self.tau[k]);
            }
        }
        let (q, v) = (&state.q, &state.v);
        system.each_servo(q, v, |k, stiffness, damping| {
            let stiffness = dt * stiffness;
            self.diagonal[k] += dt * (damping + stiffness);
            self.tau[k] = (-stiffness).mul_add(v[k], self.tau[k]);
        });
        match system.constraints() {
            (ws, None) => {
                ws.forward_dynamics_with(model, q, v, &self.tau, Some(&self.diagonal), None, &mut self.a);
            }
            (ws, Some(held)) => {
                held.implicit_dynamics(model, ws, q, v, &self.tau, &self.diagonal, dt, &mut self.a);
            }
        }
        self.move_on(model, state, dt);
        if let Some(mut bends) = self.bends.take() {
            self.follow(&mut bends, system, state, dt);
            self.bends = Some(bends);
        }
        self.next.time = state.time + dt;
        accept(system, state, &mut self.next, dt)
    }
}
