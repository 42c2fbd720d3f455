//! Derivatives of inverse and forward dynamics are those of the sweeps on dual numbers, along every velocity.

use crate::common::*;
use poinsot_core::algebra::{Dual, Real, V3};
use poinsot_core::dynamics::{
    ForwardDynamicsDerivatives, GenericWorkspace, InverseDynamicsDerivatives, Regressor, SquareView,
    Workspace,
};
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder, Shape};

type D = Dual<1>;

/// The three matrices of f(q, v, x) by dual numbers, row by row: by q along the velocities, by v, by x.
fn by_duals(
    model: &Model,
    (q, v, x): (&[f64], &[f64], &[f64]),
    mut f: impl FnMut(&[D], &[D], &[D], &mut [D]),
) -> [Vec<f64>; 3] {
    let n = model.nv();
    let mut out = [(); 3].map(|()| vec![0.0; n * n]);
    for k in 0..n {
        let mut along = vec![0.0; n];
        along[k] = 1.0;
        let unit =
            |x: &[f64]| -> Vec<D> { x.iter().zip(&along).map(|(x, e)| D { re: *x, eps: [*e] }).collect() };
        let inputs = [
            (flow(model, q, &along), lift(v), lift(x)),
            (lift(q), unit(v), lift(x)),
            (lift(q), lift(v), unit(x)),
        ];
        for (out, (q, v, x)) in out.iter_mut().zip(inputs) {
            let mut y = vec![D::from_f64(0.0); n];
            f(&q, &v, &x, &mut y);
            (0..n).for_each(|row| out[row * n + k] = y[row].eps[0]);
        }
    }
    out
}

/// The largest entry of all three: some are 0 but for round-off, as ∂τ/∂q of a free body.
fn largest(matrices: &[Vec<f64>; 3]) -> f64 {
    matrices.iter().fold(0.0, |m, x| size(x).max(m))
}

fn rows(m: SquareView<'_>) -> Vec<f64> {
    m.row_iter().flat_map(|r| r.iter().copied().collect::<Vec<_>>()).collect()
}

#[test]
fn derivatives_of_inverse_dynamics_are_those_by_dual_numbers() {
    let mut laws = ["∂τ/∂q", "∂τ/∂v", "∂τ/∂a"].map(|name| Law::new(name, 1e-10));
    let mut forces = Law::new("τ beside its derivatives", 1e-12);
    for model in models() {
        let (mut w, mut d) = (Workspace::new(&model), InverseDynamicsDerivatives::new(&model));
        let mut dual = GenericWorkspace::<D>::new(&model);
        for s in samples(&model) {
            w.inverse_dynamics_derivatives(&model, &s.q, &s.v, &s.a, &mut d);
            let exact = by_duals(&model, (&s.q, &s.v, &s.a), |q, v, a, tau| {
                dual.inverse_dynamics(&model, q, v, a, tau);
            });
            let ours = [d.by_position(), d.by_velocity(), d.by_acceleration()];
            let scale = largest(&exact).max(size(d.tau()));
            for ((law, ours), exact) in laws.iter_mut().zip(ours).zip(exact) {
                law.equal_at_scale(model.name(), &rows(ours), &exact, scale);
            }
            let mut tau = vec![0.0; model.nv()];
            w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
            forces.equal(model.name(), d.tau(), &tau);
        }
    }
}

#[test]
fn derivatives_of_forward_dynamics_are_those_by_dual_numbers() {
    let mut laws = ["∂a/∂q", "∂a/∂v", "∂a/∂τ = M⁻¹"].map(|name| Law::new(name, 1e-10));
    for model in models() {
        let (mut w, mut d) = (Workspace::new(&model), ForwardDynamicsDerivatives::new(&model));
        let mut dual = GenericWorkspace::<D>::new(&model);
        for s in samples(&model) {
            w.forward_dynamics_derivatives(&model, &s.q, &s.v, &s.tau, &mut d);
            let exact = by_duals(&model, (&s.q, &s.v, &s.tau), |q, v, tau, a| {
                dual.forward_dynamics(&model, q, v, tau, a);
            });
            let ours = [d.by_position(), d.by_velocity(), d.by_force()];
            let scale = largest(&exact).max(size(d.acceleration()));
            for ((law, ours), exact) in laws.iter_mut().zip(ours).zip(exact) {
                law.equal_at_scale(model.name(), &rows(ours), &exact, scale);
            }
            let mut a = vec![0.0; model.nv()];
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut a);
            assert_eq!(d.acceleration(), a);
        }
    }
}

#[test]
fn inverse_dynamics_is_the_regressor_times_the_inertial_parameters() {
    let mut law = Law::new("τ = Y π + rotors", 1e-12);
    for model in models() {
        let (mut w, mut y) = (Workspace::new(&model), Regressor::new(&model));
        for s in samples(&model) {
            w.regressor(&model, &s.q, &s.v, &s.a, &mut y);
            let mut tau = vec![0.0; model.nv()];
            w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
            for joint in model.joints() {
                joint.dofs().for_each(|k| tau[k] -= joint.armature * s.a[k]);
            }
            law.equal(model.name(), (y.matrix() * Regressor::parameters(&model)).as_slice(), &tau);
        }
    }
}

/// Known ranks: all ten of a free body; of a body that turns about a level axis its moment about it and two of h.
#[test]
fn base_parameters_are_counted() {
    let one = |joint: Joint| {
        let mut b = ModelBuilder::new("one");
        let spec = BodySpec::new("body").at(V3::new(0.1, 0.2, 0.3));
        let body = b.body(BodyId::WORLD, spec.solid(&Shape::Sphere { radius: 0.3 }, 2.0).unwrap());
        b.joint(body, joint);
        Regressor::base_parameters(&b.build().unwrap())
    };
    assert_eq!(one(Joint::free()), 10);
    assert_eq!(one(Joint::revolute(V3::Y)), 3);
    assert_eq!(one(Joint::revolute(V3::Z)), 1);
    assert_eq!(one(Joint::prismatic(V3::Z)), 1);
    assert_eq!(one(Joint::spherical()), 9);
}
