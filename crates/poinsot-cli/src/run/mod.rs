//! `poinsot run`.

mod controls;
mod fail_if;
mod happened;
pub mod interrupt;
mod options;
mod segments;
pub mod summary;

use crate::Screen;
use crate::eval::Start;
use crate::failure::{Outcome, failure};
use crate::output::{self, Events, FilmOptions, Target};
use crate::plan::{Choices, ContactChoice, Plan};
use crate::plot::{self, Figure};
use crate::probe;
use crate::report::print;
use crate::subject::{FileOptions, Subject};
use clap::Args;
use controls::Controls;
use fail_if::Condition;
use options::Coordinates;
use poinsot::constraint::Stabilisation;
use poinsot::dynamics::State;
use poinsot::integrate::{Method, Stepping};
use poinsot::{Contact, EnergyGain, Formulation, OutOfRange, Simulation, Snapshot};
use segments::{RunEnd, RunInProgress};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// Simulate a model and report how well energy and momentum were conserved
#[derive(Args)]
pub struct Run {
    /// A built-in scene, or the path of an MJCF or URDF file
    #[arg(default_value = "dzhanibekov")]
    model: OsString,
    /// How long to simulate, s [default: the scene's; 10 for files]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    time: Option<f64>,
    /// The time step, s [default: the scene's or the file's]
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// The integrator (see `poinsot list`) [default: the scene's, or the closest to the file's]
    #[arg(long)]
    integrator: Option<String>,
    /// The coordinates to simulate in; output files contain joint coordinates either way [default: reduced]
    #[arg(long, value_enum)]
    formulation: Option<Coordinates>,
    /// How to prevent rigid constraints from drifting: projection, baumgarte:SECONDS or nothing [default: projection]
    #[arg(long, value_name = "HOW", value_parser = Stabilisation::from_str)]
    stabilise: Option<Stabilisation>,
    /// How to keep touching bodies apart: exact, lcp, lcp:EDGES, pgs, impulse (collisions one after the other), penalty (springs
    /// and dampers; penalty:K,D with gains in N/m and N s/m; penalty/explicit with the force at the beginning of a step) or
    /// none. Append /discrete, as in exact/discrete, to detect contacts once per step without following fast bodies;
    /// append /poisson for restitution of impulses instead of velocities
    /// [default: the scene's; exact for files, if the integrator supports contact]
    #[arg(long, value_name = "HOW", value_parser = ContactChoice::from_str)]
    contact: Option<ContactChoice>,
    /// How to step through contact: time (whole steps, first order) or events (smooth motion from event to event, at the
    /// order of the integrator) [default: the integrator's]
    #[arg(long, value_name = "HOW", value_parser = Stepping::from_str)]
    stepping: Option<Stepping>,
    /// MJCF: contacts yield according to solref and solimp instead of being rigid (same as --contact exact/soft)
    #[arg(long)]
    soft_contact: bool,
    /// γ, m/s: contacts that approach more slowly come to rest instead of rebounding [default: 1e-3; with --stepping events 2e-6]
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    resting: Option<f64>,
    /// How many threads solve groups of bodies that do not touch one another; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    #[command(flatten)]
    start: Start,
    /// The control signals, a number for each actuator, or @FILE.csv with a column `time` and columns named as actuators,
    /// each row holding until the next [default: those of the keyframe, else 0]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    ctrl: Option<String>,
    /// Continue bit for bit from a snapshot of this model written by --save; whatever is not given here is taken from it:
    /// integrator, coordinates, stabilisation, step and control signals. --time is the additional time
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "qpos", "qvel"])]
    from: Option<PathBuf>,
    /// Write a snapshot of the final state to this file (JSON), to continue with --from
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write time, coordinates, velocities and energies to a .csv, .npz or .json file; a page that replays the run (.html), an
    /// animation (.glb), or a film (.gif; .mp4 through ffmpeg) (may be given several times)
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Write one row every N steps; the last state is always written [default: 1]
    #[arg(long, value_name = "N", requires = "out", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Add the cumulative work of each line of the ledger to the rows
    #[arg(long, requires = "out")]
    ledger: bool,
    /// Keep no ledger of energy and momentum: makes the run several times as fast
    #[arg(long, conflicts_with = "ledger")]
    no_ledger: bool,
    /// Write the events of the run (impacts, releases, slips, sticks; contacts that begin and end) to this .csv file
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Plot the run to this .svg or .png file (may be given several times)
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// What to plot, separated by commas: energies, momenta, positions, velocities, ledger, a joint's name (its coordinates)
    /// or JOINT.qvel [default: energies]
    #[arg(long, value_name = "LIST", requires = "plot", value_delimiter = ',')]
    plot_of: Vec<String>,
    /// Exit with code 1 if this condition holds, as in "energy_drift>1e-6" (may be given several times)
    ///
    /// Operators: > >= < <=. Quantities: energy_drift and momentum_drift (the worst of the run), time (at its end),
    /// how many events there were (events.impact, release, slip, stick), in how many steps events accumulated
    /// (accumulated), limits, dry friction or contacts were left undecided (unsolved), contacts alone (contact), there were
    /// too many collisions to follow (crowded), restitution was bounded because it would have created energy (bounded), the motion gained
    /// energy (gained), links turned farther than the integrator resolves (turned), or bodies lay inside one another (overlapping);
    /// where bodies touch, of all steps: the worst residual of the impulses (residual, m/s), how far surfaces overlapped
    /// (penetration, m), how many contacts pushed at once (contacts), how many collisions there were (collisions);
    /// and, checked at about 2000 moments of the run (one is enough):
    /// energy, kinetic_energy, potential_energy, a joint's coordinate (elbow, root.z) or its velocity (elbow.qvel),
    /// violation (of the worst constraint, m or rad), the work since the beginning of a line of the ledger
    /// (ledger.gravity, springs, dampers, actuators, medium, elements, constraints, limits, contact, friction; J), and the size of its errors:
    /// ledger.stabilisation, ledger.integration, ledger.imbalance (J), ledger.momentum (N s),
    /// ledger.angular_momentum (N m s).
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    fail_if: Vec<String>,
    #[command(flatten)]
    film: FilmOptions,
    #[command(flatten)]
    files: FileOptions,
}

