//! Files and pictures of runs, conditions, and Ctrl-C.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{json, numbers, poinsot, refused, stdout};
use serde_json::Value;
use std::fs;

/// The arrays of a stored NPZ file: names, shapes and bytes.
fn npz(bytes: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let (mut at, mut entries) = (0, Vec::new());
    let short = |k: usize| u16::from_le_bytes(bytes[k..k + 2].try_into().unwrap()) as usize;
    let long = |k: usize| u32::from_le_bytes(bytes[k..k + 4].try_into().unwrap()) as usize;
    while &bytes[at..at + 4] == b"PK\x03\x04" {
        let (size, name) = (long(at + 18), short(at + 26));
        let name_text = String::from_utf8(bytes[at + 30..at + 30 + name].to_vec()).unwrap();
        let data = &bytes[at + 30 + name..at + 30 + name + size];
        assert_eq!(crc32fast::hash(data) as usize, long(at + 14), "{name_text}");
        assert_eq!(&data[..8], b"\x93NUMPY\x01\x00");
        let header = u16::from_le_bytes([data[8], data[9]]) as usize;
        assert_eq!((10 + header) % 64, 0);
        let words = String::from_utf8(data[10..10 + header].to_vec()).unwrap();
        entries.push((name_text, words, data[10 + header..].to_vec()));
        at += 30 + name + size;
    }
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    assert_eq!(
        (short(end + 10), long(end + 16)),
        (entries.len(), at),
        "the directory begins where the files end"
    );
    entries
}

#[test]
fn npz_and_json_hold_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (a, b) = (path("run.npz"), path("run.json"));
    let report = json(&["run", "ball-chain", "--time", "0.05", "--dt", "0.01", "--out", &a, "--out", &b]);
    let arrays = npz(&fs::read(&a).unwrap());
    let names: Vec<&str> = arrays.iter().map(|(n, _, _)| n.as_str()).collect();
    for name in
        ["time.npy", "qpos.npy", "qvel.npy", "kinetic_energy.npy", "potential_energy.npy", "energy.npy"]
    {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    let (_, header, bytes) = &arrays[1];
    assert!(header.contains("'shape': (6, 8,)") && header.contains("'<f8'"), "{header}");
    let qpos: Vec<f64> = bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect();
    assert_eq!(qpos[40..], numbers(&report["final"]["qpos"]), "every bit");
    let rows: Value = serde_json::from_str(&fs::read_to_string(&b).unwrap()).unwrap();
    assert_eq!(rows["qpos"].as_array().unwrap().len(), 6);
    assert_eq!(rows["qpos"][5], report["final"]["qpos"]);
    assert_eq!(rows["time"][5], report["final"]["time"]);
    assert_eq!(rows["qvel_names"].as_array().unwrap().len(), 6);
}

#[test]
fn endings_that_are_not_known() {
    refused(&["run", "--time", "0.1", "--out", "run.xls"], &["run.xls", ".csv, .npz and .json"]);
    refused(&["run", "--time", "0.1", "--plot", "run.gif"], &["run.gif", ".svg and .png"]);
    refused(&["run", "--time", "0.1", "--plot", "/no/such/run.svg"], &["/no/such/run.svg"]);
    refused(&["run", "--time", "0.1", "--plot-of", "energies"], &["--plot"]);
    refused(
        &["run", "chain:1000", "--time", "1e6", "--dt", "1e-3", "--out", "/tmp/huge.npz"],
        &["GB", "--every"],
    );
}

