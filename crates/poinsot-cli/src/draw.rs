//! Diagnostics of files, drawn with the lines they point to, or as JSON.

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};
use poinsot::formats::{Diagnostic, Report, Severity};
use serde_json::{Value, json};
use std::io::IsTerminal;

/// From which severity on diagnostics are shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Least {
    /// Errors and warnings.
    Warnings,
    /// All.
    Notes,
}

/// Lines longer than this are not drawn: generated files may be one line.
const LONGEST_LINE: usize = 240;
/// Wide enough for a sentence where there is no terminal to say its width.
const WIDTH: usize = 110;

/// Draws a report on standard error. With `most` no more than so many are drawn, and it is said how to see the others.
pub fn to_stderr(report: &Report, least: Least, most: Option<(usize, &str)>) {
    let seen = |d: &&Diagnostic| least == Least::Notes || d.severity > Severity::Note;
    let shown: Vec<&Diagnostic> = report.diagnostics().iter().filter(seen).collect();
    let (limit, how) = most.unwrap_or((usize::MAX, ""));
    for diagnostic in shown.iter().take(limit) {
        eprint!("{}", drawn(report, diagnostic, std::io::stderr().is_terminal()));
    }
    if shown.len() > limit {
        eprintln!("  … and {} more; {how} shows them all\n", shown.len() - limit);
    }
}

/// One diagnostic as text, with the line it points to. Colours only on a terminal, and not where NO_COLOR is set.
pub fn drawn(report: &Report, diagnostic: &Diagnostic, terminal: bool) -> String {
    let colours = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let theme = if colours { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(0);
    if !terminal {
        handler = handler.with_width(WIDTH);
    }
    let mut text = String::new();
    match handler.render_report(&mut text, made(report, diagnostic).as_ref()) {
        Ok(()) => text.trim_start_matches('\n').trim_end().to_string() + "\n\n",
        // miette could not draw it: the words alone
        Err(_) => format!("{}: {}\n", diagnostic.severity.word(), diagnostic.message),
    }
}

fn made(report: &Report, d: &Diagnostic) -> miette::Report {
    let severity = match d.severity {
        Severity::Note => miette::Severity::Advice,
        Severity::Warning => miette::Severity::Warning,
        Severity::Error => miette::Severity::Error,
    };
    let mut shown = MietteDiagnostic::new(&d.message).with_severity(severity).with_code(d.code);
    shown.help.clone_from(&d.help);
    let located = d.place.and_then(|p| Some((p, report.sources().get(p.file as usize)?, report.locate(d)?)));
    let Some((place, source, at)) = located else { return miette::Report::new(shown) };
    if at.snippet.len() > LONGEST_LINE {
        shown.message = format!("{}:{}:{}: {}", at.file, at.line, at.column, d.message);
        return miette::Report::new(shown);
    }
    let (start, end) = (place.start as usize, (place.end as usize).min(source.text.len()));
    // only the first line of a long element: the place is where it begins
    let line_end = source.text.get(start..).and_then(|t| t.find(['\r', '\n'])).map_or(end, |k| start + k);
    let span = LabeledSpan::underline(start..end.min(line_end).max(start));
    let code = NamedSource::new(&source.name, source.text.clone());
    miette::Report::new(shown.with_label(span)).with_source_code(code)
}

/// All diagnostics of a report for a program.
pub fn json(report: &Report) -> Value {
    report.diagnostics().iter().map(|d| one_json(report, d)).collect()
}

/// One diagnostic for a program.
pub fn one_json(report: &Report, d: &Diagnostic) -> Value {
    let at = report.locate(d);
    json!({
        "severity": d.severity.word(),
        "code": d.code,
        "message": d.message,
        "file": at.as_ref().map(|a| a.file),
        "line": at.as_ref().map(|a| a.line),
        "column": at.as_ref().map(|a| a.column),
        "help": d.help,
    })
}
