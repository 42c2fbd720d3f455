//! # Broken files, by the million
//!
//! Every input is made from small valid files ("seeds") by a few changes, read, and, when it can be read, simulated for
//! a moment. Nothing may panic, take longer than a second, or fail to fit together. Inputs depend on a seed and their
//! number only, so that a find is found again.
#![forbid(unsafe_code)]

mod bytes;
mod elements;
mod format;
mod markup;
mod minimise;
mod odd;
mod random;
mod run;
mod target;
mod words;

pub use format::{Format, Maker};
pub use run::{Find, Progress, Tally, run};
