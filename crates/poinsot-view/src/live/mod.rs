//! A running show: a thread steps it, records its past, takes commands, and publishes frames without waiting for any page.

mod bell;
mod command;
mod follow;
mod followed;
mod hand;
mod happened;
mod history;
mod obey;
mod record;
mod runner;
mod saved;
mod session;
mod watch;

pub use bell::Commands;
pub use command::{Command, Envelope};
pub use followed::Source;
pub use session::{Client, Message, Session, Shared, Work, start, start_following};
