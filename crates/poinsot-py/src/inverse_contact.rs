//! Inverse dynamics with contact: the forces behind a given motion.

use crate::array::array;
use crate::dynamics::{A, Object, Q, TAU, V};
use crate::error::simulation_error;
use crate::model::PyModel;
use crate::simulation::PySimulation;
use crate::states::take_one;
use crate::touching::{empty, pairs};
use numpy::PyArray1;
use poinsot::InverseContact;
use poinsot::constraint::ContactResult;
use poinsot::dynamics::State;
use poinsot::integrate::{InverseContactOptions, InverseContactSolution, ModelRef};
use poinsot::model::Model;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The fields of the array of contacts.
const FIELDS: [(&str, &str, &[usize]); 8] = [
    ("geoms", "i8", &[2]),
    ("bodies", "i8", &[2]),
    ("position", "f8", &[3]),
    ("normal", "f8", &[3]),
    ("gap", "f8", &[]),
    ("velocity", "f8", &[3]),
    ("force", "f8", &[3]),
    ("moment", "f8", &[3]),
];

fn options_from(gap: f64, speed: f64, acceleration: f64, tolerance: f64) -> PyResult<InverseContactOptions> {
    for (name, x) in
        [("gap", gap), ("speed", speed), ("acceleration", acceleration), ("tolerance", tolerance)]
    {
        if !(x >= 0.0 && x.is_finite()) {
            return Err(PyValueError::new_err(format!("{name} is {x}; give a number of 0 or more")));
        }
    }
    Ok(InverseContactOptions { gap, speed, acceleration, tolerance })
}

fn contacts<'py>(py: Python<'py>, model: &Model, found: &[ContactResult]) -> PyResult<Object<'py>> {
    let (out, count) = (empty(py, &FIELDS, found.len())?, found.len());
    let vectors =
        |of: &dyn Fn(&ContactResult) -> [f64; 3]| array(py, found.iter().flat_map(of).collect(), &[count, 3]);
    out.set_item("geoms", pairs(py, found.iter().map(|c| c.point.key.geoms.map(|g| g.index())))?)?;
    let bodies = found.iter().map(|c| c.point.key.geoms.map(|g| model[g].body().index()));
    out.set_item("bodies", pairs(py, bodies)?)?;
    out.set_item("position", vectors(&|c| c.point.position.array())?)?;
    out.set_item("normal", vectors(&|c| c.point.normal.array())?)?;
    out.set_item("velocity", vectors(&|c| c.velocity[1].array())?)?;
    out.set_item("force", vectors(&|c| c.impulse.array())?)?;
    out.set_item("moment", vectors(&|c| c.moment.array())?)?;
    let gaps: Vec<f64> = found.iter().map(|c| c.point.gap).collect();
    out.set_item("gap", PyArray1::from_vec(py, gaps))?;
    Ok(out)
}

fn dictionary<'py>(
    py: Python<'py>,
    model: &Model,
    found: &InverseContactSolution,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("feasible", found.feasible)?;
    out.set_item("unique", found.unique)?;
    out.set_item("contacts", contacts(py, model, &found.contacts)?)?;
    let limits = PyDict::new(py);
    for (of, force) in &found.limits {
        let name = of.name(model);
        let before: f64 = limits.get_item(&*name)?.map_or(Ok(0.0), |x| x.extract())?;
        limits.set_item(&*name, before + force)?;
    }
    out.set_item("limits", limits)?;
    out.set_item("residual", PyArray1::from_slice(py, &found.residual))?;
    out.set_item("residual_force", PyArray1::from_slice(py, &found.residual_force))?;
    out.set_item("relative", found.relative)?;
    out.set_item("closing", found.closing)?;
    Ok(out)
}

#[pymethods]
impl PyModel {
    /// Inverse dynamics with contact: the contact forces that produce the motion q, v with acceleration a, or the part of it that none
    /// produce. A dict of
    ///
    /// feasible: whether forces within the law of friction give this acceleration, to tolerance;
    /// unique: whether no other contact forces do;
    /// contacts: a structured array of `geoms`, `bodies`, `position`, `normal` (from the first geom to the second), `gap`, `velocity`, and the `force` (N)
    /// and `moment` (N m) on the second body, in world axes;
    /// limits: forces of joints at their limits and of dry friction, by name;
    /// residual: the part of the acceleration that no admissible forces produce, smallest in the norm of M, and residual_force = M @
    /// residual; relative: its largest entry, relative to the largest acceleration;
    /// closing: the largest speed at which a contact closes, m/s.
    ///
    /// tau: the generalised forces of everything but gravity, constraints, limits, dry friction and contacts; by default those of the
    /// model's springs, dampers and actuators, with the controls of the model.
    /// gap: surfaces closer than this touch, m; speed: slower sliding or separation counts as none, m/s; acceleration: the same threshold
    /// for their onset, m/s2.
    #[pyo3(signature = (q, v, a, tau=None, *, gap=1e-6, speed=1e-6, acceleration=1e-4, tolerance=1e-8),
           text_signature = "($self, q, v, a, tau=None, *, gap=1e-6, speed=1e-6, acceleration=1e-4, tolerance=1e-8)")]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn contact_forces<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
        tau: Option<&Object<'py>>,
        gap: f64,
        speed: f64,
        acceleration: f64,
        tolerance: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, model) = (q.py(), &self.model);
        let how = options_from(gap, speed, acceleration, tolerance)?;
        let numbers = |kind, name, x| Ok::<_, PyErr>(take_one(model, kind, name, x)?.numbers()?.to_vec());
        let state = State { q: numbers(Q, "q", q)?, v: numbers(V, "v", v)?, ..State::new(model) };
        let a = numbers(A, "a", a)?;
        let tau = tau.map(|tau| numbers(TAU, "tau", tau)).transpose()?;
        let found = py.detach(|| {
            let mut inverse = InverseContact::new(ModelRef::Shared(model.clone()))?;
            inverse.control_mut().copy_from_slice(&self.control);
            inverse.solve(&state, &a, tau.as_deref(), how)
        });
        dictionary(py, model, &found.map_err(|e| simulation_error(&e))?)
    }
}

#[pymethods]
impl PySimulation {
    /// The contact forces that produce the acceleration a at the present state, under all other forces on the model, as
    /// Model.contact_forces returns them; a: by default sim.acceleration.
    #[pyo3(signature = (a=None, *, gap=1e-6, speed=1e-6, acceleration=1e-4, tolerance=1e-8),
           text_signature = "($self, a=None, *, gap=1e-6, speed=1e-6, acceleration=1e-4, tolerance=1e-8)")]
    fn contact_forces<'py>(
        &self,
        py: Python<'py>,
        a: Option<&Object<'py>>,
        gap: f64,
        speed: f64,
        acceleration: f64,
        tolerance: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let model = &self.model.get().model;
        let how = options_from(gap, speed, acceleration, tolerance)?;
        let a = a.map(|a| Ok::<_, PyErr>(take_one(model, A, "a", a)?.numbers()?.to_vec())).transpose()?;
        let found = self.under_controls(py, |s| {
            let a = a.clone().unwrap_or_else(|| s.acceleration());
            s.contact_forces(&a, how)
        })?;
        dictionary(py, model, &found.map_err(|e| simulation_error(&e))?)
    }
}
