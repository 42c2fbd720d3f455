//! Diagnostics about a file: a code, a message, the exact place, and what to do.
//!
//! A file may have a million errors, or one name of a million letters: what is stored, searched and printed is bounded.
//!
//! Plain data: a program may display it as it likes (the command line uses `miette`); [`Report`]'s `Display` is plain text.

use crate::description::Format;
use crate::source::{Source, cut};
use std::collections::HashMap;
use std::fmt;

/// A range of bytes in one of the files that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// Which file: an index into [`Report::sources`].
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file was understood; something in it is not simulated, or worth knowing.
    Note,
    /// Something in the file was left out or is probably a mistake.
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

/// One message about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// A stable code for the kind of problem, such as `mjcf::unknown-attribute`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Sets the place.
    pub fn at(&mut self, place: Place) -> &mut Self {
        self.place = Some(place);
        self
    }
    /// Sets the advice.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(cut(help.into(), LONGEST));
        self
    }
}

/// A place as people read it: line and column, both counted from 1, the column in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The text of the line; empty where it is not to be shown.
    pub snippet: &'a str,
}

/// All diagnostics about a file and those it includes, in the order in which they were found.
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
    /// The number of those not listed: [`Report::MOST`] are enough for anyone.
    spare: Option<Box<Diagnostic>>,
    unlisted: usize,
    errors: usize,
    /// What is not simulated, in a few words each.
    unsimulated: Vec<String>,
    /// The number of comparisons made in search of intended words.
    compared: usize,
}

/// After this many comparisons no more words are suggested: the search would take longer than everything else.
const MOST_COMPARED: usize = 1_000_000;
/// The middle of longer messages is cut out.
const LONGEST: usize = 2000;
/// Words longer than this are not treated as typing mistakes.
const LONGEST_WORD: usize = 100;

impl Report {
    /// More than these are counted, not listed.
    pub const MOST: usize = 1000;
    /// The code of the line that names all that is not simulated.
    pub const NOT_SIMULATED: &'static str = "model::not-simulated";

