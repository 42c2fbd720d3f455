//! The audit: what the formulations say of one model beside one another, and what became of its energy and momentum.

mod account;
mod check;
mod ledger;
mod report;
mod twin;

pub use account::{Account, Line};
pub use check::{CheckError, CheckOptions, check};
pub use ledger::Ledger;
pub use report::{Agreement, Quantity, Report};
pub use twin::Twin;
