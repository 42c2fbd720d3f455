//! Why a simulation could not start or continue.

use super::snapshot::SnapshotError;
use crate::constraint::ConstraintError;
use crate::dynamics::State;
use crate::integrate::{IntegratorError, Method, StepError, Stepping};
use crate::model::{Model, ModelError};
use crate::start::{singular_sentence, with_bodies};
use thiserror::Error;

/// Why a simulation could not start or continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// There is no such integrator, or none for this model.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A rigid constraint is not met at the start, and cannot be.
    #[error(
        "constraint \"{constraint}\" is not met where the simulation begins, and the first step cannot meet it: it remains violated by {violation:.3e} \
         (m or rad). Start nearer to a configuration that satisfies it, or check that its lengths allow one"
    )]
    NotMetAtStart {
        /// The name of the constraint, and of its bodies.
        constraint: String,
        /// The violation, m or rad.
        violation: f64,
    },
    /// The first step moves so far that a rigid constraint cannot be met after it.
    #[error(
        "constraint \"{constraint}\" is met where the simulation begins, but not after a first step of {dt} s: it stays {violation:.3e} (m or rad) \
         off. In such a step things move much farther than they are long; take a far shorter one"
    )]
    StepTooLong {
        /// The name of the constraint, and of its bodies.
        constraint: String,
        /// The violation, m or rad.
        violation: f64,
        /// The step, s.
        dt: f64,
    },
    /// The step is not a positive number, or its square or inverse is none that can be computed with.
    #[error("the time step is {0} s; give a number of seconds from 1e-30 to 1e30")]
    BadStep(f64),
    /// γ, the speed below which contacts come to rest, is not a valid speed.
    #[error("the resting speed is {0} m/s; give a finite number of 0 or more")]
    BadRestingSpeed(f64),
    /// The number of threads is 0 or too large.
    #[error("{0} threads: give 1 to 256")]
    BadThreads(usize),
    /// Joints move no mass, so that their accelerations are not determined.
    #[error("a simulation of \"{model}\" is not possible: {why}")]
    Singular {
        /// The name of the model.
        model: String,
        /// Which joints, and what to do.
        why: String,
    },
    /// The state does not fit the model or has a number that is not finite.
    #[error("the state is wrong: {0}")]
    BadState(String),
    /// The control signals do not fit the model.
    #[error("{given} control signals for a model that has {wanted} actuators")]
    BadControl {
        /// The number given.
        given: usize,
        /// The number required.
        wanted: usize,
    },
    /// A control signal is not a finite number.
    #[error("the control signal of actuator \"{actuator}\" is {value}, which is not finite")]
    ControlNotFinite {
        /// The actuator.
        actuator: String,
        /// Its signal.
        value: f64,
    },
    /// Applied forces do not fit the model, or are not finite.
    #[error("{0}")]
    BadForce(String),
    /// Derivatives of a step in maximal coordinates.
    #[error("derivatives of a step are for reduced coordinates: maximal ones cannot be varied one by one")]
    Derivatives,
    /// The model has no maximal coordinates.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A method for free bodies in maximal coordinates.
    #[error(
        "`{method}` does not step constraints, which joints are in maximal coordinates; use one of: {}",
        Method::TREE.map(Method::word).join(", ")
    )]
    NotForConstraints {
        /// The name of the method.
        method: Method,
    },
    /// The geoms of the model cannot be prepared for contact.
    #[error(transparent)]
    Collide(#[from] poinsot_collide::CollideError),
    /// A method that does not support contacts.
    #[error(
        "`{integrator}` does not support contacts; use leapfrog, implicit or semi-implicit (in time), rkmk4, adaptive or midpoint (event-driven), or switch contact off"
    )]
    NotForContact {
        /// Its name.
        integrator: &'static str,
    },
    /// Compliant contacts in event-driven motion.
    #[error(
        "`{integrator}` is event-driven, with rigid contacts; for contacts with stiffness, or `penalty`, use leapfrog, implicit or semi-implicit"
    )]
    YieldsBetweenEvents {
        /// Its name.
        integrator: &'static str,
    },
    /// Soft substeps with an event-driven method.
    #[error(
        "`pgs` is for time stepping and `{integrator}` is event-driven; use leapfrog, implicit or semi-implicit, or contact `exact`"
    )]
    PgsBetweenEvents {
        /// The name of the integrator.
        integrator: &'static str,
    },
    /// A method that steps through contact in another way.
    #[error(
        "`{method}` does not step by {stepping}; by time: leapfrog, implicit, semi-implicit; by events: rkmk4, adaptive, midpoint"
    )]
    WrongStepping {
        /// The method.
        method: Method,
        /// The requested kind.
        stepping: Stepping,
    },
    /// A simulation cannot continue with another model.
    #[error("the simulation cannot continue with the model \"{model}\": {why}")]
    CannotContinue {
        /// Its name.
        model: String,
        /// Why.
        why: String,
    },
    /// The snapshot does not fit the simulation.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// Metres or radians: a constraint that is off by less is met.
const MET: f64 = 1e-6;

/// How a failed step is reported: if the first one fails on a constraint that cannot be met, the initial state is at fault, or where that meets all
/// constraints, the size of the step. `at_start` is by how much the worst is off there, in the first step.
pub(super) fn of_step(model: &Model, at_start: Option<f64>, dt: f64, error: StepError) -> SimulationError {
    match (error, at_start) {
        (
            StepError::Constraint { source: ConstraintError::NotMet { constraint, violation, .. }, .. },
            Some(off),
        ) => {
            let constraint = with_bodies(model, &constraint);
            if off < MET {
                SimulationError::StepTooLong { constraint, violation, dt }
            } else {
                SimulationError::NotMetAtStart { constraint, violation }
            }
        }
        (other, _) => SimulationError::Step(other),
    }
}

/// Rejects a model whose accelerations are not determined. Those of massless bodies may be, by constraints.
pub(super) fn refuse_singular(model: &Model) -> Result<(), SimulationError> {
    let refused = |why| Err(SimulationError::Singular { model: model.name().into(), why });
    let loose = model.constraints().is_empty();
    singular_sentence(model).filter(|_| loose).map_or(Ok(()), refused)
}

/// Rejects a state that does not fit the model or has a number that is not finite.
pub(super) fn check(model: &Model, state: &State) -> Result<(), SimulationError> {
    for (what, given, wanted) in [
        ("coordinates", state.q.len(), model.nq()),
        ("velocities", state.v.len(), model.nv()),
        ("activations", state.activation.len(), model.activations()),
    ] {
        if given != wanted {
            let wants = format!("{given} {what} for a model that has {wanted}");
            return Err(SimulationError::BadState(wants));
        }
    }
    if let Some(what) = state.first_not_finite(model) {
        return Err(SimulationError::BadState(format!("the {what} is not finite")));
    }
    if !state.time.is_finite() {
        return Err(SimulationError::BadState("the time is not finite".into()));
    }
    if let Some(joint) = state.first_zero_quaternion(model) {
        return Err(SimulationError::BadState(format!("the quaternion of joint \"{joint}\" is 0")));
    }
    Ok(())
}
