//! Coordinates, and constraints that yield or only hold velocities.

use super::{Exhibit, painted, plots};
use crate::cast::{Actor, Show};
use crate::instrument::{Beside, Trail};
use crate::look::COLOURS;
use crate::machine::Formulation;
use crate::show::Camera;
use poinsot::algebra::V3;
use poinsot::model::BodyId;
use poinsot::scenes::{self, SceneError};

pub const COORDINATES: Exhibit = Exhibit {
    name: "coordinates",
    title: "One machine, two ways to write it",
    physics: "On the left a double pendulum in the coordinates of its ball joints; on the right each bar is free, and constraints \
              hold the joints: twelve coordinates' rates less six conditions.",
    try_this: "Pull at one of the two and see them part; switch the coordinates of a track while it runs.",
    watch: "Their distance begins at round-off, and grows, for this pendulum is chaotic; the drift of the joints on the right does \
            not.",
    thumbnail: 2.0,
    make: coordinates,
};

fn coordinates() -> Result<Show, SceneError> {
    let (first, second) = Beside::pair();
    let mut actors = Vec::new();
    for (k, instrument) in [first, second].into_iter().enumerate() {
        let actor = Actor::of_scene(scenes::by_name("ball-chain")?).at(V3::X * (3.4 * k as f64));
        let trail = Trail { body: actor.last_body(), point: V3::Z * -1.0, lasts: Some(3.0), colour: None };
        let mut actor = actor.with(trail).with(instrument);
        (actor.formulation, actor.label) = match k {
            0 => (Formulation::Reduced, "reduced".into()),
            _ => (Formulation::Maximal, "maximal".into()),
        };
        painted(&mut actor, COLOURS[[0, 3][k]]);
        actors.push(actor);
    }
    let mut show = Show::of("coordinates", actors);
    show.scenery.plots = plots(&["separation", "constraint drift", "energy change"]);
    show.scenery.camera = Camera { from: [1.7, -7.4, 0.8], to: [1.7, 0.0, -0.6], up: [0.0, 0.0, 1.0] };
    Ok(show)
}

pub const GOVERNOR: Exhibit = Exhibit {
    name: "governor",
    title: "A governor with stiff arms",
    physics: "Balls on a turning shaft swing out, and arms lift a block. The arms are springs of 800 000 N/m with dampers: a \
              benchmark of stiff machines.",
    try_this: "Make the arms softer with their sliders, and see the block lag behind the balls; pull at a ball.",
    watch: "As the balls go out the shaft turns more slowly, for nothing turns it: its angular momentum stays.",
    thumbnail: 0.6,
    make: || {
        let mut show = Show::of("governor", vec![Actor::of_scene(scenes::by_name("governor")?)]);
        show.scenery.plots = plots(&["joint slide", "constraint forces", "angular momentum"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.camera = Camera { from: [1.6, -3.2, 1.5], to: [0.0, 0.0, 0.45], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const ROLLING: Exhibit = Exhibit {
    name: "rolling",
    title: "A coin that rolls",
    physics: "The rim touches the floor and does not slip there. That is a condition on velocities which no condition on places \
              gives: the coin can come back to where it was, and be turned.",
    try_this: "Push the coin over, or stop it; it falls, for only its motion holds it up.",
    watch: "It leans into its curve; the line is where it has touched. Rolling takes no energy.",
    thumbnail: 2.5,
    make: || {
        let actor = Actor::of_scene(scenes::by_name("rolling")?);
        let mut show = Show::of("rolling", vec![actor]);
        show.scenery.plots = plots(&["energy change", "constraint forces", "constraint drift"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.floor = Some(0.0);
        show.scenery.camera = Camera { from: [2.4, -3.0, 1.9], to: [0.6, 0.0, 0.1], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const HEAVY: Exhibit = Exhibit {
    name: "heavy-chain",
    title: "A hundred tonnes on a thread",
    physics: "Twenty rods of 100 g, and at the end a load of a million times that: each joint bears all of it. In maximal \
              coordinates, stepped by backward Euler, with steps a hundred times those that midpoint needs.",
    try_this: "Plot the reaction forces; switch the coordinates to reduced.",
    watch: "The chain stays straight and the joints stay joined; energy falls a little with each swing, for backward Euler damps.",
    thumbnail: 1.2,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("heavy-chain:20")?);
        (actor.formulation, actor.integrator, actor.dt) = (Formulation::Maximal, "backward".into(), 0.01);
        let load = Trail {
            body: actor.last_body(),
            point: V3::Z * -0.5,
            lasts: Some(5.0),
            colour: Some(COLOURS[3]),
        };
        let mut show = Show::of("heavy-chain", vec![actor.with(load)]);
        show.scenery.plots = plots(&["constraint drift", "energy", "reaction forces"]);
        show.scenery.camera = Camera { from: [0.0, -24.0, -2.0], to: [0.0, 0.0, -5.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const SOFT: Exhibit = Exhibit {
    name: "soft-joint",
    title: "From jelly to steel",
    physics: "Two cubes hang by their corners on springs of 10⁹ N/m. At steps of 1/60 s such a spring would swing a hundred times \
              in one; a method that takes forces at the end of the step does not mind.",
    try_this: "Draw a stiffness down to 100 N/m and see the joint stretch; choose semi-implicit at 10⁹ N/m.",
    watch: "Nothing breaks at any stiffness. What the method pays for it is energy: the plot of its change.",
    thumbnail: 1.0,
    make: || {
        let actor = Actor::of_scene(scenes::by_name("soft-joint")?);
        let corner = V3::new(-0.15, -0.15, -0.15);
        let trail = Trail {
            body: actor.model.body("lower").unwrap_or(BodyId::WORLD),
            point: corner,
            lasts: Some(3.0),
            colour: Some(COLOURS[3]),
        };
        let mut show = Show::of("soft-joint", vec![actor.with(trail)]);
        show.scenery.plots = plots(&["constraint forces", "energy", "energy change"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.camera = Camera { from: [1.9, -2.2, 0.7], to: [0.0, 0.0, -0.4], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};
