//! The friction cone and its geometry.
//!
//! ```math
//! K_μ = { λ : ‖λ_T‖ ≤ μ λ_n }      Coulomb:  K_μ ∋ λ ⟂ û ∈ K_μ*,   û = u + μ ‖u_T‖ n
//! ```
//! û is the velocity with De Saxcé's correction [DeSaxce98]: with it, separating, sticking and sliding against u_T are one complementarity
//! condition between a cone and its dual. λ is a solution if and only if it is a fixed point of the projection, `λ = P_K(λ − û)`, for any
//! positive multiple of û [Acary18].

use super::problem::MOST_ROWS;

/// The rows of one block, the normal first; zero beyond its last row.
pub(super) type Rows = [f64; MOST_ROWS];

#[inline(always)]
pub(super) fn norm(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for x in x {
        sum += x * x;
    }
    sum.sqrt()
}

/// Projects onto K_μ; `len` rows.
#[inline(always)]
pub(super) fn project(mu: f64, z: &Rows, len: usize) -> Rows {
    let tangent = norm(&z[1..len]);
    if tangent <= mu * z[0] {
        return *z;
    }
    let mut out = [0.0; MOST_ROWS];
    if mu * tangent <= -z[0] {
        return out;
    }
    let normal = mu.mul_add(tangent, z[0]) / mu.mul_add(mu, 1.0);
    out[0] = normal;
    let shrink = mu * normal / tangent;
    for k in 1..len {
        out[k] = shrink * z[k];
    }
    out
}

/// û: the velocity with De Saxcé's correction.
#[inline(always)]
pub(super) fn corrected(mu: f64, u: &Rows, len: usize) -> Rows {
    let mut out = *u;
    out[0] = mu.mul_add(norm(&u[1..len]), u[0]);
    out
}
