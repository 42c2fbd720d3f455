//! Soft constraints: their forces are derivatives of their energy, their stiffness of their forces; any stiffness is
//! stable, and rigid is the limit.

use super::mechanisms::every_kind;
use poinsot_core::algebra::V3;
use poinsot_core::constraint::{Multipliers, SecondDerivative};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::integrate::{self, System};
use poinsot_core::model::*;
use poinsot_core::spatial::Quat;

/// A copy whose constraint is soft.
fn softened(model: &Model, k: f64, c: f64) -> Model {
    let mut b = ModelBuilder::new(model.name());
    for body in model.bodies().iter().skip(1) {
        let id = b.body(body.parent, BodySpec::new(body.name.clone()).pose(body.pose).inertia(body.inertia));
        for joint in &model.joints()[body.joints.clone()] {
            b.joint(id, joint.clone());
        }
    }
    for constraint in model.constraints() {
        b.constraint(constraint.clone().soft(k, c));
    }
    b.build().unwrap()
}

/// Moves body `body` (0: a, 1: b) of a pair of free bodies by a differential axis-angle or a shift, in world axes.
fn nudged(q: &[f64], direction: usize, h: f64, grounded: bool) -> Option<Vec<f64>> {
    let (body, k) = (direction / 6, direction % 6);
    if body == 0 && grounded {
        return None;
    }
    let (mut out, at) = (q.to_vec(), 7 * body);
    if k < 3 {
        let axis = [V3::X, V3::Y, V3::Z][k];
        let old = Quat { w: q[at + 3], x: q[at + 4], y: q[at + 5], z: q[at + 6] };
        out[at + 3..at + 7].copy_from_slice(&(Quat::exp(axis * h) * old).array());
    } else {
        out[at + k - 3] += h;
    }
    Some(out)
}

#[test]
fn gradients_and_stiffness_are_derivatives_for_every_kind() {
    for (what, model) in every_kind() {
        let rolling = ["ball", "disc", "tyre"].iter().any(|w| what.starts_with(w));
        if model.constraints().iter().any(|c| c.bodies().is_none()) || rolling {
            continue;
        }
        let (model, grounded) = (softened(&model, 70.0, 0.0), what.contains("world"));
        let (mut ws, mut held) = (Workspace::new(&model), Multipliers::new(&model));
        let id = model.constraint_ids().next().unwrap();
        let mut at = |q: &[f64], second| held.stiffness(&model, &mut ws, q, id, second).unwrap();
        for seed in 0..3 {
            let q = model.random_configuration(seed);
            let (_, gradient, of_gradient) = at(&q, SecondDerivative::OfGradient);
            let (_, _, hessian) = at(&q, SecondDerivative::Hessian);
            assert!((hessian - hessian.transpose()).norm() < 1e-10 * (1.0 + hessian.norm()), "{what}");
            let h = 1e-5;
            for k in 0..12 {
                let (Some(plus), Some(minus)) = (nudged(&q, k, h, grounded), nudged(&q, k, -h, grounded))
                else {
                    continue;
                };
                let (e_plus, g_plus, _) = at(&plus, SecondDerivative::GaussNewton);
                let (e_minus, g_minus, _) = at(&minus, SecondDerivative::GaussNewton);
                let slope = (e_plus - e_minus) / (2.0 * h);
                assert!((slope - gradient[k]).abs() < 1e-5 * (1.0 + slope.abs()), "{what}: gradient {k}");
                let bend = (g_plus - g_minus) / (2.0 * h);
                let off = (bend - of_gradient.column(k)).norm();
                assert!(off < 1e-5 * (1.0 + of_gradient.norm()), "{what}: stiffness {k}, {off:e}");
                // along one direction the Hessian is the second derivative of the energy
                let e = at(&q, SecondDerivative::GaussNewton).0;
                let curve = (e_plus - 2.0 * e + e_minus) / (h * h);
                assert!(
                    (curve - hessian[(k, k)]).abs() < 1e-3 * (1.0 + hessian.norm()),
                    "{what}: Hessian {k}"
                );
            }
        }
    }
}

