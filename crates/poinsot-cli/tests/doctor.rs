//! What the doctor finds, by model files made to be ill.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{ARM, arm_with, file, json, poinsot, stdout};
use serde_json::Value;

/// All findings of a model file, and the exit code.
fn findings(text: &str, more: &[&str]) -> (Vec<Value>, i32) {
    let (_folder, path) = file("ill.xml", text);
    let arguments = [&["doctor", path.to_str().unwrap(), "--json"], more].concat();
    let output = poinsot(&arguments).assert().get_output().clone();
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    (object["diagnostics"].as_array().unwrap().clone(), output.status.code().unwrap())
}

/// The one finding with this code, and its line.
fn one(text: &str, more: &[&str], code: &str) -> Value {
    let (all, _) = findings(text, more);
    let mut found = all.iter().filter(|d| d["code"] == code);
    let first = found.next().unwrap_or_else(|| panic!("no {code} in {all:#?}")).clone();
    assert!(found.next().is_none(), "{code} twice in {all:#?}");
    first
}

fn says(finding: &Value, words: &[&str]) {
    for word in words {
        assert!(finding["message"].as_str().unwrap().contains(word), "{word} is not in {finding}");
    }
    assert!(finding["help"].as_str().is_some_and(|h| !h.is_empty()), "{finding}");
}

#[test]
fn healthy_models_have_nothing() {
    for scene in ["dzhanibekov", "humanoid", "chain:30", "heavy-top"] {
        assert!(stdout(&["doctor", scene]).contains("nothing to complain about"), "{scene}");
    }
    let (all, code) = findings(ARM, &[]);
    assert!(all.iter().all(|d| d["severity"] == "note" || d["code"] == "model::not-simulated"), "{all:#?}");
    assert_eq!(code, 0);
}

#[test]
fn impossible_and_absurd_inertias() {
    let impossible = ARM.replace("0.1 0.1 0.01", "0.1 0.1 0.3");
    let (all, code) = findings(&impossible, &[]);
    assert_eq!(code, 1);
    let told: Vec<&Value> = all
        .iter()
        .filter(|d| d["code"].as_str().is_some_and(|c| c.ends_with("impossible-inertia")))
        .collect();
    assert_eq!(told.len(), 1, "reader and doctor do not both say it: {told:#?}");
    assert!(told[0]["severity"] == "error" && told[0]["line"] == 6, "{told:#?}");
    let wide = ARM.replace("0.1 0.1 0.01", "900 900 10");
    says(&one(&wide, &[], "doctor::inertia-too-large"), &["rod", "30 m"]);
    let narrow = ARM.replace("0.1 0.1 0.01", "1e-9 1e-9 1e-9");
    says(&one(&narrow, &[], "doctor::inertia-too-small"), &["rod", "1 kg"]);
}

#[test]
fn masses_of_neighbours() {
    let light = arm_with(
        "<body name=\"fly\"><joint name=\"wing\"/><inertial pos=\"0 0 0\" mass=\"0.0005\" diaginertia=\"1e-9 1e-9 1e-9\"/></body>",
    );
    says(&one(&light, &[], "doctor::mass-ratio"), &["fly", "rod", "2000"]);
}

#[test]
fn joints_that_move_nothing() {
    let idle = arm_with("<body name=\"frame\"><joint name=\"idle\"/></body>");
    let finding = one(&idle, &[], "doctor::massless-joint");
    says(&finding, &["idle"]);
    assert_eq!((finding["severity"].as_str(), finding["line"].as_u64()), (Some("error"), Some(8)));
}

#[test]
fn ranges() {
    let outside = ARM.replace("-90 90", "10 90");
    says(&one(&outside, &[], "doctor::start-outside-range"), &["hinge", "begins at 0"]);
    let degrees = ARM.replace("<option", "<compiler angle=\"radian\"/><option");
    says(&one(&degrees, &[], "doctor::range-over-a-turn"), &["hinge", "-90", "90"]);
    let key = ARM.replace("qpos=\"0.5\"", "qpos=\"2\"");
    says(&one(&key, &[], "doctor::keyframe-outside-range"), &["bent", "hinge"]);
}

#[test]
fn keyframes() {
    let free = ARM.replace(
        "<joint name=\"hinge\" type=\"hinge\" axis=\"0 1 0\" range=\"-90 90\" limited=\"true\"/>",
        "<freejoint name=\"root\"/>",
    );
    let free = free.replace("<actuator><motor name=\"drive\" joint=\"hinge\" gear=\"2\"/></actuator>", "");
    let long = free.replace("qpos=\"0.5\" qvel=\"0.25\"", "qpos=\"0 0 0 2 0 0 0\"");
    says(&one(&long, &[], "doctor::keyframe-quaternion"), &["root", "length 2"]);
}

