//! What is asked for: conditions, bounds and costs of a motion, in phases.

use crate::program::Settings;
use crate::system::{Equations, Names};
use poinsot::hierarchy::AffineModel;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// One number of a motion at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A coordinate.
    Q(usize),
    /// A velocity.
    V(usize),
    /// An acceleration.
    A(usize),
    /// A control.
    U(usize),
    /// A force of a contact.
    F(usize),
    /// One of the further quantities of the system.
    Output(usize),
}

impl Quantity {
    /// What it is called.
    pub fn name(self, names: &Names) -> String {
        match self {
            Quantity::Q(k) => format!("q of {}", names.q[k]),
            Quantity::V(k) => format!("v of {}", names.v[k]),
            Quantity::A(k) => format!("acceleration of {}", names.v[k]),
            Quantity::U(k) => format!("u of {}", names.u[k]),
            Quantity::F(k) => format!("force {}", names.f[k]),
            Quantity::Output(k) => names.outputs[k].clone(),
        }
    }
}

/// A moment: a part of a phase, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct When {
    /// The phase.
    pub phase: usize,
    /// Which part of it has passed.
    pub part: f64,
}

/// A quantity lies between two numbers at a moment; they are the same where it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// When.
    pub at: When,
    /// What.
    pub quantity: Quantity,
    /// From where to where.
    pub range: (f64, f64),
}

/// A quantity lies between two numbers all along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// In this phase alone; none: in all.
    pub phase: Option<usize>,
    /// What.
    pub quantity: Quantity,
    /// From where to where.
    pub range: (f64, f64),
}

/// What a quantity is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// One number.
    Value(f64),
    /// Numbers at times as parts of the whole duration, in between on straight lines.
    Trajectory(Vec<(f64, f64)>),
}

impl Target {
    /// The number at a part of the whole duration.
    pub fn at(&self, part: f64) -> f64 {
        match self {
            Target::Value(x) => *x,
            Target::Trajectory(points) => interpolate(points, part),
        }
    }
}

/// A value of straight lines through points; constant beyond them.
pub(crate) fn interpolate(points: &[(f64, f64)], at: f64) -> f64 {
    let after = points.partition_point(|(t, _)| *t <= at);
    match (after.checked_sub(1).and_then(|k| points.get(k)), points.get(after)) {
        (Some((t, x)), Some((u, y))) => x + (y - x) * (at - t) / (u - t),
        (Some((_, x)), None) | (None, Some((_, x))) => *x,
        (None, None) => 0.0,
    }
}

/// A part of what is to be least.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// weight ∫ (x − target)² dt
    Square {
        /// x
        quantity: Quantity,
        /// The weight.
        weight: f64,
        /// What it should be.
        target: Target,
    },
    /// weight ∫ ẋ² dt of a control or force
    Rate {
        /// x
        quantity: Quantity,
        /// The weight.
        weight: f64,
    },
    /// weight times the whole duration
    Duration {
        /// The weight.
        weight: f64,
    },
    /// weight (x − target)² at a moment, or weight x where there is no target
    At {
        /// When.
        at: When,
        /// x
        quantity: Quantity,
        /// The weight.
        weight: f64,
        /// What it should be.
        target: Option<f64>,
    },
}

/// A sum of quantities that is 0: Σ factor · quantity − constant.
#[derive(Clone, Debug, PartialEq)]
pub struct ZeroSum {
    /// Quantities with their factors; the first is what it is called by.
    pub terms: Vec<(Quantity, f64)>,
    /// The constant.
    pub constant: f64,
}

/// A stretch of time with the same contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// What it is called.
    pub name: String,
    /// The shortest and the longest it may be, s; the same where it is given.
    pub duration: (f64, f64),
    /// A first guess of the duration, s.
    pub guess: f64,
    /// How many intervals it is divided into.
    pub intervals: usize,
    /// The forces of contacts that act; the others are 0.
    pub forces: Vec<usize>,
    /// What is 0 all along: that points which stand stay.
    pub zero: Vec<ZeroSum>,
}

/// How the differential equations become finitely many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Second order: x⁺ − x = ½h (ẋ + ẋ⁺).
    Trapezoidal,
    /// Fourth order, with the middle of each interval [Kelly17, section 4].
    #[default]
    HermiteSimpson,
    /// Velocities and accelerations by central differences of q, forces at inner times alone [WitkinKass88].
    CentralDifference,
}

const SCHEMES: [(&str, Scheme); 3] = [
    ("trapezoidal", Scheme::Trapezoidal),
    ("hermite-simpson", Scheme::HermiteSimpson),
    ("central-difference", Scheme::CentralDifference),
];

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let word = SCHEMES.iter().find(|(_, s)| s == self).map_or("", |(word, _)| word);
        f.write_str(word)
    }
}

impl FromStr for Scheme {
    type Err = String;
    fn from_str(word: &str) -> Result<Scheme, String> {
        let known = SCHEMES.iter().find(|(w, _)| *w == word).map(|(_, s)| *s);
        known.ok_or_else(|| {
            let words: Vec<&str> = SCHEMES.iter().map(|(w, _)| *w).collect();
            format!("there is no scheme \"{word}\"; schemes are {}", words.join(", "))
        })
    }
}

/// A row of a course: (part of the whole duration, q, v, u). Empty v or u count as 0.
pub type TrajectoryRow = (f64, Vec<f64>, Vec<f64>, Vec<f64>);

/// Where the search begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Guess {
    /// Straight lines between what conditions give and these further points: (part of the whole duration, quantity, value). Controls without
    /// points begin in the middle of their bounds, or at 0.
    Lines(Vec<(f64, Quantity, f64)>),
    /// Courses of coordinates, velocities and controls over parts of the whole duration.
    Trajectory(Vec<TrajectoryRow>),
}

impl Default for Guess {
    fn default() -> Guess {
        Guess::Lines(Vec::new())
    }
}

/// A motion that is asked for.
pub struct Problem {
    /// What moves.
    pub equations: Box<dyn Equations>,
    /// The file or scene that its model is from, where it has one.
    pub model: Option<PathBuf>,
    /// The hierarchy that moves, where it is one of nodes that stretch.
    pub nodes: Option<AffineModel>,
    /// The phases, one after the other; coordinates and velocities go on from each to the next.
    pub phases: Vec<Phase>,
    /// What must hold at moments.
    pub conditions: Vec<Condition>,
    /// What must hold all along.
    pub bounds: Vec<Bound>,
    /// What is to be least.
    pub costs: Vec<Cost>,
    /// How it is discretised.
    pub scheme: Scheme,
    /// Where the search begins.
    pub guess: Guess,
    /// When to stop.
    pub settings: Settings,
}
