//! The coordinates in which a model is stepped.

use std::fmt;
use std::str::FromStr;

/// The coordinates in which a model is stepped.
///
/// ```
/// use poinsot::Formulation;
/// assert_eq!("maximal".parse(), Ok(Formulation::Maximal));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Formulation {
    /// Joint coordinates; loops by multipliers.
    #[default]
    Reduced,
    /// Every body is free, and every joint is a constraint.
    Maximal,
}

impl Formulation {
    /// Both.
    pub const ALL: [Formulation; 2] = [Formulation::Reduced, Formulation::Maximal];
    /// The word shown to users and parsed.
    pub const fn word(self) -> &'static str {
        match self {
            Formulation::Reduced => "reduced",
            Formulation::Maximal => "maximal",
        }
    }
}

impl fmt::Display for Formulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Formulation {
    type Err = String;
    fn from_str(word: &str) -> Result<Formulation, String> {
        let known = Formulation::ALL.into_iter().find(|f| f.word() == word);
        known.ok_or_else(|| format!("there is no formulation \"{word}\"; give reduced or maximal"))
    }
}
