//! Every reference in the sources, `[Key]` or `[Key, section]`, resolves in BIBLIOGRAPHY.md.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

/// A key is letters followed by a year in two digits: Featherstone08; or capitals: DLMF.
fn is_key(word: &str) -> bool {
    if word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase()) {
        return true;
    }
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() == letters.len() + 2 && letters.len() > 2 && letters.chars().all(|c| c.is_ascii_alphabetic())
}

/// The keys cited in comments of `text`.
fn citations(text: &str) -> Vec<String> {
    let comments = text.lines().filter_map(|l| l.split_once("//").map(|(_, comment)| comment));
    let opened = comments.flat_map(|c| c.split('[').skip(1).map(str::to_string).collect::<Vec<_>>());
    opened
        .filter_map(|rest| rest.split([']', ',', ';']).next().map(str::to_string))
        .filter(|word| is_key(word))
        .collect()
}

fn visit(folder: &Path, f: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, f);
        } else if path.extension().is_some_and(|e| e == "rs") {
            f(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_citation_resolves() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bibliography = fs::read_to_string(root.join("BIBLIOGRAPHY.md")).unwrap();
    let mut found = 0;
    for of_crate in fs::read_dir(root.join("crates")).unwrap() {
        visit(&of_crate.unwrap().path().join("src"), &mut |path, text| {
            for key in citations(text) {
                found += 1;
                let entry = format!("- **[{key}]** ");
                let place = path.display();
                assert!(bibliography.contains(&entry), "{place}: [{key}] is not in BIBLIOGRAPHY.md");
            }
        });
    }
    assert!(found >= 10, "the sources cite their references; found {found}");
}

#[test]
fn keys_are_recognised() {
    assert_eq!(
        citations("//! as in [Shepperd78] and [Featherstone08, table 7.1], not [`x`], q[12]"),
        ["Shepperd78", "Featherstone08"]
    );
}
