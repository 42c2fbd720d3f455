//! Contact solvers on bare matrices.

use crate::array::{Rows, array};
use numpy::PyArrayDyn;
use poinsot::contact::{
    Certificate, Dense, Exact, Law, Lcp, LcpMethod, LcpSolution, Options, Pgs, Polyhedral, Problem,
};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;

/// The result of a contact solver.
///
/// reaction: the impulses, or forces; three for each contact, the normal first. velocity: W @ reaction + q.
/// status: "solved", "not unique", "no solution" or "unsolved"; reason: why there is no solution, or empty.
/// residual: the largest violation over the contacts, as a velocity, which is 0 only in a solution; floor: the part that may be round-off.
/// iterations: of all methods; stage: the method that found the solution.
/// normal_velocity, cone, complementarity, dissipation: the violation of each condition.
///
/// Entries are also available by name: answer["reaction"].
#[pyclass(name = "ContactSolution", module = "poinsot", frozen, get_all)]
pub struct PyContactSolution {
    reaction: Py<PyArrayDyn<f64>>,
    velocity: Py<PyArrayDyn<f64>>,
    status: &'static str,
    reason: &'static str,
    stage: &'static str,
    residual: f64,
    residual_rms: f64,
    floor: f64,
    iterations: usize,
    normal_velocity: f64,
    cone: f64,
    complementarity: f64,
    dissipation: f64,
}

/// The result of a solver for linear complementarity problems.
///
/// z and w = M @ z + q; status: "solved", "not unique", "no solution" or "unsolved", with a reason if there is no solution.
/// residual: the largest |min(z, w)|; floor: the part that may be round-off; iterations: the number of pivots.
///
/// Entries are also available by name: answer["z"].
#[pyclass(name = "LcpSolution", module = "poinsot", frozen, get_all)]
pub struct PyLcpSolution {
    z: Py<PyArrayDyn<f64>>,
    w: Py<PyArrayDyn<f64>>,
    status: &'static str,
    reason: &'static str,
    residual: f64,
    floor: f64,
    iterations: usize,
}

/// The attribute of this name, as an entry.
fn entry<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if name.starts_with('_') {
        return Err(PyKeyError::new_err(name.to_string()));
    }
    object.getattr(name).map_err(|_| PyKeyError::new_err(name.to_string()))
}

#[pymethods]
impl PyContactSolution {
    fn __getitem__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        entry(slf.as_any(), name)
    }
    fn __repr__(&self) -> String {
        let PyContactSolution { status, residual, iterations, stage, .. } = self;
        format!(
            "ContactSolution({status}, residual={residual:.1e}, iterations={iterations}, stage='{stage}')"
        )
    }
}

#[pymethods]
impl PyLcpSolution {
    fn __getitem__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        entry(slf.as_any(), name)
    }
    fn __repr__(&self) -> String {
        let PyLcpSolution { status, residual, iterations, .. } = self;
        format!("LcpSolution({status}, residual={residual:.1e}, iterations={iterations})")
    }
}

/// Solves the linear complementarity problem w = M z + q, w >= 0, z >= 0, w . z = 0.
///
/// method: "lemke", Lemke's method, or "dantzig", principal pivoting for positive semidefinite M and those with positive principal minors;
/// what it cannot decide is left to Lemke's.
#[pyfunction]
#[pyo3(signature = (M, q, method="lemke"), text_signature = "(M, q, method='lemke')")]
#[allow(non_snake_case)] // the letters of the problem
pub fn solve_lcp(
    py: Python<'_>,
    M: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    method: &str,
) -> PyResult<PyLcpSolution> {
    let (m, q) = (square("M", M, q)?, vector("q", q)?);
    let method: LcpMethod = method.parse().map_err(PyValueError::new_err)?;
    let (m, free) = (m.numbers()?.to_vec(), q.numbers()?.to_vec());
    let (answer, lcp) = py.detach(|| {
        let mut lcp = Lcp::default();
        (lcp.solve(&m, &free, method), lcp)
    });
    let LcpSolution { status, reason, residual, floor, pivots } = answer.map_err(value_error)?;
    let list = |x: &[f64]| Ok::<_, PyErr>(array(py, x.to_vec(), &[x.len()])?.unbind());
    Ok(PyLcpSolution {
        z: list(lcp.z())?,
        w: list(lcp.w())?,
        status: status.word(),
        reason,
        residual,
        floor,
        iterations: pivots,
    })
}

