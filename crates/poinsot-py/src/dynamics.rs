//! `poinsot.Model`: its dynamics, for one state or one in each row.

use crate::array::{Rows, array};
use crate::model::PyModel;
use crate::scratch::Scratch;
use crate::states::{Kind, take};
use numpy::{PyArray1, PyArrayDyn};
use poinsot::algebra::V3;
use poinsot::constraint::Kkt;
use poinsot::dynamics::{At, BatchWorkspace, State};
use poinsot::formats::did_you_mean;
use poinsot::model::{BodyId, Model};
use poinsot::spatial::Pose;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub const Q: Kind = Kind::Configuration;
pub const V: Kind = Kind::Tangent("velocity");
pub const A: Kind = Kind::Tangent("acceleration");
pub const TAU: Kind = Kind::Tangent("force");

pub type Object<'py> = Bound<'py, PyAny>;
type Pair<'py> = (Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>);

/// The number of rows; none if all are single vectors. A single vector is combined with every row of the others.
fn rows_of(rows: &[Rows<'_>]) -> PyResult<Option<usize>> {
    let mut common: Option<(&str, usize)> = None;
    for Rows { name, count, .. } in rows {
        match (common, *count) {
            (Some((other, n)), Some(m)) if n != m => {
                let text = format!("{other} has {n} rows, but {name} has {m}; give as many");
                return Err(PyValueError::new_err(text));
            }
            (None, Some(m)) => common = Some((name, m)),
            _ => {}
        }
    }
    Ok(common.map(|(_, n)| n))
}

/// A copy with this many rows: other threads may change the array while we read.
fn copied(rows: &Rows<'_>, count: usize) -> PyResult<Vec<f64>> {
    let numbers = rows.numbers()?;
    Ok(if rows.count.is_some() { numbers.to_vec() } else { numbers.repeat(count) })
}

impl PyModel {
    /// Computes `size` numbers for each state.
    pub fn each<'py, const N: usize>(
        &self,
        py: Python<'py>,
        rows: [Rows<'py>; N],
        size: usize,
        f: impl Fn(&Model, &mut Scratch, [&[f64]; N], &mut [f64]) + Sync,
    ) -> PyResult<(Vec<f64>, Option<usize>)> {
        let Some(count) = rows_of(&rows)? else {
            let mut out = vec![0.0; size];
            let mut inputs = [&[] as &[f64]; N];
            for (input, row) in inputs.iter_mut().zip(&rows) {
                *input = row.numbers()?;
            }
            self.pool.with(|model, scratch| f(model, scratch, inputs, &mut out));
            return Ok((out, None));
        };
        let copies = rows.iter().map(|r| copied(r, count)).collect::<PyResult<Vec<_>>>()?;
        let widths: [usize; N] = std::array::from_fn(|i| rows[i].width);
        let mut out = vec![0.0; count * size];
        py.detach(|| {
            self.pool.with(|model, scratch| {
                for k in 0..count {
                    let input = |i: usize| &copies[i][k * widths[i]..(k + 1) * widths[i]];
                    f(model, scratch, std::array::from_fn(input), &mut out[k * size..(k + 1) * size]);
                }
            });
        });
        Ok((out, Some(count)))
    }

    /// As [`PyModel::each`], into an array: of `shape` for one state, with the rows before it for many.
    pub fn arrays<'py, const N: usize>(
        &self,
        py: Python<'py>,
        rows: [Rows<'py>; N],
        shape: &[usize],
        f: impl Fn(&Model, &mut Scratch, [&[f64]; N], &mut [f64]) + Sync,
    ) -> PyResult<Object<'py>> {
        let (numbers, count) = self.each(py, rows, shape.iter().product(), f)?;
        Ok(match (count, shape) {
            (None, []) => numbers[0].into_pyobject(py)?.into_any(),
            (None, _) => array(py, numbers, shape)?.into_any(),
            (Some(count), _) => array(py, numbers, &[&[count], shape].concat())?.into_any(),
        })
    }

    /// As [`PyModel::arrays`], eight states at a time.
    fn in_eights<'py>(
        &self,
        py: Python<'py>,
        rows: [Rows<'py>; 3],
        eight: impl Fn(&mut BatchWorkspace, &Model, [&[f64]; 3], &mut [f64]) + Sync,
        one: impl Fn(&Model, &mut Scratch, [&[f64]; 3], &mut [f64]) + Sync,
    ) -> PyResult<Object<'py>> {
        let nv = self.model.nv();
        let Some(count) = rows_of(&rows)? else { return self.arrays(py, rows, &[nv], one) };
        let copies = rows.iter().map(|r| copied(r, count)).collect::<PyResult<Vec<_>>>()?;
        let widths: [usize; 3] = std::array::from_fn(|i| rows[i].width);
        let mut out = vec![0.0; count * nv];
        py.detach(|| {
            self.pool.with(|model, scratch| {
                let input = |from: usize, to: usize| -> [&[f64]; 3] {
                    std::array::from_fn(|i| &copies[i][from * widths[i]..to * widths[i]])
                };
                let whole = count - count % 8;
                for k in (0..whole).step_by(8) {
                    eight(scratch.batch(model), model, input(k, k + 8), &mut out[k * nv..(k + 8) * nv]);
                }
                for k in whole..count {
                    one(model, scratch, input(k, k + 1), &mut out[k * nv..(k + 1) * nv]);
                }
            });
        });
        Ok(array(py, out, &[count, nv])?.into_any())
    }

    /// Numbers read off a model at each state.
    fn read<'py, const M: usize>(
        &self,
        py: Python<'py>,
        rows: [Rows<'py>; 2],
        shape: &[usize],
        read: impl Fn(At<'_>) -> [f64; M] + Sync,
    ) -> PyResult<Object<'py>> {
        self.arrays(py, rows, shape, |model, s, [q, v], out| {
            s.state.q.copy_from_slice(q);
            s.state.v.copy_from_slice(v);
            out.copy_from_slice(&read(s.workspace.at(model, &s.state)));
        })
    }

    /// As above, when velocities do not matter.
    fn read_still<'py, const M: usize>(
        &self,
        q: &Object<'py>,
        shape: &[usize],
        read: impl Fn(At<'_>) -> [f64; M] + Sync,
    ) -> PyResult<Object<'py>> {
        let rest = PyArray1::from_vec(q.py(), vec![0.0; self.model.nv()]).into_any();
        self.read(q.py(), [self.take(Q, "q", q)?, self.take(V, "v", &rest)?], shape, read)
    }

    fn jacobian_of<'py>(&self, q: &Object<'py>, body: BodyId, point: V3) -> PyResult<Object<'py>> {
        let nv = self.model.nv();
        self.arrays(q.py(), [self.take(Q, "q", q)?], &[6, nv], |model, s, [q], out| {
            s.state.q.copy_from_slice(q);
            s.state.v.fill(0.0);
            let at = s.workspace.at(model, &s.state);
            let jacobian = at.jacobian_at(body, at.pose(body).point(point));
            out.copy_from_slice(jacobian.transpose().as_slice());
        })
    }

    pub fn take<'py>(&self, kind: Kind, name: &'static str, x: &Object<'py>) -> PyResult<Rows<'py>> {
        take(&self.model, kind, name, x)
    }

    /// A body by its name or index.
    pub fn body(&self, body: &Object<'_>) -> PyResult<BodyId> {
        let bodies = self.model.bodies();
        if let Ok(name) = body.extract::<String>() {
            let found = self.model.body(&name);
            let close = did_you_mean(&name, bodies.iter().map(|b| b.name.as_str()));
            let advice = close.map_or(String::new(), |c| format!("; did you mean \"{c}\"?"));
            return found
                .ok_or_else(|| PyValueError::new_err(format!("there is no body \"{name}\"{advice}")));
        }
        let Ok(k) = body.extract::<i64>() else {
            return Err(PyTypeError::new_err("body: give the name or the index of a body"));
        };
        let found = usize::try_from(k).ok().and_then(|k| self.model.body_ids().nth(k));
        let last = bodies.len() - 1;
        let text = || format!("there is no body number {k}; the model has bodies 0 to {last}");
        found.ok_or_else(|| PyIndexError::new_err(text()))
    }
}

