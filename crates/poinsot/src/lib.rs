//! # Poinsot
//!
//! Rigid and articulated body dynamics: the main crate, for `cargo add poinsot`. The mechanics is in `poinsot_core`, re-exported here; this
//! crate adds ready-made [`scenes`] and a [`Simulation`] that steps a model and monitors its energy and momentum.
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

mod atomic_file;
mod contact_check;
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

pub use atomic_file::AtomicFile;
pub use contact_check::{ContactCheck, ContactCheckOptions, check_contact};
pub use gain::EnergyGain;
pub use nalgebra;
pub use nearest::{nearest_integrator, note_integrator};
pub use simulation::{
    Contact, ContactEvent, ContactEventKind, Formulation, InverseContact, Kink, Load, Origin, Overlap,
    Penalty, Simulation, SimulationBuilder, SimulationError, Snapshot, SnapshotError, StepDerivatives,
    UnstableFeedback,
};
pub use start::{
    InitialProjection, OutOfRange, begin_on_constraints, begin_within_ranges, beyond_range,
    randomise_velocities, singular_sentence,
};
pub use tally::{ContactStatistics, NamedEvent, Occurrence, Tally, fallback_sentence};
pub use watch::Drift;

/// The examples of the README, the book and its pages are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/rust.md")]
#[doc = include_str!("../../../docs/constraints.md")]
#[doc = include_str!("../../../docs/contact.md")]
#[doc = include_str!("../../../docs/energies.md")]
#[doc = include_str!("../../../docs/book/01-particle.md")]
#[doc = include_str!("../../../docs/book/02-rotations.md")]
#[doc = include_str!("../../../docs/book/03-rigid-body.md")]
#[doc = include_str!("../../../docs/book/04-free-steps.md")]
#[doc = include_str!("../../../docs/book/05-least-action.md")]
#[doc = include_str!("../../../docs/book/06-trees.md")]
#[doc = include_str!("../../../docs/book/07-hierarchies.md")]
#[doc = include_str!("../../../docs/book/08-constraints.md")]
#[doc = include_str!("../../../docs/book/09-soft.md")]
#[doc = include_str!("../../../docs/book/10-steps.md")]
#[doc = include_str!("../../../docs/book/11-collisions.md")]
#[doc = include_str!("../../../docs/book/12-resting.md")]
#[doc = include_str!("../../../docs/book/13-checks.md")]
#[doc = include_str!("../../../docs/book/14-your-own.md")]
struct Readme;
