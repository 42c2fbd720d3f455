//! How long a run is, in which steps, by which integrator.

use crate::failure::{Outcome, failure};
use crate::subject::{Origin, Subject};
use poinsot::nearest_integrator;

const MOST_STEPS: f64 = 1e12;
/// How long a model from a file is simulated.
const DURATION_OF_FILES: f64 = 10.0;

/// The steps of a run.
pub struct Plan {
    /// The step, s.
    pub dt: f64,
    /// How many.
    pub steps: usize,
    /// One shorter step where whole ones do not fill the time; 0 where they do.
    pub rest: f64,
    /// The integrator's name.
    pub integrator: String,
}

/// What the user says of it.
pub struct Wish<'a> {
    pub time: Option<f64>,
    pub dt: Option<f64>,
    pub integrator: Option<&'a str>,
}

impl Plan {
    /// The rest is as usual.
    pub fn new(wish: Wish, subject: &Subject) -> Outcome<Plan> {
        let usual = Usual::of(subject);
        let (dt, duration) = (wish.dt.unwrap_or(usual.dt), wish.time.unwrap_or(usual.duration));
        if duration / dt > MOST_STEPS {
            return Err(failure(format!(
                "{duration} s in steps of {dt} s are more than {MOST_STEPS:e} steps"
            )));
        }
        if dt > duration * (1.0 + 1e-9) {
            return Err(failure(format!(
                "the step of {dt:?} s is longer than the run of {duration:?} s; give a smaller --dt"
            )));
        }
        let steps = (duration / dt + 1e-9).floor().max(1.0) as usize;
        let rest = duration - steps as f64 * dt;
        let rest = if rest > 1e-9 * dt { rest } else { 0.0 };
        let integrator = wish.integrator.unwrap_or(usual.integrator).to_string();
        Ok(Plan { dt, steps, rest, integrator })
    }

    /// How long the run is, s.
    pub fn duration(&self) -> f64 {
        self.steps as f64 * self.dt + self.rest
    }
}

/// What a scene or a file says about its runs.
pub struct Usual {
    /// How long, s.
    pub duration: f64,
    /// The step, s.
    pub dt: f64,
    /// The integrator.
    pub integrator: &'static str,
}

impl Usual {
    pub fn of(subject: &Subject) -> Usual {
        match &subject.origin {
            Origin::Scene { duration, dt, integrator, .. } => {
                Usual { duration: *duration, dt: *dt, integrator }
            }
            Origin::File { description, .. } => {
                let options = &description.options;
                let integrator = nearest_integrator(description, &subject.model);
                Usual { duration: DURATION_OF_FILES, dt: options.timestep, integrator }
            }
        }
    }
}
