//! Writing to standard output without a panic when nobody reads it.

use miette::{IntoDiagnostic, Report, Result};
use std::io::{ErrorKind, Write};

/// Writes `text` to standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).into_diagnostic()
}

/// True when standard output was closed by its reader.
pub fn is_broken_pipe(error: &Report) -> bool {
    error
        .chain()
        .any(|e| e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe))
}
