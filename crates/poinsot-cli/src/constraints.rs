//! The constraints of a model in addition to its tree: a line for each, or JSON.

use poinsot::model::{Constraint, ConstraintKind, Model};
use serde_json::{Value, json};

/// The parts that a constraint acts on: bodies, joints or tendons, and the word for them.
fn ends(model: &Model, constraint: &Constraint) -> (&'static str, Vec<String>) {
    let joint = |id: poinsot::model::JointId| model.joints()[id.index()].name.clone();
    let tendon = |id: poinsot::model::TendonId| model.tendons()[id.index()].name.clone();
    match &constraint.kind {
        ConstraintKind::Coupling { joint: one, other, .. } => {
            ("joints", [Some(*one), other.map(|o| o.0)].into_iter().flatten().map(joint).collect())
        }
        ConstraintKind::Tendon { tendon: one, other, .. } => {
            ("tendons", [Some(*one), other.map(|o| o.0)].into_iter().flatten().map(tendon).collect())
        }
        _ => {
            let bodies = constraint.bodies().into_iter().flatten();
            ("bodies", bodies.map(|id| model.bodies()[id.index()].name.clone()).collect())
        }
    }
}

/// "hook: point, rod and world, 3 rows", a line for each; empty when there are none.
pub fn lines(model: &Model) -> String {
    let line = |c: &Constraint| {
        let (_, ends) = ends(model, c);
        let rows = c.rows();
        let s = if rows == 1 { "" } else { "s" };
        let soft = if c.softness.is_some() { ", soft" } else { "" };
        format!("  {}: {}, {}, {rows} row{s}{soft}\n", c.name, c.word(), ends.join(" and "))
    };
    model.constraints().iter().map(line).collect()
}

/// All constraints.
pub fn json(model: &Model) -> Value {
    let one = |c: &Constraint| {
        let (what, ends) = ends(model, c);
        let mut object =
            json!({ "name": c.name, "kind": c.word(), "rows": c.rows(), "soft": c.softness.is_some() });
        object[what] = json!(ends);
        object
    };
    model.constraints().iter().map(one).collect()
}
