//! No sweep allocates: a counting allocator watches every call a simulation makes in a step.
#![allow(clippy::unwrap_used)]

mod common;

use common::models;
use poinsot_core::algebra::{Dual, TreeKkt, V3};
use poinsot_core::dynamics::{
    BatchWorkspace, ExternalForces, ForwardDynamicsDerivatives, GenericWorkspace, InverseDynamicsDerivatives,
    MassMatrix, Regressor, State, Workspace,
};
use poinsot_core::hierarchy::{
    Affine, AffineBuilder, AffineDynamics, AffineMethod, Condition, Hierarchy, NodeMotion, PointForce,
};
use poinsot_core::integrate::{self, Method};
use poinsot_core::lagrange::{EquationsOfMotion, FormulaLagrangian, LagrangeMethod, Phase};
use poinsot_core::model::{
    Actuator, ActuatorDynamics, BodyId, BodySpec, Constraint, FixedTendon, Joint, Medium, ModelBuilder,
    Mount, Shape, Transmission,
};
use poinsot_core::spatial::{Motion, Pose};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every request goes unchanged to the system's allocator; the counter is a plain thread-local number.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        BYTES.with(|b| b.set(b.get() + layout.size()));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        BYTES.with(|b| b.set(b.get() + size));
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `f` and fails when it allocates.
fn quiet(what: &str, f: impl FnOnce()) {
    let before = COUNT.get();
    f();
    let count = COUNT.get() - before;
    assert_eq!(count, 0, "{what} allocates {count} times");
}

#[test]
fn the_counter_counts() {
    let before = COUNT.get();
    std::hint::black_box(vec![1.0; 3]);
    assert!(COUNT.get() > before);
}

#[test]
fn no_sweep_allocates() {
    for model in models() {
        let n = model.nv();
        let mut state = State::new(&model);
        (state.q, state.v) = (model.random_configuration(1), model.random_velocity(2));
        let (a, mut out, mut x) = (model.random_velocity(3), vec![0.0; n], vec![0.0; n]);
        let (mut w, mut mass) = (Workspace::new(&model), MassMatrix::new(&model));
        let (q, v) = (&state.q, &state.v);
        quiet("inverse dynamics", || w.inverse_dynamics(&model, q, v, &a, &mut out));
        quiet("forward dynamics", || w.forward_dynamics(&model, q, v, &a, &mut out));
        quiet("bias", || w.bias(&model, q, v, &mut out));
        quiet("gravity", || w.gravity(&model, q, &mut out));
        quiet("lagrangian force", || w.lagrangian_force(&model, q, v, &mut out));
        quiet("mass times", || w.mass_times(&model, q, &a, &mut out));
        quiet("mass solve", || w.mass_solve(&model, q, &a, &mut out));
        quiet("mass matrix", || w.mass_matrix(&model, q, &mut mass));
        quiet("multiply", || mass.multiply(&a, &mut x));
        quiet("factor", || mass.factor());
        quiet("solve", || mass.solve(&mut x));
        let mut jacobians = vec![Motion::default(); n];
        quiet("jacobians", || w.jacobians(&model, q, &mut jacobians));
        let (mut by, mut by_force) =
            (InverseDynamicsDerivatives::new(&model), ForwardDynamicsDerivatives::new(&model));
        let mut regressor = Regressor::new(&model);
        quiet("derivatives", || {
            w.inverse_dynamics_derivatives(&model, q, v, &a, &mut by);
            w.forward_dynamics_derivatives(&model, q, v, &a, &mut by_force);
            w.regressor(&model, q, v, &a, &mut regressor);
        });
        let body = common::bodies(&model)[0];
        let mut forces = ExternalForces::new(&model);
        quiet("at, energies, momenta", || {
            let at = w.at(&model, &state);
            std::hint::black_box((at.energy(), at.momentum(), at.centroidal_momentum(), at.com()));
            std::hint::black_box((at.pose(body), at.velocity(body), at.body_momentum(body)));
            forces.clear();
            forces.push_at(&at, body, V3::X, V3::ZERO);
        });
        quiet("inverse dynamics with forces", || {
            w.inverse_dynamics_with(&model, q, v, &a, Some(&forces), &mut out);
        });
        quiet("springs and dampers", || {
            model.add_spring_forces(q, &mut out);
            model.add_damping_forces(v, &mut out);
        });
        let (mut to, mut difference) = (q.clone(), vec![0.0; n]);
        quiet("integrate and difference", || {
            model.integrate(&mut to, v, 0.1);
            model.difference(q, &to, &mut difference);
        });
        let eight = |x: &[f64]| x.repeat(8);
        let (q8, v8, a8, mut out8) = (eight(q), eight(v), eight(&a), vec![0.0; 8 * n]);
        let mut batch = BatchWorkspace::new(&model);
        quiet("batch inverse dynamics", || batch.inverse_dynamics(&model, &q8, &v8, &a8, &mut out8));
        quiet("batch forward dynamics", || batch.forward_dynamics(&model, &q8, &v8, &a8, &mut out8));
        let (qd, vd, ad) = (common::lift::<2>(q), common::lift::<2>(v), common::lift::<2>(&a));
        let (mut generic, mut outd) = (GenericWorkspace::<Dual<2>>::new(&model), ad.clone());
        quiet("dual inverse dynamics", || generic.inverse_dynamics(&model, &qd, &vd, &ad, &mut outd));
        quiet("dual forward dynamics", || generic.forward_dynamics(&model, &qd, &vd, &ad, &mut outd));
        let (mut twin, push) = (Hierarchy::new(&model), [PointForce { body, point: V3::X, force: V3::Y }]);
        quiet("trace form", || {
            twin.inverse_dynamics(q, v, &a, &push, &mut out);
            std::hint::black_box(twin.kinetic_energy(q, v));
        });
    }
}

