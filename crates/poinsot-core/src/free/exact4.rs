//! Fourth order from the exact splitting: five symmetric steps, one of them backwards [Suzuki90].
//!
//! ```math
//! Φ₄(h) = Φ(γh) Φ(γh) Φ((1 − 4γ)h) Φ(γh) Φ(γh),     γ = 1/(4 − ∛4)
//! ```
//! where Φ is kick, drift, kick. A symmetric method has errors in odd powers of h only, and γ makes those of third order cancel. Kicks at
//! fixed position and attitude are integrated by the classical Runge–Kutta method, exact for loads that do not depend on velocity and of
//! fourth order for those that do.

use super::exact::drift;
use super::{FreeBody, FreeIntegrator, FreeStepError, Kinematics, Loads, MomentumState};
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::spatial::Force;

/// Fourth-order composition of [`super::Exact`], also exact without load.
///
/// ```
/// use poinsot_core::free::{Exact4, FreeIntegrator};
/// assert_eq!((Exact4.name(), Exact4.order()), ("exact-4", 4));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exact4;

/// 1/(4 − ∛4).
const GAMMA: f64 = 0.414_490_771_794_375_7;

impl FreeIntegrator for Exact4 {
    fn name(&self) -> &'static str {
        "exact-4"
    }
    fn order(&self) -> u32 {
        4
    }
    fn next_state(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        state: &MomentumState,
    ) -> Result<MomentumState, FreeStepError> {
        Ok(dispatch(Composition { body, loads, t, dt, state: *state }))
    }
}

struct Composition<'a> {
    body: &'a FreeBody,
    loads: &'a dyn Loads,
    t: f64,
    dt: f64,
    state: MomentumState,
}

impl Kernel for Composition<'_> {
    type Output = MomentumState;
    #[inline(always)]
    fn run<I: Isa>(self) -> MomentumState {
        let Composition { body, loads, mut t, dt, state: mut s } = self;
        for part in [GAMMA, GAMMA, 1.0 - 4.0 * GAMMA, GAMMA, GAMMA] {
            let h = part * dt;
            kick(body, loads, t, 0.5 * h, &mut s);
            drift(body, h, &mut s);
            t += h;
            kick(body, loads, t, 0.5 * h, &mut s);
        }
        s
    }
}

/// Momenta change at fixed position and attitude, by RK4.
#[inline(always)]
fn kick(body: &FreeBody, loads: &dyn Loads, t: f64, h: f64, s: &mut MomentumState) {
    let start = Kinematics::of(body, s, t);
    let after = |load: Force, h: f64| {
        let vel = start.vel + load.force * (h / body.mass());
        let omega = start.omega + body.world_spin(start.rot, load.moment * h);
        loads.load(body, &Kinematics { vel, omega, ..start })
    };
    let k1 = loads.load(body, &start);
    let k2 = after(k1, 0.5 * h);
    let k3 = after(k2, 0.5 * h);
    let k4 = after(k3, h);
    let mean = (k1 + (k2 + k3) * 2.0 + k4) * (1.0 / 6.0);
    s.linear += mean.force * h;
    s.angular += mean.moment * h;
}
