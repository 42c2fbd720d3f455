//! The classical fourth-order method [Kutta01] on (q, q̇).

use super::{EquationsOfMotion, LagrangeError, Lagrangian, Phase};

/// Nodes within the step, and their weights.
const NODES_AND_WEIGHTS: [(f64, f64); 4] =
    [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

pub(super) fn step<L: Lagrangian>(
    equations: &mut EquationsOfMotion<L>,
    phase: &mut Phase,
    dt: f64,
) -> Result<(), LagrangeError> {
    let mut stages = std::mem::take(&mut equations.scratch.stages);
    let found = stepped(equations, phase, dt, &mut stages);
    equations.scratch.stages = stages;
    found
}

fn stepped<L: Lagrangian>(
    equations: &mut EquationsOfMotion<L>,
    phase: &mut Phase,
    dt: f64,
    [q, v, rate, a, next_q, next_v, _]: &mut [Vec<f64>; 7],
) -> Result<(), LagrangeError> {
    next_q.copy_from_slice(&phase.q);
    next_v.copy_from_slice(&phase.v);
    rate.fill(0.0);
    a.fill(0.0);
    for (node, weight) in NODES_AND_WEIGHTS {
        for k in 0..q.len() {
            q[k] = (node * dt).mul_add(rate[k], phase.q[k]);
            v[k] = (node * dt).mul_add(a[k], phase.v[k]);
        }
        equations.acceleration(q, v, a)?;
        rate.copy_from_slice(v);
        for k in 0..q.len() {
            next_q[k] = (weight * dt).mul_add(rate[k], next_q[k]);
            next_v[k] = (weight * dt).mul_add(a[k], next_v[k]);
        }
    }
    equations.accept(phase, dt, next_q, next_v)
}
