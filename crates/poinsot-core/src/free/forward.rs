//! Forward Euler: `y₁ = y₀ + h f(t₀, y₀)`. First order; spirals outward and gains energy.

use super::entries::shifted;
use super::{Entries, FreeBody, FreeStepError, Loads, Scheme};

/// Forward Euler on any entries.
///
/// ```
/// use poinsot_core::free::{ForwardEuler, Scheme};
/// assert_eq!(ForwardEuler::NAMES, ["euler-forward", "euler-forward-momenta", "euler-forward-matrix"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ForwardEuler;

impl Scheme for ForwardEuler {
    const NAMES: [&'static str; 3] = ["euler-forward", "euler-forward-momenta", "euler-forward-matrix"];
    const ORDER: u32 = 1;
    fn advance<Y: Entries>(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        y: Y,
    ) -> Result<Y, FreeStepError> {
        Ok(shifted(y, &y.rate(body, loads, t), dt).renormalised())
    }
}
