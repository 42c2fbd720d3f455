//! The classical Runge–Kutta method of fourth order [Kutta01].
//!
//! ```math
//! k₁ = f(t, y)   k₂ = f(t + h/2, y + h/2 k₁)   k₃ = f(t + h/2, y + h/2 k₂)   k₄ = f(t + h, y + h k₃)
//! y₁ = y + h/6 (k₁ + 2k₂ + 2k₃ + k₄)
//! ```

use super::entries::shifted;
use super::{Entries, FreeBody, FreeStepError, Loads, Scheme};

/// RK4 on any entries.
///
/// ```
/// use poinsot_core::free::{Rk4, Scheme};
/// assert_eq!(Rk4::ORDER, 4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rk4;

impl Scheme for Rk4 {
    const NAMES: [&'static str; 3] = ["rk4", "rk4-momenta", "rk4-matrix"];
    const ORDER: u32 = 4;
    fn advance<Y: Entries>(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        y: Y,
    ) -> Result<Y, FreeStepError> {
        let half = 0.5 * dt;
        let k1 = y.rate(body, loads, t);
        let k2 = shifted(y, &k1, half).rate(body, loads, t + half);
        let k3 = shifted(y, &k2, half).rate(body, loads, t + half);
        let k4 = shifted(y, &k3, dt).rate(body, loads, t + dt);
        let mean = std::array::from_fn(|i| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0);
        Ok(shifted(y, &mean, dt).renormalised())
    }
}
