//! Accelerations, invariants, orders, constraints.

use super::*;
use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{Method, System};
use poinsot_core::lagrange::{Atoms, FromAtoms, LagrangeError};
use poinsot_core::model::{BodyId, BodySpec, Joint, Model, ModelBuilder};
use poinsot_core::spatial::Inertia;

const PENDULUM: DoublePendulum = DoublePendulum { masses: [1.3, 0.7], lengths: [0.8, 1.1] };

/// The double pendulum as a tree: its second angle is relative to the first.
fn tree() -> Model {
    let mut b = ModelBuilder::new("double pendulum");
    b.gravity(V3::new(0.0, 0.0, -G));
    let mut parent = BodyId::WORLD;
    let mut above = 0.0;
    for k in 0..2 {
        let below = V3::new(0.0, 0.0, -PENDULUM.lengths[k]);
        let point = Inertia::new(PENDULUM.masses[k], below, Sym3::zero()).unwrap();
        let spec = BodySpec::new(format!("rod {k}")).at(V3::new(0.0, 0.0, -above)).inertia(point);
        parent = b.body(parent, spec);
        b.joint(parent, Joint::revolute(V3::Y));
        above = PENDULUM.lengths[k];
    }
    b.build().unwrap()
}

#[test]
fn a_double_pendulum_moves_as_the_tree_does() {
    let model = tree();
    let (mut system, mut state) = (System::new(&model), State::new(&model));
    let mut method = Method::Rkmk4.integrator(&model).unwrap();
    let (q, v) = ([0.9, -0.4], [0.3, 1.2]);
    state.q.copy_from_slice(&[q[0], q[1] - q[0]]);
    state.v.copy_from_slice(&[v[0], v[1] - v[0]]);
    let dt = 2.5e-4;
    let mut equations = EquationsOfMotion::new(PENDULUM);
    let mut phase = Phase::new(&mut equations, &q, &v).unwrap();
    for step in 0..8000 {
        method.step(&mut system, &mut state, dt).unwrap();
        equations.step(LagrangeMethod::Rk4, &mut phase, dt).unwrap();
        let apart = (state.q[0] - phase.q[0]).abs().max((state.q[0] + state.q[1] - phase.q[1]).abs());
        assert!(apart < 1e-10, "step {step}: {apart:e}");
    }
    assert!((phase.q[0] - 0.9).abs() > 0.05, "it moved");
}

#[test]
fn a_bead_on_a_turning_hoop_keeps_its_energy_integral_and_its_balance() {
    let parameters = [("m", 0.2), ("R", 0.5), ("w", 6.0), ("g", G)];
    let k = "0.5*m*R^2*(th_dot^2 + w^2*sin(th)^2)";
    let mut hoop =
        EquationsOfMotion::new(FormulaLagrangian::parse(&["th"], k, "-m*g*R*cos(th)", &parameters).unwrap());
    // off the lowest point it balances where cos θ = g/(R ω²)
    let balance = (G / (0.5 * 36.0)).acos();
    let mut a = [0.0];
    hoop.acceleration(&[balance], &[0.0], &mut a).unwrap();
    assert!(a[0].abs() < 1e-13);
    // p·q̇ − L is kept; K + U, which has the motor of the hoop in it, is not
    let start = Phase::new(&mut hoop, &[0.3], &[1.0]).unwrap();
    let (before, total) = (
        hoop.energy(&start.q, &start.v),
        hoop.kinetic_energy(&start.q, &start.v) + hoop.potential_energy(&start.q),
    );
    for method in [LagrangeMethod::Midpoint, LagrangeMethod::Verlet, LagrangeMethod::Variational4] {
        let (mut phase, mut worst, mut swing) = (start.clone(), 0.0f64, 0.0f64);
        for _ in 0..4000 {
            hoop.step(method, &mut phase, 5e-3).unwrap();
            worst = worst.max((hoop.energy(&phase.q, &phase.v) - before).abs());
            let sum = hoop.kinetic_energy(&phase.q, &phase.v) + hoop.potential_energy(&phase.q);
            swing = swing.max((sum - total).abs());
        }
        let bound = if method == LagrangeMethod::Variational4 { 1e-7 } else { 2e-4 };
        assert!(worst < bound * 0.2, "{method}: {worst:e}");
        assert!(swing > 0.1, "{method}");
    }
}

