//! `poinsot.Simulation`: contacts, and the quality of their impulses.

use crate::array::array;
use crate::simulation::{Object, PySimulation};
use numpy::PyArray1;
use poinsot::ContactEvent;
use poinsot::constraint::ContactResult;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// Name, kind and shape.
pub type Field = (&'static str, &'static str, &'static [usize]);

/// The fields of the array of contacts.
const FIELDS: [Field; 8] = [
    ("geoms", "i8", &[2]),
    ("bodies", "i8", &[2]),
    ("position", "f8", &[3]),
    ("normal", "f8", &[3]),
    ("gap", "f8", &[]),
    ("velocity", "f8", &[3]),
    ("impulse", "f8", &[3]),
    ("force", "f8", &[3]),
];

/// The fields of the array of events of contacts.
const EVENT_FIELDS: [Field; 9] = [
    ("time", "f8", &[]),
    ("kind", "U8", &[]),
    ("geoms", "i8", &[2]),
    ("bodies", "i8", &[2]),
    ("position", "f8", &[3]),
    ("normal", "f8", &[3]),
    ("velocity_before", "f8", &[3]),
    ("velocity_after", "f8", &[3]),
    ("impulse", "f8", &[3]),
];

/// An array of this many records, all 0.
pub fn empty<'py>(py: Python<'py>, fields: &[Field], count: usize) -> PyResult<Object<'py>> {
    let fields = fields
        .iter()
        .map(|(name, kind, shape)| (*name, *kind, PyTuple::new(py, shape.to_vec())?).into_pyobject(py))
        .collect::<PyResult<Vec<_>>>()?;
    py.import("numpy")?.call_method1("zeros", (count, fields))
}

/// Rows of two numbers.
pub fn pairs<'py>(py: Python<'py>, all: impl Iterator<Item = [usize; 2]>) -> PyResult<Object<'py>> {
    let numbers: Vec<i64> = all.flatten().map(|k| k as i64).collect();
    let count = numbers.len() / 2;
    PyArray1::from_vec(py, numbers).call_method1("reshape", ((count, 2),))
}

#[pymethods]
impl PySimulation {
    /// How bodies in contact are kept apart; None: they pass through one another.
    #[getter]
    fn contact(&self) -> Option<String> {
        self.settings.contact.map(|contact| contact.to_string())
    }

