//! The problem: conditions, bounds and costs of a motion, in phases.

use crate::program::Settings;
use crate::system::{Equations, Names};
use poinsot::hierarchy::AffineModel;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// One scalar quantity of a motion at a moment.
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
    /// An additional output of the system.
    Output(usize),
}

impl Quantity {
    /// Its name.
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

/// A moment, as a fraction of a phase from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// The phase.
    pub phase: usize,
    /// The fraction of the phase that has passed.
    pub part: f64,
}

/// A quantity lies in an interval at a moment; for a prescribed value both ends are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The moment.
    pub at: PhaseTime,
    /// The quantity.
    pub quantity: Quantity,
    /// The interval.
    pub range: (f64, f64),
}

/// A quantity lies in an interval at all times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The phase in which it holds; `None` for all phases.
    pub phase: Option<usize>,
    /// The quantity.
    pub quantity: Quantity,
    /// The interval.
    pub range: (f64, f64),
}

/// The reference value of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A constant.
    Value(f64),
    /// Values at fractions of the whole duration, interpolated linearly.
    Trajectory(Vec<(f64, f64)>),
}

impl Target {
    /// The value at a fraction of the whole duration.
    pub fn at(&self, part: f64) -> f64 {
        match self {
            Target::Value(x) => *x,
            Target::Trajectory(points) => interpolate(points, part),
        }
    }
}

/// The value of a piecewise linear function; constant beyond its ends.
pub(crate) fn interpolate(points: &[(f64, f64)], at: f64) -> f64 {
    let after = points.partition_point(|(t, _)| *t <= at);
    match (after.checked_sub(1).and_then(|k| points.get(k)), points.get(after)) {
        (Some((t, x)), Some((u, y))) => x + (y - x) * (at - t) / (u - t),
        (Some((_, x)), None) | (None, Some((_, x))) => *x,
        (None, None) => 0.0,
    }
}

/// A term of the cost function.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// weight ∫ (x − target)² dt
    Square {
        /// x
        quantity: Quantity,
        /// The weight.
        weight: f64,
        /// The target.
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
    /// weight (x − target)² at a moment, or weight x without a target
    At {
        /// The moment.
        at: PhaseTime,
        /// x
        quantity: Quantity,
        /// The weight.
        weight: f64,
        /// The target.
        target: Option<f64>,
    },
}

/// A linear equation: Σ factor · quantity − constant = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ZeroSum {
    /// Quantities with their factors; the first one names the equation.
    pub terms: Vec<(Quantity, f64)>,
    /// The constant.
    pub constant: f64,
}

/// A phase: an interval of time with the same contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// The shortest and the longest duration, s; equal if it is fixed.
    pub duration: (f64, f64),
    /// The initial guess of the duration, s.
    pub guess: f64,
    /// The number of intervals.
    pub intervals: usize,
    /// The active contact forces; the others are 0.
    pub forces: Vec<usize>,
    /// Equations that hold throughout the phase, such as that points in contact do not move.
    pub zero: Vec<ZeroSum>,
}

/// The discretisation of the differential equations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Second order: x⁺ − x = ½h (ẋ + ẋ⁺).
    Trapezoidal,
    /// Fourth order, with the midpoint of each interval [Kelly17, section 4].
    #[default]
    HermiteSimpson,
    /// Velocities and accelerations by central differences of q, forces at interior times only [WitkinKass88].
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

/// A row of a trajectory: (fraction of the whole duration, q, v, u). Empty v or u count as 0.
pub type TrajectoryRow = (f64, Vec<f64>, Vec<f64>, Vec<f64>);

/// The initial guess.
#[derive(Clone, Debug, PartialEq)]
pub enum Guess {
    /// Straight lines between the prescribed values and these additional points: (fraction of the whole duration, quantity, value).
    /// Controls without points start in the middle of their bounds, or at 0.
    Lines(Vec<(f64, Quantity, f64)>),
    /// Trajectories of coordinates, velocities and controls over fractions of the whole duration.
    Trajectory(Vec<TrajectoryRow>),
}

impl Default for Guess {
    fn default() -> Guess {
        Guess::Lines(Vec::new())
    }
}

/// A trajectory optimisation problem.
pub struct Problem {
    /// The equations of the system.
    pub equations: Box<dyn Equations>,
    /// The file or scene of its model, if it has one.
    pub model: Option<PathBuf>,
    /// The hierarchy, if the system is one of stretching nodes.
    pub nodes: Option<AffineModel>,
    /// The phases, one after another; coordinates and velocities are continuous between them.
    pub phases: Vec<Phase>,
    /// Conditions at moments.
    pub conditions: Vec<Condition>,
    /// Conditions at all times.
    pub bounds: Vec<Bound>,
    /// The terms of the cost.
    pub costs: Vec<Cost>,
    /// The discretisation.
    pub scheme: Scheme,
    /// The initial guess.
    pub guess: Guess,
    /// The stopping criteria.
    pub settings: Settings,
}
