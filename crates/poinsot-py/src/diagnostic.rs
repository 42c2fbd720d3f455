//! The diagnostics of a file, as Python's `poinsot.Diagnostic`.

use poinsot::formats::{Diagnostic, Report};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// All diagnostics of a report.
pub fn list<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyList>> {
    let class = py.import("poinsot._diagnostic")?.getattr("Diagnostic")?;
    let all = report.diagnostics().iter().map(|d| one(&class, report, d));
    PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)
}

fn one<'py>(class: &Bound<'py, PyAny>, report: &Report, d: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let at = report.locate(d);
    let (file, line, column) = match &at {
        Some(at) => (Some(at.file), Some(at.line), Some(at.column)),
        None => (None, None, None),
    };
    class.call1((d.severity.word(), d.code, d.message.as_str(), file, line, column, d.help.as_deref()))
}
