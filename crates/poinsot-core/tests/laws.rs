//! The laws of mechanics, one file a law, each over the whole zoo and random trees, one side computed independently.
#![allow(clippy::unwrap_used)] // a test that cannot build its model should stop

mod common;

#[path = "laws/coordinates.rs"]
mod coordinates;
#[path = "laws/coriolis.rs"]
mod coriolis;
#[path = "laws/coverage.rs"]
mod coverage;
#[path = "laws/derivatives.rs"]
mod derivatives;
#[path = "laws/free_bodies.rs"]
mod free_bodies;
#[path = "laws/gravity.rs"]
mod gravity;
#[path = "laws/inverse_forward.rs"]
mod inverse_forward;
#[path = "laws/jacobian.rs"]
mod jacobian;
#[path = "laws/joints.rs"]
mod joints;
#[path = "laws/kinetic_energy.rs"]
mod kinetic_energy;
#[path = "laws/lagrange.rs"]
mod lagrange;
#[path = "laws/left_invariance.rs"]
mod left_invariance;
#[path = "laws/mass_matrix.rs"]
mod mass_matrix;
#[path = "laws/mirror.rs"]
mod mirror;
#[path = "laws/momentum.rs"]
mod momentum;
#[path = "laws/newton.rs"]
mod newton;
#[path = "laws/objectivity.rs"]
mod objectivity;
#[path = "laws/power.rs"]
mod power;
#[path = "laws/reroot.rs"]
mod reroot;
#[path = "laws/same_bits.rs"]
mod same_bits;
#[path = "laws/trace_form.rs"]
mod trace_form;
#[path = "laws/virtual_work.rs"]
mod virtual_work;
