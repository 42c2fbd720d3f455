//! Compares the formulations with one another along a motion.

use super::{Quantity, Report, Twin};
use crate::constraint::Maximal;
use crate::dynamics::State;
use crate::integrate::{self, JointForces, StepError, System};
use crate::model::{BodyId, Model, ModelError};
use thiserror::Error;

/// The duration and density of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckOptions {
    /// The step, in seconds; both formulations are stepped with `rkmk4`.
    pub dt: f64,
    /// How many steps.
    pub steps: usize,
    /// The interval between comparisons, in steps; the start and the end are always compared.
    pub every: usize,
}

impl Default for CheckOptions {
    /// A hundred steps of a millisecond, comparing every tenth.
    fn default() -> Self {
        CheckOptions { dt: 1e-3, steps: 100, every: 10 }
    }
}

/// An error in comparing the formulations.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The model has no maximal coordinates.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A step failed.
    #[error("{formulation} coordinates: {source}")]
    Step {
        /// Reduced or maximal.
        formulation: &'static str,
        /// What went wrong.
        source: StepError,
    },
    /// Joints that move no mass.
    #[error("the accelerations of this model are not determined: {0}")]
    Singular(String),
}

/// Runs a model in reduced coordinates and in maximal ones, and compares all formulations along the way.
/// Controls and activations are held constant.
///
/// ```
/// use poinsot_core::{algebra::V3, audit::{self, CheckOptions}, dynamics::State, model::*};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// let model = b.build()?;
/// let start = State { q: vec![1.0], ..State::new(&model) };
/// let report = audit::check(&model, &start, &[], CheckOptions::default())?;
/// assert!(report.worst().unwrap().worst < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(
    model: &Model,
    start: &State,
    control: &[f64],
    options: CheckOptions,
) -> Result<Report, CheckError> {
    if model.is_singular() {
        let defects: Vec<String> = model.defects().iter().map(|d| d.to_string()).collect();
        return Err(CheckError::Singular(defects.join("; ")));
    }
    let (mut twin, mut report) = (Twin::new(model)?, Report::default());
    let maximal = Maximal::beginning_at(model, &start.q)?;
    let mut reduced = System::new(model);
    reduced.control_mut().copy_from_slice(control);
    let mut free = System::new(maximal.model());
    let joints = JointForces::new(model, &maximal);
    joints.signals().set(control, &start.activation);
    free.push(joints);
    let failed = |formulation| move |source| CheckError::Step { formulation, source };
    let mut one = integrate::Rkmk4::new(model);
    let mut two = integrate::Rkmk4::new(maximal.model());
    let (mut state, mut there) = (start.clone(), maximal.state(start));
    let mut tau = vec![0.0; model.nv()];
    for step in 0..=options.steps {
        if step % options.every.max(1) == 0 || step == options.steps {
            reduced.forces(&state, &mut tau);
            twin.compare(&state, &tau, &mut report);
            compare_motion(model, &mut reduced, &mut free, &twin, &state, &there, &mut report);
        }
        if step < options.steps {
            use integrate::Integrator;
            one.step(&mut reduced, &mut state, options.dt).map_err(failed("reduced"))?;
            two.step(&mut free, &mut there, options.dt).map_err(failed("maximal"))?;
        }
    }
    Ok(report)
}

/// The positions of the bodies, relative to the extent of the model and the distance it has moved.
fn compare_motion(
    model: &Model,
    reduced: &mut System,
    free: &mut System,
    twin: &Twin,
    state: &State,
    there: &State,
    report: &mut Report,
) {
    let bodies = || model.body_ids().skip(1);
    let at = reduced.at(state);
    let poses: Vec<_> = bodies().map(|b| at.pose(b)).collect();
    let extent = poses.iter().fold(1.0, |e: f64, x| e.max(x.pos.norm()));
    let at = free.at(there);
    for (body, x) in bodies().zip(poses) {
        let other = at.pose(twin.maximal().body(body));
        let turned = (x.rot - other.rot).max_abs();
        let off = (x.pos - other.pos).norm() / extent;
        let name = || name_of(model, body);
        report.note(Quantity::Motion, state.time, turned.max(off), 1.0, name);
    }
}

fn name_of(model: &Model, body: BodyId) -> String {
    model.bodies()[body.index()].name.clone()
}
