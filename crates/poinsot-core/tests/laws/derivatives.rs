//! Derivatives of inverse and forward dynamics are those of the sweeps on dual numbers, along every velocity.

use crate::common::*;
use poinsot_core::algebra::{Dual, Real, V3};
use poinsot_core::dynamics::{
    ForwardDynamicsDerivatives, GenericWorkspace, InverseDynamicsDerivatives, Regressor, SquareView, State,
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
    let mut accelerations = Law::new("a that comes with its derivatives", 1e-10);
    let mut forces = Law::new("τ of the inverse", 1e-10);
    let mut inverses = Law::new("derivatives of the inverse", 1e-10);
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
            accelerations.equal(model.name(), d.acceleration(), &a);
            let mut bias = vec![0.0; model.nv()];
            w.bias(&model, &s.q, &s.v, &mut bias);
            forces.equal_at_scale(model.name(), d.inverse().tau(), &s.tau, size(&bias).max(size(&s.tau)));
            let mut inverse = InverseDynamicsDerivatives::new(&model);
            w.inverse_dynamics_derivatives(&model, &s.q, &s.v, d.acceleration(), &mut inverse);
            let pairs = [
                (inverse.by_position(), d.inverse().by_position()),
                (inverse.by_velocity(), d.inverse().by_velocity()),
                (inverse.by_acceleration(), d.inverse().by_acceleration()),
            ];
            let scale = size(&s.tau).max(largest(&pairs.map(|(exact, _)| rows(exact))));
            for (exact, ours) in pairs {
                inverses.equal_at_scale(model.name(), &rows(ours), &rows(exact), scale);
            }
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

/// Along q and v by the central difference of order eight of what [`At`](poinsot_core::dynamics::At) has at neighbouring states, by matrices.
fn by_differences(model: &Model, s: &Sample, mut f: impl FnMut(&State) -> Vec<f64>) -> [Vec<Vec<f64>>; 2] {
    let unit = |k: usize| (0..model.nv()).map(|j| f64::from(u8::from(j == k))).collect::<Vec<f64>>();
    let mut at = |q: &[f64], v: Vec<f64>| f(&State { q: q.to_vec(), v, ..State::new(model) });
    let by_q = (0..model.nv()).map(|k| {
        derivative(2e-2, |h| {
            let mut q = s.q.clone();
            model.integrate(&mut q, &unit(k), h);
            at(&q, s.v.clone())
        })
    });
    let by_q = by_q.collect();
    let by_v = (0..model.nv())
        .map(|k| derivative(0.1, |h| at(&s.q, s.v.iter().zip(unit(k)).map(|(v, e)| v + h * e).collect())));
    [by_q, by_v.collect()]
}

fn columns(m: &nalgebra::DMatrix<f64>) -> Vec<Vec<f64>> {
    m.column_iter().map(|c| c.iter().copied().collect()).collect()
}

#[test]
fn derivatives_of_velocities_and_accelerations_are_those_of_their_values() {
    let mut law = Law::new("∂V/∂q, ∂A/∂q, ∂A/∂v", 1e-9);
    for model in models() {
        let mut w = Workspace::new(&model);
        let s = samples(&model).next().unwrap();
        let here = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
        let last = model.body_ids().last().unwrap();
        let [velocity, _] =
            by_differences(&model, &s, |at| of_motion(w.at(&model, at).velocity(last)).to_vec());
        let [by_q, by_v] =
            by_differences(&model, &s, |at| of_motion(w.at(&model, at).acceleration(last, &s.a)).to_vec());
        let at = w.at(&model, &here);
        let ([of_q, of_v], moved) = (at.acceleration_derivatives(last, &s.a), at.velocity_derivatives(last));
        let scale = [&by_q, &by_v].into_iter().flatten().fold(1.0, |m, c| size(c).max(m));
        for (ours, exact) in [(moved, velocity), (of_q, by_q), (of_v, by_v)] {
            for (ours, exact) in columns(&ours).iter().zip(&exact) {
                law.equal_at_scale(model.name(), ours, exact, scale);
            }
        }
    }
}

#[test]
fn derivatives_of_centroidal_momentum_are_those_of_its_values() {
    let mut law = Law::new("∂h/∂q, ∂h/∂v, ∂ḣ/∂q, ∂ḣ/∂v, ∂c/∂q", 1e-9);
    for model in models() {
        let mut w = Workspace::new(&model);
        let s = samples(&model).next().unwrap();
        let here = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
        let [h_q, h_v] =
            by_differences(&model, &s, |at| of_force(w.at(&model, at).centroidal_momentum()).to_vec());
        let [c_q, _] = by_differences(&model, &s, |at| w.at(&model, at).com().array().to_vec());
        let [r_q, r_v] = by_differences(&model, &s, |at| {
            of_force(w.at(&model, at).centroidal_derivatives(&s.a).rate).to_vec()
        });
        let d = w.at(&model, &here).centroidal_derivatives(&s.a);
        // ḣ along the motion itself
        let rate = derivative(1e-2, |h| {
            let (mut q, v) = (s.q.clone(), s.v.iter().zip(&s.a).map(|(v, a)| v + h * a).collect());
            let middle: Vec<f64> = s.v.iter().zip(&s.a).map(|(v, a)| v + 0.5 * h * a).collect();
            model.integrate(&mut q, &middle, h);
            of_force(w.at(&model, &State { q, v, ..State::new(&model) }).centroidal_momentum()).to_vec()
        });
        let scale = [&r_q, &r_v, &h_q].into_iter().flatten().fold(1.0, |m, c| size(c).max(m));
        if model.joints().iter().all(|j| j.kind.nv() == 1) {
            law.equal_at_scale(model.name(), &of_force(d.rate), &rate, scale);
        }
        law.equal_at_scale(
            model.name(),
            &of_force(d.momentum),
            &of_force(w.at(&model, &here).centroidal_momentum()),
            scale,
        );
        let pairs = [
            (d.momentum_by_position, h_q),
            (d.momentum_by_velocity, h_v),
            (d.rate_by_position, r_q),
            (d.rate_by_velocity, r_v),
            (d.com_by_position, c_q),
        ];
        for (ours, exact) in pairs {
            for (ours, exact) in columns(&ours).iter().zip(&exact) {
                law.equal_at_scale(model.name(), ours, exact, scale);
            }
        }
    }
}

/// Along the axes of its joint a body feels τ of inverse dynamics; the derivatives are those of the values.
#[test]
fn derivatives_of_reactions_are_those_of_their_values() {
    let (mut law, mut torque) =
        (Law::new("∂(reaction)/∂q, ∂v, ∂a", 1e-9), Law::new("reaction along joints", 1e-11));
    for model in models() {
        let mut w = Workspace::new(&model);
        let s = samples(&model).next().unwrap();
        let here = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
        let mut tau = vec![0.0; model.nv()];
        w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
        for body in model.body_ids().skip(1).step_by(3) {
            let [by_q, by_v] = by_differences(&model, &s, |at| {
                of_force(w.at(&model, at).reaction_derivatives(body, &s.a).0).to_vec()
            });
            let at = w.at(&model, &here);
            let (reaction, [of_q, of_v, of_a]) = at.reaction_derivatives(body, &s.a);
            let scale = [&by_q, &by_v].into_iter().flatten().fold(1.0, |m, c| size(c).max(m));
            for (ours, exact) in [(&of_q, &by_q), (&of_v, &by_v)] {
                for (ours, exact) in columns(ours).iter().zip(exact) {
                    law.equal_at_scale(model.name(), ours, exact, scale);
                }
            }
            // linear in the accelerations
            let rest = at.reaction_derivatives(body, &vec![0.0; model.nv()]).0;
            let sum = &of_a * nalgebra::DVector::from_column_slice(&s.a);
            let change = minus(&of_force(reaction), &of_force(rest));
            law.equal_at_scale(model.name(), sum.as_slice(), &change, scale);
            let joints = &model.joints()[model.bodies()[body.index()].joints.clone()];
            if let [joint] = joints {
                let jacobian = at.jacobian(body);
                for k in joint.dofs() {
                    let along = dot(&columns(&jacobian)[k], &of_force(reaction));
                    let own = tau[k] - joint.armature * s.a[k];
                    torque.equal_at_scale(model.name(), &[along], &[own], size(&tau).max(scale));
                }
            }
        }
    }
}
