//! Events as CSV, written as the run goes.

use super::csv::quote;
use super::{Target, ending};
use crate::failure::{Outcome, failure};
use poinsot::NamedEvent;
use std::io::Write;
use std::path::Path;

/// A CSV file with time, kind, and the name and place of each event.
pub struct Events {
    file: Target,
}

impl Events {
    /// Creates the file, and writes the names of the columns.
    pub fn create(path: &Path) -> Outcome<Events> {
        if ending(path) != "csv" {
            return Err(failure(format!("{}: events are written as .csv", path.display()))
                .help("give --events a name that ends so"));
        }
        let mut file = Target::create(path)?;
        file.write(|file| writeln!(file, "time,kind,at,place"))?;
        Ok(Events { file })
    }

    /// Numbers are written so that reading them back gives the same bits.
    pub fn write(&mut self, events: &[NamedEvent]) -> Outcome<()> {
        self.file.write(|file| {
            events.iter().try_for_each(|NamedEvent { time, kind, at, place }| {
                writeln!(file, "{time},{},{},{place}", kind.word(), quote(at))
            })
        })
    }
    /// Makes sure that all is in the file, and that it is in its place.
    pub fn finish(self) -> Outcome<()> {
        self.file.finish()
    }
}
