//! Numbers from elsewhere: reference files under tests/data, compared at the accuracy they are given with.
#![allow(clippy::unwrap_used)] // a test that cannot read its reference should stop

mod common;

#[path = "oracles/chain_frequencies.rs"]
mod chain_frequencies;
#[path = "oracles/pinocchio.rs"]
mod pinocchio;
#[path = "oracles/pseudo_inertia.rs"]
mod pseudo_inertia;

use poinsot_core::algebra::{M3, V3};
use poinsot_core::spatial::Inertia;
use serde_json::Value;

fn read(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// All numbers in `value`, in order, however nested.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

fn vector(value: &Value) -> V3 {
    V3::from(<[f64; 3]>::try_from(numbers(value)).unwrap())
}

fn matrix(value: &Value) -> M3 {
    let n = numbers(value);
    M3::from_rows([[n[0], n[1], n[2]], [n[3], n[4], n[5]], [n[6], n[7], n[8]]])
}

/// From mass, centre of mass and inertia about it.
fn inertia(
    mass: &Value,
    com: &Value,
    about_com: &Value,
) -> Result<Inertia, poinsot_core::spatial::InertiaError> {
    Inertia::new(mass.as_f64().unwrap(), vector(com), matrix(about_com).symmetric_part())
}
