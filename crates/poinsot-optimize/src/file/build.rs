//! Builds a problem from a parsed file.

use super::model;
use super::values::{Group, Number, find};
use super::{AtSheet, BoundSheet, CostSheet, Gravity, GuessSheet, Moment, Sheet, SystemSheet};
use crate::error::OptimizeError;
use crate::explain;
use crate::problem::{Bound, Condition, Cost, Guess, Phase, Problem, Quantity, Scheme, Target, When};
use crate::program::Settings;
use crate::system::{Brachistochrone, CartPole, Equations, Names, Particle, Pendulum, Taped};
use std::path::Path;

const INTERVALS: usize = 50;

fn wrong(text: impl Into<String>) -> OptimizeError {
    OptimizeError::File(text.into())
}

pub(super) fn build(sheet: &Sheet, folder: &Path) -> Result<Problem, OptimizeError> {
    let modelled = sheet.system.model.is_some() || sheet.system.nodes.is_some();
    let made = match (&sheet.system.kind, modelled) {
        (None, true) => Some(model::make(&sheet.system, &sheet.phase, folder)?),
        (Some(_), true) => return Err(wrong("[system] has a kind, a model or nodes: one of them")),
        _ => None,
    };
    if let (None, Some(phase)) = (&made, sheet.phase.iter().find(|p| !p.contacts.is_empty())) {
        return Err(wrong(format!("contacts of phase {}: only models can have contact points", phase.name)));
    }
    let (equations, made) = match made {
        Some((equations, made)) => (equations, Some(made)),
        None => (system(&sheet.system)?, None),
    };
    let names = equations.names().clone();
    let mut phases = phases(sheet)?;
    let scheme = sheet.scheme.as_ref().map_or(Ok(Scheme::default()), |s| s.parse().map_err(wrong))?;
    let (mut conditions, mut bounds) = (Vec::new(), Vec::new());
    for at in &sheet.at {
        let when = moment(at.time.as_ref(), at.phase.as_deref(), &phases)?;
        let told = |(quantity, range)| Condition { at: when, quantity, range };
        conditions.extend(groups_at(at, &names)?.into_iter().map(told));
    }
    if let Some(made) = &made {
        let standing = made.stand(&*equations, &sheet.phase, &mut phases, &conditions);
        conditions.extend(standing.0);
        bounds.extend(standing.1.into_iter().chain(made.bounds.clone()));
    }
    let mut problem = Problem {
        equations,
        model: made.as_ref().and_then(|made| made.source.clone()),
        nodes: made.and_then(|made| made.nodes),
        phases,
        conditions,
        bounds,
        costs: Vec::new(),
        scheme,
        guess: Guess::default(),
        settings: settings(sheet)?,
    };
    if let Some(sheet) = &sheet.guess {
        problem.guess = guess(sheet, &names, folder)?;
    }
    for bound in &sheet.bounds {
        let phase = bound
            .phase
            .as_ref()
            .map(|p| find("the problem", p, &phase_names(&problem.phases)))
            .transpose()?;
        let told = |(quantity, range)| Bound { phase, quantity, range };
        problem.bounds.extend(groups_of(bound, &names)?.into_iter().map(told));
    }
    for cost in &sheet.minimize {
        problem.costs.extend(match cost.term.as_str() {
            "clip" => clip_cost(cost, &names, folder)?,
            _ => costs(cost, &names, &problem.phases)?,
        });
    }
    Ok(problem)
}

fn settings(sheet: &Sheet) -> Result<Settings, OptimizeError> {
    let usual = Settings::default();
    let tolerance = sheet.tolerance.as_ref().map_or(Ok(usual.tolerance), Number::value)?;
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(wrong("tolerance must be a positive number"));
    }
    let barrier = sheet.barrier.as_ref().map_or(Ok(usual.barrier), Number::value)?;
    if !(barrier > 0.0 && barrier.is_finite()) {
        return Err(wrong("barrier must be a positive number"));
    }
    Ok(Settings { tolerance, barrier, iterations: sheet.iterations.unwrap_or(usual.iterations) })
}

/// A mass or a length of a system.
fn positive(number: Option<&Number>, usual: f64, name: &str) -> Result<f64, OptimizeError> {
    let value = number.map_or(Ok(usual), Number::value)?;
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(wrong(format!("{name} of the system is {value}; it must be positive")))
    }
}

