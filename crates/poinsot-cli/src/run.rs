//! `poinsot run`.

use crate::report::print;
use crate::table::Table;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use miette::{Context, IntoDiagnostic, Result, miette};
use poinsot::{Simulation, scenes};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Simulate a scene and say how well energy and momentum were kept
#[derive(Args)]
pub struct Run {
    /// The scene; `poinsot list` shows them
    #[arg(default_value = "dzhanibekov")]
    scene: String,
    /// How long to simulate, s
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    time: Option<f64>,
    /// The time step, s
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// The integrator; `poinsot list` shows them
    #[arg(long)]
    integrator: Option<String>,
    /// Write time, coordinates, velocities and energies to this CSV file
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// Write a row every so many steps; the last state is always written
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("give a positive number of seconds".into()),
    }
}

/// The drift is looked at this many times in a run, evenly; each look costs about as much as a step.
const LOOKS: usize = 2000;
const MOST_STEPS: f64 = 1e12;

impl Run {
    pub fn execute(self) -> Result<()> {
        let scene = scenes::by_name(&self.scene).map_err(|e| miette!("{e}"))?;
        let dt = self.dt.unwrap_or(scene.dt);
        let duration = self.time.unwrap_or(scene.duration);
        if duration / dt > MOST_STEPS {
            return Err(miette!("{duration} s in steps of {dt} s are more than {MOST_STEPS:e} steps"));
        }
        if dt > duration * (1.0 + 1e-9) {
            return Err(miette!(
                "the step of {dt:?} s is longer than the run of {duration:?} s; give a smaller --dt"
            ));
        }
        // whole steps, and one shorter one where they do not fill the time
        let steps = (duration / dt + 1e-9).floor().max(1.0) as usize;
        let rest = duration - steps as f64 * dt;
        let rest = if rest > 1e-9 * dt { rest } else { 0.0 };
        let name = self.integrator.as_deref().unwrap_or(scene.integrator);
        let mut simulation =
            Simulation::new(&scene.model, scene.state.clone(), name).map_err(|e| miette!("{e}"))?;
        let mut table = match &self.out {
            Some(path) => {
                if path.extension().is_none_or(|e| e != "csv") {
                    return Err(miette!("{}: only .csv files can be written; give FILE.csv", path.display()));
                }
                let created = Table::create(path, &scene.model).into_diagnostic();
                Some(created.with_context(|| format!("cannot write {}", path.display()))?)
            }
            None => None,
        };
        self.steps(&mut simulation, table.as_mut(), steps, dt, rest)?;
        self.summary(&scene, &simulation, dt)
    }

    /// Steps in stretches that end where a row is due or the drift is looked at.
    fn steps(
        &self,
        simulation: &mut Simulation,
        mut table: Option<&mut Table>,
        steps: usize,
        dt: f64,
        rest: f64,
    ) -> Result<()> {
        let every = usize::try_from(self.every).unwrap_or(usize::MAX);
        let look = (steps / LOOKS).max(1);
        let bar = progress(steps, self.json);
        let mut row = |simulation: &mut Simulation| -> Result<()> {
            let Some(table) = &mut table else { return Ok(()) };
            let at = simulation.at();
            let (kinetic, potential) = (at.kinetic_energy(), at.potential_energy());
            table
                .row(simulation.state(), kinetic, potential)
                .into_diagnostic()
                .wrap_err("cannot write the row")
        };
        row(simulation)?;
        let (mut done, mut shown) = (0, Instant::now());
        let mut outcome = Ok(());
        while done < steps && outcome.is_ok() {
            let next_look = (done / look + 1) * look;
            let next_row =
                if self.out.is_some() { (done / every + 1).saturating_mul(every) } else { usize::MAX };
            let stop = next_look.min(next_row).min(steps);
            outcome = simulation.run(stop - done, dt);
            done = stop;
            if outcome.is_ok() && done == next_row {
                row(simulation)?;
            }
            if shown.elapsed() > Duration::from_millis(200) {
                bar.set_position(done as u64);
                shown = Instant::now();
            }
        }
        if rest > 0.0 && outcome.is_ok() {
            outcome = simulation.run(1, rest);
        }
        // the last state is always in the file
        if outcome.is_ok() && (rest > 0.0 || !steps.is_multiple_of(every)) {
            row(simulation)?;
        }
        bar.finish_and_clear();
        if let Some(table) = table {
            table.flush().into_diagnostic()?;
        }
        outcome.map_err(|e| miette!("{e}"))
    }

    fn summary(&self, scene: &scenes::Scene, simulation: &Simulation, dt: f64) -> Result<()> {
        let (state, drift) = (simulation.state(), simulation.drift());
        let wall = simulation.stepping_time().as_secs_f64();
        let simulated = state.time - scene.state.time;
        if self.json {
            let report = json!({
                "scene": self.scene,
                "integrator": simulation.integrator(),
                "steps": simulation.steps(),
                "wall_seconds": wall,
                "real_time_factor": simulated / wall,
                "energy_drift": drift.energy,
                "momentum_drift": drift.momentum,
                "final": {"time": state.time, "qpos": state.q, "qvel": state.v},
            });
            return print(&format!("{report:#}\n"));
        }
        let bodies = match scene.model.bodies().len() - 1 {
            1 => "1 body".to_string(),
            n => format!("{n} bodies"),
        };
        let whole = (simulated / dt - simulation.steps() as f64).abs() < 1e-6;
        let energy = match (scene.model.is_conservative(), scene.model.actuators()) {
            (true, _) => "energy drift",
            (false, []) => "energy lost",
            (false, _) => "energy change",
        };
        let momentum =
            drift.momentum.map_or("held by the world".into(), |m| format!("{m:.1e} (relative, worst)"));
        let rows = [
            ("scene", format!("{}: {}, {} degrees of freedom", scene.model.name(), bodies, scene.model.nv())),
            ("integrator", simulation.integrator().to_string()),
            (
                "steps",
                format!(
                    "{} of {dt} s{}",
                    simulation.steps(),
                    if whole { "" } else { ", the last one shorter" }
                ),
            ),
            ("wall time", format!("{wall:.3} s, {:.0} ns a step", 1e9 * wall / simulation.steps() as f64)),
            ("real-time factor", format!("{:.0}", simulated / wall)),
            (energy, format!("{:.1e} (relative, worst)", drift.energy)),
            ("momentum drift", momentum),
        ];
        let text: String = rows.iter().map(|(name, value)| format!("  {name:18} {value}\n")).collect();
        print(&text)
    }
}

/// A bar that shows itself only where a person looks, and only on runs that take a while.
fn progress(steps: usize, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps as u64);
    let style = ProgressStyle::with_template("{wide_bar} {percent}% {pos}/{len} steps, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
