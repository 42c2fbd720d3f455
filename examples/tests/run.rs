//! Every example runs, in an empty folder.
#![allow(clippy::unwrap_used)]

use std::process::Command;

fn run(program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let outcome = Command::new(program).current_dir(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert!(outcome.status.success(), "{said}");
    assert!(!outcome.stdout.is_empty());
}

#[test]
fn closed_loop() {
    run(env!("CARGO_BIN_EXE_closed_loop"));
}

#[test]
fn computed_torque() {
    run(env!("CARGO_BIN_EXE_computed_torque"));
}

#[test]
fn custom_force() {
    run(env!("CARGO_BIN_EXE_custom_force"));
}

#[test]
fn custom_integrator() {
    run(env!("CARGO_BIN_EXE_custom_integrator"));
}

#[test]
fn energies() {
    run(env!("CARGO_BIN_EXE_energies"));
}

#[test]
fn film() {
    run(env!("CARGO_BIN_EXE_film"));
}

#[test]
fn inverse_kinematics() {
    run(env!("CARGO_BIN_EXE_inverse_kinematics"));
}

#[test]
fn parameter_sweep() {
    run(env!("CARGO_BIN_EXE_parameter_sweep"));
}

#[test]
fn pd_arm() {
    run(env!("CARGO_BIN_EXE_pd_arm"));
}

#[test]
fn squash() {
    run(env!("CARGO_BIN_EXE_squash"));
}