/// The weight of a cost. Only what is taken once, a time or a value, can be made large by a negative weight: squares would grow without end.
fn weight(sheet: &CostSheet) -> Result<f64, OptimizeError> {
    let weight = sheet.weight.as_ref().map_or(Ok(1.0), Number::value)?;
    let once = ["time", "value"].contains(&sheet.term.as_str());
    if weight.is_finite() && (weight >= 0.0 || once) {
        Ok(weight)
    } else {
        let least = if once { "finite" } else { "finite and not negative" };
        Err(wrong(format!("the weight of \"{}\" is {weight}; it must be {least}", sheet.term)))
    }
}

fn system(sheet: &SystemSheet) -> Result<Box<dyn Equations>, OptimizeError> {
    let kind = sheet.kind.as_deref().ok_or_else(|| wrong("[system] needs a kind"))?;
    let mass = || positive(sheet.mass.as_ref(), 1.0, "mass");
    let length = || positive(sheet.length.as_ref(), 1.0, "length");
    let gravity = |usual: f64| match &sheet.gravity {
        None => Ok(usual),
        Some(Gravity::One(g)) => g.value(),
        Some(Gravity::Vector(_)) => Err(wrong(format!("gravity of a {kind} is one number"))),
    };
    let only = |known: &[&str]| {
        let given = [
            ("mass", sheet.mass.is_some()),
            ("cart_mass", sheet.cart_mass.is_some()),
            ("pole_mass", sheet.pole_mass.is_some()),
            ("length", sheet.length.is_some()),
            ("damping", sheet.damping.is_some()),
            ("gravity", sheet.gravity.is_some()),
        ];
        match given.iter().find(|(name, there)| *there && !known.contains(name)) {
            Some((name, _)) => Err(wrong(format!("a {kind} has no {name}; it has {}", known.join(", ")))),
            None => Ok(()),
        }
    };
    Ok(match kind {
        "particle" | "double-integrator" => {
            only(&["mass", "gravity"])?;
            let gravity = match &sheet.gravity {
                None => vec![0.0],
                Some(Gravity::One(g)) => vec![g.value()?],
                Some(Gravity::Vector(g)) => g.iter().map(Number::value).collect::<Result<_, _>>()?,
            };
            if gravity.is_empty() || gravity.len() > 3 {
                return Err(wrong("gravity of a particle has one to three components"));
            }
            Box::new(Taped::new(&Particle { mass: mass()?, gravity }))
        }
        "brachistochrone" => {
            only(&["gravity"])?;
            Box::new(Taped::new(&Brachistochrone { gravity: gravity(9.81)? }))
        }
        "pendulum" => {
            only(&["mass", "length", "gravity", "damping"])?;
            let damping = sheet.damping.as_ref().map_or(Ok(0.0), Number::value)?;
            if !(damping >= 0.0 && damping.is_finite()) {
                return Err(wrong(format!("damping of the system is {damping}; it must not be negative")));
            }
            Box::new(Taped::new(&Pendulum {
                mass: mass()?,
                length: length()?,
                gravity: gravity(9.81)?,
                damping,
            }))
        }
        "cart-pole" => {
            only(&["cart_mass", "pole_mass", "length", "gravity"])?;
            let cart_mass = positive(sheet.cart_mass.as_ref(), 1.0, "cart_mass")?;
            let pole_mass = positive(sheet.pole_mass.as_ref(), 0.3, "pole_mass")?;
            Box::new(Taped::new(&CartPole {
                cart_mass,
                pole_mass,
                length: length()?,
                gravity: gravity(9.81)?,
            }))
        }
        other => {
            return Err(wrong(format!(
                "there is no system \"{other}\"; there are particle, double-integrator, brachistochrone, pendulum, cart-pole"
            )));
        }
    })
}

