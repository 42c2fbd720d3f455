//! `poinsot run --save` and `--from`.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{json, refused, stdout};
use serde_json::{Value, json as object};
use std::fs;

#[test]
fn a_run_goes_on_where_it_was_saved_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for (scene, how) in [
        ("four-bar", vec!["--integrator", "backward", "--formulation", "maximal"]),
        ("double-pendulum", vec!["--integrator", "adaptive", "--dt", "0.01"]),
        ("dzhanibekov", vec![]),
        ("six-r", vec!["--stabilise", "baumgarte:0.05", "--formulation", "maximal", "--integrator", "rkmk4"]),
    ] {
        let (half, end, whole) = (path("half.json"), path("end.json"), path("whole.json"));
        let run = |arguments: &[&str]| json(&[&["run", scene, "--no-ledger"], &how[..], arguments].concat());
        run(&["--time", "0.5", "--save", &half]);
        // what is not given is as it was
        let rest = json(&["run", scene, "--no-ledger", "--time", "0.5", "--from", &half, "--save", &end]);
        run(&["--time", "1", "--save", &whole]);
        assert_eq!(fs::read_to_string(&end).unwrap(), fs::read_to_string(&whole).unwrap(), "{scene}");
        let time = rest["final"]["time"].as_f64().unwrap();
        assert!((time - 1.0).abs() < 1e-12, "{scene}: {time}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.json").to_str().unwrap().to_string();
    json(&["run", "four-bar", "--time", "0.1", "--save", &path]);
    for (arguments, word) in [
        (vec!["run", "slider-crank", "--from", &path], "four-bar"),
        (vec!["run", "four-bar", "--from", &path, "--formulation", "maximal"], "reduced"),
        (vec!["run", "four-bar", "--from", "no/such/file"], "no/such/file"),
        (vec!["run", "four-bar", "--from", &path, "--qpos", "0 0 0"], "--qpos"),
    ] {
        refused(&arguments, &[word]);
    }
    fs::write(&path, "{").unwrap();
    refused(&["run", "four-bar", "--from", &path], &["not a snapshot of Poinsot", "saved.json"]);
}

/// The text of a snapshot with some of its values changed by hand.
fn with(text: &str, changes: Value) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    value["check"] = "none".into();
    let object = value.as_object_mut().unwrap();
    changes.as_object().unwrap().iter().for_each(|(key, v)| drop(object.insert(key.clone(), v.clone())));
    value.to_string()
}

#[test]
fn broken_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.json").to_str().unwrap().to_string();
    json(&["run", "four-bar", "--time", "0.1", "--save", &path]);
    let good = fs::read_to_string(&path).unwrap();
    let huge = u64::MAX;
    for (text, words) in [
        (String::new(), &["saved.json", "not a snapshot of Poinsot", "--save"][..]),
        ("hello".into(), &["saved.json", "not a snapshot of Poinsot"]),
        (good[..100].into(), &["saved.json", "not a snapshot of Poinsot"]),
        (good.replace("\"q\":[", "\"q\":[NaN,"), &["saved.json", "not a snapshot of Poinsot"]),
        (with(&good, object!({"poinsot snapshot": 7})), &["version 7", "version 2"]),
        (with(&good, object!({"steps": huge})), &["saved.json", "\"steps\""]),
        (with(&good, object!({"clock": [0.001, 0.0, huge]})), &["saved.json", "\"clock\""]),
        (with(&good, object!({"clock": [0.001, 0.0, 7]})), &["saved.json", "\"clock\"", "\"time\""]),
        (with(&good, object!({"dt": 1e-300})), &["1e-300", "steps", "--dt"]),
        (with(&good, object!({"integrator": "nonsense"})), &["--from", "nonsense", "midpoint"]),
        (with(&good, object!({"integrator": "exact"})), &["exact", "midpoint"]),
        (with(&good, object!({"formulation": "maximal"})), &["free bodies"]),
        (with(&good, object!({"stabilisation": "glue"})), &["saved.json", "glue", "projection"]),
        (good.replace("\"memory\":[", "\"memory\":[1.5,"), &["saved.json", "damaged"]),
        (good.replace("\"steps\":1", "\"steps\":2"), &["saved.json", "damaged"]),
        (with(&good, object!({"q": vec![0.1; 10_000]})), &["10000 coordinates", "3"]),
        (with(&good, object!({"q": [1e300, 1e300, 1e300]})), &["not a number"]),
        (with(&good, object!({"sizes": [3, 3, 0, 9_000_000_000u64]})), &["9000000000 constraints"]),
    ] {
        fs::write(&path, text).unwrap();
        refused(&["run", "four-bar", "--time", "0.1", "--from", &path], words);
    }
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    refused(&["run", "four-bar", "--from", &path], &["saved.json", "not text"]);
    refused(&["run", "four-bar", "--from", folder.path().to_str().unwrap()], &["cannot read the snapshot"]);
    refused(
        &["run", "four-bar", "--time", "0.1", "--save", folder.path().to_str().unwrap()],
        &["cannot write"],
    );
}

#[test]
fn the_steps_of_a_run_that_goes_on_are_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.json").to_str().unwrap().to_string();
    json(&["run", "four-bar", "--time", "0.1", "--save", &path]);
    let said = stdout(&["run", "four-bar", "--time", "0.2", "--from", &path]);
    assert!(said.contains("200 of 0.001 s\n"), "{said}");
}
