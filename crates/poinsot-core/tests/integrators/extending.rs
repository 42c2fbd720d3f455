//! A stranger adds an integrator and a force; the methods for free bodies say what they cannot do.

use super::*;
use poinsot_core::algebra::Sym3;
use poinsot_core::free::{DragParticle, Particle, ParticleUpdate, free_integrators};
use poinsot_core::integrate::{ForceElement, IntegratorError, StepError};
use poinsot_core::model::{Actuator, BodyId, BodySpec, ModelBuilder, Transmission};
use poinsot_core::spatial::{Inertia, Quat};

/// Velocity Verlet for one hinge: not in the library.
struct Verlet;

impl Integrator for Verlet {
    fn name(&self) -> &'static str {
        "verlet"
    }
    fn order(&self) -> u32 {
        2
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let mut a = vec![0.0; state.v.len()];
        system.acceleration(state, &mut a);
        state.v.iter_mut().zip(&a).for_each(|(v, a)| *v += 0.5 * dt * a);
        system.model().integrate(&mut state.q, &state.v, dt);
        state.time += dt;
        system.acceleration(state, &mut a);
        state.v.iter_mut().zip(&a).for_each(|(v, a)| *v += 0.5 * dt * a);
        Ok(())
    }
}

/// A torsion spring on the first hinge, as an element.
struct Spring(f64);

impl ForceElement for Spring {
    fn add_forces(&self, _: &Model, _: f64, q: &[f64], _: &[f64], tau: &mut [f64]) {
        tau[0] -= self.0 * q[0];
    }
    fn potential_energy(&self, _: &Model, _: f64, q: &[f64]) -> f64 {
        0.5 * self.0 * q[0] * q[0]
    }
}

#[test]
fn an_integrator_of_ones_own() {
    let mut pendulum = double_pendulum();
    pendulum.bodies.truncate(1);
    let model = pendulum.build();
    let begin = start(&model);
    let truth = after(&model, &begin, "adaptive", 1.0, 1);
    let error = |steps: usize| {
        let mut state = begin.clone();
        advance(&mut System::new(&model), &mut Verlet, &mut state, 1.0 / steps as f64, steps);
        distance(&model, &state, &truth)
    };
    assert!((libm::log2(error(400) / error(800)) - 2.0).abs() < 0.1);
}

#[test]
fn a_force_of_ones_own_is_a_spring_of_the_model() {
    let plain = double_pendulum().build();
    let mut sprung = double_pendulum();
    sprung.bodies[0].joints[0] = sprung.bodies[0].joints[0].clone().spring(30.0, 0.0);
    let sprung = sprung.build();
    let begin = start(&plain);
    // the difference of the two after 1 s, and the change of the energy with the element
    let run = |method: &str, steps: usize| {
        let (mut system, mut state) = (System::new(&plain), begin.clone());
        system.push(Spring(30.0));
        let energy = system.energy(&state);
        let mut stepper = integrate::by_name(method, &plain).unwrap();
        advance(&mut system, &mut *stepper, &mut state, 1.0 / steps as f64, steps);
        let other = after(&sprung, &begin, method, 1.0, steps);
        (distance(&plain, &state, &other), (system.energy(&state) - energy).abs())
    };
    for method in ["semi-implicit", "rkmk4", "midpoint", "adaptive"] {
        let (difference, _) = run(method, 100);
        assert!(difference < 1e-12, "{method}: {difference:e}");
    }
    assert!(run("adaptive", 1).1 < 1e-11, "the element's energy is counted");
    // `implicit` is implicit in the springs of the model, not in those of elements: equal to its order
    let order = libm::log2(run("implicit", 2000).0 / run("implicit", 4000).0);
    assert!((order - 1.0).abs() < 0.1, "{order}");
}

#[test]
fn free_body_methods_refuse_trees_and_elements_on_several_bodies_clearly() {
    let mut single = ball_chain();
    single.bodies.truncate(1);
    let mut two = single.clone();
    two.bodies.extend(single.bodies.clone());
    let (top, tops) = (single.build(), two.build());
    for method in free_integrators() {
        let name = method.name();
        for sketch in [double_pendulum(), ball_chain(), floating()] {
            let error = integrate::by_name(name, &sketch.build()).err().unwrap();
            assert!(matches!(error, IntegratorError::NotFree { .. }), "{error}");
            let message = error.to_string();
            assert!(message.contains("body \"b") && message.contains("semi-implicit"), "{message}");
        }
        let mut system = System::new(&tops);
        system.push(Spring(1.0));
        let outcome = integrate::by_name(name, &tops).unwrap().step(&mut system, &mut start(&tops), 0.01);
        assert!(matches!(outcome, Err(StepError::Elements { .. })), "{outcome:?}");
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("force elements on several bodies"), "{text}");
    }
    let message = integrate::by_name("rk5", &top).err().unwrap().to_string();
    assert!(message.contains("rk5") && message.contains("rkmk4"), "{message}");
}

