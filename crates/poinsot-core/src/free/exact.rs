//! Symmetric splitting around the exact torque-free motion: kick, drift, kick [Strang68], [Celledoni08].
//!
//! ```math
//! kick   P ← P + (h/2) F,  L ← L + (h/2) τ      at t, x, R
//! drift  x ← x + h P/m,    R ← exact free rotation by h
//! kick   P ← P + (h/2) F,  L ← L + (h/2) τ      at t + h, x, R
//! ```
//! Second order in the loads, and exact without them for any h. A load that depends on velocity is evaluated at the middle of its kick
//! (explicit midpoint rule at fixed x and R), which preserves the second order.

use super::{FreeBody, FreeIntegrator, FreeRotor, FreeStepError, Kinematics, Loads, MomentumState};
use crate::algebra::lanes::{Isa, Kernel, dispatch};

/// Strang splitting with the exact rotor.
///
/// ```
/// use poinsot_core::free::{Exact, FreeIntegrator};
/// assert_eq!((Exact.name(), Exact.order()), ("exact", 2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exact;

impl FreeIntegrator for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }
    fn order(&self) -> u32 {
        2
    }
    fn next_state(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        state: &MomentumState,
    ) -> Result<MomentumState, FreeStepError> {
        Ok(dispatch(Splitting { body, loads, t, dt, state: *state }))
    }
}

/// One step, compiled for each instruction set: with fused multiply-adds in hardware it takes half the time.
struct Splitting<'a> {
    body: &'a FreeBody,
    loads: &'a dyn Loads,
    t: f64,
    dt: f64,
    state: MomentumState,
}

impl Kernel for Splitting<'_> {
    type Output = MomentumState;
    #[inline(always)]
    fn run<I: Isa>(self) -> MomentumState {
        let Splitting { body, loads, t, dt, state: mut s } = self;
        kick(body, loads, t, 0.5 * dt, &mut s);
        drift(body, dt, &mut s);
        kick(body, loads, t + dt, 0.5 * dt, &mut s);
        s
    }
}

/// Momenta change at fixed position and attitude.
#[inline(always)]
fn kick(body: &FreeBody, loads: &dyn Loads, t: f64, h: f64, s: &mut MomentumState) {
    let start = Kinematics::of(body, s, t);
    let rough = loads.load(body, &start);
    let vel = start.vel + rough.force * (0.5 * h / body.mass());
    let omega = start.omega + body.world_spin(start.rot, rough.moment * (0.5 * h));
    let load = loads.load(body, &Kinematics { vel, omega, ..start });
    s.linear += load.force * h;
    s.angular += load.moment * h;
}

/// Position and attitude change at fixed momenta.
#[inline(always)]
pub(super) fn drift(body: &FreeBody, h: f64, s: &mut MomentumState) {
    // a compensated sum [Kahan65]: a million steps far from the origin add no error
    let step = s.linear * (h / body.mass()) + s.left_out;
    let moved = s.pos + step;
    s.left_out = step - (moved - s.pos);
    s.pos = moved;
    let mut rotor = match s.rotor {
        Some(rotor) if rotor.is_at(body, s.rot, s.angular) => rotor,
        _ => FreeRotor::new(body, s.rot, s.angular),
    };
    rotor.advance(h);
    s.rot = rotor.attitude();
    s.rotor = Some(rotor);
}
