//! # Poinsot
//!
//! Rigid and articulated body dynamics: what `cargo add poinsot` gives. The mechanics is in `poinsot_core`,
//! re-exported here; this crate adds ready-made [`scenes`] and a [`Simulation`] that steps one and keeps watch
//! over its energy and momentum.
//!
//! ```
//! let scene = poinsot::scenes::by_name("dzhanibekov")?;
//! let mut simulation = poinsot::Simulation::new(&scene.model, scene.state.clone(), scene.integrator)?;
//! simulation.run(1000, 0.01)?;
//! assert!(simulation.drift().energy < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub use poinsot_collide as collide;
pub use poinsot_core::*;
pub use poinsot_formats as formats;

pub mod control;
pub mod doctor;
mod gain;
pub mod names;
mod nearest;
pub mod prelude;
pub mod scenes;
mod simulation;
mod start;
mod tally;
mod watch;
mod whole_file;

pub use gain::EnergyGain;
pub use nearest::{nearest_integrator, note_integrator};
pub use simulation::{
    Contact, ContactEvent, ContactEventKind, Formulation, Load, Penalty, Simulation, SimulationBuilder,
    SimulationError, Snapshot, SnapshotError,
};
pub use start::{Beyond, Moved, begin_on_constraints, beyond_range, stir};
pub use tally::{NamedEvent, Occurrence, Tally, Touchings, fallback_sentence};
pub use watch::Drift;
pub use whole_file::WholeFile;

/// The examples of the README and the pages beside it are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/constraints.md")]
#[doc = include_str!("../../../docs/contact.md")]
#[doc = include_str!("../../../docs/energies.md")]
struct Readme;
