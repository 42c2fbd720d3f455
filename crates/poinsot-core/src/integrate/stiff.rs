//! Forces that a step evaluates at its end: joint dampers, joint springs, and actuators that act like them.
//!
//! With the velocity `v⁺ = v + h a` at the end, which moves positions for the time r from where forces are evaluated,
//!
//! ```math
//! −D v⁺ − K (q + r v⁺ − q₀) = −D v − K (q − q₀) − r K v − h (D + r K) a
//! ```
//! D and K are diagonal, so the last term is M with other rotor inertias: the articulated-body algorithm solves it in O(n). An actuator on
//! a joint of one coordinate adds `−∂τ/∂v` to D and `−∂τ/∂q` to K if these resist the motion (as in a servo) and its force is not
//! saturated. Springs and dampers of tendons, and actuators on tendons, sites and joints of several coordinates, would couple degrees of
//! freedom: they are explicit and must be soft. In maximal coordinates D and K are rows that resist the rates of the joints.

use super::System;
use crate::dynamics::State;

impl System<'_> {
    /// The forces at `at` except those of rows, with `−r K v` for a step of size h; `armature + h (D + r K)` is the diagonal.
    pub(super) fn stiff_forces(
        &mut self,
        at: &State,
        (h, r): (f64, f64),
        tau: &mut [f64],
        diagonal: &mut [f64],
    ) {
        self.forces_but_soft(at, tau);
        for joint in self.model.joints() {
            for k in joint.dofs() {
                let stiffness = r * joint.stiffness;
                diagonal[k] = joint.armature + h * (joint.damping + stiffness);
                tau[k] = (-stiffness).mul_add(at.v[k], tau[k]);
            }
        }
        self.each_servo(at, |k, stiffness, damping| {
            let stiffness = r * stiffness;
            diagonal[k] += h * (damping + stiffness);
            tau[k] = (-stiffness).mul_add(at.v[k], tau[k]);
        });
        self.add_ahead(&at.q, r, tau);
        self.note_resistance(h * r, h);
    }
}
