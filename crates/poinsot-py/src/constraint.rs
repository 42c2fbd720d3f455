//! A constraint of a model as a dict.

use crate::array::array;
use poinsot::model::{Constraint, ConstraintKind, Model, Mount};
use poinsot::spatial::Pose;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Its kind, the parts it acts on, and where.
pub fn dict<'py>(py: Python<'py>, model: &Model, constraint: &Constraint) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("kind", constraint.word())?;
    out.set_item("rows", constraint.rows())?;
    if let Some(bodies) = constraint.bodies() {
        out.set_item("bodies", bodies.map(|id| model.bodies()[id.index()].name.as_str()))?;
    }
    match &constraint.kind {
        ConstraintKind::Point { a, b }
        | ConstraintKind::Joint { a, b, .. }
        | ConstraintKind::Plane { a, b } => set_mounts(&out, [a, b])?,
        ConstraintKind::Distance { a, b, length } | ConstraintKind::Rope { a, b, length } => {
            set_mounts(&out, [a, b])?;
            out.set_item("length", length)?;
        }
        ConstraintKind::Rolling { wheel, ring, tube, ground } => {
            set_mounts(&out, [ground, wheel])?;
            out.set_item("ring", ring)?;
            out.set_item("tube", tube)?;
        }
        ConstraintKind::Rotor { kind, a, b, inertia } => {
            set_mounts(&out, [a, b])?;
            out.set_item("joint_type", kind.word())?;
            out.set_item("inertia", inertia)?;
        }
        ConstraintKind::Coupling { joint, reference, other, coefficients } => {
            let all = [Some((*joint, *reference)), *other].into_iter().flatten();
            let name = |id: poinsot::model::JointId| model.joints()[id.index()].name.as_str();
            set_polynomial(&out, "joints", all.map(|(id, x)| (name(id), x)), *coefficients)?;
        }
        ConstraintKind::Tendon { tendon, reference, other, coefficients } => {
            let all = [Some((*tendon, *reference)), *other].into_iter().flatten();
            let name = |id: poinsot::model::TendonId| model.tendons()[id.index()].name.as_str();
            set_polynomial(&out, "tendons", all.map(|(id, x)| (name(id), x)), *coefficients)?;
        }
        // relations appear in maximal coordinates, in which no model is built
        _ => {}
    }
    if let Some(s) = constraint.softness {
        out.set_item("stiffness", s.stiffness)?;
        out.set_item("damping", s.damping)?;
        out.set_item("turning_stiffness", s.turning_stiffness)?;
        out.set_item("turning_damping", s.turning_damping)?;
    }
    Ok(out)
}

fn set_mounts(out: &Bound<'_, PyDict>, mounts: [&Mount; 2]) -> PyResult<()> {
    let numbers = |of: fn(Pose) -> Vec<f64>| mounts.iter().flat_map(|m| of(m.pose)).collect();
    let rotation = |pose: Pose| pose.rot.rows().concat();
    out.set_item("positions", array(out.py(), numbers(|pose| pose.pos.array().to_vec()), &[2, 3])?)?;
    out.set_item("rotations", array(out.py(), numbers(rotation), &[2, 3, 3])?)
}

fn set_polynomial<'a>(
    out: &Bound<'_, PyDict>,
    what: &str,
    ends: impl Iterator<Item = (&'a str, f64)>,
    coefficients: [f64; 5],
) -> PyResult<()> {
    let (names, references): (Vec<&str>, Vec<f64>) = ends.unzip();
    let count = references.len();
    out.set_item(what, names)?;
    out.set_item("references", array(out.py(), references, &[count])?)?;
    out.set_item("coefficients", array(out.py(), coefficients.to_vec(), &[5])?)
}
