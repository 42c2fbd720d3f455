//! Canonical coordinates about a configuration, which turn any method for vectors into one for rotations.
//!
//! With `q = q₀ ⊕ u`, scalar coordinates have `u̇ = v`; attitudes, R = R₀ exp u with body angular velocity Ω, have
//! `u̇ = dexp⁻¹ Ω = J(−u)⁻¹ Ω`, J the left Jacobian [MuntheKaas98; Iserles00, section 3].

use crate::algebra::V3;
use crate::model::Model;
use crate::spatial::{left_jacobian, left_jacobian_inverse};

/// u̇ at u for the velocity v.
pub(crate) fn chart_rate(model: &Model, u: &[f64], v: &[f64], rate: &mut [f64]) {
    rate.copy_from_slice(v);
    for k in model.attitudes() {
        let (u, omega) = (triple(u, k), triple(v, k));
        put_triple(rate, k, left_jacobian_inverse(-u) * omega);
    }
}

/// The velocity v at u for the rate u̇: the inverse of [`chart_rate`].
pub(crate) fn chart_velocity(model: &Model, u: &[f64], rate: &[f64], v: &mut [f64]) {
    v.copy_from_slice(rate);
    for k in model.attitudes() {
        put_triple(v, k, left_jacobian(-triple(u, k)) * triple(rate, k));
    }
}

/// The largest angle in u.
pub(super) fn largest_turn(model: &Model, u: &[f64]) -> f64 {
    model.attitudes().map(|k| triple(u, k).norm()).fold(0.0, f64::max)
}

pub(super) fn triple(x: &[f64], k: usize) -> V3 {
    V3::new(x[k], x[k + 1], x[k + 2])
}

pub(super) fn put_triple(x: &mut [f64], k: usize, t: V3) {
    x[k..k + 3].copy_from_slice(&t.array());
}
