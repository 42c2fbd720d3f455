//! Events and fallbacks of a run: in its summary, in a file, and as conditions; starts beyond ranges.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{file, json, poinsot, refused, stdout};
use std::fs;

/// The ball bounces ever faster, more than 50 times in the step in which it comes to rest.
const STOPS: [&str; 6] = ["run", "stops", "--time", "8", "--dt", "0.01"];

#[test]
fn a_summary_counts_events_and_names_fallbacks() {
    let said = stdout(&STOPS);
    let line = |word: &str| said.lines().find(|l| l.trim_start().starts_with(word)).unwrap().to_string();
    assert!(line("events").contains("impact ") && line("events").contains("stick "), "{said}");
    let fallback = line("accumulated");
    for words in ["in 1 step", "first at t = ", "\"wire\"", "time stepping"] {
        assert!(fallback.contains(words), "\"{words}\" is not in: {fallback}");
    }
    assert!(!said.contains("unsolved"));
    let all = stdout(&[&STOPS[..], &["-v"]].concat());
    assert!(all.contains("at \"wire\" (lower end), first at t = 0.319"), "{all}");
    let report = json(&STOPS);
    assert_eq!(report["fallbacks"]["accumulated"]["at"], "wire");
    let first = &report["events"][0];
    assert_eq!((first["kind"].as_str(), first["place"].as_str()), (Some("impact"), Some("lower end")));
    assert!((first["first"].as_f64().unwrap() - (2.0 * 0.5 / 9.81f64).sqrt()).abs() < 1e-10);
    let quiet = json(&["run", "pendulum", "--time", "0.1"]);
    assert_eq!((&quiet["events"], &quiet["fallbacks"]), (&serde_json::json!([]), &serde_json::json!({})));
}

#[test]
fn events_go_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.csv");
    let report = json(&[&STOPS[..], &["--events", path.to_str().unwrap()]].concat());
    let text = fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time,kind,at,place"));
    let times: usize =
        report["events"].as_array().unwrap().iter().map(|e| e["times"].as_u64().unwrap() as usize).sum();
    assert_eq!(lines.clone().count(), times);
    let first: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(first[1..], ["impact", "wire", "lower end"]);
    refused(&[&STOPS[..], &["--events", "events.npz"]].concat(), &["events.npz", ".csv"]);
    refused(
        &[&STOPS[..], &["--events", "no/such/folder.csv"]].concat(),
        &["cannot write", "no/such/folder.csv"],
    );
}

#[test]
fn conditions_can_name_them() {
    let with = |condition: &str| poinsot(&[&STOPS[..], &["--fail-if", condition]].concat()).assert();
    with("accumulated>0").code(1);
    with("accumulated>1").code(0);
    with("unsolved>0").code(0);
    with("events.impact>3").code(1);
    with("events.slip>1e6").code(0);
    refused(&[&STOPS[..], &["--fail-if", "events.bang>0"]].concat(), &["events.bang", "events.impact"]);
    refused(&[&STOPS[..], &["--fail-if", "acumulated>0"]].concat(), &["did you mean \"accumulated\"?"]);
}

#[test]
fn a_start_beyond_its_range_is_said() {
    let text = r#"<mujoco><worldbody><body name="leg"><joint name="knee" axis="0 1 0" range="30 70"/>
      <geom size="0.1"/></body></worldbody></mujoco>"#;
    let (_folder, path) = file("leg.xml", text);
    let path = path.to_str().unwrap();
    let output = poinsot(&["run", path, "--time", "0.01"]).assert().success().get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("\"knee\" begins 5.24e-1")
            && said.contains("it is moved to its limit, and nothing else is"),
        "{said}"
    );
    let report = json(&["run", path, "--time", "0.01"]);
    assert_eq!(report["beyond_range"]["at"], "knee");
    assert!(json(&["run", path, "--qpos", "1", "--time", "0.01"])["beyond_range"].is_null());
}

/// A joint beyond its range is put at its end, and its neighbour stays.
#[test]
fn what_is_within_its_range_is_not_moved_at_the_start() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="hip" axis="0 1 0" range="-90 90"/><geom pos="0 0 -.5" size="0.1"/>
      <body pos="0 0 -1"><joint name="knee" axis="0 1 0" range="30 70"/><geom pos="0 0 -.5" size="0.1"/></body></body></worldbody></mujoco>"#;
    let (_folder, path) = file("leg.xml", text);
    let q = json(&["run", path.to_str().unwrap(), "--time", "0.01"])["final"]["qpos"].clone();
    let (hip, knee) = (q[0].as_f64().unwrap(), q[1].as_f64().unwrap());
    assert!(hip.abs() < 1e-12 && (knee - 30f64.to_radians()).abs() < 1e-12, "{q}");
}

