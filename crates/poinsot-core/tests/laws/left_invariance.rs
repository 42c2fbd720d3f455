//! Left-invariance: without gravity, where a floating tree is and how it is turned makes no difference to it.
//!
//! A model is moved as a whole by a rigid motion: kinetic energy, mass matrix in body axes, momenta in body
//! axes and joint accelerations stay.

use super::objectivity::{move_configuration, turn_tangent};
use crate::common::*;
use poinsot_core::dynamics::{State, Workspace};

/// Trees that hang on nothing: every body on the world is free.
pub fn floating_sketches() -> Vec<Sketch> {
    let mut out: Vec<Sketch> = [(1, 1), (2, 3), (3, 8), (4, 20), (5, 60)]
        .into_iter()
        .map(|(seed, n)| {
            let mut s = random_tree(seed, n);
            for b in s.bodies.iter_mut().filter(|b| b.parent == 0) {
                b.joints = vec![poinsot_core::model::Joint::free()];
            }
            s.name = format!("floating {}", s.name);
            s
        })
        .collect();
    out.extend(sketches().into_iter().filter(|s| s.name == "free body" || s.name == "humanoid"));
    out
}

#[test]
fn a_floating_tree_does_not_know_where_it_is() {
    let mut energy = Law::new("left-invariance: kinetic energy", 1e-12);
    let mut momentum = Law::new("left-invariance: momenta in body axes", 1e-10);
    let mut accelerations = Law::new("left-invariance: accelerations", 1e-10);
    for (n, sketch) in floating_sketches().iter().enumerate() {
        let (x, model) = (Random(n as u64 + 50).pose(3.0), sketch.without_gravity().build());
        let mut w = Workspace::new(&model);
        for mut s in samples(&model) {
            let here = State { q: s.q.clone(), v: s.v.clone(), ..State::new(&model) };
            let (mut acc, mut acc_there) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut acc);
            turn_tangent(&model, x, &mut acc);
            let at = w.at(&model, &here);
            let (t, momenta) = (
                at.kinetic_energy(),
                bodies(&model).into_iter().map(|b| of_force(at.body_momentum(b))).collect::<Vec<_>>(),
            );

            move_configuration(&model, x, &mut s.q);
            turn_tangent(&model, x, &mut s.v);
            turn_tangent(&model, x, &mut s.tau);
            w.forward_dynamics(&model, &s.q, &s.v, &s.tau, &mut acc_there);
            accelerations.equal(model.name(), &acc_there, &acc);
            let there = State { q: s.q, v: s.v, ..State::new(&model) };
            let at = w.at(&model, &there);
            energy.equal(model.name(), &[at.kinetic_energy()], &[t]);
            for (body, expected) in bodies(&model).into_iter().zip(momenta) {
                momentum.equal(model.name(), &of_force(at.body_momentum(body)), &expected);
            }
        }
    }
}
