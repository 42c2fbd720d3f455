//! Writing to standard output and standard error without an error when nobody reads it.

use std::fmt::{self, Display, Formatter};
use std::io::{ErrorKind, Write};

/// What was to be said could not be written.
#[derive(Debug)]
pub struct Unwritten(std::io::Error);

impl Display for Unwritten {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "cannot write to standard output: {}", self.0)
    }
}
impl std::error::Error for Unwritten {}

/// Writes `text` to standard output. That its reader has gone (`poinsot list | head -1`) is no error.
pub fn print(text: &str) -> Result<(), Unwritten> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(Unwritten),
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
