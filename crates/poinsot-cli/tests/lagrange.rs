//! `poinsot lagrange`: systems given by energies, and nodes that stretch.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;

fn poinsot(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("poinsot").unwrap();
    command.arg("lagrange").args(arguments);
    command
}

fn json(arguments: &[&str]) -> Value {
    let out = poinsot(arguments).arg("--json").assert().success().get_output().stdout.clone();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn built_in_systems_keep_their_energy() {
    for name in ["double-pendulum", "hoop", "kepler", "spherical-pendulum", "squash"] {
        let found = json(&[name, "--time", "1", "--dt", "1e-3"]);
        assert_eq!(found["steps"], 1000, "{name}");
        assert!(found["energy_change"].as_f64().unwrap() < 1e-6, "{name}: {found}");
        assert!(found["constraint_violation"].as_f64().unwrap() < 1e-12, "{name}");
    }
}

#[test]
fn a_file_runs_as_its_built_in_twin_and_is_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let [file, csv, svg] = ["mine.toml", "run.csv", "run.svg"].map(|n| folder.path().join(n));
    let text = poinsot(&["squash", "--show"]).assert().success().get_output().stdout.clone();
    fs::write(&file, text).unwrap();
    let (file, csv, svg) = (file.to_str().unwrap(), csv.to_str().unwrap(), svg.to_str().unwrap());
    let mine = json(&[file, "--time", "0.5", "--csv", csv, "--picture", svg]);
    assert_eq!(mine["q"], json(&["squash", "--time", "0.5"])["q"]);
    let rows = fs::read_to_string(csv).unwrap();
    assert_eq!(rows.lines().count(), 502);
    assert!(rows.starts_with("time,body squash z,"));
    let picture = fs::read_to_string(svg).unwrap();
    assert_eq!(picture.matches("<animate ").count(), 4);
    assert!(!picture.contains("NaN"));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.toml");
    let start = "start = { q = [0], v = [0] }";
    for (text, word) in [
        ("coordinates = [\"x\"", "TOML"),
        (&*format!("coordinates = [\"x\"]\nkinetic = \"x_dot^2 + y\"\n{start}"), "\"y\" is not known"),
        (&*format!("coordinates = [\"x\"]\nkinetik = \"x_dot^2\"\n{start}"), "kinetik"),
        (&*format!("coordinates = [\"x\"]\npotential = \"x\"\n{start}"), "singular"),
        ("[[node]]\nname = \"a\"\nmotions = [\"fly\"]", "there is no motion"),
        ("[[node]]\nname = \"a\"\nparent = \"b\"", "no node \"b\""),
        ("[[node]]\nname = \"a\"\nmotions = [\"scale\"]", "moves no mass"),
        ("[[node]]\nname = \"a\"\nmotions = [\"scale\"]\nstart = { q = [], v = [] }", "needs 1 numbers"),
    ] {
        fs::write(&file, text).unwrap();
        let said = poinsot(&[file.to_str().unwrap()]).assert().code(1).get_output().stderr.clone();
        let said = String::from_utf8_lossy(&said).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(word), "{word}: {said}");
    }
    poinsot(&["nothing.toml"]).assert().code(1);
    poinsot(&["kepler", "--dt", "0"]).assert().code(1);
    poinsot(&["kepler", "--method", "magic"]).assert().code(1);
    poinsot(&["kepler", "--picture", folder.path().join("x.svg").to_str().unwrap(), "--time", "0.01"])
        .assert()
        .code(1);
}
