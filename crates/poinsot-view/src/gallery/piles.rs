//! Things on top of one another.

use super::{Exhibit, painted, plots, touching};
use crate::cast::{Actor, Show};
use crate::look::COLOURS;
use crate::show::Camera;
use poinsot::algebra::V3;
use poinsot::scenes;

pub const DOMINOES: Exhibit = Exhibit {
    name: "dominoes",
    title: "One after the other",
    physics: "Each domino topples the next, and after about ten of them the wave travels at its own speed, \
              whatever the first push was.",
    try_this: "Reset, and push the last one over instead; set the speed to 0.2.",
    watch: "Potential energy turns into motion, and most of it is lost where stones collide and slide.",
    thumbnail: 0.75,
    make: || {
        let mut show = touching("dominoes", &["energy", "contact force", "penetration"])?;
        show.scenery.camera = Camera { from: [0.5, -2.4, 1.2], to: [0.05, 0.0, 0.15], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const PYRAMID: Exhibit = Exhibit {
    name: "pyramid",
    title: "A pyramid",
    physics: "Every box rests on two others and passes its load on to both: hundreds of forces that depend \
              on one another, found in each step to the last digits.",
    try_this: "Pull a box out of the middle; open pyramid:12 from the command line; choose pgs and look at \
               the residual.",
    watch: "Nothing moves, and no round-off accumulates; the arrows grow from row to row.",
    thumbnail: 0.1,
    make: || {
        let mut show = touching("pyramid", &["contact residual", "contact force", "penetration"])?;
        show.scenery.camera = Camera { from: [1.0, -3.2, 1.3], to: [0.0, 0.0, 0.6], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const WALL: Exhibit = Exhibit {
    name: "wall",
    title: "A dry wall",
    physics: "Bricks without mortar, each over the joint of two below, so that a load spreads as it travels \
              down.",
    try_this: "Push a brick out, slowly and then with a jerk; throw one at the wall.",
    watch: "The force on the world, which is the weight of the wall, and where it goes when a brick is gone.",
    thumbnail: 0.1,
    make: || {
        let mut show = touching("wall", &["contact force", "contact residual", "penetration"])?;
        show.scenery.camera = Camera { from: [1.3, -3.2, 1.5], to: [0.0, 0.0, 0.55], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const MASS_RATIO: Exhibit = Exhibit {
    name: "mass-ratio",
    title: "A tonne on nine boxes",
    physics: "The top box is a thousand times as heavy as each of the nine below, at steps of 1/60 s. \
              Methods that pass forces from box to box hardly get that load down to the floor; one that \
              solves for all of them at once does.",
    try_this: "Choose pgs, which is such a method, and watch the stack give way; then choose exact again, \
               and reset.",
    watch: "The residual: round-off for exact. The world carries 1009 kg: 9898 N in the plot, where the sum over all ten gaps is ten times as much.",
    thumbnail: 0.1,
    make: || {
        let mut show = touching("mass-ratio", &["contact residual", "contact force", "penetration"])?;
        show.scenery.camera = Camera { from: [1.4, -3.4, 1.8], to: [0.0, 0.0, 1.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const ARCH: Exhibit = Exhibit {
    name: "arch",
    title: "How thin can an arch be?",
    physics: "Sixteen stones without mortar. A semicircular arch stands if a line of thrust fits inside it, \
              which takes a thickness of 0.1071 of its radius. The arch in front has 5 % more, the one \
              behind 5 % less.",
    try_this: "Pull on a stone of the front arch, and let go; step through the fall of the other, and count \
               the joints that open.",
    watch: "The thin arch opens at a few joints and folds there, as Milankovitch described in 1907. The \
            other stands for as long as you watch.",
    thumbnail: 0.45,
    make: || {
        let mut actors = Vec::new();
        for (k, (label, name)) in
            [("5 % thicker", "arch:113"), ("5 % thinner", "arch:102")].into_iter().enumerate()
        {
            let mut actor = Actor::of_scene(scenes::by_name(name)?).at(V3::Y * (0.8 * k as f64));
            actor.label = label.into();
            painted(&mut actor, COLOURS[[0, 3][k]]);
            actors.push(actor);
        }
        let mut show = Show::of("arch", actors);
        show.speed = 0.5;
        show.scenery.plots = plots(&["energy", "contact residual", "penetration"]);
        show.scenery.camera = Camera { from: [0.9, -3.4, 1.5], to: [0.0, 0.4, 0.45], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const PIT: Exhibit = Exhibit {
    name: "pit",
    title: "A pit of many shapes",
    physics: "Boxes, balls, capsules, cylinders and ellipsoids fall into a pit, collide, slide, roll and \
              come to rest.",
    try_this: "Stir the heap: pull a box through the others. Open pit:50 from the command line.",
    watch: "Energy falls and never rises; the residual shows how well each step was solved.",
    thumbnail: 0.5,
    make: || {
        let mut show = touching("pit", &["energy", "contact residual", "penetration"])?;
        show.scenery.shown.clear();
        show.scenery.camera = Camera { from: [0.8, -1.5, 1.5], to: [0.0, 0.0, 0.25], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const RAGDOLL: Exhibit = Exhibit {
    name: "ragdoll",
    title: "A fall on the floor",
    physics: "Nine limbs on ball joints, with knees and elbows that bend one way only: contacts, joint \
              limits and joints are solved together.",
    try_this: "Pick it up by a hand, swing it and let go.",
    watch: "Knees and elbows stop at their limits; the ledger books the fall under contact, friction, limits \
            and dampers.",
    thumbnail: 0.7,
    make: || {
        let mut show = touching("ragdoll", &["energy", "contact force", "contact residual"])?;
        show.scenery.camera = Camera { from: [2.0, -3.6, 1.8], to: [0.4, -0.2, 0.7], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const RAGDOLLS: Exhibit = Exhibit {
    name: "ragdolls",
    title: "A pile of people",
    physics: "Four ragdolls fall on one another: forty bodies in four trees, whose contacts, joints and joint limits all depend on one another.",
    try_this: "Pull the lowest one out by a foot. Open ragdolls:10 from the command line.",
    watch: "The residual, and the plot of the penetration: nobody sinks into anybody.",
    thumbnail: 0.9,
    make: || {
        let mut show = touching("ragdolls", &["energy", "contact residual", "penetration"])?;
        show.scenery.shown.clear();
        show.scenery.camera = Camera { from: [2.4, -4.2, 2.2], to: [0.0, 0.0, 0.7], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const FALLEN: Exhibit = Exhibit {
    name: "fallen-humanoid",
    title: "A humanoid falls over",
    physics: "Thirty hinges with limits and dampers, and nothing to hold them up: the knees give way, it falls over and comes to rest.",
    try_this: "Lift it by the head, and let go.",
    watch: "Once it lies still, the world bears its weight of 73 kg, and the energy stays constant.",
    thumbnail: 0.8,
    make: || {
        let mut show = touching("fallen-humanoid", &["energy", "contact force", "contact residual"])?;
        show.scenery.camera = Camera { from: [2.2, -3.4, 1.6], to: [0.3, 0.0, 0.6], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const ARM: Exhibit = Exhibit {
    name: "arm-and-box",
    title: "A robot meets a box",
    physics: "An arm with a servo on each joint swings round and meets a box of 2 kg. The impulse passes \
              through the whole arm, and friction on the floor stops the box.",
    try_this: "Move the arm back with its actuators, put the box in its way again, and hit it elsewhere.",
    watch: "The blow shows in the energy, and the box comes to rest.",
    thumbnail: 0.5,
    make: || {
        let mut show = touching("arm-and-box", &["energy", "velocity of turn", "contact force"])?;
        show.scenery.camera = Camera { from: [1.5, -1.6, 1.4], to: [-0.1, 0.4, 0.2], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};
