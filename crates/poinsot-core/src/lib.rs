//! # Poinsot
//!
//! Rigid and articulated body dynamics. The modules are the chapters of the derivation, in order:
//! [`algebra`] → [`spatial`] → [`model`] → [`dynamics`] → [`hierarchy`] → …; a chapter imports only earlier ones.
#![deny(unsafe_code)]

pub mod algebra;
pub mod dynamics;
pub mod hierarchy;
pub mod model;
pub mod spatial;
