//! Quantities for the ledger: energies of constraints, powers of non-conservative forces, and the work of the impulses of a step.

use super::System;
use super::report::Exerted;
use crate::constraint::Stabilisation;
use crate::dynamics::{Control, State};
use crate::model::{FixedTendon, Joint, Model};

/// The change of velocity in a step of size h of a time-stepping method, by impulses `h F`.
pub(super) struct Kick<'s> {
    /// The configuration at which forces are evaluated.
    pub at: &'s State,
    /// The velocity in c.
    pub v_bias: &'s [f64],
    /// The velocities before and after, and the change divided by h.
    pub from: &'s [f64],
    pub to: &'s [f64],
    pub a: &'s [f64],
    pub h: f64,
    /// If D, K and the drag are evaluated at the end of the step: the time for which the velocity there moves positions from `at`.
    pub reach: Option<f64>,
}

/// The power along a velocity of joint dampers, evaluated at the velocity `end`, and of tendon dampers, evaluated at v.
pub(super) fn damping_along(model: &Model, v: &[f64], end: &[f64], along: &[f64]) -> f64 {
    let of_joint = |j: &Joint| -> f64 { j.dofs().map(|k| -j.damping * end[k] * along[k]).sum() };
    let joints: f64 = model.joints().iter().filter(|j| j.damping > 0.0).map(of_joint).sum();
    let of_tendon = |t: &FixedTendon| -t.damping * t.rate(model, v) * t.rate(model, along);
    joints + model.tendons().iter().filter(|t| t.damping > 0.0).map(of_tendon).sum::<f64>()
}

/// The decrease of a servo's force from the start of a step to its end, where the velocity is `end` instead of v and has moved positions
/// for the time r.
pub(super) fn implicit_servo(r: f64, (stiffness, damping): (f64, f64), v: f64, end: f64) -> f64 {
    (r * stiffness).mul_add(end, damping * (end - v))
}

impl System<'_> {
    /// The energies in soft constraints and in their rotors.
    pub(crate) fn constraint_energies(&mut self, state: &State) -> (f64, f64) {
        let (model, ws) = (&self.model, &mut self.workspace);
        self.multipliers.as_mut().map_or((0.0, 0.0), |h| h.energies(model, ws, &state.q, &state.v))
    }

    /// The power of the model's dampers: of joints, tendons and soft constraints.
    fn damping_power(&mut self, state: &State) -> f64 {
        let (q, v) = (&state.q, &state.v);
        let soft = self.multipliers.as_mut().filter(|h| h.any_soft());
        let soft = soft.map_or(0.0, |h| h.damping_power(&self.model, &mut self.workspace, q, v));
        damping_along(&self.model, v, v, v) + soft
    }

    /// The energy in springs and tendons outside the model itself: in maximal coordinates, those of the joints.
    pub(crate) fn joint_energy(&self, q: &[f64]) -> f64 {
        self.elements.iter().filter_map(|e| e.joints()).map(|joints| joints.spring_energy(q)).sum()
    }

    /// If there is a ledger, records the work of the impulses of a kick: each times the mean of the velocities before and after. The
    /// current rows are those of the kick. `tau` is scratch.
    pub(super) fn note_kick(&mut self, kick: &Kick<'_>, tau: &mut [f64]) {
        let Some(mut path) = self.path.take() else { return };
        let &Kick { at, v_bias, from, to, a, h, reach } = kick;
        let mut mean = std::mem::take(&mut self.tau);
        mean.iter_mut().enumerate().for_each(|(k, mean)| *mean = 0.5 * (from[k] + to[k]));
        let end = if reach.is_some() { to } else { &at.v };
        let r = reach.unwrap_or(0.0);
        let [others, mut actuators, mut medium, elements] = self.powers_along(at, (&mean, end), r, tau);
        if reach.is_some() {
            medium += self.implicit_drag_power(&mean);
        }
        self.each_servo(at, |k, stiffness, damping| {
            actuators -= implicit_servo(r, (stiffness, damping), at.v[k], end[k]) * mean[k];
        });
        let own = damping_along(&self.model, &at.v, end, &mean);
        let soft = self.multipliers.as_ref().map_or(0.0, |multipliers| multipliers.damping_along(end, &mean));
        let constraints = self.rigid_power(at, &mean);
        self.tau = mean;
        let gravity = self.weight(at);
        path.reactions.find(&self.model, &mut self.workspace, &at.q, v_bias, a, None, None);
        let works = [own + others + soft, actuators, medium, elements, constraints].map(|power| h * power);
        let world = path.reactions.of_world() * h;
        self.path = Some(path);
        let sum = self.report.exerted.get_or_insert_default();
        sum.add(&Exerted { works, contacts: [0.0; 2], gravity: gravity * h, world });
    }

    /// The power along a velocity of the rigid constraint forces of the last solve; with projection it is an error of the method.
    fn rigid_power(&mut self, at: &State, along: &[f64]) -> f64 {
        let (model, ws) = (&self.model, &mut self.workspace);
        match &mut self.multipliers {
            Some(multipliers)
                if multipliers.any_rigid() && self.stabilisation != Stabilisation::Projection =>
            {
                // a quick step does not evaluate the rows
                multipliers.elsewhere(|multipliers| {
                    multipliers.evaluate(model, ws, &at.q, along);
                    multipliers.rigid_power()
                })
            }
            _ => 0.0,
        }
    }

    /// The powers of dampers, actuators, medium and elements; τ is scratch.
    pub(crate) fn powers(&mut self, state: &State, tau: &mut [f64]) -> [f64; 4] {
        let own = self.damping_power(state);
        let [others, actuators, medium, elements] = self.powers_along(state, (&state.v, &state.v), 0.0, tau);
        [own + others, actuators, medium, elements]
    }

    /// The powers of dampers outside the model itself, actuators, medium and elements: of their forces at a state, along another velocity.
    /// Those of joints between free bodies are taken at the end of a step, where the velocity is `end`, which moves positions for the time
    /// r; τ is scratch.
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
