//! How long a run is, in which steps, by which integrator.

use crate::failure::{Failure, Outcome, failure};
use crate::subject::{Origin, Subject};
use poinsot::constraint::Stabilisation;
use poinsot::formats::did_you_mean;
use poinsot::integrate::{IntegratorError, Method, Stepping};
use poinsot::{Contact, Formulation, SimulationError, Snapshot, nearest_integrator};
use std::str::FromStr;

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
    /// The integrator.
    pub integrator: Method,
    /// The coordinates.
    pub formulation: Formulation,
    /// How constraints are kept from drifting.
    pub stabilisation: Stabilisation,
    /// How bodies that touch are kept apart; none: not at all.
    pub contact: Option<Contact>,
}

/// What the user says of it.
pub struct Wish<'a> {
    pub time: Option<f64>,
    pub dt: Option<f64>,
    pub integrator: Option<&'a str>,
    pub formulation: Option<Formulation>,
    pub stabilisation: Option<Stabilisation>,
    pub contact: Option<Touching>,
    pub stepping: Option<Stepping>,
    /// Contacts yield as `solref` has it.
    pub soft_contact: bool,
}

/// What the user says of contact.
#[derive(Clone, Copy, Debug)]
pub enum Touching {
    None,
    By(Contact),
}

impl FromStr for Touching {
    type Err = String;
    fn from_str(word: &str) -> Result<Touching, String> {
        if word == "none" { Ok(Touching::None) } else { word.parse().map(Touching::By) }
    }
}

impl Plan {
    /// What the user asks for; what they do not say is as it was in the snapshot, or as scene or file have it.
    pub fn new(wish: Wish, subject: &Subject, from: Option<&Snapshot>) -> Outcome<Plan> {
        let mut usual = Usual::of(subject);
        let (mut formulation, mut stabilisation) = (Formulation::default(), Stabilisation::default());
        if let Some(snapshot) = from {
            let of_snapshot = |f: Failure| f.while_doing("the snapshot of --from");
            let method = snapshot.integrator().parse().map_err(Failure::from);
            (usual.dt, usual.integrator) = (snapshot.dt(), method.map_err(of_snapshot)?);
            formulation = snapshot.formulation();
            stabilisation = snapshot.stabilisation().parse().map_err(|e| of_snapshot(failure(e)))?;
        }
        let (dt, duration) = (wish.dt.unwrap_or(usual.dt), wish.time.unwrap_or(usual.duration));
        if duration / dt > MOST_STEPS {
            return Err(failure(format!(
                "{duration:?} s in steps of {dt:?} s are more than {MOST_STEPS:e} steps"
            ))
            .help("give a shorter --time or a larger --dt"));
        }
        if dt > duration * (1.0 + 1e-9) {
            return Err(failure(format!(
                "the step of {dt:?} s is longer than the run of {duration:?} s; give a smaller --dt"
            )));
        }
        let steps = (duration / dt + 1e-9).floor().max(1.0) as usize;
        let rest = duration - steps as f64 * dt;
        let rest = if rest > 1e-9 * dt { rest } else { 0.0 };
        let named = wish.integrator.map(method).transpose()?;
        let integrator = match (named, wish.stepping) {
            (Some(method), Some(stepping)) if method.stepping() != Some(stepping) => {
                return Err(failure(SimulationError::WrongStepping { method, stepping }));
            }
            (Some(method), _) => method,
            (None, Some(stepping)) => stepping.method(usual.integrator),
            (None, None) => usual.integrator,
        };
        let formulation = wish.formulation.unwrap_or(formulation);
        let stabilisation = wish.stabilisation.unwrap_or(stabilisation);
        let mut contact = match (wish.contact, from) {
            (Some(Touching::None), _) => None,
            (Some(Touching::By(contact)), _) => Some(contact),
            (None, Some(snapshot)) => snapshot.contact().and_then(|word| word.parse().ok()),
            (None, None) => subject.usual_contact(integrator),
        };
        contact.iter_mut().for_each(|contact| contact.soft |= wish.soft_contact);
        Ok(Plan { dt, steps, rest, integrator, formulation, stabilisation, contact })
    }

    /// How long the run is, s.
    pub fn duration(&self) -> f64 {
        self.steps as f64 * self.dt + self.rest
    }
}

/// The integrator of this name; or what may be meant.
pub fn method(name: &str) -> Outcome<Method> {
    name.parse().map_err(|error: IntegratorError| {
        let words = Method::ALL.map(Method::word);
        let begun = || words.into_iter().find(|w| !name.is_empty() && w.starts_with(name));
        match did_you_mean(name, words).or_else(begun) {
            Some(near) => failure(error).help(format!("did you mean {near}?")),
            None => failure(error),
        }
    })
}

/// What a scene or a file says about its runs.
pub struct Usual {
    /// How long, s.
    pub duration: f64,
    /// The step, s.
    pub dt: f64,
    /// The integrator.
    pub integrator: Method,
}

impl Usual {
    pub fn of(subject: &Subject) -> Usual {
        match &subject.origin {
            Origin::Scene { duration, dt, integrator, .. } => {
                Usual { duration: *duration, dt: *dt, integrator: *integrator }
            }
            Origin::File { description, .. } => {
                let options = &description.options;
                let integrator = nearest_integrator(description, &subject.model);
                Usual { duration: DURATION_OF_FILES, dt: options.timestep, integrator }
            }
        }
    }
}
