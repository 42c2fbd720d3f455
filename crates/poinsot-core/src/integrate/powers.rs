//! What a ledger asks of a system: energies of constraints, powers of what is not conservative.

use super::System;
use crate::dynamics::{Control, State};
use crate::model::{FixedTendon, Joint};

impl System<'_> {
    /// The energies in soft constraints and in their rotors.
    pub(crate) fn constraint_energies(&mut self, state: &State) -> (f64, f64) {
        let (model, ws) = (&self.model, &mut self.workspace);
        self.held.as_mut().map_or((0.0, 0.0), |h| h.energies(model, ws, &state.q, &state.v))
    }

    /// The power of all dampers: of joints, tendons and soft constraints.
    pub(crate) fn damping_power(&mut self, state: &State) -> f64 {
        let (q, v) = (&state.q, &state.v);
        let of_joint = |j: &Joint| -> f64 { v[j.dofs()].iter().map(|v| -j.damping * v * v).sum() };
        let joints: f64 = self.model.joints().iter().filter(|j| j.damping > 0.0).map(of_joint).sum();
        let of_tendon = |t: &FixedTendon| {
            let rate = t.rate(&self.model, v);
            -t.damping * rate * rate
        };
        let tendons: f64 = self.model.tendons().iter().filter(|t| t.damping > 0.0).map(of_tendon).sum();
        let soft = self.held.as_mut().filter(|h| h.any_soft());
        joints + tendons + soft.map_or(0.0, |h| h.damping_power(&self.model, &mut self.workspace, q, v))
    }

    /// The powers of actuators, medium and elements; τ is scratch.
    pub(crate) fn powers(&mut self, state: &State, tau: &mut [f64]) -> [f64; 3] {
        let State { time, q, v, activation } = state;
        let power = |tau: &[f64]| tau.iter().zip(v).fold(0.0, |sum: f64, (t, v)| t.mul_add(*v, sum));
        tau.fill(0.0);
        let control = Control { signal: &self.control, activation };
        self.workspace.add_actuator_forces(&self.model, q, v, control, tau);
        let actuators = power(tau);
        tau.fill(0.0);
        self.workspace.add_medium_forces(&self.model, q, v, tau);
        let medium = power(tau);
        tau.fill(0.0);
        for element in &self.elements {
            element.add_forces(&self.model, *time, q, v, tau);
        }
        [actuators, medium, power(tau)]
    }
}
