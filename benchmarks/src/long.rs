//! `./bench long`: a stock humanoid falls on its floor and kicks about under random controls, for as many steps as are asked for.
//!
//! Numbers must stay finite, and the residual of every step be at most 1e-6 m/s; this is a proof, not a race.

use crate::mujoco::{controls, inside_limits};
use cpu_time::ThreadTime;
use miette::{IntoDiagnostic, Result, bail, miette};
use poinsot::integrate::{Fallback, Method};
use poinsot::{Contact, Simulation, formats};
use std::path::Path;

/// m/s: what is asked of every step.
const RESIDUAL: f64 = 1e-6;

/// Makes `steps` steps of the model in a file, with the controls of a seed.
pub fn run(file: &Path, method: Method, steps: usize, seed: u64) -> Result<()> {
    let loaded = formats::load(file).map_err(|e| miette!("{}: {e}", file.display()))?;
    let begin = inside_limits(&loaded);
    let dt = loaded.description.options.timestep;
    let builder = Simulation::builder(&loaded.model).state(begin).integrator(method).dt(dt);
    let mut simulation = builder.contact(Contact::default()).build().into_diagnostic()?;
    let (mut worst, mut above, mut touched, mut deepest) = ((0.0f64, 0), 0, 0, 0.0f64);
    let mut work = [0usize; 3];
    let begun = ThreadTime::now();
    for (k, row) in controls(&loaded, seed).take(steps).enumerate() {
        simulation.control_mut().copy_from_slice(&row);
        simulation.advance(1, dt).into_diagnostic()?;
        let state = simulation.state();
        if !state.q.iter().chain(&state.v).all(|x| x.is_finite()) {
            bail!("step {k} is not finite");
        }
        let report = simulation.report();
        let residual = report.certificate.map_or(0.0, |c| c.residual);
        if let Some(c) = &report.certificate {
            work = [work[0] + c.sweeps, work[1] + c.newton_steps, work[2] + c.interior_steps];
        }
        touched += usize::from(report.certificate.is_some());
        deepest = deepest.max(report.penetration);
        if residual > worst.0 {
            worst = (residual, k);
        }
        if residual > RESIDUAL {
            above += 1;
            println!("step {k}: {:?}", report.certificate);
        }
    }
    let per_step = |count: usize| count as f64 / steps as f64;
    let (unsolved, seconds) = (simulation.tally().steps(Fallback::Contact), begun.elapsed().as_secs_f64());
    println!(
        "{}, {method}, seed {seed}: {steps} steps, {touched} with contact, {:.1} µs each; largest residual {:.1e} m/s in step {}, \
        {above} above {RESIDUAL:.0e}, {unsolved} not solved to the tolerance; deepest {:.1} mm; {:.2} sweeps, {:.2} Newton and {:.3} interior steps each",
        file.display(),
        seconds / steps as f64 * 1e6,
        worst.0,
        worst.1,
        deepest * 1e3,
        per_step(work[0]),
        per_step(work[1]),
        per_step(work[2])
    );
    if above > 0 { bail!("{above} steps above {RESIDUAL:.0e} m/s") } else { Ok(()) }
}
