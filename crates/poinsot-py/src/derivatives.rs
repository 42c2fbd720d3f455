//! `poinsot.Model`: exact derivatives of the dynamics, and the regressor.

use crate::array::array;
use crate::dynamics::{A, Object, Q, TAU, V};
use crate::model::PyModel;
use numpy::PyArrayDyn;
use poinsot::dynamics::{Regressor, SquareView};
use poinsot::nalgebra::DMatrix;
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Three<'py> = (Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>);

/// Writes three matrices, one after the other, row by row.
fn write(matrices: [SquareView<'_>; 3], out: &mut [f64]) {
    let rows = matrices.iter().flat_map(|m| m.row_iter());
    let n = matrices[0].ncols().max(1);
    for (to, row) in out.chunks_exact_mut(n).zip(rows) {
        to.iter_mut().zip(row.iter()).for_each(|(to, x)| *to = *x);
    }
}

/// The numbers of three n × n matrices for each state as three arrays.
fn three<'py>(
    py: Python<'py>,
    (numbers, count): (Vec<f64>, Option<usize>),
    n: usize,
) -> PyResult<Three<'py>> {
    let shape = [count.as_slice(), &[n, n]].concat();
    let part = |k: usize| {
        let one = n * n;
        let states = numbers.chunks_exact(3 * one.max(1));
        array(py, states.flat_map(|s| s[k * one..(k + 1) * one].to_vec()).collect(), &shape)
    };
    Ok((part(0)?, part(1)?, part(2)?))
}

/// Matrices one after the other, row by row.
fn put(matrices: &[DMatrix<f64>], out: &mut [f64]) {
    let numbers = matrices.iter().flat_map(|m| m.transpose().as_slice().to_vec());
    out.iter_mut().zip(numbers).for_each(|(to, x)| *to = x);
}

/// The numbers of `count` matrices of six rows for each state, as arrays.
fn pieces<'py>(
    py: Python<'py>,
    (numbers, states): (&[f64], Option<usize>),
    count: usize,
    n: usize,
) -> PyResult<Vec<Bound<'py, PyArrayDyn<f64>>>> {
    let (shape, one) = ([states.as_slice(), &[6, n]].concat(), 6 * n);
    let part = |k: usize| {
        let all = numbers.chunks_exact((count * one).max(1));
        array(py, all.flat_map(|s| s[k * one..(k + 1) * one].to_vec()).collect(), &shape)
    };
    (0..count).map(part).collect()
}

fn sixes<'py>(
    py: Python<'py>,
    (numbers, states): (Vec<f64>, Option<usize>),
    n: usize,
) -> PyResult<Three<'py>> {
    let mut parts = pieces(py, (&numbers, states), 3, n)?.into_iter();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(a), Some(b), Some(c)) => Ok((a, b, c)),
        _ => Err(pyo3::exceptions::PyRuntimeError::new_err("three matrices")),
    }
}

