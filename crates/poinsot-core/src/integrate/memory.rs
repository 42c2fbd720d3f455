//! What the next step depends on in addition to the state.
//!
//! Iterations start from the last solution, an inner step has the size of the previous one, and angles between free bodies are unwrapped to
//! the nearest turn. Each owner of such data writes it as numbers and reads it back in the same order, so that a motion continues bit for
//! bit from where it was saved.

use thiserror::Error;

/// An error in restoring a memory.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryError {
    /// It was written by something else.
    #[error("the memory has fewer numbers than required")]
    TooFew,
    /// It was written by something else.
    #[error("the memory has {0} numbers more than required")]
    TooMany(usize),
}

/// The correspondence of coordinates and velocities between two models: for each one, its index in the other model, if it has one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoordinateMap {
    /// For each coordinate.
    pub q: Vec<Option<usize>>,
    /// For each degree of freedom.
    pub v: Vec<Option<usize>>,
    /// The numbers of coordinates and velocities of the other model.
    pub from: [usize; 2],
}

/// Reads numbers back in the order in which they were written.
///
/// ```
/// use poinsot_core::integrate::MemoryReader;
/// let mut from = MemoryReader::of(&[0.5, 1.0, 2.0, 3.0]);
/// let mut rest = [0.0; 2];
/// assert!(from.number() == 0.5 && from.flag());
/// from.fill(&mut rest);
/// assert!(rest == [2.0, 3.0] && from.finish().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct MemoryReader<'a> {
    left: &'a [f64],
    missing: bool,
}

impl<'a> MemoryReader<'a> {
    /// Starts at the first of these numbers.
    pub fn of(numbers: &'a [f64]) -> MemoryReader<'a> {
        MemoryReader { left: numbers, missing: false }
    }
    /// The next number; 0 if there is none left, which [`MemoryReader::finish`] reports.
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
    /// The next number as a flag: 1 or 0.
    pub fn flag(&mut self) -> bool {
        self.number() != 0.0
    }
    /// The next numbers, until the slice is full.
    pub fn fill(&mut self, to: &mut [f64]) {
        to.iter_mut().for_each(|x| *x = self.number());
    }
    /// Ok if all numbers were read, and no more.
    pub fn finish(self) -> Result<(), MemoryError> {
        match (self.missing, self.left.len()) {
            (true, _) => Err(MemoryError::TooFew),
            (false, 0) => Ok(()),
            (false, n) => Err(MemoryError::TooMany(n)),
        }
    }
}