#[test]
fn no_block_elimination_allocates() {
    let (parents, rows) = ([None, Some(0), Some(1), Some(0)], [6, 5, 3, 0]);
    for mut kkt in [TreeKkt::new(&parents, &rows), TreeKkt::with_crosses(&parents, &rows)] {
        for i in 0..parents.len() {
            (0..6).for_each(|k| kkt.masses_mut()[i][k][k] = 1.0);
            for (k, row) in kkt.rows_mut(i).iter_mut().enumerate() {
                (row.child[k], row.parent[k]) = (1.0, -1.0);
            }
        }
        let (mut f, mut g) = ([[1.0; 6]; 4], [[2.0; 6]; 4]);
        let (mut f_x, mut g_x) = (f, g);
        quiet("block factor", || kkt.factor().unwrap());
        quiet("block solve", || kkt.solve(&mut f, &mut g));
        quiet("block product", || kkt.apply(&f, &g, &mut f_x, &mut g_x));
        assert!((f_x[3][5] - 1.0).abs() < 1e-15 && (g_x[1][4] - 2.0).abs() < 1e-14);
    }
}

/// A chain with a servo, a filtered motor on a tendon, a jet on a site, and a carried weight.
#[test]
fn no_step_with_actuators_allocates() {
    let rod = Shape::Capsule { radius: 0.02, length: 0.5 };
    let mut b = ModelBuilder::new("driven");
    let upper = b.body(BodyId::WORLD, BodySpec::new("upper").solid(&rod, 1.0).unwrap());
    let shoulder = b.joint(upper, Joint::revolute(V3::Y).actuator_force_range(-3.0, 3.0));
    let lower = BodySpec::new("lower").at(V3::X).gravity_compensation(0.5).solid(&rod, 1.0).unwrap();
    let lower = b.body(upper, lower);
    let elbow = b.joint(lower, Joint::revolute(V3::X));
    let tendon =
        b.tendon(FixedTendon::new([(shoulder, 1.0), (elbow, 0.5)]).spring(3.0, 0.0, 0.1).damping(1.0));
    b.actuator(Actuator::position(shoulder, 10.0).damping(1.0));
    b.actuator(Actuator::motor(tendon).dynamics(ActuatorDynamics::Filter { time_constant: 0.1 }));
    let site = Transmission::Site { body: lower, pose: Pose::translation(V3::X) };
    b.actuator(Actuator::motor(site).damping(0.1));
    b.medium(Medium { density: 1.0, viscosity: 0.1, wind: V3::X });
    let model = b.build().unwrap();
    for name in Method::TREE.map(Method::word) {
        let mut method = integrate::by_name(name, &model).unwrap();
        let (mut system, mut state) = (integrate::System::new(&model), State::new(&model));
        system.control_mut().fill(0.3);
        (0..2).for_each(|_| system.step(&mut *method, &mut state, 1e-4).unwrap());
        quiet(name, || (0..10).for_each(|_| system.step(&mut *method, &mut state, 1e-4).unwrap()));
        assert!(state.v[0] != 0.0 && state.activation[0] != 0.0);
    }
}

#[test]
fn no_step_allocates() {
    let mut models = models();
    let mut b = ModelBuilder::new("free body and top");
    let brick = |name| {
        BodySpec::new(name).solid_at(
            &Shape::Box { size: V3::new(0.3, 0.2, 0.1) },
            1.0,
            Pose::translation(V3::X),
        )
    };
    let free = b.body(BodyId::WORLD, brick("free").unwrap());
    b.joint(free, Joint::free());
    let top = b.body(BodyId::WORLD, brick("top").unwrap());
    b.joint(top, Joint::spherical());
    models.push(b.build().unwrap());
    let mut run = 0;
    for model in models {
        for name in Method::ALL.map(Method::word) {
            let Ok(mut method) = integrate::by_name(name, &model) else { continue };
            let (mut system, mut state) = (integrate::System::new(&model), State::new(&model));
            state.v = model.random_velocity(4);
            // the first steps may settle sizes
            (0..2).for_each(|_| method.step(&mut system, &mut state, 1e-4).unwrap());
            quiet(name, || (0..10).for_each(|_| method.step(&mut system, &mut state, 1e-4).unwrap()));
            run += 1;
        }
    }
    assert!(run >= 17 + 6 * 20, "{run}");
}

