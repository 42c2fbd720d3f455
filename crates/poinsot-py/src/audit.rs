//! `poinsot.Model`: its constraints at a state, and the check of its formulations.

use crate::array::array;
use crate::dynamics::{Object, Q, TAU, V};
use crate::error::{assembly_error, check_error};
use crate::model::PyModel;
use crate::states::{take, take_one};
use numpy::{PyArray1, PyArrayDyn};
use poinsot::audit::{self, CheckOptions};
use poinsot::constraint::{SecondDerivative, Stabilisation};
use poinsot::dynamics::State;
use poinsot::{ContactStatistics, Occurrence, Tally};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

type Numbers<'py> = Bound<'py, PyArray1<f64>>;

/// The number of comparisons along the motion.
const LOOKS: usize = 10;
/// The seed of random velocities, if none are given and the model would be at rest.
const SEED: u64 = 1;

impl PyModel {
    /// The given state, or else the initial state of the model.
    fn state(&self, q: Option<&Object<'_>>, v: Option<&Object<'_>>) -> PyResult<State> {
        let mut state = self.begin.clone();
        if let Some(q) = q {
            let q = take_one(&self.model, Q, "q", q)?.numbers()?.to_vec();
            state = State { q, ..State::new(&self.model) };
        }
        if let Some(v) = v {
            state.v = take_one(&self.model, V, "v", v)?.numbers()?.to_vec();
        }
        Ok(state)
    }
}

