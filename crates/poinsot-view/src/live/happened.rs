//! What happened in the tracks: events, and steps that were not made as their method has it.

use super::runner::Runner;
use poinsot::NamedEvent;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// More events than this are not kept: the oldest go first.
const MOST: usize = 200;
/// s: an event at the end of a step is not after it.
const ROUND_OFF: f64 = 1e-9;

/// The last events of all tracks in the order they came, and what is to be said of each track.
#[derive(Default)]
pub struct Happened {
    events: VecDeque<(usize, NamedEvent)>,
    notices: Vec<Vec<String>>,
    fresh: bool,
}

impl Happened {
    /// Takes over what the tracks have gathered.
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

    /// Forgets what came after the tracks' times: somebody went back to them.
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
