//! Rows as CSV, written during the run.

use super::{Row, RowSink, Target};
use crate::failure::Outcome;
use poinsot::model::Model;
use poinsot::names::{Space, columns};
use std::io::Write;

/// A CSV file with time, coordinates, velocities and energies, one row for each state.
pub struct Csv {
    file: Target,
}

impl Csv {
    /// Writes the names of the columns.
    pub fn begin(mut file: Target, model: &Model, ledger: bool) -> Outcome<Csv> {
        let mut names = vec!["time".to_string()];
        names.extend(columns(model, Space::Position));
        names.extend(columns(model, Space::Velocity));
        names.extend(["kinetic_energy", "potential_energy", "energy"].map(String::from));
        if ledger {
            names.extend(super::ledger_names());
        }
        let quoted: Vec<String> = names.iter().map(|n| quote(n)).collect();
        file.write(|file| writeln!(file, "{}", quoted.join(",")))?;
        Ok(Csv { file })
    }
}

impl RowSink for Csv {
    /// Numbers are written so that reading them back gives the same bits.
    fn row(&mut self, row: Row) -> Outcome<()> {
        let Row { state, kinetic, potential, ledger } = row;
        let energies = [kinetic, potential, kinetic + potential];
        self.file.write(|file| {
            write!(file, "{}", state.time)?;
            for x in state.q.iter().chain(&state.v).chain(&energies).chain(ledger.iter().flatten()) {
                write!(file, ",{x}")?;
            }
            writeln!(file)
        })
    }
    fn complete(self: Box<Self>) -> Outcome<Target> {
        self.file.complete()
    }
}

/// A field, in quotes if necessary.
pub fn quote(name: &str) -> String {
    let plain = !name.contains(['"', ',', '\n']);
    if plain { name.to_string() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
