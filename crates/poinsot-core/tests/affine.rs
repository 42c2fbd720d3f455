//! Hierarchies whose nodes turn, slide, scale, stretch and shear: dynamics, conservation, constraints, residual and Jacobians.
#![allow(clippy::unwrap_used)]

use poinsot_core::algebra::{M3, V3};
use poinsot_core::dynamics::Workspace;
use poinsot_core::hierarchy::{
    Affine, AffineBuilder, AffineDynamics, AffineError, AffineMethod, AffineModel, AffineState, Condition,
    NodeMotion, PointForce,
};
use poinsot_core::lagrange::{
    EquationsOfMotion, FormulaLagrangian, LagrangeMethod, Lagrangian, Phase, Stretching,
};
use poinsot_core::model::{BodyId, BodySpec, Joint, ModelBuilder, Shape};
use poinsot_core::spatial::{Pose, exp_so3};

/// Numbers in [−1, 1] from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> V3 {
        V3::new(self.next(), self.next(), self.next())
    }
    fn list(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

const KINDS: usize = 10;

fn motion(k: usize, axis: V3, other: V3) -> NodeMotion {
    match k % KINDS {
        0 => NodeMotion::Turn { axis },
        1 => NodeMotion::Scale,
        2 => NodeMotion::Stretch { axis },
        3 => NodeMotion::Shear { along: other, normal: axis },
        4 => NodeMotion::Slide { axis },
        5 => NodeMotion::Squash { axis },
        6 => NodeMotion::Ball,
        7 => NodeMotion::Affine,
        8 => NodeMotion::Free,
        _ => NodeMotion::Screw { turn: 1.0, advance: 0.2, reference: 0.1 },
    }
}

/// A random tree with motions of all kinds in random order; without quaternions on demand.
fn random(seed: u64, nodes: usize, coordinates_only: bool) -> AffineModel {
    let mut r = Numbers(seed);
    let mut b = AffineBuilder::new();
    b.gravity(V3::new(0.3, -0.5, -9.0));
    let mut all = vec![BodyId::WORLD];
    for k in 0..nodes {
        // a ball, free or affine motion leaves nothing to another of the same node
        let mut kind = ((r.next() + 1.0) * 50.0) as usize % KINDS;
        while coordinates_only && matches!(kind, 6 | 8) {
            kind = (kind + 1) % KINDS;
        }
        let other = (kind + 1 + (k % 4)) % 6;
        let mut motions = vec![motion(kind, r.vector(), r.vector()), motion(other, r.vector(), r.vector())];
        motions.truncate(if matches!(kind, 6..=8) || other == kind { 1 } else { 2 });
        let parent = all[((r.next() + 1.0) * 0.5 * all.len() as f64) as usize % all.len()];
        let frame = Affine::from(Pose { rot: exp_so3(r.vector()), pos: r.vector() });
        let node = b.node(parent, format!("n{k}"), frame, &motions).unwrap();
        for _ in 0..2 {
            let size = V3::new(0.6 + 0.3 * r.next(), 0.6 + 0.3 * r.next(), 0.6 + 0.3 * r.next());
            let pose = Pose { rot: exp_so3(r.vector()), pos: r.vector() * 0.3 };
            b.solid(node, &Shape::Box { size }, 1.0 + 0.5 * r.next(), pose).unwrap();
        }
        all.push(node);
    }
    b.build()
}

fn state(model: &AffineModel, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let (mut r, mut q) = (Numbers(seed), model.rest());
    q.iter_mut().for_each(|q| *q += 0.2 * r.next());
    (q, r.list(model.nv()))
}

fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    let size = a.iter().chain(b).fold(1.0f64, |m, x| m.max(x.abs()));
    let apart = a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(a.len() == b.len() && apart <= tolerance * size, "{what}: {:e}", apart / size);
}

