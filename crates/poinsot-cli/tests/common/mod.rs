//! Running the command.
#![allow(clippy::unwrap_used, dead_code)] // a failed unwrap is a failed test; not every test uses all

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

/// The command with these arguments, without colours or a terminal.
pub fn poinsot(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("poinsot").unwrap();
    command.args(arguments);
    command
}

/// What it prints, when it succeeds.
pub fn stdout(arguments: &[&str]) -> String {
    let output = poinsot(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// What it prints with `--json`, when it succeeds.
pub fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).unwrap()
}

/// The object it prints with `--json` when it fails with code 1.
pub fn json_error(arguments: &[&str]) -> Value {
    let output = poinsot(&[arguments, &["--json"]].concat()).assert().code(1).get_output().clone();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs what must fail; the message must hold all of `words` and be no panic.
pub fn refused(arguments: &[&str], words: &[&str]) {
    let output = poinsot(arguments).assert().failure().get_output().clone();
    assert!(output.stdout.is_empty(), "{arguments:?}: an error goes to stderr");
    // a terminal's line breaks and bars are not part of the message
    let message = String::from_utf8(output.stderr).unwrap().replace(['│', '\n'], " ");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!message.contains("panicked"), "{message}");
    for word in words {
        assert!(message.contains(word), "{arguments:?}: \"{word}\" is not in: {message}");
    }
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A folder that is removed at the end, and a file in it.
pub fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// A rod of 1 kg on a motor-driven hinge, with a keyframe.
pub const ARM: &str = r#"<mujoco model="arm">
  <option timestep="0.005"/>
  <worldbody>
    <body name="rod">
      <joint name="hinge" type="hinge" axis="0 1 0" range="-90 90" limited="true"/>
      <inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="hinge" gear="2"/></actuator>
  <keyframe><key name="bent" qpos="0.5" qvel="0.25"/></keyframe>
</mujoco>
"#;

/// The arm with another body hung on its rod; its keyframe would not fit.
pub fn arm_with(body: &str) -> String {
    let key = r#"<keyframe><key name="bent" qpos="0.5" qvel="0.25"/></keyframe>"#;
    ARM.replace("</body>", &format!("{body}</body>")).replace(key, "")
}
