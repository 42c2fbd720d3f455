//! Hierarchies whose nodes turn, slide, scale, stretch and shear.

use crate::array::{Rows, array};
use crate::error::StepError;
use crate::signals::Signals;
use numpy::PyArrayDyn;
use poinsot::algebra::V3;
use poinsot::hierarchy::{
    Affine, AffineBuilder, AffineDynamics, AffineError, AffineMethod, AffineState, Condition, NodeMotion,
};
use poinsot::model::{BodyId, Shape};
use poinsot::spatial::Pose;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;
type Triple = [f64; 3];

/// A hierarchy of nodes that may scale, stretch and shear as well as turn and slide; everything attached to a node deforms with it.
///
/// motions of a node, each in the frame moved by those before it: "turn y", "slide 1,0,1", "scale", "stretch z", "shear x z" (along x in
/// proportion to z), "squash z" (stretch at constant volume), "ball", "free", "affine" (twelve entries). Coordinates of scale, stretch and
/// squash are factors: 1 leaves the node unchanged.
#[pyclass(name = "AffineHierarchy", module = "poinsot")]
pub struct PyAffineHierarchy {
    dynamics: AffineDynamics,
}

/// A motion of a hierarchy: one row for each state, the first at the beginning.
///
/// time, q, v, energy, and transforms: a 4 x 4 matrix for each state and node, the world first.
#[pyclass(name = "AffinePath", module = "poinsot", frozen, get_all)]
pub struct PyAffinePath {
    time: Py<PyArrayDyn<f64>>,
    q: Py<PyArrayDyn<f64>>,
    v: Py<PyArrayDyn<f64>>,
    energy: Py<PyArrayDyn<f64>>,
    transforms: Py<PyArrayDyn<f64>>,
}

#[pymethods]
impl PyAffinePath {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.time.bind(py).len()
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("AffinePath({} states)", self.__len__(py)?))
    }
}

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error at a state is an event; anything else is a wrong value.
fn affine_error(error: AffineError) -> PyErr {
    match error {
        AffineError::Massless { .. } | AffineError::NotFinite { .. } | AffineError::Constraints { .. } => {
            StepError::new_err(error.to_string())
        }
        other => value_error(other),
    }
}

#[pymethods]
impl PyAffineHierarchy {
    #[new]
    #[pyo3(signature = (*, gravity=[0.0, 0.0, -9.81]), text_signature = "(*, gravity=(0.0, 0.0, -9.81))")]
    fn new(gravity: Triple) -> Self {
        let mut builder = AffineBuilder::new();
        builder.gravity(V3::from(gravity));
        PyAffineHierarchy { dynamics: AffineDynamics::new(builder.build()) }
    }

