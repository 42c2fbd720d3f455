//! What can be wrong with a problem.

use thiserror::Error;

/// Why a problem cannot be posed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OptimizeError {
    /// There is no time to move in.
    #[error("the problem has no phase; give it a duration")]
    NoPhase,
    /// A duration is not one.
    #[error(
        "the duration of {phase} must be positive, its least no more than its most, and its guess a finite number"
    )]
    Duration {
        /// The phase.
        phase: String,
    },
    /// No intervals.
    #[error("{phase} has no intervals; give at least 1")]
    Intervals {
        /// The phase.
        phase: String,
    },
    /// Central differences need coordinates whose rates are the velocities.
    #[error(
        "central differences are for one phase of at least 3 intervals and for coordinates whose rates are the velocities; this system has \
         {coordinates} coordinates and {velocities} velocities: take trapezoidal or hermite-simpson"
    )]
    CentralDifference {
        /// How many coordinates there are.
        coordinates: usize,
        /// How many velocities.
        velocities: usize,
    },
    /// A moment outside its phase.
    #[error("a condition or cost at {part} of {phase}: give a part from 0 to 1")]
    Moment {
        /// The phase.
        phase: String,
        /// The part.
        part: f64,
    },
    /// Two moments want the same node.
    #[error(
        "a condition or cost at {part} of {phase} falls between its {intervals} intervals; take more of them, or a multiple that meets it"
    )]
    Mesh {
        /// The phase.
        phase: String,
        /// The part.
        part: f64,
        /// How many there are.
        intervals: usize,
    },
    /// A range that nothing is in.
    #[error("{quantity} cannot lie between {low} and {high}; give the smaller number first")]
    Range {
        /// What.
        quantity: String,
        /// From.
        low: f64,
        /// To.
        high: f64,
    },
    /// A model with forces that inverse dynamics does not know.
    #[error("model \"{model}\" has {what}, which motions are not optimised with; take them out of the model")]
    Model {
        /// Its name.
        model: String,
        /// What it has.
        what: &'static str,
    },
    /// Rows that are no clip of the model.
    #[error(
        "{rows} rows do not make a clip: give at least 5, at times that rise, with {coordinates} finite coordinates each"
    )]
    Clip {
        /// How many there are.
        rows: usize,
        /// How many coordinates the model has.
        coordinates: usize,
    },
    /// The file says something else than it may.
    #[error("{0}")]
    File(String),
}
