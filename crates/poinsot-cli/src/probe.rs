//! A number that can be read from a run at any moment, by name: for conditions and plots.

use crate::failure::{Failure, Outcome, failure};
use poinsot::audit::{Account, Line};
use poinsot::dynamics::State;
use poinsot::formats::did_you_mean;
use poinsot::model::{Joint, Model};
use poinsot::names::{Space, parts, unit};
use poinsot::spatial::Force;

/// The run at one moment.
pub struct Reading<'a> {
    /// Time, coordinates, velocities.
    pub state: &'a State,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy.
    pub potential: f64,
    /// The momentum of the whole model, angular part about the world's origin.
    pub momentum: Force,
    /// The ledger of energy and momentum, if one is kept.
    pub ledger: Option<Account>,
    /// The worst violation of the rigid constraints, if there are any.
    pub violation: Option<f64>,
}

/// The source of the number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// A coordinate.
    Position(usize),
    /// A velocity.
    Velocity(usize),
    /// Kinetic, potential energy, and their sum.
    Kinetic,
    /// See above.
    Potential,
    /// See above.
    Energy,
    /// A component of angular momentum about the world's origin.
    Angular(usize),
    /// A component of momentum.
    Linear(usize),
    /// The work of a line of the ledger.
    Work(Line),
    /// The imbalance of the lines of the ledger.
    Imbalance,
    /// The error of integration in the momentum, and in the angular momentum.
    MomentumError,
    /// See above.
    AngularError,
    /// The worst violation of a constraint.
    Violation,
}

/// A number with its name and unit.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The displayed name.
    pub name: String,
    /// The unit.
    pub unit: &'static str,
    /// The source of the number.
    pub source: Source,
}

impl Source {
    /// Its value now.
    pub fn read(self, now: &Reading) -> f64 {
        match self {
            Source::Position(k) => now.state.q[k],
            Source::Velocity(k) => now.state.v[k],
            Source::Kinetic => now.kinetic,
            Source::Potential => now.potential,
            Source::Energy => now.kinetic + now.potential,
            Source::Angular(k) => now.momentum.moment.array()[k],
            Source::Linear(k) => now.momentum.force.array()[k],
            Source::Violation => now.violation.unwrap_or(f64::NAN),
            of_ledger => now.ledger.as_ref().map_or(f64::NAN, |account| of_ledger.account(account)),
        }
    }
}

impl Source {
    /// True for errors, which conditions compare by magnitude.
    pub fn is_error(self) -> bool {
        matches!(self, Source::Work(Line::Integration | Line::Stabilisation) | Source::Imbalance)
    }

    fn account(self, account: &Account) -> f64 {
        match self {
            Source::Work(line) => account.work(line),
            Source::Imbalance => account.imbalance(),
            Source::MomentumError => account.integration.force.norm(),
            Source::AngularError => account.integration.moment.norm(),
            _ => f64::NAN,
        }
    }
}

/// The prefix of numbers of the ledger.
pub const LEDGER: &str = "ledger.";

/// A number of the ledger: `ledger.gravity`, …, `ledger.imbalance`, `ledger.momentum`, `ledger.angular_momentum`.
fn of_ledger(name: &str, word: &str) -> Outcome<Vec<Probe>> {
    let line = Line::ALL.into_iter().find(|l| l.word() == word).map(Source::Work);
    let (unit, source) = match (line, word) {
        (Some(work), _) => ("J", work),
        (None, "imbalance") => ("J", Source::Imbalance),
        (None, "momentum") => ("N s", Source::MomentumError),
        (None, "angular_momentum") => ("N m s", Source::AngularError),
        (None, _) => {
            let others = ["imbalance", "momentum", "angular_momentum"];
            let words: Vec<&str> = Line::ALL.iter().map(|l| l.word()).chain(others).collect();
            let fail = failure(format!("the ledger has no line \"{word}\""));
            return Err(match did_you_mean(word, words.iter().copied()) {
                Some(near) => fail.help(format!("did you mean \"{LEDGER}{near}\"?")),
                None => fail.help(format!("it has: {}", words.join(", "))),
            });
        }
    };
    Ok(vec![Probe { name: name.to_string(), unit, source }])
}

/// All numbers of one joint.
pub fn of_joint(joint: &Joint, space: Space) -> Vec<Probe> {
    let first = match space {
        Space::Position => joint.coordinates().start,
        Space::Velocity => joint.dofs().start,
    };
    let words = parts(joint.kind, space);
    let one = |(k, part): (usize, &&str)| Probe {
        name: if words.len() == 1 { joint.name.clone() } else { format!("{}.{part}", joint.name) },
        unit: unit(joint.kind, space, k),
        source: match space {
            Space::Position => Source::Position(first + k),
            Space::Velocity => Source::Velocity(first + k),
        },
    };
    words.iter().enumerate().map(one).collect()
}

/// The numbers that a name stands for: `elbow`, `elbow.qvel`, `root.z`, `root.qpos2`, `root.wx`, `ledger.gravity`.
pub fn by_name(model: &Model, name: &str) -> Outcome<Vec<Probe>> {
    let joint = |name: &str| model.joint(name).map(|id| &model.joints()[id.index()]);
    if let Some(joint) = joint(name) {
        return Ok(of_joint(joint, Space::Position));
    }
    if let Some(word) = name.strip_prefix(LEDGER) {
        return of_ledger(name, word);
    }
    if let Some((joint, part)) = name.rsplit_once('.').and_then(|(j, part)| Some((joint(j)?, part))) {
        for space in [Space::Position, Space::Velocity] {
            let all = of_joint(joint, space);
            if part == space.word() {
                return Ok(all);
            }
            let digits = part.strip_prefix(space.word()).and_then(|k| k.parse().ok());
            let place = digits.or_else(|| parts(joint.kind, space).iter().position(|p| *p == part));
            if let Some(probe) = place.and_then(|k: usize| all.get(k)) {
                return Ok(vec![probe.clone()]);
            }
        }
        let words = [parts(joint.kind, Space::Position), &["qpos", "qvel"]].concat();
        return Err(failure(format!("joint \"{}\" has no number \"{part}\"", joint.name))
            .help(format!("it has: {}", words.join(", "))));
    }
    Err(unknown(model, name, &[]))
}

/// There is no such name: suggests the nearest.
pub fn unknown(model: &Model, name: &str, also: &[&str]) -> Failure {
    let joints = model.joints().iter().map(|j| j.name.as_str());
    let fail = failure(format!("there is no joint or quantity \"{name}\""));
    if let Some(near) = did_you_mean(name, also.iter().copied().chain(joints.clone())) {
        return fail.help(format!("did you mean \"{near}\"?"));
    }
    let mut some: Vec<&str> = also.iter().copied().chain(joints).take(20).collect();
    if model.joints().len() + also.len() > some.len() {
        some.push("…");
    }
    fail.help(format!("there are: {}", some.join(", ")))
}
