//! # Poinsot
//!
//! Rigid and articulated body dynamics. The modules are the chapters of the derivation, in order:
//! [`algebra`] → [`spatial`] → [`free`] → …; a chapter imports only earlier ones.
#![deny(unsafe_code)]

pub mod algebra;
pub mod free;
pub mod spatial;
