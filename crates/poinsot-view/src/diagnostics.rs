//! Diagnostics for a page or a program.

use poinsot::formats::{Diagnostic, Report, groups};
use serde_json::{Value, json};

/// Lines longer than this are not shown: generated files may be one line.
pub const LONGEST_LINE: usize = 240;

/// All diagnostics of a report, with their places and lines.
pub fn json(report: &Report) -> Value {
    report.diagnostics().iter().map(|d| one(report, d)).collect()
}

/// All diagnostics as people read them: similar ones are grouped.
pub fn grouped(report: &Report) -> Value {
    groups(report.diagnostics()).iter().map(|group| one(report, &group.as_one())).collect()
}

/// One diagnostic of a report, with its place and line.
pub fn one(report: &Report, d: &Diagnostic) -> Value {
    let at = report.locate(d);
    json!({
        "severity": d.severity.word(),
        "code": d.code,
        "message": d.message,
        "file": at.as_ref().map(|a| a.file),
        "line": at.as_ref().map(|a| a.line),
        "column": at.as_ref().map(|a| a.column),
        "snippet": at.as_ref().map(|a| a.snippet).filter(|line| line.len() <= LONGEST_LINE),
        "help": d.help,
    })
}
