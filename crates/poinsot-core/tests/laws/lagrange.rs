//! Lagrange's equation: τ = d/dt ∂T/∂q̇ − ∂T/∂q + ∂V/∂q, with T and M by the trace form on dual numbers.
//!
//! For joints whose velocities are rates of coordinates; d/dt ∂T/∂q̇ = M a + Ṁ v.

use crate::common::*;
use poinsot_core::algebra::Dual;
use poinsot_core::dynamics::Workspace;
use poinsot_core::hierarchy::Hierarchy;

#[test]
fn inverse_dynamics_is_lagranges_equation() {
    let mut law = Law::new("τ = d/dt ∂T/∂q̇ − ∂T/∂q + g", 1e-10);
    for (seed, n) in [(1, 2), (2, 5), (3, 9), (4, 17), (5, 30), (6, 60)] {
        let model = random_lines(seed, n).build();
        let (mut w, mut trace) = (Workspace::new(&model), Hierarchy::<Dual<1>>::new(&model));
        for s in samples(&model) {
            let (mut tau, mut expected) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
            w.gravity(&model, &s.q, &mut expected);
            let m = trace.mass_matrix(&flow(&model, &s.q, &s.v));
            for k in 0..model.nv() {
                let mut q = lift::<1>(&s.q);
                q[k].eps[0] = 1.0;
                expected[k] -= trace.kinetic_energy(&q, &lift(&s.v)).eps[0];
                expected[k] +=
                    (0..model.nv()).map(|j| m[(k, j)].re * s.a[j] + m[(k, j)].eps[0] * s.v[j]).sum::<f64>();
            }
            law.equal(model.name(), &tau, &expected);
        }
    }
}

#[test]
fn the_lagrangian_force_is_the_derivative_of_the_lagrangian() {
    let mut law = Law::new("∂L/∂q at fixed velocities = ∂T/∂q − g", 1e-10);
    for model in models() {
        let (mut w, mut trace) = (Workspace::new(&model), Hierarchy::<Dual<1>>::new(&model));
        for s in samples(&model) {
            let (mut force, mut expected) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            w.lagrangian_force(&model, &s.q, &s.v, &mut force);
            w.gravity(&model, &s.q, &mut expected);
            for (k, x) in expected.iter_mut().enumerate() {
                let mut unit = vec![0.0; model.nv()];
                unit[k] = 1.0;
                *x = trace.kinetic_energy(&flow(&model, &s.q, &unit), &lift(&s.v)).eps[0] - *x;
            }
            law.equal(model.name(), &force, &expected);
        }
    }
}
