//! Free bodies.

use super::{Exhibit, plots};
use crate::cast::{Actor, Show};
use crate::instrument::{PoinsotMotion, Trail};
use crate::look::COLOURS;
use crate::show::Camera;
use poinsot::algebra::V3;
use poinsot::integrate::Method;
use poinsot::scenes::{self, SceneError};

pub const DZHANIBEKOV: Exhibit = Exhibit {
    name: "dzhanibekov",
    title: "The turn of a free body",
    physics: "A free body spun about its middle axis turns over, again and again; in Poinsot's picture an \
              ellipsoid of constant energy rolls on a plane that never moves.",
    try_this: "Pull at the body; switch the integrator to euler-forward and watch the energy grow and the \
               plane move away.",
    watch: "The polhode on the ellipsoid, the herpolhode on the plane, and L, which does not move.",
    thumbnail: 6.0,
    make: dzhanibekov,
};

fn dzhanibekov() -> Result<Show, SceneError> {
    let actor = Actor::of_scene(scenes::by_name("dzhanibekov")?);
    let body = actor.last_body();
    let actor = actor.with(PoinsotMotion::new(body, V3::X * 6.0, 2.4));
    let mut show = Show::of("dzhanibekov", vec![actor]);
    show.scenery.plots = plots(&["angular velocity in the body", "energy change", "angular momentum"]);
    // L points down, so that the ellipsoid rolls on its plane as on a table
    show.scenery.camera = Camera { from: [4.5, -6.0, -12.5], to: [3.3, 0.5, 0.0], up: [0.0, -1.0, 0.0] };
    Ok(show)
}

pub const RACE: Exhibit = Exhibit {
    name: "rotor-race",
    title: "Seven ways to turn a body",
    physics: "The same free body stepped by seven integrators at 0.05 s: some conserve energy, some angular \
              momentum, one both.",
    try_this: "Change the step: 0.2 s is too long for most, but the exact solution does not mind.",
    watch: "Which bodies fall out of step with the last one, and whose energy runs away.",
    thumbnail: 9.0,
    make: race,
};

fn race() -> Result<Show, SceneError> {
    let methods = [
        Method::EulerForward,
        Method::EulerBackward,
        Method::Momentum,
        Method::Buss,
        Method::BussAugmented,
        Method::Rk4,
        Method::Exact,
    ];
    let mut actors = Vec::new();
    for (k, method) in methods.into_iter().enumerate() {
        let mut actor = Actor::of_scene(scenes::by_name("dzhanibekov")?).at(V3::new(
            6.0 * (k % 4) as f64,
            0.0,
            -6.5 * (k / 4) as f64,
        ));
        (actor.integrator, actor.label, actor.dt) = (method, method.to_string(), 0.05);
        actor.colour = COLOURS[k % COLOURS.len()];
        for part in &mut actor.look.parts {
            part.rgba[..3].copy_from_slice(&actor.colour);
        }
        let body = actor.last_body();
        let tip = Trail { body, point: V3::new(2.4, 0.0, 0.0), lasts: Some(4.0), colour: None };
        actors.push(actor.with(tip));
    }
    let mut show = Show::of("rotor-race", actors);
    show.scenery.plots = plots(&["energy change", "size of angular momentum"]);
    show.scenery.camera = Camera { from: [9.0, -24.0, 2.0], to: [9.0, 0.0, -3.2], up: [0.0, 0.0, 1.0] };
    Ok(show)
}

pub const FIELD: Exhibit = Exhibit {
    name: "rotors",
    title: "A thousand rotors",
    physics: "All plates spin about their middle axis, about which no spin is stable. Each starts with a \
              slightly different disturbance, so each turns over in its own time.",
    try_this: "Pull one out of its row; show the frames of all bodies.",
    watch: "Waves of turning plates, while energy and momentum stay constant.",
    thumbnail: 4.0,
    make: || {
        let mut show = Show::of("rotors", vec![Actor::of_scene(scenes::by_name("rotors")?)]);
        show.scenery.camera = Camera { from: [0.0, -24.0, 12.0], to: [0.0, -2.0, 0.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};
