//! What a ledger asks of a system: energies of constraints, powers of what is not conservative.

use super::System;
use crate::dynamics::{Control, State};
use crate::model::{FixedTendon, Joint, Model};

/// The power of the dampers of joints and tendons.
pub(super) fn damping_power(model: &Model, v: &[f64]) -> f64 {
    let of_joint = |j: &Joint| -> f64 { v[j.dofs()].iter().map(|v| -j.damping * v * v).sum() };
    let joints: f64 = model.joints().iter().filter(|j| j.damping > 0.0).map(of_joint).sum();
    let of_tendon = |t: &FixedTendon| {
        let rate = t.rate(model, v);
        -t.damping * rate * rate
    };
    joints + model.tendons().iter().filter(|t| t.damping > 0.0).map(of_tendon).sum::<f64>()
}

impl System<'_> {
    /// The energies in soft constraints and in their rotors.
    pub(crate) fn constraint_energies(&mut self, state: &State) -> (f64, f64) {
        let (model, ws) = (&self.model, &mut self.workspace);
        self.held.as_mut().map_or((0.0, 0.0), |h| h.energies(model, ws, &state.q, &state.v))
    }

    /// The power of the model's dampers: of joints, tendons and soft constraints.
    fn damping_power(&mut self, state: &State) -> f64 {
        let (q, v) = (&state.q, &state.v);
        let soft = self.held.as_mut().filter(|h| h.any_soft());
        let soft = soft.map_or(0.0, |h| h.damping_power(&self.model, &mut self.workspace, q, v));
        damping_power(&self.model, v) + soft
    }

    /// The energy in springs and tendons that are not the model's own: in maximal coordinates those of the joints.
    pub(crate) fn joint_energy(&self, q: &[f64]) -> f64 {
        self.elements.iter().filter_map(|e| e.joints()).map(|joints| joints.spring_energy(q)).sum()
    }

    /// The powers of dampers, actuators, medium and elements; τ is scratch.
    pub(crate) fn powers(&mut self, state: &State, tau: &mut [f64]) -> [f64; 4] {
        let mut dampers = self.damping_power(state);
        let State { time, q, v, activation } = state;
        let power = |tau: &[f64]| tau.iter().zip(v).fold(0.0, |sum: f64, (t, v)| t.mul_add(*v, sum));
        tau.fill(0.0);
        let control = Control { signal: &self.control, activation };
        self.workspace.add_actuator_forces(&self.model, q, v, control, tau);
        let mut actuators = power(tau);
        tau.fill(0.0);
        self.workspace.add_medium_forces(&self.model, q, v, tau);
        let medium = power(tau);
        tau.fill(0.0);
        let mut of_joints = 0.0;
        for element in &self.elements {
            if let Some(joints) = element.joints() {
                let given = joints.powers(*time, q, v);
                (dampers, actuators) = (dampers + given.dampers, actuators + given.actuators);
                of_joints += given.elements;
            } else {
                element.add_forces(&self.model, *time, q, v, tau);
            }
        }
        [dampers, actuators, medium, power(tau) + of_joints]
    }
}
