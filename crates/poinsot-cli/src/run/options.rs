//! Words of the command line for how a model is stepped.

use clap::ValueEnum;
use poinsot::Formulation;
use poinsot::constraint::Stabilisation;

/// The coordinates in which a run is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Coordinates {
    /// Those of the joints; loops by multipliers
    #[default]
    Reduced,
    /// Every body free, every joint a constraint
    Maximal,
}

impl From<Coordinates> for Formulation {
    fn from(coordinates: Coordinates) -> Formulation {
        match coordinates {
            Coordinates::Reduced => Formulation::Reduced,
            Coordinates::Maximal => Formulation::Maximal,
        }
    }
}

/// `projection`, `baumgarte:SECONDS` or `nothing`.
pub fn stabilisation(text: &str) -> Result<Stabilisation, String> {
    match (text, text.strip_prefix("baumgarte:")) {
        ("projection", _) => Ok(Stabilisation::Projection),
        ("nothing", _) => Ok(Stabilisation::Nothing),
        (_, Some(seconds)) => {
            super::positive(seconds).map(|time_constant| Stabilisation::Baumgarte { time_constant })
        }
        _ => {
            Err("give projection, nothing, or baumgarte: and a time in seconds, as in baumgarte:0.05".into())
        }
    }
}