#[test]
fn forward_undoes_inverse_dynamics() {
    for seed in 0..30 {
        let mut d = AffineDynamics::new(random(seed, 3 + seed as usize % 10, false));
        let (mut q, v) = state(d.model(), seed + 100);
        // quaternions of states are unit ones
        let mut s = AffineState { time: 0.0, q: q.clone(), v: v.clone() };
        d.step(AffineMethod::Rk4, &mut s, 1e-9).unwrap();
        q.copy_from_slice(&s.q);
        let n = v.len();
        let a = Numbers(seed + 200).list(n);
        let push = [
            PointForce { body: BodyId::WORLD, point: V3::X, force: V3::Y },
            PointForce {
                body: d.model().node("n1").unwrap(),
                point: V3::new(0.1, 0.2, 0.3),
                force: V3::new(3.0, -2.0, 1.0),
            },
        ];
        let (mut tau, mut back) = (vec![0.0; n], vec![0.0; n]);
        d.inverse_dynamics(&q, &v, &a, &push, &mut tau).unwrap();
        d.forward_dynamics(&q, &v, &tau, &push, &mut back).unwrap();
        close(&a, &back, 1e-10, &format!("seed {seed}"));
        // and M a + bias = τ
        let m = d.mass_matrix(&q).unwrap();
        let mut bias = vec![0.0; n];
        d.inverse_dynamics(&q, &v, &vec![0.0; n], &push, &mut bias).unwrap();
        let sum: Vec<f64> = (0..n).map(|i| bias[i] + (0..n).map(|k| m[(i, k)] * a[k]).sum::<f64>()).collect();
        close(&tau, &sum, 1e-12, "M a + bias");
    }
}

#[test]
fn the_recursions_are_the_sums_over_primitives() {
    for seed in 0..10 {
        let mut d = AffineDynamics::new(random(seed, 8, false));
        let ((q, v), n) = (state(d.model(), seed), d.model().nv());
        let a = Numbers(seed + 7).list(n);
        let (mut recursive, mut summed) = (vec![0.0; n], vec![0.0; n]);
        d.inverse_dynamics(&q, &v, &a, &[], &mut recursive).unwrap();
        d.sum_over_primitives(&q, &v, &a, &mut summed).unwrap();
        close(&recursive, &summed, 1e-13, "primitives");
        // p = M v
        let (m, mut p) = (d.mass_matrix(&q).unwrap(), vec![0.0; n]);
        d.generalised_momentum(&q, &v, &mut p).unwrap();
        let product: Vec<f64> = (0..n).map(|i| (0..n).map(|k| m[(i, k)] * v[k]).sum()).collect();
        close(&p, &product, 1e-13, "momentum");
        let twice: f64 = p.iter().zip(&v).map(|(p, v)| p * v).sum();
        assert!((d.kinetic_energy(&q, &v).unwrap() - 0.5 * twice).abs() < 1e-12 * twice);
    }
}

#[test]
fn lagranges_equation_gives_the_same_accelerations_and_multipliers() {
    for seed in 0..8 {
        let mut model = random(seed, 4, true);
        if seed % 2 == 1 {
            let (x, y) = (V3::new(0.2, 0.1, 0.0), V3::new(-0.1, 0.3, 0.2));
            let [a, b] = ["n1", "n3"].map(|n| model.node(n).unwrap());
            let mut builder = rebuilt(seed, 4);
            builder.constraint(Condition::Distance { a, x, b, y, length: 1.0 }).unwrap();
            builder.constraint(Condition::Volume { node: b, factor: 0.9 }).unwrap();
            builder.constraint(Condition::Plane { node: a, x: y, normal: V3::Z, offset: 0.2 }).unwrap();
            model = builder.build();
        }
        let (q, v) = state(&model, seed + 40);
        let n = model.nv();
        let mut equations = EquationsOfMotion::new(Stretching::new(&model).unwrap());
        let mut d = AffineDynamics::new(model.clone());
        let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
        d.forward_dynamics(&q, &v, &vec![0.0; n], &[], &mut a).unwrap();
        equations.acceleration(&q, &v, &mut b).unwrap();
        close(&a, &b, 1e-10, &format!("seed {seed}: accelerations"));
        close(d.multipliers(), equations.multipliers(), 1e-10, &format!("seed {seed}: multipliers"));
        // the residual C_j(q, q̇, q̈, λ) is 0 there
        let (lambda, mut c) = (d.multipliers().to_vec(), vec![0.0; n]);
        d.residual(&q, &v, &a, &lambda, &vec![0.0; n], &[], &mut c).unwrap();
        let size = a.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        assert!(c.iter().all(|c| c.abs() < 1e-10 * size), "seed {seed}: {c:?}");
    }
}

