//! The first-order method that conserves angular momentum [Buss00].
//!
//! ```math
//! P ← P + h F,   L ← L + h τ;      x ← x + h P/m,   R ← exp(h [ω]×) R   with   ω = R I⁻¹ Rᵀ L
//! ```
//! A rotation is updated by a rotation, so RᵀR = 1; L is stored and not recomputed, so it is exactly constant. Nothing conserves the
//! kinetic energy ½ L·ω, which grows.

use super::{FreeBody, FreeIntegrator, FreeStepError, Kinematics, Loads, MomentumState};
use crate::spatial::Quat;

/// The first-order momentum-conserving Lie group method.
///
/// ```
/// use poinsot_core::free::{FreeIntegrator, MomentumConserving};
/// assert_eq!(MomentumConserving.name(), "momentum");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MomentumConserving;

impl FreeIntegrator for MomentumConserving {
    fn name(&self) -> &'static str {
        "momentum"
    }
    fn order(&self) -> u32 {
        1
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
        let load = loads.load(body, &at);
        let linear = state.linear + load.force * dt;
        let angular = state.angular + load.moment * dt;
        let pos = state.pos + linear * (dt / body.mass());
        let omega = body.world_spin(at.rot, angular);
        let rot = (Quat::exp(omega * dt) * state.rot).normalized();
        Ok(MomentumState::new(pos, rot, linear, angular))
    }
}