#[test]
fn a_spherical_pendulum_keeps_its_momentum_about_the_vertical() {
    let mut pendulum = spherical_pendulum();
    for method in [LagrangeMethod::Midpoint, LagrangeMethod::Verlet, LagrangeMethod::Variational4] {
        let start = Phase::new(&mut pendulum, &[0.8, 0.0], &[0.2, 2.0]).unwrap();
        let (energy, mut phase) = (pendulum.energy(&start.q, &start.v), start.clone());
        for _ in 0..4000 {
            pendulum.step(method, &mut phase, 0.01).unwrap();
        }
        assert!((phase.p[1] - start.p[1]).abs() < 1e-12, "{method}: {:e}", phase.p[1] - start.p[1]);
        let drift = (pendulum.energy(&phase.q, &phase.v) - energy).abs();
        assert!(drift < 5e-3, "{method}: {drift:e}");
    }
}

#[test]
fn a_planet_keeps_its_invariants_and_returns() {
    let (q, v) = ([0.4, 0.0], [0.0, 2.0]); // e = 0.6, period 2π
    let mut sun = EquationsOfMotion::new(Kepler);
    let area = |p: &Phase| p.q[0] * p.v[1] - p.q[1] * p.v[0];
    for method in [LagrangeMethod::Midpoint, LagrangeMethod::Verlet, LagrangeMethod::Variational4] {
        let steps = 4000; // two revolutions
        let phase = run(&mut sun, method, (&q, &v), 4.0 * std::f64::consts::PI / steps as f64, steps);
        assert!((area(&phase) - 0.8).abs() < 1e-12, "{method}: {:e}", area(&phase) - 0.8);
        assert!((sun.energy(&phase.q, &phase.v) + 0.5).abs() < 1e-4, "{method}");
    }
    let steps = 4000;
    let phase =
        run(&mut sun, LagrangeMethod::Rk4, (&q, &v), 2.0 * std::f64::consts::PI / steps as f64, steps);
    let apart = (phase.q[0] - q[0]).abs() + (phase.q[1] - q[1]).abs();
    assert!(apart < 1e-8, "{apart:e}");
    // the vector of Laplace, Runge and Lenz: (v × L) − r̂
    let (r, l) = (phase.q[0].hypot(phase.q[1]), area(&phase));
    let lenz = [phase.v[1] * l - phase.q[0] / r, -phase.v[0] * l - phase.q[1] / r];
    assert!((lenz[0] - 0.6).abs() + lenz[1].abs() < 1e-8);
}

#[test]
fn every_method_has_its_order() {
    let mut equations = EquationsOfMotion::new(PENDULUM);
    let start: (&[f64], &[f64]) = (&[0.7, 0.2], &[0.0, 0.8]);
    let exact = run(&mut equations, LagrangeMethod::Rk4, start, 1.0 / 8192.0, 8192).q;
    for method in LagrangeMethod::ALL {
        let mut error = |steps: usize| {
            let q = run(&mut equations, method, start, 1.0 / steps as f64, steps).q;
            (q[0] - exact[0]).hypot(q[1] - exact[1])
        };
        let order = (error(64) / error(128)).log2();
        let expected = f64::from(method.order());
        assert!((order - expected).abs() < 0.25, "{method}: {order}");
    }
}