/// The builder of `random`, before it is built.
fn rebuilt(seed: u64, nodes: usize) -> AffineBuilder {
    let model = random(seed, nodes, true);
    AffineBuilder::from(model)
}

#[test]
fn rigid_trees_are_the_special_case() {
    let (mut b, mut m) = (AffineBuilder::new(), ModelBuilder::new("chain"));
    m.gravity(V3::new(0.0, 0.0, -9.81));
    let (mut above, mut parent) = (BodyId::WORLD, BodyId::WORLD);
    let solid = Shape::Box { size: V3::new(0.2, 0.3, 0.5) };
    for k in 0..9 {
        let axis = [V3::X, V3::Y, V3::new(1.0, 1.0, 2.0)][k % 3];
        let (shift, slides) = (V3::new(0.1, 0.0, 0.4), k % 4 == 3);
        let motion = if slides { NodeMotion::Slide { axis } } else { NodeMotion::Turn { axis } };
        above = b.node(above, format!("n{k}"), Affine::from(shift), &[motion]).unwrap();
        b.solid(above, &solid, 1.5, Pose::IDENTITY).unwrap();
        parent = m.body(parent, BodySpec::new(format!("n{k}")).at(shift).solid(&solid, 1.5).unwrap());
        m.joint(parent, if slides { Joint::prismatic(axis) } else { Joint::revolute(axis) });
    }
    let (model, mut d) = (m.build().unwrap(), AffineDynamics::new(b.build()));
    let mut r = Numbers(3);
    for _ in 0..20 {
        let (q, v, tau) = (r.list(9), r.list(9), r.list(9));
        let (mut a, mut tree) = (vec![0.0; 9], vec![0.0; 9]);
        d.forward_dynamics(&q, &v, &tau, &[], &mut a).unwrap();
        Workspace::new(&model).forward_dynamics(&model, &q, &v, &tau, &mut tree);
        close(&a, &tree, 1e-11, "forward dynamics");
    }
}

/// A pendulum on a rod that stretches along itself, and shears across.
fn arm() -> AffineModel {
    let mut b = AffineBuilder::new();
    let motions = [
        NodeMotion::Turn { axis: V3::Y },
        NodeMotion::Stretch { axis: V3::Z },
        NodeMotion::Shear { along: V3::X, normal: V3::Z },
    ];
    let arm = b.node(BodyId::WORLD, "arm", Affine::identity(), &motions).unwrap();
    let below = Pose { pos: V3::new(0.0, 0.0, -0.5), ..Pose::IDENTITY };
    b.solid(arm, &Shape::Box { size: V3::new(0.6, 0.1, 1.0) }, 2.0, below).unwrap();
    b.spring(1, 150.0, 0.0, 1.0).unwrap();
    b.spring(2, 20.0, 0.0, 0.0).unwrap();
    b.build()
}

/// The energies of the arm, derived by hand: x = X + k Z stretched … with ∫X² = Sx, ∫Z² = Sz, ∫Z = h of the box, in the plane.
fn arm_by_hand() -> FormulaLagrangian {
    // after shear (X + kZ, Z) and stretch (·, s·): u = X + kZ, w = sZ, turned by θ about y; |ẋ|² = |u̇ + θ̇ w|² + |ẇ − θ̇ u|²
    let parameters = [("sx", 2.0 * 0.36 / 12.0), ("sz", 2.0 * (1.0 / 12.0 + 0.25)), ("h", -1.0), ("g", 9.81)];
    let k = "0.5*(sz*(k_dot + th_dot*s)^2 + sz*(s_dot - th_dot*k)^2 + sx*th_dot^2)";
    let u = "g*h*(s*cos(th) - k*sin(th)) + 75*(s - 1)^2 + 10*k^2";
    FormulaLagrangian::parse(&["th", "s", "k"], k, u, &parameters).unwrap()
}

