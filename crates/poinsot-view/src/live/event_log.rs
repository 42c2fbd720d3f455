//! Events in the tracks, and steps that fell back from their method.

use super::runner::Runner;
use poinsot::NamedEvent;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// The largest number of kinds of events kept: those that have not occurred for longest are dropped first.
const MOST: usize = 200;
/// The number of last times kept for each kind; earlier ones are counted.
const TIMES: usize = 2000;
/// The number of times sent to a page.
const TOLD: usize = 20;
/// s: an event at the end of a step is not after it.
const ROUND_OFF: f64 = 1e-9;

/// Events of one kind in one place.
struct Kind {
    track: usize,
    /// The first of them.
    first: NamedEvent,
    /// Their times; only the last if there are very many.
    times: VecDeque<f64>,
    /// The number of events before these.
    earlier: usize,
}

impl Kind {
    fn is_of(&self, track: usize, event: &NamedEvent) -> bool {
        let first = &self.first;
        (self.track, first.kind, first.place, &first.at) == (track, event.kind, event.place, &event.at)
    }
    fn add(&mut self, time: f64) {
        self.times.push_back(time);
        if self.times.len() > TIMES {
            self.times.pop_front();
            self.earlier += 1;
        }
    }
    /// Drops events later than this and returns their number.
    fn forget_after(&mut self, time: f64) -> usize {
        let kept = self.times.partition_point(|t| *t <= time);
        let dropped = self.times.len() - kept;
        self.times.truncate(kept);
        dropped
    }
    fn last(&self) -> f64 {
        self.times.back().copied().unwrap_or(self.first.time)
    }
}

/// The events of all tracks, grouped by kind and place, the latest last, and the messages of each track.
#[derive(Default)]
pub struct EventLog {
    kinds: Vec<Kind>,
    notices: Vec<Vec<String>>,
    fresh: bool,
}

impl EventLog {
    /// Collects the records of the tracks.
    pub fn take(&mut self, runners: &mut [Runner]) {
        for (track, runner) in runners.iter_mut().enumerate() {
            runner.events.drain(..).for_each(|event| self.add(track, event));
        }
        let notices = || runners.iter().map(|r| r.notices.values().cloned().collect());
        if !notices().eq(self.notices.iter().cloned()) {
            (self.notices, self.fresh) = (notices().collect(), true);
        }
    }

    fn add(&mut self, track: usize, event: NamedEvent) {
        self.fresh = true;
        let time = event.time;
        let known = self.kinds.iter().rposition(|kind| kind.is_of(track, &event));
        let mut kind = match known {
            Some(at) => self.kinds.remove(at),
            None => Kind { track, first: event, times: VecDeque::new(), earlier: 0 },
        };
        kind.add(time);
        self.kinds.push(kind);
        self.kinds.drain(..self.kinds.len().saturating_sub(MOST));
    }

    /// Drops events after the tracks' times, when the user has gone back in time.
    pub fn forget_later(&mut self, runners: &mut [Runner]) {
        self.take(runners);
        for kind in &mut self.kinds {
            self.fresh |= kind.forget_after(runners[kind.track].state().time + ROUND_OFF) > 0;
        }
        self.kinds.retain(|kind| !kind.times.is_empty());
    }

    /// Everything, if anything is new.
    pub fn new_events(&mut self, scene: u32) -> Option<Value> {
        std::mem::take(&mut self.fresh).then(|| self.all(scene))
    }

    /// Everything, as in PROTOCOL.md.
    pub fn all(&self, scene: u32) -> Value {
        let mut kinds: Vec<&Kind> = self.kinds.iter().collect();
        kinds.sort_by(|a, b| a.last().total_cmp(&b.last()));
        let event = |kind: &&Kind| {
            let Kind { track, first, times, earlier } = kind;
            let told: Vec<&f64> = times.range(times.len().saturating_sub(TOLD)..).collect();
            json!({"track": track, "kind": first.kind.word(), "at": first.at, "place": first.place,
                "count": earlier + times.len(), "first": first.time, "times": told})
        };
        let events: Vec<Value> = kinds.iter().map(event).collect();
        json!({"happened": {"scene": scene, "events": events, "notices": self.notices}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot::integrate::EventKind;

    fn collision(at: &str, time: f64) -> NamedEvent {
        NamedEvent { time, kind: EventKind::Impact, at: at.to_string(), place: "contact" }
    }

    #[test]
    fn what_happens_again_and_again_leaves_room_for_the_rest() {
        let mut event_log = EventLog::default();
        event_log.add(0, collision("floor and box", 0.1));
        (0..5000).for_each(|k| event_log.add(0, collision("floor and disk", 0.2 + 1e-3 * f64::from(k))));
        let told = event_log.all(1);
        let events = told["happened"]["events"].as_array().unwrap();
        assert_eq!(events.len(), 2);
        assert_eq!((&events[0]["at"], &events[0]["count"]), (&json!("floor and box"), &json!(1)));
        assert_eq!((&events[1]["count"], &events[1]["first"]), (&json!(5000), &json!(0.2)));
        let times = events[1]["times"].as_array().unwrap();
        assert_eq!((times.len(), times.last().unwrap()), (TOLD, &json!(0.2 + 4.999)));
    }

    #[test]
    fn what_is_later_is_forgotten() {
        let mut kind = Kind {
            track: 0,
            first: collision("a", 0.0),
            times: (0..10).map(f64::from).collect(),
            earlier: 0,
        };
        assert_eq!((kind.forget_after(3.5), kind.last(), kind.times.len()), (6, 3.0, 4));
    }
}
