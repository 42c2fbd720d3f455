//! Buss's second-order methods, plain and augmented [Buss00].
//!
//! The rotation over a step is `exp(h [ω̄]×)`, with the Magnus expansion of `Ṙ = [ω]× R` in world axes,
//! ```math
//! ω̄ = ω + (h/2) ω̇ + (h²/12)(ω̇ × ω) + (h²/6) ω̈ + O(h³)                                                     (1)
//! ω̇ = I_W⁻¹ (τ − ω × L)                                                                                      (2)
//! ```
//! The cross term is half the commutator integral `½ ∫∫_{s<t} [ω(t), ω(s)] = (h³/12) ω̇ × ω`: with Ṙ = [ω]×R the later velocity is on the
//! left, so the sign is plus. The plain method keeps the first two terms of (1), the augmented one the first three; both are of second
//! order, since both omit ω̈.
//!
//! Momenta use the mean load of both ends (predicted at the end), `P ← P + (h/2)(F₀ + F₁)`, and `x ← x + h v + (h²/2) F₀/m`; without load P
//! and L are not touched.

use super::{FreeBody, FreeIntegrator, FreeStepError, Kinematics, Loads, MomentumState};
use crate::algebra::V3;
use crate::spatial::{Force, Quat};

/// Buss's second-order momentum-conserving method.
///
/// ```
/// use poinsot_core::free::{Buss, FreeIntegrator};
/// assert_eq!(Buss::SECOND_ORDER.name(), "buss");
/// assert_eq!(Buss::AUGMENTED.name(), "buss-augmented");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Buss {
    augmented: bool,
}

impl Buss {
    /// The first two terms of the expansion.
    pub const SECOND_ORDER: Buss = Buss { augmented: false };
    /// With the commutator.
    pub const AUGMENTED: Buss = Buss { augmented: true };

    /// Equations (1) and (2).
    fn mean_spin(&self, body: &FreeBody, at: &Kinematics, l: V3, torque: V3, h: f64) -> V3 {
        let omega = at.omega;
        let alpha = body.world_spin(at.rot, torque - omega.cross(l));
        let plain = omega + alpha * (0.5 * h);
        if self.augmented { plain + alpha.cross(omega) * (h * h / 12.0) } else { plain }
    }
}

impl FreeIntegrator for Buss {
    fn name(&self) -> &'static str {
        if self.augmented { "buss-augmented" } else { "buss" }
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
        let at = Kinematics::of(body, state, t);
        let near = loads.load(body, &at);
        let mean = self.mean_spin(body, &at, state.angular, near.moment, dt);
        let rot = (Quat::exp(mean * dt) * state.rot).normalized();
        let pos = state.pos + (at.vel + near.force * (0.5 * dt / body.mass())) * dt;
        let kicked = |load: Force| {
            MomentumState::new(pos, rot, state.linear + load.force * dt, state.angular + load.moment * dt)
        };
        let far = loads.load(body, &Kinematics::of(body, &kicked(near), t + dt));
        Ok(kicked((near + far) * 0.5))
    }
}