#[pymethods]
impl PyModel {
    /// The values of the constraints at q, which are 0 if they are met: m or rad, a number for each row of each constraint, in the order of
    /// model.constraints. Rows that constrain velocities alone have 0.
    fn constraint_values<'py>(&self, q: &Object<'py>) -> PyResult<Object<'py>> {
        let (py, q) = (q.py(), take(&self.model, Q, "q", q)?);
        self.arrays(py, [q], &[self.constraint_rows()], |model, s, [q], out| {
            let (workspace, multipliers) = s.constraints(model);
            multipliers.evaluate(model, workspace, q, &vec![0.0; model.nv()]);
            out.copy_from_slice(&multipliers.values()[..multipliers.constraint_rows()]);
        })
    }
    /// The derivatives of constraint_values: J with J v their rates, shape (rows, nv).
    fn constraint_jacobian<'py>(&self, q: &Object<'py>) -> PyResult<Object<'py>> {
        let (py, q) = (q.py(), take(&self.model, Q, "q", q)?);
        let (rows, nv) = (self.constraint_rows(), self.model.nv());
        self.arrays(py, [q], &[rows, nv], |model, s, [q], out| {
            let (workspace, multipliers) = s.constraints(model);
            multipliers.evaluate(model, workspace, q, &vec![0.0; nv]);
            let jacobian = multipliers.jacobian();
            out.iter_mut().enumerate().for_each(|(k, x)| *x = jacobian[(k / nv, k % nv)]);
        })
    }
    /// Accelerations and constraint forces of the bare tree with its rigid constraints under the generalised forces tau: a and lambda with
    /// M a + bias = tau + Jᵀ lambda. A force acts in the direction of increasing constraint_values, N or N m.
    fn constrained_dynamics<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        tau: &Object<'py>,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let py = q.py();
        let (q, v) = (take_one(&self.model, Q, "q", q)?, take_one(&self.model, V, "v", v)?);
        let tau = take_one(&self.model, TAU, "tau", tau)?;
        let (q, v, tau) = (q.numbers()?, v.numbers()?, tau.numbers()?);
        let mut a = vec![0.0; self.model.nv()];
        let lambda = self.pool.with(|model, scratch| {
            let (workspace, multipliers) = scratch.constraints(model);
            multipliers.forward_dynamics(model, workspace, q, v, tau, Stabilisation::Nothing, &mut a);
            multipliers.lambda()[..multipliers.constraint_rows()].to_vec()
        });
        Ok((PyArray1::from_vec(py, a), PyArray1::from_vec(py, lambda)))
    }
    /// How a soft constraint between two bodies resists their small rotations and displacements at q: its energy, its gradient (12
    /// numbers), and its stiffness (12x12), along (rotation, displacement) of the first body and of the second, in world axes at their
    /// origins.
    ///
    /// kind: "hessian", "gradient" (the derivative of the gradient, which is not symmetric if forces turn bodies), or "gauss-newton"
    /// (without the geometric part).
    #[pyo3(signature = (q, constraint, kind="hessian"))]
    pub fn constraint_stiffness<'py>(
        &self,
        q: &Object<'py>,
        constraint: &str,
        kind: &str,
    ) -> PyResult<(f64, Numbers<'py>, Object<'py>)> {
        let (py, q) = (q.py(), take_one(&self.model, Q, "q", q)?);
        let (q, wrong) = (q.numbers()?, |text: String| PyValueError::new_err(text));
        let second = match kind {
            "hessian" => SecondDerivative::Hessian,
            "gradient" => SecondDerivative::OfGradient,
            "gauss-newton" => SecondDerivative::GaussNewton,
            _ => {
                return Err(wrong(format!("kind is \"{kind}\"; give hessian, gradient or gauss-newton")));
            }
        };
        let id = self.model.constraint(constraint);
        let id = id.ok_or_else(|| wrong(format!("there is no constraint \"{constraint}\"")))?;
        let found = self.pool.with(|model, scratch| {
            let (workspace, multipliers) = scratch.constraints(model);
            multipliers.stiffness(model, workspace, q, id, second)
        });
        let (energy, gradient, stiffness) = found
            .ok_or_else(|| wrong(format!("constraint \"{constraint}\" is rigid, or not between bodies")))?;
        let gradient = PyArray1::from_slice(py, gradient.as_slice());
        let stiffness = array(py, stiffness.transpose().as_slice().to_vec(), &[12, 12])?.into_any();
        Ok((energy, gradient, stiffness))
    }
    /// How freely the model can move at q: a dict of freedoms (degrees of freedom minus rank), rows (of rigid constraints), rank (how many
    /// of them are independent), and redundant (constraints with rows that depend on others).
    fn mobility<'py>(&self, py: Python<'py>, q: &Object<'py>) -> PyResult<Bound<'py, PyDict>> {
        let q = take_one(&self.model, Q, "q", q)?;
        let q = q.numbers()?;
        let found = self.pool.with(|model, scratch| {
            let (workspace, multipliers) = scratch.constraints(model);
            multipliers.mobility(model, workspace, q)
        });
        let out = PyDict::new(py);
        out.set_item("freedoms", found.freedoms)?;
        out.set_item("rows", found.rows)?;
        out.set_item("rank", found.rank)?;
        out.set_item("redundant", found.redundant)?;
        Ok(out)
    }
    /// The state nearest to (q, v) that meets the rigid constraints: a tuple of q and v.
    ///
    /// Raises AssemblyError if there is none nearby.
    #[pyo3(signature = (q, v=None))]
    fn assemble<'py>(
        &self,
        q: &Object<'py>,
        v: Option<&Object<'py>>,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let py = q.py();
        let mut state = self.state(Some(q), v)?;
        poinsot::begin_on_constraints(&self.model, &mut state).map_err(|e| assembly_error(&e))?;
        Ok((PyArray1::from_vec(py, state.q), PyArray1::from_vec(py, state.v)))
    }

    /// Compares three formulations of the dynamics along a motion: reduced coordinates, maximal coordinates, and the trace form; reduced
    /// and maximal coordinates are stepped with rkmk4.
    ///
    /// q, v: the initial state; by default that of the scene, or model.qpos0; random velocities within ±1 if it would be at rest. It is
    /// assembled first if it violates its constraints.
    /// time, dt: the duration and the step, s; time=0 compares at the start only.
    /// seed: the seed of random velocities, instead of v.
    ///
    /// Returns a list of dicts: quantity, between (which formulations), worst (the largest difference relative to the largest of its kind
    /// in the model), where (the body, joint or constraint), time.
    #[pyo3(signature = (q=None, v=None, *, time=0.1, dt=1e-3, seed=None))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        q: Option<&Object<'py>>,
        v: Option<&Object<'py>>,
        time: f64,
        dt: f64,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let wrong = |text: String| Err(PyValueError::new_err(text));
        if !(dt > 0.0 && dt.is_finite()) {
            return wrong(format!("dt is {dt} s; give a positive finite number of seconds"));
        }
        if !(time >= 0.0 && time / dt < 1e9) {
            return wrong(format!("time is {time} s; give a number of seconds, and of steps below 1e9"));
        }
        let steps = (time / dt).round() as usize;
        let mut state = self.state(q, v)?;
        let (model, at_rest) = (&*self.model, v.is_none());
        let report = py.detach(|| {
            // without a metric of masses there is no nearest state
            if !model.is_singular() {
                poinsot::begin_on_constraints(model, &mut state).map_err(|e| assembly_error(&e))?;
            }
            let rest = at_rest && state.v.iter().all(|v| *v == 0.0);
            if let Some(seed) = seed.or(rest.then_some(SEED)).filter(|_| !model.is_singular()) {
                poinsot::randomise_velocities(model, &mut state, seed);
            }
            let options = CheckOptions { dt, steps, every: (steps / LOOKS).max(1) };
            audit::check(model, &state, &self.control, options).map_err(|e| check_error(&e))
        })?;
        let list = PyList::empty(py);
        for agreement in report.entries() {
            let one = PyDict::new(py);
            let (quantity, between) = agreement.quantity.words();
            one.set_item("quantity", quantity)?;
            one.set_item("between", between)?;
            one.set_item("worst", agreement.worst)?;
            one.set_item("where", &agreement.place)?;
            one.set_item("time", agreement.time)?;
            list.append(one)?;
        }
        Ok(list)
    }
}