/// A force that turns with the body, and one that depends on place, velocity and time, all generalised by hand.
struct Push;
impl ForceElement for Push {
    fn add_forces(&self, _: &Model, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let rot = Quat { w: q[3], x: q[4], y: q[5], z: q[6] }.matrix();
        let fixed = rot * V3::new(0.5, 0.2, -0.4);
        let field = V3::new(libm::sin(2.0 * time), -q[1], -0.3 * v[2]);
        for (tau, f) in tau.iter_mut().zip((fixed + field).array()) {
            *tau += f;
        }
        // at r₁ in the body: r₁ × Rᵀ F₁
        let moment = V3::new(0.2, -0.1, 0.3).cross(V3::new(0.5, 0.2, -0.4));
        for (tau, m) in tau[3..].iter_mut().zip(moment.array()) {
            *tau += m - 0.1 * v[3];
        }
    }
}

/// One body under any forces: both choices of state, the lecture's loops and matrix entries all converge to what `adaptive` finds, at their
/// orders.
#[test]
fn free_body_methods_know_every_force_on_one_body() {
    let mut b = ModelBuilder::new("pushed");
    let box_ = Shape::Box { size: V3::new(0.4, 0.6, 1.0) };
    let body = b.body(BodyId::WORLD, BodySpec::new("box").solid(&box_, 2.0).unwrap());
    b.joint(body, Joint::free().damping(0.05));
    let at = Transmission::Site { body, pose: Pose::translation(V3::new(0.1, 0.0, 0.2)) };
    b.actuator(Actuator::motor(at).gear([0.0, 1.0, 0.0, 0.0, 0.0, 0.3]));
    let model = b.build().unwrap();
    let mut begin = State::new(&model);
    begin.v.copy_from_slice(&[1.0, 2.0, 1.0, 1.0, 2.0, 3.0]);
    let run = |method: &str, steps: u32| {
        let mut system = System::new(&model);
        system.push(Push);
        system.control_mut()[0] = 0.7;
        let (mut state, mut stepper) = (begin.clone(), integrate::by_name(method, &model).unwrap());
        for _ in 0..steps {
            stepper.step(&mut system, &mut state, 1.0 / f64::from(steps)).unwrap();
        }
        state
    };
    let truth = run("adaptive", 1);
    for method in free_integrators() {
        let n = match method.order() {
            1 => 2000,
            2 => 200,
            _ => 50,
        };
        let error = |n| distance(&model, &run(method.name(), n), &truth);
        let order = libm::log2(error(n) / error(2 * n));
        println!("{:24} order {order:.3} under all forces, expected {} ± 0.1", method.name(), method.order());
        assert!((order - f64::from(method.order())).abs() <= 0.1, "{}: {order}", method.name());
    }
}

/// `particle-drag` with every method: Euler's update and the better one of the lecture notes are those of `DragParticle`, to the last bits.
#[test]
fn a_particle_on_slides_is_stepped_by_every_method() {
    let mut b = ModelBuilder::new("particle");
    b.gravity(V3::new(0.0, -9.8, 0.0));
    let point = Inertia::new(2.0, V3::ZERO, Sym3::diagonal(0.0, 0.0, 0.0)).unwrap();
    let particle = b.body(BodyId::WORLD, BodySpec::new("particle").inertia(point));
    for axis in [V3::X, V3::Y, V3::Z] {
        b.joint(particle, Joint::prismatic(axis).damping(0.1));
    }
    let model = b.build().unwrap();
    let mut begin = State::new(&model);
    begin.v.copy_from_slice(&[10.0, 20.0, 10.0]);
    let drag = DragParticle { mass: 2.0, drag: 0.1, gravity: V3::Y * -9.8 };
    let thrown = Particle { pos: V3::ZERO, vel: V3::new(10.0, 20.0, 10.0) };
    let off = |state: &State, p: Particle| {
        let numbers = p.pos.array().into_iter().chain(p.vel.array());
        let own = state.q.iter().chain(&state.v);
        own.zip(numbers).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
    };
    let (h, n) = (0.01, 100);
    for (method, update) in [
        ("euler-forward", ParticleUpdate::Euler),
        ("euler-forward-momenta", ParticleUpdate::Euler),
        ("lecture", ParticleUpdate::EulerHalfA),
        ("lecture-momenta", ParticleUpdate::EulerHalfA),
    ] {
        let expected = (0..n).fold(thrown, |s, _| drag.step(update, h, s));
        let error = off(&after(&model, &begin, method, h * n as f64, n), expected);
        assert!(error < 1e-11, "{method}: {error:e}");
    }
    let exact = drag.exact(1.0, thrown);
    for method in free_integrators() {
        let n = if method.order() == 1 { 1000 } else { 10 };
        let error = |n| off(&after(&model, &begin, method.name(), 1.0, n), exact);
        let order = libm::log2(error(n) / error(2 * n));
        assert!(order > f64::from(method.order()) - 0.1, "{}: {order}", method.name());
    }
}
