//! The trace form on 4×4 transforms equals the tree dynamics: energy, mass matrix, inverse dynamics.

use crate::common::*;
use poinsot_core::algebra::V3;
use poinsot_core::dynamics::{MassMatrix, State, Workspace};
use poinsot_core::hierarchy::Hierarchy;
use poinsot_core::model::Joint;
use poinsot_core::spatial::Pose;

#[test]
fn the_trace_form_equals_the_sweeps() {
    let mut forces = Law::new("trace form: τ = RNEA", 1e-12);
    let mut energies = Law::new("trace form: T", 1e-12);
    let mut matrices = Law::new("trace form: M", 1e-12);
    for model in models() {
        let (mut w, mut m, mut twin) =
            (Workspace::new(&model), MassMatrix::new(&model), Hierarchy::new(&model));
        for s in samples(&model) {
            let (mut tau, mut other) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            w.inverse_dynamics(&model, &s.q, &s.v, &s.a, &mut tau);
            twin.inverse_dynamics(&s.q, &s.v, &s.a, &[], &mut other);
            forces.equal(model.name(), &other, &tau);
            w.mass_matrix(&model, &s.q, &mut m);
            matrices.equal(model.name(), twin.mass_matrix(&s.q).as_slice(), m.dense().as_slice());
            let state = State { q: s.q, v: s.v, ..State::new(&model) };
            let t = w.at(&model, &state).kinetic_energy();
            energies.equal(model.name(), &[twin.kinetic_energy(&state.q, &state.v)], &[t]);
        }
    }
}

#[test]
fn the_trace_form_runs_over_a_hundred_thousand_nodes() {
    let mut law = Law::new("trace form: chains of 1000 and 100 000 nodes", 1e-12);
    for n in [1000, 100_000] {
        let mut r = Random(n as u64);
        let inertia = r.inertia();
        let link = |k| Draft {
            parent: k,
            pose: Pose::translation(V3::new(0.0, 0.0, -0.3)),
            inertia,
            joints: vec![Joint::revolute(if k % 2 == 0 { V3::X } else { V3::Y })],
        };
        let gravity = V3::new(0.0, 0.0, -9.81);
        let model =
            Sketch { name: format!("chain of {n}"), gravity, bodies: (0..n).map(link).collect() }.build();
        let (q, v, a) = (r.numbers(n), r.numbers(n), r.numbers(n));
        let (mut tau, mut other) = (vec![0.0; n], vec![0.0; n]);
        Workspace::new(&model).inverse_dynamics(&model, &q, &v, &a, &mut tau);
        let mut twin = Hierarchy::new(&model);
        let start = std::time::Instant::now();
        twin.inverse_dynamics(&q, &v, &a, &[], &mut other);
        println!("  {n} nodes: {:.0} ns a node", start.elapsed().as_secs_f64() * 1e9 / n as f64);
        law.equal(model.name(), &other, &tau);
    }
}
