//! The common interface of all methods for a free body, and their names.

use super::{
    BackwardEuler, Buss, Exact, Exact4, ForwardEuler, FreeBody, InMatrices, InMomenta, InVelocities, Lecture,
    Loads, MomentumConserving, MomentumState, Rk4,
};
use crate::algebra::Digits;
use thiserror::Error;

/// A method that advances a free body by one step.
///
/// The state is in momenta, so that a method that conserves L need not touch it; methods in velocities convert at
/// both ends of the step.
///
/// ```
/// use poinsot_core::{algebra::{Sym3, V3}, free::*, spatial::Inertia};
/// let body = FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?)?;
/// let mut s = body.to_momentum(&VelocityState { omega: V3::new(0.1, 2.0, 0.0), ..VelocityState::AT_REST });
/// let before = body.kinetic_energy(&s);
/// let exact = free_integrator("exact").expect("a known name");
/// for step in 0..100 {
///     exact.step(&body, &NoLoad, 0.1 * f64::from(step), 0.1, &mut s)?;
/// }
/// assert!((body.kinetic_energy(&s) - before).abs() < 1e-14 * before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FreeIntegrator: Sync {
    /// The name by which users select it.
    fn name(&self) -> &'static str;
    /// The order of convergence of the attitude at fixed time.
    fn order(&self) -> u32;
    /// False for methods on raw entries, whose R drifts away from the rotations ([`MomentumState::attitude`]).
    fn keeps_rotations(&self) -> bool {
        true
    }
    /// The state at `t + dt`, from that at `t`.
    fn next_state(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        state: &MomentumState,
    ) -> Result<MomentumState, FreeStepError>;
    /// Advances `state` from `t` to `t + dt`. On error, also if a number is not finite, the state is unchanged.
    fn step(
        &self,
        body: &FreeBody,
        loads: &dyn Loads,
        t: f64,
        dt: f64,
        state: &mut MomentumState,
    ) -> Result<(), FreeStepError> {
        let next = self.next_state(body, loads, t, dt, state)?;
        next.finite(self.name(), t)?;
        *state = next;
        Ok(())
    }
}

/// Why a step failed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FreeStepError {
    /// The equations of an implicit step were not solved.
    #[error(
        "{method} at t = {} s: no solution of the implicit step of {} s after {iterations} Newton iterations \
         (last correction {}, relative); take a smaller step",
        Digits(*t),
        Digits(*dt),
        Digits(*correction)
    )]
    NotConverged {
        /// The method.
        method: &'static str,
        /// Time at the start of the step.
        t: f64,
        /// The step.
        dt: f64,
        /// The number of iterations.
        iterations: u32,
        /// The last correction, relative to the state.
        correction: f64,
    },
    /// A number of the new state is infinite or NaN.
    #[error("{method} at t = {t} s: {what} is not finite; check the loads, or take a smaller step")]
    NotFinite {
        /// The method.
        method: &'static str,
        /// Which quantity.
        what: &'static str,
        /// Time at the start of the step.
        t: f64,
    },
}

/// All methods, in order of sophistication.
pub fn free_integrators() -> [&'static dyn FreeIntegrator; 17] {
    [
        &Lecture::VELOCITIES,
        &Lecture::UNNORMALISED,
        &Lecture::MOMENTA,
        &InMatrices(ForwardEuler),
        &InMatrices(BackwardEuler),
        &InMatrices(Rk4),
        &InVelocities(ForwardEuler),
        &InMomenta(ForwardEuler),
        &InVelocities(BackwardEuler),
        &InMomenta(BackwardEuler),
        &InVelocities(Rk4),
        &InMomenta(Rk4),
        &MomentumConserving,
        &Buss::SECOND_ORDER,
        &Buss::AUGMENTED,
        &Exact,
        &Exact4,
    ]
}

/// The method of that name.
///
/// ```
/// use poinsot_core::free::free_integrator;
/// assert_eq!(free_integrator("buss").map(|m| m.order()), Some(2));
/// assert!(free_integrator("bus").is_none());
/// ```
pub fn free_integrator(name: &str) -> Option<&'static dyn FreeIntegrator> {
    free_integrators().into_iter().find(|m| m.name() == name)
}
