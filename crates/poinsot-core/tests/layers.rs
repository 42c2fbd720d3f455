//! Imports go one way: between the chapters of the core, between the crates, and between the modules of the command line and of
//! the viewer. `unsafe` stands in the lanes alone.
#![allow(clippy::unwrap_used)]

#[path = "layers/imports.rs"]
mod imports;

use imports::{Path, imports};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{self, PathBuf};

/// The order of the derivation.
const CHAPTERS: [&str; 12] = [
    "algebra",
    "spatial",
    "free",
    "model",
    "dynamics",
    "hierarchy",
    "contact",
    "lagrange",
    "constraint",
    "inverse_kinematics",
    "integrate",
    "audit",
];

/// Each crate may use those before it; the last two do not use each other.
const CRATES: [&str; 8] = [
    "poinsot-core",
    "poinsot-formats",
    "poinsot-collide",
    "poinsot",
    "poinsot-optimize",
    "poinsot-view",
    "poinsot-cli",
    "poinsot-py",
];

fn crate_folder(name: &str) -> PathBuf {
    path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn sources(folder: &path::Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Every source file of a crate: its path below src, and its text.
fn code(name: &str) -> Vec<(String, String)> {
    let (root, mut paths) = (crate_folder(name).join("src"), Vec::new());
    sources(&root, &mut paths);
    paths.sort();
    let below = |p: &PathBuf| p.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    paths.iter().map(|p| (below(p), fs::read_to_string(p).unwrap())).collect()
}

/// The module that a file is.
fn module(file: &str) -> Path {
    let mut path: Path = file.trim_end_matches(".rs").split('/').map(String::from).collect();
    if path
        .last()
        .is_some_and(|last| last == "mod" || (path.len() == 1 && ["lib", "main"].contains(&&**last)))
    {
        path.pop();
    }
    path
}

fn rank(chapter: &str) -> Option<usize> {
    CHAPTERS.iter().position(|c| *c == chapter)
}

#[test]
fn a_chapter_imports_only_earlier_ones() {
    for (file, text) in code("poinsot-core") {
        let own = module(&file);
        let Some(chapter) = own.first() else { continue };
        let place = rank(chapter).unwrap_or_else(|| panic!("chapter {chapter} has no place in the order"));
        for import in imports(&own, &text) {
            if let Some(other) = import.first().and_then(|c| rank(c)) {
                assert!(other <= place, "src/{file} imports the later chapter {}", import.join("::"));
            }
        }
    }
}

#[test]
fn a_crate_depends_only_on_earlier_ones() {
    for (place, name) in CRATES.iter().enumerate() {
        let Ok(manifest) = fs::read_to_string(crate_folder(name).join("Cargo.toml")) else { continue };
        let used = manifest.lines().filter_map(|l| l.split([' ', '=', '.']).next()).filter(|w| *w != *name);
        for other in used.filter(|word| word.starts_with("poinsot")) {
            let earlier = CRATES[..place.min(6)].contains(&other);
            assert!(earlier, "{name} depends on {other}, which does not come before it");
        }
    }
    for entry in fs::read_dir(crate_folder("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(CRATES.contains(&name.as_str()), "crate {name} has no place in the order");
    }
}

/// For each module the sibling modules that it imports, with a file that does so.
type Edges = BTreeMap<Path, BTreeMap<Path, String>>;

/// Who imports whom among modules with one parent: a file of `a::b` that names `a::c::d` is an edge from `a::b` to `a::c`.
fn edges(files: &[(String, String)]) -> Edges {
    let modules: BTreeSet<Path> = files
        .iter()
        .flat_map(|(file, _)| {
            let path = module(file);
            (1..=path.len()).map(move |n| path[..n].to_vec())
        })
        .collect();
    let mut edges = Edges::new();
    for (file, text) in files {
        let own = module(file);
        for import in imports(&own, text) {
            let shared = own.iter().zip(&import).take_while(|(a, b)| a == b).count();
            if shared < own.len() && shared < import.len() && modules.contains(&import[..=shared]) {
                let to = edges.entry(own[..=shared].to_vec()).or_default();
                to.entry(import[..=shared].to_vec()).or_insert_with(|| file.clone());
            }
        }
    }
    edges
}

/// A way along the edges from `at` to `goal`.
fn way(edges: &Edges, at: &Path, goal: &Path, seen: &mut BTreeSet<Path>) -> Option<Vec<String>> {
    for (next, file) in edges.get(at).into_iter().flatten() {
        let step = format!("{file} imports {}", next.join("::"));
        if next == goal {
            return Some(vec![step]);
        }
        if seen.insert(next.clone())
            && let Some(rest) = way(edges, next, goal, seen)
        {
            return Some([vec![step], rest].concat());
        }
    }
    None
}

#[test]
fn modules_beside_each_other_import_one_way() {
    let mut circles = Vec::new();
    for name in ["poinsot-cli", "poinsot-view"] {
        let edges = edges(&code(name));
        for module in edges.keys() {
            if let Some(circle) = way(&edges, module, module, &mut BTreeSet::new()) {
                circles.push(format!("{name}: {}", circle.join(", ")));
            }
        }
    }
    assert!(circles.is_empty(), "modules import each other:\n{}", circles.join("\n"));
}

#[test]
fn unsafe_stands_in_the_lanes_alone() {
    for (file, text) in code("poinsot-core") {
        let text = text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let found = words.filter(|w| *w == "unsafe").count();
        assert!(found == 0 || file.starts_with("algebra/lanes"), "src/{file} has unsafe code");
    }
}

#[test]
fn imports_are_found() {
    let of = |module: &[&str], text: &str| -> Vec<String> {
        let module: Path = module.iter().map(|m| m.to_string()).collect();
        imports(&module, text).into_iter().map(|p| p.join("::")).collect()
    };
    assert_eq!(of(&[], "use crate::model::Model; f(crate::a::g())"), ["model::Model", "a::g"]);
    assert_eq!(
        of(&["x"], "use crate::{spatial::{Pose, quat::{self, Quat as Q}}, algebra};"),
        ["spatial::Pose", "spatial::quat", "spatial::quat::Quat", "algebra"]
    );
    assert_eq!(
        of(&["a", "b", "c"], "use super::super::d; use super::{e, super::f};"),
        ["a::d", "a::b::e", "a::f"]
    );
    assert_eq!(of(&["a", "b"], "mod tests { use super::*; fn f() { super::super::g() } }"), ["a::b", "a::g"]);
    assert_eq!(of(&["a"], "mod m { } use super::b::c;"), ["b::c"]);
    let hidden = "// crate::a::b\n/* crate::c::d */ f(\"crate::e\\\"crate::f\", r#\"crate::\"g\"#, '\"', 'x', crate::h::I);";
    assert_eq!(of(&["a"], hidden), ["h::I"]);
    assert_eq!(
        of(&["a"], "pub(super) fn f<'a>(x: &'a self::b::C) {} pub(in crate::a) struct D;"),
        ["a::b::C", "a"]
    );
}

#[test]
fn circles_are_found() {
    let file = |name: &str, text: &str| (name.to_string(), text.to_string());
    let edges = edges(&[
        file("a/mod.rs", "use crate::b::c::X;"),
        file("b/mod.rs", "mod c;"),
        file("b/c.rs", "use super::super::d::Y;"),
        file("d.rs", "mod tests { use super::*; use crate::{e, a::Z}; }"),
        file("e.rs", "use crate::E;"),
    ]);
    let at = |name: &str| vec![name.to_string()];
    let circle = way(&edges, &at("a"), &at("a"), &mut BTreeSet::new()).unwrap();
    assert_eq!(circle, ["a/mod.rs imports b", "b/c.rs imports d", "d.rs imports a"]);
    assert!(way(&edges, &at("e"), &at("e"), &mut BTreeSet::new()).is_none());
}
