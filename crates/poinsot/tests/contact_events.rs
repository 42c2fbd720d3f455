//! Contact from event to event compared with exact solutions, and time stepping compared with both at its order.
#![allow(clippy::unwrap_used, clippy::needless_range_loop)] // a failed unwrap is a failed test; indices as in the formulas

#[path = "contact_events/bodies.rs"]
mod bodies;
#[path = "contact_events/friction.rs"]
mod friction;
#[path = "contact_events/impacts.rs"]
mod impacts;
#[path = "contact_events/indeterminate.rs"]
mod indeterminate;
#[path = "contact_events/machines.rs"]
mod machines;
#[path = "contact_events/motions.rs"]
mod motions;
#[path = "contact_events/statics.rs"]
mod statics;
