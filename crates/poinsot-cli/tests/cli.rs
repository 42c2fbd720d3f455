//! The command line as a user meets it.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{json, numbers, refused, stdout};
use std::fs;
use std::path::Path;
use std::process::Stdio;

#[test]
fn every_listed_scene_runs() {
    let list = json(&["list"]);
    let scenes = list["scenes"].as_array().unwrap();
    assert!(scenes.len() >= 7);
    for scene in scenes {
        let name = scene["name"].as_str().unwrap().replace(":N", ":30");
        let text = stdout(&["run", &name, "--time", "0.05"]);
        for word in ["steps", "wall time", "real-time factor", "energy", "momentum"] {
            assert!(text.contains(word), "{name}: no {word} in\n{text}");
        }
    }
    for name in
        ["dzhanibekov", "heavy-top", "double-pendulum", "chain5", "chain:N", "humanoid", "particle-drag"]
    {
        assert!(scenes.iter().any(|s| s["name"] == name), "{name}");
    }
}

#[test]
fn every_listed_integrator_runs() {
    let list = json(&["list"]);
    for integrator in list["integrators"].as_array().unwrap() {
        let name = integrator["name"].as_str().unwrap();
        let report = json(&["run", "dzhanibekov", "--time", "0.1", "--integrator", name]);
        assert_eq!(report["integrator"], name);
        assert!(!integrator["about"].as_str().unwrap().is_empty());
    }
}

