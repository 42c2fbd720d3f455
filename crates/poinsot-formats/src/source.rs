//! A text with its lines.

use crate::diagnostic::Location;
use std::sync::OnceLock;

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its path, as the user or another file named it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// True if none of the text may be shown: an included file that is not MJCF, which may be any file of the machine.
    withheld: bool,
    index: OnceLock<Index>,
}

/// Where lines begin, and the number of characters before each block of bytes: with these a place is found at once, even in
/// a text that is a single line of a gigabyte.
#[derive(Clone, Debug, Default, PartialEq)]
struct Index {
    lines: Vec<usize>,
    characters: Vec<usize>,
}

const BLOCK: usize = 1 << 16;

impl Index {
    fn new(text: &str) -> Index {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(k, _)| k + 1);
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(characters[characters.len() - 1] + count(block));
        }
        Index { lines: std::iter::once(0).chain(ends).collect(), characters }
    }
    /// The number of characters before a byte.
    fn before(&self, text: &str, byte: usize) -> usize {
        let block = byte / BLOCK;
        self.characters[block] + count(&text.as_bytes()[block * BLOCK..byte])
    }
}

/// The number of characters that begin in these bytes.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

impl Source {
    /// A text and its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into(), withheld: false, index: OnceLock::new() }
    }
    /// From now on none of the text is shown.
    pub(crate) fn withhold(&mut self) {
        self.withheld = true;
    }

    /// Line, column and text of the line of a byte.
    pub fn locate(&self, byte: usize) -> Location<'_> {
        let byte = floor_char_boundary(&self.text, byte);
        let index = self.index.get_or_init(|| Index::new(&self.text));
        let line = index.lines.partition_point(|begin| *begin <= byte);
        let begin = index.lines[line - 1];
        let end = index.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let shown = if self.withheld { "" } else { &self.text[begin..end] };
        Location {
            file: &self.name,
            line,
            column: index.before(&self.text, byte) - index.before(&self.text, begin) + 1,
            snippet: shown.trim_end_matches('\r'),
        }
    }

    /// The line around a byte: at most `before` characters before it and `most` in all; and the number before it.
    pub(crate) fn around(&self, byte: usize, before: usize, most: usize) -> (String, usize) {
        if self.withheld {
            return (String::new(), 0);
        }
        let byte = floor_char_boundary(&self.text, byte);
        let back = self.text[..byte].chars().rev().take(before).take_while(|c| *c != '\n');
        let (indent, bytes) = back.fold((0, 0), |(n, bytes), c| (n + 1, bytes + c.len_utf8()));
        let rest = self.text[byte - bytes..].chars().take(most).take_while(|c| *c != '\n');
        let line: String = rest.collect();
        (line.trim_end_matches('\r').to_string(), indent)
    }
}

fn floor_char_boundary(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

/// A text without its middle if it is longer than `most` bytes.
pub(crate) fn cut(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let from = floor_char_boundary(&text, text.len() - most / 4);
    format!("{} … {}", &text[..floor_char_boundary(&text, most / 2)], &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_text_with_wide_characters() {
        let source = Source::new("x", "é\r\nαβγ");
        let at = source.locate(6);
        assert_eq!((at.line, at.column, at.snippet), (2, 2, "αβγ"));
        assert_eq!(source.locate(1000).line, 2);
        assert_eq!(source.around(6, 59, 110), ("αβγ".to_string(), 1));
        assert_eq!(source.around(8, 1, 2), ("βγ".to_string(), 1));
        assert_eq!(Source::new("", "").locate(3).column, 1);
    }

    #[test]
    fn places_in_long_lines() {
        let source = Source::new("x", "aé".repeat(100_000) + "\n" + &"ü".repeat(100_000));
        for (byte, line, column) in [(0, 1, 1), (299_997, 1, 199_999), (300_001, 2, 1), (499_999, 2, 100_000)]
        {
            let at = source.locate(byte);
            assert_eq!((at.line, at.column), (line, column), "{byte}");
        }
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(cut("short".into(), 100), "short");
        assert!(cut("é".repeat(1000), 101).len() < 120);
    }
}
