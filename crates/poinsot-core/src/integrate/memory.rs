//! What the next step starts from in addition to the state.
//!
//! An iteration begins with what it found last, an inner step has the size of the one before, an angle between free bodies is
//! of the turn nearest to the last. Who keeps such a thing writes it as numbers and reads them back in the same order, so
//! that a motion goes on bit for bit from where it was saved.

use thiserror::Error;

/// Why what was remembered cannot be taken up.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecallError {
    /// Something else has written it.
    #[error("it remembers fewer numbers than are asked for")]
    TooFew,
    /// Something else has written it.
    #[error("it remembers {0} numbers more than are asked for")]
    TooMany(usize),
}

/// Of the coordinates and velocities of a model, which those of another are: for each its place there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// For each coordinate.
    pub q: Vec<Option<usize>>,
    /// For each degree of freedom.
    pub v: Vec<Option<usize>>,
    /// How many of each the other model has.
    pub from: [usize; 2],
}

/// Reads numbers back in the order in which they were written.
///
/// ```
/// use poinsot_core::integrate::Recall;
/// let mut from = Recall::of(&[0.5, 1.0, 2.0, 3.0]);
/// let mut rest = [0.0; 2];
/// assert!(from.number() == 0.5 && from.flag());
/// from.fill(&mut rest);
/// assert!(rest == [2.0, 3.0] && from.finish().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Recall<'a> {
    left: &'a [f64],
    missing: bool,
}

impl<'a> Recall<'a> {
    /// From the first of these numbers on.
    pub fn of(numbers: &'a [f64]) -> Recall<'a> {
        Recall { left: numbers, missing: false }
    }
    /// The next number; 0 when there is none, which [`Recall::finish`] tells.
    pub fn number(&mut self) -> f64 {
        match self.left.split_first() {
            Some((first, rest)) => {
                self.left = rest;
                *first
            }
            None => {
                self.missing = true;
                0.0
            }
        }
    }
    /// The next number as yes or no: 1 or 0.
    pub fn flag(&mut self) -> bool {
        self.number() != 0.0
    }
    /// The next numbers, as many as there is room for.
    pub fn fill(&mut self, to: &mut [f64]) {
        to.iter_mut().for_each(|x| *x = self.number());
    }
    /// Ok when all numbers were read, and no more.
    pub fn finish(self) -> Result<(), RecallError> {
        match (self.missing, self.left.len()) {
            (true, _) => Err(RecallError::TooFew),
            (false, 0) => Ok(()),
            (false, n) => Err(RecallError::TooMany(n)),
        }
    }
}
