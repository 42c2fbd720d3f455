//! A running show: a thread steps it, records its past, takes commands, and publishes frames without waiting for any page.

mod command;
mod event_log;
mod execute;
mod follow;
mod followed;
mod hand;
mod history;
mod interrupt;
mod record;
mod runner;
mod saved;
mod session;
mod watch;

pub use command::{Command, Envelope};
pub use followed::Source;
pub use interrupt::Commands;
pub use session::{Client, Message, Session, Shared, Work, start, start_following};
