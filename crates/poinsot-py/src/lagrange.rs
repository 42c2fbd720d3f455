//! Motion from energies given as text.

use crate::array::{Rows, array};
use crate::error::StepError;
use crate::signals::Signals;
use numpy::PyArrayDyn;
use poinsot::lagrange::{
    EquationsOfMotion, FormulaError, FormulaLagrangian, LagrangeError, LagrangeMethod, Phase, Rule,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub(crate) type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// A mechanical system given by its energies: K(q, q_dot) and U(q) as text, or atoms with masses at places given as text.
///
/// coordinates: their names; the velocity of th is th_dot. kinetic, potential: formulas of coordinates, velocities (K alone) and parameters,
/// with + - * / ^, brackets, pi, and sin cos tan asin acos atan atan2 sinh cosh tanh exp ln sqrt.
/// atoms: (mass, "x", "y", "z") each, whose kinetic energies are added to K; density: a formula of x, y, z, the potential energy per
/// kilogram at that point, added to U for each atom. constraints: formulas that stay 0.
///
/// Derivatives are exact: p = dK/dv, accelerations of d/dt dK/dv = dK/dq - dU/dq.
#[pyclass(name = "Lagrangian", module = "poinsot")]
pub struct PyLagrangian {
    equations: EquationsOfMotion<FormulaLagrangian>,
}

/// A motion: one row for each state, the first at the beginning.
///
/// time, q, v, p (momenta) and the energy p.v - L, which is conserved.
#[pyclass(name = "LagrangianPath", module = "poinsot", frozen, get_all)]
pub struct PyLagrangianPath {
    time: Py<PyArrayDyn<f64>>,
    q: Py<PyArrayDyn<f64>>,
    v: Py<PyArrayDyn<f64>>,
    p: Py<PyArrayDyn<f64>>,
    energy: Py<PyArrayDyn<f64>>,
}

#[pymethods]
impl PyLagrangianPath {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.time.bind(py).len()
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("LagrangianPath({} states)", self.__len__(py)?))
    }
}

pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A failure to solve is an event; anything else is a wrong value.
pub(crate) fn lagrange_error(error: LagrangeError) -> PyErr {
    match error {
        LagrangeError::Length { .. } | LagrangeError::Step(_) => value_error(error),
        other => StepError::new_err(other.to_string()),
    }
}

/// Parameters by name, in the order of their names.
pub(crate) fn parameters(parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, f64)>> {
    match parameters {
        Some(dict) => Ok(dict.extract::<std::collections::BTreeMap<String, f64>>()?.into_iter().collect()),
        None => Ok(Vec::new()),
    }
}

fn rule(word: &str) -> PyResult<Rule> {
    match word {
        "midpoint" => Ok(Rule::Midpoint),
        "trapezium" => Ok(Rule::Trapezium),
        _ => {
            Err(PyValueError::new_err(format!("there is no rule {word:?}; there are midpoint and trapezium")))
        }
    }
}

