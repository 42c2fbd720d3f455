//! `poinsot.Model.solve_ik`: inverse kinematics.

use crate::array::{Rows, array};
use crate::dynamics::{Object, Q};
use crate::model::PyModel;
use numpy::PyArrayDyn;
use poinsot::algebra::{M3, V3};
use poinsot::inverse_kinematics::{InverseKinematics, Outcome, Search, Target, TargetError};
use poinsot::model::Frame;
use poinsot::spatial::{Pose, Quat};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The result of solve_ik. status is "converged", "unreachable" (a position is farther away than all links together are long) or "local
/// minimum" (no start came closer); errors has a row for each target, its distance (m) and angle (rad) at q, the centre of mass last; gap is
/// the largest |C| of the model's rigid constraints, such as closed loops (m or rad); error is the largest of all; at_limit names the
/// degrees of freedom at a limit.
#[pyclass(name = "IkSolution", module = "poinsot", frozen, get_all)]
pub struct PyIkSolution {
    q: Py<PyArrayDyn<f64>>,
    status: &'static str,
    errors: Py<PyArrayDyn<f64>>,
    error: f64,
    gap: f64,
    iterations: usize,
    starts: usize,
    at_limit: Vec<String>,
}

#[pymethods]
impl PyIkSolution {
    /// True if every target is reached.
    #[getter]
    fn converged(&self) -> bool {
        self.status == "converged"
    }
    fn __repr__(&self) -> String {
        let (status, error, starts) = (self.status, self.error, self.starts);
        format!(
            "IkSolution({status}, error {error:.1e}, {} iterations from {starts} starts)",
            self.iterations
        )
    }
}

fn refused(e: TargetError) -> PyErr {
    PyValueError::new_err(e.to_string())
}

/// A rotation from w x y z.
fn rotation(q: [f64; 4]) -> PyResult<M3> {
    let q = Quat { w: q[0], x: q[1], y: q[2], z: q[3] };
    if !q.norm().is_finite() || q.norm() == 0.0 {
        return Err(PyValueError::new_err("the quaternion of a target is 0 or not finite; give w, x, y, z"));
    }
    Ok(q.normalized().matrix())
}

/// The target of a frame: three numbers, seven, a 4x4 transform, or a pair of position and quaternion, one of which may be None.
fn target(frame: Frame, wanted: &Object<'_>) -> PyResult<Target> {
    if let Ok(pair) = wanted.cast::<PyTuple>()
        && pair.len() == 2
    {
        let (p, q): (Option<[f64; 3]>, Option<[f64; 4]>) = pair.extract()?;
        return match (p.map(V3::from), q.map(rotation).transpose()?) {
            (Some(p), None) => Ok(Target::Position(frame, p)),
            (None, Some(r)) => Ok(Target::Orientation(frame, r)),
            (Some(pos), Some(rot)) => Ok(Target::Pose(frame, Pose { rot, pos })),
            (None, None) => {
                Err(PyValueError::new_err("a target has neither position nor quaternion; give one"))
            }
        };
    }
    let rows = Rows::new("target", wanted)?;
    match (rows.count, rows.numbers()?) {
        (None, &[x, y, z]) => Ok(Target::Position(frame, V3::new(x, y, z))),
        (None, &[x, y, z, a, b, c, d]) => {
            Ok(Target::Pose(frame, Pose { rot: rotation([a, b, c, d])?, pos: V3::new(x, y, z) }))
        }
        (Some(4), &[a, b, c, x, d, e, f, y, g, h, i, z, ..]) if rows.width == 4 => {
            let rot = M3::from_rows([[a, b, c], [d, e, f], [g, h, i]]);
            Ok(Target::Pose(frame, Pose { rot, pos: V3::new(x, y, z) }))
        }
        _ => Err(PyValueError::new_err(
            "a target is x, y, z; or x, y, z, qw, qx, qy, qz; or a 4x4 transform; or a pair (position, quaternion)",
        )),
    }
}

impl PyModel {
    /// The frame of a target: a body or a site by name, a body by number, or a pair of body and point in its frame.
    fn frame(&self, of: &Object<'_>) -> PyResult<Frame> {
        if let Ok(pair) = of.cast::<PyTuple>() {
            if pair.len() != 2 {
                return Err(PyTypeError::new_err("a target is of a body, a site, or a pair (body, point)"));
            }
            let (body, point) = (self.body(&pair.get_item(0)?)?, pair.get_item(1)?.extract::<[f64; 3]>()?);
            return Ok(Frame { body, pose: Pose { rot: M3::IDENTITY, pos: point.into() } });
        }
        if let Ok(name) = of.extract::<String>()
            && self.model.body(&name).is_none()
            && let Some(site) = self.model.site(&name)
        {
            return Ok(Frame::from(&self.model.sites()[site.index()]));
        }
        Ok(Frame { body: self.body(of)?, pose: Pose::IDENTITY })
    }
}

#[pymethods]
impl PyModel {
    /// Finds a configuration within the limits of the joints that reaches the targets: a dict from a frame to its target in the world. The
    /// frame is a body or site by name, or a pair (body, point of its frame); the target is x, y, z; or x, y, z, qw, qx, qy, qz; or a 4x4
    /// transform; or a pair (position, quaternion), one of which may be None. `com` is a target for the centre of mass, `posture` a
    /// configuration to stay close to where the targets leave freedom. The search begins at q0, by default the model's own pose, and
    /// continues from a fixed sequence of random configurations: the same call gives the same bits.
    #[pyo3(signature = (targets, q0=None, *, com=None, posture=None, tolerance=1e-9, iterations=100, starts=64, limits=true, seed=0))]
    #[allow(clippy::too_many_arguments)] // by name, in Python
    fn solve_ik<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyDict>,
        q0: Option<Object<'py>>,
        com: Option<[f64; 3]>,
        posture: Option<Object<'py>>,
        tolerance: f64,
        iterations: usize,
        starts: usize,
        limits: bool,
        seed: u64,
    ) -> PyResult<PyIkSolution> {
        let mut wanted =
            targets.iter().map(|(of, x)| target(self.frame(&of)?, &x)).collect::<PyResult<Vec<_>>>()?;
        wanted.extend(com.map(|p| Target::CentreOfMass(p.into())));
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(PyValueError::new_err(format!("tolerance is {tolerance}; give a positive number")));
        }
        let start = match q0 {
            Some(q) => self.take(Q, "q0", &q)?.numbers()?.to_vec(),
            None => self.model.neutral(),
        };
        let posture = posture.map(|q| Ok::<_, PyErr>(self.take(Q, "posture", &q)?.numbers()?.to_vec()));
        let search = Search { tolerance, iterations, starts, seed, limits, posture: posture.transpose()? };
        let model = &self.model;
        let found = py.detach(|| InverseKinematics::new(model, &wanted)?.solve(&start, &search));
        let found = found.map_err(refused)?;
        let errors: Vec<f64> = found.deviations.iter().flat_map(|d| [d.distance, d.angle]).collect();
        let (rows, error) = (found.deviations.len(), found.error());
        Ok(PyIkSolution {
            status: match found.outcome {
                Outcome::Converged => "converged",
                Outcome::Unreachable => "unreachable",
                Outcome::LocalMinimum => "local minimum",
            },
            errors: array(py, errors, &[rows, 2])?.unbind(),
            error,
            gap: found.gap,
            iterations: found.iterations,
            starts: found.starts,
            at_limit: found.at_limit.iter().map(|k| self.model.dof_name(*k)).collect(),
            q: array(py, found.q, &[self.model.nq()])?.unbind(),
        })
    }
}