fn phases(sheet: &Sheet) -> Result<Vec<Phase>, OptimizeError> {
    let intervals = sheet.intervals.unwrap_or(INTERVALS);
    let one = |name: &str, duration: &super::Spec, intervals: usize| {
        let (least, most) = duration.range()?;
        let (least, most) = (least.max(0.0), most);
        let middle = match (least, most) {
            (l, m) if m.is_finite() => (l + m) / 2.0,
            (l, _) if l > 0.0 => l,
            _ => 1.0,
        };
        let guess = duration.guess()?.unwrap_or(middle);
        let (forces, zero) = (Vec::new(), Vec::new());
        Ok(Phase { name: name.into(), duration: (least, most), guess, intervals, forces, zero })
    };
    let names: Vec<&str> = sheet.phase.iter().map(|p| p.name.as_str()).collect();
    if let Some(k) = (1..names.len()).find(|k| names[..*k].contains(&names[*k])) {
        return Err(wrong(format!("two phases are named \"{}\"; give each a name of its own", names[k])));
    }
    match (&sheet.time, sheet.phase.is_empty()) {
        (Some(time), true) => Ok(vec![one("the motion", &time.duration, intervals)?]),
        (None, false) => {
            sheet.phase.iter().map(|p| one(&p.name, &p.duration, p.intervals.unwrap_or(intervals))).collect()
        }
        (Some(_), false) => Err(wrong("give [time] or [[phase]], not both")),
        (None, true) => Err(wrong("say how long it takes: [time] with a duration, or [[phase]]")),
    }
}

fn phase_names(phases: &[Phase]) -> Vec<String> {
    phases.iter().map(|p| p.name.clone()).collect()
}

/// Resolves a moment; without a phase, "start", "end" and seconds refer to the whole duration.
fn moment(time: Option<&Moment>, phase: Option<&str>, phases: &[Phase]) -> Result<When, OptimizeError> {
    let said = phase.map(|p| find("the problem", p, &phase_names(phases))).transpose()?;
    let last = phases.len() - 1;
    match time {
        None => Err(wrong("say at which time: time = \"start\", \"end\", \"50%\" or seconds")),
        Some(Moment::Words(word)) => {
            match (word.as_str(), word.strip_suffix('%').map(|p| p.trim().parse::<f64>())) {
                ("start", _) => Ok(When { phase: said.unwrap_or(0), part: 0.0 }),
                ("end", _) => Ok(When { phase: said.unwrap_or(last), part: 1.0 }),
                (_, Some(Ok(percent))) if last == 0 || said.is_some() => {
                    Ok(When { phase: said.unwrap_or(0), part: percent / 100.0 })
                }
                _ => Err(wrong(format!(
                    "\"{word}\" is not a time; write \"start\", \"end\", seconds, or \"50%\" of a phase"
                ))),
            }
        }
        Some(Moment::Seconds(seconds)) => {
            let mut begin = 0.0;
            let (first, count) = said.map_or((0, last + 1), |k| (k, 1));
            for (k, phase) in phases.iter().enumerate().skip(first).take(count) {
                let (least, most) = phase.duration;
                if least < most {
                    return Err(wrong(format!(
                        "{seconds} s: {} may last longer or shorter; write \"start\", \"end\" or \"50%\"",
                        phase.name
                    )));
                }
                if *seconds <= begin + most + 1e-12 && *seconds >= begin {
                    return Ok(When { phase: k, part: ((seconds - begin) / most).min(1.0) });
                }
                begin += most;
            }
            Err(wrong(format!("{seconds} s is not within the motion, which lasts {begin} s")))
        }
    }
}

type Ranges = Vec<(Quantity, (f64, f64))>;
/// The entries for a kind, the name of the kind, the names of its quantities, and its constructor.
type Kind<'a> = (Option<&'a Group>, &'a str, &'a [String], fn(usize) -> Quantity);

fn groups(groups: [Kind; 6]) -> Result<Ranges, OptimizeError> {
    let mut all = Vec::new();
    for (group, what, names, of) in groups {
        if let Some(group) = group {
            all.extend(group.ranges(what, names)?.into_iter().map(|(k, range)| (of(k), range)));
        }
    }
    Ok(all)
}

fn groups_at(at: &AtSheet, names: &Names) -> Result<Ranges, OptimizeError> {
    groups([
        (at.q.as_ref(), "q", &names.q, Quantity::Q),
        (at.v.as_ref(), "v", &names.v, Quantity::V),
        (at.a.as_ref(), "a", &names.v, Quantity::A),
        (at.u.as_ref(), "u", &names.u, Quantity::U),
        (at.f.as_ref(), "f", &names.f, Quantity::F),
        (at.points.as_ref(), "points", &names.outputs, Quantity::Output),
    ])
}

fn groups_of(bound: &BoundSheet, names: &Names) -> Result<Ranges, OptimizeError> {
    let BoundSheet { q, v, a, u, f, points, .. } = bound.clone();
    groups_at(&AtSheet { q, v, a, u, f, points, ..AtSheet::default() }, names)
}

