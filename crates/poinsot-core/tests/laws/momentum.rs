//! The momentum balance: Ṗ and L̇ of a tree are gravity and the reaction of the world, by differences in time.
//!
//! For a floating tree the reaction is what drives its free root; free-floating, P changes by m g and nothing else.

use super::left_invariance::floating_sketches;
use crate::common::*;
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{At, State, Workspace};
use poinsot_core::model::{BodyId, Model};
use poinsot_core::spatial::Force;

/// (L̇, Ṗ) about the world's origin along the motion with velocity v and acceleration a.
fn momentum_rate(model: &Model, w: &mut Workspace, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    derivative(1e-3, |h| {
        let mut state = State { q: q.to_vec(), v: v.to_vec(), ..State::new(model) };
        state.v.iter_mut().zip(a).for_each(|(v, a)| *v += h * a);
        model.integrate(&mut state.q, v, h);
        of_force(w.at(model, &state).momentum()).to_vec()
    })
}

fn weight(model: &Model, at: &At) -> Force {
    Force::at_point(model.gravity() * model.mass(), at.com())
}

#[test]
fn momentum_changes_by_gravity_and_reactions() {
    let mut law = Law::new("d(momentum)/dt = weight + reactions", 1e-10);
    let mut exact = Law::new("free-floating: dP/dt = m g", 1e-10);
    for sketch in floating_sketches() {
        let model = sketch.build();
        let mut w = Workspace::new(&model);
        for s in samples(&model) {
            let mut tau = vec![0.0; model.nv()];
            w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
            let state = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
            let at = w.at(&model, &state);
            let mut total = weight(&model, &at);
            for id in bodies(&model).into_iter().filter(|b| model.bodies()[b.index()].parent == BodyId::WORLD)
            {
                let (x, k) =
                    (at.pose(id), model.joints()[model.bodies()[id.index()].joints.start].dofs().start);
                let push = Force::at_point(V3::new(tau[k], tau[k + 1], tau[k + 2]), x.pos);
                let twist =
                    Force { moment: x.rot * V3::new(tau[k + 3], tau[k + 4], tau[k + 5]), force: V3::ZERO };
                total = total + push + twist;
            }
            law.equal(model.name(), &momentum_rate(&model, &mut w, &s.q, &s.v, &s.a), &of_force(total));

            let mut acc = vec![0.0; model.nv()];
            w.forward_dynamics(&model, &s.q, &s.v, &vec![0.0; model.nv()], &mut acc);
            let rate = momentum_rate(&model, &mut w, &s.q, &s.v, &acc);
            let free = weight(&model, &w.at(&model, &state));
            exact.equal(model.name(), &rate, &of_force(free));
        }
    }
}

#[test]
fn momentum_changes_by_the_accelerations_of_all_mass() {
    let mut law = Law::new("dP/dt = Σ m a", 1e-10);
    for model in models() {
        let mut w = Workspace::new(&model);
        for s in samples(&model) {
            let rate = momentum_rate(&model, &mut w, &s.q, &s.v, &s.a);
            let state = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
            let at = w.at(&model, &state);
            let mut sum = V3::ZERO;
            for id in bodies(&model) {
                let (x, v, a) = (at.pose(id), at.velocity(id), at.acceleration(id, &s.a));
                let inertia = model.bodies()[id.index()].inertia;
                let h = x.rot * inertia.first_moment;
                sum += a.lin * inertia.mass + a.ang.cross(h) + v.ang.cross(v.ang.cross(h));
            }
            law.equal_at_scale(model.name(), &rate[3..], &sum.array(), size(&rate));
        }
    }
}
