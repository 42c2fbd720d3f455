//! M = ∂τ/∂v̇, column by column by dual numbers; and what the mass matrix offers agrees with it.

use crate::common::*;
use nalgebra::{DMatrix, DVector};
use poinsot_core::algebra::Dual;
use poinsot_core::dynamics::{GenericWorkspace, MassMatrix, Workspace};
use poinsot_core::model::Model;

/// ∂τ/∂v̇ by the recursive Newton–Euler algorithm on dual numbers.
fn by_derivatives(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> DMatrix<f64> {
    let n = model.nv();
    let mut w = GenericWorkspace::new(model);
    let (q, v) = (lift::<8>(q), lift::<8>(v));
    let mut out = DMatrix::zeros(n, n);
    for first in (0..n).step_by(8) {
        let mut a = lift::<8>(a);
        let mut tau = lift::<8>(&vec![0.0; n]);
        (first..n.min(first + 8)).for_each(|k| a[k] = Dual::variable(a[k].re, k - first));
        w.inverse_dynamics(model, &q, &v, &a, &mut tau);
        for k in first..n.min(first + 8) {
            (0..n).for_each(|row| out[(row, k)] = tau[row].eps[k - first]);
        }
    }
    out
}

#[test]
fn the_mass_matrix_is_the_derivative_of_inverse_dynamics() {
    let mut law = Law::new("M = ∂τ/∂v̇", 1e-10);
    for model in models() {
        let (mut w, mut m) = (Workspace::new(&model), MassMatrix::new(&model));
        for s in samples(&model) {
            w.mass_matrix(&model, &s.q, &mut m);
            let dense = m.dense();
            law.equal(model.name(), dense.as_slice(), by_derivatives(&model, &s.q, &s.v, &s.a).as_slice());
            assert_eq!(dense, dense.transpose());
            assert!(dense.cholesky().is_some(), "M of {} is positive definite", model.name());
        }
    }
}

#[test]
fn products_and_solutions_agree_with_the_dense_matrix() {
    let mut products = Law::new("M x: sparse, without the matrix, dense", 1e-12);
    let mut solutions = Law::new("M⁻¹ x: sparse factor, O(n) sweep, dense", 1e-10);
    for model in models() {
        let (mut w, mut m) = (Workspace::new(&model), MassMatrix::new(&model));
        for s in samples(&model) {
            w.mass_matrix(&model, &s.q, &mut m);
            let dense = m.dense();
            let x = DVector::from_column_slice(&s.tau);
            let mut out = vec![0.0; model.nv()];
            m.multiply(&s.tau, &mut out);
            products.equal(model.name(), &out, (&dense * &x).as_slice());
            w.mass_times(&model, &s.q, &s.tau, &mut out);
            products.equal(model.name(), &out, (&dense * &x).as_slice());
            let exact = dense.cholesky().unwrap().solve(&x);
            w.mass_solve(&model, &s.q, &s.tau, &mut out);
            solutions.equal(model.name(), &out, exact.as_slice());
            m.factor();
            out.copy_from_slice(&s.tau);
            m.solve(&mut out);
            solutions.equal(model.name(), &out, exact.as_slice());
        }
    }
}
