//! `q̇⁺ = q̇ + h q̈(q, q̇)`, `q⁺ = q + h q̇⁺`.

use super::{EquationsOfMotion, LagrangeError, Lagrangian, Phase};

pub(super) fn step<L: Lagrangian>(
    equations: &mut EquationsOfMotion<L>,
    phase: &mut Phase,
    dt: f64,
) -> Result<(), LagrangeError> {
    let mut stages = std::mem::take(&mut equations.scratch.stages);
    let [q, v, a, ..] = &mut stages;
    let found = equations.acceleration(&phase.q, &phase.v, a).and_then(|()| {
        for k in 0..q.len() {
            v[k] = dt.mul_add(a[k], phase.v[k]);
            q[k] = dt.mul_add(v[k], phase.q[k]);
        }
        equations.accept(phase, dt, q, v)
    });
    equations.scratch.stages = stages;
    found
}
