//! Figures about integrators.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{json, poinsot, refused, stdout};
use std::collections::HashMap;
use std::fs;

/// The last row of each integrator in a table, by column.
fn last_rows(table: &str) -> HashMap<String, HashMap<String, String>> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| -> HashMap<String, String> {
        names.iter().map(|n| n.to_string()).zip(line.split(',').map(String::from)).collect()
    };
    lines.map(row).map(|row| (row["integrator"].clone(), row)).collect()
}

fn files() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (svg, csv) = (path("figure.svg"), path("figure.csv"));
    (folder, svg, csv)
}

#[test]
fn errors_shrink_with_their_order() {
    let (_keep, svg, csv) = files();
    let text = stdout(&["figure", "convergence", "--time", "4", "--out", &svg, "--data", &csv]);
    assert!(text.contains("figure.svg"), "{text}");
    let rows = last_rows(&fs::read_to_string(&csv).unwrap());
    assert_eq!(rows.len(), 24);
    for (name, order) in [
        ("euler-forward", 1.0),
        ("semi-implicit", 1.0),
        ("midpoint", 2.0),
        ("buss", 2.0),
        ("rk4", 4.0),
        ("rkmk4", 4.0),
    ] {
        let fitted: f64 = rows[name]["fitted_order"].parse().unwrap();
        assert!((fitted - order).abs() < 0.15, "{name}: {fitted}");
    }
    assert!(rows["exact"]["error"].parse::<f64>().unwrap() < 1e-12, "exact is exact");
    let picture = fs::read_to_string(&svg).unwrap();
    for word in ["step, s", "cost", "buss-augmented", "exact: round-off", "10⁻⁸"] {
        assert!(picture.contains(word), "{word} is not in the picture");
    }
}

#[test]
fn drift_shows_what_is_kept() {
    let (_keep, svg, csv) = files();
    stdout(&["figure", "drift", "--time", "20", "--out", &svg, "--data", &csv]);
    let rows = last_rows(&fs::read_to_string(&csv).unwrap());
    let number = |name: &str, column: &str| rows[name][column].parse::<f64>().unwrap();
    assert_eq!(number("midpoint", "time"), 20.0);
    assert!(number("euler-forward", "energy_error") > 1e-3);
    assert!(number("momentum", "momentum_error") < 1e-13 && number("momentum", "energy_error") > 1e-3);
    assert!(number("exact", "energy_error") < 1e-13);
    let picture = fs::read_to_string(&svg).unwrap();
    assert!(picture.contains("worst energy error") && picture.contains("worst momentum error"));
}

#[test]
fn other_scenes() {
    let (_keep, svg, _) = files();
    // held by the world: no momentum to be kept, and seven integrators
    let answer = json(&["figure", "drift", "--scene", "double-pendulum", "--time", "1", "--out", &svg]);
    assert_eq!(answer["integrators"].as_array().unwrap().len(), 7);
    assert!(answer["integrators"][0]["points"][0]["momentum_error"].is_null());
    assert!(!fs::read_to_string(&svg).unwrap().contains("momentum"));
    // what dampers take is no error
    stdout(&["figure", "drift", "--scene", "particle-drag", "--time", "1", "--out", &svg]);
    assert!(fs::read_to_string(&svg).unwrap().contains("largest change of energy"));
}

#[test]
fn servos_hold_what_a_run_holds() {
    let (_keep, svg, _) = files();
    // so short that both look at every step
    let run = json(&["run", "ur5", "--time", "0.02", "--integrator", "implicit"]);
    let drift = json(&["figure", "drift", "--scene", "ur5", "--time", "0.02", "--out", &svg]);
    let methods = drift["integrators"].as_array().unwrap();
    let implicit = methods.iter().find(|m| m["integrator"] == "implicit").unwrap();
    let last = implicit["points"].as_array().unwrap().last().unwrap();
    assert_eq!(last["energy_error"], run["energy_drift"]);
    let answer = json(&["figure", "convergence", "--scene", "ur5", "--time", "0.05", "--out", &svg]);
    assert_eq!(answer["integrators"].as_array().unwrap().len(), methods.len());
}

#[test]
fn contact_that_is_left_out_is_said() {
    let (_folder, svg, _) = files();
    for (scene, said) in [("incline", 1), ("double-pendulum", 0)] {
        let output = poinsot(&["figure", "drift", "--scene", scene, "--time", "0.02", "--out", &svg])
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(errors.matches("not simulated: contact").count(), said, "{scene}: {errors}");
    }
}

#[test]
fn figures_that_cannot_be_drawn() {
    let (_keep, svg, _) = files();
    refused(&["figure", "drift", "--out", "drift.gif"], &["drift.gif", ".svg and .png"]);
    refused(&["figure", "drift", "--out", "/no/such/drift.svg"], &["/no/such/drift.svg"]);
    refused(&["figure", "drift", "--out", &svg, "--data", "drift.txt"], &["drift.txt", ".csv"]);
    refused(&["figure", "drift", "--out", &svg, "--time", "1", "--dt", "2"], &["longer than the run"]);
    refused(&["figure", "convergence", "--scene", "humanoit", "--out", &svg], &["humanoit", "humanoid"]);
}
