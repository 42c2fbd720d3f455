//! Words of the command line for how a model is stepped.

use clap::ValueEnum;
use poinsot::Formulation;

/// The coordinates in which a run is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Coordinates {
    /// Joint coordinates; loops by multipliers
    #[default]
    Reduced,
    /// Every body is free, every joint is a constraint
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