    /// Adds a node to an existing parent: the position of its frame, and its motions.
    #[pyo3(signature = (name, parent="world", *, at=[0.0; 3], motions=Vec::new()),
           text_signature = "($self, name, parent='world', *, at=(0.0, 0.0, 0.0), motions=())")]
    fn node(&mut self, name: &str, parent: &str, at: Triple, motions: Vec<String>) -> PyResult<()> {
        if self.dynamics.model().node(name).is_some() {
            return Err(PyValueError::new_err(format!("there is a node {name:?} already")));
        }
        let motions = motions.iter().map(|m| m.parse()).collect::<Result<Vec<NodeMotion>, String>>();
        let (parent, motions) = (self.named(parent)?, motions.map_err(value_error)?);
        self.change(|b| b.node(parent, name, Affine::from(V3::from(at)), &motions).map(|_| ()))
    }

    /// Adds a homogeneous solid to a node: shape "sphere" with size [radius], or "box" with full edges [x, y, z].
    #[pyo3(signature = (node, shape, size, mass, *, at=[0.0; 3]),
           text_signature = "($self, node, shape, size, mass, *, at=(0.0, 0.0, 0.0))")]
    fn solid(&mut self, node: &str, shape: &str, size: Vec<f64>, mass: f64, at: Triple) -> PyResult<()> {
        let shape = match (shape, &size[..]) {
            ("sphere", [radius]) => Shape::Sphere { radius: *radius },
            ("box", [x, y, z]) => Shape::Box { size: V3::new(*x, *y, *z) },
            _ => return Err(PyValueError::new_err("give a sphere with [radius], or a box with [x, y, z]")),
        };
        let (node, pose) = (self.named(node)?, Pose { pos: V3::from(at), ..Pose::IDENTITY });
        self.change(|b| b.solid(node, &shape, mass, pose).map(|_| ()))
    }

    /// Adds a spring with a damper along the k-th degree of freedom of a node.
    #[pyo3(signature = (node, k, stiffness, *, damping=0.0, rest=0.0))]
    fn spring(&mut self, node: &str, k: usize, stiffness: f64, damping: f64, rest: f64) -> PyResult<()> {
        let node = self.named(node)?;
        self.change(|b| {
            let dof = b.dof(node, k)?;
            b.spring(dof, stiffness, damping, rest).map(|_| ())
        })
    }

    /// Holds the point x of node a at the point y of node b, or of the world.
    #[pyo3(signature = (a, x, b="world", y=[0.0; 3]), text_signature = "($self, a, x, b='world', y=(0.0, 0.0, 0.0))")]
    fn hold_point(&mut self, a: &str, x: Triple, b: &str, y: Triple) -> PyResult<()> {
        let condition = Condition::Point { a: self.named(a)?, x: x.into(), b: self.named(b)?, y: y.into() };
        self.change(|b| b.constraint(condition).map(|_| ()))
    }
    /// Holds the distance between the point x of node a and the point y of node b.
    fn hold_distance(&mut self, a: &str, x: Triple, b: &str, y: Triple, length: f64) -> PyResult<()> {
        let (a, b) = (self.named(a)?, self.named(b)?);
        let condition = Condition::Distance { a, x: x.into(), b, y: y.into(), length };
        self.change(|b| b.constraint(condition).map(|_| ()))
    }
    /// Keeps the volume of a node at this many times its original one.
    #[pyo3(signature = (node, factor=1.0))]
    fn hold_volume(&mut self, node: &str, factor: f64) -> PyResult<()> {
        let condition = Condition::Volume { node: self.named(node)?, factor };
        self.change(|b| b.constraint(condition).map(|_| ()))
    }

    /// The number of coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.dynamics.model().nq()
    }
    /// The number of degrees of freedom.
    #[getter]
    fn nv(&self) -> usize {
        self.dynamics.model().nv()
    }
    /// The names of the nodes, the world first.
    #[getter]
    fn nodes(&self) -> Vec<String> {
        let model = self.dynamics.model();
        model.names().map(str::to_string).collect()
    }
    /// The coordinates at which nothing is deformed or moved.
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Array<'py>> {
        list(py, self.dynamics.model().rest())
    }

    /// The kinetic energy, half the trace of W_dot M W_dot^T over all nodes.
    fn kinetic_energy(&mut self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> PyResult<f64> {
        self.dynamics.kinetic_energy(&numbers("q", q)?, &numbers("v", v)?).map_err(affine_error)
    }
    /// The energy of gravity and springs.
    fn potential_energy(&mut self, q: &Bound<'_, PyAny>) -> PyResult<f64> {
        self.dynamics.potential_energy(&numbers("q", q)?).map_err(affine_error)
    }
    /// The sum of kinetic and potential energy.
    fn energy(&mut self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> PyResult<f64> {
        self.dynamics.energy(&numbers("q", q)?, &numbers("v", v)?).map_err(affine_error)
    }
    /// Momentum, and angular momentum about the origin.
    fn momentum<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<(Array<'py>, Array<'py>)> {
        let (p, l) = self.dynamics.momentum(&numbers("q", q)?, &numbers("v", v)?).map_err(affine_error)?;
        Ok((list(q.py(), p.array().to_vec())?, list(q.py(), l.array().to_vec())?))
    }
    /// The mass matrix.
    fn mass_matrix<'py>(&mut self, q: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        let m = self.dynamics.mass_matrix(&numbers("q", q)?).map_err(affine_error)?;
        array(q.py(), m.as_slice().to_vec(), &[m.nrows(), m.ncols()])
    }
    /// A 4 x 4 matrix for each node, the world first.
    fn transforms<'py>(&mut self, q: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        let w = self.dynamics.transforms(&numbers("q", q)?).map_err(affine_error)?;
        array(q.py(), w.iter().flat_map(|w| matrix(*w)).collect(), &[w.len(), 4, 4])
    }

    /// The generalised forces required for these accelerations in addition to gravity; springs and multipliers are not included.
    fn inverse_dynamics<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
    ) -> PyResult<Array<'py>> {
        let mut tau = vec![0.0; self.nv()];
        let (at, v, a) = (numbers("q", q)?, numbers("v", v)?, numbers("a", a)?);
        self.dynamics.inverse_dynamics(&at, &v, &a, &[], &mut tau).map_err(affine_error)?;
        list(q.py(), tau)
    }
    /// The accelerations under forces tau, springs, gravity and constraints.
    #[pyo3(signature = (q, v, tau=None))]
    fn forward_dynamics<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let a = self.accelerated(q, v, tau)?;
        list(q.py(), a)
    }
    /// The multipliers of the constraints for the same arguments.
    #[pyo3(signature = (q, v, tau=None))]
    fn multipliers<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        self.accelerated(q, v, tau)?;
        list(q.py(), self.dynamics.multipliers().to_vec())
    }
    /// C_j(q, v, a, multipliers): 0 along a motion.
    #[pyo3(signature = (q, v, a, multipliers, tau=None))]
    fn residual<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
        multipliers: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let (at, v, a) = (numbers("q", q)?, numbers("v", v)?, numbers("a", a)?);
        let lambda = numbers("multipliers", multipliers)?;
        let (tau, mut c) = (self.forces(tau)?, vec![0.0; self.nv()]);
        self.dynamics.residual(&at, &v, &a, &lambda, &tau, &[], &mut c).map_err(affine_error)?;
        list(q.py(), c)
    }
    /// The derivatives of the residual by q (along the degrees of freedom), v, a and the multipliers.
    fn jacobians<'py>(
        &mut self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
        multipliers: &Bound<'py, PyAny>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>, Array<'py>)> {
        let (at, v, a) = (numbers("q", q)?, numbers("v", v)?, numbers("a", a)?);
        let lambda = numbers("multipliers", multipliers)?;
        let j = self.dynamics.jacobians(&at, &v, &a, &lambda, &[]).map_err(affine_error)?;
        let [by_q, by_v, by_a, by_lambda] = [&j.q, &j.v, &j.a, &j.lambda]
            .map(|m| array(q.py(), m.transpose().as_slice().to_vec(), &[m.nrows(), m.ncols()]));
        Ok((by_q?, by_v?, by_a?, by_lambda?))
    }

    /// n steps of dt from (q, v), by "rk4" or "semi-implicit"; the initial state is projected onto the constraints.
    #[pyo3(signature = (q, v, dt, n, method="rk4"))]
    fn simulate(
        &mut self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        v: &Bound<'_, PyAny>,
        dt: f64,
        n: usize,
        method: &str,
    ) -> PyResult<PyAffinePath> {
        let method: AffineMethod = method.parse().map_err(value_error)?;
        let mut state = AffineState { time: 0.0, q: numbers("q", q)?, v: numbers("v", v)? };
        let (nq, nv, nodes) = (self.nq(), self.nv(), self.dynamics.model().nodes());
        let dynamics = &mut self.dynamics;
        let mut found: [Vec<f64>; 5] = std::array::from_fn(|_| Vec::new());
        let mut signals = Signals::new(n)?;
        let mut advance = |step: usize| -> Result<(), AffineError> {
            if step == 0 {
                dynamics.energy(&state.q, &state.v)?;
                dynamics.project(&mut state)?;
            } else {
                dynamics.step(method, &mut state, dt)?;
            }
            let [time, qs, vs, energy, transforms] = &mut found;
            time.push(state.time);
            qs.extend_from_slice(&state.q);
            vs.extend_from_slice(&state.v);
            energy.push(dynamics.energy(&state.q, &state.v)?);
            transforms.extend(dynamics.transforms(&state.q)?.iter().flat_map(|w| matrix(*w)));
            Ok(())
        };
        py.detach(|| {
            (0..=n).try_for_each(|step| {
                signals.check()?;
                advance(step).map_err(affine_error)
            })
        })?;
        let [time, q, v, energy, transforms] = found;
        Ok(PyAffinePath {
            time: list(py, time)?.unbind(),
            q: array(py, q, &[n + 1, nq])?.unbind(),
            v: array(py, v, &[n + 1, nv])?.unbind(),
            energy: list(py, energy)?.unbind(),
            transforms: array(py, transforms, &[n + 1, nodes, 4, 4])?.unbind(),
        })
    }

    fn __repr__(&self) -> String {
        let model = self.dynamics.model();
        format!("AffineHierarchy({} nodes, {} degrees of freedom)", model.nodes() - 1, model.nv())
    }
}

