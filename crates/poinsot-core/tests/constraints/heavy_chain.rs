//! A long chain with a heavy tip, in maximal coordinates: joints do not stretch, energy is not gained.

use poinsot_core::algebra::V3;
use poinsot_core::constraint::{Maximal, Multipliers, Stabilisation};
use poinsot_core::dynamics::{State, Workspace};
use poinsot_core::integrate::{self, System};
use poinsot_core::model::*;
use poinsot_core::spatial::Pose;

fn chain(n: usize, tip: f64) -> Model {
    let mut b = ModelBuilder::new(format!("chain of {n}"));
    let (length, radius) = (0.1, 0.02);
    let down = V3::Z * -length;
    let mut parent = BodyId::WORLD;
    for k in 0..n {
        let mass = if k + 1 == n { tip } else { 1.0 };
        let shape = Shape::Cylinder { radius, length };
        let inertia = shape.inertia(mass).unwrap().seen_from(Pose::translation(down * 0.5));
        let at = if k == 0 { V3::ZERO } else { down };
        let link = b.body(parent, BodySpec::new(format!("link{k}")).at(at).inertia(inertia));
        b.joint(link, Joint::revolute(if k % 2 == 0 { V3::Y } else { V3::X }));
        parent = link;
    }
    b.build().unwrap()
}

#[test]
fn a_thousand_links_hold_a_million_times_their_mass() {
    let model = chain(1000, 1e6);
    let twin = Maximal::of(&model).unwrap();
    let mut start = State::new(&model);
    // a little off the vertical, so that it swings
    start.q[0] = 0.3;
    start.v[0] = 0.5;
    for (name, steps) in [("backward", 60)] {
        let mut state = twin.state(&start);
        let mut system = System::new(twin.model());
        let mut integrator = integrate::by_name(name, twin.model()).unwrap();
        let (first, mut most, mut worst) = (system.energy(&state), f64::NEG_INFINITY, 0.0f64);
        let mut kinetic = 0.0f64;
        for _ in 0..steps {
            system.step(&mut *integrator, &mut state, 1e-3).unwrap();
            most = most.max(system.energy(&state));
            kinetic = kinetic.max(system.at(&state).kinetic_energy());
            let (ws, multipliers) = system.constraints();
            worst = worst.max(multipliers.unwrap().violation(twin.model(), ws, &state.q).size);
        }
        println!("{name}: separation {worst:e}, energy gained {:e} of {kinetic:e}", most - first);
        assert!(worst < 1e-9, "{name}: {worst:e}");
        assert!(most - first < 1e-6 * kinetic, "{name}: {:e} of {kinetic:e}", most - first);
    }
}

/// Accelerations of 20 000 links in maximal coordinates are those of reduced ones.
#[test]
fn long_chains_agree() {
    let model = chain(20_000, 1.0);
    let twin = Maximal::of(&model).unwrap();
    let mut start = State::new(&model);
    start.v.copy_from_slice(&model.random_velocity(3).iter().map(|v| 1e-3 * v).collect::<Vec<_>>());
    let there = twin.state(&start);
    let (mut ws, mut multipliers) = (Workspace::new(twin.model()), Multipliers::new(twin.model()));
    let mut a = vec![0.0; twin.model().nv()];
    let zero = a.clone();
    let none = Stabilisation::Nothing;
    multipliers.forward_dynamics(twin.model(), &mut ws, &there.q, &there.v, &zero, none, &mut a);
    let mut qacc = vec![0.0; model.nv()];
    let mut own = Workspace::new(&model);
    own.forward_dynamics(&model, &start.q, &start.v, &vec![0.0; model.nv()], &mut qacc);
    // the first link turns about its hinge as the reduced model says
    let alpha = a[4];
    assert!((alpha - qacc[0]).abs() < 1e-9 * qacc[0].abs().max(1.0), "{alpha} {}", qacc[0]);
}
