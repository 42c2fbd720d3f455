//! The free body: mass, rotational inertia, and its principal axes.

use super::{MomentumState, PrincipalFrame, VelocityState};
use crate::algebra::{M3, Sym3, V3};
use crate::spatial::{Inertia, InertiaError, Quat};
use thiserror::Error;

/// A rigid body that moves as a whole: mass, and rotational inertia in body axes about its reference point.
///
/// This point is the centre of mass, so that translation and rotation decouple; or, for a body with a fixed point, the pivot
/// ([`FreeBody::about_pivot`]).
///
/// ```
/// use poinsot_core::{algebra::{Sym3, V3}, free::{FreeBody, VelocityState}, spatial::Inertia};
/// let body = FreeBody::new(&Inertia::new(2.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?)?;
/// let spinning = body.to_momentum(&VelocityState { omega: V3::X, ..VelocityState::AT_REST });
/// assert_eq!(body.kinetic_energy(&spinning), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBody {
    mass: f64,
    inertia: Sym3,
    inverse: Sym3,
    principal: PrincipalFrame,
}

/// Why a body cannot be used as a free body.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FreeBodyError {
    /// No mass distribution has this inertia.
    #[error(transparent)]
    Inertia(#[from] InertiaError),
    /// The mass is 0.
    #[error("the body has no mass; a free body needs a positive mass")]
    Massless,
    /// A principal moment is 0: a point, or a rod without thickness.
    #[error(
        "principal moments of inertia ({}, {}, {}) kg m²: the smallest is 0 to round-off, so the spin about that \
         axis is undefined; give the rod a thickness or the point a radius",
        moments[0], moments[1], moments[2]
    )]
    ZeroMoment {
        /// The principal moments, ascending.
        moments: [f64; 3],
    },
}

/// The smallest ratio of principal moments that is not considered round-off of 0.
const LEAST_MOMENT: f64 = 1e-14;

impl FreeBody {
    /// The body with this inertia, whose reference point is its centre of mass.
    pub fn new(inertia: &Inertia) -> Result<FreeBody, FreeBodyError> {
        inertia.check()?;
        let centred = Inertia::new(inertia.mass, V3::ZERO, inertia.about_com())?;
        FreeBody::followed_at_origin(&centred)
    }

    /// The body with this inertia, pivoted at the origin of its frame.
    ///
    /// Its state has the pivot as position, and P = 0; loads give the torque about the pivot and no force ([`super::PivotWeight`]).
    pub fn about_pivot(inertia: &Inertia) -> Result<FreeBody, FreeBodyError> {
        inertia.check()?;
        FreeBody::followed_at_origin(inertia)
    }

    fn followed_at_origin(inertia: &Inertia) -> Result<FreeBody, FreeBodyError> {
        if inertia.mass == 0.0 {
            return Err(FreeBodyError::Massless);
        }
        let about_origin =
            Inertia { mass: inertia.mass, first_moment: V3::ZERO, rotational: inertia.rotational };
        let (moments, axes) = about_origin.principal_axes();
        let too_thin = FreeBodyError::ZeroMoment { moments };
        if moments[0] <= LEAST_MOMENT * moments[2] {
            return Err(too_thin);
        }
        let inverse = inertia.rotational.inverse().ok_or(too_thin)?;
        let principal = PrincipalFrame::new(moments, axes);
        Ok(FreeBody { mass: inertia.mass, inertia: inertia.rotational, inverse, principal })
    }

    /// The mass.
    pub fn mass(&self) -> f64 {
        self.mass
    }
    /// The rotational inertia in body axes.
    pub fn inertia(&self) -> Sym3 {
        self.inertia
    }
    /// The principal moments and axes, in the order used by the rotor.
    pub fn principal(&self) -> &PrincipalFrame {
        &self.principal
    }
    /// I_W = R I Rᵀ.
    pub fn world_inertia(&self, rot: M3) -> Sym3 {
        self.inertia.rotated(rot)
    }
    /// Ω = I⁻¹ Lᴮ, both in body axes.
    pub fn body_spin(&self, l: V3) -> V3 {
        self.inverse * l
    }
    /// ω = R I⁻¹ Rᵀ L, both in world axes.
    #[inline(always)]
    pub fn world_spin(&self, rot: M3, l: V3) -> V3 {
        rot * (self.inverse * rot.tr_mul(l))
    }
    /// L = R I Rᵀ ω, both in world axes.
    pub fn world_momentum(&self, rot: M3, omega: V3) -> V3 {
        rot * (self.inertia * rot.tr_mul(omega))
    }

    /// Converts to momenta.
    pub fn to_momentum(&self, s: &VelocityState) -> MomentumState {
        let l = self.world_momentum(s.rot.matrix(), s.omega);
        MomentumState::new(s.pos, s.rot, s.vel * self.mass, l)
    }
    /// Converts to velocities.
    pub fn to_velocity(&self, s: &MomentumState) -> VelocityState {
        let omega = self.world_spin(s.rot.matrix(), s.angular);
        VelocityState { pos: s.pos, rot: s.rot, vel: s.linear * (1.0 / self.mass), omega }
    }

    /// T = ½ P·P/m + ½ L·ω.
    pub fn kinetic_energy(&self, s: &MomentumState) -> f64 {
        0.5 * s.linear.dot(s.linear) / self.mass + self.rotational_energy(s.rot, s.angular)
    }
    /// ½ Lᴮ·I⁻¹Lᴮ.
    pub fn rotational_energy(&self, rot: Quat, l: V3) -> f64 {
        let l = rot.matrix().tr_mul(l);
        0.5 * l.dot(self.inverse * l)
    }
}
