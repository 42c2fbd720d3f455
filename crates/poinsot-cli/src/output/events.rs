//! Events as CSV, written as the run goes.

use super::csv::quote;
use super::ending;
use crate::failure::{Outcome, failure};
use poinsot::NamedEvent;
use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

/// A CSV file with time, kind, and the name and place of each event.
pub struct Events {
    file: BufWriter<File>,
}

impl Events {
    /// Creates the file, and writes the names of the columns.
    pub fn create(path: &Path) -> Outcome<Events> {
        if ending(path) != "csv" {
            return Err(failure(format!("{}: events are written as .csv", path.display()))
                .help("give --events a name that ends so"));
        }
        let begin = || -> Result<Events> {
            let mut file = BufWriter::new(File::create(path)?);
            writeln!(file, "time,kind,at,place")?;
            Ok(Events { file })
        };
        begin().map_err(|e| failure(format!("cannot write {}: {e}", path.display())))
    }

    /// Numbers are written so that reading them back gives the same bits.
    pub fn write(&mut self, events: &[NamedEvent]) -> Result<()> {
        events.iter().try_for_each(|NamedEvent { time, kind, at, place }| {
            writeln!(self.file, "{time},{},{},{place}", kind.word(), quote(at))
        })
    }
    /// Makes sure that all is in the file.
    pub fn finish(&mut self) -> Result<()> {
        self.file.flush()
    }
}