#[test]
fn a_stretching_pendulum_moves_as_its_energies_say() {
    // Richardson's extrapolation of the hand-written energies, by another integrator than that of the hierarchy
    let (q, v) = ([0.6, 1.05, 0.1], [0.5, -0.4, 0.3]);
    let mut hand = EquationsOfMotion::new(arm_by_hand());
    let mut at = |steps: usize| {
        let mut phase = Phase::new(&mut hand, &q, &v).unwrap();
        (0..steps)
            .for_each(|_| hand.step(LagrangeMethod::Variational4, &mut phase, 1.0 / steps as f64).unwrap());
        phase.q
    };
    let (coarse, fine) = (at(1000), at(2000));
    let exact: Vec<f64> = coarse.iter().zip(&fine).map(|(c, f)| f + (f - c) / 15.0).collect();
    let mut d = AffineDynamics::new(arm());
    let mut s = AffineState { time: 0.0, q: q.to_vec(), v: v.to_vec() };
    let mut a = [0.0; 3];
    let mut b = [0.0; 3];
    d.forward_dynamics(&q, &v, &[0.0; 3], &[], &mut a).unwrap();
    hand.acceleration(&q, &v, &mut b).unwrap();
    close(&a, &b, 1e-12, "accelerations");
    for _ in 0..4000 {
        d.step(AffineMethod::Rk4, &mut s, 2.5e-4).unwrap();
    }
    close(&s.q, &exact, 1e-9, "trajectory");
}

#[test]
fn energy_is_kept_to_the_order_of_the_method() {
    let mut d = AffineDynamics::new(arm());
    let mut drift = |method, steps: usize| {
        let mut s = AffineState { time: 0.0, q: vec![0.6, 1.05, 0.1], v: vec![0.5, -0.4, 0.3] };
        let before = d.energy(&s.q, &s.v).unwrap();
        (0..steps).for_each(|_| d.step(method, &mut s, 1.0 / steps as f64).unwrap());
        (d.energy(&s.q, &s.v).unwrap() - before).abs()
    };
    let rk4 = (drift(AffineMethod::Rk4, 200) / drift(AffineMethod::Rk4, 400)).log2();
    assert!(rk4 > 3.7, "{rk4}");
    let euler = (drift(AffineMethod::SemiImplicit, 2000) / drift(AffineMethod::SemiImplicit, 4000)).log2();
    assert!((euler - 1.0).abs() < 0.2, "{euler}");
}

#[test]
fn a_free_body_that_may_stretch_keeps_both_momenta_and_flies_straight() {
    let mut b = AffineBuilder::new();
    b.gravity(V3::ZERO);
    let drop = b.node(BodyId::WORLD, "drop", Affine::identity(), &[NodeMotion::Affine]).unwrap();
    b.solid(drop, &Shape::Box { size: V3::new(0.3, 0.2, 0.4) }, 1.0, Pose::IDENTITY).unwrap();
    let mut d = AffineDynamics::new(b.build());
    let mut s = d.rest();
    s.v = Numbers(5).list(12);
    let (v, before) = (s.v.clone(), d.momentum(&s.q, &s.v).unwrap());
    for _ in 0..100 {
        d.step(AffineMethod::Rk4, &mut s, 0.01).unwrap();
    }
    // without forces every entry of W is linear in time
    let expected: Vec<f64> = d.model().rest().iter().zip(&v).map(|(q, v)| q + v).collect();
    close(&s.q, &expected, 1e-13, "straight");
    let after = d.momentum(&s.q, &s.v).unwrap();
    assert!((after.0 - before.0).norm() < 1e-13 && (after.1 - before.1).norm() < 1e-13);
    assert!(before.1.norm() > 1e-3);
}

