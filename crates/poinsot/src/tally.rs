//! Counts of the events and fallbacks in the steps of a run.

use crate::algebra::{Digits, V3};
use crate::integrate::{Event, EventKind, Fallback, Inequality, StepReport};
use crate::model::Model;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How often something occurred, and when and where it occurred first.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// The count: for fallbacks, the number of steps.
    pub times: usize,
    /// The first time, s; for fallbacks, the end of that step.
    pub first: f64,
    /// Where it occurred first: the name of the joint, tendon or rope, or those of the geoms; empty if unknown.
    pub at: String,
    /// Which inequality: "lower end", "upper end", "friction", "rope" or "contact".
    pub place: &'static str,
}

/// An event with the name of the joint, tendon or rope.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedEvent {
    /// The time, s.
    pub time: f64,
    /// The kind.
    pub kind: EventKind,
    /// The name of the joint, tendon or rope.
    pub at: String,
    /// Which inequality: "lower end", "upper end", "friction" or "rope".
    pub place: &'static str,
}

/// Counts of everything that steps reported since some moment: events, and fallbacks, which are steps that could not follow their method.
/// Example: [`Simulation::tally`](crate::Simulation::tally).
///
/// Cleared entries keep their names, with 0 times, so that repeating a motion allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Each with its first inequality.
    fallbacks: [Option<(Option<Inequality>, Occurrence)>; Fallback::ALL.len()],
    events: BTreeMap<(EventKind, Inequality), Occurrence>,
    touched: ContactStatistics,
    undecided: usize,
}

/// The worst values of all contacts in all steps. Example: [`Simulation::contact_statistics`](crate::Simulation::contact_statistics).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactStatistics {
    /// The largest number of simultaneous contact points with force.
    pub most: usize,
    /// The number of collisions.
    pub collisions: usize,
    /// The largest [residual](crate::contact::Certificate::residual), m/s.
    pub residual: f64,
    /// The largest penetration depth, m.
    pub penetration: f64,
    /// How many contacts came to rest instead of rebounding, because they approached more slowly than
    /// [γ](crate::constraint::ContactSettings::resting).
    pub rested: usize,
    /// In how many steps the impulses were not found to the tolerance.
    pub unsolved: usize,
}

impl ContactStatistics {
    fn count(&mut self, report: &StepReport) {
        let pushing = report.contacts.iter().filter(|c| c.impulse != V3::ZERO).count();
        let at_once = report.collisions.chunk_by(|a, b| a.time == b.time).map(<[_]>::len);
        self.most = at_once.fold(self.most.max(pushing), usize::max);
        self.collisions += report.collisions.len();
        self.rested += report.rested;
        self.penetration = worse(self.penetration, report.penetration);
        if let Some(certificate) = &report.certificate {
            self.residual = worse(self.residual, certificate.residual);
            self.unsolved += usize::from(!certificate.status.is_solved());
        }
    }
}

/// The larger of two numbers; NaN counts as largest.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

impl Tally {
    /// The tally for a model with other bodies; events at inequalities for which `same` returns `None` are dropped.
    pub(crate) fn remapped(&self, same: impl Fn(Inequality) -> Option<Inequality>) -> Tally {
        let events =
            self.events.iter().filter_map(|((kind, on), times)| Some(((*kind, same(*on)?), times.clone())));
        Tally { events: events.collect(), ..self.clone() }
    }
    /// Restarts the counts.
    pub(crate) fn forget(&mut self) {
        let fallbacks = self.fallbacks.iter_mut().flatten().map(|(_, o)| o);
        fallbacks.chain(self.events.values_mut()).for_each(|o| o.times = 0);
        (self.touched, self.undecided) = (ContactStatistics::default(), 0);
    }
    /// Counts the report of a step to `time`.
    pub(crate) fn count(&mut self, model: &Model, report: &StepReport, time: f64) {
        for (fallback, at) in report.fallbacks() {
            let known = &mut self.fallbacks[fallback as usize];
            if known.as_ref().is_some_and(|(place, o)| o.times == 0 && *place != at) {
                *known = None;
            }
            known.get_or_insert_with(|| (at, begin(model, at))).1.again(time);
        }
        for Event { time, kind, on } in &report.events {
            let known = self.events.entry((*kind, *on)).or_insert_with(|| begin(model, Some(*on)));
            known.again(*time);
        }
        let undecided = |f: Fallback| matches!(f, Fallback::Unsolved | Fallback::Contact);
        self.undecided += usize::from(report.fallbacks().any(|(f, _)| undecided(f)));
        self.touched.count(report);
    }

    pub(crate) fn touched(&self) -> ContactStatistics {
        self.touched
    }
    /// The number of steps in which limits, dry friction or contacts were left undecided.
    pub fn undecided(&self) -> usize {
        self.undecided
    }

    /// The fallbacks that occurred.
    pub fn fallbacks(&self) -> impl Iterator<Item = (Fallback, &Occurrence)> {
        let counted = |fallback: Fallback| Some((fallback, &self.fallbacks[fallback as usize].as_ref()?.1));
        Fallback::ALL.into_iter().filter_map(counted).filter(|(_, o)| o.times > 0)
    }
    /// The number of steps in which this fallback occurred.
    pub fn steps(&self, fallback: Fallback) -> usize {
        self.fallbacks[fallback as usize].as_ref().map_or(0, |(_, o)| o.times)
    }
    /// The events at each inequality, by kind.
    pub fn events(&self) -> impl Iterator<Item = (EventKind, &Occurrence)> {
        self.events.iter().map(|((kind, _), occurrence)| (*kind, occurrence)).filter(|(_, o)| o.times > 0)
    }
    /// The number of events of a kind.
    pub fn number(&self, kind: EventKind) -> usize {
        self.events().filter(|(k, _)| *k == kind).map(|(_, o)| o.times).sum()
    }
}

impl PartialEq for Tally {
    fn eq(&self, other: &Tally) -> bool {
        let numbers = |tally: &Tally| (tally.touched, tally.undecided);
        numbers(self) == numbers(other)
            && self.fallbacks().eq(other.fallbacks())
            && self.events().eq(other.events())
    }
}

impl Occurrence {
    fn again(&mut self, time: f64) {
        if self.times == 0 {
            self.first = time;
        }
        self.times += 1;
    }
}

fn begin(model: &Model, at: Option<Inequality>) -> Occurrence {
    let (name, place) = at.map_or((Cow::from(""), ""), |on| (on.name(model), on.place(model)));
    Occurrence { times: 0, first: 0.0, at: name.into_owned(), place }
}

/// A fallback and its count, in one sentence.
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