    /// Adds a file; returns its number for [`Place::file`].
    pub fn add_source(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.sources.push(Source::new(name, text));
        (self.sources.len() - 1) as u32
    }
    /// From now on shows none of the text of a file.
    pub(crate) fn withhold(&mut self, file: u32) {
        self.sources[file as usize].withhold();
    }
    /// The files that were read.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
    /// All listed diagnostics.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.list
    }
    /// The number of diagnostics beyond those listed.
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

    /// Adds a note on something that is read but not simulated; `what` names it in the line that lists all of these.
    pub(crate) fn not_simulated(&mut self, format: Format, what: String, message: String) -> &mut Diagnostic {
        self.unsimulated.push(what);
        let code = if format == Format::Mjcf { "mjcf::not-simulated" } else { "urdf::not-simulated" };
        self.note(code, message)
    }
    /// What is not simulated, in a few words each.
    pub fn unsimulated(&self) -> &[String] {
        &self.unsimulated
    }

    fn push(&mut self, severity: Severity, code: &'static str, message: String) -> &mut Diagnostic {
        let new = Diagnostic { severity, code, message: cut(message, LONGEST), place: None, help: None };
        // the first error is always listed: it is why there is no model
        let first_error = severity == Severity::Error && self.errors == 0;
        self.errors += usize::from(severity == Severity::Error);
        if self.list.len() < Report::MOST || first_error {
            self.list.push(new);
            let last = self.list.len() - 1;
            return &mut self.list[last];
        }
        self.unlisted += 1;
        self.spare.insert(Box::new(new))
    }

    /// Sorts the diagnostics by their places in the files; those without a place come last.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(|d| d.place.map_or((u32::MAX, 0), |p| (p.file, p.start)));
        self.gather();
        self.merge();
    }

    /// Moves errors to the front: they are why there is no model.
    pub(crate) fn errors_first(&mut self) {
        self.list.sort_by_key(|d| d.severity != Severity::Error);
    }

    /// Merges diagnostics repeated at the same place (an element that is instantiated many times) into one, with a count.
    fn merge(&mut self) {
        let key = |d: &Diagnostic| (d.code, d.message.clone(), d.place.map(|p| (p.file, p.start, p.end)));
        let mut times: HashMap<_, usize> = HashMap::new();
        for d in &self.list {
            *times.entry(key(d)).or_default() += 1;
        }
        self.list.retain_mut(|d| {
            let Some(count) = times.remove(&key(d)) else { return false };
            if count > 1 {
                d.message.push_str(&format!(" ({count} times)"));
            }
            true
        });
    }

    /// An attribute of another program that every joint has is reported once, at its first place, with the number of occurrences.
    fn gather(&mut self) {
        let often = |d: &Diagnostic| d.severity != Severity::Error && d.code.ends_with("::unknown-attribute");
        let mut times: HashMap<String, usize> = HashMap::new();
        for d in self.list.iter().filter(|d| often(d)) {
            *times.entry(d.message.clone()).or_default() += 1;
        }
        self.list.retain_mut(|d| {
            if !often(d) {
                return true;
            }
            let Some(count) = times.remove(&d.message) else { return false };
            if count > 1 {
                d.message.push_str(&format!(" ({count} times)"));
            }
            true
        });
    }
    /// True if there is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }
    /// The word of `known` that was probably intended; `None` once the search has taken long enough, or if
    /// the diagnostic would no longer be listed.
    pub(crate) fn meant<'a>(
        &mut self,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        if self.list.len() >= Report::MOST || self.compared >= MOST_COMPARED {
            return None;
        }
        let compared = &mut self.compared;
        did_you_mean(word, known.into_iter().inspect(|_| *compared += 1))
    }
    /// The number of listed diagnostics of this severity.
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
        let source = d.place.and_then(|p| Some((p, self.sources.get(p.file as usize)?)));
        match source {
            Some((place, source)) => {
                let at = source.locate(place.start as usize);
                writeln!(f, "{}:{}:{}: {word}[{code}]: {message}", at.file, at.line, at.column)?;
                let number = at.line.to_string();
                let wide = (place.end.saturating_sub(place.start) as usize).max(1);
                // long lines (generated files) are cut around the place
                let (snippet, indent) = source.around(place.start as usize, 59, 110);
                let wide = wide.min(snippet.chars().count().saturating_sub(indent)).max(1);
                if !snippet.is_empty() {
                    writeln!(f, "  {number} | {snippet}")?;
                    writeln!(f, "  {:1$} | {2:indent$}{3}", "", number.len(), "", "^".repeat(wide))?;
                }
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

/// The known word that was probably intended by a mistyped one.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        // a character has up to four bytes, and upper and lower case may differ in length
        .filter(|k| k.len() <= 4 * (word.len() + limit) && word.len() <= 4 * (k.len() + limit))
        .map(|k| (distance(word, k, limit), k))
        .filter(|(d, _)| *d <= limit)
        // of equally near words the first in the alphabet: the known words may come in any order
        .min()
        .map(|(_, k)| k)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words; exact up to `limit`.
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
    fn the_same_at_the_same_place_is_said_once() {
        let mut report = Report::default();
        let file = report.add_source("m.xml", "<mujoco><geom material='m'/></mujoco>");
        for k in 0..17 {
            report.note("n", "worth knowing").at(Place { file, start: k, end: k + 1 });
            report.error("e", "there is no material named m").at(Place { file, start: 14, end: 26 });
        }
        report.sort();
        report.errors_first();
        assert_eq!((report.count(Severity::Error), report.count(Severity::Note)), (1, 17));
        assert!(
            report.to_string().starts_with("m.xml:1:15: error[e]: there is no material named m (17 times)\n")
        );
    }

    #[test]
    fn what_is_said_is_bounded() {
        let mut report = Report::default();
        let long = "x".repeat(1_000_000);
        let file = report.add_source("m.xml", long.clone());
        for _ in 0..5000 {
            report.error("e", long.clone()).at(Place { file, start: 999_990, end: 1_000_000 });
            assert_eq!(report.meant(&long, [long.as_str()]), None);
        }
        assert!(report.to_string().len() < 4_000_000 && report.unlisted() == 4000);
        // a search among many names comes to an end
        let names: Vec<String> = (0..100_000).map(|k| format!("joint{k}")).collect();
        let mut report = Report::default();
        let found = (0..1000).filter(|_| report.meant("joimt7", names.iter().map(String::as_str)).is_some());
        assert!((1..100).contains(&found.count()));
    }
}
