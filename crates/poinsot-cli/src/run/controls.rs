//! `--ctrl`: control signals that stay constant, or change at given times and are constant in between.

use crate::failure::{Outcome, failure};
use crate::numbers::{self, contents, number};
use crate::report::count;
use poinsot::Simulation;
use poinsot::formats::did_you_mean;
use poinsot::model::Model;

/// Control signals over time.
#[derive(Debug, Default, PartialEq)]
pub struct Controls {
    /// The times from which signals apply, ascending.
    list: Vec<(f64, Vec<f64>)>,
    /// The index of the first that has not been set.
    next: usize,
}

impl Controls {
    /// From the command line: numbers, or a CSV file with a column `time`.
    pub fn read(model: &Model, given: Option<&str>, of_keyframe: Option<Vec<f64>>) -> Outcome<Controls> {
        let Some(text) = given else {
            return of_keyframe
                .map_or(Ok(Controls::default()), |u| constant("the keyframe's ctrl", model, u));
        };
        if model.actuators().is_empty() {
            return Err(failure("--ctrl: the model has no actuators").help("leave it out"));
        }
        if let Some(path) = text.strip_prefix('@') {
            let file = contents("--ctrl", path)?;
            return match header(&file) {
                Some(names) => {
                    schedule(model, &names, &file).map_err(|f| f.while_doing(format!("--ctrl {text}")))
                }
                None => {
                    let numbers =
                        numbers::parse(&file).map_err(|e| failure(format!("--ctrl {text}: {e}")))?;
                    constant("--ctrl", model, numbers)
                }
            };
        }
        constant("--ctrl", model, numbers::read("--ctrl", text)?)
    }

    /// The number of steps since `begin` until the signals change next.
    pub fn next_change(&self, begin: f64, dt: f64) -> usize {
        let steps = |t: f64| ((t - begin) / dt - 1e-9).ceil().max(0.0) as usize;
        self.list.get(self.next).map_or(usize::MAX, |(t, _)| steps(*t))
    }

    /// Sets the signals that apply after `done` steps.
    pub fn set(&mut self, simulation: &mut Simulation, begin: f64, dt: f64, done: usize) {
        while self.next_change(begin, dt) <= done {
            let Some((_, signals)) = self.list.get(self.next) else { return };
            simulation.control_mut().copy_from_slice(signals);
            self.next += 1;
        }
    }
}

fn wanted(model: &Model) -> String {
    let names: Vec<String> = model.actuators().iter().take(12).map(|a| format!("\"{}\"", a.name)).collect();
    let more = if model.actuators().len() > names.len() { ", …" } else { "" };
    let n = count(model.actuators().len(), "number", "numbers");
    format!("expected {n}, one for each actuator: {}{more}", names.join(", "))
}

fn constant(what: &str, model: &Model, signals: Vec<f64>) -> Outcome<Controls> {
    if signals.len() != model.actuators().len() {
        return Err(failure(format!("{what} has {} numbers; {}", signals.len(), wanted(model))));
    }
    Ok(Controls { list: vec![(f64::NEG_INFINITY, signals)], next: 0 })
}

/// The names of the columns, if the first is the time.
fn header(text: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = text.lines().next()?.split(',').map(|n| n.trim().trim_matches('"')).collect();
    (names.first() == Some(&"time")).then_some(names)
}

fn schedule(model: &Model, names: &[&str], text: &str) -> Outcome<Controls> {
    let actuator = |name: &&str| {
        model.actuator(name).map(|id| id.index()).ok_or_else(|| {
            let near = did_you_mean(name, model.actuators().iter().map(|a| a.name.as_str()));
            let help = near.map_or(wanted(model), |n| format!("did you mean \"{n}\"?"));
            failure(format!("there is no actuator \"{name}\"")).help(help)
        })
    };
    let places: Vec<usize> = names[1..].iter().map(actuator).collect::<Outcome<_>>()?;
    let mut list: Vec<(f64, Vec<f64>)> = Vec::new();
    for (k, line) in text.lines().enumerate().skip(1).filter(|(_, l)| !l.trim().is_empty()) {
        let row: Result<Vec<f64>, String> = line.split(',').map(|w| number(w.trim())).collect();
        let row = row.map_err(|e| failure(format!("line {}: {e}", k + 1)))?;
        if row.len() != names.len() {
            let (n, m) = (row.len(), names.len());
            return Err(failure(format!("line {} has {n} numbers, and there are {m} columns", k + 1)));
        }
        if list.last().is_some_and(|(t, _)| *t >= row[0]) {
            return Err(failure(format!("line {}: the times must ascend", k + 1)));
        }
        let mut signals = vec![0.0; model.actuators().len()];
        places.iter().zip(&row[1..]).for_each(|(place, x)| signals[*place] = *x);
        list.push((row[0], signals));
    }
    Ok(Controls { list, next: 0 })
}
