//! Diagnostics of files, drawn with the lines that they point to.

use crate::report::plain;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};
use poinsot::formats::{Diagnostic, Group, Report, Severity, groups};
use poinsot_view::diagnostics::LONGEST_LINE;
use std::io::IsTerminal;

/// The severity from which diagnostics are shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Least {
    /// Errors and warnings.
    Warnings,
    /// All of them.
    Notes,
}

/// The width for output that is not a terminal.
const WIDTH: usize = 110;

/// Draws a report on standard error. With `most`, no more than this many are drawn, with a hint how to see the others.
pub fn to_stderr(report: &Report, least: Least, most: Option<(usize, &str)>) {
    let seen = |d: &&Diagnostic| least == Least::Notes || d.severity > Severity::Note;
    let terminal = std::io::stderr().is_terminal();
    let (lines, shown): (Vec<_>, Vec<_>) = report.diagnostics().iter().filter(seen).partition(|d| is_line(d));
    let (limit, how) = most.unwrap_or((usize::MAX, ""));
    // one by one, or grouped if alike
    let shown: Vec<Diagnostic> = match least {
        Least::Notes => shown.into_iter().cloned().collect(),
        Least::Warnings => groups(shown).iter().map(Group::as_one).collect(),
    };
    for diagnostic in shown.iter().take(limit) {
        crate::report::tell_drawn(&drawn(report, diagnostic, terminal));
    }
    if shown.len() > limit {
        crate::report::tell(&format!("  … and {} more; {how} shows them all\n\n", shown.len() - limit));
    }
    lines.iter().for_each(|d| crate::report::tell_drawn(&drawn(report, d, terminal)));
}

/// True for a diagnostic that fits on one line.
fn is_line(d: &Diagnostic) -> bool {
    d.code == Report::NOT_SIMULATED
}

/// One diagnostic as text, with the line it points to.
pub fn drawn(report: &Report, diagnostic: &Diagnostic, terminal: bool) -> String {
    if is_line(diagnostic) {
        return format!("{}: {}\n", diagnostic.severity.word(), diagnostic.message);
    }
    rendered(made(report, diagnostic).as_ref(), terminal)
}

/// Anything miette can draw, as text. Colours only on a terminal, and not if NO_COLOR is set.
pub fn rendered(diagnostic: &dyn miette::Diagnostic, terminal: bool) -> String {
    let colours = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let theme = if colours { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    // numbers like 1e-6 and names with hyphens are not split
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(width(terminal))
        .with_break_words(false)
        .with_word_separator(textwrap::WordSeparator::AsciiSpace)
        .with_word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut text = String::new();
    match handler.render_report(&mut text, diagnostic) {
        Ok(()) => text.trim_start_matches('\n').trim_end().to_string() + "\n\n",
        // miette could not draw it: the message alone
        Err(_) => format!("{diagnostic}\n"),
    }
}

/// The width of the terminal, but no more than is comfortable to read.
fn width(terminal: bool) -> usize {
    if !terminal {
        return WIDTH;
    }
    usize::from(console::Term::stderr().size().1).clamp(40, WIDTH)
}

fn made(report: &Report, d: &Diagnostic) -> miette::Report {
    let severity = match d.severity {
        Severity::Note => miette::Severity::Advice,
        Severity::Warning => miette::Severity::Warning,
        Severity::Error => miette::Severity::Error,
    };
    let mut shown = MietteDiagnostic::new(plain(&d.message)).with_severity(severity).with_code(d.code);
    shown.help = d.help.as_deref().map(plain);
    let Some((place, at)) = d.place.zip(report.locate(d)) else { return miette::Report::new(shown) };
    if at.snippet.is_empty() || at.snippet.len() > LONGEST_LINE {
        shown.message = format!("{}:{}:{}: {}", short(at.file), at.line, at.column, plain(&d.message));
        return miette::Report::new(shown);
    }
    let start = at.snippet.chars().take(at.column - 1).map(char::len_utf8).sum::<usize>();
    // only the first line of a long element: the place is where it begins
    let end = (start + place.end.saturating_sub(place.start) as usize).min(at.snippet.len()).max(start);
    let line = Line { file: short(at.file), number: at.line, column: at.column, text: plain(at.snippet) };
    miette::Report::new(shown.with_label(LabeledSpan::underline(start..end))).with_source_code(line)
}

/// A long path without its beginning.
fn short(path: &str) -> String {
    const LONGEST: usize = 60;
    const KEPT: usize = 3;
    let path = &plain(path);
    let parts: Vec<&str> = path.split(std::path::is_separator).collect();
    match path.chars().count() > LONGEST && parts.len() > KEPT {
        true => format!("…/{}", parts[parts.len() - KEPT..].join("/")),
        false => path.to_string(),
    }
}

/// The single line of a file that is shown.
struct Line {
    file: String,
    number: usize,
    column: usize,
    text: String,
}

impl SourceCode for Line {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // without context miette asks where the span begins; with it, for the lines around
        let (data, span, column) = match before {
            0 => (&self.text.as_bytes()[span.offset().min(self.text.len())..], *span, self.column - 1),
            _ => (self.text.as_bytes(), (0..self.text.len()).into(), 0),
        };
        let name = self.file.clone();
        Ok(Box::new(MietteSpanContents::new_named(name, data, span, self.number - 1, column, 1)))
    }
}
