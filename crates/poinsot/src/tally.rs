//! What the steps of a run reported, counted.

use crate::algebra::{Digits, V3};
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
    /// The name of the joint, tendon or rope, or those of the geoms, at which it was first; empty where that is not known.
    pub at: String,
    /// Which inequality of it: "lower end", "upper end", "friction", "rope" or "contact".
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
    touched: Touchings,
    undecided: usize,
}

/// What contacts were like in all steps, at worst. Example: [`Simulation::touchings`](crate::Simulation::touchings).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touchings {
    /// The most points that pushed at once.
    pub most: usize,
    /// How many collisions there were.
    pub collisions: usize,
    /// The largest [residual](crate::contact::Certificate::residual), m/s.
    pub residual: f64,
    /// How far surfaces reached into one another at most, m.
    pub penetration: f64,
    /// In how many steps impulses were not found to the tolerance.
    pub unsolved: usize,
}

impl Touchings {
    fn count(&mut self, report: &StepReport) {
        let pushing = report.contacts.iter().filter(|c| c.impulse != V3::ZERO).count();
        let at_once = report.collisions.chunk_by(|a, b| a.time == b.time).map(<[_]>::len);
        self.most = at_once.fold(self.most.max(pushing), usize::max);
        self.collisions += report.collisions.len();
        self.penetration = worse(self.penetration, report.penetration);
        if let Some(certificate) = &report.certificate {
            self.residual = worse(self.residual, certificate.residual);
            self.unsolved += usize::from(!certificate.status.is_solved());
        }
    }
}

/// The larger; what is not a number is the worst there is.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

impl Tally {
    /// The same of a model with other bodies; events at what `same` does not know are dropped.
    pub(crate) fn carried(&self, same: impl Fn(Inequality) -> Option<Inequality>) -> Tally {
        let events =
            self.events.iter().filter_map(|((kind, on), times)| Some(((*kind, same(*on)?), times.clone())));
        Tally { events: events.collect(), ..self.clone() }
    }
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
        let undecided = |f: Fallback| matches!(f, Fallback::Unsolved | Fallback::Contact);
        self.undecided += usize::from(report.fallbacks().any(|(f, _)| undecided(f)));
        self.touched.count(report);
    }

    pub(crate) fn touched(&self) -> Touchings {
        self.touched
    }
    /// In how many steps limits, dry friction or contacts were left undecided.
    pub fn undecided(&self) -> usize {
        self.undecided
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
/// let at = Occurrence { times: 3, first: 1.2500000000000002, at: "knee".into(), place: "upper end" };
/// assert!(poinsot::fallback_sentence(Fallback::Accumulated, &at).starts_with("in 3 steps, first at t = 1.25 s (\"knee\"): "));
/// ```
pub fn fallback_sentence(fallback: Fallback, occurrence: &Occurrence) -> String {
    let Occurrence { times, first, at, .. } = occurrence;
    let first = Digits(*first);
    let steps = if *times == 1 { "step" } else { "steps" };
    let at = if at.is_empty() { String::new() } else { format!(" (\"{at}\")") };
    format!("in {times} {steps}, first at t = {first} s{at}: {}; {}", fallback.meaning(), fallback.help())
}
