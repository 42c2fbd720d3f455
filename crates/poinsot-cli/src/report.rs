//! Writing to standard output without an error when nobody reads it.

use miette::{IntoDiagnostic, Result};
use std::io::{ErrorKind, Write};

/// Writes `text` to standard output. That its reader has gone (`poinsot list | head -1`) is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.into_diagnostic(),
    }
}