/// Steps with loops, rigid and soft, in reduced and in maximal coordinates, and their ledger.
#[test]
fn no_step_with_constraints_allocates() {
    let mut b = ModelBuilder::new("a loop");
    let bar = Shape::Box { size: V3::new(0.1, 0.1, 0.5) };
    let mut parent = BodyId::WORLD;
    for (k, axis) in [V3::Y, V3::X, V3::Y].into_iter().enumerate() {
        let at = if k == 0 { V3::ZERO } else { V3::Z * -0.5 };
        parent = b.body(parent, BodySpec::new(format!("bar{k}")).at(at).solid(&bar, 1.0).unwrap());
        b.joint(parent, Joint::revolute(axis).anchor(V3::Z * 0.25).damping(0.1).spring(1.0, 0.0));
    }
    let hook = |x: f64| Mount::new(BodyId::WORLD, V3::new(x, 0.2, -1.0));
    let end = Mount::new(parent, V3::Z * -0.25);
    b.constraint(Constraint::distance(hook(0.2), end, 0.2872281323269014).named("rigid"));
    b.constraint(Constraint::point(hook(0.5), end).soft(10.0, 0.1));
    let model = b.build().unwrap();
    let twin = poinsot_core::constraint::Maximal::of(&model).unwrap();
    let start = State::new(&model);
    for (model, start) in [(&model, start.clone()), (twin.model(), twin.state(&start))] {
        for name in Method::TREE.map(Method::word) {
            let mut method = integrate::by_name(name, model).unwrap();
            let (mut system, mut state) = (integrate::System::new(model), start.clone());
            let mut ledger = poinsot_core::audit::Ledger::begin(&mut system, &state);
            (0..2).for_each(|_| ledger.step(&mut system, &mut *method, &mut state, 1e-4).unwrap());
            quiet(name, || {
                (0..10).for_each(|_| ledger.step(&mut system, &mut *method, &mut state, 1e-4).unwrap())
            });
        }
    }
}

/// All that is ever asked of the allocator for a model of `n` free bodies, its system and ten steps.
fn bytes_for_free_bodies(n: usize, integrator: &str) -> usize {
    let before = BYTES.get();
    let mut b = ModelBuilder::new("balls");
    for k in 0..n {
        let ball = BodySpec::new(format!("ball{k}")).solid(&Shape::Sphere { radius: 0.1 }, 1.0).unwrap();
        let ball = b.body(BodyId::WORLD, ball);
        b.joint(ball, Joint::free());
    }
    let model = b.build().unwrap();
    let (mut system, mut state) = (integrate::System::new(&model), State::new(&model));
    let mut integrator = integrate::by_name(integrator, &model).unwrap();
    for _ in 0..10 {
        system.step(&mut *integrator, &mut state, 1e-3).unwrap();
    }
    BYTES.get() - before
}

/// Nothing is dense over the model.
#[test]
fn memory_is_linear_in_the_number_of_free_bodies() {
    for integrator in ["semi-implicit", "implicit", "backward", "rkmk4", "midpoint", "adaptive"] {
        let (some, more) = (bytes_for_free_bodies(500, integrator), bytes_for_free_bodies(2000, integrator));
        assert!(more < 5 * some, "{integrator}: {some} bytes for 500 free bodies, {more} for 2000");
    }
}

#[test]
fn steps_from_energies_and_of_stretching_nodes_do_not_allocate() {
    let k = "0.5*(x_dot^2 + y_dot^2 + z_dot^2)";
    let rod = FormulaLagrangian::parse(&["x", "y", "z"], k, "9.81*z", &[])
        .unwrap()
        .constraint("x^2 + y^2 + z^2 - 1")
        .unwrap();
    let mut rod = EquationsOfMotion::new(rod);
    let mut phase = Phase::new(&mut rod, &[0.6, 0.0, -0.8], &[0.0, 1.0, 0.0]).unwrap();
    for method in LagrangeMethod::ALL {
        rod.step(method, &mut phase, 1e-3).unwrap();
        quiet(method.name(), || rod.step(method, &mut phase, 1e-3).unwrap());
    }
    let mut b = AffineBuilder::new();
    let drop = b.node(BodyId::WORLD, "drop", Affine::identity(), &[NodeMotion::Affine]).unwrap();
    b.solid(drop, &Shape::Sphere { radius: 0.1 }, 1.0, Pose::IDENTITY).unwrap();
    let ball = b.node(drop, "ball", Affine::from(V3::X), &[NodeMotion::Ball]).unwrap();
    b.solid(ball, &Shape::Sphere { radius: 0.1 }, 1.0, Pose::IDENTITY).unwrap();
    b.constraint(Condition::Volume { node: drop, factor: 1.0 }).unwrap();
    b.spring(0, 10.0, 0.1, 1.0).unwrap();
    let mut drop = AffineDynamics::new(b.build());
    let mut state = drop.rest();
    state.v[3] = 0.2;
    for method in [AffineMethod::Rk4, AffineMethod::SemiImplicit] {
        drop.step(method, &mut state, 1e-3).unwrap();
        quiet("stretching nodes", || drop.step(method, &mut state, 1e-3).unwrap());
    }
}