#[pymethods]
impl PyModel {
    /// The derivatives of inverse_dynamics(q, v, a), exact to round-off: dtau/dq, dtau/dv and dtau/da = M, each (nv, nv). Column k of
    /// the first is along the k-th velocity: that of inverse_dynamics(integrate(q, e_k, h), v, a) by h at 0.
    fn inverse_dynamics_derivatives<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
    ) -> PyResult<Three<'py>> {
        let (py, n) = (q.py(), self.model.nv());
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        let found = self.each(py, rows, 3 * n * n, |model, s, [q, v, a], out| {
            let (workspace, d) = s.inverse_derivatives(model);
            workspace.inverse_dynamics_derivatives(model, q, v, a, d);
            write([d.by_position(), d.by_velocity(), d.by_acceleration()], out);
        })?;
        three(py, found, n)
    }

    /// The derivatives of forward_dynamics(q, v, tau), exact to round-off: da/dq, da/dv and da/dtau = M⁻¹, each (nv, nv); derivatives by
    /// q along velocities, as in inverse_dynamics_derivatives.
    fn forward_dynamics_derivatives<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        tau: &Object<'py>,
    ) -> PyResult<Three<'py>> {
        let (py, n) = (q.py(), self.model.nv());
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(TAU, "tau", tau)?];
        let found = self.each(py, rows, 3 * n * n, |model, s, [q, v, tau], out| {
            let (workspace, d) = s.forward_derivatives(model);
            workspace.forward_dynamics_derivatives(model, q, v, tau, d);
            write([d.by_position(), d.by_velocity(), d.by_force()], out);
        })?;
        three(py, found, n)
    }

    /// The derivatives of velocity(q, v, body) by q, and of acceleration(q, v, a, body) by q and v, each (6, nv), exact to round-off: rows angular, then
    /// linear at the body's origin, in world axes; columns by q along velocities. By the rates, both are jacobian(q, body).
    fn kinematics_derivatives<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
        body: &Object<'py>,
    ) -> PyResult<Three<'py>> {
        let (py, body) = (q.py(), self.body(body)?);
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        let found = self.each(py, rows, 18 * self.model.nv(), |model, s, [q, v, a], out| {
            s.state.q.copy_from_slice(q);
            s.state.v.copy_from_slice(v);
            let at = s.workspace.at(model, &s.state);
            let [by_q, by_v] = at.acceleration_derivatives(body, a);
            let parts = [at.velocity_derivatives(body), by_q, by_v];
            put(&parts, out);
        })?;
        sixes(py, found, self.model.nv())
    }

    /// The derivatives of the momentum h about the centre of mass and of its rate: dh/dq, d(dh/dt)/dq, d(dh/dt)/dv and the centroidal momentum
    /// matrix dh/dv = d(dh/dt)/da, each (6, nv); rows angular, then linear.
    fn centroidal_derivatives<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, n) = (q.py(), self.model.nv());
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        let (numbers, count) = self.each(py, rows, 24 * n, |model, s, [q, v, a], out| {
            s.state.q.copy_from_slice(q);
            s.state.v.copy_from_slice(v);
            let d = s.workspace.at(model, &s.state).centroidal_derivatives(a);
            put(
                &[d.momentum_by_position, d.momentum_by_velocity, d.rate_by_position, d.rate_by_velocity],
                out,
            );
        })?;
        let out = PyDict::new(py);
        let parts = pieces(py, (&numbers, count), 4, n)?;
        for (name, part) in ["dh_dq", "dh_dv", "dhdot_dq", "dhdot_dv"].into_iter().zip(parts) {
            out.set_item(name, part)?;
        }
        Ok(out)
    }

    /// The derivatives by q, v and a of the wrench that its joint transmits to a body (moment about the body's origin, then force, world axes)
    /// under no external forces but gravity, each (6, nv).
    fn reaction_derivatives<'py>(
        &self,
        q: &Object<'py>,
        v: &Object<'py>,
        a: &Object<'py>,
        body: &Object<'py>,
    ) -> PyResult<Three<'py>> {
        let (py, body) = (q.py(), self.body(body)?);
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        let found = self.each(py, rows, 18 * self.model.nv(), |model, s, [q, v, a], out| {
            s.state.q.copy_from_slice(q);
            s.state.v.copy_from_slice(v);
            put(&s.workspace.at(model, &s.state).reaction_derivatives(body, a).1, out);
        })?;
        sixes(py, found, self.model.nv())
    }

    /// The regressor Y at (q, v, a), shape (nv, 10 (nbody - 1)): Y @ inertial_parameters is inverse_dynamics(q, v, a) without the forces of rotors
    /// (armature times a). Ten columns for each body but the world: m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz.
    fn regressor<'py>(&self, q: &Object<'py>, v: &Object<'py>, a: &Object<'py>) -> PyResult<Object<'py>> {
        let shape = [self.model.nv(), 10 * (self.model.bodies().len() - 1)];
        let rows = [self.take(Q, "q", q)?, self.take(V, "v", v)?, self.take(A, "a", a)?];
        self.arrays(q.py(), rows, &shape, |model, s, [q, v, a], out| {
            let (workspace, y) = s.regressor(model);
            workspace.regressor(model, q, v, a, y);
            for (to, row) in out.chunks_exact_mut(shape[1].max(1)).zip(y.matrix().row_iter()) {
                to.iter_mut().zip(row.iter()).for_each(|(to, x)| *to = *x);
            }
        })
    }

    /// The ten inertial parameters of every body but the world, one after the other, about the body's origin in its axes: mass, first
    /// moment (3), rotational inertia (xx, xy, xz, yy, yz, zz).
    #[getter]
    fn inertial_parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let parameters = Regressor::parameters(&self.model);
        array(py, parameters.as_slice().to_vec(), &[parameters.len()])
    }

    /// The number of combinations of the inertial parameters that motions of the model can identify: the rank of many random regressors.
    #[getter]
    fn base_parameters(&self, py: Python<'_>) -> usize {
        py.detach(|| Regressor::base_parameters(&self.model))
    }
}
