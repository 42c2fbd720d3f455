//! What the steps of a run reported, counted.

use crate::integrate::{Event, EventKind, Fallback, Inequality, StepReport};
use crate::model::Model;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How often something happened, and when and where it did first.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// How often: of fallbacks, in how many steps.
    pub times: usize,
    /// When first, s; of fallbacks, the end of that step.
    pub first: f64,
    /// The name of the joint, tendon or rope at which it was first; empty where that is not known.
    pub at: String,
    /// Which inequality of it: "lower end", "upper end", "friction" or "rope".
    pub place: &'static str,
}

/// An event with the name of what it was at.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedEvent {
    /// When, s.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// The name of the joint, tendon or rope.
    pub at: String,
    /// Which inequality of it: "lower end", "upper end", "friction" or "rope".
    pub place: &'static str,
}

/// What the steps since some moment reported: events, and fallbacks, which are steps that were not made as their method has it.
/// Example: [`Simulation::tally`](crate::Simulation::tally).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    fallbacks: [Option<Occurrence>; Fallback::ALL.len()],
    events: BTreeMap<(EventKind, Inequality), Occurrence>,
}

impl Tally {
    /// Counts what a step to `time` reported.
    pub(crate) fn count(&mut self, model: &Model, report: &StepReport, time: f64) {
        for (fallback, at) in report.fallbacks() {
            let begin = || begin(model, time, at);
            self.fallbacks[fallback as usize].get_or_insert_with(begin).times += 1;
        }
        for Event { time, kind, on } in &report.events {
            let begin = || begin(model, *time, Some(*on));
            self.events.entry((*kind, *on)).or_insert_with(begin).times += 1;
        }
    }

    /// The fallbacks that there were.
    pub fn fallbacks(&self) -> impl Iterator<Item = (Fallback, &Occurrence)> {
        let counted = |fallback: Fallback| Some((fallback, self.fallbacks[fallback as usize].as_ref()?));
        Fallback::ALL.into_iter().filter_map(counted)
    }
    /// In how many steps there was this fallback.
    pub fn steps(&self, fallback: Fallback) -> usize {
        self.fallbacks[fallback as usize].as_ref().map_or(0, |o| o.times)
    }
    /// The events at each inequality, by kind.
    pub fn events(&self) -> impl Iterator<Item = (EventKind, &Occurrence)> {
        self.events.iter().map(|((kind, _), occurrence)| (*kind, occurrence))
    }
    /// How many events of a kind there were.
    pub fn number(&self, kind: EventKind) -> usize {
        self.events().filter(|(k, _)| *k == kind).map(|(_, o)| o.times).sum()
    }
}

fn begin(model: &Model, first: f64, at: Option<Inequality>) -> Occurrence {
    let (name, place) = at.map_or((Cow::from(""), ""), |on| (on.name(model), on.place(model)));
    Occurrence { times: 0, first, at: name.to_string(), place }
}

/// A fallback and how often it was, in one sentence.
///
/// ```
/// # use poinsot::{Occurrence, integrate::Fallback};
/// let at = Occurrence { times: 3, first: 1.25, at: "knee".into(), place: "upper end" };
/// assert!(poinsot::fallback_sentence(Fallback::Accumulated, &at).starts_with("in 3 steps, first at t = 1.25 s (\"knee\"): "));
/// ```
pub fn fallback_sentence(fallback: Fallback, occurrence: &Occurrence) -> String {
    let Occurrence { times, first, at, .. } = occurrence;
    let steps = if *times == 1 { "step" } else { "steps" };
    let at = if at.is_empty() { String::new() } else { format!(" (\"{at}\")") };
    format!("in {times} {steps}, first at t = {first} s{at}: {}; {}", fallback.meaning(), fallback.help())
}
