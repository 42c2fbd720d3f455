//! What a ledger asks of a system: energies of constraints, powers of what is not conservative.

use super::System;
use crate::dynamics::{Control, State};
use crate::model::{FixedTendon, Joint, Model};

/// The power along a velocity of the dampers of joints, taken at the velocity `end`, and of tendons, taken at v.
pub(super) fn damping_along(model: &Model, v: &[f64], end: &[f64], along: &[f64]) -> f64 {
    let of_joint = |j: &Joint| -> f64 { j.dofs().map(|k| -j.damping * end[k] * along[k]).sum() };
    let joints: f64 = model.joints().iter().filter(|j| j.damping > 0.0).map(of_joint).sum();
    let of_tendon = |t: &FixedTendon| -t.damping * t.rate(model, v) * t.rate(model, along);
    joints + model.tendons().iter().filter(|t| t.damping > 0.0).map(of_tendon).sum::<f64>()
}

/// What a servo lacks at the beginning of a step of its force at the end, where the velocity is `end` instead of v and has
/// moved positions for the time r.
pub(super) fn late_servo(r: f64, (stiffness, damping): (f64, f64), v: f64, end: f64) -> f64 {
    (r * stiffness).mul_add(end, damping * (end - v))
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
        damping_along(&self.model, v, v, v) + soft
    }

    /// The energy in springs and tendons that are not the model's own: in maximal coordinates those of the joints.
    pub(crate) fn joint_energy(&self, q: &[f64]) -> f64 {
        self.elements.iter().filter_map(|e| e.joints()).map(|joints| joints.spring_energy(q)).sum()
    }

    /// The works of dampers, actuators, medium and elements over a step of size h that takes forces at `at`, and D and K at its
    /// end, to which the acceleration a leads; the velocity is `at.v` at its beginning. `mean` and `tau` are scratch.
    pub(super) fn note_works(&mut self, at: &State, h: f64, a: &[f64], mean: &mut [f64], tau: &mut [f64]) {
        let end = |k: usize| h.mul_add(a[k], at.v[k]);
        mean.iter_mut().enumerate().for_each(|(k, mean)| *mean = 0.5 * (at.v[k] + end(k)));
        let mut last = std::mem::take(&mut self.tau);
        last.iter_mut().enumerate().for_each(|(k, v)| *v = end(k));
        let [others, mut actuators, medium, elements] = self.powers_along(at, (mean, &last), 0.5 * h, tau);
        self.each_servo(at, |k, stiffness, damping| {
            actuators -= late_servo(0.5 * h, (stiffness, damping), at.v[k], last[k]) * mean[k];
        });
        let own = damping_along(&self.model, &at.v, &last, mean);
        let soft = self.held.as_ref().map_or(0.0, |held| held.damping_along(&last, mean));
        self.tau = last;
        let works = [own + others + soft, actuators, medium, elements];
        let sums = self.report.works.get_or_insert([0.0; 4]);
        sums.iter_mut().zip(works).for_each(|(sum, work)| *sum += h * work);
    }

    /// The powers of dampers, actuators, medium and elements; τ is scratch.
    pub(crate) fn powers(&mut self, state: &State, tau: &mut [f64]) -> [f64; 4] {
        let own = self.damping_power(state);
        let [others, actuators, medium, elements] = self.powers_along(state, (&state.v, &state.v), 0.0, tau);
        [own + others, actuators, medium, elements]
    }

    /// The powers of dampers that are not the model's own, actuators, medium and elements: of their forces at a state along
    /// another velocity. Those of joints between free bodies are taken at the end of a step, where the velocity is `end`, which
    /// moves positions for the time r; τ is scratch.
    fn powers_along(
        &mut self,
        state: &State,
        (along, end): (&[f64], &[f64]),
        r: f64,
        tau: &mut [f64],
    ) -> [f64; 4] {
        let State { time, q, v, activation } = state;
        let power = |tau: &[f64]| tau.iter().zip(along).fold(0.0, |sum: f64, (t, v)| t.mul_add(*v, sum));
        tau.fill(0.0);
        let control = Control { signal: &self.control, activation };
        self.workspace.add_actuator_forces(&self.model, q, v, control, tau);
        let mut actuators = power(tau);
        tau.fill(0.0);
        self.workspace.add_medium_forces(&self.model, q, v, tau);
        let medium = power(tau);
        tau.fill(0.0);
        let (mut dampers, mut of_joints) = (0.0, 0.0);
        for element in &self.elements {
            if let Some(joints) = element.joints() {
                let given = joints.powers(*time, q, [v, end, along], r);
                (dampers, actuators) = (dampers + given.dampers, actuators + given.actuators);
                of_joints += given.elements;
            } else {
                element.add_forces(&self.model, *time, q, v, tau);
            }
        }
        [dampers, actuators, medium, power(tau) + of_joints]
    }
}