#[test]
fn pictures() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (svg, png) = (path("run.svg"), path("run.png"));
    stdout(&["run", "double-pendulum", "--time", "1", "--plot", &svg, "--plot", &png]);
    let text = fs::read_to_string(&svg).unwrap();
    for word in [
        "energy, J",
        "change of total, J",
        "time, s",
        "kinetic",
        "potential",
        "total",
        "double-pendulum",
        "midpoint",
    ] {
        assert!(text.contains(word), "{word} is not in the picture");
    }
    let bytes = fs::read(&png).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
    assert!(width >= 1200 && bytes.len() > 20_000, "{width} wide, {} bytes", bytes.len());
    // all that can be drawn, units and names
    stdout(&[
        "run",
        "dzhanibekov",
        "--time",
        "1",
        "--plot",
        &svg,
        "--plot-of",
        "positions,velocities,momenta",
    ]);
    let text = fs::read_to_string(&svg).unwrap();
    for word in [
        "distance, m",
        "attitude, quaternion",
        "angular velocity, rad/s",
        "angular momentum, kg m²/s",
        ".qw",
        ".wx",
    ] {
        assert!(text.contains(word), "{word} is not in the picture");
    }
    stdout(&["run", "double-pendulum", "--time", "1", "--plot", &svg, "--plot-of", "hinge2,hinge1.qvel"]);
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.contains("angle, rad") && text.contains("angular velocity, rad/s"));
    refused(
        &["run", "pendulum", "--plot", &svg, "--plot-of", "energis"],
        &["energis", "did you mean \"energies\""],
    );
    // more curves than can be told apart: some, and it is said
    stdout(&["run", "chain:30", "--time", "0.1", "--plot", &svg, "--plot-of", "positions"]);
    assert!(fs::read_to_string(&svg).unwrap().contains("top 8 of 30"));
}

#[test]
fn conditions() {
    let run = ["run", "pendulum", "--time", "2"];
    let code = |conditions: &[&str]| {
        let flags: Vec<&str> = conditions.iter().flat_map(|c| ["--fail-if", c]).collect();
        let output = poinsot(&[&run[..], &flags].concat()).assert().get_output().clone();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    // let go from the horizontal at rest: v² = 2 g l |sin q|, so v < √(2·9.81), at −π/2
    assert_eq!(code(&["energy_drift>1e-3", "hinge1.qvel<-4.43", "time<2", "energy>0.01"]).0, 0);
    let (failed, message) = code(&["energy_drift > 1e-15"]);
    assert_eq!(failed, 1);
    assert!(message.contains("energy_drift > 1e-15: found"), "{message}");
    for wrong in
        ["hinge1.qvel<-4.42", "hinge1<=-1.57", "time>=2", "kinetic_energy>9.8", "potential_energy<-9.8"]
    {
        let (failed, message) = code(&[wrong]);
        assert_eq!(failed, 1, "{wrong}");
        assert!(message.contains("found"), "{message}");
    }
    let report = poinsot(&[&run[..], &["--json", "--fail-if", "time>1"]].concat())
        .assert()
        .code(1)
        .get_output()
        .clone();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(
        (&report["conditions"][0]["failed"], &report["conditions"][0]["value"]),
        (&true.into(), &2.0.into())
    );
    refused(&[&run[..], &["--fail-if", "enrgy>1"]].concat(), &["enrgy", "did you mean \"energy\""]);
    refused(&[&run[..], &["--fail-if", "energy"]].concat(), &["is not a condition", "energy_drift>1e-6"]);
    refused(&[&run[..], &["--fail-if", "energy>x"]].concat(), &["\"x\" is not a number"]);
    refused(&[&run[..], &["--fail-if", "hinge1.qvil>1"]].concat(), &["hinge1", "qvil"]);
    refused(&[&run[..], &["--fail-if", "momentum_drift>1"]].concat(), &["the world exerts forces"]);
}

/// Ctrl-C ends a run in good order: the rows are there, the summary says so, the code is 130.
#[cfg(unix)]
#[test]
fn ctrl_c() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (csv, npy) = (path("run.csv"), path("run.npz"));
    let child = Command::new(assert_cmd::cargo::cargo_bin("poinsot"))
        .args(["run", "double-pendulum", "--time", "1e6", "--out", &csv, "--out", &npy, "--every", "1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // until rows have left the buffer
    let begin = Instant::now();
    let written = || {
        let beside = fs::read_dir(folder.path()).unwrap().flatten();
        beside.filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum::<u64>()
    };
    while written() < 10_000 && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("interrupted") && text.contains("energy drift"), "{text}");
    let rows = fs::read_to_string(&csv).unwrap();
    assert!(rows.ends_with('\n') && rows.lines().count() > 50);
    assert!(rows.lines().all(|l| l.split(',').count() == 8), "whole rows");
    let arrays = npz(&fs::read(&npy).unwrap());
    assert_eq!(arrays[0].2.len() / 8, rows.lines().count() - 1);
}

/// Files that were there stay as they were when one of the others cannot be made, or the run is killed.
#[test]
fn files_are_replaced_whole_or_not_at_all() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for name in ["run.csv", "run.npz", "run.gif", "run.html", "events.csv", "saved.json", "plot.svg"] {
        fs::write(path(name), "old").unwrap();
    }
    let outputs = ["run.csv", "run.npz", "run.gif", "run.html"].map(|name| ["--out".to_string(), path(name)]);
    let others = [["--events", "events.csv"], ["--save", "saved.json"], ["--plot", "plot.svg"]];
    let others = others.map(|[flag, name]| [flag.to_string(), path(name)]);
    let all: Vec<String> = outputs.into_iter().chain(others).flatten().collect();
    let run = |more: &[&str]| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("poinsot"));
        command.args(["run", "double-pendulum"]).args(&all).args(more);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let are_old = |why: &str| {
        let entries: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().map(|e| e.path()).collect();
        let named = |p: &std::path::PathBuf| !p.file_name().unwrap().to_string_lossy().starts_with('.');
        for entry in entries.iter().filter(|p| named(p)) {
            assert_eq!(fs::read_to_string(entry).unwrap(), "old", "{why}: {}", entry.display());
        }
    };
    // ffmpeg is not found
    assert!(
        !run(&["--time", "1", "--out", &path("film.mp4")])
            .env("PATH", "/nonexistent")
            .status()
            .unwrap()
            .success()
    );
    are_old("no ffmpeg");
    assert!(!std::path::Path::new(&path("film.mp4")).exists());
    assert!(!run(&["--time", "1", "--out", &path("no/such/folder.csv")]).status().unwrap().success());
    are_old("no folder");
    let mut child = run(&["--time", "1e6"]).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    are_old("killed");
    assert!(run(&["--time", "0.1"]).status().unwrap().success());
    for name in ["run.csv", "run.npz", "run.gif", "run.html", "events.csv", "saved.json", "plot.svg"] {
        assert_ne!(fs::read(path(name)).unwrap(), b"old", "{name}");
    }
}

