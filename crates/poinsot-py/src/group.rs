//! Motion on products of rotations, poses and shifts, from energies given as text.

use crate::array::{Rows, array};
use crate::lagrange::{Array, finite, lagrange_error, list, value_error};
use crate::signals::Signals;
use numpy::PyArrayDyn;
use poinsot::algebra::V3;
use poinsot::lagrange::{Factor, FormulaOnGroup, GroupEquation, GroupPhase, OnGroup};
use poinsot::spatial::{Pose, Quat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A mechanical system on a product of rotations, poses and shifts, given by its energies as text.
///
/// factors: what each is, by name: {"body": "pose", "ball": "shift"}; "rotation", "pose" or "shift". kinetic, potential: formulas, as those
/// of Lagrangian. For a factor named a, a_wx a_wy a_wz are its angular velocity in body axes; a_vx a_vy a_vz its velocity, of a pose in body
/// axes, of a shift in world axes; a_rxx a_rxy ... a_rzz its rotation matrix, body to world (row, column); a_x a_y a_z its position. U has
/// no velocities.
///
/// equation: "euler-poincare", d/dt dK/dxi = ad*_xi dK/dxi + ...; or "without-bracket", which omits ad*_xi: it looks like Lagrange's
/// equation, is wrong, and loses the momentum in space.
#[pyclass(name = "GroupLagrangian", module = "poinsot")]
pub struct PyGroupLagrangian {
    equations: OnGroup<FormulaOnGroup>,
}

/// A motion on a group: one row for each state, the first at the beginning.
///
/// time; g: x, y, z and the quaternion w, x, y, z of each factor; xi: velocities, factor by factor; p: momenta dK/dxi in body axes;
/// spatial_momentum: about the world's origin and linear, for each factor; and energy.
#[pyclass(name = "GroupPath", module = "poinsot", frozen, get_all)]
pub struct PyGroupPath {
    time: Py<PyArrayDyn<f64>>,
    g: Py<PyArrayDyn<f64>>,
    xi: Py<PyArrayDyn<f64>>,
    p: Py<PyArrayDyn<f64>>,
    spatial_momentum: Py<PyArrayDyn<f64>>,
    energy: Py<PyArrayDyn<f64>>,
}

#[pymethods]
impl PyGroupPath {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.time.bind(py).len()
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("GroupPath({} states)", self.__len__(py)?))
    }
}

/// The numbers of a pose: position and quaternion.
const POSE: usize = 7;
/// The numbers of a momentum: about the origin, and linear.
const FORCE: usize = 6;

