//! Mechanisms with loops and stiff springs, as users run them.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use poinsot::algebra::V3;
use poinsot::constraint::Stabilisation;
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::model::*;
use poinsot::scenes::{self, Scene};
use poinsot::{Formulation, Simulation};

fn simulation<'a>(scene: &'a Scene, integrator: Method) -> Simulation<'a> {
    let mut simulation = Simulation::new(&scene.model, scene.state.clone(), integrator).unwrap();
    simulation.control_mut().copy_from_slice(&scene.control);
    simulation
}

/// The worst violation over a run, looked at every ten steps.
fn closure(simulation: &mut Simulation, seconds: f64, dt: f64) -> f64 {
    let mut worst = 0.0f64;
    for _ in 0..(seconds / dt / 10.0).round() as usize {
        simulation.run(10, dt).unwrap();
        worst = worst.max(simulation.violation().map_or(0.0, |(_, size)| size));
    }
    worst
}

#[test]
fn every_loop_stays_closed_by_every_method() {
    for name in ["four-bar", "n-four-bar", "slider-crank", "six-r", "stewart"] {
        let scene = scenes::by_name(name).unwrap();
        for method in [
            Method::SemiImplicit,
            Method::Implicit,
            Method::Leapfrog,
            Method::Rkmk4,
            Method::Midpoint,
            Method::Backward,
        ] {
            let seconds = if name == "stewart" { 0.2 } else { 1.0 };
            let worst = closure(&mut simulation(&scene, method), seconds, 1e-3);
            assert!(worst < 1e-10, "{name}, {method}: {worst:e}");
        }
    }
}

/// A crank goes round, so does its angle: what is left of the digits of sine and cosine must do.
#[test]
fn cranks_that_have_turned_often_still_converge() {
    let scene = scenes::by_name("four-bar").unwrap();
    for turns in [1e2, 1e4] {
        let mut state = scene.state.clone();
        state.q[0] += turns * std::f64::consts::TAU;
        state.q[1] -= turns * std::f64::consts::TAU;
        let mut simulation = Simulation::new(&scene.model, state, Method::Midpoint).unwrap();
        let worst = closure(&mut simulation, 2.0, 1e-3);
        assert!(worst < 1e-14 * turns * std::f64::consts::TAU, "{turns}: {worst:e}");
        assert!(simulation.drift().energy < 1e-4, "{turns}: {:e}", simulation.drift().energy);
    }
}

/// With a step that `semi-implicit` diverges at, `leapfrog` gives loops no energy, and takes little.
#[test]
fn leapfrog_gives_loops_no_energy() {
    for name in ["four-bar", "slider-crank"] {
        let scene = scenes::by_name(name).unwrap();
        let mut simulation = simulation(&scene, Method::Leapfrog);
        let begin = simulation.energy();
        let (mut highest, mut lowest, mut kinetic) = (begin, begin, 0.0f64);
        for _ in 0..1000 {
            simulation.run(10, 2e-3).unwrap();
            let (moving, still) = simulation.energies();
            (highest, lowest) = (highest.max(moving + still), lowest.min(moving + still));
            kinetic = kinetic.max(moving);
        }
        let (gained, lost) = ((highest - begin) / kinetic, (begin - lowest) / kinetic);
        println!("{name}: gained {gained:.1e}, lost {lost:.1e}, {} substeps", simulation.substeps());
        assert!(gained < 1e-3 && lost < 5e-2, "{name}: {gained:e} {lost:e}");
    }
}

#[test]
fn conservative_loops_keep_their_energy() {
    for name in ["four-bar", "n-four-bar", "slider-crank", "six-r", "rolling"] {
        let scene = scenes::by_name(name).unwrap();
        assert!(scene.model.is_conservative(), "{name}");
        let mut simulation = simulation(&scene, scene.integrator);
        simulation.run(3000, scene.dt).unwrap();
        let drift = simulation.drift().energy;
        assert!(drift < 2e-4, "{name}: {drift:e}");
    }
}

#[test]
fn baumgarte_keeps_drift_bounded_and_nothing_does_not() {
    let scene = scenes::by_name("slider-crank").unwrap();
    let drift = |by: Stabilisation| {
        let mut simulation = simulation(&scene, Method::Rkmk4);
        simulation.stabilise(by);
        [0, 1].map(|_| closure(&mut simulation, 5.0, 2e-3))
    };
    let [first, second] = drift(Stabilisation::Baumgarte { time_constant: 0.04 });
    assert!(first < 1e-5 && second < 1.5 * first, "{first:e} {second:e}");
    let [first, second] = drift(Stabilisation::Nothing);
    assert!(second > 1.5 * first, "{first:e} {second:e}");
    let [first, second] = drift(Stabilisation::Projection);
    assert!(first.max(second) < 1e-12, "{first:e} {second:e}");
}

