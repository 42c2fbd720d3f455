//! The report of events, and of steps that could not follow their method.

use poinsot::algebra::Digits;
use poinsot::integrate::EventKind;
use poinsot::{Occurrence, Tally, fallback_sentence};
use serde_json::{Map, Value, json};

/// How many events of each kind there were, with `each` where they occurred first; and fallbacks, each in a sentence.
pub fn rows(tally: &Tally, each: bool) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let counts: Vec<String> = counts(tally).map(|(kind, n)| format!("{} {n}", kind.word())).collect();
    if !counts.is_empty() {
        rows.push(("events", counts.join(", ")));
    }
    if each {
        rows.extend(tally.events().map(|(kind, o)| ("", first(kind, o))));
    }
    rows.extend(tally.fallbacks().map(|(fallback, o)| (fallback.word(), fallback_sentence(fallback, o))));
    rows
}

/// The report as JSON.
pub fn json(tally: &Tally) -> (Value, Value) {
    let events: Vec<Value> = tally
        .events()
        .map(|(kind, o)| json!({"kind": kind.word(), "at": o.at, "place": o.place, "times": o.times, "first": o.first}))
        .collect();
    let fallbacks: Map<String, Value> = tally
        .fallbacks()
        .map(|(f, o)| (f.word().to_string(), json!({"steps": o.times, "first": o.first, "at": o.at})))
        .collect();
    (json!(events), json!(fallbacks))
}

fn counts(tally: &Tally) -> impl Iterator<Item = (EventKind, usize)> {
    EventKind::ALL.into_iter().map(|kind| (kind, tally.number(kind))).filter(|(_, n)| *n > 0)
}

fn first(kind: EventKind, Occurrence { times, first, at, place }: &Occurrence) -> String {
    format!("{} {times} at \"{at}\" ({place}), first at t = {} s", kind.word(), Digits(*first))
}