#[test]
fn variational_steps_are_symplectic_and_reversible() {
    let mut equations = EquationsOfMotion::new(PENDULUM);
    let base = Phase::new(&mut equations, &[0.9, -0.3], &[1.0, 0.5]).unwrap();
    for method in [LagrangeMethod::Midpoint, LagrangeMethod::Verlet, LagrangeMethod::Variational4] {
        let mut mapped = |d: [f64; 4]| -> [f64; 4] {
            let mut phase = base.clone();
            for k in 0..2 {
                phase.q[k] += d[k];
                phase.p[k] += d[2 + k];
            }
            let mut v = phase.v.clone();
            equations.velocity(&phase.q, &phase.p, &mut v).unwrap();
            phase.v = v;
            equations.step(method, &mut phase, 0.05).unwrap();
            [phase.q[0], phase.q[1], phase.p[0], phase.p[1]]
        };
        let h = 1e-5;
        let columns: Vec<[f64; 4]> = (0..4)
            .map(|k| {
                let (mut plus, mut minus) = ([0.0; 4], [0.0; 4]);
                (plus[k], minus[k]) = (h, -h);
                let (a, b) = (mapped(plus), mapped(minus));
                std::array::from_fn(|i| (a[i] - b[i]) / (2.0 * h))
            })
            .collect();
        let form = |a: &[f64; 4], b: &[f64; 4]| a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
        for i in 0..4 {
            for k in 0..4 {
                let expected = f64::from(i32::from(k == i + 2) - i32::from(i == k + 2));
                let found = form(&columns[i], &columns[k]);
                assert!((found - expected).abs() < 1e-7, "{method}: {i} {k}: {found}");
            }
        }
        let mut phase = base.clone();
        equations.step(method, &mut phase, 0.05).unwrap();
        equations.step(method, &mut phase, -0.05).unwrap();
        assert!((phase.q[0] - base.q[0]).abs() + (phase.p[1] - base.p[1]).abs() < 1e-13, "{method}");
    }
}

/// The spherical pendulum in x, y, z with the length as a constraint.
fn on_a_rod() -> FormulaLagrangian {
    let k = "0.5*(x_dot^2 + y_dot^2 + z_dot^2)";
    FormulaLagrangian::parse(&["x", "y", "z"], k, "g*z", &[("g", G)])
        .unwrap()
        .constraint("(x^2 + y^2 + z^2 - 1)/2")
        .unwrap()
}

#[test]
fn a_constraint_pulls_with_the_tension_of_the_rod() {
    let mut rod = EquationsOfMotion::new(on_a_rod());
    let (s, c) = 0.8f64.sin_cos();
    // θ = 0.8, θ̇ = 0.2, φ = 0, φ̇ = 2: the tension is m (|v|²/l + g cos θ), λ along growing C
    let (q, v) = ([s, 0.0, -c], [0.2 * c, 2.0 * s, 0.2 * s]);
    let mut a = [0.0; 3];
    rod.acceleration(&q, &v, &mut a).unwrap();
    let tension = 0.04 + 4.0 * s * s + G * c;
    assert!((rod.multipliers()[0] + tension).abs() < 1e-12);
    let mut angles = spherical_pendulum();
    for method in LagrangeMethod::ALL {
        let phase = run(&mut rod, method, (&q, &v), 1e-3, 1000);
        assert!(rod.constraint_values(&phase.q)[0].abs() < 1e-14, "{method}");
        let along: f64 = phase.q.iter().zip(&phase.v).map(|(q, v)| q * v).sum();
        assert!(along.abs() < 1e-13, "{method}: {along:e}");
        let other = run(&mut angles, LagrangeMethod::Rk4, (&[0.8, 0.0], &[0.2, 2.0]), 1e-3, 1000);
        let (st, ct) = other.q[0].sin_cos();
        let (sp, cp) = other.q[1].sin_cos();
        let apart = (phase.q[0] - st * cp).abs() + (phase.q[1] - st * sp).abs() + (phase.q[2] + ct).abs();
        let bound = [0.0, 2e-2, 2e-5, 0.0, 1e-9][method.order() as usize];
        assert!(apart < bound, "{method}: {apart:e}");
        // a variational method keeps the momentum about the vertical with constraints, too
        if matches!(method, LagrangeMethod::Midpoint | LagrangeMethod::Verlet | LagrangeMethod::Variational4)
        {
            let turning = phase.q[0] * phase.p[1] - phase.q[1] * phase.p[0];
            assert!((turning - 2.0 * s * s).abs() < 1e-12, "{method}: {:e}", turning - 2.0 * s * s);
        }
    }
}

