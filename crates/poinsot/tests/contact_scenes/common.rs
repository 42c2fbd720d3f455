//! A scene as it is run.

use poinsot::prelude::*;
use poinsot::scenes::{self, Scene};

pub const G: f64 = 9.81;

pub fn scene(name: &str) -> Scene {
    scenes::by_name(name).unwrap()
}

/// The scene at its beginning, with a ledger.
pub fn begin(scene: &Scene) -> Simulation<'_> {
    let builder = Simulation::builder(&scene.model).state(scene.state.clone()).integrator(scene.integrator);
    let mut s = builder.dt(scene.dt).contact(scene.contact).ledger(true).build().unwrap();
    s.control_mut()[..scene.control.len()].copy_from_slice(&scene.control);
    s
}

/// Steps until a time.
pub fn run(s: &mut Simulation, until: f64) {
    while s.state().time < until - 1e-9 {
        s.step().unwrap();
    }
}

/// The body of this name.
pub fn body(scene: &Scene, name: &str) -> BodyId {
    scene.model.body(name).unwrap()
}

/// How far bodies have moved from where they began: the largest change of a coordinate.
pub fn moved(s: &Simulation, scene: &Scene) -> f64 {
    let pairs = s.state().q.iter().zip(&scene.state.q);
    pairs.fold(0.0, |most, (now, then)| most.max((now - then).abs()))
}
