//! `poinsot check`, the ledger, and runs of models with constraints.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{arm_with, file, json, json_error, numbers, poinsot, refused, stdout};
use serde_json::Value;
use std::fs;

/// Two rods whose end hangs on a hook at x, off which they begin.
fn hooked(x: f64) -> String {
    format!(
        r#"<mujoco model="hooked"><worldbody>
    <body name="one" pos="0 0 1"><joint name="a" axis="0 1 0" armature="0.1"/><geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05"/>
      <body name="two" pos="0 0 -.5"><joint name="b" axis="0 1 0" damping=".1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05"/><site name="end" pos="0 0 -.5"/></body></body>
    <site name="hook" pos="{x} 0 .3"/></worldbody>
  <equality><connect name="loop" site1="end" site2="hook"/></equality></mujoco>"#
    )
}

fn worst(check: &Value, quantity: &str) -> f64 {
    let all = check["agreements"].as_array().unwrap().iter();
    all.filter(|a| a["quantity"] == quantity).map(|a| a["worst"].as_f64().unwrap()).fold(0.0, f64::max)
}

#[test]
fn the_formulations_agree_on_a_loop() {
    let text = stdout(&["check", "four-bar"]);
    for word in [
        "mobility",
        "1 freedom; 5 rows of constraints, of rank 2; redundant: knee",
        "reduced – trace",
        "1e-9",
        "ok",
    ] {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
    assert!(text.trim_end().ends_with("the formulations agree"));
    let check = json(&["check", "four-bar", "--time", "0.02"]);
    assert_eq!((&check["ok"], &check["steps"]), (&Value::Bool(true), &20.into()));
    assert!(worst(&check, "acceleration") < 1e-12 && worst(&check, "motion") < 1e-8);
    assert_eq!(check["mobility"]["freedoms"], 1);
}

#[test]
fn a_tolerance_that_is_not_met_fails() {
    let output =
        poinsot(&["check", "double-pendulum", "--tolerance", "0"]).assert().code(1).get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("FAILS") && text.lines().last().unwrap().contains("FAILED"), "{text}");
    let motion = ["check", "double-pendulum", "--motion-tolerance", "0", "--json"];
    let output = poinsot(&motion).assert().code(1).get_output().clone();
    let check: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(check["ok"], false);
}

