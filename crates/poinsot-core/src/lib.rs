//! # Poinsot
//!
//! Rigid and articulated body dynamics. The modules are the chapters of the derivation, in this order, and a
//! chapter imports only earlier ones: [`algebra`] → [`spatial`] → [`free`] (one body) → [`model`] → [`dynamics`]
//! (trees) → [`inverse_kinematics`] → [`hierarchy`] (the same trees by 4×4 transforms) → [`contact`] (friction and
//! complementarity on bare matrices) → [`lagrange`] (motion from energies that a user writes) → [`constraint`] (loops,
//! maximal coordinates) → [`integrate`] →
//! [`audit`] (the formulations side by side, and what became of the energy).
#![deny(unsafe_code)]

pub mod algebra;
pub mod audit;
pub mod constraint;
pub mod contact;
pub mod dynamics;
pub mod free;
pub mod hierarchy;
pub mod integrate;
pub mod inverse_kinematics;
pub mod lagrange;
pub mod model;
pub mod spatial;
