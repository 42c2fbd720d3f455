//! What the laws are tried on, and how their errors are measured.
#![allow(dead_code, unused_imports)] // each test binary uses a part of it

pub mod measure;
pub mod sketch;
pub mod zoo;

pub use measure::*;
pub use sketch::{Draft, Random, Sketch, bodies};
pub use zoo::{models, random_lines, random_tree, sketches};