#[test]
fn a_drop_that_keeps_its_volume_keeps_energy_and_momenta() {
    let mut b = AffineBuilder::new();
    b.gravity(V3::ZERO);
    let drop = b.node(BodyId::WORLD, "drop", Affine::identity(), &[NodeMotion::Affine]).unwrap();
    b.solid(drop, &Shape::Sphere { radius: 0.2 }, 1.0, Pose::IDENTITY).unwrap();
    b.constraint(Condition::Volume { node: drop, factor: 1.0 }).unwrap();
    let mut d = AffineDynamics::new(b.build());
    let mut s = d.rest();
    s.v = Numbers(6).list(12);
    d.project(&mut s).unwrap();
    let (energy, momenta) = (d.energy(&s.q, &s.v).unwrap(), d.momentum(&s.q, &s.v).unwrap());
    for _ in 0..500 {
        d.step(AffineMethod::Rk4, &mut s, 2e-3).unwrap();
        let w = d.transforms(&s.q).unwrap()[drop.index()];
        assert!((w.linear.determinant() - 1.0).abs() < 1e-12);
    }
    let after = d.momentum(&s.q, &s.v).unwrap();
    assert!((d.energy(&s.q, &s.v).unwrap() - energy).abs() < 1e-9 * energy);
    assert!((after.0 - momenta.0).norm() < 1e-10 && (after.1 - momenta.1).norm() < 1e-10);
}

#[test]
fn squash_keeps_volume_and_motions_are_derivatives_of_each_other() {
    let mut r = Numbers(9);
    for kind in 0..KINDS {
        let (axis, other) = (r.vector().unit().unwrap(), r.vector().unit().unwrap());
        let motion = motion(kind, axis, other);
        let (mut q, v) = (vec![0.0; motion.nq()], r.list(motion.nv()));
        motion.rest(&mut q);
        if motion.has_coordinate_rates() {
            q.iter_mut().for_each(|q| *q += 0.3 * r.next());
        }
        let moved = |h: f64| {
            let mut rate = vec![0.0; q.len()];
            motion.rates(&q, &v, &mut rate);
            let at: Vec<f64> = q.iter().zip(&rate).map(|(q, r)| q + h * r).collect();
            motion.transform(&at)
        };
        let h = 1e-5;
        let difference = |a: Affine, b: Affine, k: f64| (a + b.scaled(-1.0)).scaled(k);
        let numeric = difference(moved(h), moved(-h), 0.5 / h);
        let along = (0..motion.nv()).fold(Affine::zero(), |s, k| s + motion.along(&q, k).scaled(v[k]));
        let gap = difference(numeric, along, 1.0);
        assert!(gap.linear.max_abs() + gap.shift.norm() < 1e-8, "{motion:?}");
        if motion.has_coordinate_rates() {
            let second = difference(moved(h) + moved(-h), moved(0.0).scaled(2.0), 1.0 / (h * h));
            let gap = difference(second, motion.bias(&q, &v), 1.0);
            assert!(gap.linear.max_abs() + gap.shift.norm() < 1e-4, "{motion:?}");
        }
        if matches!(motion, NodeMotion::Squash { .. }) {
            assert!((motion.transform(&q).linear.determinant() - 1.0).abs() < 1e-14);
        }
    }
}