    /// The contacts of the last step, as a structured array: `geoms` and `bodies` (indices; the normal points from the first to the
    /// second), `position`, `normal`, `gap` (negative: the depth of the overlap), `velocity` (of the second minus that of the first, at the
    /// end of the step), `impulse` on the second over the step, N s, and the mean `force`, N; vectors in world axes. Points that are close
    /// without touching are included, with impulse 0.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let (found, time) = {
            let running = self.lock(py)?;
            (running.simulation.contacts().to_vec(), running.simulation.dt())
        };
        let (model, out, count) = (&self.model.get().model, empty(py, &FIELDS, found.len())?, found.len());
        let pairs = |of: &dyn Fn(&ContactResult) -> [usize; 2]| pairs(py, found.iter().map(of));
        let vectors = |of: &dyn Fn(&ContactResult) -> [f64; 3]| {
            array(py, found.iter().flat_map(of).collect(), &[count, 3])
        };
        out.set_item("geoms", pairs(&|c| c.point.key.geoms.map(|g| g.index()))?)?;
        out.set_item("bodies", pairs(&|c| c.point.key.geoms.map(|g| model[g].body().index()))?)?;
        out.set_item("position", vectors(&|c| c.point.position.array())?)?;
        out.set_item("normal", vectors(&|c| c.point.normal.array())?)?;
        out.set_item("velocity", vectors(&|c| c.velocity[1].array())?)?;
        out.set_item("impulse", vectors(&|c| c.impulse.array())?)?;
        out.set_item("force", vectors(&|c| (c.impulse * (1.0 / time)).array())?)?;
        let gaps: Vec<f64> = found.iter().map(|c| c.point.gap).collect();
        out.set_item("gap", PyArray1::from_vec(py, gaps))?;
        Ok(out)
    }

    /// The contact events of the last call of step, in the order of time, as a structured array: `time`, `kind` ("begin": they push each
    /// other, and did not touch before; "persist": they have touched since before this call; "end"; "impact"), `geoms` and `bodies`
    /// (indices); for impacts `position`, `normal`, `velocity_before`, `velocity_after` (of the second body minus the first) and `impulse`
    /// on the second, N s, in world axes.
    #[getter]
    fn contact_events<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let found = self.lock(py)?.contact_events.clone();
        let (out, count) = (empty(py, &EVENT_FIELDS, found.len())?, found.len());
        let vectors = |of: &dyn Fn(&ContactEvent) -> [f64; 3]| {
            array(py, found.iter().flat_map(of).collect(), &[count, 3])
        };
        out.set_item("time", PyArray1::from_iter(py, found.iter().map(|e| e.time)))?;
        out.set_item("kind", PyList::new(py, found.iter().map(|e| e.kind.word()))?)?;
        out.set_item("geoms", pairs(py, found.iter().map(|e| e.geoms.map(|g| g.index())))?)?;
        out.set_item("bodies", pairs(py, found.iter().map(|e| e.bodies.map(|b| b.index())))?)?;
        out.set_item("position", vectors(&|e| e.position.array())?)?;
        out.set_item("normal", vectors(&|e| e.normal.array())?)?;
        out.set_item("velocity_before", vectors(&|e| e.velocity[0].array())?)?;
        out.set_item("velocity_after", vectors(&|e| e.velocity[1].array())?)?;
        out.set_item("impulse", vectors(&|e| e.impulse.array())?)?;
        Ok(out)
    }

    /// The quality of the contact impulses of the last step; None if nothing touched. A dict of status ("solved", "not unique", "no
    /// solution", "unsolved"), reason (why there is no solution), stage, residual and residual_rms (m/s), floor (the part that may be
    /// round-off), normal_velocity (m/s), cone (N s), complementarity and dissipation (J), penetration (m), iterations, and how many of
    /// them were sweeps, newton_steps, interior_steps and pivots; and level: "velocity", or for event-driven motion "acceleration", where
    /// the same numbers are in m/s² and N. For time stepping, "not unique" is only decided for twelve contacts or fewer.
    /// `tally["contacts"]` has the worst of all steps.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (found, penetration) = {
            let mut running = self.lock(py)?;
            let penetration = running.simulation.report().penetration;
            (running.simulation.certificate(), penetration)
        };
        let Some(c) = found else { return Ok(None) };
        let out = PyDict::new(py);
        out.set_item("status", c.status.word())?;
        out.set_item("reason", c.reason)?;
        out.set_item("stage", c.stage.word())?;
        out.set_item("level", c.level.word())?;
        for (name, value) in [
            ("residual", c.residual),
            ("residual_rms", c.residual_rms),
            ("floor", c.floor),
            ("normal_velocity", c.normal_velocity),
            ("cone", c.cone),
            ("complementarity", c.complementarity),
            ("dissipation", c.dissipation),
            ("penetration", penetration),
        ] {
            out.set_item(name, value)?;
        }
        for (name, count) in [
            ("iterations", c.iterations()),
            ("sweeps", c.sweeps),
            ("newton_steps", c.newton_steps),
            ("interior_steps", c.interior_steps),
            ("pivots", c.pivots),
        ] {
            out.set_item(name, count)?;
        }
        Ok(Some(out))
    }

    /// The collisions of the last step: a list of dicts of time, geoms, bodies, position, normal, velocity_before and velocity_after (of
    /// the second body minus the first), restitution, effective_mass, impulse.
    #[getter]
    fn collisions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = self.lock(py)?.simulation.report().collisions.clone();
        let model = &self.model.get().model;
        let out = PyList::empty(py);
        for c in found {
            let one = PyDict::new(py);
            one.set_item("time", c.time)?;
            one.set_item("geoms", c.point.key.geoms.map(|g| g.index()))?;
            one.set_item("bodies", c.point.key.geoms.map(|g| model[g].body().index()))?;
            one.set_item("restitution", c.point.surface.restitution)?;
            one.set_item("effective_mass", c.effective_mass)?;
            for (name, v) in [
                ("position", c.point.position),
                ("normal", c.point.normal),
                ("velocity_before", c.velocity[0]),
                ("velocity_after", c.velocity[1]),
                ("impulse", c.impulse),
            ] {
                one.set_item(name, PyArray1::from_slice(py, &v.array()))?;
            }
            out.append(one)?;
        }
        Ok(out)
    }
}
