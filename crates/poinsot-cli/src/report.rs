//! Writing to standard output and standard error without an error when nobody reads it.

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

/// Writes `text` to standard error; when nobody reads it there is nobody to tell.
pub fn tell(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// "1 body", "3 bodies".
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
