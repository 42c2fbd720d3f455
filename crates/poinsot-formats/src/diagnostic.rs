//! What a reader has to say about a file: a code, a message, the exact place, and what to do.
//!
//! Plain data: a program may draw it as it likes (the command line uses `miette`); [`Report`]'s `Display` is plain text.

use std::fmt;

/// A stretch of one of the files that were read, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Which file: an index into [`Report::sources`].
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file was understood; something in it is not simulated, or worth knowing.
    Note,
    /// Something in the file was left out or is probably not meant.
    Warning,
    /// There is no model.
    Error,
}

impl Severity {
    /// The word a user reads.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One thing to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name of the kind of trouble, such as `mjcf::unknown-attribute`.
    pub code: &'static str,
    /// What is the matter.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Says where.
    pub fn at(&mut self, place: Place) -> &mut Self {
        self.place = Some(place);
        self
    }
    /// Says what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its path, as the user or another file named it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A place for people: 1-based line and column, the column in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The text of the line.
    pub snippet: &'a str,
}

impl Source {
    /// Line, column and line's text of a byte.
    pub fn locate(&self, byte: usize) -> Location<'_> {
        let byte = floor_char_boundary(&self.text, byte);
        let before = &self.text[..byte];
        let begin = before.rfind('\n').map_or(0, |k| k + 1);
        let end = self.text[byte..].find('\n').map_or(self.text.len(), |k| byte + k);
        Location {
            file: &self.name,
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: self.text[begin..byte].chars().count() + 1,
            snippet: self.text[begin..end].trim_end_matches('\r'),
        }
    }
}

fn floor_char_boundary(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

/// Everything that was said about a file and those it includes, in the order it was found.
///
/// ```
/// use poinsot_formats::{Place, Report};
/// let mut report = Report::default();
/// let file = report.add_source("arm.xml", "<mujoco>\n  <bodi/>\n</mujoco>");
/// report.warning("mjcf::unknown-element", "there is no element <bodi>").at(Place { file, start: 12, end: 16 });
/// assert!(report.to_string().starts_with("arm.xml:2:4: warning[mjcf::unknown-element]: there is no element <bodi>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    sources: Vec<Source>,
    list: Vec<Diagnostic>,
    /// What could not be listed: [`Report::MOST`] are enough for anyone.
    spare: Option<Box<Diagnostic>>,
    unlisted: usize,
}

impl Report {
    /// More are counted, not listed.
    pub const MOST: usize = 1000;

    /// Adds a file; returns its number for [`Place::file`].
    pub fn add_source(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.sources.push(Source { name: name.into(), text: text.into() });
        (self.sources.len() - 1) as u32
    }
    /// The files that were read.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
    /// Everything that was said.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.list
    }
    /// How many more there were than are listed.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }
    /// Adds an error.
    pub fn error(&mut self, code: &'static str, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Error, code, message.into())
    }
    /// Adds a warning.
    pub fn warning(&mut self, code: &'static str, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Warning, code, message.into())
    }
    /// Adds a note.
    pub fn note(&mut self, code: &'static str, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Note, code, message.into())
    }

    fn push(&mut self, severity: Severity, code: &'static str, message: String) -> &mut Diagnostic {
        let new = Diagnostic { severity, code, message, place: None, help: None };
        // the first error is always listed: it is why there is no model
        let first_error = severity == Severity::Error && !self.has_errors();
        if self.list.len() < Report::MOST || first_error {
            self.list.push(new);
            let last = self.list.len() - 1;
            return &mut self.list[last];
        }
        self.unlisted += 1;
        self.spare.insert(Box::new(new))
    }

    /// True when there is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
    /// How many of this severity are listed.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|d| d.severity == severity).count()
    }
    /// Where a diagnostic points to.
    pub fn locate(&self, diagnostic: &Diagnostic) -> Option<Location<'_>> {
        let place = diagnostic.place?;
        Some(self.sources.get(place.file as usize)?.locate(place.start as usize))
    }
    /// "file:line:column" of a place.
    pub fn spell(&self, place: Place) -> String {
        match self.sources.get(place.file as usize) {
            Some(source) => {
                let at = source.locate(place.start as usize);
                format!("{}:{}:{}", at.file, at.line, at.column)
            }
            None => "unknown place".into(),
        }
    }

    fn write_one(&self, f: &mut fmt::Formatter<'_>, d: &Diagnostic) -> fmt::Result {
        let (word, code, message) = (d.severity.word(), d.code, &d.message);
        match self.locate(d) {
            Some(at) => {
                writeln!(f, "{}:{}:{}: {word}[{code}]: {message}", at.file, at.line, at.column)?;
                let number = at.line.to_string();
                let wide = d.place.map_or(1, |p| (p.end.saturating_sub(p.start) as usize).max(1));
                // long lines (generated files) are cut around the place
                let skip = at.column.saturating_sub(60);
                let snippet: String = at.snippet.chars().skip(skip).take(110).collect();
                let indent = at.column - 1 - skip;
                let wide = wide.min(snippet.chars().count().saturating_sub(indent)).max(1);
                writeln!(f, "  {number} | {snippet}")?;
                writeln!(f, "  {:1$} | {2:indent$}{3}", "", number.len(), "", "^".repeat(wide))?;
            }
            None => writeln!(f, "{word}[{code}]: {message}")?,
        }
        match &d.help {
            Some(help) => writeln!(f, "  help: {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for d in &self.list {
            self.write_one(f, d)?;
        }
        if self.unlisted > 0 {
            writeln!(f, "… and {} more", self.unlisted)?;
        }
        Ok(())
    }
}

/// Of some known words, the one a mistyped word probably stands for.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|k| (distance(word, k, limit), k))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words; more than `limit` need not be exact.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        assert_eq!(did_you_mean("dampng", ["damping", "armature"]), Some("damping"));
        assert_eq!(did_you_mean("Inerta", ["inertia"]), Some("inertia"));
        assert_eq!(did_you_mean("colour", ["damping", "armature"]), None);
    }

    #[test]
    fn places_in_text_with_wide_characters() {
        let source = Source { name: "x".into(), text: "é\r\nαβγ".into() };
        let at = source.locate(6);
        assert_eq!((at.line, at.column, at.snippet), (2, 2, "αβγ"));
        assert_eq!(source.locate(1000).line, 2);
    }
}
