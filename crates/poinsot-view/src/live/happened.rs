//! Events in the tracks, and steps that could not follow their method.

use super::runner::Runner;
use poinsot::NamedEvent;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// No more events than this are kept: the oldest are dropped first.
const MOST: usize = 200;
/// s: an event at the end of a step is not after it.
const ROUND_OFF: f64 = 1e-9;

/// The last events of all tracks in order of arrival, and the messages of each track.
#[derive(Default)]
pub struct Happened {
    events: VecDeque<(usize, NamedEvent)>,
    notices: Vec<Vec<String>>,
    fresh: bool,
}

impl Happened {
    /// Takes over the records of the tracks.
    pub fn take(&mut self, runners: &mut [Runner]) {
        for (track, runner) in runners.iter_mut().enumerate() {
            self.fresh |= !runner.events.is_empty();
            self.events.extend(runner.events.drain(..).map(|event| (track, event)));
        }
        self.events.drain(..self.events.len().saturating_sub(MOST));
        let notices = || runners.iter().map(|r| r.notices.values().cloned().collect());
        if !notices().eq(self.notices.iter().cloned()) {
            (self.notices, self.fresh) = (notices().collect(), true);
        }
    }

    /// Drops events after the tracks' times: somebody has gone back in time.
    pub fn forget_later(&mut self, runners: &mut [Runner]) {
        self.take(runners);
        let before = self.events.len();
        self.events.retain(|(track, event)| event.time <= runners[*track].state().time + ROUND_OFF);
        self.fresh |= self.events.len() != before;
    }

    /// All of it, where something is new.
    pub fn news(&mut self, scene: u32) -> Option<Value> {
        std::mem::take(&mut self.fresh).then(|| self.all(scene))
    }

    /// All of it, as in PROTOCOL.md.
    pub fn all(&self, scene: u32) -> Value {
        let event = |(track, e): &(usize, NamedEvent)| json!({"track": track, "time": e.time, "kind": e.kind.word(), "at": e.at, "place": e.place});
        let events: Vec<Value> = self.events.iter().map(event).collect();
        json!({"happened": {"scene": scene, "events": events, "notices": self.notices}})
    }
}
