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

    /// The works of dampers, actuators, medium and elements over a step of size h that takes forces at `at`, and D and K at its
    /// end, to which the acceleration a leads; the velocity is `at.v` at its beginning. `mean` and `tau` are scratch.
    pub(super) fn note_works(&mut self, at: &State, h: f64, a: &[f64], mean: &mut [f64], tau: &mut [f64]) {
        let end = |k: usize| h.mul_add(a[k], at.v[k]);
        mean.iter_mut().enumerate().for_each(|(k, mean)| *mean = 0.5 * (at.v[k] + end(k)));
        let [mut actuators, medium, elements] = self.powers_along(at, mean, tau);
        self.each_servo(at, |k, stiffness, damping| {
            let r = 0.5 * h;
            let late = (r * stiffness).mul_add(at.v[k], h * (damping + r * stiffness) * a[k]);
            actuators -= late * mean[k];
        });
        let of_joint = |j: &Joint| -> f64 { j.dofs().map(|k| -j.damping * end(k) * mean[k]).sum() };
        let joints: f64 = self.model.joints().iter().filter(|j| j.damping > 0.0).map(of_joint).sum();
        let of_tendon = |t: &FixedTendon| -t.damping * t.rate(&self.model, &at.v) * t.rate(&self.model, mean);
        let tendons: f64 = self.model.tendons().iter().filter(|t| t.damping > 0.0).map(of_tendon).sum();
        tau.iter_mut().enumerate().for_each(|(k, v)| *v = end(k));
        let soft = self.held.as_ref().map_or(0.0, |held| held.damping_along(tau, mean));
        let works = [joints + tendons + soft, actuators, medium, elements];
        let sums = self.report.works.get_or_insert([0.0; 4]);
        sums.iter_mut().zip(works).for_each(|(sum, work)| *sum += h * work);
    }

    /// The powers of actuators, medium and elements; τ is scratch.
    pub(crate) fn powers(&mut self, state: &State, tau: &mut [f64]) -> [f64; 3] {
        self.powers_along(state, &state.v, tau)
    }

    /// The same of their forces at a state along another velocity.
    pub(super) fn powers_along(&mut self, state: &State, along: &[f64], tau: &mut [f64]) -> [f64; 3] {
        let State { time, q, v, activation } = state;
        let power = |tau: &[f64]| tau.iter().zip(along).fold(0.0, |sum: f64, (t, v)| t.mul_add(*v, sum));
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
