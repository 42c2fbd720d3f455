//! Loops whose rows are redundant, which lock their mechanism or fold: every tree integrator, both formulations.

use poinsot_core::algebra::V3;
use poinsot_core::constraint::Maximal;
use poinsot_core::dynamics::State;
use poinsot_core::integrate::{self, System};
use poinsot_core::model::*;

/// Numbers between −1 and 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn vector(seed: &mut u64) -> V3 {
    V3::new(random(seed), random(seed), random(seed))
}

/// A free base with two links on skew hinges whose tips are tied at a point: three rows of rank two, and nothing moves
/// within.
fn locked(seed: &mut u64) -> (Model, State) {
    let mut b = ModelBuilder::new("locked");
    let size = Shape::Box { size: V3::new(0.4, 0.3, 0.2) };
    let base = b.body(BodyId::WORLD, BodySpec::new("base").solid(&size, 2.0).unwrap());
    b.joint(base, Joint::free());
    let meet = vector(seed) * 0.5 + V3::Z;
    let mut mounts = Vec::new();
    for k in 0..2 {
        let at = vector(seed) * 0.3;
        let link = BodySpec::new(format!("link{k}")).at(at).solid(&size, 0.7).unwrap();
        let link = b.body(base, link);
        b.joint(link, Joint::revolute(vector(seed)));
        mounts.push(Mount::new(link, meet - at));
    }
    b.constraint(Constraint::point(mounts[0], mounts[1]));
    let model = b.gravity(V3::ZERO).clone().build().unwrap();
    let mut state = State::new(&model);
    for v in &mut state.v[..6] {
        *v = 2.0 * random(seed);
    }
    (model, state)
}

/// The drift of energy over a run, of its own size.
fn drift(model: &Model, start: &State, name: &str, steps: usize, dt: f64) -> f64 {
    let mut system = System::new(model);
    let (mut integrator, mut state) = (integrate::by_name(name, model).unwrap(), start.clone());
    let first = system.energy(&state);
    let mut worst = 0.0f64;
    for step in 0..steps {
        let outcome = system.step(&mut *integrator, &mut state, dt);
        assert!(outcome.is_ok(), "{name}, step {step}: {outcome:?}");
        worst = worst.max((system.energy(&state) - first).abs());
    }
    worst / first
}

#[test]
fn locked_loops_tumble_as_one_body() {
    let mut seed = 7;
    for variant in 0..8 {
        let (model, start) = locked(&mut seed);
        let twin = Maximal::of(&model).unwrap();
        for (name, allowed) in
            [("rkmk4", 1e-8), ("midpoint", 1e-4), ("adaptive", 1e-8), ("semi-implicit", 0.1)]
        {
            let reduced = drift(&model, &start, name, 200, 2e-3);
            let maximal = drift(twin.model(), &twin.state(&start), name, 200, 2e-3);
            assert!(reduced < allowed && maximal < allowed, "{variant}, {name}: {reduced:e} {maximal:e}");
        }
    }
}
