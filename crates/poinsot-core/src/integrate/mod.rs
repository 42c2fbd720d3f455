//! Integrators: from one state of a tree to the next.
//!
//! | name | method | order | conserves or guarantees |
//! |---|---|---|---|
//! | `semi-implicit` | velocity first, then position with the new velocity | 1 | bounded energy if M is constant or for one hinge |
//! | `implicit` | as above, implicit in joint dampers, springs and servos | 1 | stability at any stiffness |
//! | `leapfrog` | drift, kick by midpoint forces, drift; implicit like `implicit` | 2, in implicit terms 1 | substeps keep energy from growing |
//! | `backward` | all forces and constraints at the end of the step | 1 | stability at any stiffness; loses energy, never gains it |
//! | `rkmk4` | classical Runge–Kutta in the Lie algebra [MuntheKaas98] | 4 | nothing exactly; small errors |
//! | `adaptive` | extrapolation with error control, for reference solutions | ≤ 16 | the tolerance |
//! | `midpoint` | variational midpoint rule | 2 | symplectic form and momenta, so energy does not drift |
//!
//! In general `semi-implicit` does not bound energy, since v is not the momentum.
//!
//! Bodies that are free, or rotate about a fixed point, can also be run with the methods of [`crate::free`].

mod adaptive;
mod backward;
mod broyden;
mod chart;
mod collisions;
mod contacts;
mod deciding;
mod events;
mod free_bodies;
mod guard;
mod implicit;
mod implicit_drag;
mod inverse_contact;
mod joint_forces;
mod leapfrog;
mod memory;
mod method;
mod midpoint;
mod model_ref;
mod path;
mod pile;
mod powers;
mod rattle;
mod report;
mod resting;
mod rkmk4;
mod semi_implicit;
mod sensitivity;
mod settle;
mod shared_elements;
mod spin;
mod stiff;
mod system;

pub use adaptive::Adaptive;
pub use backward::Backward;
pub(crate) use chart::{chart_rate, chart_velocity};
pub use free_bodies::FreeBodies;
pub use implicit::Implicit;
pub use inverse_contact::{InverseContactOptions, InverseContactSolution};
pub use joint_forces::{JointForces, Signals};
pub use leapfrog::Leapfrog;
pub use memory::{CoordinateMap, MemoryError, MemoryReader};
pub use method::{Method, Stepping};
pub use midpoint::Midpoint;
pub use model_ref::ModelRef;
pub(crate) use path::Flow;
pub(crate) use report::Exerted;
pub use report::{Correction, Event, Fallback, StepReport};
pub use rkmk4::Rkmk4;
pub use semi_implicit::SemiImplicit;
pub use sensitivity::{NoEquations, StepEquations, StepMatrices};
pub use shared_elements::SharedElements;
pub use system::{ForceElement, System};

pub use crate::constraint::{EventKind, Inequality};

use crate::algebra::Digits;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::constraint::ConstraintError;
use crate::dynamics::State;
use crate::free::FreeStepError;
use crate::model::Model;
use thiserror::Error;

/// A way to step a system in time. Implement it to add your own.
///
/// ```
/// use poinsot_core::{dynamics::State, integrate::{Integrator, StepError, System}};
/// /// The textbook's first method, which gains energy.
/// struct Explicit;
/// impl Integrator for Explicit {
///     fn name(&self) -> &'static str { "explicit" }
///     fn order(&self) -> u32 { 1 }
///     fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
///         let mut a = vec![0.0; state.v.len()];
///         system.acceleration(state, &mut a);
///         system.model().integrate(&mut state.q, &state.v, dt);
///         for (v, a) in state.v.iter_mut().zip(&a) { *v += dt * a; }
///         state.time += dt;
///         Ok(())
///     }
/// }
/// ```
pub trait Integrator: Send {
    /// The name by which users select it.
    fn name(&self) -> &'static str;
    /// The order of convergence.
    fn order(&self) -> u32;
    /// Moves `state` forward by `dt`. On an error the state is as it was before the step.
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError>;
    /// How it steps through contact.
    fn stepping(&self) -> Stepping {
        Stepping::Time
    }
    /// The largest entry of RᵀR − 1 after the last step, for methods that do not keep R a rotation; `None` for all others.
    fn orthogonality_error(&self) -> Option<f64> {
        None
    }
    /// Writes its memory: what its next step depends on in addition to the state, such as an initial guess or the size of an inner step.
    fn memory(&self, _out: &mut Vec<f64>) {}
    /// Restores what [`Integrator::memory`] of an integrator of the same kind wrote.
    fn restore_memory(&mut self, _from: &mut MemoryReader<'_>) {}
    /// Restores the memory of an integrator of the same kind for a model with other bodies, as far as the two models correspond, and
    /// continues from `state`.
    fn remap(&mut self, _from: &mut MemoryReader<'_>, _map: &CoordinateMap, _state: &State) {}
    /// Keeps its memory of the step that led to a state although that state has been varied.
    fn vary(&mut self, _state: &State) {}
    /// The equations of the step of size `dt` from `state`, for its derivatives; none if it has no such equations. Nothing is stepped, but the
    /// memory changes.
    #[doc(hidden)]
    fn equations(&mut self, _system: &mut System, _state: &State, _dt: f64) -> Option<StepEquations> {
        None
    }
}

/// An error in a step.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum StepError {
    #[error(
        "at t = {} s the {what} became infinite or not a number; the state before this step is kept. Try a \
         smaller step than {} s, or the integrator `implicit` if springs or dampers are stiff",
        Digits(*time),
        Digits(*dt)
    )]
    NotFinite { time: f64, dt: f64, what: String },
    #[error(
        "at t = {} s `{method}` did not converge in {iterations} iterations (last correction {}, of {what}); try a \
         smaller step than {} s",
        Digits(*time),
        Digits(*correction),
        Digits(*dt)
    )]
    NotConverged {
        time: f64,
        dt: f64,
        method: &'static str,
        iterations: usize,
        correction: f64,
        what: String,
    },
    #[error(
        "at t = {} s `adaptive` has made {most} inner steps without reaching the end of the step of {} s; give a \
         smaller step",
        Digits(*time),
        Digits(*dt)
    )]
    TooMuchWork { time: f64, dt: f64, most: usize },
    #[error(
        "at t = {} s `adaptive` needs steps below {} s to keep its tolerance: the motion of {what} is too \
         stiff or not smooth there; use `implicit`",
        Digits(*time),
        Digits(*step)
    )]
    StepTooSmall { time: f64, step: f64, what: String },
    #[error("`{method}` does not support the {what} of the system; use `leapfrog`, `implicit` or `rkmk4`")]
    Elements { method: &'static str, what: &'static str },
    #[error(
        "at t = {} s {source}; the state before this step is kept. Try a smaller step than {} s",
        Digits(*time),
        Digits(*dt)
    )]
    Constraint { time: f64, dt: f64, source: ConstraintError },
    #[error("at t = {} s contacts could not be solved: {why}; the state before this step is kept", Digits(*time))]
    Contact { time: f64, dt: f64, why: String },
    #[error("joint \"{joint}\": {source}")]
    Free { joint: String, source: FreeStepError },
    #[error("the step was interrupted at t = {} s; the state before it is kept", Digits(*time))]
    Interrupted { time: f64 },
}

