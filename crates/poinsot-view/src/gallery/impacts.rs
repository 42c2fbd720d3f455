//! Collisions.

use super::{Exhibit, painted, plots, touching};
use crate::cast::{Actor, Show};
use crate::look::COLOURS;
use crate::show::Camera;
use poinsot::Contact;
use poinsot::algebra::V3;
use poinsot::constraint::Impacts;
use poinsot::scenes::{self, SceneError};

pub const BOUNCE: Exhibit = Exhibit {
    name: "bounce",
    title: "How high does it come back?",
    physics: "Five balls fall one metre, with restitutions e of 0, 0.3, 0.5, 0.7 and 1. Each bounce leaves e \
              of the speed and e² of the height.",
    try_this: "Take a ball and throw it; choose discrete detection and see the bounces come at the wrong \
               time.",
    watch: "The ball with e = 1 returns to its starting height for as long as you watch; the one with 0.7 \
            bounces ever faster until it rests.",
    thumbnail: 0.7,
    make: || {
        let mut show = touching("bounce", &["energy", "contact force", "penetration"])?;
        show.scenery.camera = Camera { from: [0.0, -3.2, 1.1], to: [0.0, 0.0, 0.55], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const OBLIQUE: Exhibit = Exhibit {
    name: "oblique",
    title: "Off the line of centres",
    physics: "A spinning ball strikes a heavier one at rest, off the line of their centres, with e = 0.8 and \
              μ = 0.3. The normal impulse follows from e; the tangential impulse is at most μ times as \
              large.",
    try_this: "Reset, and step through the collision; show the momenta of the bodies.",
    watch: "The dark bands: both balls spin afterwards. Momentum and angular momentum are conserved to the last digit; \
            energy drops once.",
    thumbnail: 1.2,
    make: || {
        let mut show = touching("oblique", &["energy", "momentum", "angular momentum"])?;
        show.scenery.camera = Camera { from: [0.1, -0.4, 2.6], to: [0.1, 0.0, 0.0], up: [0.0, 1.0, 0.0] };
        Ok(show)
    },
};

pub const CRADLE: Exhibit = Exhibit {
    name: "cradle",
    title: "Newton's cradle, by two laws",
    physics: "Five touching balls with e = 1. In front they collide one after the other, and the last one \
              leaves with all the speed. Behind they collide all at once, each pair with its own e, and all \
              of them move on. Both laws conserve momentum and energy.",
    try_this: "Switch the contact of a track between impulse (one after the other) and exact (all at once); \
               lift two balls.",
    watch: "Real cradles behave like the front one, because a wave passes through the balls one after the \
            other.",
    thumbnail: 0.75,
    make: || {
        let mut actors = Vec::new();
        for (k, (label, law)) in
            [("one after the other", Impacts::Sequential), ("all at once", Impacts::Simultaneous)]
                .into_iter()
                .enumerate()
        {
            let mut actor = Actor::of_scene(scenes::by_name("cradle")?).at(V3::Y * (0.7 * k as f64));
            actor.contact = actor.contact.map(|mut c| {
                c.settings.impacts = law;
                c
            });
            actor.label = label.into();
            painted(&mut actor, COLOURS[[0, 3][k]]);
            actors.push(actor);
        }
        let mut show = Show::of("cradle", actors);
        show.scenery.plots = plots(&["energy change", "momentum"]);
        show.scenery.camera = Camera { from: [1.4, -3.0, 1.0], to: [0.4, 0.3, 0.45], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const BILLIARDS: Exhibit = Exhibit {
    name: "billiards",
    title: "The break",
    physics: "Sixteen balls on cloth. At first they slide, and friction turns sliding into rolling; balls \
              collide with e = 0.95, and cushions return 0.8 of the speed.",
    try_this: "Pull the white ball back and let it go; set the speed to 0.1 and reset.",
    watch: "Every collision costs a little energy, sliding costs more; rolling costs the least, and takes \
            all that is left in the end.",
    thumbnail: 0.45,
    make: || {
        let mut show = touching("billiards", &["energy", "momentum"])?;
        show.scenery.shown.clear();
        show.scenery.camera = Camera { from: [-0.5, -1.7, 1.5], to: [0.05, 0.0, 0.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const SHOT: Exhibit = Exhibit {
    name: "shot",
    title: "A shot at a thin plate",
    physics: "A pellet at 500 m/s flies one metre in a step of 2 ms, and the plate is 1 mm thick. In front, \
              fast bodies are swept along their path, and the plate swings. Behind, contacts are detected \
              once per step, and the pellet passes through.",
    try_this: "Reset; switch the detection of a track, and reset again.",
    watch: "The front plate swings as conservation of angular momentum about its hinge demands. The one \
            behind hangs still.",
    thumbnail: 0.2,
    make: || {
        let mut actors = Vec::new();
        for (k, (label, swept)) in [("swept", true), ("discrete", false)].into_iter().enumerate() {
            let mut actor = Actor::of_scene(scenes::by_name("shot")?).at(V3::Y * (0.7 * k as f64));
            actor.contact = actor.contact.map(|mut c| {
                c.settings.swept = swept;
                c
            });
            actor.label = label.into();
            painted(&mut actor, COLOURS[[0, 3][k]]);
            actors.push(actor);
        }
        let mut show = Show::of("shot", actors);
        show.speed = 0.25;
        show.scenery.plots = plots(&["joint hinge", "energy"]);
        show.scenery.camera = Camera { from: [1.3, -1.9, 1.1], to: [0.0, 0.3, 0.6], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const PENALTY: Exhibit = Exhibit {
    name: "penalty",
    title: "Springs or impulses",
    physics: "In front, contacts are springs with dampers, k = m/T² and d = 2m/T with T = 10 ms, so that \
              balls of 10 g, 1 kg and 100 kg, the heavier the larger, all sink in by g T². Behind, they are rigid, and impulses keep \
              the balls out.",
    try_this: "Lower the stiffness in front until the heavy ball falls through the floor, then the damping \
               until all balls bounce; exchange the masses. Impulses do not mind.",
    watch: "The penetration: a millimetre for springs with these gains, round-off for impulses.",
    thumbnail: 0.24,
    make: springs,
};

fn springs() -> Result<Show, SceneError> {
    let mut actors = Vec::new();
    for (k, label) in ["springs and dampers", "impulses"].into_iter().enumerate() {
        let mut actor = Actor::of_scene(scenes::by_name("penalty")?).at(V3::Y * (0.6 * k as f64));
        if k == 1 {
            actor.contact = Some(Contact::default());
        }
        actor.label = label.into();
        painted(&mut actor, COLOURS[[3, 0][k]]);
        // one floor is enough
        actor.look.parts.retain(|part| k == 0 || part.body != poinsot::model::BodyId::WORLD);
        actors.push(actor);
    }
    let mut show = Show::of("penalty", actors);
    show.scenery.plots = plots(&["penetration", "contact force", "energy"]);
    show.scenery.shown = plots(&["contact points", "contact forces"]);
    show.scenery.camera = Camera { from: [0.9, -1.9, 0.9], to: [0.0, 0.3, 0.15], up: [0.0, 0.0, 1.0] };
    Ok(show)
}
