//! The reference files under validation/data.

use poinsot_core::algebra::{M3, V3};
use poinsot_core::spatial::{Inertia, InertiaError};
use serde_json::Value;

/// The file of this name.
pub fn read(name: &str) -> Value {
    let path = format!("{}/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Where the numbers of a file come from, in one line.
pub fn source(file: &Value) -> String {
    let list = file["source"].as_array().unwrap().iter();
    list.map(|s| s.as_str().unwrap()).collect::<Vec<_>>().join("; ")
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// All numbers in `value`, in order, however nested.
pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![number(other)],
    }
}

pub fn vector(value: &Value) -> V3 {
    V3::from(<[f64; 3]>::try_from(numbers(value)).unwrap())
}

pub fn matrix(value: &Value) -> M3 {
    let n = numbers(value);
    M3::from_rows([[n[0], n[1], n[2]], [n[3], n[4], n[5]], [n[6], n[7], n[8]]])
}

/// From mass, centre of mass and inertia about it.
pub fn inertia(mass: &Value, com: &Value, about_com: &Value) -> Result<Inertia, InertiaError> {
    Inertia::new(number(mass), vector(com), matrix(about_com).symmetric_part())
}

/// The listed states of a reference.
pub fn states(file: &Value) -> &[Value] {
    file["reference"]["states"].as_array().unwrap()
}
