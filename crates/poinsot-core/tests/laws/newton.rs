//! The Newtonian constraint: its Jacobians are those of the trace form on dual numbers, with forces and points held together.

use crate::common::*;
use poinsot_core::algebra::{Dual, Real, V3};
use poinsot_core::hierarchy::{Attachment, Hierarchy, NewtonianConstraint, PointForce};

type D = Dual<1>;

#[test]
fn jacobians_of_the_newtonian_constraint_are_those_by_dual_numbers() {
    let mut laws = ["∂C/∂q", "∂C/∂v", "∂C/∂a", "∂C/∂λ"].map(|name| Law::new(name, 1e-10));
    for model in models() {
        let (n, all) = (model.nv(), bodies(&model));
        let (one, last) = (all[0], all[all.len() - 1]);
        let push = PointForce { body: last, point: V3::new(0.1, -0.2, 0.3), force: V3::new(3.0, -1.0, 2.0) };
        let hooks = [
            Attachment { first: (last, V3::new(0.2, 0.1, 0.0)), second: (one, V3::new(0.0, 0.3, 0.1)) },
            Attachment { first: (one, V3::X * 0.1), second: (poinsot_core::model::BodyId::WORLD, V3::Y) },
        ];
        let mut newton = NewtonianConstraint::new(&model, &[push], &hooks);
        let mut trace = Hierarchy::<D>::new(&model);
        for s in samples(&model) {
            let lambda = [1.0, -2.0, 0.5, 4.0, 0.3, -1.0];
            newton.jacobians(&s.q, &s.v, &s.a, &lambda);
            let mut forces = vec![push];
            for (r, Attachment { first, second }) in hooks.iter().enumerate() {
                let force = V3::new(lambda[3 * r], lambda[3 * r + 1], lambda[3 * r + 2]);
                forces.push(PointForce { body: first.0, point: first.1, force });
                forces.push(PointForce { body: second.0, point: second.1, force: -force });
            }
            let ours =
                [newton.by_position(), newton.by_velocity(), newton.by_acceleration()].map(Clone::clone);
            // some are 0 but for round-off
            let scale = ours.iter().fold(0.0f64, |m, x| m.max(x.amax()));
            for k in 0..n {
                let mut along = vec![0.0; n];
                along[k] = 1.0;
                let unit = |x: &[f64]| -> Vec<D> {
                    x.iter().zip(&along).map(|(x, e)| D { re: *x, eps: [*e] }).collect()
                };
                let inputs = [
                    (flow(&model, &s.q, &along), lift(&s.v), lift(&s.a)),
                    (lift(&s.q), unit(&s.v), lift(&s.a)),
                    (lift(&s.q), lift(&s.v), unit(&s.a)),
                ];
                for ((law, ours), (q, v, a)) in laws.iter_mut().zip(&ours).zip(inputs) {
                    let mut c = vec![D::from_f64(0.0); n];
                    trace.inverse_dynamics(&q, &v, &a, &forces, &mut c);
                    let exact: Vec<f64> = c.iter().map(|c| c.eps[0]).collect();
                    law.equal_at_scale(model.name(), ours.column(k).as_slice(), &exact, scale);
                }
            }
            // C is linear in λ
            let (mut c, mut moved) = (vec![0.0; n], vec![0.0; n]);
            newton.residual(&s.q, &s.v, &s.a, &[0.0; 6], &mut c);
            for k in 0..6 {
                let mut unit = [0.0; 6];
                unit[k] = 1.0;
                newton.residual(&s.q, &s.v, &s.a, &unit, &mut moved);
                let by = newton.by_multipliers().column(k).clone_owned();
                laws[3].equal_at_scale(model.name(), by.as_slice(), &minus(&moved, &c), size(&c).max(1.0));
            }
        }
    }
}