#[test]
fn without_potential_the_motion_is_a_geodesic() {
    // on a torus, Clairaut: ρ² φ̇ is kept; the speed is, too
    let k = "0.5*((2 + cos(u))^2*w_dot^2 + u_dot^2)";
    let mut torus = EquationsOfMotion::new(FormulaLagrangian::parse(&["u", "w"], k, "0", &[]).unwrap());
    let start: (&[f64], &[f64]) = (&[0.3, 0.0], &[0.7, 0.5]);
    let clairaut = |p: &Phase| (2.0 + p.q[0].cos()).powi(2) * p.v[1];
    let begin = Phase::new(&mut torus, start.0, start.1).unwrap();
    let end = run(&mut torus, LagrangeMethod::Rk4, start, 1e-3, 10_000);
    assert!((clairaut(&end) - clairaut(&begin)).abs() < 1e-10);
    assert!((torus.kinetic_energy(&end.q, &end.v) - torus.kinetic_energy(&begin.q, &begin.v)).abs() < 1e-10);
    // ∇q̇/dt = 0 along it, and dU = −b ∇q̇/dt along a motion with a potential
    let (mut a, mut force, mut other) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    torus.acceleration(&end.q, &end.v, &mut a).unwrap();
    torus.covariant_force(&end.q, &end.v, &a, &mut force);
    assert!(force.iter().all(|f| f.abs() < 1e-12));
    let mut pendulum = spherical_pendulum();
    let (q, v) = ([0.8, 0.3], [0.2, 2.0]);
    pendulum.acceleration(&q, &v, &mut a).unwrap();
    pendulum.covariant_force(&q, &v, &a, &mut force);
    pendulum.potential_force(&q, &mut other);
    assert!((force[0] - other[0]).abs() + (force[1] - other[1]).abs() < 1e-12);
    pendulum.euler_lagrange(&q, &v, &a, &mut force);
    assert!(force.iter().all(|f| f.abs() < 1e-12));
    // p = b q̇
    let (b, mut p) = (pendulum.metric(&q, &v), [0.0; 2]);
    pendulum.momentum(&q, &v, &mut p);
    assert!((0..2).all(|i| (p[i] - b[(i, 0)] * v[0] - b[(i, 1)] * v[1]).abs() < 1e-15));
}

#[test]
fn a_kinetic_energy_need_not_be_quadratic() {
    // a fast particle: L = −√(1 − v²) − U with c = m = 1; its energy is γ + U, its momentum γ v
    let mut fast = EquationsOfMotion::new(
        FormulaLagrangian::parse(&["x"], "-sqrt(1 - x_dot^2)", "-f*x", &[("f", 0.5)]).unwrap(),
    );
    let gamma = 1.0 / (1.0f64 - 0.64).sqrt();
    assert!((fast.energy(&[0.0], &[0.8]) - gamma).abs() < 1e-14);
    let phase = run(&mut fast, LagrangeMethod::Midpoint, (&[0.0], &[0.0]), 0.01, 1000);
    // p = f t, x = (√(1 + p²) − 1)/f
    assert!((phase.p[0] - 5.0).abs() < 1e-11);
    assert!((phase.q[0] - (26f64.sqrt() - 1.0) / 0.5).abs() < 1e-4);
    assert!((phase.v[0] - 5.0 / 26f64.sqrt()).abs() < 1e-12);
}

/// The double pendulum by where its two points are.
struct Points;

impl Atoms for Points {
    fn coordinates(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        2
    }
    fn mass(&self, atom: usize) -> f64 {
        PENDULUM.masses[atom]
    }
    fn position<T: Analytic>(&self, atom: usize, q: &[T]) -> V3<T> {
        (0..=atom).fold(V3::zero(), |x, k| {
            let (s, c) = q[k].sin_cos();
            x + V3::new(s, T::zero(), -c) * T::from_f64(PENDULUM.lengths[k])
        })
    }
    fn density<T: Analytic>(&self, _: usize, x: V3<T>) -> T {
        T::from_f64(G) * x.z
    }
}

