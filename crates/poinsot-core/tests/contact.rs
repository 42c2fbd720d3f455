//! Contact solvers on bare matrices.
#![allow(clippy::unwrap_used)]

#[path = "contact/common.rs"]
mod common;
#[path = "contact/friction.rs"]
mod friction;
#[path = "contact/hostile.rs"]
mod hostile;
#[path = "contact/large.rs"]
mod large;
#[path = "contact/lcp.rs"]
mod lcp;
#[path = "contact/rows.rs"]
mod rows;
#[path = "contact/siconos.rs"]
mod siconos;
#[path = "contact/stress.rs"]
mod stress;
#[path = "contact/substeps.rs"]
mod substeps;