/// Two rods of 1 kg hanging on soft ball joints, thrown.
fn soft_pair(k: f64, c: f64) -> (Model, State) {
    let mut b = ModelBuilder::new("soft pair");
    let rod = Shape::Box { size: V3::new(0.1, 0.1, 1.0) };
    let mut above = Mount::new(BodyId::WORLD, V3::ZERO);
    for (name, z) in [("upper", -0.5), ("lower", -1.5)] {
        let body = b.body(BodyId::WORLD, BodySpec::new(name).at(V3::Z * z).solid(&rod, 1.0).unwrap());
        b.joint(body, Joint::free());
        b.constraint(Constraint::point(above, Mount::new(body, V3::Z * 0.5)).soft(k, c));
        above = Mount::new(body, V3::Z * -0.5);
    }
    let model = b.build().unwrap();
    let mut state = State::new(&model);
    // the upper turns about the hook, the lower about the joint between
    state.v.copy_from_slice(&[-1.5, 0.0, 0.0, 0.0, 3.0, 0.0, -4.0, 0.0, 0.0, 0.0, 2.0, 1.0]);
    (model, state)
}

#[test]
fn a_joint_of_1e9_newtons_a_metre_is_stable_at_a_sixtieth_of_a_second_and_gains_no_energy() {
    for (k, c) in [(1e9, 0.0), (1e9, 1e3), (1e6, 0.0)] {
        let (model, mut state) = soft_pair(k, c);
        let mut system = System::new(&model);
        let mut integrator = integrate::by_name("backward", &model).unwrap();
        let mut energy = system.energy(&state);
        let first = energy;
        for step in 0..3600 {
            system.step(&mut *integrator, &mut state, 1.0 / 60.0).unwrap();
            let now = system.energy(&state);
            assert!(now <= energy + 1e-9, "k = {k:e}, step {step}: {energy} → {now}");
            energy = now;
        }
        println!("k = {k:e}, c = {c:e}: {first} → {energy}");
    }
}

/// The stretch of a soft joint under load is the load over its stiffness; what is simulated tends to the rigid joint as 1/k.
#[test]
fn rigid_is_the_limit_of_soft() {
    let end = |k: Option<f64>| {
        let (model, mut state) = match k {
            Some(k) => soft_pair(k, 2.0 * k.sqrt()),
            None => {
                let (soft, state) = soft_pair(1.0, 0.0);
                let mut b = ModelBuilder::new("rigid pair");
                for body in soft.bodies().iter().skip(1) {
                    let spec = BodySpec::new(body.name.clone()).pose(body.pose).inertia(body.inertia);
                    let id = b.body(BodyId::WORLD, spec);
                    b.joint(id, Joint::free());
                }
                for c in soft.constraints() {
                    b.constraint(Constraint::new(c.kind.clone()));
                }
                (b.build().unwrap(), state)
            }
        };
        state.v.fill(0.0);
        state.v[4] = 1.0;
        state.v[0] = -0.5;
        state.v[6] = -1.0;
        let mut system = System::new(&model);
        let mut integrator = integrate::by_name("adaptive", &model).unwrap();
        for _ in 0..10 {
            system.step(&mut *integrator, &mut state, 0.03).unwrap();
        }
        state.q
    };
    let rigid = end(None);
    let off = |k: f64| {
        let soft = end(Some(k));
        soft.iter().zip(&rigid).map(|(a, b)| (a - b).abs()).fold(0.0f64, f64::max)
    };
    let errors = [1e4, 1e5, 1e6].map(off);
    println!("soft against rigid: {errors:?}");
    for pair in errors.windows(2) {
        let rate = (pair[0] / pair[1]).log10();
        assert!((rate - 1.0).abs() < 0.15, "{errors:?}");
    }
}

/// A ball on a rope falls freely until the rope is taut, then hangs by m g/k.
#[test]
fn a_rope_pulls_and_never_pushes() {
    let mut b = ModelBuilder::new("rope");
    let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 2.0).unwrap());
    b.joint(bob, Joint::free());
    let hook = Mount::new(BodyId::WORLD, V3::ZERO);
    b.constraint(Constraint::rope(hook, Mount::new(bob, V3::ZERO), 1.0, 1e4, 200.0).named("rope"));
    let model = b.build().unwrap();
    let (mut system, mut state) = (System::new(&model), State::new(&model));
    let mut integrator = integrate::by_name("backward", &model).unwrap();
    for _ in 0..200 {
        system.step(&mut *integrator, &mut state, 1e-3).unwrap();
    }
    assert!((state.v[2] + 9.81 * 0.2).abs() < 1e-12, "{}", state.v[2]);
    for _ in 0..20_000 {
        system.step(&mut *integrator, &mut state, 1e-3).unwrap();
    }
    assert!((state.q[2] + 1.0 + 2.0 * 9.81 / 1e4).abs() < 1e-9, "{}", state.q[2]);
}
