//! The rows of a run in files: CSV, NPZ or JSON, by the ending of the file's name.

mod csv;
mod json;
mod npz;

use crate::failure::{Outcome, failure};
use poinsot::dynamics::State;
use poinsot::model::Model;
use poinsot::names::{Space, columns};
use std::fs::File;
use std::io::{BufWriter, Result};
use std::path::Path;

/// One state of a run.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// Time, coordinates and velocities.
    pub state: &'a State,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy.
    pub potential: f64,
}

/// A file that takes rows.
pub trait Sink {
    /// Takes one row.
    fn row(&mut self, row: Row) -> Result<()>;
    /// Makes sure that all rows are in the file.
    fn finish(&mut self) -> Result<()>;
}

/// What is known by the ending of a file's name.
const KNOWN: &str = ".csv, .npz and .json";
/// Formats that are written at the end hold all rows until then.
const MOST_BYTES: f64 = 4e9;

/// Creates the file; `rows` is how many are to be expected.
pub fn create(path: &Path, model: &Model, rows: f64) -> Outcome<Box<dyn Sink>> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !["csv", "npz", "json"].contains(&ending.as_str()) {
        let message = format!("{}: only {KNOWN} files can be written", path.display());
        return Err(failure(message).help("give --out a name with one of these endings"));
    }
    let bytes = rows * 8.0 * (model.nq() + model.nv() + 4) as f64;
    if ending != "csv" && bytes > MOST_BYTES {
        let message =
            format!("{}: {rows:.3e} rows are {:.1} GB, too many to hold", path.display(), bytes / 1e9);
        return Err(failure(message).help("write fewer rows with --every N, or write a .csv file"));
    }
    let file = File::create(path).map_err(|e| failure(format!("cannot write {}: {e}", path.display())))?;
    let file = BufWriter::new(file);
    Ok(match ending.as_str() {
        "csv" => Box::new(
            csv::Csv::begin(file, model)
                .map_err(|e| failure(format!("cannot write {}: {e}", path.display())))?,
        ),
        "npz" => Box::new(npz::Npz { file, rows: Rows::new(model) }),
        _ => Box::new(json::Json { file, rows: Rows::new(model) }),
    })
}

/// All rows of a run, by columns, for the formats that are written at the end.
struct Rows {
    time: Vec<f64>,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    kinetic: Vec<f64>,
    potential: Vec<f64>,
    qpos_names: Vec<String>,
    qvel_names: Vec<String>,
}

impl Rows {
    fn new(model: &Model) -> Rows {
        let none = Vec::new;
        Rows {
            time: none(),
            qpos: none(),
            qvel: none(),
            kinetic: none(),
            potential: none(),
            qpos_names: columns(model, Space::Position),
            qvel_names: columns(model, Space::Velocity),
        }
    }
    fn push(&mut self, row: Row) {
        self.time.push(row.state.time);
        self.qpos.extend(&row.state.q);
        self.qvel.extend(&row.state.v);
        self.kinetic.push(row.kinetic);
        self.potential.push(row.potential);
    }
    fn energy(&self) -> Vec<f64> {
        self.kinetic.iter().zip(&self.potential).map(|(k, p)| k + p).collect()
    }
}
