//! Writing to standard output without an error when nobody reads it.

use crate::failure::{Outcome, failure};
use std::io::{ErrorKind, Write};

/// Writes `text` to standard output. That its reader has gone (`poinsot list | head -1`) is no error.
pub fn print(text: &str) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(failure(format!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// "1 body", "3 bodies".
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
