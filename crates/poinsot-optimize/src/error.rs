//! Errors in a problem.

use thiserror::Error;

/// Why a problem is not well posed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OptimizeError {
    /// There are no phases.
    #[error("the problem has no phase; give it a duration")]
    NoPhase,
    /// An invalid duration.
    #[error(
        "the duration of {phase} must be positive, its least no more than its most, and its guess a finite number"
    )]
    Duration {
        /// The phase.
        phase: String,
    },
    /// The number of intervals is 0, or too large.
    #[error("{phase} has {intervals} intervals; give 1 to 1000000")]
    Intervals {
        /// The phase.
        phase: String,
        /// The number of intervals.
        intervals: usize,
    },
    /// Central differences need coordinates whose rates are the velocities.
    #[error(
        "central differences are for one phase of at least 3 intervals and for coordinates whose rates are the velocities; this system has \
         {coordinates} coordinates and {velocities} velocities: take trapezoidal or hermite-simpson"
    )]
    CentralDifference {
        /// The number of coordinates.
        coordinates: usize,
        /// The number of velocities.
        velocities: usize,
    },
    /// A moment outside its phase.
    #[error("a condition or cost at {part} of {phase}: give a part from 0 to 1")]
    Moment {
        /// The phase.
        phase: String,
        /// The part of the phase.
        part: f64,
    },
    /// Two moments need the same node.
    #[error(
        "a condition or cost at {part} of {phase} falls between its {intervals} intervals; take more of them, or a multiple that meets it"
    )]
    Mesh {
        /// The phase.
        phase: String,
        /// The part of the phase.
        part: f64,
        /// The number of intervals.
        intervals: usize,
    },
    /// An empty range, or one at infinity.
    #[error(
        "{quantity} cannot lie between {low} and {high}; give the smaller number first, and a finite one for equality"
    )]
    Range {
        /// The quantity.
        quantity: String,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A model with forces that inverse dynamics does not include.
    #[error("model \"{model}\" has {what}, which motions are not optimised with; take them out of the model")]
    Model {
        /// Its name.
        model: String,
        /// The unsupported feature.
        what: &'static str,
    },
    /// Rows that are not a clip of the model.
    #[error("the clip {what}")]
    Clip {
        /// What is wrong.
        what: String,
    },
    /// Invalid contents of the file.
    #[error("{0}")]
    File(String),
}
