//! The output files of a run, by extension: rows in CSV, NPZ or JSON; replays, animations and films.

mod csv;
mod events;
mod films;
mod frame_sink;
mod json;
mod npz;
mod projector;
mod target;

pub use csv::quote;
pub use events::Events;
pub use films::{FilmOptions, Films, shows_frames};
pub use npz::Archive;
pub use projector::projector;
pub use target::{Target, place};

use crate::failure::{Outcome, failure};
use poinsot::audit::Line;
use poinsot::dynamics::State;
use poinsot::model::Model;
use poinsot::names::{Space, columns};
use std::path::{Path, PathBuf};

/// One state of a run.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// Time, coordinates and velocities.
    pub state: &'a State,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy.
    pub potential: f64,
    /// The work of each line of the ledger since the beginning, if requested.
    pub ledger: Option<[f64; Line::ALL.len()]>,
}

/// The names of the columns of the ledger.
fn ledger_names() -> Vec<String> {
    Line::ALL.iter().map(|line| format!("ledger.{}", line.word())).collect()
}

/// A file of rows.
pub trait RowSink {
    /// Writes one row.
    fn row(&mut self, row: Row) -> Outcome<()>;
    /// Makes sure that all rows are in the file.
    fn complete(self: Box<Self>) -> Outcome<Target>;
}

/// Properties that follow from the extension of a file.
const KNOWN: &str = "rows (.csv, .npz and .json), replays (.html), animations (.glb) and films (.gif, .mp4)";
/// The extensions of files of rows.
const ENDINGS: [&str; 3] = ["csv", "npz", "json"];
/// Formats that are written at the end keep all rows until then.
const MOST_BYTES: f64 = 4e9;

fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// True for files of rows, by their extensions.
pub fn takes_rows(path: &Path) -> bool {
    ENDINGS.contains(&&*ending(path))
}

/// Refuses files with an unknown extension.
pub fn check_endings(paths: &[PathBuf]) -> Outcome<()> {
    match paths.iter().find(|p| !takes_rows(p) && !films::shows_frames(p)) {
        Some(path) => Err(failure(format!("{}: only {KNOWN} can be written", path.display()))
            .help("use one of these file extensions for --out")),
        None => Ok(()),
    }
}

/// Creates the files of rows; `rows` is their expected number.
pub fn create(paths: &[PathBuf], model: &Model, rows: f64, ledger: bool) -> Outcome<Vec<Box<dyn RowSink>>> {
    paths.iter().filter(|p| takes_rows(p)).map(|path| create_one(path, model, rows, ledger)).collect()
}

fn create_one(path: &Path, model: &Model, rows: f64, ledger: bool) -> Outcome<Box<dyn RowSink>> {
    let ending = ending(path);
    let bytes = rows * 8.0 * (model.nq() + model.nv() + 4 + if ledger { Line::ALL.len() } else { 0 }) as f64;
    if ending != "csv" && bytes > MOST_BYTES {
        let message =
            format!("{}: {rows:.3e} rows are {:.1} GB, too many to hold", path.display(), bytes / 1e9);
        return Err(failure(message).help("write fewer rows with --every N, or write a .csv file"));
    }
    let file = Target::create(path)?;
    Ok(match ending.as_str() {
        "csv" => Box::new(csv::Csv::begin(file, model, ledger)?),
        "npz" => Box::new(npz::Npz { file, rows: Rows::new(model, ledger) }),
        _ => Box::new(json::Json { file, rows: Rows::new(model, ledger) }),
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
    ledger: Vec<f64>,
    /// Empty if the ledger is not written.
    ledger_names: Vec<String>,
}

impl Rows {
    fn new(model: &Model, ledger: bool) -> Rows {
        let none = Vec::new;
        Rows {
            time: none(),
            qpos: none(),
            qvel: none(),
            kinetic: none(),
            potential: none(),
            qpos_names: columns(model, Space::Position),
            qvel_names: columns(model, Space::Velocity),
            ledger: none(),
            ledger_names: if ledger { ledger_names() } else { Vec::new() },
        }
    }
    fn push(&mut self, row: Row) {
        self.time.push(row.state.time);
        self.qpos.extend(&row.state.q);
        self.qvel.extend(&row.state.v);
        self.kinetic.push(row.kinetic);
        self.potential.push(row.potential);
        self.ledger.extend(row.ledger.iter().flatten());
    }
    fn energy(&self) -> Vec<f64> {
        self.kinetic.iter().zip(&self.potential).map(|(k, p)| k + p).collect()
    }
}
