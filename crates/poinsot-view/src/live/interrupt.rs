//! Interrupts long steps: an urgent command requests an interrupt, and a step that has taken long enough ends.

use super::command::Envelope;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SendError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Steps are not interrupted before this: their work so far would be lost.
const SHORTEST: Duration = Duration::from_millis(100);

/// Pages are notified of steps that take longer.
const LONG: Duration = Duration::from_secs(1);

/// The sending end of a session's channel.
#[derive(Clone)]
pub struct Commands {
    sender: Sender<Envelope>,
    interrupt: Interrupt,
}

impl Commands {
    pub(super) fn new(sender: Sender<Envelope>, interrupt: Interrupt) -> Commands {
        Commands { sender, interrupt }
    }
    /// Sends a message; an error if the session has ended.
    pub fn send(&self, envelope: Envelope) -> Result<(), Box<SendError<Envelope>>> {
        let urgent = envelope.cannot_wait();
        self.sender.send(envelope)?;
        if urgent {
            self.interrupt.requested.store(true, Ordering::Release);
        }
        Ok(())
    }
    /// How long the current step has taken, if that is long.
    pub fn long_step(&self) -> Option<Duration> {
        let begun = *self.interrupt.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.map(|b| b.elapsed()).filter(|time| *time > LONG)
    }
}

/// Set by urgent commands, checked by steps.
#[derive(Clone, Default)]
pub(super) struct Interrupt {
    requested: Arc<AtomicBool>,
    begun: Arc<Mutex<Option<Instant>>>,
}

impl Interrupt {
    /// Marks the beginning of steps.
    pub fn begin(&self) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
    /// Marks the end of steps.
    pub fn end(&self) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
    /// Clears the request.
    pub fn clear(&self) {
        self.requested.store(false, Ordering::Release);
    }
    /// True if an interrupt is requested and the step has taken long enough.
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Acquire)
            && self
                .begun
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_some_and(|b| b.elapsed() > SHORTEST)
    }
}
