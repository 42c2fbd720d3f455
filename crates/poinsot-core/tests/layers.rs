//! The chapters import only earlier ones, and `unsafe` stands in the lanes alone.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The order of the derivation.
const CHAPTERS: [&str; 9] =
    ["algebra", "spatial", "free", "model", "dynamics", "hierarchy", "constraint", "integrate", "audit"];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Every source file with its path below src, its text without comments.
fn code() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    let without_comments = |text: String| {
        text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
    };
    paths
        .into_iter()
        .map(|p| {
            let name = p.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            (name, without_comments(fs::read_to_string(p).unwrap()))
        })
        .collect()
}

fn rank(chapter: &str) -> Option<usize> {
    CHAPTERS.iter().position(|c| *c == chapter)
}

/// The words that follow `crate::`, also inside `crate::{…}`.
fn imports(text: &str) -> Vec<String> {
    let word =
        |s: &str| s.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut out = Vec::new();
    for after in text.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => out.extend(list.split('}').next().unwrap_or("").split(',').map(word)),
            None => out.push(word(after)),
        }
    }
    out
}

#[test]
fn a_chapter_imports_only_earlier_ones() {
    for (name, text) in code() {
        let Some((chapter, _)) = name.split_once('/') else { continue };
        let own = rank(chapter).unwrap_or_else(|| panic!("chapter {chapter} has no place in the order"));
        for import in imports(&text) {
            if let Some(other) = rank(&import) {
                assert!(other <= own, "src/{name} imports the later chapter {import}");
            }
        }
    }
}

#[test]
fn unsafe_stands_in_the_lanes_alone() {
    for (name, text) in code() {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let found = words.filter(|w| *w == "unsafe").count();
        assert!(found == 0 || name.starts_with("algebra/lanes"), "src/{name} has unsafe code");
    }
}

#[test]
fn imports_are_found() {
    assert_eq!(
        imports("use crate::model::Model; use crate::{spatial::Pose, algebra};"),
        ["model", "spatial", "algebra"]
    );
}
