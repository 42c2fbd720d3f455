//! The audit: what the formulations say of one model beside one another, and what became of its energy and momentum.

mod check;
mod ledger;
mod report;
mod twin;

pub use check::{CheckError, CheckOptions, check};
pub use ledger::{Account, Ledger, Line};
pub use report::{Agreement, Quantity, Report};
pub use twin::Twin;