/// Why an integrator cannot be created for a model.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum IntegratorError {
    #[error("there is no integrator \"{name}\"; there are: {}", Method::ALL.map(Method::word).join(", "))]
    Unknown { name: String },
    #[error(
        "`{name}` steps bodies that are free or turn about a fixed point, but body \"{body}\" {why}; for this model \
         use one of: {}",
        Method::TREE.map(Method::word).join(", ")
    )]
    NotFree { name: &'static str, body: String, why: String },
}

/// Creates the integrator with this name, with scratch for `model`.
///
/// ```
/// # use poinsot_core::{model::*, integrate};
/// # let mut b = ModelBuilder::new("ball");
/// # let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 1.0 }, 1.0)?);
/// # b.joint(ball, Joint::free());
/// # let model = b.build()?;
/// assert_eq!(integrate::by_name("rkmk4", &model)?.order(), 4);
/// assert_eq!(integrate::by_name("exact", &model)?.name(), "exact");
/// assert!(integrate::by_name("rk5", &model).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn by_name(name: &str, model: &Model) -> Result<Box<dyn Integrator>, IntegratorError> {
    name.parse::<Method>()?.integrator(model)
}

/// Replaces `state` by `next`, projected onto the constraints, if all its numbers are finite; otherwise says which is not.
fn accept(system: &mut System, state: &mut State, next: &mut State, dt: f64) -> Result<(), StepError> {
    accept_with(system, state, next, dt, false)
}

/// As [`accept`], at the end of a step in which limits may have been reached.
fn accept_impacts(
    system: &mut System,
    state: &mut State,
    next: &mut State,
    dt: f64,
) -> Result<(), StepError> {
    accept_with(system, state, next, dt, true)
}

fn accept_with(
    system: &mut System,
    state: &mut State,
    next: &mut State,
    dt: f64,
    impacts: bool,
) -> Result<(), StepError> {
    let model = &*system.model();
    let failed = |source| StepError::Constraint { time: state.time, dt, source };
    if let Some(why) = system.contact_failure(state.time, dt) {
        return Err(why);
    }
    let touching = system.multipliers.as_mut().and_then(|multipliers| multipliers.touching.as_mut());
    if let Some(why) = touching.and_then(|touching| touching.failed.take()) {
        return Err(StepError::Contact { time: state.time, dt, why: why.to_string() });
    }
    if let Some(what) = next.first_not_finite(model) {
        if system.multipliers().is_some_and(|multipliers| multipliers.is_singular()) {
            return Err(failed(ConstraintError::Singular));
        }
        return Err(StepError::NotFinite { time: state.time, dt, what });
    }
    if impacts { system.settle_impacts(next) } else { system.settle(next) }.map_err(failed)?;
    system.report_impulses();
    if let Some(what) = next.first_not_finite(model) {
        return Err(StepError::NotFinite { time: state.time, dt, what });
    }
    std::mem::swap(state, next);
    Ok(())
}

/// Replaces v by `v + dt a`, each entry rounded once, with the fused multiply-adds of this processor.
fn kick(v: &mut [f64], a: &[f64], dt: f64) {
    struct Kick<'a>(&'a mut [f64], &'a [f64], f64);
    impl Kernel for Kick<'_> {
        type Output = ();
        #[inline(always)]
        fn run<I: Isa>(self) {
            let Kick(v, a, dt) = self;
            for (v, a) in v.iter_mut().zip(a) {
                *v = a.mul_add(dt, *v);
            }
        }
    }
    dispatch(Kick(v, a, dt));
}

/// Copies a state in place; the `clone_from` of a derived `Clone` would allocate.
pub(crate) fn copy(to: &mut State, from: &State) {
    to.time = from.time;
    to.q.clone_from(&from.q);
    to.v.clone_from(&from.v);
    to.activation.clone_from(&from.activation);
}
