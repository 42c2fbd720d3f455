//! `poinsot run --save` and `--from`.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{json, refused};
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
    refused(&["run", "four-bar", "--from", &path], &["no snapshot of Poinsot", "saved.json"]);
}