#[test]
fn files_are_assembled_and_stirred_and_that_is_said() {
    let (_folder, path) = file("hooked.xml", &hooked(0.4));
    let path = path.to_str().unwrap();
    let text = stdout(&["check", path, "--qpos", "0.3,-0.8"]);
    for word in [
        "\"loop\" by",
        "was corrected",
        "random, seed 1, because the file starts at rest",
        "0 freedoms; 3 rows",
    ] {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
    assert!(
        stdout(&["check", path, "--random-velocities", "5", "--qpos", "0.3,-0.8"]).contains("random, seed 5")
    );
    let (_folder, far) = file("far.xml", &hooked(4.0));
    let error = json_error(&["check", far.to_str().unwrap()]);
    assert!(
        error["error"].as_str().unwrap().contains("\"loop of two and world\" remains violated"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let (_folder, path) = file("light.xml", &arm_with(r#"<body name="ghost"><joint axis="0 1 0"/></body>"#));
    refused(&["check", path.to_str().unwrap()], &["singular", "doctor"]);
    refused(&["check", "soft-joint", "--dt", "0.01"], &["rkmk4", "--dt"]);
    refused(&["check", "four-bar", "--floating-base"], &["--floating-base"]);
    // where the step is ours to choose, it is made small enough
    assert_eq!(json(&["check", "soft-joint"])["dt"].as_f64().unwrap(), 1e-5);
}

#[test]
fn a_run_that_begins_off_its_constraints_says_so() {
    let (_folder, path) = file("hooked.xml", &hooked(0.4));
    let path = path.to_str().unwrap();
    let text = stdout(&["run", path, "--qpos", "0.3,-0.8", "--time", "0.1"]);
    assert!(text.contains("assembled") && text.contains("\"loop\" was off by"), "{text}");
    let run = json(&["run", path, "--qpos", "0.3,-0.8", "--time", "0.1"]);
    assert_eq!(run["assembled"]["constraint"], "loop");
    assert!(run["violation"]["worst"].as_f64().unwrap() < 1e-12);
    assert!(json(&["run", "four-bar", "--time", "0.1"])["assembled"].is_null());
    let (_folder, far) = file("far.xml", &hooked(4.0));
    refused(
        &["run", far.to_str().unwrap(), "--time", "0.1"],
        &["constraint \"loop of ", " and ", "remains violated", "cannot be assembled"],
    );
}

#[test]
fn both_formulations_run_alike_and_write_the_same_columns() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |formulation: &str| {
        let path = folder.path().join(format!("{formulation}.csv")).to_str().unwrap().to_string();
        let run = json(&[
            "run",
            "stewart",
            "--time",
            "0.1",
            "--integrator",
            "rkmk4",
            "--formulation",
            formulation,
            "--out",
            &path,
        ]);
        assert_eq!(run["formulation"], formulation);
        (numbers(&run["final"]["qpos"]), fs::read_to_string(&path).unwrap())
    };
    let ((one, a), (other, b)) = (rows("reduced"), rows("maximal"));
    assert_eq!(a.lines().next(), b.lines().next());
    assert_eq!(a.lines().count(), b.lines().count());
    assert!(one.iter().zip(&other).all(|(x, y)| (x - y).abs() < 1e-6), "{one:?} {other:?}");
    // energies, too, are those of the model: springs and all
    let energy =
        |text: &str| text.lines().last().unwrap().rsplit(',').next().unwrap().parse::<f64>().unwrap();
    assert!((energy(&a) - energy(&b)).abs() < 1e-6 * energy(&a).abs().max(1.0));
    let film = folder.path().join("film.glb");
    stdout(&[
        "run",
        "four-bar",
        "--formulation",
        "maximal",
        "--time",
        "0.1",
        "--out",
        film.to_str().unwrap(),
    ]);
    assert!(film.exists());
}

#[test]
fn servos_and_controls_act_in_maximal_coordinates() {
    let end = |formulation: &str| {
        let run = json(&[
            "run",
            "ur5",
            "--time",
            "0.05",
            "--dt",
            "1e-4",
            "--integrator",
            "rkmk4",
            "--formulation",
            formulation,
        ]);
        numbers(&run["final"]["qpos"])
    };
    let (one, other) = (end("reduced"), end("maximal"));
    assert!(one.iter().zip(&other).all(|(x, y)| (x - y).abs() < 1e-7), "{one:?} {other:?}");
}

#[test]
fn what_has_no_use_is_refused() {
    refused(&["run", "dzhanibekov", "--formulation", "maximal"], &["`exact`", "rkmk4"]);
    refused(&["run", "pendulum", "--stabilise", "nothing"], &["the model has none"]);
}

#[test]
fn gears_run_in_maximal_coordinates() {
    let gear = arm_with(r#"<body name="b"><joint name="second" axis="1 0 0"/><geom size=".1"/></body>"#);
    let gear = gear.replace(
        "</mujoco>",
        r#"<equality><joint name="gear" joint1="second" joint2="hinge"/></equality></mujoco>"#,
    );
    // it begins beyond half a turn, where the arm alone cannot go
    let gear = gear.replace(r#" range="-90 90" limited="true""#, "");
    let (_folder, path) = file("gear.xml", &gear);
    let path = path.to_str().unwrap();
    let end = |formulation: &str| {
        let start = ["--qpos", "4 4", "--qvel", "1 1", "--formulation", formulation];
        let run = json(&[&["run", path, "--time", "0.5", "--integrator", "rkmk4"], &start[..]].concat());
        numbers(&run["final"]["qpos"])
    };
    let (one, other) = (end("reduced"), end("maximal"));
    assert!(one.iter().zip(&other).all(|(x, y)| (x - y).abs() < 1e-7), "{one:?} {other:?}");
    assert!(stdout(&["check", path]).contains("the formulations agree"));
}

#[test]
fn constraints_drift_when_nothing_keeps_them() {
    let off = |how: &str| {
        let run = json(&[
            "run",
            "four-bar",
            "--time",
            "1",
            "--integrator",
            "rkmk4",
            "--dt",
            "2e-3",
            "--stabilise",
            how,
        ]);
        run["violation"]["worst"].as_f64().unwrap()
    };
    let (projected, pulled, drifted) = (off("projection"), off("baumgarte:0.05"), off("nothing"));
    assert!(projected < 1e-13 && projected < pulled && pulled < drifted, "{projected} {pulled} {drifted}");
    refused(&["run", "four-bar", "--stabilise", "glue"], &["baumgarte:0.05"]);
    refused(&["run", "four-bar", "--stabilise", "baumgarte:-1"], &["positive"]);
}

#[test]
fn the_ledger_is_in_the_summary_and_in_the_rows() {
    let text = stdout(&["run", "four-bar", "--time", "0.5"]);
    for word in ["work, J", "gravity", "integration", "imbalance", "m or rad, largest violation (\"knee\")"] {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
    assert!(!text.contains("dampers"), "lines that are 0 are left out");
    assert!(!stdout(&["run", "four-bar", "--time", "0.5", "--no-ledger"]).contains("work, J"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json").to_str().unwrap().to_string();
    let run = json(&["run", "four-bar", "--time", "0.5", "--out", &path, "--ledger"]);
    let rows: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(rows["ledger_names"][0], "ledger.gravity");
    let last = rows["ledger"].as_array().unwrap().last().unwrap();
    let works = &run["ledger"]["work"];
    let names = rows["ledger_names"].as_array().unwrap();
    let integration = names.iter().position(|n| n == "ledger.integration").unwrap();
    assert_eq!((&last[0], &last[integration]), (&works["gravity"], &works["integration"]));
    let sum: f64 = numbers(last).iter().sum();
    let change = run["ledger"]["kinetic_energy"].as_f64().unwrap();
    assert!((sum - change).abs() < 1e-12, "{sum} {change}");
    assert_eq!(numbers(&run["ledger"]["momentum"]["change"]).len(), 6);
    let csv = folder.path().join("run.csv").to_str().unwrap().to_string();
    stdout(&["run", "four-bar", "--time", "0.1", "--out", &csv, "--ledger"]);
    let text = fs::read_to_string(&csv).unwrap();
    let widths: Vec<usize> = text.lines().map(|l| l.split(',').count()).collect();
    assert!(text.contains("ledger.integration") && widths.iter().all(|w| *w == widths[0]), "{widths:?}");
}

#[test]
fn conditions_bound_the_ledger_and_the_violation() {
    let run =
        |condition: &str| poinsot(&["run", "four-bar", "--time", "0.3", "--fail-if", condition]).assert();
    for holds in [
        "ledger.gravity<1e9",
        "ledger.integration>=0",
        "ledger.momentum>=0",
        "violation<1",
        "ledger.imbalance<1",
    ] {
        run(holds).code(1);
    }
    for not in [
        "ledger.integration > 1",
        "violation > 1e-10",
        "ledger.angular_momentum>1e3",
        "ledger.stabilisation>1e-3",
    ] {
        run(not).success();
    }
    refused(&["run", "four-bar", "--fail-if", "ledger.gravty>1"], &["did you mean \"ledger.gravity\"?"]);
    refused(&["run", "pendulum", "--fail-if", "violation>1"], &["no constraints"]);
    refused(&["run", "four-bar", "--no-ledger", "--fail-if", "ledger.gravity>1"], &["leave --no-ledger out"]);
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("works.svg").to_str().unwrap().to_string();
    stdout(&["run", "four-bar", "--time", "0.3", "--plot", &plot, "--plot-of", "ledger,ledger.momentum"]);
    assert!(fs::read_to_string(&plot).unwrap().contains("work since the beginning, J"));
}

/// A hinge that begins beyond its range, next to a ball on the floor: as in a run it begins at its end.
#[test]
fn a_start_beyond_its_range_is_checked_within() {
    let (_folder, path) = file(
        "beyond.xml",
        r#"<mujoco model="beyond"><worldbody><geom type="plane" size="0 0 1"/>
           <body pos="0 0 2"><joint name="hinge" axis="0 1 0" range="30 60"/>
             <geom type="capsule" fromto="0 0 0 .3 0 0" size="0.02" mass="1"/></body>
           <body pos="1 0 0.1"><freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"#,
    );
    let output =
        poinsot(&["check", path.to_str().unwrap(), "--time", "0.05"]).assert().code(0).get_output().clone();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("hinge") && said.contains("beyond its lower end"), "{said}");
}
