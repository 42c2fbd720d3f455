//! `poinsot ik`, and derivatives by `poinsot eval`.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{ARM, file, json, json_error, refused};

#[test]
fn derivatives_of_a_rod_by_hand() {
    let (_folder, path) = file("arm.xml", ARM);
    let words =
        "inverse_dynamics_derivatives,forward_dynamics_derivatives,regressor,mass_matrix,gravity,bias";
    let args =
        ["eval", path.to_str().unwrap(), "--compute", words, "--qpos", "0.3", "--qvel", "0.5", "--qacc", "2"];
    let object = json(&args);
    let number = |path: &str| object.pointer(path).and_then(|x| x.as_f64()).unwrap();
    let mass = number("/mass_matrix/0/0");
    assert_eq!(number("/inverse_dynamics_derivatives/dtau_da/0/0"), mass);
    assert_eq!(number("/inverse_dynamics_derivatives/dtau_dv/0/0"), 0.0);
    // gravity is m g l sin q: its derivative is that over tan q
    let slope = number("/gravity/0") / 0.3f64.tan();
    assert!((number("/inverse_dynamics_derivatives/dtau_dq/0/0") - slope).abs() < 1e-13 * slope.abs());
    assert!(
        (number("/forward_dynamics_derivatives/da_dq/0/0") + slope / mass).abs() < 1e-12 * slope.abs() / mass
    );
    assert!((number("/forward_dynamics_derivatives/da_dtau/0/0") - 1.0 / mass).abs() < 1e-14 / mass);
    assert_eq!(object["regressor"][0].as_array().unwrap().len(), 10);
}

#[test]
fn a_hand_is_brought_where_it_is_wanted() {
    let object = json(&["ik", "ur5", "--target", "wrist_3_link=0.3,0.2,0.4"]);
    assert_eq!(object["status"], "converged");
    assert!(object["targets"][0]["distance"].as_f64().unwrap() < 1e-9);
    // out of reach: exit code 1, and how near it came
    let beyond = json_error(&["ik", "ur5", "--target", "wrist_3_link=5,0,0"]);
    assert_eq!(beyond["status"], "unreachable");
    assert!(beyond["targets"][0]["distance"].as_f64().unwrap() > 3.5);
    refused(&["ik", "ur5", "--target", "wrist=0,0,0"], &["wrist"]);
    refused(&["ik", "ur5", "--target", "wrist_3_link=0,0"], &["give three"]);
    refused(&["ik", "ur5"], &["no targets"]);
}
