//! `scripts/validate [--check]`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.as_slice() {
        [] => false,
        [word] if word == "--check" => true,
        _ => return fail("usage: scripts/validate [--check]"),
    };
    let entries = poinsot_validation::entries();
    let page = poinsot_validation::report(&entries);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../VALIDATION.md");
    if check {
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        if let Some(line) = first_difference(&committed, &page) {
            return fail(&format!(
                "VALIDATION.md is not what the engine gives now: {line}\n\
                 run scripts/validate, look at `git diff VALIDATION.md`, and commit it if the change is meant"
            ));
        }
    } else if let Err(error) = std::fs::write(&path, &page) {
        return fail(&format!("cannot write {}: {error}", path.display()));
    }
    let missed: Vec<_> = entries.iter().filter(|e| !e.passed).collect();
    for e in &missed {
        let (id, metric) = (&e.id, &e.metric);
        eprintln!("{id}: {metric}: {:e}, wanted {} ± {:e}", e.measured, e.expected, e.tolerance);
    }
    println!("{} of {} entries are within their tolerance", entries.len() - missed.len(), entries.len());
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}

/// The first line in which two texts differ, both ways.
fn first_difference(committed: &str, now: &str) -> Option<String> {
    let (mut a, mut b) = (committed.lines(), now.lines());
    for number in 1.. {
        match (a.next(), b.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => {
                let (a, b) = (a.unwrap_or("nothing"), b.unwrap_or("nothing"));
                return Some(format!("line {number}\n- {a}\n+ {b}"));
            }
        }
    }
    None
}
