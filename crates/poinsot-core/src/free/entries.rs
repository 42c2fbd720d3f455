//! States as plain arrays, for methods that add `h · rate` to every entry.
//!
//! With Ω in body axes, and without loads, Euler's equations do not involve the attitude:
//! ```math
//! ṗ = v,   q̇ = ½ q ⊗ (0, Ω),   v̇ = F/m,   Ω̇ = I⁻¹ (Rᵀτ − Ω × I Ω)                                          (1)
//! ```
//! and in momenta
//! ```math
//! ẋ = P/m,   q̇ = ½ (0, ω) ⊗ q,   Ṗ = F,   L̇ = τ,      ω = R I⁻¹ Rᵀ L                                       (2)
//! ```
//! A step moves the entries of q off the unit sphere along a tangent; they are renormalised after each step, not between stages.

use super::{FreeBody, FreeIntegrator, FreeStepError, Kinematics, Loads, MomentumState, VelocityState};
use crate::algebra::V3;
use crate::spatial::Quat;

/// The entries of a state; unused ones stay 0.
pub type Flat = [f64; 18];

/// A state a [`Scheme`] can step: an array with a rate of change.
pub trait Entries: Copy {
    /// As an array.
    fn flat(&self) -> Flat;
    /// From an array.
    fn from_flat(y: &Flat) -> Self;
    /// The time derivative of every entry.
    fn rate(&self, body: &FreeBody, loads: &dyn Loads, t: f64) -> Flat;
    /// Renormalises the entries after each step.
    fn renormalised(self) -> Self;
}

/// A method for ordinary differential equations, independent of the meaning of the entries.
pub trait Scheme: Sync {
    /// Names on velocities, on momenta and on matrix entries.
    const NAMES: [&'static str; 3];
    /// Order of convergence.
    const ORDER: u32;
    /// One step from `t` to `t + dt`.
    fn advance<Y: Entries>(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        y: Y,
    ) -> Result<Y, FreeStepError>;
}

/// `y + h k`, entry by entry.
pub(super) fn shifted<Y: Entries>(y: Y, k: &Flat, h: f64) -> Y {
    let y = y.flat();
    Y::from_flat(&std::array::from_fn(|i| y[i] + h * k[i]))
}

/// Concatenates vectors and scalars.
fn flatten(parts: &[&[f64]]) -> Flat {
    let mut y = [0.0; 18];
    for (to, from) in y.iter_mut().zip(parts.iter().flat_map(|p| p.iter())) {
        *to = *from;
    }
    y
}

fn v3(y: &Flat, at: usize) -> V3 {
    V3::new(y[at], y[at + 1], y[at + 2])
}

fn quat(y: &Flat, at: usize) -> Quat {
    Quat::from([y[at], y[at + 1], y[at + 2], y[at + 3]])
}

/// (p, q, ṗ, Ω): velocities, the angular one in body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuatEntries {
    /// Centre of mass.
    pub pos: V3,
    /// Attitude.
    pub rot: Quat,
    /// Velocity.
    pub vel: V3,
    /// Ω, body axes.
    pub spin: V3,
}

impl From<VelocityState> for QuatEntries {
    fn from(s: VelocityState) -> Self {
        QuatEntries { pos: s.pos, rot: s.rot, vel: s.vel, spin: s.rot.matrix().tr_mul(s.omega) }
    }
}
impl From<QuatEntries> for VelocityState {
    fn from(s: QuatEntries) -> Self {
        VelocityState { pos: s.pos, rot: s.rot, vel: s.vel, omega: s.rot.matrix() * s.spin }
    }
}

impl Entries for QuatEntries {
    fn flat(&self) -> Flat {
        flatten(&[&self.pos.array(), &self.rot.array(), &self.vel.array(), &self.spin.array()])
    }
    fn from_flat(y: &Flat) -> Self {
        QuatEntries { pos: v3(y, 0), rot: quat(y, 3), vel: v3(y, 7), spin: v3(y, 10) }
    }
    /// Equations (1).
    fn rate(&self, body: &FreeBody, loads: &dyn Loads, t: f64) -> Flat {
        let rot = self.rot.matrix();
        let at = Kinematics { t, pos: self.pos, rot, vel: self.vel, omega: rot * self.spin };
        let load = loads.load(body, &at);
        let half_spin = self.spin * 0.5;
        let turn = self.rot * Quat { w: 0.0, x: half_spin.x, y: half_spin.y, z: half_spin.z };
        let acceleration = load.force * (1.0 / body.mass());
        let spin_rate = euler_equations(body, self.spin, rot.tr_mul(load.moment));
        flatten(&[&self.vel.array(), &turn.array(), &acceleration.array(), &spin_rate.array()])
    }
    fn renormalised(self) -> Self {
        QuatEntries { rot: self.rot.normalized(), ..self }
    }
}

/// Ω̇ = I⁻¹ (τ − Ω × I Ω), body axes.
pub(super) fn euler_equations(body: &FreeBody, spin: V3, torque: V3) -> V3 {
    body.body_spin(torque - spin.cross(body.inertia() * spin))
}

impl Entries for MomentumState {
    fn flat(&self) -> Flat {
        flatten(&[&self.pos.array(), &self.rot.array(), &self.linear.array(), &self.angular.array()])
    }
    fn from_flat(y: &Flat) -> Self {
        MomentumState::new(v3(y, 0), quat(y, 3), v3(y, 7), v3(y, 10))
    }
    /// Equations (2).
    fn rate(&self, body: &FreeBody, loads: &dyn Loads, t: f64) -> Flat {
        let at = Kinematics::of(body, self, t);
        let load = loads.load(body, &at);
        let turn = self.rot.rate_world(at.omega);
        flatten(&[&at.vel.array(), &turn.array(), &load.force.array(), &load.moment.array()])
    }
    fn renormalised(self) -> Self {
        MomentumState { rot: self.rot.normalized(), ..self }
    }
}

/// A scheme on the entries (p, q, ṗ, Ω).
///
/// ```
/// use poinsot_core::free::{FreeIntegrator, InVelocities, Rk4};
/// assert_eq!(InVelocities(Rk4).name(), "rk4");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InVelocities<S>(pub S);

impl<S: Scheme> FreeIntegrator for InVelocities<S> {
    fn name(&self) -> &'static str {
        S::NAMES[0]
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
        let entries = QuatEntries::from(body.to_velocity(state));
        let stepped = self.0.advance(body, loads, t, dt, entries)?;
        Ok(body.to_momentum(&stepped.into()))
    }
}

/// A scheme on the entries (x, q, P, L).
///
/// ```
/// use poinsot_core::free::{FreeIntegrator, InMomenta, Rk4};
/// assert_eq!(InMomenta(Rk4).name(), "rk4-momenta");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InMomenta<S>(pub S);

impl<S: Scheme> FreeIntegrator for InMomenta<S> {
    fn name(&self) -> &'static str {
        S::NAMES[1]
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
        self.0.advance(body, loads, t, dt, *state)
    }
}
