//! A run in segments that end when a row or a frame is due, when energy is recorded, or when the user interrupts.

use super::controls::Controls;
use super::fail_if::Condition;
use super::interrupt::Interrupt;
use crate::failure::Outcome;
use crate::output::{Events, Films, Row, RowSink, Target};
use crate::plan::Plan;
use crate::plot::Figure;
use crate::probe::Reading;
use indicatif::{ProgressBar, ProgressStyle};
use poinsot::constraint::Source;
use poinsot::integrate::StepError;
use poinsot::{EnergyGain, Simulation, SimulationError};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Energy is recorded this many times, evenly; each record costs about as much as a step.
const LOOKS: usize = 2000;
/// A segment with this many steps times degrees of freedom takes a few milliseconds: Ctrl-C should not wait longer.
const LONGEST: usize = 100_000;

/// A run that takes longer than this shows its progress at this interval.
const SHOWN_EVERY: Duration = Duration::from_millis(200);

/// The state of a run under way.
pub struct RunInProgress<'a> {
    pub plan: &'a Plan,
    /// When it begins, s.
    pub begin: f64,
    /// Steps between rows.
    pub every: usize,
    pub controls: &'a mut Controls,
    pub sinks: Vec<Box<dyn RowSink>>,
    pub events: Option<Events>,
    /// The films of the run.
    pub films: Option<Films>,
    pub conditions: &'a mut [Condition],
    pub figure: Option<&'a mut Figure>,
    /// True if rows include the work of each line of the ledger.
    pub ledger_rows: bool,
    pub quiet: bool,
    /// The largest violation of a constraint so far, and the constraint.
    pub worst_violation: &'a mut Option<(Source, f64)>,
    /// The energy gained by errors of the integrator.
    pub given: &'a mut EnergyGain,
}

/// The end of a run.
pub struct RunEnd {
    /// Whether it was interrupted, or why it failed.
    pub outcome: Outcome<bool>,
    /// The complete files, to be placed; whatever happens, all rows and frames so far are in them.
    pub files: Outcome<Vec<Target>>,
}

