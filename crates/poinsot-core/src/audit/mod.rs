//! The audit: compares the results of the formulations for one model, and traces where its energy and momentum come from.

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

/// The parts that all three formulations of a [check] share, so that an error there would appear in all of them.
pub const SHARED: &str = "all three: the compiled model, the generalised forces they are given, the rows of loop constraints; \
                          reduced and trace form: the conversion of joint accelerations to body accelerations; everything else is computed separately";