/// A guess from a clip, or from points joined by straight lines.
fn guess(sheet: &GuessSheet, names: &Names, folder: &Path) -> Result<Guess, OptimizeError> {
    let mut hints = Vec::new();
    for (part, at) in [(0.0, &sheet.start), (1.0, &sheet.end)] {
        let at = at.clone().unwrap_or_default();
        let ranges = groups_at(&AtSheet { q: at.q, v: at.v, u: at.u, ..AtSheet::default() }, names)?;
        hints.extend(ranges.into_iter().map(|(quantity, (low, high))| (part, quantity, 0.5 * (low + high))));
    }
    match &sheet.file {
        Some(_) if !hints.is_empty() => Err(wrong("[guess] has a file or points, not both")),
        Some(file) => Ok(Guess::Trajectory(explain::read(&folder.join(file), names)?.trajectory())),
        None => Ok(Guess::Lines(hints)),
    }
}

/// The distance of the coordinates from a clip, ∫ (q − q_clip)² dt, with its times stretched to the whole duration.
fn clip_cost(sheet: &CostSheet, names: &Names, folder: &Path) -> Result<Vec<Cost>, OptimizeError> {
    let weight = weight(sheet)?;
    let file = sheet.file.as_ref().ok_or_else(|| wrong("the term \"clip\" needs a file"))?;
    let clip = explain::read(&folder.join(file), names)?;
    let chosen = |k: &usize| sheet.of.as_ref().is_none_or(|of| of.contains(&names.q[*k]));
    let cost = |k: usize| Cost::Square {
        quantity: Quantity::Q(k),
        weight,
        target: Target::Trajectory(clip.column(k)),
    };
    Ok((0..names.q.len()).filter(chosen).map(cost).collect())
}

/// The costs of one entry.
fn costs(sheet: &CostSheet, names: &Names, phases: &[Phase]) -> Result<Vec<Cost>, OptimizeError> {
    let weight = weight(sheet)?;
    let chosen = |what: &str, all: &[String]| -> Result<Vec<usize>, OptimizeError> {
        match &sheet.of {
            None => Ok((0..all.len()).collect()),
            Some(list) => list.iter().map(|name| find(what, name, all)).collect(),
        }
    };
    let squares =
        |what: &str, all: &[String], of: fn(usize) -> Quantity| -> Result<Vec<Cost>, OptimizeError> {
            let square = |k| Cost::Square { quantity: of(k), weight, target: Target::Value(0.0) };
            Ok(chosen(what, all)?.into_iter().map(square).collect())
        };
    match sheet.term.as_str() {
        "effort" => squares("u", &names.u, Quantity::U),
        "contact-force" => squares("f", &names.f, Quantity::F),
        "velocity" => squares("v", &names.v, Quantity::V),
        "acceleration" => squares("a", &names.v, Quantity::A),
        "effort-rate" => {
            let rate = |k| Cost::Rate { quantity: Quantity::U(k), weight };
            Ok(chosen("u", &names.u)?.into_iter().map(rate).collect())
        }
        "time" => Ok(vec![Cost::Duration { weight }]),
        "distance" | "value" => {
            let at = moment(sheet.time.as_ref(), sheet.phase.as_deref(), phases)?;
            let asked = AtSheet {
                q: sheet.q.clone(),
                v: sheet.v.clone(),
                points: sheet.points.clone(),
                ..AtSheet::default()
            };
            if sheet.term == "value" {
                let listed = [
                    (&names.q, Quantity::Q as fn(usize) -> Quantity),
                    (&names.v, Quantity::V),
                    (&names.outputs, Quantity::Output),
                ];
                let find_in = |name: &String| {
                    listed.iter().find_map(|(all, of)| all.iter().position(|n| n == name).map(of))
                };
                let one = |name: &String| match find_in(name) {
                    Some(quantity) => Ok(Cost::At { at, quantity, weight, target: None }),
                    None => Err(wrong(format!("there is no quantity \"{name}\" to take the value of"))),
                };
                return sheet.of.iter().flatten().map(one).collect();
            }
            let told = |(quantity, (low, high)): (Quantity, (f64, f64))| Cost::At {
                at,
                quantity,
                weight,
                target: Some((low + high) / 2.0),
            };
            Ok(groups_at(&asked, names)?.into_iter().map(told).collect())
        }
        other => Err(wrong(format!(
            "there is no term \"{other}\" to minimize; there are effort, effort-rate, contact-force, velocity, acceleration, time, clip, distance, value"
        ))),
    }
}
