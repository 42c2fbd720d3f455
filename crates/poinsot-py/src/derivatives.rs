//! `poinsot.Model`: exact derivatives of the dynamics, and the regressor.

use crate::array::array;
use crate::dynamics::{A, Object, Q, TAU, V};
use crate::model::PyModel;
use numpy::PyArrayDyn;
use poinsot::dynamics::{Regressor, SquareView};
use pyo3::prelude::*;

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

    /// The regressor Y at (q, v, a), shape (nv, 10 (nbody - 1)): Y @ inertial_parameters is inverse_dynamics(q, v, a) less what rotors
    /// (armature times a) take. Ten columns for each body but the world: m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz.
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

    /// How many combinations of the inertial parameters any motion of the model can tell apart: the rank of many random regressors.
    #[getter]
    fn base_parameters(&self, py: Python<'_>) -> usize {
        py.detach(|| Regressor::base_parameters(&self.model))
    }
}
