//! Nothing at all, and a hundred thousand links.

use super::*;
use poinsot_core::dynamics::{ExternalForces, MassMatrix, Workspace};
use poinsot_core::hierarchy::Hierarchy;
use poinsot_core::integrate::Method;
use poinsot_core::model::{BodyId, BodySpec, ModelBuilder};
use std::time::Instant;

#[test]
fn models_that_cannot_move() {
    let empty = ModelBuilder::new("nothing").build().unwrap();
    let mut b = ModelBuilder::new("a stone");
    let stone =
        b.body(BodyId::WORLD, BodySpec::new("stone").solid(&Shape::Sphere { radius: 1.0 }, 1.0).unwrap());
    b.body(stone, BodySpec::new("moss"));
    for model in [empty, b.build().unwrap()] {
        assert_eq!((model.nq(), model.nv()), (0, 0));
        for method in Method::ALL.map(Method::word) {
            let state = after(&model, &State::new(&model), method, 1.0, 10);
            assert!((state.time - 1.0).abs() < 1e-12, "{method}");
        }
        let (mut w, state) = (Workspace::new(&model), State::new(&model));
        w.inverse_dynamics(&model, &[], &[], &[], &mut []);
        w.forward_dynamics(&model, &[], &[], &[], &mut []);
        let mut m = MassMatrix::new(&model);
        w.mass_matrix(&model, &[], &mut m);
        m.factor();
        m.solve(&mut []);
        Hierarchy::<f64>::new(&model).inverse_dynamics(&[], &[], &[], &[], &mut []);
        let at = w.at(&model, &state);
        assert_eq!(at.kinetic_energy(), 0.0);
        assert!(at.energy().is_finite() && at.com().is_finite());
        ExternalForces::new(&model).push_at(&at, BodyId::WORLD, V3::X, V3::ZERO);
    }
}

fn long_chain(n: usize) -> Model {
    let inertia = Random(1).inertia();
    let link = |k| Draft {
        parent: k,
        pose: Pose::translation(V3::Z * -0.3),
        inertia,
        joints: vec![Joint::revolute(if k % 2 == 0 { V3::X } else { V3::Y })],
    };
    let bodies = (0..n).map(link).collect();
    Sketch { name: format!("chain of {n}"), gravity: V3::Z * -9.81, bodies }.build()
}

/// Seconds a link for inverse and forward dynamics; checks that they undo each other and the trace form agrees.
fn sweep(n: usize) -> f64 {
    let model = long_chain(n);
    let q = model.random_configuration(1);
    let (v, a) = (model.random_velocity(2), model.random_velocity(3));
    let (mut w, mut twin) = (Workspace::new(&model), Hierarchy::new(&model));
    let [mut tau, mut other, mut acc, mut back] = [(); 4].map(|()| vec![0.0; n]);
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let begin = Instant::now();
        w.inverse_dynamics(&model, &q, &v, &a, &mut tau);
        w.forward_dynamics(&model, &q, &v, &tau, &mut acc);
        best = best.min(begin.elapsed().as_secs_f64());
    }
    // the mass matrix of a chain is ill-conditioned as n⁴: the accelerations are judged by the forces they need
    w.inverse_dynamics(&model, &q, &v, &acc, &mut back);
    twin.inverse_dynamics(&q, &v, &a, &[], &mut other);
    let error = |x: &[f64], y: &[f64]| common::size(&common::minus(x, y)) / common::size(y);
    println!(
        "{n} links: {:.0} ns a link; ID∘FD∘ID {:.1e}, trace form {:.1e}",
        best / n as f64 * 1e9,
        error(&back, &tau),
        error(&other, &tau)
    );
    assert!(tau.iter().chain(&acc).chain(&other).all(|x| x.is_finite()));
    assert!(error(&other, &tau) < 1e-10 && error(&back, &tau) < 1e-10);
    best / n as f64
}

#[test]
fn a_hundred_thousand_links_cost_a_hundred_times_a_thousand() {
    let (short, long) = (sweep(1000), sweep(100_000));
    // linear but for the caches, and the machine may be busy: a cost in n² would be a hundred times as much
    assert!(long < 40.0 * short, "{short:e} and {long:e} s a link");
}

/// Two short steps from a state in slow motion, however long the chain.
fn steps(n: usize, method: &str) {
    let model = long_chain(n);
    let mut begin = State::new(&model);
    begin.v = model.random_velocity(1).iter().map(|v| 1e-4 * v).collect();
    let clock = Instant::now();
    let state = after(&model, &begin, method, 2e-6, 2);
    println!("{n} links, {method}: {:.1} ms a step", clock.elapsed().as_secs_f64() * 500.0);
    assert_eq!(state.first_not_finite(&model), None, "{method}");
}

#[test]
fn long_chains_step() {
    for method in ["semi-implicit", "implicit", "rkmk4"] {
        steps(100_000, method);
    }
    // these solve or repeat within a step: a shorter chain will do
    steps(1000, "midpoint");
    steps(1000, "adaptive");
}
