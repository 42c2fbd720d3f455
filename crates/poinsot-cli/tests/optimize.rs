//! `poinsot optimize` and `poinsot explain`.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{ARM, file, json, json_error, numbers, refused, stdout};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/optimize");

fn example(name: &str) -> String {
    format!("{EXAMPLES}/{name}.toml")
}

/// Every example solves, to the cost that its first line has.
#[test]
fn examples_are_solved() {
    for (name, cost, tolerance) in [
        ("block-move", 12.0, 1e-11),
        ("brachistochrone", 0.824_338_669_44, 1e-10),
        ("bryson-denham", 4.0, 1e-7),
        ("cart-pole", 58.807_667, 1e-5),
        ("particle", 447.138_904_017_857, 1e-9),
        ("pendulum", 36.640_289, 5e-5),
    ] {
        let found = json(&["optimize", &example(name)]);
        assert_eq!(found["status"], "solved", "{name}");
        assert!((found["cost"].as_f64().unwrap() - cost).abs() < tolerance, "{name}: {}", found["cost"]);
        assert!(found["kkt_residual"].as_f64().unwrap() < 1e-8, "{name}");
    }
    let words = stdout(&["optimize", &example("block-move"), "--scheme", "trapezoidal", "--intervals", "10"]);
    assert!(words.contains("solved") && words.contains("trapezoidal, 11 times"), "{words}");
}

/// Forces by `explain` of the motion that `optimize` has written are those it was found with, to the order of the scheme: second
/// derivatives of its positions are of second order in the interval.
#[test]
fn a_motion_that_was_found_is_explained() {
    let (folder, model) = file("arm.xml", ARM);
    let problem = r#"
        intervals = 200
        [system]
        model = "arm.xml"
        [time]
        duration = 1.0
        [[at]]
        time = "start"
        q = 0.0
        v = 0.0
        [[at]]
        time = "end"
        q = 1.0
        v = 0.0
        [[minimize]]
        term = "effort"
    "#;
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    std::fs::write(at("problem.toml"), problem).unwrap();
    let outs = ["--out", &at("motion.csv"), "--out", &at("motion.html"), "--plot", &at("motion.svg")];
    let found = json(&[&["optimize", &at("problem.toml")], &outs[..]].concat());
    assert_eq!(found["status"], "solved");
    assert!(std::fs::metadata(at("motion.html")).unwrap().len() > 1000);
    assert!(std::fs::read_to_string(at("motion.svg")).unwrap().contains("<svg"));
    let explained = json(&["explain", model.to_str().unwrap(), &at("motion.csv"), "--no-smoothing"]);
    let (tau, u) = (explained["tau"].as_array().unwrap(), found["u"].as_array().unwrap());
    let largest = u.iter().map(|u| numbers(u)[0].abs()).fold(0.0, f64::max);
    assert_eq!(tau.len(), u.len());
    for (tau, u) in tau.iter().zip(u) {
        assert!((numbers(tau)[0] - numbers(u)[0]).abs() < 1e-4 * largest, "{tau} {u}");
    }
}

#[test]
fn what_cannot_be_is_told() {
    let block = std::fs::read_to_string(example("block-move")).unwrap();
    let slow = format!("{block}\n[[bounds]]\nv = {{ v = [-0.5, 0.5] }}\n");
    let (_folder, path) = file("slow.toml", &slow);
    let found = json_error(&["optimize", path.to_str().unwrap()]);
    assert_eq!(found["status"], "infeasible");
    assert!(!found["violated"].as_array().unwrap().is_empty());
    let (_folder, path) = file("wrong.toml", &block.replace("\"effort\"", "\"efort\""));
    refused(&["optimize", path.to_str().unwrap()], &["no term", "efort"]);
    for (from, to, says) in [
        ("q = 1.0", "q = nan", "nan is not a number"),
        ("q = 1.0", "q = inf", "a finite one for equality"),
        ("mass = 1.0", "mass = 0", "mass of the system is 0; it must be positive"),
        ("term = \"effort\"", "term = \"effort\"\nweight = -3", "is -3; it must be finite and not negative"),
        ("term = \"effort\"", "term = \"effort\"\nweight = nan", "nan is not a number"),
        ("q = 1.0", "q = [0.0, 1.0]", "one range for all is { min = …, max = … }"),
    ] {
        assert!(block.contains(from), "{from}");
        let (_folder, path) = file("wrong.toml", &block.replace(from, to));
        refused(&["optimize", path.to_str().unwrap()], &[says]);
    }
    refused(&["optimize", "nowhere.toml"], &["nowhere.toml"]);
    refused(&["optimize", &example("block-move"), "--scheme", "euler"], &["euler", "hermite-simpson"]);
}
