//! Events as CSV, written during the run.

use super::csv::quote;
use super::{Target, ending};
use crate::failure::{Outcome, failure};
use poinsot::{ContactEvent, ContactEventKind, Simulation};
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
                .help("use this file extension for --events"));
        }
        let mut file = Target::create(path)?;
        file.write(|file| writeln!(file, "time,kind,at,place"))?;
        Ok(Events { file })
    }

    /// Writes the events of the last steps, and the contacts that began and ended. Numbers are written so that reading them back gives the
    /// same bits.
    pub fn write(&mut self, simulation: &Simulation) -> Outcome<()> {
        let lasts = |e: &ContactEvent| matches!(e.kind, ContactEventKind::Begin | ContactEventKind::End);
        let contacts = simulation.contact_events();
        let named = simulation.events().into_iter().map(|e| (e.time, e.kind.word(), e.at, e.place));
        let contacts = contacts
            .iter()
            .filter(|e| lasts(e))
            .map(|e| (e.time, e.kind.word(), e.name(simulation.model()), "contact"));
        let mut all: Vec<_> = named.chain(contacts).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.file.write(|file| {
            all.iter()
                .try_for_each(|(time, kind, at, place)| writeln!(file, "{time},{kind},{},{place}", quote(at)))
        })
    }
    /// Makes sure that everything is in the file.
    pub fn complete(self) -> Outcome<Target> {
        self.file.complete()
    }
}
