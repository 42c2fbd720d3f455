//! Writing to standard output and standard error without an error when nobody reads it.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::io::{ErrorKind, IsTerminal, Write};

/// The output could not be written.
#[derive(Debug)]
pub struct Unwritten(std::io::Error);

impl Display for Unwritten {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "cannot write to standard output: {}", self.0)
    }
}
impl std::error::Error for Unwritten {}

/// The text of an untrusted file, for a terminal: characters that would move the cursor, change colours or reverse the text are replaced by
/// one question mark per byte.
pub fn plain(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) { out.extend(std::iter::repeat_n('?', c.len_utf8())) } else { out.push(c) }
    }
    out
}

/// Writes `text` to standard output, to a program as it is. If the reader has gone (`poinsot list | head -1`), that is not an error.
pub fn print(text: &str) -> Result<(), Unwritten> {
    let mut out = std::io::stdout().lock();
    let text = if out.is_terminal() { Cow::from(plain(text)) } else { Cow::from(text) };
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(Unwritten),
    }
}

/// Writes `text` to standard error; if nobody reads it, there is nobody to tell.
pub fn tell(text: &str) {
    tell_drawn(&plain(text));
}

/// Likewise, for text with its own colours.
pub fn tell_drawn(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// "1 body", "3 bodies".
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
