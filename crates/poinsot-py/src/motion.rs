//! `poinsot.Simulation` at the present state: the motion of bodies and sites, and the readings of sensors.

use crate::array::array;
use crate::simulation::{Object, PySimulation, Vector};
use numpy::{PyArray1, PyArrayDyn};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, Frame};
use poinsot::spatial::{Motion, Pose};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

impl PySimulation {
    /// A frame at a point of a body.
    fn point_of(&self, body: &Object<'_>, point: Option<[f64; 3]>) -> PyResult<Frame> {
        let body: BodyId = self.model.get().body(body)?;
        Ok(Frame { body, pose: Pose::translation(point.map_or(V3::ZERO, V3::from)) })
    }
    fn pose_of<'py>(&self, py: Python<'py>, frame: Frame) -> PyResult<(Vector<'py>, Array<'py>)> {
        let pose = self.lock(py)?.simulation.at().pose(frame.body) * frame.pose;
        let rows = pose.rot.rows().concat();
        Ok((PyArray1::from_slice(py, &pose.pos.array()), array(py, rows, &[3, 3])?))
    }
    fn velocity_of<'py>(&self, py: Python<'py>, frame: Frame) -> PyResult<Vector<'py>> {
        let Motion { ang, lin } = {
            let running = &mut *self.lock(py)?;
            let at = running.simulation.at();
            at.velocity_at(frame.body, at.pose(frame.body).point(frame.pose.pos))
        };
        Ok(PyArray1::from_slice(py, &[ang.x, ang.y, ang.z, lin.x, lin.y, lin.z]))
    }
    fn jacobian_of<'py>(&self, py: Python<'py>, frame: Frame) -> PyResult<Array<'py>> {
        let jacobian = {
            let running = &mut *self.lock(py)?;
            let at = running.simulation.at();
            at.jacobian_at(frame.body, at.pose(frame.body).point(frame.pose.pos))
        };
        array(py, jacobian.transpose().as_slice().to_vec(), &[6, self.model.get().model.nv()])
    }
}

#[pymethods]
impl PySimulation {
    /// The pose of a body in the world now: position, and rotation, whose columns are its axes.
    fn pose<'py>(&self, body: &Object<'py>) -> PyResult<(Vector<'py>, Array<'py>)> {
        self.pose_of(body.py(), self.point_of(body, None)?)
    }
    /// The velocity of a body now, in world axes: angular, then that of its origin, or of a point given in its frame.
    #[pyo3(signature = (body, point=None))]
    fn velocity<'py>(&self, body: &Object<'py>, point: Option<[f64; 3]>) -> PyResult<Vector<'py>> {
        self.velocity_of(body.py(), self.point_of(body, point)?)
    }
    /// The Jacobian of a body now, shape (6, nv): jacobian(body, point) @ v is velocity(body, point).
    #[pyo3(signature = (body, point=None))]
    fn jacobian<'py>(&self, body: &Object<'py>, point: Option<[f64; 3]>) -> PyResult<Array<'py>> {
        self.jacobian_of(body.py(), self.point_of(body, point)?)
    }
    /// The pose of a site in the world now, as pose gives it.
    fn site_pose<'py>(&self, py: Python<'py>, site: &str) -> PyResult<(Vector<'py>, Array<'py>)> {
        self.pose_of(py, self.model.get().site(site)?)
    }
    /// The velocity of a site now, in world axes: angular, then that of its origin.
    fn site_velocity<'py>(&self, py: Python<'py>, site: &str) -> PyResult<Vector<'py>> {
        self.velocity_of(py, self.model.get().site(site)?)
    }
    /// The Jacobian of a site now, shape (6, nv): site_jacobian(site) @ v is site_velocity(site).
    fn site_jacobian<'py>(&self, py: Python<'py>, site: &str) -> PyResult<Array<'py>> {
        self.jacobian_of(py, self.model.get().site(site)?)
    }

    /// The reading of one sensor now, under the present controls and forces: an array of its numbers.
    fn sensor<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vector<'py>> {
        let model = self.model.get();
        let Some(id) = model.model.sensor(name) else { return Err(model.no_sensor(name)) };
        let reading = self.under_controls(py, |s| s.sense(id))?;
        Ok(PyArray1::from_vec(py, reading))
    }
    /// The readings of all sensors now: a dict of their names and arrays of numbers. model.refused_sensors has those of the file that are
    /// not evaluated.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let readings = self.under_controls(py, |s| s.sense_all())?;
        let all = PyDict::new(py);
        for (sensor, reading) in self.model.get().model.sensors().iter().zip(readings) {
            all.set_item(&sensor.name, PyArray1::from_vec(py, reading))?;
        }
        Ok(all)
    }
}

impl crate::model::PyModel {
    /// A site by its name.
    pub fn site(&self, name: &str) -> PyResult<Frame> {
        if let Some(id) = self.model.site(name) {
            return Ok(Frame::from(&self.model[id]));
        }
        let known = self.model.sites().iter().map(|s| s.name.as_str());
        let close = poinsot::formats::did_you_mean(name, known);
        let advice = close.map_or(String::new(), |c| format!("; did you mean \"{c}\"?"));
        Err(PyValueError::new_err(format!("there is no site \"{name}\"{advice}")))
    }
    /// Why there is no such sensor.
    fn no_sensor(&self, name: &str) -> PyErr {
        if let Some((_, why)) = self.refused.iter().find(|(refused, _)| refused == name) {
            return PyValueError::new_err(format!("sensor \"{name}\" is not evaluated: {why}"));
        }
        let close =
            poinsot::formats::did_you_mean(name, self.model.sensors().iter().map(|s| s.name.as_str()));
        let advice = close.map_or(String::new(), |c| format!("; did you mean \"{c}\"?"));
        PyValueError::new_err(format!("there is no sensor \"{name}\"{advice}"))
    }
}