impl PyModel {
    /// The number of rows of all constraints.
    fn constraint_rows(&self) -> usize {
        self.model.constraints().iter().map(|c| c.rows()).sum()
    }
}

/// Six numbers: moment, then force.
pub fn six(py: Python<'_>, f: poinsot::spatial::Force) -> PyResult<Bound<'_, PyArrayDyn<f64>>> {
    array(py, [f.moment.array(), f.force.array()].concat(), &[6])
}

/// The ledger as a dict.
pub fn ledger<'py>(py: Python<'py>, total: &audit::Account) -> PyResult<Bound<'py, PyDict>> {
    let (out, work, momentum) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
    for line in audit::Line::ALL {
        work.set_item(line.word(), total.work(line))?;
    }
    for (word, force) in [
        ("gravity", total.gravity),
        ("reactions", total.reactions),
        ("stabilisation", total.stabilisation),
        ("integration", total.integration),
        ("change", total.momentum),
    ] {
        momentum.set_item(word, six(py, force)?)?;
    }
    out.set_item("work", work)?;
    out.set_item("kinetic_energy", total.kinetic)?;
    out.set_item("imbalance", total.imbalance())?;
    out.set_item("momentum", momentum)?;
    Ok(out)
}

/// Events and fallbacks, counted, as a dict.
pub fn tally<'py>(
    py: Python<'py>,
    tally: &Tally,
    touched: Option<ContactStatistics>,
) -> PyResult<Bound<'py, PyDict>> {
    let (events, fallbacks) = (PyList::empty(py), PyDict::new(py));
    for (kind, times) in tally.events() {
        let one = occurrence(py, times, "times")?;
        one.set_item("kind", kind.word())?;
        one.set_item("place", times.place)?;
        events.append(one)?;
    }
    for (fallback, times) in tally.fallbacks() {
        let one = occurrence(py, times, "steps")?;
        one.set_item("meaning", fallback.meaning())?;
        fallbacks.set_item(fallback.word(), one)?;
    }
    let out = PyDict::new(py);
    out.set_item("events", events)?;
    out.set_item("fallbacks", fallbacks)?;
    out.set_item("contacts", touched.map(|t| contact_statistics(py, t)).transpose()?)?;
    Ok(out)
}

fn contact_statistics(py: Python<'_>, t: ContactStatistics) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("most", t.most)?;
    out.set_item("collisions", t.collisions)?;
    out.set_item("residual", t.residual)?;
    out.set_item("penetration", t.penetration)?;
    out.set_item("rested", t.rested)?;
    out.set_item("unsolved", t.unsolved)?;
    Ok(out)
}

fn occurrence<'py>(py: Python<'py>, times: &Occurrence, word: &str) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item(word, times.times)?;
    out.set_item("first", times.first)?;
    out.set_item("at", &times.at)?;
    Ok(out)
}
