//! Rows as one JSON object of columns, written at the end.

use super::{Row, RowSink, Rows, Target};
use crate::failure::Outcome;
use serde_json::{Value, json};

/// A JSON file.
pub struct Json {
    /// Its destination.
    pub(super) file: Target,
    /// All rows so far.
    pub(super) rows: Rows,
}

impl RowSink for Json {
    fn row(&mut self, row: Row) -> Outcome<()> {
        self.rows.push(row);
        Ok(())
    }
    fn complete(self: Box<Self>) -> Outcome<Target> {
        let rows = &self.rows;
        let split = |all: &[f64], width: usize| -> Value {
            (0..rows.time.len()).map(|k| json!(all[k * width..(k + 1) * width])).collect()
        };
        let mut object = json!({
            "qpos_names": rows.qpos_names,
            "qvel_names": rows.qvel_names,
            "time": rows.time,
            "qpos": split(&rows.qpos, rows.qpos_names.len()),
            "qvel": split(&rows.qvel, rows.qvel_names.len()),
            "kinetic_energy": rows.kinetic,
            "potential_energy": rows.potential,
            "energy": rows.energy(),
        });
        if !rows.ledger_names.is_empty() {
            object["ledger_names"] = json!(rows.ledger_names);
            object["ledger"] = split(&rows.ledger, rows.ledger_names.len());
        }
        self.file.filled(format!("{object}\n").as_bytes())
    }
}
