//! Ctrl-C: the first time the run ends gracefully, the second time immediately.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the run should end.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Handles Ctrl-C from now on. If that is not possible, Ctrl-C ends the program as usual.
    pub fn listen() -> Interrupt {
        let interrupt = Interrupt::default();
        let flag = interrupt.clone();
        let outcome = ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(super::INTERRUPTED));
            }
        });
        if let Err(error) = outcome {
            crate::report::tell(&format!(
                "warning: Ctrl-C will end the run without its last rows: {error}\n"
            ));
        }
        interrupt
    }
    /// True once it has been pressed.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
