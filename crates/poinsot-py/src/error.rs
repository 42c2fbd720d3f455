//! Exceptions.

use crate::diagnostic;
use poinsot::SimulationError;
use poinsot::audit::CheckError;
use poinsot::constraint;
use poinsot::formats::{LoadError, Report, Severity, groups};
use poinsot::scenes::SceneError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use std::ffi::CString;

create_exception!(poinsot, PoinsotError, PyException, "The base class of errors of Poinsot.");
create_exception!(
    poinsot,
    ModelError,
    PoinsotError,
    "There is no model: the text says why and where in the file; `diagnostics` is the list of all diagnostics."
);
create_exception!(
    poinsot,
    StepError,
    PoinsotError,
    "A step failed; the simulation is in the state before that step."
);

create_exception!(
    poinsot,
    AssemblyError,
    PoinsotError,
    "No configuration nearby satisfies the constraints; the text names the one violated most."
);

create_exception!(
    poinsot,
    ModelWarning,
    PyUserWarning,
    "Something in a model file was left out or is probably a mistake; `Model.diagnostics` lists everything."
);

create_exception!(
    poinsot,
    StepWarning,
    PyUserWarning,
    "Steps departed from their method, or an initial state was changed; `Simulation.tally` counts the former."
);

/// Warns of behaviour of a simulation that may be unexpected.
pub fn warn_of_step(py: Python<'_>, text: String) -> PyResult<()> {
    let text = CString::new(text.replace('\0', ""))?;
    PyErr::warn(py, &py.get_type::<StepWarning>(), &text, 1)
}

/// Warns of the contents of a file that are not in its model: one warning for each kind of diagnostic above a note.
pub fn warn(py: Python<'_>, report: &Report) -> PyResult<()> {
    let warnings = report.diagnostics().iter().filter(|d| d.severity == Severity::Warning);
    for group in groups(warnings) {
        let d = group.as_one();
        let place = report.locate(&d).map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column));
        let text = CString::new(format!("{}{}", place.unwrap_or_default(), d.message).replace('\0', ""))?;
        PyErr::warn(py, &py.get_type::<ModelWarning>(), &text, 1)?;
    }
    Ok(())
}

/// The text of the report is the message, as on the command line.
pub fn load_error(py: Python<'_>, error: &LoadError) -> PyErr {
    with_diagnostics(py, ModelError::new_err(error.to_string()), &error.report)
}

fn with_diagnostics(py: Python<'_>, error: PyErr, report: &Report) -> PyErr {
    let set = |list| error.value(py).setattr("diagnostics", list);
    // an error on the way takes precedence
    match diagnostic::list(py, report).and_then(set) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// An unknown name is a wrong value; anything else is a broken model.
pub fn scene_error(error: &SceneError) -> PyErr {
    match error {
        SceneError::Unknown { .. } | SceneError::BadCount { .. } => PyValueError::new_err(error.to_string()),
        _ => ModelError::new_err(error.to_string()),
    }
}

/// A step that fails is an event; anything else is a wrong value.
pub fn simulation_error(error: &SimulationError) -> PyErr {
    simulation_error_because(error, None)
}

/// The same, with the likely cause.
pub fn simulation_error_because(error: &SimulationError, cause: Option<String>) -> PyErr {
    match error {
        SimulationError::Step(_)
        | SimulationError::NotMetAtStart { .. }
        | SimulationError::StepTooLong { .. } => {
            let cause = cause.map(|cause| format!(". The likely cause: {cause}")).unwrap_or_default();
            StepError::new_err(format!("{error}{cause}"))
        }
        SimulationError::Singular { .. } => ModelError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

pub fn assembly_error(error: &constraint::AssemblyError) -> PyErr {
    AssemblyError::new_err(error.to_string())
}

/// A step that fails is an event; anything else is a model without accelerations.
pub fn check_error(error: &CheckError) -> PyErr {
    match error {
        CheckError::Step { .. } => StepError::new_err(error.to_string()),
        _ => ModelError::new_err(error.to_string()),
    }
}