#[test]
fn energies_pulled_back_from_atoms_are_those_written_out() {
    let (mut atoms, mut written) =
        (EquationsOfMotion::new(FromAtoms(Points)), EquationsOfMotion::new(PENDULUM));
    let (q, v) = ([0.4, -1.3], [0.9, 2.0]);
    assert!((atoms.kinetic_energy(&q, &v) - written.kinetic_energy(&q, &v)).abs() < 1e-14);
    assert!((atoms.potential_energy(&q) - written.potential_energy(&q)).abs() < 1e-14);
    let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
    atoms.acceleration(&q, &v, &mut a).unwrap();
    written.acceleration(&q, &v, &mut b).unwrap();
    assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-12);
    let tau = [0.3, -0.7];
    written.forced_acceleration(&q, &v, &tau, &mut a).unwrap();
    written.euler_lagrange(&q, &v, &a, &mut b);
    assert!((b[0] - tau[0]).abs() + (b[1] - tau[1]).abs() < 1e-12);
}

#[test]
fn what_cannot_be_solved_is_refused_and_changes_nothing() {
    let mut pendulum = spherical_pendulum();
    let mut a = [0.0; 2];
    let pole = pendulum.acceleration(&[0.0, 0.0], &[1.0, 0.0], &mut a);
    assert!(matches!(pole, Err(LagrangeError::Singular { .. })), "{pole:?}");
    assert!(Phase::new(&mut pendulum, &[0.1], &[0.0, 0.0]).is_err());
    assert!(Phase::new(&mut pendulum, &[f64::NAN, 0.0], &[0.0, 0.0]).is_err());
    let mut phase = Phase::new(&mut pendulum, &[0.8, 0.0], &[0.0, 1.0]).unwrap();
    for dt in [0.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(pendulum.step(LagrangeMethod::Rk4, &mut phase, dt), Err(LagrangeError::Step(_))));
    }
    // ln(q) is not a number here, though its derivative is
    let logarithm = FormulaLagrangian::parse(&["q"], "0.5*q_dot^2", "ln(q)", &[]).unwrap();
    let outside = Phase::new(&mut EquationsOfMotion::new(logarithm), &[-1.0], &[0.0]);
    assert!(matches!(outside, Err(LagrangeError::NotFinite { .. })), "{outside:?}");
    // two conditions that are one
    let twice = on_a_rod().constraint("x^2 + y^2 + z^2 - 1").unwrap();
    let mut twice = EquationsOfMotion::new(twice);
    let mut a = [0.0; 3];
    let refused = twice.acceleration(&[0.6, 0.0, -0.8], &[0.0, 1.0, 0.0], &mut a);
    assert!(matches!(refused, Err(LagrangeError::Singular { .. })), "{refused:?}");
    // falling into the sun
    let mut sun = EquationsOfMotion::new(Kepler);
    let mut phase = Phase::new(&mut sun, &[1e-160, 0.0], &[0.0, 0.0]).unwrap();
    let before = phase.clone();
    for method in LagrangeMethod::ALL {
        assert!(sun.step(method, &mut phase, 1.0).is_err(), "{method}");
        assert_eq!(phase, before);
    }
}

#[test]
fn what_hangs_at_rest_stays_at_rest() {
    let mut rod = EquationsOfMotion::new(on_a_rod());
    let mut pendulum = EquationsOfMotion::new(PENDULUM);
    for method in LagrangeMethod::ALL {
        let phase = run(&mut rod, method, (&[0.0, 0.0, -1.0], &[0.0; 3]), 0.01, 100);
        assert!(
            (phase.q[2] + 1.0).abs() < 1e-14 && phase.v.iter().all(|v| v.abs() < 1e-13),
            "{method}: {phase:?}"
        );
        assert!((rod.multipliers()[0] + G).abs() < 1e-9, "{method}: {:?}", rod.multipliers());
        let phase = run(&mut pendulum, method, (&[0.0; 2], &[0.0; 2]), 0.01, 100);
        assert!(phase.q.iter().chain(&phase.v).all(|x| x.abs() < 1e-14), "{method}: {phase:?}");
    }
}
