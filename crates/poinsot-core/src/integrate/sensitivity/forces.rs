//! Derivatives of the forces of the model: springs, dampers, tendons, actuators; by differences those that have no formula here.

use crate::algebra::V3;
use crate::dynamics::{Control, State};
use crate::integrate::System;
use crate::model::{Actuator, ActuatorId, Joint, JointKind, Model, Transmission};
use crate::spatial::{Quat, left_jacobian_inverse};
use nalgebra::DMatrix;

/// The distance of differences.
pub(super) const DISTANCE: f64 = 1e-3;

/// ∂τ/∂q, ∂τ/∂v and ∂τ/∂u.
pub(super) struct ForceDerivatives {
    pub by_position: DMatrix<f64>,
    pub by_velocity: DMatrix<f64>,
    pub by_control: DMatrix<f64>,
}

impl ForceDerivatives {
    /// Of all forces but those of rows and gravity, at a state.
    pub fn at(system: &mut System, state: &State) -> ForceDerivatives {
        let model = system.model();
        let (n, nu) = (model.nv(), model.actuators().len());
        let mut out = ForceDerivatives {
            by_position: DMatrix::zeros(n, n),
            by_velocity: DMatrix::zeros(n, n),
            by_control: DMatrix::zeros(n, nu),
        };
        out.add_springs(&model, &state.q);
        for joint in model.joints() {
            joint.dofs().for_each(|k| out.by_velocity[(k, k)] -= joint.damping);
        }
        out.add_tendons(&model, &state.q);
        let formulas = has_formulas(&model);
        if formulas {
            out.add_actuators(system, state);
        }
        out.add_differences(system, state, !formulas);
        out
    }

    fn add_springs(&mut self, model: &Model, q: &[f64]) {
        for joint in model.joints().iter().filter(|j| j.stiffness != 0.0) {
            let (at, k, stiffness) = (joint.coordinates().start, joint.dofs().start, joint.stiffness);
            let lines = match joint.kind {
                JointKind::Spherical => 0,
                JointKind::Free => 3,
                _ => joint.kind.nv(),
            };
            (k..k + lines).for_each(|k| self.by_position[(k, k)] -= stiffness);
            if lines == joint.kind.nv() {
                continue;
            }
            // φ = log(rest⁻¹ R) and R exp(x): dφ = J_r(φ)⁻¹ dx
            let slope = left_jacobian_inverse(-turn(joint, &q[at + lines..])).rows();
            for (row, entries) in slope.iter().enumerate() {
                for (column, x) in entries.iter().enumerate() {
                    self.by_position[(k + lines + row, k + lines + column)] -= stiffness * x;
                }
            }
        }
    }

    fn add_tendons(&mut self, model: &Model, q: &[f64]) {
        for tendon in model.tendons().iter().filter(|t| t.stiffness > 0.0 || t.damping > 0.0) {
            let (least, most) = tendon.spring_range;
            let stretched = least == most || tendon.stretch(tendon.length(model, q)) != 0.0;
            let stiffness = if stretched { tendon.stiffness } else { 0.0 };
            let terms = || tendon.terms.iter().map(|(joint, c)| (model[*joint].dofs().start, *c));
            for (row, c) in terms() {
                for (column, d) in terms() {
                    self.by_position[(row, column)] -= stiffness * c * d;
                    self.by_velocity[(row, column)] -= tendon.damping * c * d;
                }
            }
        }
    }

    /// Actuators on lines and tendons: `τ = m clamp(g(l, l̇) u + b(l, l̇))`, l̇ = m·v, the sum on a joint clamped once more.
    fn add_actuators(&mut self, system: &mut System, state: &State) {
        let model = system.model();
        let n = model.nv();
        let [mut dq, mut dv] = [DMatrix::zeros(n, n), DMatrix::zeros(n, n)];
        let mut du = DMatrix::zeros(n, model.actuators().len());
        let mut sum = vec![0.0; n];
        let signal = system.control().to_vec();
        for (k, actuator) in model.actuators().iter().enumerate() {
            let control = Control { signal: &signal, activation: &state.activation };
            let at = system.workspace().actuator_reading(&model, ActuatorId(k), &state.q, &state.v, control);
            let given = actuator.control_range.map_or(signal[k], |(a, b)| signal[k].clamp(a, b));
            let u = actuator.activation.map_or(given, |at| state.activation[at]);
            let ([g0, gl, gv], [_, bl, bv]) = (actuator.gain.coefficients(), actuator.bias.coefficients());
            let free = actuator.force_range.is_none_or(|(a, b)| a < at.force && at.force < b);
            let scale = f64::from(free);
            let heard = actuator.activation.is_none()
                && actuator.control_range.is_none_or(|(a, b)| a <= signal[k] && signal[k] <= b);
            let slopes = [gl.mul_add(u, bl), gv.mul_add(u, bv)].map(|x| scale * x);
            let gain = scale * f64::from(heard) * gl.mul_add(at.length, gv.mul_add(at.velocity, g0));
            let moments = moments(&model, actuator);
            for (row, m) in &moments {
                sum[*row] += m * at.force;
                du[(*row, k)] += m * gain;
                for (column, c) in &moments {
                    dq[(*row, *column)] += m * slopes[0] * c;
                    dv[(*row, *column)] += m * slopes[1] * c;
                }
            }
        }
        for joint in model.joints() {
            let Some((least, most)) = joint.actuator_force_range else { continue };
            let row = joint.dofs().start;
            if sum[row] <= least || sum[row] >= most {
                [&mut dq, &mut dv, &mut du].into_iter().for_each(|m| m.row_mut(row).fill(0.0));
            }
        }
        self.by_position += dq;
        self.by_velocity += dv;
        self.by_control += du;
    }