#[test]
fn the_list_is_for_people_too() {
    let text = stdout(&["list"]);
    for word in ["dzhanibekov", "chain:N", "semi-implicit", "exact", "poinsot run", "--integrator"] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn without_a_scene_the_default_runs() {
    let report = json(&["run"]);
    assert_eq!(report["scene"], "dzhanibekov");
    assert!(report["energy_drift"].as_f64().unwrap() < 1e-12);
    assert!(report["momentum_drift"].as_f64().unwrap() < 1e-12);
    assert!(stdout(&["run"]).contains("10000 of 0.01 s"));
}

#[test]
fn the_report_has_what_was_promised() {
    let report = json(&["run", "humanoid", "--time", "0.1", "--dt", "0.002", "--integrator", "midpoint"]);
    assert_eq!(report["steps"], 50);
    for key in ["wall_seconds", "real_time_factor", "energy_drift", "momentum_drift"] {
        let number = report[key].as_f64().unwrap();
        assert!(number.is_finite() && number >= 0.0, "{key}");
    }
    assert!((report["final"]["time"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    assert_eq!(numbers(&report["final"]["qpos"]).len(), 37);
    assert_eq!(numbers(&report["final"]["qvel"]).len(), 36);
    // where the world holds the model there is no momentum to keep
    assert!(json(&["run", "double-pendulum", "--time", "0.1"])["momentum_drift"].is_null());
}

#[test]
fn a_pendulum_ends_where_it_should() {
    let report = json(&["run", "pendulum", "--time", "1", "--integrator", "adaptive"]);
    let angle = numbers(&report["final"]["qpos"])[0];
    assert!((angle + 1.405_027_311_524_799).abs() < 1e-11, "{angle}");
}

/// The lines of a CSV file as numbers, under its names.
fn table(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|l| l.split(','));
    let names = lines.next().unwrap().map(String::from).collect();
    (names, lines.map(|l| l.map(|x| x.parse().unwrap()).collect()).collect())
}

#[test]
fn rows_go_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.csv");
    let out = path.to_str().unwrap();
    for (every, rows) in [("1", 51), ("5", 11), ("7", 9), ("1000", 2)] {
        let report =
            json(&["run", "ball-chain", "--time", "0.1", "--dt", "0.002", "--out", out, "--every", every]);
        let (names, lines) = table(&path);
        assert_eq!(lines.len(), rows, "every {every}");
        assert_eq!(names.len(), 1 + 8 + 6 + 3);
        assert_eq!((names[0].as_str(), names[names.len() - 1].as_str()), ("time", "energy"));
        assert!(names[1].ends_with("qpos0") && names[9].ends_with("qvel0"), "{names:?}");
        assert!(lines.iter().all(|l| l.len() == names.len()));
        let spacing = 0.002 * every.parse::<f64>().unwrap();
        for (k, line) in lines.iter().enumerate() {
            let due = (k as f64 * spacing).min(0.1);
            assert!((line[0] - due).abs() < 1e-12);
            assert_eq!(line[15] + line[16], line[17]);
        }
        let (last, end) = (&lines[rows - 1], &report["final"]);
        assert_eq!(last[0], end["time"].as_f64().unwrap());
        assert_eq!(last[1..9], numbers(&end["qpos"]), "every bit");
        assert_eq!(last[9..15], numbers(&end["qvel"]), "every bit");
    }
}

#[test]
fn a_last_shorter_step_fills_the_time() {
    let report = json(&["run", "pendulum", "--time", "1", "--dt", "0.3", "--integrator", "adaptive"]);
    assert_eq!((report["steps"].as_u64(), report["final"]["time"].as_f64()), (Some(4), Some(1.0)));
    let angle = report["final"]["qpos"][0].as_f64().unwrap();
    assert!((angle + 1.405_027_311_524_799).abs() < 1e-11, "{angle}");
}

/// How often rows are written does not change the motion.
#[test]
fn looking_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.csv");
    let plain = ["run", "double-pendulum", "--time", "0.3"];
    let watched = [&plain[..], &["--every", "7", "--out", path.to_str().unwrap()]].concat();
    assert_eq!(json(&plain)["final"], json(&watched)["final"]);
}

#[test]
fn wrong_words_are_answered_with_the_right_ones() {
    refused(&["run", "pendulun"], &["pendulun", "did you mean", "poinsot list"]);
    refused(&["run", "xyzzy"], &["xyzzy", "poinsot list"]);
    refused(&["run", "chain:none"], &["chain:none", "chain:100"]);
    refused(&["run", "chain:0"], &["chain:0", "chain:100"]);
    refused(&["run", "--integrator", "rk5"], &["rk5", "rkmk4", "exact"]);
    refused(&["run", "double-pendulum", "--integrator", "exact"], &["exact", "rod1", "midpoint"]);
    for wrong in ["0", "-1", "nan", "inf", "abc"] {
        refused(&["run", &format!("--dt={wrong}")], &[wrong, "--dt", "positive"]);
        refused(&["run", &format!("--time={wrong}")], &[wrong, "--time", "positive"]);
    }
    refused(&["run", "--out", "run.csv", "--every", "0"], &["--every"]);
    refused(&["run", "--every", "2"], &["--every", "--out"]);
    refused(&["run", "--time", "1e9", "--dt", "1e-9"], &["steps"]);
    refused(&["fly"], &["fly", "Usage"]);
}

#[test]
fn files_that_cannot_be_written_are_named() {
    refused(&["run", "--time", "0.1", "--out", "run.txt"], &["run.txt", ".csv"]);
    refused(&["run", "--time", "0.1", "--out", "run"], &["run", ".csv"]);
    refused(&["run", "--time", "0.1", "--out", "/no/such/folder/run.csv"], &["/no/such/folder/run.csv"]);
}

/// A motion that leaves the numbers says when and where, and the rows up to there are kept.
#[test]
fn a_run_that_explodes_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.csv");
    let out = path.to_str().unwrap();
    let wild = ["run", "chain:50", "--dt", "1", "--time", "2000", "--integrator", "rkmk4", "--out", out];
    refused(&wild, &["at t =", "hinge", "smaller step"]);
    let (_, lines) = table(&path);
    assert!(!lines.is_empty() && lines.iter().flatten().all(|x| x.is_finite()));
}

/// `poinsot … | head -0`: the reader is gone before anything is written.
#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in
        [&["list"][..], &["list", "--json"], &["run", "--time", "1"], &["run", "--time", "1", "--json"]]
    {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("poinsot"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && message.is_empty(), "{arguments:?}: {message}");
    }
}
