//! Reads the tracks: cheap quantities always, costly ones only while a page shows them.

use super::history::Moment;
use super::runner::Runner;
use super::session::{Client, Problem, Session};
use crate::instrument::{Contacts, Inside, Ledger, Watched};
use crate::projector::Now;

impl Session {
    /// Updates what a page shows.
    pub(super) fn want(&mut self, what: String, on: bool, by: &Client) -> Problem {
        self.asks.retain(|(page, name)| !(page.same_channel(by) && *name == what));
        if on {
            self.asks.push((by.clone(), what));
        }
        self.read_watched()
    }

    /// Reads what is plotted by default and what pages show, and nothing else that is costly.
    pub(super) fn read_watched(&mut self) -> Problem {
        let scenery = self.projector.scenery();
        let on_demand = |name: &&String| scenery.on_demand.contains(&name.as_str());
        let names = scenery.plots.iter().chain(&scenery.shown).chain(self.asks.iter().map(|(_, name)| name));
        let wants = Watched::Only(names.filter(on_demand).cloned().collect());
        let account = wants.any(&Ledger::GROUPS);
        self.projector.wants = wants;
        self.runners.iter_mut().try_for_each(|r| r.keep_ledger(account).map_err(|e| e.to_string()))
    }

    /// Projects the current frame, and adds it to the history unless it came from there.
    pub(super) fn record(&mut self) {
        let drifts = self.projector.wants.any(&["constraint drift"]);
        let touches = self.projector.wants.any(&Contacts::GROUPS);
        self.runners.iter_mut().for_each(|r| r.read_contacts(touches));
        let looked: Vec<_> =
            self.runners.iter_mut().map(|r| (if drifts { r.drift() } else { f64::NAN }, r.pull())).collect();
        let now: Vec<Now> =
            self.runners.iter().map(|r| Now { state: r.state(), control: r.control() }).collect();
        let inside: Vec<Inside> = (self.runners.iter())
            .zip(looked)
            .map(|(r, (drift, pull))| Inside { drift, account: r.account(), pull, touch: r.touch().cloned() })
            .collect();
        self.projector.project_live(&now, &inside, &mut self.frame);
        self.frame.time = self.time();
        if !self.past {
            let tracks = self.runners.iter().map(Runner::saved).collect();
            self.history.push(Moment {
                time: self.frame.time,
                tracks,
                channels: self.frame.channels.clone(),
            });
        }
    }
}
