//! The audit: what the formulations find for one model, compared; and what became of its energy and momentum.

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

/// What the three formulations of a [check] do not do independently: an error there would be in all of them.
pub const SHARED: &str = "all three: the compiled model, the generalised forces they are given, the rows of loop constraints; \
                          reduced and trace form: bodies' accelerations from those of the joints; all else is computed separately";
