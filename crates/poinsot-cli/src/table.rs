//! The rows of a run as CSV.

use poinsot::dynamics::State;
use poinsot::model::{JointKind, Model};
use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

/// A CSV file with time, coordinates, velocities and energies, a row a state.
pub struct Table {
    file: BufWriter<File>,
}

impl Table {
    /// Creates the file and writes the names of the columns.
    pub fn create(path: &Path, model: &Model) -> Result<Table> {
        let mut file = BufWriter::new(File::create(path)?);
        let mut names = vec!["time".to_string()];
        for joint in model.joints() {
            names.extend(components(joint.kind, "qpos").map(|c| format!("{}.{c}", joint.name)));
        }
        for joint in model.joints() {
            names.extend(components(joint.kind, "qvel").map(|c| format!("{}.{c}", joint.name)));
        }
        names.extend(["kinetic_energy", "potential_energy", "energy"].map(String::from));
        let quoted: Vec<String> = names.iter().map(|n| quote(n)).collect();
        writeln!(file, "{}", quoted.join(","))?;
        Ok(Table { file })
    }

    /// Writes one row; numbers are written so that reading them back gives the same bits.
    pub fn row(&mut self, state: &State, kinetic: f64, potential: f64) -> Result<()> {
        write!(self.file, "{}", state.time)?;
        for x in state.q.iter().chain(&state.v).chain(&[kinetic, potential, kinetic + potential]) {
            write!(self.file, ",{x}")?;
        }
        writeln!(self.file)
    }

    /// Makes sure that all rows are in the file.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

/// Names of the coordinates or velocities of a joint.
fn components(kind: JointKind, which: &'static str) -> impl Iterator<Item = String> {
    let count = if which == "qpos" { kind.nq() } else { kind.nv() };
    (0..count).map(move |k| if count == 1 { which.to_string() } else { format!("{which}{k}") })
}

fn quote(name: &str) -> String {
    let plain = !name.contains(['"', ',', '\n']);
    if plain { name.to_string() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
