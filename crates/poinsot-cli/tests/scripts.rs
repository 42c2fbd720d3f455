//! The scripts of the repository put what they build where cargo does.
#![allow(clippy::unwrap_used)]

#[test]
fn scripts_honour_cargo_target_dir() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for script in [
        "bench",
        "test",
        "scripts/doc",
        "scripts/page-test",
        "scripts/pictures",
        "scripts/python-test",
        "scripts/validate",
    ] {
        let text = std::fs::read_to_string(root.join(script)).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let fixed: Vec<&str> = code.filter(|line| names_target(line)).collect();
        assert!(fixed.is_empty(), "{script}: {fixed:#?}");
    }
}

/// True for a line with a path that begins with `target/` by its letters.
fn names_target(line: &str) -> bool {
    let begins = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "${}/_".contains(c));
    line.match_indices("target/").any(|(at, _)| begins(at))
}
