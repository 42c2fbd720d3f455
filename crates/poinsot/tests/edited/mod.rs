//! Snapshots that a user has edited.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot::prelude::*;

/// The snapshot of this text with one passage replaced; its checksum is not compared.
pub fn edited(text: &str, from: &str, to: &str) -> Snapshot {
    let text = text.replace(from, to);
    let hash = text.find("\"check\":\"").unwrap() + 9;
    Snapshot::from_json(&format!("{}none{}", &text[..hash], &text[hash + 16..])).unwrap()
}
