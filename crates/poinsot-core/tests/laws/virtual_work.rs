//! Virtual work: forces at points of bodies act as the generalised force JᵀF, in all three formulations.

use crate::common::*;
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{ExternalForces, State, Workspace};
use poinsot_core::hierarchy::{Hierarchy, PointForce};

#[test]
fn point_forces_act_through_the_jacobian() {
    let mut inverse = Law::new("τ of point forces = −JᵀF (inverse dynamics)", 1e-10);
    let mut forward = Law::new("FD with forces = FD with τ + JᵀF", 1e-10);
    let mut trace = Law::new("point forces: trace form = sweeps", 1e-12);
    for (n, model) in models().iter().enumerate() {
        let (mut w, mut twin, mut r) = (Workspace::new(model), Hierarchy::new(model), Random(n as u64));
        let ids = bodies(model);
        for s in samples(model) {
            let state = State { q: s.q.clone(), v: s.v.clone(), ..State::new(model) };
            let (mut forces, mut generalised) = (ExternalForces::new(model), vec![0.0; model.nv()]);
            let mut points = Vec::new();
            let at = w.at(model, &state);
            for _ in 0..3 {
                let (body, point, force) = (ids[r.below(ids.len())], r.vector(1.0), r.vector(10.0));
                let world: V3 = at.pose(body).point(point);
                forces.push_at(&at, body, force, world);
                points.push(PointForce { body, point, force });
                let j = at.jacobian_at(body, world);
                for (k, x) in generalised.iter_mut().enumerate() {
                    *x += j[(3, k)] * force.x + j[(4, k)] * force.y + j[(5, k)] * force.z;
                }
            }
            let (mut with, mut without) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            w.inverse_dynamics(model, &s.q, &s.v, &s.a, &mut without);
            w.inverse_dynamics_with(model, &s.q, &s.v, &s.a, Some(&forces), &mut with);
            let scale = size(&with).max(size(&without));
            inverse.equal_at_scale(model.name(), &minus(&without, &with), &generalised, scale);
            let mut again = with.clone();
            twin.inverse_dynamics(&s.q, &s.v, &s.a, &points, &mut again);
            trace.equal_at_scale(model.name(), &again, &with, scale);

            let none = model.joints().iter().flat_map(|j| j.dofs().map(|_| j.armature)).collect::<Vec<_>>();
            let more: Vec<f64> = s.tau.iter().zip(&generalised).map(|(t, g)| t + g).collect();
            w.forward_dynamics_with(model, &s.q, &s.v, &s.tau, Some(&none), Some(&forces), &mut with);
            w.forward_dynamics(model, &s.q, &s.v, &more, &mut without);
            forward.equal(model.name(), &with, &without);
        }
    }
}
