//! Contact solvers on bare matrices.
#![allow(clippy::unwrap_used)]

#[path = "contact/common.rs"]
mod common;
#[path = "contact/table.rs"]
mod table;
