//! `poinsot.Snapshot`: everything needed to continue from a moment.

use crate::array::read_only;
use numpy::PyArray1;
use poinsot::{Snapshot, SnapshotError};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;

type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// Everything needed to continue from a moment, bit for bit: made by Simulation.snapshot, for Simulation.restore. It can be pickled, and
/// written to a file that `poinsot run --from` reads.
#[pyclass(name = "Snapshot", module = "poinsot", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct PySnapshot(pub Snapshot);

fn wrong(error: &SnapshotError) -> PyErr {
    match error {
        SnapshotError::File { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

#[pymethods]
impl PySnapshot {
    /// Reads a snapshot from a file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<PySnapshot> {
        Snapshot::read(path).map(PySnapshot).map_err(|e| wrong(&e))
    }
    /// Writes it to a file.
    fn write(&self, path: PathBuf) -> PyResult<()> {
        self.0.write(path).map_err(|e| wrong(&e))
    }
    /// A snapshot from the text of such a file.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<PySnapshot> {
        Snapshot::from_json(text).map(PySnapshot).map_err(|e| wrong(&e))
    }
    /// The text of such a file: JSON.
    fn to_json(&self) -> String {
        self.0.to_json()
    }
    /// The time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.0.state().time
    }
    /// The configuration.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        read_only(py, &self.0.state().q)
    }
    /// The velocity.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        read_only(py, &self.0.state().v)
    }
    /// The activations of the actuators that have dynamics.
    #[getter]
    fn activation<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        read_only(py, &self.0.state().activation)
    }
    /// The controls.
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        read_only(py, self.0.control())
    }
    /// The name of the model.
    #[getter]
    fn model(&self) -> &str {
        self.0.model()
    }
    /// The name of the integrator.
    #[getter]
    fn integrator(&self) -> &str {
        self.0.integrator()
    }
    /// "reduced" or "maximal".
    #[getter]
    fn formulation(&self) -> &'static str {
        self.0.formulation().word()
    }
    /// The time step, s.
    #[getter]
    fn dt(&self) -> f64 {
        self.0.dt()
    }
    /// How many steps had been made.
    #[getter]
    fn steps(&self) -> usize {
        self.0.steps()
    }

    fn __repr__(&self) -> String {
        let (name, integrator) = (self.0.model(), self.0.integrator());
        let (time, formulation) = (self.0.state().time, self.0.formulation());
        format!("<poinsot.Snapshot of \"{name}\" at t = {time} s: {integrator}, {formulation} coordinates>")
    }
    /// A snapshot never changes, so it is its own copy.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }
    /// A snapshot never changes, so it is its own copy.
    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let again = py.get_type::<PySnapshot>().getattr("from_json")?;
        (again, (self.0.to_json(),)).into_pyobject(py)
    }
}
