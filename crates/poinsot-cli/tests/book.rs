//! The book tells the truth: its commands print what it shows, and its tables lead to files, functions and tests.
//!
//! A block `console` has commands after `$` and lines of what they print. A line must stand in the output, apart from the
//! number of spaces; `…` stands for anything. A line after `!` is one of an error, and the command must fail. A block such as
//! `toml file=NAME` is a file that the commands of the same chapter may read.
#![allow(clippy::unwrap_used)]

mod common;

use common::poinsot;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The chapters: name and text.
fn chapters() -> Vec<(String, String)> {
    let mut found: Vec<_> =
        fs::read_dir(root().join("docs/book")).unwrap().map(|e| e.unwrap().path()).collect();
    found.sort();
    assert!(found.len() >= 14);
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    found.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The fenced blocks of a page: what stands behind the fence, and the lines.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let (mut blocks, mut open): (Vec<(String, Vec<String>)>, bool) = (Vec::new(), false);
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                blocks.push((info.to_string(), Vec::new()));
                open = true;
            }
            None if open => blocks.last_mut().unwrap().1.push(line.to_string()),
            None => {}
        }
    }
    blocks
}

/// Words apart from single spaces.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the pieces of `pattern` between `…` stand in `line` in their order, the first at its beginning.
fn fits(line: &str, pattern: &str) -> bool {
    let mut rest = line;
    for (k, piece) in pattern.split('…').map(str::trim).enumerate() {
        match rest.find(piece) {
            Some(at) if k > 0 || at == 0 => rest = &rest[at + piece.len()..],
            _ => return false,
        }
    }
    pattern.ends_with('…') || rest.is_empty()
}

/// The arguments of a command, of which some may be quoted.
fn arguments(command: &str) -> Vec<String> {
    let quoted = command.split('"').enumerate();
    quoted
        .flat_map(|(k, part)| match k % 2 {
            1 => vec![part.to_string()],
            _ => part.split_whitespace().map(str::to_string).collect(),
        })
        .collect()
}

/// What a command prints, on both channels, and whether it succeeded. `cat` and `tail -n 1` read a file of the folder.
fn run(command: &str, folder: &Path) -> (String, bool) {
    let words = arguments(command);
    let read = |name: &String| fs::read_to_string(folder.join(name)).unwrap();
    match words[0].as_str() {
        "cat" => (read(&words[1]), true),
        "tail" => (read(&words[3]).lines().last().unwrap().to_string(), true),
        _ => {
            let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let output = poinsot(&rest).current_dir(folder).output().unwrap();
            let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
            (text, output.status.success())
        }
    }
}

#[test]
fn commands_print_what_the_book_shows() {
    let mut commands = 0;
    for (chapter, text) in chapters() {
        let folder = tempfile::tempdir().unwrap();
        let blocks = blocks(&text);
        for (info, lines) in &blocks {
            if let Some((_, name)) = info.split_once(" file=") {
                fs::write(folder.path().join(name), lines.join("\n")).unwrap();
            }
        }
        for (_, lines) in blocks.iter().filter(|(info, _)| info == "console") {
            let (mut output, mut command) = (Vec::new(), "");
            for (k, line) in lines.iter().enumerate() {
                if let Some(asked) = line.strip_prefix("$ ") {
                    command = asked;
                    let (text, succeeded) = run(command, folder.path());
                    let fails = lines.get(k + 1).is_some_and(|next| next.starts_with('!'));
                    assert!(succeeded != fails, "{chapter}: {command}:\n{text}");
                    output = text.lines().map(plain).collect();
                    commands += 1;
                    continue;
                }
                let found = match line.strip_prefix("! ") {
                    Some(words) => output.join(" ").contains(words),
                    None => output.iter().any(|o| fits(o, &plain(line))),
                };
                assert!(found, "{chapter}: {command}: no line fits\n{line}\nin\n{}", output.join("\n"));
            }
        }
    }
    assert!(commands > 40, "{commands}");
}

#[test]
fn tables_lead_to_files_functions_and_tests() {
    let core = root().join("crates/poinsot-core");
    let mut rows = 0;
    for (chapter, text) in chapters() {
        for row in text.lines().filter(|l| l.starts_with('|') && l.contains(".rs`")) {
            for cell in row.split('|').filter(|cell| cell.contains(".rs`")) {
                let words: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
                let at =
                    if words[0].starts_with("crates/") { root().join(words[0]) } else { core.join(words[0]) };
                let text = fs::read_to_string(&at).unwrap_or_else(|e| panic!("{chapter}: {}: {e}", words[0]));
                for name in &words[1..] {
                    let here =
                        [format!("fn {name}("), format!("fn {name}<")].iter().any(|f| text.contains(f));
                    assert!(here, "{chapter}: no function {name} in {}", words[0]);
                }
                rows += 1;
            }
        }
    }
    assert!(rows > 100, "{rows}");
}

#[test]
fn exhibits_that_the_book_names_are_in_the_gallery() {
    let listed = String::from_utf8(poinsot(&["list"]).output().unwrap().stdout).unwrap();
    let gallery = listed.split("Gallery").nth(1).unwrap();
    for (chapter, text) in chapters() {
        for line in text.lines().filter(|line| line.starts_with("**See it.**")) {
            for name in line.split('`').skip(1).step_by(2) {
                let name = name.strip_prefix("poinsot view ").unwrap_or(name);
                assert!(gallery.contains(&format!("\n  {name} ")), "{chapter}: {name} is no exhibit");
            }
        }
    }
}

#[test]
fn patterns_fit_as_they_say() {
    assert!(fits("energy drift 2.3e-2 (worst)", "energy drift … (worst)"));
    assert!(fits("a b c", "a … c") && !fits("a b c", "b … c") && !fits("a b c", "a b"));
}
