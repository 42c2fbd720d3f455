//! `poinsot check`: one model in three formulations, side by side.

mod contact;
mod show;

use crate::Screen;
use crate::eval::Start;
use crate::failure::{Failure, Outcome, failure};
use crate::report::{print, tell};
use crate::run::positive;
use crate::subject::{FileOptions, Origin, Subject};
use clap::Args;
use poinsot::InitialProjection;
use poinsot::algebra::Digits;
use poinsot::audit::{self, Agreement, CheckError, CheckOptions, Quantity};
use poinsot::constraint::{Mobility, Multipliers, Stabilisation};
use poinsot::dynamics::{State, Workspace};
use std::ffi::OsString;

/// Compare reduced coordinates, maximal coordinates and the trace form on one model
///
/// Each formulation has its own kinematics and equations. They share the compiled model, the generalised forces they are given and the rows
/// of loop constraints: an error in these would appear in all three; other tests look for it.
///
/// Accelerations, reactions, multipliers and energies of the three formulations are compared along a motion, and so are the motions in
/// reduced and maximal coordinates, both stepped with rkmk4 and without contact. If geoms may touch, the motion with contact is then
/// followed from event to event, in both coordinates, and by time stepping with three step sizes, which must converge to the events. Exits
/// with code 1 if a difference exceeds its tolerance.
#[derive(Args)]
pub struct Check {
    /// A built-in scene, or the path of an MJCF or URDF file
    model: OsString,
    /// How long to follow the motion, s; 0 compares at the start only
    #[arg(long, default_value_t = 0.1, value_parser = not_negative, allow_negative_numbers = true)]
    time: f64,
    /// The time step, s [default: the scene's, at most 0.001; 0.001 for files; a tenth of that if the motion fails]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// The largest relative difference allowed
    #[arg(long, default_value = "1e-9", value_parser = not_negative, allow_negative_numbers = true)]
    tolerance: f64,
    /// The largest difference allowed between the positions of bodies at the end of the motion
    #[arg(long, default_value = "1e-6", value_parser = not_negative, allow_negative_numbers = true)]
    motion_tolerance: f64,
    /// Start with random velocities within ±1 m/s or rad/s that respect the constraints [default: 1 for files that would
    /// start at rest]
    #[arg(long, value_name = "SEED")]
    random_velocities: Option<u64>,
    /// Leave contact out
    #[arg(long)]
    no_contact: bool,
    #[command(flatten)]
    start: Start,
    #[command(flatten)]
    files: FileOptions,
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| *x >= 0.0 && x.is_finite());
    number.ok_or_else(|| "give a number of 0 or more".into())
}

const LONGEST_STEP: f64 = 1e-3;
/// If stiff springs make longer steps fail, the steps are shortened down to about this.
const SHORTEST_STEP: f64 = 1e-6;
const USUAL_SEED: u64 = 1;
const MOST_STEPS: f64 = 1e9;
/// The number of comparisons along the motion.
const LOOKS: usize = 10;

/// Everything there is to show.
struct Findings<'a> {
    subject: &'a Subject,
    options: CheckOptions,
    moved: Option<InitialProjection>,
    /// The seed of the velocities, and whether the user has given it.
    seed_used: Option<(u64, bool)>,
    mobility: Option<Mobility>,
    /// The comparisons, and their tolerances.
    agreements: Vec<(Agreement, f64)>,
    /// The check with contact; none if nothing may touch.
    contact: Option<contact::Contacts>,
}

impl Findings<'_> {
    fn failed(&self) -> usize {
        let failed = |(a, tolerance): &&(Agreement, f64)| a.worst.is_nan() || a.worst > *tolerance;
        self.agreements.iter().filter(failed).count() + self.contact.as_ref().map_or(0, |c| c.failed())
    }
}

impl Check {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let subject = Subject::load(&self.model, &self.files)?;
        let model = &subject.model;
        if !screen.json {
            subject.show_diagnostics(screen.verbose);
        }
        subject.refuse_singular("a check of")?;
        if model.nv() == 0 {
            return Err(failure(format!(
                "nothing in \"{}\" can move: there is nothing to compare",
                subject.name
            )));
        }
        let mut options = self.options(&subject)?;
        let mut state = self.start.state(&subject, subject.state.clone())?;
        let beyond = poinsot::begin_within_ranges(model, &mut state);
        if let Some(beyond) = beyond.filter(|_| !screen.json) {
            tell(&format!("note: {}\n", beyond.sentence(Stabilisation::Projection)));
        }
        let moved = poinsot::begin_on_constraints(model, &mut state)?;
        let seed_used = self.seed(&subject, &state);
        if let Some((seed, _)) = seed_used {
            poinsot::randomise_velocities(model, &mut state, seed);
        }
        let signal = self.start.controls(&subject)?.filter(|u| u.len() == model.actuators().len());
        let signal = signal.unwrap_or_else(|| vec![0.0; model.actuators().len()]);
        let mut compared = audit::check(model, &state, &signal, options);
        while matches!(compared, Err(CheckError::Step { .. }))
            && self.dt.is_none()
            && options.dt > SHORTEST_STEP
        {
            options.dt /= 10.0;
            compared = audit::check(model, &state, &signal, options);
        }
        let report = compared.map_err(|e| unchecked(&e, options.dt))?;
        let agreements = report.entries().iter().map(|a| (a.clone(), self.allowed(a.quantity))).collect();
        let mobility = (!model.constraints().is_empty())
            .then(|| Multipliers::new(model).mobility(model, &mut Workspace::new(model), &state.q));
        let contact = self.check_contact(&subject, &state, &signal, options)?;
        let findings =
            Findings { subject: &subject, options, moved, seed_used, mobility, agreements, contact };
        print(&if screen.json { findings.json() } else { findings.text() })?;
        Ok(u8::from(findings.failed() > 0))
    }

    fn options(&self, subject: &Subject) -> Outcome<CheckOptions> {
        let usual = match subject.origin {
            Origin::Scene { dt, .. } => dt.min(LONGEST_STEP),
            Origin::File { .. } => LONGEST_STEP,
        };
        let dt = self.dt.unwrap_or(usual);
        let steps = (self.time / dt).round();
        if steps > MOST_STEPS {
            return Err(failure(format!(
                "{} s in steps of {dt} s are more than {MOST_STEPS:e} steps",
                self.time
            )));
        }
        let steps = steps as usize;
        Ok(CheckOptions { dt, steps, every: (steps / LOOKS).max(1) })
    }

    /// A model at rest says little: files that would begin at rest get random velocities.
    fn seed(&self, subject: &Subject, state: &State) -> Option<(u64, bool)> {
        let rest = state.v.iter().all(|v| *v == 0.0) && !self.start.has_velocities();
        let usual = matches!(subject.origin, Origin::File { .. }) && rest;
        self.random_velocities.map(|seed| (seed, true)).or_else(|| usual.then_some((USUAL_SEED, false)))
    }

    fn allowed(&self, quantity: Quantity) -> f64 {
        if quantity == Quantity::Motion { self.motion_tolerance } else { self.tolerance }
    }
}

fn unchecked(error: &CheckError, dt: f64) -> Failure {
    let fail = failure(error);
    match error {
        CheckError::Step { .. } => fail.help(format!(
            "both formulations are stepped with rkmk4, which may be unstable with stiff springs, dampers or servos at {} s: \
             give a smaller --dt, or --time 0 to compare at the start alone",
            Digits(dt)
        )),
        _ => fail,
    }
}
