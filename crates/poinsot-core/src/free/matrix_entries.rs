//! The nine entries of a rotation matrix treated as independent numbers, to demonstrate why this fails.
//!
//! `Ṙ = R [Ω]×` is tangent to the rotation group, but a straight step along a tangent leaves the group, and nothing returns to it: RᵀR
//! drifts from 1, and with it lengths, volumes and the world momentum R I Ω.

use super::entries::euler_equations;
use super::raw::{Raw, orthogonality_error};
use super::{
    Entries, Flat, FreeBody, FreeIntegrator, FreeStepError, Kinematics, Loads, MomentumState, Scheme,
    VelocityState,
};
use crate::algebra::{M3, V3};

/// (p, R, ṗ, Ω) with R by its nine entries, never renormalised.
///
/// ```
/// use poinsot_core::{algebra::{Sym3, V3}, free::*, spatial::Inertia};
/// let body = FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?)?;
/// let spinning = VelocityState { omega: V3::Z, ..VelocityState::AT_REST };
/// let y = ForwardEuler.advance(&body, &NoLoad, 0.0, 0.1, MatrixEntries::from(spinning))?;
/// assert!((y.orthogonality_error() - 0.01).abs() < 1e-15); // (Ω h)²
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatrixEntries {
    /// Centre of mass.
    pub pos: V3,
    /// The matrix that should be a rotation.
    pub rot: M3,
    /// Velocity.
    pub vel: V3,
    /// Ω, body axes.
    pub spin: V3,
}

impl MatrixEntries {
    /// The largest entry of RᵀR − 1.
    pub fn orthogonality_error(&self) -> f64 {
        orthogonality_error(self.rot)
    }
}

impl From<VelocityState> for MatrixEntries {
    fn from(s: VelocityState) -> Self {
        let rot = s.rot.matrix();
        MatrixEntries { pos: s.pos, rot, vel: s.vel, spin: rot.tr_mul(s.omega) }
    }
}

impl Entries for MatrixEntries {
    fn flat(&self) -> Flat {
        let parts = [self.pos, self.rot.x, self.rot.y, self.rot.z, self.vel, self.spin].map(V3::array);
        std::array::from_fn(|i| parts[i / 3][i % 3])
    }
    fn from_flat(y: &Flat) -> Self {
        let v = |i: usize| V3::new(y[3 * i], y[3 * i + 1], y[3 * i + 2]);
        MatrixEntries { pos: v(0), rot: M3::columns(v(1), v(2), v(3)), vel: v(4), spin: v(5) }
    }
    fn rate(&self, body: &FreeBody, loads: &dyn Loads, t: f64) -> Flat {
        let rot = self.rot;
        let at = Kinematics { t, pos: self.pos, rot, vel: self.vel, omega: rot * self.spin };
        let load = loads.load(body, &at);
        MatrixEntries {
            pos: self.vel,
            rot: rot * M3::skew(self.spin),
            vel: load.force * (1.0 / body.mass()),
            spin: euler_equations(body, self.spin, rot.tr_mul(load.moment)),
        }
        .flat()
    }
    /// Does nothing, on purpose.
    fn renormalised(self) -> Self {
        self
    }
}

/// A scheme on the entries (p, R, ṗ, Ω). The state's attitude is the rotation nearest to R; R itself is
/// [`MomentumState::attitude`].
///
/// ```
/// use poinsot_core::free::{FreeIntegrator, InMatrices, Rk4};
/// assert_eq!(InMatrices(Rk4).name(), "rk4-matrix");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InMatrices<S>(pub S);

impl<S: Scheme> FreeIntegrator for InMatrices<S> {
    fn name(&self) -> &'static str {
        S::NAMES[2]
    }
    fn keeps_rotations(&self) -> bool {
        false
    }
    fn order(&self) -> u32 {
        S::ORDER
    }
    fn next_state(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        state: &MomentumState,
    ) -> Result<MomentumState, FreeStepError> {
        let mut entries = MatrixEntries::from(body.to_velocity(state));
        if let Some(Raw::Matrix(rot)) = state.raw() {
            entries.rot = rot;
        }
        let MatrixEntries { pos, rot: entries, vel, spin } = self.0.advance(body, loads, t, dt, entries)?;
        let raw = Raw::Matrix(entries);
        let rot = raw.rotation();
        let mut next = body.to_momentum(&VelocityState { pos, rot, vel, omega: rot.matrix() * spin });
        next.raw = Some(raw);
        Ok(next)
    }
}