#[test]
fn write_errors_name_their_files() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    for flag in ["--out", "--events"] {
        let folder = tempfile::tempdir().unwrap();
        let full = folder.path().join("full.csv");
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        refused(
            &["run", "stops", "--time", "1", flag, full.to_str().unwrap()],
            &["cannot write", "full.csv"],
        );
    }
}

#[test]
fn the_ledger_is_drawn_with_its_signs() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("ledger.svg");
    // semi-implicit Euler takes energy from a falling pendulum at first: its line goes below 0
    stdout(&[
        "run",
        "pendulum",
        "--integrator",
        "semi-implicit",
        "--dt",
        "0.02",
        "--time",
        "0.5",
        "--plot",
        plot.to_str().unwrap(),
        "--plot-of",
        "ledger.integration",
    ]);
    let run = json(&["run", "pendulum", "--integrator", "semi-implicit", "--dt", "0.02", "--time", "0.5"]);
    let work = run["ledger"]["work"]["integration"].as_f64().unwrap();
    let picture = fs::read_to_string(&plot).unwrap();
    assert!(work < 0.0 && (picture.contains(">-") || picture.contains(">−")), "{work}");
    // conditions ask how large an error is
    let bound = format!("ledger.integration>{}", 0.5 * work.abs());
    poinsot(&[
        "run",
        "pendulum",
        "--integrator",
        "semi-implicit",
        "--dt",
        "0.02",
        "--time",
        "0.5",
        "--fail-if",
        &bound,
    ])
    .assert()
    .code(1);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = |bytes: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(bytes));
    let (model, rows, copy) = (name(b"a\xff.xml"), name(b"r\xff.csv"), name(b"c\xff.urdf"));
    fs::write(&model, common::ARM).unwrap();
    poinsot(&["run", "--time", "0.1", "--out"]).arg(&rows).arg(&model).assert().success();
    assert!(fs::read_to_string(&rows).unwrap().lines().count() > 10);
    poinsot(&["info"]).arg(&model).assert().success();
    poinsot(&["convert"]).arg(&model).arg(&copy).assert().success();
    poinsot(&["doctor"]).arg(&copy).assert().success();
}
