//! Long loops outside the interpreter, which Ctrl-C ends.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_millis(50);
/// The most steps of one call: the path of each is kept.
const MOST_STEPS: usize = 100_000_000;

/// Has Python handle its signals from time to time.
pub struct Signals {
    next: Instant,
}

impl Signals {
    /// For a loop of `steps` steps.
    pub fn new(steps: usize) -> PyResult<Signals> {
        if steps > MOST_STEPS {
            return Err(PyValueError::new_err(format!("n is {steps}; give at most {MOST_STEPS}")));
        }
        Ok(Signals { next: Instant::now() + EVERY })
    }

    /// An error if a handler has raised one.
    pub fn check(&mut self) -> PyResult<()> {
        if Instant::now() < self.next {
            return Ok(());
        }
        self.next = Instant::now() + EVERY;
        Python::attach(|py| py.check_signals())
    }
}
