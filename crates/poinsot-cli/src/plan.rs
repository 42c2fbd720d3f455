//! The length of a run, its steps, and its integrator.

use crate::failure::{Failure, Outcome, failure};
use crate::subject::{Origin, Subject};
use poinsot::constraint::Stabilisation;
use poinsot::formats::did_you_mean;
use poinsot::integrate::{IntegratorError, Method, Stepping};
use poinsot::{Contact, Formulation, SimulationError, Snapshot, nearest_integrator};
use std::str::FromStr;

const MOST_STEPS: f64 = 1e12;
/// How long a model from a file is simulated, s.
const DURATION_OF_FILES: f64 = 10.0;

/// The steps of a run.
pub struct Plan {
    /// The step, s.
    pub dt: f64,
    /// The number of steps.
    pub steps: usize,
    /// The length of a final shorter step if whole ones do not fill the time; otherwise 0.
    pub rest: f64,
    /// The integrator.
    pub integrator: Method,
    /// The coordinates.
    pub formulation: Formulation,
    /// How constraints are kept from drifting.
    pub stabilisation: Stabilisation,
    /// How contact is solved; `None`: bodies pass through one another.
    pub contact: Option<Contact>,
}

/// The choices of the user.
pub struct Choices<'a> {
    pub time: Option<f64>,
    pub dt: Option<f64>,
    pub integrator: Option<&'a str>,
    pub formulation: Option<Formulation>,
    pub stabilisation: Option<Stabilisation>,
    pub contact: Option<ContactChoice>,
    pub stepping: Option<Stepping>,
    /// Contacts are compliant as `solref` says.
    pub soft_contact: bool,
    pub resting: Option<f64>,
    /// How many threads solve islands of contacts.
    pub threads: usize,
}

/// The user's choice of contact.
#[derive(Clone, Copy, Debug)]
pub enum ContactChoice {
    None,
    By(Contact),
}

impl FromStr for ContactChoice {
    type Err = String;
    fn from_str(word: &str) -> Result<ContactChoice, String> {
        if word == "none" { Ok(ContactChoice::None) } else { word.parse().map(ContactChoice::By) }
    }
}

impl Plan {
    /// The user's choices; anything not given is as in the snapshot, or as in scene or file.
    pub fn new(choices: Choices, subject: &Subject, from: Option<&Snapshot>) -> Outcome<Plan> {
        let mut defaults = Defaults::of(subject);
        let (mut formulation, mut stabilisation) = (Formulation::default(), Stabilisation::default());
        if let Some(snapshot) = from {
            let of_snapshot = |f: Failure| f.while_doing("the snapshot of --from");
            let method = snapshot.integrator().parse().map_err(Failure::from);
            (defaults.dt, defaults.integrator) = (snapshot.dt(), method.map_err(of_snapshot)?);
            formulation = snapshot.formulation();
            stabilisation = snapshot.stabilisation().parse().map_err(|e| of_snapshot(failure(e)))?;
        }
        let (dt, duration) = (choices.dt.unwrap_or(defaults.dt), choices.time.unwrap_or(defaults.duration));
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
        let named = choices.integrator.map(method).transpose()?;
        let integrator = match (named, choices.stepping) {
            (Some(method), Some(stepping)) if method.stepping() != Some(stepping) => {
                return Err(failure(SimulationError::WrongStepping { method, stepping }));
            }
            (Some(method), _) => method,
            (None, Some(stepping)) => stepping.method(defaults.integrator),
            (None, None) => defaults.integrator,
        };
        let formulation = choices.formulation.unwrap_or(formulation);
        let stabilisation = choices.stabilisation.unwrap_or(stabilisation);
        let mut contact = match (choices.contact, from) {
            (Some(ContactChoice::None), _) => None,
            (Some(ContactChoice::By(contact)), _) => Some(contact),
            (None, Some(snapshot)) => snapshot.contact().and_then(|word| word.parse().ok()),
            (None, None) => subject.usual_contact(integrator),
        };
        if let Some(contact) = &mut contact {
            contact.soft |= choices.soft_contact;
            contact.settings.resting = choices.resting.or(contact.settings.resting);
            contact.settings.threads = choices.threads;
        }
        Ok(Plan { dt, steps, rest, integrator, formulation, stabilisation, contact })
    }

    /// How long the run is, s.
    pub fn duration(&self) -> f64 {
        self.steps as f64 * self.dt + self.rest
    }
}

/// The integrator of this name; otherwise an error that suggests the nearest names.
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

/// The settings of a scene or file for its runs.
pub struct Defaults {
    /// How long, s.
    pub duration: f64,
    /// The step, s.
    pub dt: f64,
    /// The integrator.
    pub integrator: Method,
}

impl Defaults {
    pub fn of(subject: &Subject) -> Defaults {
        match &subject.origin {
            Origin::Scene { duration, dt, integrator, .. } => {
                Defaults { duration: *duration, dt: *dt, integrator: *integrator }
            }
            Origin::File { description, .. } => {
                let options = &description.options;
                let integrator = nearest_integrator(description, &subject.model);
                Defaults { duration: DURATION_OF_FILES, dt: options.timestep, integrator }
            }
        }
    }
}
