//! Backward Euler: `y₁ = y₀ + h f(t₁, y₁)`, solved to round-off. First order; spirals inward and loses energy.
//!
//! Newton's method on `g(y) = y − y₀ − h f(t₁, y)`, with the matrix `∂g/∂y = 1 − h ∂f/∂y` by finite differences: an error of 1e-8 in it
//! costs one iteration and no accuracy. The initial guess is the forward Euler step.

use super::entries::shifted;
use super::{Entries, Flat, FreeBody, FreeStepError, Loads, Scheme};
use nalgebra::{SMatrix, SVector};

/// Fully implicit backward Euler on any entries.
///
/// ```
/// use poinsot_core::free::{BackwardEuler, Scheme};
/// assert_eq!(BackwardEuler::NAMES[0], "euler-backward");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BackwardEuler;

type Matrix = SMatrix<f64, 18, 18>;
type Vector = SVector<f64, 18>;

/// Newton converges in 4 to 8 iterations if it converges at all.
const MOST_ITERATIONS: u32 = 40;
/// A relative correction this small is round-off of the rate.
const ROUND_OFF: f64 = 1e-14;

impl Scheme for BackwardEuler {
    const NAMES: [&'static str; 3] = ["euler-backward", "euler-backward-momenta", "euler-backward-matrix"];
    const ORDER: u32 = 1;
    fn advance<Y: Entries>(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        y: Y,
    ) -> Result<Y, FreeStepError> {
        let rate = |y: &Flat| Y::from_flat(y).rate(body, loads, t + dt);
        let start = y.flat();
        let mut next = shifted(y, &y.rate(body, loads, t), dt).flat();
        let mut correction = f64::INFINITY;
        let mut iterations = 0;
        while iterations < MOST_ITERATIONS {
            iterations += 1;
            let f = rate(&next);
            let residual = Vector::from_fn(|i, _| next[i] - start[i] - dt * f[i]);
            let Some(delta) = newton_matrix(&next, &f, dt, rate).lu().solve(&residual) else { break };
            for i in 0..18 {
                next[i] -= delta[i];
            }
            correction = relative(&delta, &start, &next);
            if correction <= ROUND_OFF {
                return Ok(Y::from_flat(&next).renormalised());
            }
        }
        let method = Self::NAMES[0];
        Err(FreeStepError::NotConverged { method, t, dt, iterations, correction })
    }
}

/// 1 − h ∂f/∂y by forward differences.
fn newton_matrix(y: &Flat, f: &Flat, dt: f64, rate: impl Fn(&Flat) -> Flat) -> Matrix {
    let mut g = Matrix::identity();
    for j in 0..18 {
        let step = 1.5e-8 * y[j].abs().max(1e-3 * size(y)).max(f64::MIN_POSITIVE);
        let mut moved = *y;
        moved[j] += step;
        let fj = rate(&moved);
        for i in 0..18 {
            g[(i, j)] -= dt * (fj[i] - f[i]) / (moved[j] - y[j]);
        }
    }
    g
}

/// The largest correction, relative to the size of the state. The entries of a state have different units, but quadratic convergence makes
/// Newton's last correction tiny in any unit.
fn relative(delta: &Vector, start: &Flat, next: &Flat) -> f64 {
    delta.amax() / size(start).max(size(next)).max(f64::MIN_POSITIVE)
}

fn size(y: &Flat) -> f64 {
    y.iter().fold(0.0, |m, x| x.abs().max(m))
}