impl RunInProgress<'_> {
    /// Takes all steps.
    pub fn run(mut self, simulation: &mut Simulation) -> RunEnd {
        let interrupt = Interrupt::listen();
        let (asked, bar) = (interrupt.clone(), progress(self.plan.steps, self.quiet));
        let (begin, ticks, seen) = (Instant::now(), AtomicU32::new(1), bar.clone());
        simulation.interrupt_when(move || {
            // a single step may take minutes: the bar is shown, and its clock keeps running
            if !seen.is_hidden() && begin.elapsed() > SHOWN_EVERY * ticks.load(Relaxed) {
                ticks.fetch_add(1, Relaxed);
                seen.tick();
            }
            asked.came()
        });
        let outcome = self.steps(simulation, &interrupt, &bar);
        bar.finish_and_clear();
        let files = completed(self.sinks, self.events, self.films, simulation);
        RunEnd { outcome: outcome.map(|()| interrupt.came()), files }
    }

    fn steps(
        &mut self,
        simulation: &mut Simulation,
        interrupt: &Interrupt,
        bar: &ProgressBar,
    ) -> Outcome<()> {
        let Plan { dt, steps, rest, .. } = *self.plan;
        let look = (steps / LOOKS).max(1);
        let longest = (LONGEST / (simulation.state().v.len() + 10)).max(1);
        self.row(simulation)?;
        self.film(simulation, 0)?;
        self.look(simulation);
        let (mut done, mut shown) = (0, Instant::now());
        while done < steps && !interrupt.came() {
            self.controls.set(simulation, self.begin, dt, done);
            let (next_look, next_row) = (next(done, look), next(done, self.every));
            let next_row = if self.sinks.is_empty() { usize::MAX } else { next_row };
            let next_frame = self.films.as_ref().map_or(usize::MAX, |films| films.next(dt));
            let stop = next_look.min(next_row).min(next_frame).min(steps).min(done + longest);
            let stop = stop.min(self.controls.next_change(self.begin, dt));
            self.run_on(simulation, stop - done, dt)?;
            done = stop;
            if done == next_row {
                self.row(simulation)?;
            }
            self.film(simulation, done)?;
            if done == next_look {
                self.look(simulation);
            }
            if shown.elapsed() > SHOWN_EVERY {
                bar.set_position(done as u64);
                shown = Instant::now();
            }
        }
        let shorter = rest > 0.0 && !interrupt.came();
        if shorter {
            self.run_on(simulation, 1, rest)?;
            self.film(simulation, steps + 1)?;
        }
        let last_is_written = done.is_multiple_of(self.every) && !shorter;
        if !last_is_written {
            self.row(simulation)?;
        }
        self.look(simulation);
        Ok(())
    }

    /// Takes steps and writes their events, including those before a step that failed.
    fn run_on(&mut self, simulation: &mut Simulation, steps: usize, dt: f64) -> Outcome<()> {
        let outcome = simulation.run(steps, dt);
        if let Some(events) = &mut self.events {
            events.write(simulation)?;
        }
        match outcome {
            // the loop checks again, and ends
            Err(SimulationError::Step(StepError::Interrupted { .. })) => Ok(()),
            outcome => Ok(outcome?),
        }
    }

    fn row(&mut self, simulation: &mut Simulation) -> Outcome<()> {
        if self.sinks.is_empty() {
            return Ok(());
        }
        let (kinetic, potential) = simulation.energies();
        let ledger = simulation.ledger().filter(|_| self.ledger_rows).map(|l| l.total().energy);
        let row = Row { state: simulation.state(), kinetic, potential, ledger };
        self.sinks.iter_mut().try_for_each(|sink| sink.row(row))
    }

    fn film(&mut self, simulation: &Simulation, done: usize) -> Outcome<()> {
        self.films.as_mut().map_or(Ok(()), |films| films.take(simulation, done, self.plan.dt))
    }

    fn look(&mut self, simulation: &mut Simulation) {
        let violation = self.note_violation(simulation);
        self.given.look(simulation);
        if self.conditions.is_empty() && self.figure.is_none() {
            return;
        }
        let ((kinetic, potential), momentum) = (simulation.energies(), simulation.at().momentum());
        let ledger = simulation.ledger().map(|l| *l.total());
        let now = Reading { state: simulation.state(), kinetic, potential, momentum, ledger, violation };
        self.conditions.iter_mut().for_each(|c| c.look(&now));
        if let Some(figure) = &mut self.figure {
            figure.look(&now);
        }
    }
}

impl RunInProgress<'_> {
    fn note_violation(&mut self, simulation: &mut Simulation) -> Option<f64> {
        let (source, size) = simulation.violation()?;
        // NaN is the worst of all, and stays
        if self.worst_violation.as_ref().is_none_or(|(_, worst)| size > *worst || size.is_nan()) {
            *self.worst_violation = Some((source, size));
        }
        Some(size)
    }
}

fn completed(
    sinks: Vec<Box<dyn RowSink>>,
    events: Option<Events>,
    films: Option<Films>,
    simulation: &Simulation,
) -> Outcome<Vec<Target>> {
    let rows = sinks.into_iter().map(|sink| sink.complete());
    let mut files: Vec<Target> = rows.chain(events.map(Events::complete)).collect::<Outcome<_>>()?;
    if let Some(films) = films {
        files.extend(films.complete(simulation)?);
    }
    Ok(files)
}

/// The next multiple of `every` after `done`.
fn next(done: usize, every: usize) -> usize {
    (done / every + 1).saturating_mul(every)
}

/// A progress bar that is shown only on terminals, and only for runs that take a while.
fn progress(steps: usize, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps as u64);
    let style =
        ProgressStyle::with_template("{wide_bar} {percent}% {pos}/{len} steps, {elapsed} gone, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
