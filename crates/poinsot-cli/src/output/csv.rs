//! Rows as CSV, written as the run goes.

use super::{Row, Sink};
use poinsot::model::Model;
use poinsot::names::{Space, columns};
use std::fs::File;
use std::io::{BufWriter, Result, Write};

/// A CSV file with time, coordinates, velocities and energies, a row a state.
pub struct Csv {
    file: BufWriter<File>,
}

impl Csv {
    /// Writes the names of the columns.
    pub fn begin(mut file: BufWriter<File>, model: &Model, ledger: bool) -> Result<Csv> {
        let mut names = vec!["time".to_string()];
        names.extend(columns(model, Space::Position));
        names.extend(columns(model, Space::Velocity));
        names.extend(["kinetic_energy", "potential_energy", "energy"].map(String::from));
        if ledger {
            names.extend(super::ledger_names());
        }
        let quoted: Vec<String> = names.iter().map(|n| quote(n)).collect();
        writeln!(file, "{}", quoted.join(","))?;
        Ok(Csv { file })
    }
}

impl Sink for Csv {
    /// Numbers are written so that reading them back gives the same bits.
    fn row(&mut self, row: Row) -> Result<()> {
        let Row { state, kinetic, potential, ledger } = row;
        write!(self.file, "{}", state.time)?;
        let energies = [kinetic, potential, kinetic + potential];
        for x in state.q.iter().chain(&state.v).chain(&energies).chain(ledger.iter().flatten()) {
            write!(self.file, ",{x}")?;
        }
        writeln!(self.file)
    }
    fn finish(&mut self) -> Result<()> {
        self.file.flush()
    }
}

/// A field, in quotes where it needs them.
pub fn quote(name: &str) -> String {
    let plain = !name.contains(['"', ',', '\n']);
    if plain { name.to_string() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