#[test]
fn jacobians_of_the_residual_are_its_derivatives() {
    let mut b = rebuilt(3, 4);
    let [x, y] = ["n0", "n3"].map(|n| random(3, 4, true).node(n).unwrap());
    b.constraint(Condition::Point { a: x, x: V3::X * 0.3, b: y, y: V3::Y * 0.2 }).unwrap();
    b.spring(0, 30.0, 2.0, 0.1).unwrap();
    let mut d = AffineDynamics::new(b.build());
    let n = d.model().nv();
    let ((q, v), mut r) = (state(d.model(), 4), Numbers(5));
    let (a, lambda) = (r.list(n), r.list(3));
    let force = [PointForce { body: y, point: V3::X, force: V3::new(1.0, 2.0, 3.0) }];
    let jacobians = d.jacobians(&q, &v, &a, &lambda, &force).unwrap();
    let mut residual = |q: &[f64], v: &[f64], a: &[f64], lambda: &[f64]| {
        let mut c = vec![0.0; n];
        d.residual(q, v, a, lambda, &vec![0.0; n], &force, &mut c).unwrap();
        c
    };
    // central differences at h and h/2, extrapolated
    let mut column = |which: usize, k: usize| {
        let mut slope = |h: f64| {
            let mut at = |h: f64| {
                let mut x = [q.clone(), v.clone(), a.clone(), lambda.clone()];
                x[which][k] += h;
                residual(&x[0], &x[1], &x[2], &x[3])
            };
            let (plus, minus) = (at(h), at(-h));
            plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * h)).collect::<Vec<f64>>()
        };
        let (wide, near) = (slope(2e-3), slope(1e-3));
        near.iter().zip(&wide).map(|(n, w)| n + (n - w) / 3.0).collect::<Vec<f64>>()
    };
    let all = [&jacobians.q, &jacobians.v, &jacobians.a, &jacobians.lambda];
    for (which, jacobian) in all.into_iter().enumerate() {
        for k in 0..jacobian.ncols() {
            let exact: Vec<f64> = jacobian.column(k).iter().copied().collect();
            close(&exact, &column(which, k), 1e-9, &format!("argument {which}, column {k}"));
        }
    }
}

#[test]
fn forward_dynamics_takes_time_in_proportion_to_the_nodes() {
    let time = |nodes: usize| {
        let mut b = AffineBuilder::new();
        let mut above = BodyId::WORLD;
        for k in 0..nodes {
            let motion = if k % 2 == 0 {
                NodeMotion::Turn { axis: V3::Y }
            } else {
                NodeMotion::Stretch { axis: V3::Z }
            };
            above = b.node(above, "n", Affine::from(V3::Z * 0.01), &[motion]).unwrap();
            b.solid(above, &Shape::Sphere { radius: 0.1 }, 1.0, Pose::IDENTITY).unwrap();
        }
        let mut d = AffineDynamics::new(b.build());
        let (q, v, mut a) = (d.model().rest(), vec![0.0; nodes], vec![0.0; nodes]);
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let begin = std::time::Instant::now();
            d.forward_dynamics(&q, &v, &vec![0.0; nodes], &[], &mut a).unwrap();
            least = least.min(begin.elapsed().as_secs_f64());
        }
        least
    };
    let (few, many) = (time(1000), time(8000));
    println!("forward dynamics: {:.2e} s for 1000 nodes, {:.1} times as long for 8000", few, many / few);
    // eight times the nodes: a quadratic cost would be 64 times
    assert!(many < 24.0 * few, "{few} s and {many} s");
}

