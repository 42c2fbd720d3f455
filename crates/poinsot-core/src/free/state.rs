//! The two choices of state of a free body, and the quantities that a load may depend on.

use super::raw::{Raw, orthogonality_error};
use super::{FreeBody, FreeRotor, FreeStepError};
use crate::algebra::{M3, V3};
use crate::spatial::Quat;

/// State in velocities (p, q, ṗ, ω).
///
/// ```
/// use poinsot_core::{algebra::V3, free::VelocityState};
/// let thrown = VelocityState { vel: V3::new(1.0, 0.0, 5.0), ..VelocityState::AT_REST };
/// assert_eq!(thrown.omega, V3::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityState {
    /// Centre of mass in the world.
    pub pos: V3,
    /// Attitude: body to world.
    pub rot: Quat,
    /// Velocity of the centre of mass, world axes.
    pub vel: V3,
    /// Angular velocity, world axes.
    pub omega: V3,
}

impl VelocityState {
    /// At the origin, with the identity attitude, at rest.
    pub const AT_REST: VelocityState =
        VelocityState { pos: V3::ZERO, rot: Quat::IDENTITY, vel: V3::ZERO, omega: V3::ZERO };
}

/// State in momenta (x, q, P, L).
///
/// It also carries the memory of individual methods: for [`super::Exact`] its torque-free motion, for methods on raw entries the
/// replacement of the rotation. The memory is only used with the attitude and L that it belongs to, so writing to any field is safe.
///
/// ```
/// use poinsot_core::{algebra::V3, free::MomentumState, spatial::Quat};
/// let s = MomentumState::new(V3::ZERO, Quat::IDENTITY, V3::ZERO, V3::Z);
/// assert_eq!(s.angular, V3::Z);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MomentumState {
    /// Centre of mass in the world.
    pub pos: V3,
    /// Attitude: body to world.
    pub rot: Quat,
    /// Linear momentum P, world axes.
    pub linear: V3,
    /// Angular momentum L about the centre of mass, world axes.
    pub angular: V3,
    pub(super) rotor: Option<FreeRotor>,
    pub(super) raw: Option<Raw>,
    /// The accumulated rounding error of the position.
    pub(super) left_out: V3,
}

impl MomentumState {
    /// The state with these coordinates and momenta.
    pub fn new(pos: V3, rot: Quat, linear: V3, angular: V3) -> MomentumState {
        MomentumState { pos, rot, linear, angular, rotor: None, raw: None, left_out: V3::ZERO }
    }

    /// The replacement of the rotation in a method on raw entries, if it still corresponds to this attitude.
    pub(super) fn raw(&self) -> Option<Raw> {
        self.raw.filter(|raw| raw.rotation() == self.rot)
    }

    /// The matrix by which the method multiplies vectors of the body: the rotation, or entries that are no longer a rotation.
    ///
    /// ```
    /// use poinsot_core::{algebra::{Sym3, V3}, free::*, spatial::Inertia};
    /// let body = FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?)?;
    /// let mut s = body.to_momentum(&VelocityState { omega: V3::Z, ..VelocityState::AT_REST });
    /// InMatrices(ForwardEuler).step(&body, &NoLoad, 0.0, 0.1, &mut s)?;
    /// assert!((s.orthogonality_error() - 0.01).abs() < 1e-15); // (Ω h)²
    /// assert!((s.attitude().determinant() - 1.01).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attitude(&self) -> M3 {
        self.raw().map_or_else(|| self.rot.matrix(), Raw::matrix)
    }

    /// The largest entry of RᵀR − 1, where R is the [attitude](MomentumState::attitude).
    pub fn orthogonality_error(&self) -> f64 {
        orthogonality_error(self.attitude())
    }

    /// Ok if every number is finite; otherwise names the first quantity that is not.
    pub(super) fn finite(&self, method: &'static str, t: f64) -> Result<(), FreeStepError> {
        let bad = |what| Err(FreeStepError::NotFinite { method, what, t });
        if !self.linear.is_finite() {
            bad("the linear momentum")
        } else if !self.angular.is_finite() {
            bad("the angular momentum")
        } else if !self.rot.norm_squared().is_finite() {
            bad("the attitude")
        } else if !self.pos.is_finite() {
            bad("the position")
        } else {
            Ok(())
        }
    }
}

impl PartialEq for MomentumState {
    /// Compares coordinates and momenta; the memory is not part of the state's meaning.
    fn eq(&self, o: &Self) -> bool {
        (self.pos, self.rot, self.linear, self.angular) == (o.pos, o.rot, o.linear, o.angular)
    }
}

/// The motion of a body, on which a load may depend. World axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kinematics {
    /// Time.
    pub t: f64,
    /// Centre of mass (or pivot).
    pub pos: V3,
    /// Attitude: body to world.
    pub rot: M3,
    /// Velocity of the centre of mass.
    pub vel: V3,
    /// Angular velocity.
    pub omega: V3,
}

impl Kinematics {
    /// The motion of `body` in state `s`.
    #[inline(always)]
    pub fn of(body: &FreeBody, s: &MomentumState, t: f64) -> Kinematics {
        let rot = s.rot.matrix();
        let omega = body.world_spin(rot, s.angular);
        Kinematics { t, pos: s.pos, rot, vel: s.linear * (1.0 / body.mass()), omega }
    }
}