/// Solves contacts with Coulomb friction: u = W r + q, each contact open, sticking or sliding.
///
/// W: 3n x 3n, symmetric part positive semidefinite; q: 3n; three rows for each contact, the normal first. mu: one coefficient of friction
/// for all contacts, or one for each.
/// method: "exact", the true cone to round-off; "lcp", a cone with `facets` edges, by Lemke's method; "pgs", projected Gauss-Seidel sweeps.
/// tolerance: the residual that counts as solved, relative to the largest free velocity. sweeps: the maximum number of Gauss-Seidel sweeps.
/// start: initial reactions, for "exact" and "pgs".
#[pyfunction]
#[pyo3(signature = (W, q, mu, method="exact", *, tolerance=1e-10, facets=8, sweeps=None, start=None),
       text_signature = "(W, q, mu, method='exact', *, tolerance=1e-10, facets=8, sweeps=None, start=None)")]
#[allow(non_snake_case)] // the letters of the problem
#[allow(clippy::too_many_arguments)] // keywords of Python
pub fn solve_contact(
    py: Python<'_>,
    W: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    mu: &Bound<'_, PyAny>,
    method: &str,
    tolerance: f64,
    facets: usize,
    sweeps: Option<usize>,
    start: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyContactSolution> {
    let (w, q) = (square("W", W, q)?, vector("q", q)?);
    let n = q.width;
    if n % 3 != 0 {
        let text = format!("q has {n} entries: contacts have three each, the normal first");
        return Err(PyValueError::new_err(text));
    }
    let laws = laws(mu, n / 3)?;
    let mut options = Options { tolerance, refine: true, tell_uniqueness: true, ..Options::default() };
    options.most_sweeps = sweeps.unwrap_or(if method == "pgs" { 10_000 } else { options.most_sweeps });
    let mut impulse = match start {
        Some(start) => vector("start", start)?.numbers()?.to_vec(),
        None => vec![0.0; n],
    };
    let (w, free) = (w.numbers()?.to_vec(), q.numbers()?.to_vec());
    let mut velocity = vec![0.0; n];
    let solved = py.detach(|| {
        let matrix = Dense::new(n, &w)?;
        let problem = Problem { matrix: &matrix, free: &free, laws: &laws, compliance: &[] };
        problem.check()?;
        problem.check_definite()?;
        match method {
            "exact" => Exact::new(options).solve(&problem, &mut impulse, &mut velocity).map(Some),
            "pgs" => Pgs::new(options).solve(&problem, &mut impulse, &mut velocity).map(Some),
            "lcp" => Polyhedral::new(facets)?.solve(&problem, &mut impulse, &mut velocity).map(Some),
            _ => Ok(None),
        }
    });
    let Some(c) = solved.map_err(value_error)? else {
        let text = format!("unknown method '{method}': use 'exact', 'lcp' or 'pgs'");
        return Err(PyValueError::new_err(text));
    };
    answer(py, c, impulse, velocity)
}

fn answer(
    py: Python<'_>,
    c: Certificate,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
) -> PyResult<PyContactSolution> {
    let n = impulse.len();
    Ok(PyContactSolution {
        reaction: array(py, impulse, &[n])?.unbind(),
        velocity: array(py, velocity, &[n])?.unbind(),
        status: c.status.word(),
        reason: c.reason,
        stage: c.stage.word(),
        residual: c.residual,
        residual_rms: c.residual_rms,
        floor: c.floor,
        iterations: c.iterations(),
        normal_velocity: c.normal_velocity,
        cone: c.cone,
        complementarity: c.complementarity,
        dissipation: c.dissipation,
    })
}

/// One μ for all, or one for each.
fn laws(mu: &Bound<'_, PyAny>, contacts: usize) -> PyResult<Vec<Law>> {
    if mu.len().is_err() {
        return Ok(vec![Law::contact(mu.extract()?); contacts]);
    }
    let mu = vector("mu", mu)?;
    if mu.width != contacts {
        let text =
            format!("mu has {} entries for {contacts} contacts; give one for each, or a number", mu.width);
        return Err(PyValueError::new_err(text));
    }
    Ok(mu.numbers()?.iter().map(|mu| Law::contact(*mu)).collect())
}

fn vector<'py>(name: &'static str, x: &Bound<'py, PyAny>) -> PyResult<Rows<'py>> {
    let rows = Rows::new(name, x)?;
    if rows.count.is_some() {
        return Err(PyValueError::new_err(format!("{name} has two dimensions; give one vector")));
    }
    Ok(rows)
}

/// A matrix with as many rows and columns as q has entries.
fn square<'py>(name: &'static str, x: &Bound<'py, PyAny>, q: &Bound<'py, PyAny>) -> PyResult<Rows<'py>> {
    let (rows, n) = (Rows::new(name, x)?, vector("q", q)?.width);
    match rows.count {
        Some(count) if count == n && rows.width == n => Ok(rows),
        count => {
            let shape = count.map_or(format!("{}", rows.width), |c| format!("{c} x {}", rows.width));
            let text = format!("{name} is {shape}, and q has {n} entries: {name} must be {n} x {n}");
            Err(PyValueError::new_err(text))
        }
    }
}

fn value_error(error: poinsot::contact::ProblemError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
