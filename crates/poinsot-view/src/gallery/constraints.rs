//! Coordinates, and constraints that yield or only hold velocities.

use super::{Exhibit, painted, plots, rod, shaped, thicken};
use crate::cast::{Actor, Show};
use crate::instrument::{Deviation, Trail};
use crate::look::{COLOURS, Part};
use crate::show::Camera;
use poinsot::Formulation;
use poinsot::algebra::V3;
use poinsot::integrate::Method;
use poinsot::model::{BodyId, Shape};
use poinsot::scenes::{self, SceneError};
use poinsot::spatial::Pose;

pub const COORDINATES: Exhibit = Exhibit {
    name: "coordinates",
    title: "One machine, two ways to write it",
    physics: "On the left a double pendulum in the coordinates of its ball joints; on the right each bar is free, and constraints \
              hold the joints: twice six freedoms less six conditions.",
    try_this: "Pull at one of the two and see them part; switch the coordinates of a track while it runs.",
    watch: "Their distance begins far below what can be seen and grows, for this pendulum is chaotic; the drift of the joints on \
            the right stays at round-off.",
    thumbnail: 2.0,
    make: coordinates,
};

fn coordinates() -> Result<Show, SceneError> {
    let (first, second) = Deviation::pair();
    let mut actors = Vec::new();
    for (k, instrument) in [first, second].into_iter().enumerate() {
        let actor = Actor::of_scene(scenes::by_name("ball-chain")?).at(V3::X * (2.6 * k as f64));
        let trail = Trail { body: actor.last_body(), point: V3::Z * -1.0, lasts: Some(3.0), colour: None };
        let mut actor = actor.with(trail).with(instrument);
        (actor.formulation, actor.label) = match k {
            0 => (Formulation::Reduced, "reduced".into()),
            _ => (Formulation::Maximal, "maximal".into()),
        };
        actor.integrator = Method::Rkmk4;
        painted(&mut actor, COLOURS[[0, 3][k]]);
        actors.push(actor);
    }
    let mut show = Show::of("coordinates", actors);
    show.scenery.plots = plots(&["separation", "constraint drift", "energy change"]);
    show.scenery.camera = Camera { from: [1.3, -6.2, 0.6], to: [1.3, 0.0, -0.7], up: [0.0, 0.0, 1.0] };
    Ok(show)
}

pub const GOVERNOR: Exhibit = Exhibit {
    name: "governor",
    title: "A governor with stiff arms",
    physics: "Balls on a turning shaft swing out, and arms lift a block. The arms are springs of 800 000 N/m with dampers: a \
              benchmark of stiff machines.",
    try_this: "Draw the stiffness of both arms down to 1000 N/m: they give, and their dampers take the swing away. Pull at a ball.",
    watch: "As the balls go out the shaft turns more slowly, for nothing turns it: its angular momentum stays.",
    thumbnail: 0.6,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("governor")?);
        let body = |name: &str| actor.model.body(name).unwrap_or(BodyId::WORLD);
        let (shaft, slider, balls) = (body("shaft"), body("slider"), [body("right"), body("left")]);
        shaped(&mut actor, shaft, Shape::Capsule { radius: 0.02, length: 1.0 }, V3::Z * 0.5);
        shaped(&mut actor, slider, Shape::Box { size: V3::new(0.1, 0.1, 0.1) }, V3::ZERO);
        for (ball, side) in balls.into_iter().zip([V3::X, -V3::X]) {
            shaped(&mut actor, ball, Shape::Sphere { radius: 0.1 }, side);
            rod(&mut actor, ball, [V3::ZERO, side], 0.015, COLOURS[5]);
        }
        let mut show = Show::of("governor", vec![actor]);
        show.scenery.plots = plots(&["joint slide", "velocity of shaft", "angular momentum"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.camera = Camera { from: [1.4, -3.0, 1.5], to: [0.0, 0.0, 0.55], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const ROLLING: Exhibit = Exhibit {
    name: "rolling",
    title: "A coin that rolls",
    physics: "The rim touches the floor and does not slip there. That is a condition on velocities which no condition on places \
              gives: the coin can come back to where it was, and be turned.",
    try_this: "Pull at the coin, and it goes another way; step through a wave of its path.",
    watch: "It leans into its curve; the line is where it has touched. Rolling takes no energy.",
    thumbnail: 2.5,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("rolling")?);
        // a spot on either side, to see it turn
        let (body, [r, g, b]) = (actor.last_body(), COLOURS[1]);
        let spot = Shape::Cylinder { radius: 0.035, length: 0.026 };
        let (pose, rgba) = (Pose::translation(V3::X * 0.13), [r, g, b, 1.0]);
        actor.look.parts.push(Part::seen(body, spot, pose, rgba));
        let mut show = Show::of("rolling", vec![actor]);
        show.scenery.plots = plots(&["energy change", "constraint forces", "constraint drift"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.floor = Some(0.0);
        show.scenery.camera = Camera { from: [0.6, -3.6, 2.6], to: [-0.95, 0.0, 0.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const HEAVY: Exhibit = Exhibit {
    name: "heavy-chain",
    title: "A hundred tonnes on a thread",
    physics: "Ten rods of 100 g, and at the end a load of a million times that: each joint bears all of it. Here every rod is free, \
              and backward Euler steps them by 1/60 s; in joint coordinates midpoint fails already at a thousandth.",
    try_this: "Switch the coordinates to reduced: the method soon finds no solution, and the track stops and says so.",
    watch: "The chain stays straight, and its joints stay joined to the last digits. Energy falls with each swing, for backward \
            Euler damps.",
    thumbnail: 1.2,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("heavy-chain:10")?);
        thicken(&mut actor.look, 0.06);
        (actor.formulation, actor.integrator, actor.dt) =
            (Formulation::Maximal, Method::Backward, 1.0 / 60.0);
        let load = Trail {
            body: actor.last_body(),
            point: V3::Z * -0.5,
            lasts: Some(5.0),
            colour: Some(COLOURS[3]),
        };
        let mut show = Show::of("heavy-chain", vec![actor.with(load)]);
        show.scenery.plots = plots(&["constraint drift", "energy", "reaction forces"]);
        show.scenery.camera = Camera { from: [0.0, -13.0, -1.0], to: [0.0, 0.0, -2.7], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const SOFT: Exhibit = Exhibit {
    name: "soft-joint",
    title: "From jelly to steel",
    physics: "Two cubes hang by their corners on springs of 10⁹ N/m. At steps of 1/60 s such a spring would swing a hundred times \
              in one; a method that takes forces at the end of the step does not mind.",
    try_this: "Draw a stiffness down to 1000 N/m, then to 100, and see the joint stretch; choose semi-implicit at 10⁹ N/m.",
    watch: "backward holds at any stiffness. What it pays for that is energy: the plot of its change.",
    thumbnail: 1.0,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("soft-joint")?);
        let bodies: Vec<BodyId> = actor.model.body_ids().skip(1).collect();
        for body in bodies {
            shaped(&mut actor, body, Shape::Box { size: V3::new(0.3, 0.3, 0.3) }, V3::ZERO);
        }
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
        show.scenery.camera = Camera { from: [1.6, -2.0, 0.4], to: [0.0, 0.0, -0.42], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};
