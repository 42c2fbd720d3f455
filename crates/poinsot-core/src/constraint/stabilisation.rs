//! How a simulation keeps constraints from drifting.

/// What is done about the errors that a step leaves in C and Ċ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stabilisation {
    /// Configuration and velocity are projected onto the constraints after each step, nearest in the mass metric: drift
    /// stays at round-off.
    #[default]
    Projection,
    /// Errors decay with this time constant, in seconds; it should be several steps long.
    Baumgarte {
        /// T.
        time_constant: f64,
    },
    /// Nothing: errors grow, as one may wish to see.
    Nothing,
}