/// A positive number of seconds.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("give a positive number of seconds".into()),
    }
}

/// The exit code of a run that was stopped with Ctrl-C, as shells have it.
pub const INTERRUPTED: u8 = 130;

impl Run {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let subject = Subject::load(&self.model, &self.files)?;
        let model = &subject.model;
        if model.is_singular() && !screen.json {
            subject.show_diagnostics(screen.verbose);
        }
        subject.refuse_singular("a run of")?;
        let from = self.from.as_ref().map(Snapshot::read).transpose()?;
        let plan = Plan::new(self.choices(), &subject, from.as_ref())?;
        let mut state = self.start.state(&subject, subject.state.clone())?;
        let (beyond, moved) = match (&from, plan.stabilisation) {
            (Some(_), _) => (None, None),
            (None, Stabilisation::Projection) => {
                let beyond = poinsot::begin_within_ranges(model, &mut state);
                (beyond, poinsot::begin_on_constraints(model, &mut state)?)
            }
            (None, _) => {
                let moved = poinsot::begin_on_constraints(model, &mut state)?;
                (poinsot::beyond_range(model, &state), moved)
            }
        };
        let mut figure = self.figure(&subject, &plan)?;
        let usual = match &from {
            Some(snapshot) => Some(snapshot.control().to_vec()),
            None => self.start.controls(&subject)?,
        };
        let mut simulation = self.simulation(&subject, state, &plan)?;
        let parse = |c: &String| Condition::parse(c, &simulation);
        let mut conditions: Vec<Condition> = self.fail_if.iter().map(parse).collect::<Outcome<_>>()?;
        self.refuse_without_ledger(&conditions)?;
        if let Some(snapshot) = &from {
            simulation.restore(snapshot)?;
        }
        let mut controls = Controls::read(model, self.ctrl.as_deref(), usual)?;
        let (begin, steps_before) = (simulation.state().time, simulation.steps());
        let every = usize::try_from(self.every.unwrap_or(1)).unwrap_or(usize::MAX);
        let rows = plan.steps as f64 / every as f64 + 2.0;
        output::check_endings(&self.out)?;
        let filmed = self.film.wanted(&self.out)?;
        let sinks = output::create(&self.out, model, rows, self.ledger)?;
        if self.every.is_some() && sinks.is_empty() {
            return Err(failure("--every applies to rows, but no rows are written")
                .help("add --out run.csv, .npz or .json, or leave it out; --fps is for films"));
        }
        if self.ledger && sinks.is_empty() {
            return Err(failure("--ledger applies to rows, but no rows are written")
                .help("add --out run.csv, .npz or .json, or leave it out: the ledger is printed anyway"));
        }
        let events = self.events.as_deref().map(Events::create).transpose()?;
        let films = match filmed {
            true => Some(self.film.films(
                &self.out,
                &plan,
                output::projector(&subject, &plan, simulation.state()),
            )?),
            false => None,
        };
        // unless everything can be written, nothing is
        let save = self.save.as_deref().map(Target::create).transpose()?;
        let plots: Vec<Target> = self.plot.iter().map(|path| Target::create(path)).collect::<Outcome<_>>()?;
        if let (Some(ContactChoice::By(_)), Some(why)) = (self.contact, Contact::nothing_touches(model)) {
            crate::report::tell(&format!("warning: --contact has no effect: {why}\n"));
        }
        if !screen.json {
            subject.show_diagnostics(screen.verbose);
            summary::remarks(&simulation)
                .iter()
                .for_each(|(word, text)| crate::report::tell(&format!("{word}: {text}\n")));
            let tell = |m| crate::report::tell(&format!("note: {}\n", summary::moved_words(model, m)));
            moved.iter().for_each(tell);
            let tell =
                |b: &OutOfRange| crate::report::tell(&format!("note: {}\n", b.sentence(plan.stabilisation)));
            beyond.iter().for_each(tell);
            if self.contact.is_none()
                && plan.contact.is_none()
                && subject.usual_contact(Method::Leapfrog).is_some()
            {
                let sentence = Contact::not_stepped_sentence(plan.integrator.word());
                crate::report::tell(&format!("note: {sentence}\n"));
            }
        }
        let (mut worst_violation, mut given) = (None, EnergyGain::default());
        let running = RunInProgress {
            plan: &plan,
            begin,
            every,
            controls: &mut controls,
            sinks,
            events,
            films,
            conditions: &mut conditions,
            figure: figure.as_mut(),
            ledger_rows: self.ledger,
            quiet: screen.json,
            worst_violation: &mut worst_violation,
            given: &mut given,
        };
        let RunEnd { outcome, files } = running.run(&mut simulation);
        let interrupted = match outcome {
            Ok(interrupted) => interrupted,
            Err(why) => {
                // the reason why the run ended takes precedence over errors in its files
                files.and_then(output::place).unwrap_or_default();
                return Err(why);
            }
        };
        let mut files = files?;
        if let Some(file) = save {
            files.push(file.filled(simulation.snapshot().to_json().as_bytes())?);
        }
        if let Some(figure) = &figure {
            for file in plots {
                files.push(plot::drawn(&figure.sheet(), file)?);
            }
        }
        output::place(files)?;
        for condition in &mut conditions {
            condition.end(&simulation);
        }
        let finished = summary::FinishedRun {
            subject: &subject,
            plan: &plan,
            begin,
            steps_before,
            moved,
            beyond,
            violation: worst_violation,
            conditions: &conditions,
            given,
            interrupted,
            verbose: screen.verbose,
        };
        print(&finished.shown(&simulation, screen.json))?;
        if !screen.json {
            let wild = summary::wild(&given, simulation.integrator(), plan.dt);
            wild.iter().for_each(|text| crate::report::tell(&format!("{text}\n")));
            conditions
                .iter()
                .filter_map(Condition::failure)
                .for_each(|text| crate::report::tell(&format!("{text}\n")));
        }
        Ok(match (interrupted, given.is_all() || conditions.iter().any(|c| c.failed())) {
            (true, _) => INTERRUPTED,
            (false, true) => 1,
            (false, false) => 0,
        })
    }

    fn choices(&self) -> Choices<'_> {
        Choices {
            time: self.time,
            dt: self.dt,
            integrator: self.integrator.as_deref(),
            formulation: self.formulation.map(Formulation::from),
            stabilisation: self.stabilise,
            contact: self.contact,
            stepping: self.stepping,
            soft_contact: self.soft_contact,
            resting: self.resting,
            threads: self.threads.into(),
        }
    }

    fn simulation<'a>(&self, subject: &'a Subject, state: State, plan: &Plan) -> Outcome<Simulation<'a>> {
        let (model, maximal) = (&subject.model, plan.formulation == Formulation::Maximal);
        if self.stabilise.is_some() && model.constraints().is_empty() && !maximal {
            return Err(failure("--stabilise is for constraints, and the model has none")
                .help("leave it out; with --formulation maximal the joints are constraints"));
        }
        Ok(Simulation::builder(model)
            .state(state)
            .integrator(plan.integrator)
            .formulation(plan.formulation)
            .stabilisation(plan.stabilisation)
            .contact(plan.contact)
            .lenient()
            .dt(plan.dt)
            .ledger(!self.no_ledger)
            .build()?)
    }

    fn refuse_without_ledger(&self, conditions: &[Condition]) -> Outcome<()> {
        let drawn = self.plot_of.iter().any(|w| w.trim() == "ledger" || w.trim().starts_with(probe::LEDGER));
        if self.no_ledger && (drawn || conditions.iter().any(Condition::wants_ledger)) {
            return Err(failure("--plot-of or --fail-if needs the ledger, which --no-ledger switches off")
                .help("leave --no-ledger out"));
        }
        Ok(())
    }

    fn figure(&self, subject: &Subject, plan: &Plan) -> Outcome<Option<Figure>> {
        if self.plot.is_empty() {
            return Ok(None);
        }
        self.plot.iter().try_for_each(|path| plot::check_ending("--plot", path))?;
        let energies = ["energies".to_string()];
        let of = if self.plot_of.is_empty() { &energies[..] } else { &self.plot_of };
        let title = format!("{}: {}, steps of {} s", subject.model.name(), plan.integrator, plan.dt);
        Figure::new(&subject.model, of, title).map(Some)
    }
}

/// A speed of 0 or more.
fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
    speed.ok_or_else(|| "give a finite speed of 0 or more, m/s".into())
}
