//! The simulation loops of [NEWTONEULER], line by line as written there, in world axes throughout.
//!
//! With velocities as the state, `Y = (p, q, ṗ, ω)`:
//! ```math
//! p̈ = F/m,   ω̇ = I_W⁻¹ (τ − ω × I_W ω),      I_W = R I Rᵀ                                                     (1)
//! p ← p + ṗ h + ½ p̈ h²,   ṗ ← ṗ + p̈ h,   q ← q + ½ ω̂ q h,   ω ← ω + ω̇ h                                       (2)
//! q ← q/|q|                                                      "should also renormalize q"                   (3)
//! ```
//! and with momenta, `Y = (x, q, P, L)`, where the equations of motion are trivial:
//! ```math
//! Ṗ = F,   L̇ = τ;      ẋ = P/m,   ω = I_W⁻¹ L                                                                  (4)
//! x ← x + ẋ h + ½ ẍ h²,   P ← P + Ṗ h,   q ← q + ½ ω̂ q h,   L ← L + L̇ h                                        (5)
//! ```
//! All are of first order. Without (3) each step makes q longer by the factor √(1 + h²ω²/4), and the matrix computed from it stretches
//! everything that it should only rotate: arms, forces, and I_W.

use super::raw::{Raw, unnormalised_matrix};
use super::{FreeBody, FreeIntegrator, FreeStepError, Kinematics, Loads, MomentumState, VelocityState};
use crate::algebra::V3;
use crate::spatial::Quat;

/// A loop of the lecture notes.
///
/// ```
/// use poinsot_core::free::{FreeIntegrator, Lecture};
/// assert_eq!(Lecture::VELOCITIES.name(), "lecture");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lecture(Loop);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Loop {
    Velocities,
    Unnormalised,
    Momenta,
}

impl Lecture {
    /// Equations (1) to (3).
    pub const VELOCITIES: Lecture = Lecture(Loop::Velocities);
    /// Equations (1) and (2), to see what (3) is for.
    pub const UNNORMALISED: Lecture = Lecture(Loop::Unnormalised);
    /// Equations (4), (5) and (3).
    pub const MOMENTA: Lecture = Lecture(Loop::Momenta);

    fn in_velocities(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        h: f64,
        s: &MomentumState,
    ) -> Option<MomentumState> {
        let VelocityState { pos: p, rot: q, vel, omega } = body.to_velocity(s);
        let (q, rot) = match s.raw() {
            Some(Raw::Quaternion(q)) if self.0 == Loop::Unnormalised => (q, unnormalised_matrix(q)),
            _ => (q, q.matrix()),
        };
        let load = loads.load(body, &Kinematics { t, pos: p, rot, vel, omega });
        let inertia = body.world_inertia(rot);
        let acceleration = load.force * (1.0 / body.mass()); // (1)
        let omega_rate = inertia.inverse()? * (load.moment - omega.cross(inertia * omega)); // (1)
        let q = plus(q, q.rate_world(omega), h); // (2)
        let raw = Raw::Quaternion(q);
        let next = VelocityState {
            pos: moved(p, vel, acceleration, h), // (2)
            rot: raw.rotation(),                 // (3)
            vel: vel + acceleration * h,         // (2)
            omega: omega + omega_rate * h,       // (2)
        };
        let mut next = body.to_momentum(&next);
        next.raw = (self.0 == Loop::Unnormalised).then_some(raw);
        Some(next)
    }

    fn in_momenta(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        h: f64,
        s: &MomentumState,
    ) -> MomentumState {
        let at = Kinematics::of(body, s, t); // ẋ and ω of (4)
        let load = loads.load(body, &at);
        let pos = moved(s.pos, at.vel, load.force * (1.0 / body.mass()), h); // (5)
        let q = plus(s.rot, s.rot.rate_world(at.omega), h).normalized(); // (5), (3)
        MomentumState::new(pos, q, s.linear + load.force * h, s.angular + load.moment * h) // (5)
    }
}

/// x + ẋ h + ½ ẍ h².
fn moved(x: V3, rate: V3, acceleration: V3, h: f64) -> V3 {
    x + rate * h + acceleration * (0.5 * h * h)
}

fn plus(q: Quat, rate: Quat, h: f64) -> Quat {
    Quat { w: q.w + h * rate.w, x: q.x + h * rate.x, y: q.y + h * rate.y, z: q.z + h * rate.z }
}

impl FreeIntegrator for Lecture {
    fn name(&self) -> &'static str {
        match self.0 {
            Loop::Velocities => "lecture",
            Loop::Unnormalised => "lecture-unnormalised",
            Loop::Momenta => "lecture-momenta",
        }
    }
    fn order(&self) -> u32 {
        1
    }
    fn keeps_rotations(&self) -> bool {
        self.0 != Loop::Unnormalised
    }
    fn next_state(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        state: &MomentumState,
    ) -> Result<MomentumState, FreeStepError> {
        match self.0 {
            Loop::Momenta => Ok(self.in_momenta(body, loads, t, dt, state)),
            _ => self.in_velocities(body, loads, t, dt, state).ok_or(FreeStepError::NotFinite {
                method: self.name(),
                what: "the inverse of the inertia in world axes",
                t,
            }),
        }
    }
}