#[pymethods]
impl PyModel {
    /// The mass matrix M(q), shape (nv, nv), including rotor inertias (armature).
    fn mass_matrix<'py>(&self, q: &Object<'py>) -> PyResult<Object<'py>> {
        let nv = self.model.nv();
        self.arrays(q.py(), [self.take(Q, "q", q)?], &[nv, nv], |model, s, [q], out| {
            s.mass_matrix(model, q, out);
        })
    }

    /// The generalised forces M(q) a + bias(q, v) that accelerate the model with a at (q, v). Springs, dampers and actuators are not
    /// subtracted: they may supply part of these forces.
    fn inverse_dynamics<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
    ) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        self.in_eights(
            q.py(),
            rows,
            |b, model, [q, v, a], out| b.inverse_dynamics(model, q, v, a, out),
            |model, s, [q, v, a], out| s.workspace.inverse_dynamics(model, q, v, a, out),
        )
    }

    /// The acceleration of the model at (q, v) under the generalised forces tau and gravity: the inverse of
    /// inverse_dynamics.
    fn forward_dynamics<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        tau: &Object<'py>,
    ) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(TAU, "tau", tau)?];
        self.in_eights(
            q.py(),
            rows,
            |b, model, [q, v, tau], out| b.forward_dynamics(model, q, v, tau, out),
            |model, s, [q, v, tau], out| s.workspace.forward_dynamics(model, q, v, tau, out),
        )
    }

    /// inverse_dynamics by the trace form: the same forces from 4x4 transforms and mass tensors, computed independently.
    fn trace_inverse_dynamics<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
    ) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        self.arrays(q.py(), rows, &[self.model.nv()], |model, s, [q, v, a], out| {
            s.hierarchy(model).inverse_dynamics(q, v, a, &[], out);
        })
    }

    /// dL/dq of the Lagrangian L = kinetic energy - potential energy of gravity, at fixed velocities: the fictitious forces and gravity of
    /// Lagrange's equation d/dt (M v) = dL/dq + tau.
    fn lagrangian_force<'py>(&self, q: &Object<'py>, v: &Object<'py>) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?];
        self.arrays(q.py(), rows, &[self.model.nv()], |model, s, [q, v], out| {
            s.workspace.lagrangian_force(model, q, v, out);
        })
    }

    /// The 4x4 mass tensor of a body: the integral of (x, 1)(x, 1)^T over its mass, x in its own frame.
    fn mass_tensor<'py>(&self, body: &Object<'py>) -> PyResult<Object<'py>> {
        let tensor = self.model.bodies()[self.body(body)?.index()].inertia.mass_tensor();
        Ok(array(body.py(), tensor.rows().as_flattened().to_vec(), &[4, 4])?.into_any())
    }

    /// The equations [M -J^T; J 0] [a; lambda] = [f; -dJ/dt v] with all bodies free and all joints and constraints as rows of J, at (q, v)
    /// under the joint forces tau: a dict with matrix, rhs, solution, names of the unknowns, and how many of them are accelerations. lambda
    /// acts in the direction of increasing C; springs, dampers, actuators and soft constraints are not included.
    #[pyo3(signature = (q, v, tau=None))]
    fn kkt<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        tau: Option<&Object<'py>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = q.py();
        let one = |rows: Rows<'py>| match rows.count {
            None => Ok(rows.numbers()?.to_vec()),
            Some(_) => Err(PyValueError::new_err(format!(
                "{}: kkt is for one state; give a single vector",
                rows.name
            ))),
        };
        let state = State {
            q: one(self.take(Q, "q", q)?)?,
            v: one(self.take(V, "v", v)?)?,
            ..State::new(&self.model)
        };
        let tau = match tau {
            Some(tau) => one(self.take(TAU, "tau", tau)?)?,
            None => vec![0.0; self.model.nv()],
        };
        let kkt = Kkt::of(&self.model, &state, &tau).map_err(|e| PyValueError::new_err(e.to_string()))?;
        let n = kkt.names.len();
        let out = PyDict::new(py);
        out.set_item("matrix", array(py, kkt.matrix.transpose().as_slice().to_vec(), &[n, n])?)?;
        out.set_item("rhs", array(py, kkt.rhs.as_slice().to_vec(), &[n])?)?;
        out.set_item("solution", array(py, kkt.solution.as_slice().to_vec(), &[n])?)?;
        out.set_item("names", kkt.names)?;
        out.set_item("accelerations", kkt.accelerations)?;
        Ok(out)
    }

    /// The velocity of a point of a body in world axes; the point is given in the body's frame, its origin if not given.
    #[pyo3(signature = (q, v, body, point=None))]
    fn point_velocity<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        body: &Object<'py>,
        point: Option<[f64; 3]>,
    ) -> PyResult<Object<'py>> {
        let (body, point) = (self.body(body)?, V3::from(point.unwrap_or_default()));
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?];
        self.read(q.py(), rows, &[3], |at| at.velocity_at(body, at.pose(body).point(point)).lin.array())
    }

    /// The acceleration of a point of a body in world axes, without gravity, when the joints accelerate with a; the point is
    /// given in the body's frame, its origin if not given.
    #[pyo3(signature = (q, v, a, body, point=None))]
    fn point_acceleration<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
        body: &Object<'py>,
        point: Option<[f64; 3]>,
    ) -> PyResult<Object<'py>> {
        let (body, point) = (self.body(body)?, V3::from(point.unwrap_or_default()));
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        self.arrays(q.py(), rows, &[3], |model, s, [q, v, a], out| {
            s.state.q.copy_from_slice(q);
            s.state.v.copy_from_slice(v);
            let at = s.workspace.at(model, &s.state);
            let (arm, spin, of_body) =
                (at.pose(body).rot * point, at.velocity(body).ang, at.acceleration(body, a));
            let found = of_body.lin + of_body.ang.cross(arm) + spin.cross(spin.cross(arm));
            out.copy_from_slice(&found.array());
        })
    }

    /// The Coriolis, centrifugal and gravity forces: inverse_dynamics with zero acceleration.
    fn bias<'py>(&self, q: &Object<'py>, v: &Object<'py>) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?];
        self.arrays(q.py(), rows, &[self.model.nv()], |model, s, [q, v], out| {
            s.workspace.bias(model, q, v, out);
        })
    }

    /// The generalised forces that hold the model at rest at q: the bias at rest, and the gradient of the potential energy of gravity.
    fn gravity<'py>(&self, q: &Object<'py>) -> PyResult<Object<'py>> {
        self.arrays(q.py(), [self.take(Q, "q", q)?], &[self.model.nv()], |model, s, [q], out| {
            s.workspace.gravity(model, q, out);
        })
    }

    /// The kinetic energy, including that of rotors (armature).
    fn kinetic_energy<'py>(&self, q: &Object<'py>, v: &Object<'py>) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?];
        self.read(q.py(), rows, &[], |at| [at.kinetic_energy()])
    }

    /// The potential energy of gravity, relative to the world's origin, and of springs. Bodies that cannot move are not included.
    fn potential_energy<'py>(&self, q: &Object<'py>) -> PyResult<Object<'py>> {
        self.read_still(q, &[], |at| [at.potential_energy()])
    }

    /// The centre of mass, in the world, of all bodies that can move.
    fn com<'py>(&self, q: &Object<'py>) -> PyResult<Object<'py>> {
        self.read_still(q, &[3], |at| at.com().array())
    }

    /// The momentum in world axes: angular, about the world's origin, then linear.
    fn momentum<'py>(&self, q: &Object<'py>, v: &Object<'py>) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?];
        self.read(q.py(), rows, &[6], |at| {
            let (l, p) = (at.momentum().moment, at.momentum().force);
            [l.x, l.y, l.z, p.x, p.y, p.z]
        })
    }

    /// The Jacobian of a body, given by name or index, shape (6, nv), in world axes: jacobian(q, body) @ v is its
    /// angular velocity (rows 0 to 2), then the velocity of its origin, or of a point given in its frame (rows 3 to 5).
    #[pyo3(signature = (q, body, point=None))]
    fn jacobian<'py>(
        &self,
        q: &Object<'py>,
        body: &Object<'py>,
        point: Option<[f64; 3]>,
    ) -> PyResult<Object<'py>> {
        self.jacobian_of(q, self.body(body)?, V3::from(point.unwrap_or_default()))
    }
    /// The Jacobian of a site, in the same form as that of a body.
    fn site_jacobian<'py>(&self, q: &Object<'py>, site: &str) -> PyResult<Object<'py>> {
        let site = self.site(site)?;
        self.jacobian_of(q, site.body, site.pose.pos)
    }
    /// The pose of a site in the world: position and rotation, whose columns are its axes, as a 4x4 transform.
    fn site_pose<'py>(&self, q: &Object<'py>, site: &str) -> PyResult<Object<'py>> {
        let site = self.site(site)?;
        self.read_still(q, &[4, 4], |at| {
            let pose = at.pose(site.body) * site.pose;
            let ([x, y, z], p) = (pose.rot.rows(), pose.pos);
            let [a, b, c] = [x, y, z].map(|row| (row[0], row[1], row[2]));
            let last = [0.0, 0.0, 0.0, 1.0];
            let mut out = [0.0; 16];
            for (k, ((i, j, l), shift)) in [a, b, c].into_iter().zip([p.x, p.y, p.z]).enumerate() {
                out[4 * k..4 * k + 4].copy_from_slice(&[i, j, l, shift]);
            }
            out[12..].copy_from_slice(&last);
            out
        })
    }
    /// The velocity of a body in world axes: angular, then that of its origin.
    fn velocity<'py>(&self, q: &Object<'py>, v: &Object<'py>, body: &Object<'py>) -> PyResult<Object<'py>> {
        let body = self.body(body)?;
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?];
        self.read(q.py(), rows, &[6], |at| {
            let (w, u) = (at.velocity(body).ang, at.velocity(body).lin);
            [w.x, w.y, w.z, u.x, u.y, u.z]
        })
    }

    /// The poses of all bodies in the world: positions, shape (nbody, 3), and rotations, shape (nbody, 3, 3), whose
    /// columns are the body's axes in the world.
    fn forward_kinematics<'py>(&self, q: &Object<'py>) -> PyResult<Pair<'py>> {
        let (py, n) = (q.py(), self.model.bodies().len());
        let (numbers, count) = self.each(py, [self.take(Q, "q", q)?], 12 * n, |model, s, [q], out| {
            s.state.q.copy_from_slice(q);
            s.state.v.fill(0.0);
            let at = s.workspace.at(model, &s.state);
            for (body, cell) in model.body_ids().zip(out.chunks_exact_mut(12)) {
                write_pose(at.pose(body), cell);
            }
        })?;
        let part = |from: usize, to: usize| {
            numbers.chunks_exact(12).flat_map(|cell| cell[from..to].to_vec()).collect()
        };
        let shape = |tail: &[usize]| [count.as_slice(), &[n], tail].concat();
        Ok((array(py, part(0, 3), &shape(&[3]))?, array(py, part(3, 12), &shape(&[3, 3]))?))
    }

    /// The configuration after moving from q with the constant velocity v for the time dt.
    fn integrate<'py>(&self, q: &Object<'py>, v: &Object<'py>, dt: f64) -> PyResult<Object<'py>> {
        if !dt.is_finite() {
            return Err(PyValueError::new_err(format!("dt is {dt}; give a finite number of seconds")));
        }
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?];
        self.arrays(q.py(), rows, &[self.model.nq()], |model, _, [q, v], out| {
            out.copy_from_slice(q);
            model.integrate(out, v, dt);
        })
    }

    /// The velocity that moves q0 to q1 in unit time: integrate(q0, difference(q0, q1), 1) is q1.
    fn difference<'py>(&self, q0: &Object<'py>, q1: &Object<'py>) -> PyResult<Object<'py>> {
        let rows = [self.take(Q, "q0", q0)?, self.take(Q, "q1", q1)?];
        self.arrays(q0.py(), rows, &[self.model.nv()], |model, _, [from, to], out| {
            model.difference(from, to, out);
        })
    }

    /// A random configuration within the limits of the joints; without limits, within [-1, 1]. The same seed gives the
    /// same configuration on every machine.
    fn random_configuration<'py>(&self, py: Python<'py>, seed: u64) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.random_configuration(seed))
    }
}

fn write_pose(pose: Pose, cell: &mut [f64]) {
    cell[..3].copy_from_slice(&pose.pos.array());
    for (k, row) in pose.rot.rows().iter().enumerate() {
        cell[3 + 3 * k..6 + 3 * k].copy_from_slice(row);
    }
}
