//! The audit: the results of the formulations for one model, compared; and where its energy and momentum came from.

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

/// The parts that the three formulations of a [check] share: an error there would appear in all of them.
pub const SHARED: &str = "all three: the compiled model, the generalised forces they are given, the rows of loop constraints; \
                          reduced and trace form: bodies' accelerations from those of the joints; all else is computed separately";
