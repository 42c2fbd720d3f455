//! docs/sources.md leads somewhere: its files, functions, tests, references, commands and exhibits exist.
#![allow(clippy::unwrap_used)]

mod common;

use common::poinsot;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the tables with code in them: their cells.
fn rows() -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("docs/sources.md")).unwrap();
    let cells = |line: &str| {
        let line = line.replace("\\|", "/");
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect::<Vec<_>>()
    };
    let rows: Vec<_> = page.lines().filter(|l| l.starts_with('|') && l.contains(".rs`")).map(cells).collect();
    assert!(rows.len() > 90 && rows.iter().all(|row| row.len() == 6), "{}", rows.len());
    rows
}

/// What stands in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The arguments of a command, of which some may be quoted.
fn arguments(command: &str) -> Vec<&str> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(k, part)| if k % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

#[test]
fn files_functions_and_tests_are_there() {
    let core = root().join("crates/poinsot-core");
    for row in rows() {
        for cell in &row[2..4] {
            let words = quoted(cell);
            let path = core.join(words[0]);
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {}: {e}", row[0], words[0]));
            for name in &words[1..] {
                let here = [format!("fn {name}("), format!("fn {name}<")].iter().any(|f| text.contains(f));
                assert!(here, "{}: no function {name} in {}", row[0], words[0]);
            }
        }
    }
}

#[test]
fn references_are_in_validation() {
    let validation = fs::read_to_string(root().join("VALIDATION.md")).unwrap();
    for row in rows() {
        for name in quoted(&row[4]) {
            assert!(validation.contains(&format!("\n| {name} |")), "{}: no reference {name}", row[0]);
        }
    }
}

#[test]
fn commands_run_and_exhibits_are_listed() {
    let listed = poinsot(&["list"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let gallery = listed.split("Gallery").nth(1).unwrap();
    for row in rows() {
        let cell = &row[5];
        for words in quoted(cell) {
            if let Some(command) = words.strip_prefix("poinsot ") {
                let folder = tempfile::tempdir().unwrap();
                poinsot(&arguments(command)).current_dir(folder.path()).assert().success();
            } else {
                assert!(cell.contains(&format!("exhibit `{words}`")), "{cell}");
                assert!(gallery.contains(&format!("\n  {words} ")), "{words} is no exhibit");
            }
        }
    }
}