/// A spring of 1400 N m/rad on 0.35 kg m²: ω = 63.2 /s, stable below 2/ω = 0.0316 s.
#[test]
fn springs_against_the_step() {
    let stiff = ARM.replace("axis=", "stiffness=\"1400\" axis=");
    let fine = findings(&stiff, &["--dt", "0.031"]).0;
    assert!(fine.iter().all(|d| d["code"] != "doctor::step-too-large"), "{fine:#?}");
    let finding = one(&stiff, &["--dt", "0.032"], "doctor::step-too-large");
    says(&finding, &["hinge", "1400", "0.0316"]);
    assert_eq!(finding["severity"], "warning");
    // a damper of 70 N m s/rad: stable below 2 · 0.35 / 70 = 0.01 s
    let damped = ARM.replace("axis=", "damping=\"70\" axis=");
    says(&one(&damped, &["--dt", "0.0101"], "doctor::step-too-large"), &["damping 70", "0.01 s"]);
    // a servo with kp = 1400 / gear²
    let servo = ARM.replace("<motor", "<position kp=\"350\"");
    says(&one(&servo, &["--dt", "0.032"], "doctor::step-too-large"), &["drive", "350", "0.0316"]);
}

#[test]
fn shapes_inside_one_another() {
    let floor = ARM.replace(
        "<worldbody>",
        "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\" pos=\"0 0 -1\"/>",
    );
    let finding = one(&floor, &[], "doctor::overlap");
    says(&finding, &["floor", "rod", "0.05 m deep"]);
    assert_eq!(finding["severity"], "warning");
    // an ellipsoid is known by its box only, which proves nothing
    let maybe =
        ARM.replace("<worldbody>", "<worldbody><geom type=\"ellipsoid\" size=\".2 .2 .2\" pos=\"0 0 -1\"/>");
    assert_eq!(one(&maybe, &[], "doctor::boxes-overlap")["severity"], "note");
    let switched_off =
        floor.replace("timestep=\"0.005\"/>", "timestep=\"0.005\"><flag contact=\"disable\"/></option>");
    assert!(findings(&switched_off, &[]).0.iter().all(|d| d["code"] != "doctor::overlap"));
}

#[test]
fn for_people() {
    let (_folder, path) = file("ill.xml", &ARM.replace("-90 90", "10 90"));
    let text = stdout(&["doctor", path.to_str().unwrap()]);
    for word in ["doctor::start-outside-range", "ill.xml:5:", "<joint name=\"hinge\"", "help:", "1 warning"] {
        assert!(text.contains(word), "{word} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours without a terminal");
    assert_eq!(json(&["doctor", path.to_str().unwrap()])["warnings"], 1);
}

#[test]
fn loops_that_are_open_cannot_close_or_hold_everything() {
    let with = |hook: &str| {
        let hook = format!(
            r#"<site name="end" pos="0 0 -1"/></body><body name="hook" pos="{hook}"><site name="here"/></body>"#
        );
        let loop_ = r#"<equality><connect name="loop" site1="end" site2="here"/></equality></mujoco>"#;
        ARM.replacen("</body>", &hook, 1).replace("</mujoco>", loop_)
    };
    says(&one(&with("0 0 9"), &[], "doctor::cannot-assemble"), &["loop"]);
    let open = with("0.6 0 -0.8");
    says(&one(&open, &[], "doctor::begins-off-constraint"), &["loop", "m or rad"]);
    says(&one(&open, &[], "doctor::no-freedom"), &["nothing can move"]);
}

#[test]
fn what_is_not_simulated_is_one_line() {
    let robot = r#"<robot name="arm"><link name="base"/><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><box size="1 1 1"/></geometry></collision></link>
      <joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>"#;
    let (_folder, path) = file("arm.urdf", robot);
    let line = "warning: not simulated: effort limits (1 joint), velocity limits (1 joint)\n";
    assert!(stdout(&["doctor", path.to_str().unwrap()]).contains(line));
    let run =
        poinsot(&["run", path.to_str().unwrap(), "--time", "0.01"]).assert().success().get_output().clone();
    assert_eq!(String::from_utf8(run.stderr).unwrap(), line, "said once, and nothing else is");
    let (_folder, path) = file(
        "ant.xml",
        &ARM.replace("<worldbody>", "<worldbody><geom type=\"plane\" size=\"1 1 1\" pos=\"0 0 -9\"/>"),
    );
    for (integrator, said) in [("leapfrog", ""), ("backward", "note: not simulated: contact")] {
        let all = ["run", path.to_str().unwrap(), "--time", "0.01", "--integrator", integrator];
        let run = poinsot(&all).assert().success().get_output().clone();
        let text = String::from_utf8(run.stderr).unwrap();
        assert!(text.starts_with(said) && (said.is_empty() == text.is_empty()), "{text}");
    }
}

#[test]
fn what_is_alike_is_one() {
    let links: String = (0..28).map(|k| format!("<link name='l{k}'/>")).collect();
    let joint = |k: usize| {
        format!("<joint name='j{k}' type='revolute'><parent link='l{k}'/><child link='l{}'/></joint>", k + 1)
    };
    let joints: String = (0..27).map(joint).collect();
    let (_folder, path) = file("many.urdf", &format!("<robot name='r'>{links}{joints}</robot>"));
    let grouped = stdout_of(&["doctor", path.to_str().unwrap()]);
    assert_eq!(grouped.matches("has no <limit>").count(), 1, "{grouped}");
    assert!(grouped.contains("27 alike: also \"j1\""), "{grouped}");
    let all = stdout_of(&["doctor", path.to_str().unwrap(), "-v"]);
    assert_eq!(all.matches("has no <limit>").count(), 27);
}

/// What it prints, whether or not it finds errors; line breaks are blanks.
fn stdout_of(arguments: &[&str]) -> String {
    let output = poinsot(arguments).assert().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap().replace('│', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
