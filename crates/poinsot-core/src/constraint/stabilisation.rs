//! Prevention of constraint drift.

use std::fmt;
use std::str::FromStr;

/// How constraint drift is prevented in a simulation.
///
/// ```
/// use poinsot_core::constraint::Stabilisation;
/// let by: Stabilisation = "baumgarte:0.05".parse()?;
/// assert_eq!(by, Stabilisation::Baumgarte { time_constant: 0.05 });
/// assert_eq!(by.to_string(), "baumgarte:0.05");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
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
    /// Nothing: errors grow, for comparison.
    Nothing,
}

impl fmt::Display for Stabilisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stabilisation::Projection => f.pad("projection"),
            Stabilisation::Baumgarte { time_constant } => write!(f, "baumgarte:{time_constant}"),
            Stabilisation::Nothing => f.pad("nothing"),
        }
    }
}

impl FromStr for Stabilisation {
    type Err = String;
    /// `projection`, `baumgarte:SECONDS` or `nothing`.
    fn from_str(text: &str) -> Result<Stabilisation, String> {
        match (text, text.strip_prefix("baumgarte:").map(str::parse::<f64>)) {
            ("projection", _) => Ok(Stabilisation::Projection),
            ("nothing", _) => Ok(Stabilisation::Nothing),
            (_, Some(Ok(time_constant))) if time_constant > 0.0 && time_constant.is_finite() => {
                Ok(Stabilisation::Baumgarte { time_constant })
            }
            _ => {
                Err("give projection, nothing, or baumgarte: and a positive number of seconds, as in baumgarte:0.05"
                    .into())
            }
        }
    }
}