#[pymethods]
impl PyLagrangian {
    #[new]
    #[pyo3(signature = (coordinates, kinetic="0", potential="0", parameters=None, *, atoms=Vec::new(), density="0", constraints=Vec::new()),
           text_signature = "(coordinates, kinetic='0', potential='0', parameters=None, *, atoms=(), density='0', constraints=())")]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn new(
        coordinates: Vec<String>,
        kinetic: &str,
        potential: &str,
        parameters: Option<&Bound<'_, PyDict>>,
        atoms: Vec<(f64, String, String, String)>,
        density: &str,
        constraints: Vec<String>,
    ) -> PyResult<Self> {
        let parameters = crate::lagrange::parameters(parameters)?;
        let written = || -> Result<FormulaLagrangian, FormulaError> {
            let mut written = FormulaLagrangian::new(&coordinates, &parameters)?
                .kinetic_energy(kinetic)?
                .potential_energy(potential)?
                .density(density)?;
            for (mass, x, y, z) in &atoms {
                written = written.atom(*mass, [x, y, z])?;
            }
            constraints.iter().try_fold(written, |w, c| w.constraint(c))
        };
        Ok(PyLagrangian { equations: EquationsOfMotion::new(written().map_err(value_error)?) })
    }

    /// The names of the coordinates.
    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.equations.energies().names().to_vec()
    }

    /// K(q, v).
    fn kinetic_energy(&self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> PyResult<f64> {
        Ok(self.equations.kinetic_energy(&self.vector("q", q)?, &self.vector("v", v)?))
    }
    /// U(q).
    fn potential_energy(&self, q: &Bound<'_, PyAny>) -> PyResult<f64> {
        Ok(self.equations.potential_energy(&self.vector("q", q)?))
    }
    /// L = K - U.
    fn lagrangian(&self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> PyResult<f64> {
        Ok(self.equations.lagrangian(&self.vector("q", q)?, &self.vector("v", v)?))
    }
    /// p.v - L: K + U if K is quadratic in the velocities.
    fn energy(&mut self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (q, v) = (self.vector("q", q)?, self.vector("v", v)?);
        Ok(self.equations.energy(&q, &v))
    }

    /// p = dK/dv.
    fn momentum<'py>(&mut self, q: &Bound<'py, PyAny>, v: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        self.at(q, v, |e, q, v, out| e.momentum(q, v, out))
    }
    /// The fictitious force dK/dq.
    fn fictitious_force<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Array<'py>> {
        self.at(q, v, |e, q, v, out| e.fictitious_force(q, v, out))
    }
    /// The force -dU/dq.
    fn force<'py>(&mut self, q: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        self.at(q, q, |e, q, _, out| e.potential_force(q, out))
    }
    /// The velocity for a momentum, subject to the constraints; v: the initial guess, if K is not quadratic in the velocities.
    #[pyo3(signature = (q, p, v=None))]
    fn velocity<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        p: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let (at, p) = (self.vector("q", q)?, self.vector("p", p)?);
        let mut v = v.map_or_else(|| Ok(vec![0.0; at.len()]), |v| self.vector("v", v))?;
        self.equations.velocity(&at, &p, &mut v).map_err(lagrange_error)?;
        list(q.py(), v)
    }
    /// The metric d2K/dv2: the mass matrix.
    #[pyo3(signature = (q, v=None))]
    fn metric<'py>(&mut self, q: &Bound<'py, PyAny>, v: Option<&Bound<'py, PyAny>>) -> PyResult<Array<'py>> {
        let at = self.vector("q", q)?;
        let v = v.map_or_else(|| Ok(vec![0.0; at.len()]), |v| self.vector("v", v))?;
        let b = self.equations.metric(&at, &v);
        // it is symmetric, so columns are rows
        array(q.py(), b.as_slice().to_vec(), &[at.len(), at.len()])
    }
    /// The accelerations; tau: further generalised forces.
    #[pyo3(signature = (q, v, tau=None))]
    fn acceleration<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let a = self.accelerated(q, v, tau)?;
        list(q.py(), a)
    }
    /// The multipliers of the constraints: forces in the direction of increasing C, at the accelerations for the same arguments.
    #[pyo3(signature = (q, v, tau=None))]
    fn multipliers<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        self.accelerated(q, v, tau)?;
        list(q.py(), self.equations.multipliers().to_vec())
    }
    /// d/dt dL/dv - dL/dq at these accelerations: the forces that must be applied, 0 along a free motion.
    fn euler_lagrange<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
    ) -> PyResult<Array<'py>> {
        let a = self.vector("a", a)?;
        self.at(q, v, |e, q, v, out| e.euler_lagrange(q, v, &a, out))
    }

    /// The action of a path, one point in each row at intervals of dt; rule: "midpoint" or "trapezium".
    #[pyo3(signature = (path, dt, rule="midpoint"))]
    fn action(&mut self, path: &Bound<'_, PyAny>, dt: f64, rule: &str) -> PyResult<f64> {
        let points = self.path(path)?;
        self.equations.action(crate::lagrange::rule(rule)?, &points, dt).map_err(lagrange_error)
    }
    /// The derivative of the action with respect to every point of the path but its ends: 0 along a motion.
    #[pyo3(signature = (path, dt, rule="midpoint"))]
    fn first_variation<'py>(
        &mut self,
        path: &Bound<'py, PyAny>,
        dt: f64,
        rule: &str,
    ) -> PyResult<Array<'py>> {
        let points = self.path(path)?;
        let rule = crate::lagrange::rule(rule)?;
        let variation = self.equations.first_variation(rule, &points, dt).map_err(lagrange_error)?;
        let shape = [variation.len(), self.equations.coordinates()];
        array(path.py(), variation.concat(), &shape)
    }

    /// n steps of dt from (q, v), by "variational-4", "midpoint", "verlet", "rk4" or "semi-implicit".
    #[pyo3(signature = (q, v, dt, n, method="variational-4"))]
    fn simulate(
        &mut self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        v: &Bound<'_, PyAny>,
        dt: f64,
        n: usize,
        method: &str,
    ) -> PyResult<PyLagrangianPath> {
        let (q, v) = (self.vector("q", q)?, self.vector("v", v)?);
        let method: LagrangeMethod = method.parse().map_err(value_error)?;
        let equations = &mut self.equations;
        let mut signals = Signals::new(n)?;
        let path = py.detach(|| {
            let mut path = vec![Phase::new(equations, &q, &v).map_err(lagrange_error)?];
            for k in 0..n {
                signals.check()?;
                let mut next = path[k].clone();
                equations.step(method, &mut next, dt).map_err(lagrange_error)?;
                path.push(next);
            }
            Ok::<_, PyErr>(path)
        })?;
        let energy: Vec<f64> = path.iter().map(|p| equations.energy(&p.q, &p.v)).collect();
        let rows = |of: fn(&Phase) -> &Vec<f64>| {
            let all: Vec<f64> = path.iter().flat_map(|p| of(p).iter().copied()).collect();
            Ok::<_, PyErr>(array(py, all, &[path.len(), q.len()])?.unbind())
        };
        Ok(PyLagrangianPath {
            time: list(py, path.iter().map(|p| p.time).collect())?.unbind(),
            q: rows(|p| &p.q)?,
            v: rows(|p| &p.v)?,
            p: rows(|p| &p.p)?,
            energy: list(py, energy)?.unbind(),
        })
    }

    fn __repr__(&self) -> String {
        let (names, rows) = (self.equations.energies().names().join(", "), self.equations.constraints());
        format!("Lagrangian({names}; {rows} constraints)")
    }
}

