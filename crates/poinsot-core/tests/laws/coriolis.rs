//! Ṁ − 2C is skew: velocity-dependent forces do no work of their own.
//!
//! Where velocities are rates of coordinates, c(q, v) = C(q, v) v with Christoffel's C = ½ ∂c/∂v, and the matrix
//! Ṁ − 2C is skew. Body angular velocities are not rates of coordinates: then ½ ∂c/∂v is another C with the same
//! C v, and what remains true is the power balance vᵀ(Ṁ v − 2c) = 0. Both by dual numbers, without gravity.

use crate::common::*;
use nalgebra::DMatrix;
use poinsot_core::algebra::Dual;
use poinsot_core::dynamics::{GenericWorkspace, Workspace};
use poinsot_core::model::Model;

/// C = ½ ∂c/∂v.
fn christoffel(model: &Model, q: &[f64], v: &[f64]) -> DMatrix<f64> {
    let n = model.nv();
    let mut w = GenericWorkspace::new(model);
    let (q, zero) = (lift::<8>(q), lift::<8>(&vec![0.0; n]));
    let mut out = DMatrix::zeros(n, n);
    for first in (0..n).step_by(8) {
        let (mut v, mut tau) = (lift::<8>(v), zero.clone());
        (first..n.min(first + 8)).for_each(|k| v[k] = Dual::variable(v[k].re, k - first));
        w.inverse_dynamics(model, &q, &v, &zero, &mut tau);
        for k in first..n.min(first + 8) {
            (0..n).for_each(|row| out[(row, k)] = 0.5 * tau[row].eps[k - first]);
        }
    }
    out
}

/// (M a)˙ for constant a, along the motion with velocity v.
fn momentum_rate(model: &Model, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    let zero = lift::<1>(&vec![0.0; model.nv()]);
    let mut tau = zero.clone();
    GenericWorkspace::new(model).inverse_dynamics(model, &flow(model, q, v), &zero, &lift(a), &mut tau);
    tau.iter().map(|t| t.eps[0]).collect()
}

#[test]
fn mass_rate_minus_twice_coriolis_is_skew() {
    let mut law = Law::new("Ṁ − 2C skew (rates of coordinates)", 1e-10);
    for (seed, n) in [(1, 2), (2, 5), (3, 9), (4, 17), (5, 30), (6, 60)] {
        let model = random_lines(seed, n).without_gravity().build();
        for s in samples(&model) {
            let c = christoffel(&model, &s.q, &s.v);
            let mut rate = DMatrix::zeros(model.nv(), model.nv());
            for k in 0..model.nv() {
                let mut unit = vec![0.0; model.nv()];
                unit[k] = 1.0;
                rate.set_column(k, &momentum_rate(&model, &s.q, &s.v, &unit).into());
            }
            let skew = &rate - &c * 2.0;
            let scale = size(rate.as_slice()).max(size(c.as_slice()));
            law.equal_at_scale(model.name(), skew.as_slice(), (-skew.transpose()).as_slice(), scale);
        }
    }
}

#[test]
fn coriolis_forces_do_half_the_work_of_the_mass_rate() {
    let mut law = Law::new("vᵀ(Ṁv − 2c) = 0 (all joints)", 1e-10);
    for sketch in sketches() {
        let model = sketch.without_gravity().build();
        let mut w = Workspace::new(&model);
        for s in samples(&model) {
            let rate = momentum_rate(&model, &s.q, &s.v, &s.v);
            let mut c = vec![0.0; model.nv()];
            w.bias(&model, &s.q, &s.v, &mut c);
            let scale = dot_size(&s.v, &rate).max(dot_size(&s.v, &c));
            law.equal_at_scale(model.name(), &[dot(&s.v, &rate)], &[2.0 * dot(&s.v, &c)], scale);
        }
    }
}
