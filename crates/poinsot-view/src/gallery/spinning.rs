//! Bodies that spin on a floor.

use super::{Exhibit, touching};
use crate::instrument::Trail;
use crate::look::{COLOURS, Part};
use crate::show::Camera;
use poinsot::algebra::V3;
use poinsot::model::Shape;
use poinsot::spatial::Pose;

pub const DISK: Exhibit = Exhibit {
    name: "euler-disk",
    title: "Euler's disk",
    physics: "A heavy disc rolls on its rim while its centre stays in place and the point of contact runs \
              round: the flatter it lies, the faster.",
    try_this: "Set the speed to 0.2 and watch the spot: the disc itself hardly turns.",
    watch: "The rattle that rises and ends in an instant. Part of the energy lost here is lost to the \
            method, in proportion to the step.",
    thumbnail: 0.6,
    make: || {
        let mut show = touching("euler-disk", &["energy", "contact force"])?;
        show.speed = 0.5;
        show.scenery.camera = Camera { from: [0.12, -0.3, 0.2], to: [0.0, 0.0, 0.03], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const TIPPE_TOP: Exhibit = Exhibit {
    name: "tippe-top",
    title: "The top that turns over",
    physics: "A ball with its centre of mass below its middle is spun fast. It slides where it touches, and \
              the friction there lifts it: energy of spin becomes height.",
    try_this: "Reset at a speed of 0.1; choose another integrator; take the spin away by pulling at the \
               stem.",
    watch: "It ends up on its head, spinning more slowly. Jellett's integral, the dot product of the angular \
            momentum with the vector from the centre of mass to the contact, stays constant.",
    thumbnail: 0.45,
    make: || {
        let mut show = touching("tippe-top", &["energy", "angular momentum"])?;
        // a spot, to see it spin
        let actor = &mut show.actors[0];
        let (body, [r, g, b]) = (actor.last_body(), COLOURS[1]);
        let spot = Part::seen(
            body,
            Shape::Sphere { radius: 0.004 },
            Pose::translation(V3::X * 0.018),
            [r, g, b, 1.0],
        );
        actor.look.parts.push(spot);
        show.speed = 0.25;
        show.scenery.shown = vec!["contact points".into()];
        show.scenery.camera =
            Camera { from: [0.04, -0.16, 0.08], to: [-0.01, -0.01, 0.02], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const RATTLEBACK: Exhibit = Exhibit {
    name: "rattleback",
    title: "A stone with a mind of its own",
    physics: "A boat-shaped stone whose mass lies slightly askew to its keel. Spun the wrong way it begins \
              to rock, the rocking consumes the spin, and it turns back.",
    try_this: "When it has turned back, give it a push in that direction: it keeps going.",
    watch: "Its angular momentum about the vertical changes sign, though nothing but the floor has touched \
            it.",
    thumbnail: 0.5,
    make: || {
        let mut show = touching("rattleback", &["angular momentum", "energy"])?;
        let actor = &mut show.actors[0];
        let trail =
            Trail { body: actor.last_body(), point: V3::X * 0.2, lasts: Some(1.5), colour: Some(COLOURS[3]) };
        actor.instruments.push(Box::new(trail));
        show.scenery.camera = Camera { from: [0.15, -0.5, 0.35], to: [0.0, 0.0, 0.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};