#[test]
fn what_is_impossible_is_refused() {
    let mut b = AffineBuilder::new();
    let lost = b.node(BodyId::WORLD, "lost", Affine::identity(), &[NodeMotion::Turn { axis: V3::ZERO }]);
    assert!(matches!(lost, Err(AffineError::Axis { .. })));
    let flat = Affine { linear: M3::columns(V3::X, V3::Y, V3::X), shift: V3::ZERO };
    assert!(matches!(b.node(BodyId::WORLD, "flat", flat, &[]), Err(AffineError::Frame { .. })));
    let empty = b.node(BodyId::WORLD, "empty", Affine::identity(), &[NodeMotion::Scale]).unwrap();
    assert!(matches!(b.spring(7, 1.0, 0.0, 0.0), Err(AffineError::Missing { .. })));
    let ball = b.node(empty, "ball", Affine::identity(), &[NodeMotion::Ball]).unwrap();
    assert!(matches!(
        b.spring(b.dof(ball, 0).unwrap(), 1.0, 0.0, 0.0),
        Err(AffineError::NoCoordinate { .. })
    ));
    let none = Condition::Volume { node: empty, factor: -1.0 };
    assert!(matches!(b.constraint(none), Err(AffineError::Number { .. })));
    let mut d = AffineDynamics::new(b.build());
    let mut s = d.rest();
    let massless = d.step(AffineMethod::Rk4, &mut s, 0.1);
    assert!(matches!(massless, Err(AffineError::Massless { .. })), "{massless:?}");
    // a scale beyond twelve affine entries moves nothing that these do not
    let mut b = AffineBuilder::new();
    let twice =
        b.node(BodyId::WORLD, "twice", Affine::identity(), &[NodeMotion::Affine, NodeMotion::Scale]).unwrap();
    b.solid(twice, &Shape::Box { size: V3::new(0.3, 0.2, 0.4) }, 1.7, Pose::IDENTITY).unwrap();
    let mut twice = AffineDynamics::new(b.build());
    let mut start = twice.rest();
    start.q[1] = 0.123;
    let redundant = twice.step(AffineMethod::Rk4, &mut start, 0.1);
    assert!(matches!(redundant, Err(AffineError::Massless { .. })), "{redundant:?}");
    assert!(matches!(d.kinetic_energy(&[0.0], &[]), Err(AffineError::Length { .. })));
    assert!(matches!(d.step(AffineMethod::Rk4, &mut s, f64::NAN), Err(AffineError::Step(_))));
}

#[test]
fn constraints_of_stretching_nodes_hold_along_a_run() {
    // a strip of three stretching cells between two points of the world
    let mut b = AffineBuilder::new();
    let mut above = BodyId::WORLD;
    for k in 0..3 {
        let motions = [NodeMotion::Turn { axis: V3::Y }, NodeMotion::Stretch { axis: V3::X }];
        above = b
            .node(above, format!("c{k}"), Affine::from(V3::X * f64::from(u8::from(k > 0))), &motions)
            .unwrap();
        let middle = Pose { pos: V3::X * 0.5, ..Pose::IDENTITY };
        b.solid(above, &Shape::Box { size: V3::new(1.0, 0.2, 0.1) }, 0.5, middle).unwrap();
        b.spring(b.dof(above, 1).unwrap(), 200.0, 0.0, 1.0).unwrap();
    }
    b.constraint(Condition::Point { a: above, x: V3::X, b: BodyId::WORLD, y: V3::X * 3.0 }).unwrap();
    let mut d = AffineDynamics::new(b.build());
    let mut s = d.rest();
    s.v[0] = 0.3;
    d.project(&mut s).unwrap();
    let energy = d.energy(&s.q, &s.v).unwrap();
    for _ in 0..1000 {
        d.step(AffineMethod::Rk4, &mut s, 1e-3).unwrap();
    }
    let w = d.transforms(&s.q).unwrap()[above.index()];
    assert!((w.point(V3::X) - V3::X * 3.0).norm() < 1e-12);
    assert!(
        (d.energy(&s.q, &s.v).unwrap() - energy).abs() < 1e-8,
        "{:e}",
        d.energy(&s.q, &s.v).unwrap() - energy
    );
    assert!(s.q[0].abs() > 0.01, "it moved");
    // λ is what the wall must give: half of the weight of the strip at least, some time of the run upwards
    assert_eq!(d.multipliers().len(), 3);
}

#[test]
fn a_hierarchy_is_a_lagrangian() {
    let model = arm();
    let stretching = Stretching::new(&model).unwrap();
    let mut d = AffineDynamics::new(model.clone());
    let (q, v) = ([0.6, 1.05, 0.1], [0.5, -0.4, 0.3]);
    let k: f64 = stretching.kinetic(&q, &v);
    let u: f64 = stretching.potential(&q);
    assert!((k - d.kinetic_energy(&q, &v).unwrap()).abs() < 1e-14);
    assert!((u - d.potential_energy(&q).unwrap()).abs() < 1e-13);
}