/// kp = 1e5 on an arm of 10 g: its own swing takes 0.1 ms.
#[test]
fn a_stiff_servo_on_a_light_arm_is_stable_in_steps_of_5_ms() {
    let mut b = ModelBuilder::new("arm");
    let rod = Shape::Capsule { radius: 0.01, length: 0.1 };
    let middle = poinsot::spatial::Pose::translation(V3::Z * -0.05);
    let arm = b.body(BodyId::WORLD, BodySpec::new("arm").solid_at(&rod, 0.01, middle).unwrap());
    let hinge = b.joint(arm, Joint::revolute(V3::Y));
    b.actuator(Actuator::position(hinge, 1e5));
    let model = b.build().unwrap();
    for method in [Method::Implicit, Method::Backward] {
        let mut simulation = Simulation::new(&model, State::new(&model), method).unwrap();
        simulation.control_mut()[0] = 1.0;
        simulation.run(20, 5e-3).unwrap();
        for _ in 0..200 {
            simulation.run(1, 5e-3).unwrap();
            assert!((simulation.state().q[0] - 1.0).abs() < 1e-6, "{method}: {}", simulation.state().q[0]);
        }
    }
}

#[test]
fn the_soft_joint_never_gains_energy() {
    let scene = scenes::by_name("soft-joint").unwrap();
    let mut simulation = simulation(&scene, scene.integrator);
    let mut last = simulation.energy();
    for step in 0..600 {
        simulation.run(1, scene.dt).unwrap();
        let energy = simulation.energy();
        assert!(energy <= last, "step {step}: {:e}", energy - last);
        last = energy;
    }
}

/// Friction at the rim does no work and the coin goes on; its centre stays within its circle.
#[test]
fn the_coin_rolls_without_slipping() {
    let scene = scenes::by_name("rolling").unwrap();
    let mut simulation = simulation(&scene, Method::Midpoint);
    simulation.run(3000, scene.dt).unwrap();
    let coin = scene.model.body("coin").unwrap();
    let at = simulation.at();
    let (pose, normal) = (at.pose(coin), V3::Z);
    let across = normal - pose.rot.z * normal.dot(pose.rot.z);
    let contact = pose.pos - across * (0.2 / across.norm());
    assert!(contact.z.abs() < 1e-13, "{:e}", contact.z);
    let slip = at.velocity_at(coin, contact).lin.norm();
    assert!(slip < 1e-12, "{slip:e}");
    assert!(simulation.drift().energy < 1e-5 && simulation.drift().momentum.is_none());
}

/// Going over to maximal coordinates anywhere on the way, and on from there.
#[test]
fn loops_change_their_coordinates_on_the_way() {
    for name in ["four-bar", "n-four-bar:4", "slider-crank", "six-r"] {
        let scene = scenes::by_name(name).unwrap();
        let mut reduced = simulation(&scene, Method::Rkmk4);
        for moment in 0..12 {
            reduced.run(37, scene.dt).unwrap();
            let mut maximal = Simulation::builder(&scene.model)
                .state(reduced.state().clone())
                .integrator(Method::Midpoint)
                .formulation(Formulation::Maximal)
                .build()
                .unwrap();
            maximal.run(100, scene.dt).unwrap_or_else(|e| panic!("{name}, moment {moment}: {e}"));
            let (held, off) = maximal.violation().unwrap();
            assert!(off < 1e-12, "{name}, moment {moment}: {held:?} {off:e}");
        }
    }
}

/// Forty loops fold at once at t = 0.72 s: the rank of J drops by forty, and 40 m from the origin a place is known to 7e-15 m.
#[test]
fn many_loops_fold_in_maximal_coordinates_as_in_reduced_ones() {
    let scene = scenes::by_name("n-four-bar:40").unwrap();
    for (method, dt, allowed) in [(Method::Rkmk4, 5e-3, 3e-8), (Method::Midpoint, 1e-2, 5e-4)] {
        for formulation in [Formulation::Reduced, Formulation::Maximal] {
            let mut simulation = Simulation::builder(&scene.model)
                .state(scene.state.clone())
                .integrator(method)
                .formulation(formulation)
                .build()
                .unwrap();
            let outcome = simulation.run((1.0 / dt) as usize, dt);
            assert!(outcome.is_ok(), "{formulation:?}, {method}: {outcome:?}");
            let (drift, off) = (simulation.drift().energy, simulation.violation().unwrap().1);
            println!("{formulation:?}, {method}: {drift:e} {off:e}");
            assert!(drift < allowed && off < 3e-13, "{formulation:?}, {method}: {drift:e} {off:e}");
        }
    }
}
