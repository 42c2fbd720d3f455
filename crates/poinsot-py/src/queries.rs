//! `poinsot.Scene`: questions about the geoms of a model at one configuration.

use crate::builder::{Given, Keywords, Object, numbers, pose, vector};
use crate::builder_geoms::shape;
use crate::model::PyModel;
use crate::simulation::{PySimulation, Q};
use crate::states::take_one;
use numpy::{PyArray1, PyArrayDyn};
use poinsot::algebra::V3;
use poinsot::dynamics::{State, Workspace};
use poinsot::formats::did_you_mean;
use poinsot::model::{GeomId, Shape};
use poinsot::spatial::{Motion, Pose};
use poinsot_collide::{CollideError, Scene, Sweep, body_poses};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};

/// The geoms of a model in one configuration, for queries: what a ray hits, how far apart two geoms are, what a shape overlaps, and what it
/// hits as it moves. Made by Model.scene and Simulation.scene. It does not change when the simulation continues.
///
/// Geoms are given by name, or by their number in model.geoms; results contain these numbers. Geoms without contact are not included.
#[pyclass(name = "Scene", module = "poinsot", frozen)]
pub struct PyScene {
    model: Py<PyModel>,
    poses: Vec<Pose>,
    scene: Mutex<Scene>,
}

fn refused(error: &CollideError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn three<'py>(py: Python<'py>, x: V3) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, &x.array())
}

/// A distance that may be infinite.
fn distance(name: &str, most: f64) -> PyResult<f64> {
    if most >= 0.0 {
        return Ok(most.min(f64::MAX));
    }
    Err(PyValueError::new_err(format!("{name} is {most}; give a distance of 0 or more, m")))
}

impl PyScene {
    fn of(py: Python<'_>, model: Py<PyModel>, q: Vec<f64>) -> PyScene {
        let own = &model.get().model;
        let state = State { q, ..State::new(own) };
        let (mut workspace, mut poses) = (Workspace::new(own), Vec::new());
        body_poses(own, &workspace.at(own, &state), &mut poses);
        let compiled = model.get().shapes.get_or_init(|| py.detach(|| Scene::of_readable(own).0));
        let scene = Mutex::new(compiled.clone());
        PyScene { model, poses, scene }
    }

    fn ask<R>(&self, ask: impl FnOnce(&mut Scene) -> Result<R, CollideError>) -> PyResult<R> {
        let mut scene = self.scene.lock().unwrap_or_else(PoisonError::into_inner);
        ask(&mut scene).map_err(|e| refused(&e))
    }

    fn geom(&self, name: &str, given: &Object<'_>) -> PyResult<GeomId> {
        let model = &self.model.get().model;
        let mut ids = model.geom_ids();
        if let Ok(wanted) = given.extract::<String>() {
            if let Some(id) = ids.find(|id| model[*id].name == wanted) {
                return Ok(id);
            }
            let close = did_you_mean(&wanted, model.geoms().iter().map(|g| g.name.as_str()));
            let advice = close.map_or(String::new(), |c| format!("; did you mean \"{c}\"?"));
            return Err(PyValueError::new_err(format!("{name}: there is no geom \"{wanted}\"{advice}")));
        }
        let Ok(k) = given.extract::<usize>() else {
            return Err(PyTypeError::new_err(format!("{name}: give a geom by its name or number")));
        };
        let count = model.geoms().len();
        ids.nth(k)
            .ok_or_else(|| PyValueError::new_err(format!("{name}: there is no geom {k}; there are {count}")))
    }
}

/// A shape with its pose, from the arguments of `ModelBuilder.geom`.
fn placed(
    kind: &str,
    (pos, quat): (Given<'_, '_>, Given<'_, '_>),
    sizes: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Shape, Pose)> {
    let part = "the shape";
    let mut k = Keywords::of(part, sizes);
    let made = (shape(part, kind, &mut k)?, pose(part, pos, quat)?);
    k.finish(&format!("a {kind}"), &["pos", "quat"])?;
    Ok(made)
}