/// Softness that is read and not simulated is said, once, where bodies touch.
#[test]
fn softness_of_contact_that_is_not_simulated_is_said() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/><geom size="0.1" solref="0.2 0.3"/></body></worldbody></mujoco>"#;
    let (_folder, path) = file("soft.xml", text);
    let said = |more: &[&str]| {
        let all = [&["run", path.to_str().unwrap(), "--time", "0.01"], more].concat();
        String::from_utf8(poinsot(&all).assert().success().get_output().stderr.clone()).unwrap()
    };
    assert!(said(&[]).contains("not simulated: `solref`, `solimp` (1 geom)"), "{}", said(&[]));
    assert!(!said(&["--soft-contact"]).contains("solimp"));
}

/// Arms that begin in the floor are named, with how deep they are, and the energy that pushing them out gives is not the integrator's.
#[test]
fn bodies_that_begin_inside_one_another_are_named() {
    let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 0.03"><freejoint/><geom name="arm" size="0.1"/></body>
      <body pos="1 0 0.12"><freejoint/><geom name="toe" size="0.1"/></body></worldbody></mujoco>"#;
    let (_folder, path) = file("sunk.xml", text);
    let path = path.to_str().unwrap();
    let output = poinsot(&["run", path, "--time", "0.2"]).assert().success().get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said.matches("two geoms begin inside one another: floor and arm by 0.07 m").count(),
        1,
        "{said}"
    );
    assert!(!said.contains("the error of `"), "{said}");
    let remarks = json(&["run", path, "--time", "0.01"])["remarks"].clone();
    assert!(remarks[0].as_str().unwrap().contains("floor and arm"), "{remarks}");
}

/// Names and lines of files cannot steer the terminal.
#[test]
fn control_characters_of_files_are_not_printed() {
    let names = ["\u{9b}31mred", "\u{202e}der"];
    for name in names {
        let text = format!(
            "<mujoco><worldbody><body name=\"{name}\"><joint/><geom size=\"0.1\"/></body></worldbody></mujoco>"
        );
        let (_folder, path) = file("name.xml", &text);
        let output = poinsot(&["info", path.to_str().unwrap()]).assert().get_output().clone();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains(['\u{9b}', '\u{202e}']), "{said}");
    }
    let (_folder, path) =
        file("escape.xml", "<mujoco><worldbody><body name=\"\u{1b}[31mred\"/></worldbody></mujoco>");
    let output = poinsot(&["info", path.to_str().unwrap()]).assert().failure().get_output().clone();
    assert!(!output.stderr.contains(&0x1b), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A stiff spring in steps beyond its stability limit ends with numbers that are finite.
#[test]
fn a_wild_run_says_so_and_fails() {
    let (_folder, path) = file(
        "spring.xml",
        r#"<mujoco><option timestep="0.0201" gravity="0 0 0"/><worldbody><body><joint name="x" type="slide" stiffness="10000"/>
           <geom size="0.1" mass="1"/></body></worldbody></mujoco>"#,
    );
    let path = path.to_str().unwrap();
    let run = ["run", path, "--qpos", "0.1", "--time", "2", "--integrator", "semi-implicit"];
    for more in [&[][..], &["--no-ledger"]] {
        let assert = poinsot(&[&run[..], more].concat()).assert().code(1);
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        for words in [
            "THIS MOTION IS MEANINGLESS",
            "the error of `semi-implicit` added",
            "0.0201 s",
            "--integrator leapfrog",
        ] {
            assert!(said.contains(words), "\"{words}\" is not in: {said}");
        }
    }
    // one that its step resolves, and one that only loses
    for (dt, integrator) in [("0.0005", "semi-implicit"), ("0.0201", "implicit")] {
        let fine = ["run", path, "--qpos", "0.1", "--time", "2", "--dt", dt, "--integrator", integrator];
        let assert = poinsot(&fine).assert().code(0);
        assert!(!String::from_utf8_lossy(&assert.get_output().stderr).contains("the error of `"));
    }
}

fn told(arguments: &[&str]) -> String {
    let output = poinsot(arguments).assert().code(0).get_output().clone();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a servo takes out before the run is first looked at is no gain, however long the run.
#[test]
fn a_servo_that_holds_an_arm_raises_no_alarm() {
    let (_folder, path) = file(
        "servo.xml",
        r#"<mujoco><option timestep="0.001"/><worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0" damping="1"/>
           <geom type="capsule" fromto="0 0 0 .3 0 0" size="0.02" mass="1"/></body></worldbody>
           <actuator><position joint="j" kp="300" kv="20"/></actuator></mujoco>"#,
    );
    for time in ["0.5", "10", "100"] {
        let said = told(&["run", path.to_str().unwrap(), "--time", time]);
        assert!(!said.contains("energy"), "{time} s: {said}");
    }
}

#[test]
fn dampers_that_give_energy_are_told() {
    let said = told(&["run", "ur5", "--integrator", "semi-implicit", "--time", "2"]);
    assert!(said.contains("dampers added") && said.contains("--integrator leapfrog"), "{said}");
}
