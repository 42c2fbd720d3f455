//! `poinsot.Simulation`: copies and pickles.

use crate::model::PyModel;
use crate::simulation::{Object, PySimulation, Settings, parsed};
use crate::snapshot::PySnapshot;
use poinsot::dynamics::State;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Time, q, v and activations of a state; dt, integrator, formulation, stabilisation, ledger, contact: what a pickle holds in addition to the
/// model and a snapshot.
type Pickled = ((f64, Vec<f64>, Vec<f64>, Vec<f64>), f64, String, String, String, bool, Option<String>);

impl PySimulation {
    /// A copy that continues from the same moment.
    pub fn copy(&self, py: Python<'_>) -> PyResult<PySimulation> {
        let (snapshot, by) = self.under_controls(py, |s| (s.snapshot(), s.stabilisation()))?;
        let model = self.model.clone_ref(py);
        let copy = PySimulation::begin(py, model, self.begin.clone(), self.dt, self.settings, by)?;
        copy.restore(py, &PySnapshot(snapshot))?;
        Ok(copy)
    }
}

#[pymethods]
impl PySimulation {
    fn __copy__(&self, py: Python<'_>) -> PyResult<PySimulation> {
        self.copy(py)
    }
    fn __deepcopy__(&self, py: Python<'_>, _memo: &Object<'_>) -> PyResult<PySimulation> {
        self.copy(py)
    }
    /// A pickle contains the pickled model, the arguments of the simulation, and a snapshot.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (snapshot, by) = self.under_controls(py, |s| (s.snapshot(), s.stabilisation()))?;
        let State { time, q, v, activation } = self.begin.clone();
        let Settings { method, formulation, ledger, contact } = self.settings;
        let words = (method.to_string(), formulation.to_string(), by.to_string());
        let made: Pickled = (
            (time, q, v, activation),
            self.dt,
            words.0,
            words.1,
            words.2,
            ledger,
            contact.map(|c| c.to_string()),
        );
        let again = py.get_type::<PySimulation>().getattr("_resume")?;
        (again, (self.model.clone_ref(py), made, PySnapshot(snapshot))).into_pyobject(py)
    }
    /// From a pickle.
    #[staticmethod]
    fn _resume(
        py: Python<'_>,
        model: Py<PyModel>,
        made: Pickled,
        snapshot: &PySnapshot,
    ) -> PyResult<PySimulation> {
        let ((time, q, v, activation), dt, integrator, formulation, stabilisation, ledger, contact) = made;
        let settings = Settings {
            method: parsed("integrator", &integrator)?,
            formulation: parsed("formulation", &formulation)?,
            ledger,
            contact: contact.map(|word| parsed("contact", &word)).transpose()?,
        };
        let (state, by) = (State { time, q, v, activation }, parsed("stabilisation", &stabilisation)?);
        let simulation = PySimulation::begin(py, model, state, dt, settings, by)?;
        simulation.restore(py, snapshot)?;
        Ok(simulation)
    }
}