impl PyLagrangian {
    /// A vector with as many finite numbers as there are coordinates.
    fn vector(&self, name: &'static str, x: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let (rows, n) = (Rows::new(name, x)?, self.equations.coordinates());
        if rows.count.is_some() || rows.width != n {
            return Err(PyValueError::new_err(format!("{name} must be one vector of {n} numbers")));
        }
        finite(name, rows.numbers()?)
    }

    fn path(&self, x: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f64>>> {
        let (rows, n) = (Rows::new("path", x)?, self.equations.coordinates());
        if rows.count.is_none() || rows.width != n {
            return Err(PyValueError::new_err(format!("path must have {n} numbers in each row")));
        }
        Ok(finite("path", rows.numbers()?)?.chunks_exact(n).map(<[f64]>::to_vec).collect())
    }

    fn at<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        f: impl FnOnce(&mut EquationsOfMotion<FormulaLagrangian>, &[f64], &[f64], &mut [f64]),
    ) -> PyResult<Array<'py>> {
        let (at, v) = (self.vector("q", q)?, self.vector("v", v)?);
        let mut out = vec![0.0; at.len()];
        f(&mut self.equations, &at, &v, &mut out);
        list(q.py(), out)
    }

    fn accelerated(
        &mut self,
        q: &Bound<'_, PyAny>,
        v: &Bound<'_, PyAny>,
        tau: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<f64>> {
        let (q, v) = (self.vector("q", q)?, self.vector("v", v)?);
        let tau = tau.map_or_else(|| Ok(Vec::new()), |tau| self.vector("tau", tau))?;
        let mut a = vec![0.0; q.len()];
        self.equations.forced_acceleration(&q, &v, &tau, &mut a).map_err(lagrange_error)?;
        Ok(a)
    }
}

pub(crate) fn finite(name: &str, numbers: &[f64]) -> PyResult<Vec<f64>> {
    if numbers.iter().all(|x| x.is_finite()) {
        Ok(numbers.to_vec())
    } else {
        Err(PyValueError::new_err(format!("{name} has a number that is not finite")))
    }
}

pub(crate) fn list(py: Python<'_>, numbers: Vec<f64>) -> PyResult<Array<'_>> {
    let n = numbers.len();
    array(py, numbers, &[n])
}