impl PyAffineHierarchy {
    fn named(&self, name: &str) -> PyResult<BodyId> {
        let found = self.dynamics.model().node(name);
        found.ok_or_else(|| PyValueError::new_err(format!("there is no node {name:?}")))
    }

    /// Changes a copy of the model, and keeps it if that succeeds.
    fn change(&mut self, f: impl FnOnce(&mut AffineBuilder) -> Result<(), AffineError>) -> PyResult<()> {
        let mut builder = AffineBuilder::from(self.dynamics.model().clone());
        f(&mut builder).map_err(affine_error)?;
        self.dynamics = AffineDynamics::new(builder.build());
        Ok(())
    }

    fn forces(&self, tau: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        tau.map_or_else(|| Ok(vec![0.0; self.nv()]), |tau| numbers("tau", tau))
    }

    fn accelerated(
        &mut self,
        q: &Bound<'_, PyAny>,
        v: &Bound<'_, PyAny>,
        tau: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<f64>> {
        let (q, v, tau) = (numbers("q", q)?, numbers("v", v)?, self.forces(tau)?);
        let mut a = vec![0.0; self.nv()];
        self.dynamics.forward_dynamics(&q, &v, &tau, &[], &mut a).map_err(affine_error)?;
        Ok(a)
    }
}

/// The rows of the 4 x 4 matrix.
fn matrix(w: Affine) -> [f64; 16] {
    let ([a, b, c], t) = (w.linear.rows(), w.shift);
    [a[0], a[1], a[2], t.x, b[0], b[1], b[2], t.y, c[0], c[1], c[2], t.z, 0.0, 0.0, 0.0, 1.0]
}

/// One vector of finite numbers.
fn numbers(name: &'static str, x: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let rows = Rows::new(name, x)?;
    let numbers = rows.numbers()?;
    if rows.count.is_some() || !numbers.iter().all(|x| x.is_finite()) {
        return Err(PyValueError::new_err(format!("{name} must be one vector of finite numbers")));
    }
    Ok(numbers.to_vec())
}

fn list(py: Python<'_>, numbers: Vec<f64>) -> PyResult<Array<'_>> {
    let n = numbers.len();
    array(py, numbers, &[n])
}
