//! Errors of motion from energies.

/// Why a step or an evaluation failed. The state is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LagrangeError {
    /// A list has the wrong length.
    #[error("{what} has {found} numbers, the system needs {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// What it should have.
        expected: usize,
        /// What it has.
        found: usize,
    },
    /// ∂²K/∂q̇² with the constraints cannot be solved.
    #[error(
        "at q = {q:?} the accelerations are not determined: the metric ∂²K/∂q̇² is singular there (a coordinate without mass, \
         or a pole of the coordinates), or the constraints depend on each other"
    )]
    Singular {
        /// Where.
        q: Vec<f64>,
    },
    /// No solution was found for the equation of an implicit step.
    #[error("the step of {dt} s from t = {time} s did not converge; take a smaller one")]
    NoConvergence {
        /// When.
        time: f64,
        /// The size of the step.
        dt: f64,
    },
    /// A result is infinite or NaN.
    #[error("{what} is not finite at q = {q:?}; take smaller steps, or look at the energies there")]
    NotFinite {
        /// Of what.
        what: &'static str,
        /// Where.
        q: Vec<f64>,
    },
    /// A step must be a finite number, not zero.
    #[error("the step is {0} s; give a finite number that is not 0")]
    Step(f64),
    /// The coordinates do not satisfy the constraints, and no nearby ones that do were found.
    #[error("no coordinates that satisfy the constraints were found near q = {q:?}")]
    OffConstraints {
        /// Where.
        q: Vec<f64>,
    },
}

/// Ok if all numbers are finite.
pub(super) fn finite(what: &'static str, numbers: &[f64], q: &[f64]) -> Result<(), LagrangeError> {
    let good = numbers.iter().all(|x| x.is_finite());
    if good { Ok(()) } else { Err(LagrangeError::NotFinite { what, q: q.to_vec() }) }
}