#[pymethods]
impl PyScene {
    /// The first geom that a ray hits within most metres, or None: a dict of geom, distance, position and normal (the outward normal of the
    /// geom). A ray that starts inside a geom hits it at distance 0.
    #[pyo3(signature = (start, direction, most=f64::INFINITY))]
    fn cast_ray<'py>(
        &self,
        start: &Object<'py>,
        direction: &Object<'py>,
        most: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let py = start.py();
        let from = V3::from(numbers::<3>("cast_ray", "start", start)?);
        let along = V3::from(numbers::<3>("cast_ray", "direction", direction)?);
        let most = distance("most", most)?;
        let Some(hit) = self.ask(|scene| scene.cast_ray(&self.poses, from, along, most))? else {
            return Ok(None);
        };
        let out = PyDict::new(py);
        out.set_item("geom", hit.geom.index())?;
        out.set_item("distance", hit.distance)?;
        out.set_item("position", three(py, hit.position))?;
        out.set_item("normal", three(py, hit.normal))?;
        Ok(Some(out))
    }

    /// The nearest points of two geoms, or None if they are farther apart than most metres: a dict of points (2, 3), normal (from the
    /// first to the second) and distance, which is negative if they overlap: minus the depth.
    #[pyo3(signature = (a, b, most=f64::INFINITY))]
    fn closest_points<'py>(
        &self,
        a: &Object<'py>,
        b: &Object<'py>,
        most: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (py, geoms) = (a.py(), [self.geom("a", a)?, self.geom("b", b)?]);
        let most = distance("most", most)?;
        let Some(found) = self.ask(|scene| scene.closest_points(&self.poses, geoms, most))? else {
            return Ok(None);
        };
        let out = PyDict::new(py);
        let points: Bound<'py, PyArrayDyn<f64>> =
            crate::array::array(py, found.points.map(V3::array).concat(), &[2, 3])?;
        out.set_item("points", points)?;
        out.set_item("normal", three(py, found.normal))?;
        out.set_item("distance", found.distance)?;
        Ok(Some(out))
    }

    /// The numbers of the geoms that a shape overlaps. shape, pos, quat and the sizes are those of ModelBuilder.geom, in the world.
    #[pyo3(signature = (shape, *, pos=None, quat=None, **sizes))]
    fn overlaps(
        &self,
        shape: &str,
        pos: Given<'_, '_>,
        quat: Given<'_, '_>,
        sizes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<usize>> {
        let (shape, at) = placed(shape, (pos, quat), sizes)?;
        let found = self.ask(|scene| scene.overlaps(&self.poses, &shape, at))?;
        Ok(found.into_iter().map(GeomId::index).collect())
    }

    /// The first geom that a shape hits while it moves for the given time, s, with a constant velocity, m/s, and angular velocity, rad/s, in
    /// world axes, while everything else is at rest; or None. A dict of geom, time, position and normal (from the shape to the geom).
    #[pyo3(signature = (shape, time, *, velocity, angular_velocity=None, pos=None, quat=None, **sizes))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn sweep_shape<'py>(
        &self,
        py: Python<'py>,
        shape: &str,
        time: f64,
        velocity: &Object<'py>,
        angular_velocity: Given<'_, 'py>,
        pos: Given<'_, 'py>,
        quat: Given<'_, 'py>,
        sizes: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (shape, at) = placed(shape, (pos, quat), sizes)?;
        let part = "sweep_shape";
        let lin = vector(part, "velocity", Some(velocity), V3::ZERO)?;
        let ang = vector(part, "angular_velocity", angular_velocity, V3::ZERO)?;
        let sweep = Sweep::new(at, Motion { ang, lin });
        let Some(hit) = self.ask(|scene| scene.sweep_shape(&self.poses, &shape, sweep, time))? else {
            return Ok(None);
        };
        let out = PyDict::new(py);
        out.set_item("geom", hit.geom.index())?;
        out.set_item("time", hit.time)?;
        out.set_item("position", three(py, hit.position))?;
        out.set_item("normal", three(py, hit.normal))?;
        Ok(Some(out))
    }
}

#[pymethods]
impl PyModel {
    /// The geoms at the configuration q (by default qpos0): for rays, distances, overlaps and sweeps.
    #[pyo3(signature = (q=None))]
    fn scene(this: Py<Self>, py: Python<'_>, q: Option<&Object<'_>>) -> PyResult<PyScene> {
        let own = this.get();
        let q = match q {
            Some(q) => take_one(&own.model, Q, "q", q)?.numbers()?.to_vec(),
            None => State::new(&own.model).q,
        };
        Ok(PyScene::of(py, this, q))
    }
}

#[pymethods]
impl PySimulation {
    /// The geoms at the current configuration: for rays, distances, overlaps and sweeps.
    fn scene(&self, py: Python<'_>) -> PyResult<PyScene> {
        let q = self.lock(py)?.simulation.state().q.clone();
        Ok(PyScene::of(py, self.model.clone_ref(py), q))
    }
}
