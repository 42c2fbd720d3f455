//! The entries as the page VALIDATION.md.

use crate::Entry;
use std::fmt::Write;

const PREFACE: &str = "\
# Validation

What the engine computes, against numbers from elsewhere. This page is written by `scripts/validate`, which runs the engine
on every problem; `scripts/validate --check`, a part of `./test`, fails when the page would change or an entry misses its
tolerance. The numbers are in `validation/data`, the code in `validation/src`. Tolerances were fixed before the first
run, for the reasons in the notes; errors are given to one digit, absolute unless the metric says relative.
";

/// What `validation/robots.py` has found: it takes an hour, so it is not run here.
const ROBOTS: &str = include_str!("../robots.md");

/// The page.
pub fn report(entries: &[Entry]) -> String {
    let mut out = PREFACE.to_string();
    let passed = entries.iter().filter(|e| e.passed).count();
    // a String takes all that is written to it
    let _ = writeln!(out, "\n{passed} of {} entries are within their tolerance.", entries.len());
    for section in entries.chunk_by(|a, b| a.title == b.title) {
        let _ = writeln!(out, "\n## {}", section[0].title);
        out.push_str("\n| reference | metric | measured | tolerance | verdict |\n|---|---|---|---|---|\n");
        for e in section {
            let verdict = if e.passed { "ok" } else { "**missed**" };
            let Entry { id, metric, .. } = e;
            let _ = writeln!(out, "| {id} | {metric} | {} | {} | {verdict} |", measured(e), wanted(e));
        }
        out.push('\n');
        for problem in section.chunk_by(|a, b| a.id == b.id) {
            let _ = writeln!(out, "- {}: {}.", problem[0].id, problem[0].reference);
        }
    }
    out.push_str("\n## Every robot in free motion\n\nWritten by `validation/robots.py`, which takes an hour and is not part of `scripts/validate`.\n\n");
    out.push_str(ROBOTS);
    out
}

fn measured(e: &Entry) -> String {
    match (e.expected, e.measured) {
        (0.0, 0.0) => "0".into(),
        (0.0, error) => format!("{error:.0e}"),
        (_, number) => format!("{number:.2}"),
    }
}

fn wanted(e: &Entry) -> String {
    if e.expected == 0.0 {
        format!("{:e}", e.tolerance)
    } else {
        format!("{} ± {}", e.expected, e.tolerance)
    }
}
