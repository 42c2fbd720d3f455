//! The common parts of figures about integrators: the model, the integrators that can run it, and files of numbers.

use crate::failure::{Outcome, failure};
use crate::output::Target;
use crate::plot;
use crate::report::tell;
use crate::subject::{FileOptions, Subject};
use clap::Args;
use poinsot::Simulation;
use poinsot::integrate::{Integrator, Method};
use poinsot::model::Model;
use std::ffi::OsString;
use std::path::PathBuf;

/// The subject of the study, and the output files.
#[derive(Args)]
pub struct Study {
    /// A built-in scene, or the path of an MJCF or URDF file; free bodies and tops are stepped by every integrator, others by those for trees
    #[arg(long, value_name = "MODEL", default_value = "dzhanibekov")]
    scene: OsString,
    /// The picture to write: a .svg or .png file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write the numbers to this .csv file
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

impl Study {
    /// The model. Output that could not be written later is refused before anything is computed.
    pub fn begin(&self, default: &str) -> Outcome<(Subject, PathBuf)> {
        let out = self.out.clone().unwrap_or_else(|| default.into());
        plot::check_ending("--out", &out)?;
        if let Some(path) = &self.data {
            if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("csv")) {
                let message = format!("{}: numbers can only be written to .csv files", path.display());
                return Err(failure(message).help("use this file extension for --data"));
            }
            plot::check_folder(path)?;
        }
        let subject = Subject::load(&self.scene, &FileOptions::default())?;
        subject.refuse_singular("a study of")?;
        if subject.usual_contact(Method::Leapfrog).is_some() {
            tell(
                "note: not simulated: contact: bodies pass through each other; figures compare integrators without contact\n",
            );
        }
        Ok((subject, out))
    }

    /// Writes the numbers, if requested.
    pub fn write(&self, table: &str) -> Outcome<()> {
        let Some(path) = &self.data else { return Ok(()) };
        Target::create(path)?.fill(table.as_bytes())
    }
}

/// All integrators that can step this model.
pub fn integrators(model: &Model) -> Vec<Box<dyn Integrator>> {
    Method::ALL.iter().filter_map(|m| m.integrator(model).ok()).collect()
}

/// A simulation from the initial state of the subject, with its initial control signals.
pub fn simulation(subject: &Subject, integrator: Box<dyn Integrator>) -> Outcome<Simulation<'_>> {
    let mut simulation = Simulation::with(&subject.model, subject.state.clone(), integrator)?;
    if let Some(control) = subject.control() {
        simulation.control_mut().copy_from_slice(&control);
    }
    Ok(simulation)
}
