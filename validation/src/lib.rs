//! # Validation
//!
//! What the engine computes against numbers from elsewhere: exact solutions, published benchmarks, other programs.
//! Every entry runs the engine; its tolerance was fixed before the first run, for the reason its section gives.
//! `scripts/validate` writes the entries to VALIDATION.md.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used)] // a validation that cannot read its data or make its step should stop

mod bicycle;
mod catenary;
mod chain_frequencies;
mod closed_loops;
mod contact;
mod course;
mod entry;
mod free_rotation;
mod joint_stiffness;
mod laws;
mod mechanisms;
mod million_steps;
mod optimal;
mod pendulums;
mod pinocchio;
mod planar_chain;
mod pseudo_inertia;
mod read;
mod report;
mod springs;
mod squeezer;
mod tops;

// the models and measures of the laws are those of the core's tests
#[path = "../../crates/poinsot-core/tests/common/mod.rs"]
#[allow(missing_docs)]
mod common;

pub use entry::Entry;
pub use report::report;

use entry::Ledger;

/// Runs the engine against every reference.
pub fn entries() -> Vec<Entry> {
    let mut ledger = Ledger::default();
    free_rotation::enter(&mut ledger);
    million_steps::enter(&mut ledger);
    tops::enter(&mut ledger);
    pendulums::enter(&mut ledger);
    catenary::enter(&mut ledger);
    chain_frequencies::enter(&mut ledger);
    pinocchio::enter(&mut ledger);
    pseudo_inertia::enter(&mut ledger);
    mechanisms::enter(&mut ledger);
    closed_loops::enter(&mut ledger);
    springs::enter(&mut ledger);
    optimal::enter(&mut ledger);
    planar_chain::enter(&mut ledger);
    contact::enter(&mut ledger);
    laws::enter(&mut ledger);
    ledger.entries
}
