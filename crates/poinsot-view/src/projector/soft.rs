//! The adjustable parameters of soft constraints.

use crate::show::SoftInfo;
use poinsot::model::{Constraint, ConstraintId, ConstraintKind, Model, Softness};

/// The range of a slider relative to the given stiffness, and its least and greatest values.
const DOWN: f64 = 1e7;
const UP: f64 = 1e3;
const LEAST: f64 = 1e-3;
const MOST: f64 = 1e12;

/// The soft constraints of a model, in their order.
pub fn soft_constraints(model: &Model) -> impl Iterator<Item = (ConstraintId, &Constraint, Softness)> {
    let all = model.constraint_ids().zip(model.constraints());
    all.filter_map(|(id, c)| c.softness.map(|s| (id, c, s)))
}

pub(super) fn softs(model: &Model, track: usize) -> impl Iterator<Item = SoftInfo> + '_ {
    soft_constraints(model).map(move |(_, constraint, softness)| {
        let stiffness = softness.stiffness;
        let middle = if stiffness > 0.0 { stiffness } else { 1.0 };
        SoftInfo {
            track,
            name: constraint.name.clone(),
            stiffness,
            unit: match constraint.kind {
                ConstraintKind::Coupling { .. }
                | ConstraintKind::Tendon { .. }
                | ConstraintKind::Relation(_) => "",
                _ => "N/m",
            },
            range: ((middle / DOWN).max(LEAST.min(middle)), (middle * UP).min(MOST.max(middle))),
        }
    })
}

/// A softness with another stiffness: the stiffness of angular rows and the dampers are scaled in proportion, so that what oscillates
/// or creeps still does.
pub fn stiffened(softness: Softness, stiffness: f64) -> Softness {
    let ratio = if softness.stiffness > 0.0 { stiffness / softness.stiffness } else { 1.0 };
    Softness {
        stiffness,
        damping: softness.damping * ratio,
        turning_stiffness: softness.turning_stiffness * ratio,
        turning_damping: softness.turning_damping * ratio,
    }
}