    /// Gravity compensation, the medium, elements of others, and where `actuators` is set those: differences of fourth order of these forces alone.
    fn add_differences(&mut self, system: &mut System, state: &State, actuators: bool) {
        let model = system.model();
        let any = model.carried.is_some() || model.medium.is_some() || !system.elements.is_empty();
        if !any && !actuators {
            return;
        }
        let (n, mut unit) = (model.nv(), vec![0.0; model.nv()]);
        let control = system.control().to_vec();
        for k in 0..n {
            unit.fill(0.0);
            unit[k] = 1.0;
            let by_q = fourth(DISTANCE, |h| {
                let mut there = state.clone();
                model.integrate(&mut there.q, &unit, h);
                other_forces(system, &there, &control, actuators)
            });
            let by_v = fourth(DISTANCE, |h| {
                let mut there = state.clone();
                there.v[k] += h;
                other_forces(system, &there, &control, actuators)
            });
            (0..n).for_each(|row| self.by_position[(row, k)] += by_q[row]);
            (0..n).for_each(|row| self.by_velocity[(row, k)] += by_v[row]);
        }
        for k in (0..control.len()).filter(|_| actuators) {
            let by_u = fourth(DISTANCE, |h| {
                let mut there = control.clone();
                there[k] += h;
                other_forces(system, state, &there, actuators)
            });
            (0..n).for_each(|row| self.by_control[(row, k)] += by_u[row]);
        }
    }
}

/// Actuators on joints of lines and on tendons have formulas, those on attitudes and sites have none here.
fn has_formulas(model: &Model) -> bool {
    model.actuators().iter().all(|a| match a.transmission {
        Transmission::Joint { joint, .. } => {
            !matches!(model[joint].kind, JointKind::Spherical | JointKind::Free)
        }
        Transmission::Tendon(_) => true,
        Transmission::Site { .. } => false,
    })
}

fn moments(model: &Model, actuator: &Actuator) -> Vec<(usize, f64)> {
    match actuator.transmission {
        Transmission::Joint { joint, .. } => model[joint].dofs().zip(actuator.gear).collect(),
        Transmission::Tendon(tendon) => {
            let terms = model.tendons()[tendon.index()].terms.iter();
            terms.map(|(joint, c)| (model[*joint].dofs().start, actuator.gear[0] * c)).collect()
        }
        Transmission::Site { .. } => Vec::new(),
    }
}

/// The rotation vector from where the spring of an attitude is at rest to the attitude at the head of q.
fn turn(joint: &Joint, q: &[f64]) -> V3 {
    let attitude = Quat { w: q[0], x: q[1], y: q[2], z: q[3] };
    let rest = joint.spring_pose.map(|rest| Quat::from_matrix(rest.rot).conjugate());
    rest.map_or(attitude, |rest| rest * attitude).log()
}

fn other_forces(system: &mut System, at: &State, control: &[f64], actuators: bool) -> Vec<f64> {
    let model = system.model();
    let mut tau = vec![0.0; model.nv()];
    system.workspace.add_gravity_compensation(&model, &at.q, &mut tau);
    system.workspace.add_medium_forces(&model, &at.q, &at.v, &mut tau);
    if actuators {
        let control = Control { signal: control, activation: &at.activation };
        system.workspace.add_actuator_forces(&model, &at.q, &at.v, control, &mut tau);
    }
    for element in &system.elements {
        element.add_forces(&model, at.time, &at.q, &at.v, &mut tau);
    }
    tau
}

/// The derivative at 0, to fourth order, from twice this distance at most.
pub(super) fn fourth(distance: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let mut slope = |h: f64| -> Vec<f64> {
        let (plus, minus) = (f(h), f(-h));
        plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * h)).collect()
    };
    let (near, far) = (slope(distance), slope(2.0 * distance));
    near.iter().zip(&far).map(|(near, far)| (4.0 * near - far) / 3.0).collect()
}
