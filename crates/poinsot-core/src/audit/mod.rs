//! The audit: what the formulations say of one model beside one another, and what became of its energy and momentum.

mod report;
mod twin;

pub use report::{Agreement, Quantity, Report};
pub use twin::Twin;
