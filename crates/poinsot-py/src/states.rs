//! Configurations, velocities, accelerations and forces from Python, checked against the model.

use crate::array::Rows;
use poinsot::dynamics::State;
use poinsot::model::{JointKind, Model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The meaning of a vector.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// qpos: nq numbers.
    Configuration,
    /// One number for each degree of freedom: what they are, for messages.
    Tangent(&'static str),
}

/// A vector, or one in each row, that fits the model.
pub fn take<'py>(
    model: &Model,
    kind: Kind,
    name: &'static str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Rows<'py>> {
    let rows = Rows::new(name, x)?;
    check_width(model, kind, name, rows.width)?;
    let numbers = rows.numbers()?;
    if let Some(k) = numbers.iter().position(|x| !x.is_finite()) {
        return Err(not_finite(model, kind, &rows, k, numbers[k]));
    }
    if kind == Kind::Configuration && rows.width > 0 {
        check_quaternions(model, &rows, numbers)?;
    }
    Ok(rows)
}

/// A single vector that fits the model.
pub fn take_one<'py>(
    model: &Model,
    kind: Kind,
    name: &'static str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Rows<'py>> {
    let rows = take(model, kind, name, x)?;
    match rows.count {
        None => Ok(rows),
        Some(n) => Err(PyValueError::new_err(format!("{name} has {n} rows; give one vector"))),
    }
}

fn check_width(model: &Model, kind: Kind, name: &str, width: usize) -> PyResult<()> {
    let (letters, size) = match kind {
        Kind::Configuration => ("nq", model.nq()),
        Kind::Tangent(_) => ("nv", model.nv()),
    };
    if width == size {
        return Ok(());
    }
    let numbers = if width == 1 { "number" } else { "numbers" };
    let advice = match kind {
        Kind::Configuration if width == model.nv() => {
            "the model has quaternions, of four numbers each; model.qpos0 is a configuration to begin with"
        }
        Kind::Configuration => "give one number for each coordinate, as in model.qpos0",
        Kind::Tangent(_) if width == model.nq() => {
            "a turn of three axes has four coordinates, but three velocities and forces"
        }
        Kind::Tangent(_) => "give one number for each degree of freedom, in the order of model.joint_names",
    };
    let text = format!("{name} has {width} {numbers}, the model has {letters} = {size}: {advice}");
    Err(PyValueError::new_err(text))
}

fn not_finite(model: &Model, kind: Kind, rows: &Rows<'_>, k: usize, x: f64) -> PyErr {
    let at = k % rows.width;
    let what = match kind {
        Kind::Configuration => format!("position of {}", coordinate_name(model, at)),
        Kind::Tangent(what) => format!("{what} of {}", model.dof_name(at)),
    };
    let place = match rows.count {
        None => format!("[{at}]"),
        Some(_) => format!("[{}, {at}]", k / rows.width),
    };
    PyValueError::new_err(format!("{}{place} is {x}: the {what} must be a finite number", rows.name))
}

fn coordinate_name(model: &Model, k: usize) -> String {
    match model.joints().iter().find(|j| j.coordinates().contains(&k)) {
        Some(j) if j.coordinates().len() == 1 => format!("joint \"{}\"", j.name),
        Some(j) => format!("joint \"{}\" coordinate {}", j.name, k - j.coordinates().start),
        None => format!("coordinate {k}"),
    }
}

fn check_quaternions(model: &Model, rows: &Rows<'_>, numbers: &[f64]) -> PyResult<()> {
    let turns = |j: &poinsot::model::Joint| matches!(j.kind, JointKind::Spherical | JointKind::Free);
    if !model.joints().iter().any(turns) {
        return Ok(());
    }
    for q in numbers.chunks_exact(rows.width) {
        let state = State { q: q.to_vec(), v: Vec::new(), ..State::new(model) };
        if let Some(joint) = state.first_zero_quaternion(model) {
            let text =
                format!("{}: the quaternion of joint \"{joint}\" is 0, which is not an attitude", rows.name);
            return Err(PyValueError::new_err(text));
        }
    }
    Ok(())
}