#[pymethods]
impl PyGroupLagrangian {
    #[new]
    #[pyo3(signature = (factors, kinetic, potential="0", parameters=None))]
    fn new(
        factors: &Bound<'_, PyDict>,
        kinetic: &str,
        potential: &str,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let named = |(name, word): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let factor = word.extract::<String>()?.parse::<Factor>().map_err(value_error)?;
            Ok::<_, PyErr>((name.extract::<String>()?, factor))
        };
        let factors = factors.iter().map(named).collect::<PyResult<Vec<(String, Factor)>>>()?;
        let parameters = crate::lagrange::parameters(parameters)?;
        let energies =
            FormulaOnGroup::parse(&factors, kinetic, potential, &parameters).map_err(value_error)?;
        Ok(PyGroupLagrangian { equations: OnGroup::new(energies) })
    }

    /// The names of the factors.
    #[getter]
    fn factors(&self) -> Vec<String> {
        self.equations.energies().names().to_vec()
    }

    /// K + U; g: position and quaternion of each factor, by default at the origin.
    #[pyo3(signature = (xi, g=None))]
    fn energy(&self, xi: &Bound<'_, PyAny>, g: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
        Ok(self.equations.energy(&self.phase(xi, g)?))
    }
    /// dK/dxi, in body axes.
    #[pyo3(signature = (xi, g=None))]
    fn momentum<'py>(&self, xi: &Bound<'py, PyAny>, g: Option<&Bound<'py, PyAny>>) -> PyResult<Array<'py>> {
        let at = self.phase(xi, g)?;
        list(xi.py(), self.equations.momentum(&at.g, &at.xi))
    }
    /// The momentum in space of each factor: about the world's origin, and linear.
    #[pyo3(signature = (xi, g=None))]
    fn spatial_momentum<'py>(
        &self,
        xi: &Bound<'py, PyAny>,
        g: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let at = self.phase(xi, g)?;
        array(xi.py(), self.in_space(&at), &[at.g.len(), FORCE])
    }
    /// The metric d2K/dxi2.
    #[pyo3(signature = (xi, g=None))]
    fn metric<'py>(&self, xi: &Bound<'py, PyAny>, g: Option<&Bound<'py, PyAny>>) -> PyResult<Array<'py>> {
        let (at, n) = (self.phase(xi, g)?, self.equations.dimension());
        // it is symmetric, so columns are rows
        array(xi.py(), self.equations.metric(&at.g, &at.xi).as_slice().to_vec(), &[n, n])
    }
    /// b times the covariant derivative of xi at the rates rate: 0 along a geodesic, -dU along a motion.
    #[pyo3(signature = (xi, rate, g=None))]
    fn covariant_force<'py>(
        &self,
        xi: &Bound<'py, PyAny>,
        rate: &Bound<'py, PyAny>,
        g: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let (at, rate) = (self.phase(xi, g)?, self.velocities("rate", rate)?);
        list(xi.py(), self.equations.covariant_force(&at.g, &at.xi, &rate))
    }
    /// -dU, along the velocities.
    #[pyo3(signature = (g=None))]
    fn force<'py>(&self, py: Python<'py>, g: Option<&Bound<'py, PyAny>>) -> PyResult<Array<'py>> {
        list(py, self.equations.potential_force(&self.poses(g)?))
    }
    /// The rates of xi.
    #[pyo3(signature = (xi, g=None, equation="euler-poincare"))]
    fn acceleration<'py>(
        &mut self,
        xi: &Bound<'py, PyAny>,
        g: Option<&Bound<'py, PyAny>>,
        equation: &str,
    ) -> PyResult<Array<'py>> {
        let at = self.phase(xi, g)?;
        let mut rate = vec![0.0; at.xi.len()];
        self.equations.set_equation(equation.parse().map_err(value_error)?);
        self.equations.acceleration(&at.g, &at.xi, &mut rate).map_err(lagrange_error)?;
        list(xi.py(), rate)
    }

    /// n fourth-order steps of dt from the velocities xi and the poses g.
    #[pyo3(signature = (xi, dt, n, g=None, equation="euler-poincare"))]
    fn simulate(
        &mut self,
        py: Python<'_>,
        xi: &Bound<'_, PyAny>,
        dt: f64,
        n: usize,
        g: Option<&Bound<'_, PyAny>>,
        equation: &str,
    ) -> PyResult<PyGroupPath> {
        let first = self.phase(xi, g)?;
        let equation: GroupEquation = equation.parse().map_err(value_error)?;
        self.equations.set_equation(equation);
        let equations = &mut self.equations;
        let mut signals = Signals::new(n)?;
        let path = py.detach(|| {
            let mut path = vec![first];
            for k in 0..n {
                signals.check()?;
                let mut next = path[k].clone();
                equations.step(&mut next, dt).map_err(lagrange_error)?;
                path.push(next);
            }
            Ok::<_, PyErr>(path)
        })?;
        let (count, factors, dimension) = (path.len(), path[0].g.len(), self.equations.dimension());
        let rows = |shape: &[usize], of: &dyn Fn(&GroupPhase) -> Vec<f64>| {
            Ok::<_, PyErr>(array(py, path.iter().flat_map(of).collect(), shape)?.unbind())
        };
        Ok(PyGroupPath {
            time: rows(&[count], &|at| vec![at.time])?,
            g: rows(&[count, factors, POSE], &|at| at.g.iter().flat_map(numbers).collect())?,
            xi: rows(&[count, dimension], &|at| at.xi.clone())?,
            p: rows(&[count, dimension], &|at| self.equations.momentum(&at.g, &at.xi))?,
            spatial_momentum: rows(&[count, factors, FORCE], &|at| self.in_space(at))?,
            energy: rows(&[count], &|at| vec![self.equations.energy(at)])?,
        })
    }

    fn __repr__(&self) -> String {
        format!("GroupLagrangian({})", self.equations.energies().names().join(", "))
    }
}

impl PyGroupLagrangian {
    fn phase(&self, xi: &Bound<'_, PyAny>, g: Option<&Bound<'_, PyAny>>) -> PyResult<GroupPhase> {
        Ok(GroupPhase { time: 0.0, g: self.poses(g)?, xi: self.velocities("xi", xi)? })
    }

    fn velocities(&self, name: &'static str, x: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let (rows, n) = (Rows::new(name, x)?, self.equations.dimension());
        if rows.count.is_some() || rows.width != n {
            return Err(PyValueError::new_err(format!("{name} must be one vector of {n} numbers")));
        }
        finite(name, rows.numbers()?)
    }

    /// One pose for each factor; at the origin if none are given.
    fn poses(&self, g: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Pose>> {
        let factors = self.equations.energies().names().len();
        let Some(g) = g else { return Ok(vec![Pose::IDENTITY; factors]) };
        let rows = Rows::new("g", g)?;
        if rows.width != POSE || rows.count.unwrap_or(1) != factors {
            return Err(PyValueError::new_err(format!(
                "g must have {factors} rows of {POSE} numbers: position, and quaternion w x y z"
            )));
        }
        finite("g", rows.numbers()?)?.chunks_exact(POSE).map(pose).collect()
    }

    fn in_space(&self, at: &GroupPhase) -> Vec<f64> {
        let momenta = self.equations.spatial_momentum(at);
        momenta.into_iter().flat_map(|m| m.moment.array().into_iter().chain(m.force.array())).collect()
    }
}

fn pose(x: &[f64]) -> PyResult<Pose> {
    let turned = Quat { w: x[3], x: x[4], y: x[5], z: x[6] };
    if turned.norm() > 0.0 {
        Ok(Pose { rot: turned.normalized().matrix(), pos: V3::new(x[0], x[1], x[2]) })
    } else {
        Err(PyValueError::new_err("a quaternion in g is 0, which is not an attitude"))
    }
}

fn numbers(pose: &Pose) -> Vec<f64> {
    pose.pos.array().into_iter().chain(Quat::from_matrix(pose.rot).array()).collect()
}
