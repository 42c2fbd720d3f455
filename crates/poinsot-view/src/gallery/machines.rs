//! People and robots.

use super::{Exhibit, plots};
use crate::cast::{Actor, Show};
use crate::instrument::Trail;
use crate::look::COLOURS;
use poinsot::algebra::V3;
use poinsot::dynamics::Workspace;
use poinsot::scenes;

pub const ASTRONAUT: Exhibit = Exhibit {
    name: "astronaut",
    title: "Turning without a hold",
    physics: "A person in free space has no angular momentum and cannot acquire any, yet can turn: limbs \
              out, twist, limbs in, untwist.",
    try_this: "With the actuators: raise both shoulders sideways, twist to one side, lower the shoulders, \
               twist back, and repeat. Then see where the feet point.",
    watch: "Momentum and angular momentum stay at zero to the last digits whatever the limbs do; only an \
            external pull changes them.",
    thumbnail: 0.0,
    make: || {
        let mut show = Show::of("astronaut", vec![Actor::of_scene(scenes::by_name("astronaut")?)]);
        show.scenery.plots = plots(&["angular momentum", "joint twist", "energy"]);
        Ok(show)
    },
};

pub const UR5: Exhibit = Exhibit {
    name: "ur5",
    title: "A robot arm",
    physics: "The UR5 arm with the masses and lengths from its manufacturer's description, each joint held \
              against its weight by a servo.",
    try_this: "Move the actuators; pull on the hand; choose another keyframe.",
    watch: "How far a loaded servo gives way, and how the heavy upper arm reacts to the wrist.",
    thumbnail: 0.0,
    make: || {
        let actor = Actor::of_scene(scenes::by_name("ur5")?);
        let hand = actor.last_body();
        let trail =
            Trail { body: hand, point: V3::new(0.0, 0.19, 0.0), lasts: Some(5.0), colour: Some(COLOURS[3]) };
        let mut show = Show::of("ur5", vec![actor.with(trail)]);
        show.scenery.plots = plots(&["energy", "joint elbow_joint", "controls"]);
        show.scenery.camera.from = [1.2, -1.3, 0.8];
        show.scenery.camera.to = [0.2, 0.0, 0.3];
        Ok(show)
    },
};

pub const HUMANOID: Exhibit = Exhibit {
    name: "humanoid",
    title: "Thrown into space",
    physics: "Thirty hinges, all moving, and nothing to hold on to: whatever the limbs do, the centre of \
              mass stays where it is.",
    try_this: "Show the centres of mass and the momenta; switch from midpoint to semi-implicit.",
    watch: "Angular momentum, which midpoint conserves to about twelve digits.",
    thumbnail: 1.0,
    make: || {
        let mut scene = scenes::by_name("humanoid")?;
        // thrown so that it stays in view: seen from its centre of mass
        let mut workspace = Workspace::new(&scene.model);
        let drift = workspace.at(&scene.model, &scene.state).momentum().force * (1.0 / scene.model.mass());
        let linear = V3::new(scene.state.v[0], scene.state.v[1], scene.state.v[2]) - drift;
        scene.state.v[..3].copy_from_slice(&linear.array());
        let mut show = Show::of("humanoid", vec![Actor::of_scene(scene)]);
        show.scenery.plots = plots(&["energy change", "angular momentum", "momentum"]);
        Ok(show)
    },
};
