//! Motions that meet conditions at the least cost.

use crate::array::{Rows, array};
use crate::model::PyModel;
use numpy::PyArrayDyn;
use poinsot_optimize::{Problem, Solution};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// The result of optimize: a motion.
///
/// t: times; q, v, a, u: coordinates, velocities, accelerations and controls, a row for each time; f: contact forces; multipliers: of the
/// equations of motion. q_names, v_names, u_names, f_names: the names of the columns. phase: the phase of each row; durations: of the
/// phases. cost, and costs of its terms. status: "solved", "nearly" (as far as doubles allow), "infeasible", "unbounded", "iterations",
/// "interrupted" or "failed"; success: solved or nearly. violation, slope, complementarity: the largest residuals of the optimality
/// conditions, kkt_residual the largest of them. violated: (what, time, by how much), the largest violation of each condition, the worst
/// first. exceeded: if only a motion without the bounds of controls was found, (what, bound, value, time) of what exceeds them.
#[pyclass(name = "Motion", module = "poinsot", frozen, get_all)]
pub struct PyMotion {
    t: Py<PyArrayDyn<f64>>,
    q: Py<PyArrayDyn<f64>>,
    v: Py<PyArrayDyn<f64>>,
    a: Py<PyArrayDyn<f64>>,
    u: Py<PyArrayDyn<f64>>,
    f: Py<PyArrayDyn<f64>>,
    multipliers: Py<PyArrayDyn<f64>>,
    q_names: Vec<String>,
    v_names: Vec<String>,
    u_names: Vec<String>,
    f_names: Vec<String>,
    phase: Vec<usize>,
    durations: Vec<f64>,
    cost: f64,
    costs: Vec<f64>,
    status: &'static str,
    success: bool,
    iterations: usize,
    kkt_residual: f64,
    violation: f64,
    slope: f64,
    complementarity: f64,
    violated: Vec<(String, f64, f64)>,
    exceeded: Vec<(String, f64, f64, f64)>,
}

#[pymethods]
impl PyMotion {
    fn __repr__(&self) -> String {
        let PyMotion { status, cost, iterations, kkt_residual, .. } = self;
        format!("Motion({status}, cost={cost}, iterations={iterations}, kkt_residual={kkt_residual:.1e})")
    }
}

fn rows(py: Python<'_>, rows: Vec<Vec<f64>>) -> PyResult<Py<PyArrayDyn<f64>>> {
    let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
    Ok(array(py, rows.concat(), &shape)?.unbind())
}

fn motion(py: Python<'_>, found: Solution) -> PyResult<PyMotion> {
    let (status, success, kkt_residual) = (found.word(), found.is_solved(), found.residual());
    let count = found.time.len();
    Ok(PyMotion {
        t: array(py, found.time, &[count])?.unbind(),
        q: rows(py, found.q)?,
        v: rows(py, found.v)?,
        a: rows(py, found.a)?,
        u: rows(py, found.u)?,
        f: rows(py, found.f)?,
        multipliers: rows(py, found.multipliers)?,
        q_names: found.names.q,
        v_names: found.names.v,
        u_names: found.names.u,
        f_names: found.names.f,
        phase: found.phase,
        durations: found.durations,
        cost: found.cost,
        costs: found.costs,
        status,
        success,
        iterations: found.iterations,
        kkt_residual,
        violation: found.violation,
        slope: found.slope,
        complementarity: found.complementarity,
        violated: found.violated.into_iter().map(|v| (v.what, v.time, v.by)).collect(),
        exceeded: found.exceeded.into_iter().map(|e| (e.what, e.bound, e.value, e.time)).collect(),
    })
}

/// The problem of a file, or of JSON with the same keys.
#[pyfunction]
#[pyo3(signature = (path, text))]
pub fn _optimize(py: Python<'_>, path: Option<PathBuf>, text: Option<String>) -> PyResult<PyMotion> {
    let refused = |e: poinsot_optimize::OptimizeError| PyValueError::new_err(e.to_string());
    let problem = match (path, text) {
        (Some(path), _) => Problem::read(path),
        (None, text) => Problem::from_json(&text.unwrap_or_default()),
    };
    let (problem, mut stopped) = (problem.map_err(refused)?, None);
    let found = problem.solve(&mut |_| {
        stopped = py.check_signals().err();
        stopped.is_none()
    });
    match stopped {
        Some(interrupt) => Err(interrupt),
        None => motion(py, found.map_err(refused)?),
    }
}

/// The forces that a given motion requires: inverse dynamics of a clip.
///
/// t: times; q: coordinates, a row for each. cutoff: the frequency at which smoothing (Whittaker, third differences) halves a sine, Hz;
/// None: no smoothing. Returns a dict: t at equal steps, q, v, a, tau (joint forces in addition to springs and dampers), residual (the
/// magnitude of tau where nothing drives the joint), external_force (Σ m (c̈ − g), world axes), driven (which degrees of freedom are),
/// reactions (of the joint of each body but the world, motors included: force and moment about the body's origin, world axes), bodies.
/// Forces of the model's constraints cannot be separated from those of the joints they act on, and are included in tau.
#[pyfunction]
#[pyo3(signature = (model, t, q, *, cutoff = None))]
pub fn explain<'py>(
    py: Python<'py>,
    model: &PyModel,
    t: &Bound<'py, PyAny>,
    q: &Bound<'py, PyAny>,
    cutoff: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (t, q) = (Rows::new("t", t)?, Rows::new("q", q)?);
    let given: Vec<Vec<f64>> = q.numbers()?.chunks(q.width.max(1)).map(<[f64]>::to_vec).collect();
    let found = poinsot_optimize::explain_rows(&model.model, t.numbers()?, &given, cutoff)
        .map_err(|e| PyValueError::new_err(e.to_string()))?;
    let (residual, count) = (found.residual(), found.time.len());
    let out = PyDict::new(py);
    out.set_item("t", array(py, found.time, &[count])?)?;
    out.set_item("q", rows(py, found.q)?)?;
    out.set_item("v", rows(py, found.v)?)?;
    out.set_item("a", rows(py, found.a)?)?;
    out.set_item("tau", rows(py, found.tau)?)?;
    out.set_item("residual", array(py, residual, &[count])?)?;
    out.set_item("external_force", array(py, found.force.concat(), &[count, 3])?)?;
    let reactions: Vec<f64> =
        found.reactions.iter().flatten().flat_map(|f| [f.force.array(), f.moment.array()].concat()).collect();
    out.set_item("reactions", array(py, reactions, &[count, found.bodies.len(), 6])?)?;
    out.set_item("bodies", found.bodies)?;
    out.set_item("driven", found.dofs.into_iter().map(|(_, driven)| driven).collect::<Vec<bool>>())?;
    Ok(out)
}
