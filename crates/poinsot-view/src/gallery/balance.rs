//! What friction holds, and what it does not.

use super::{Exhibit, touching};
use crate::show::Camera;

pub const INCLINE: Exhibit = Exhibit {
    name: "incline",
    title: "To slide or not to slide",
    physics: "A slope of tan α = 0.5, and two blocks whose friction is 1 % above and 1 % below that: one holds, the other slides, and \
              there is nothing between.",
    try_this: "Show the friction cones: the force of one block is just inside its cone, that of the other on it. Then choose pgs.",
    watch: "The block that holds does not creep: its velocity is round-off, for as long as you look.",
    thumbnail: 3.0,
    make: || {
        let mut show = touching("incline", &["energy", "contact residual", "contact force"])?;
        show.scenery.shown.push("friction cones".into());
        show.scenery.camera = Camera { from: [-0.4, -3.6, 2.2], to: [-0.6, 0.0, 0.4], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const LADDER: Exhibit = Exhibit {
    name: "ladder",
    title: "A ladder on a smooth wall",
    physics: "The wall can only push, so friction on the floor alone keeps a ladder up: one has 1 % more of it than that takes, the other 1 % less.",
    try_this: "Hang on the ladder that stands: pull at its upper half, then at its lower half.",
    watch: "The force of the floor leans as far as its cone allows; the other ladder begins to slide as slowly as one percent has it.",
    thumbnail: 1.9,
    make: || {
        let mut show = touching("ladder", &["energy", "contact force", "contact residual"])?;
        show.scenery.shown.push("friction cones".into());
        show.scenery.camera = Camera { from: [-3.4, -3.2, 1.9], to: [0.0, 0.0, 0.9], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const TABLE: Exhibit = Exhibit {
    name: "table",
    title: "Three legs would be enough",
    physics: "Weight and its two moments are three equations for the forces on four feet: one of them is left open, for a rigid table on a \
              rigid floor has no way to tell.",
    try_this: "Pull at the weight, and move it over a leg; choose penalty, where springs share the load by their stiffness.",
    watch: "The four arrows: whichever way they share the load, they bear the weight of 19 kg and its moments.",
    thumbnail: 0.1,
    make: || {
        let mut show = touching("table", &["contact force", "contact residual", "penetration"])?;
        show.scenery.camera = Camera { from: [1.3, -2.1, 1.4], to: [0.0, 0.0, 0.45], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const GRIPPER: Exhibit = Exhibit {
    name: "gripper",
    title: "A grip that does not creep",
    physics: "Two fingers press a capsule of 45 g with twenty times the force that its weight takes. Where friction is a damper in disguise it \
              creeps down all the same; here it sticks.",
    try_this: "Lift the hand with its slider; loosen the fingers to 0.3 N, then to 0.2 N; pull at the capsule.",
    watch: "The capsule stays where it is in the hand. It slips when the fingers press with less than 0.28 N.",
    thumbnail: 0.2,
    make: || {
        let mut show = touching("gripper", &["contact force", "contact residual", "energy"])?;
        show.scenery.camera = Camera { from: [0.25, -0.55, 0.42], to: [0.0, 0.0, 0.22], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const STEPLADDER: Exhibit = Exhibit {
    name: "stepladder",
    title: "A loop that stands",
    physics: "Two legs, a hinge and a bar: a closed loop on a floor without any friction. The bar alone keeps the legs together, and both \
              contacts and the loop are solved for at once.",
    try_this: "Push the top down; show the joint reactions; throw it over.",
    watch: "Each foot bears half the weight; the loop stays closed to the last digits: the plot of the drift.",
    thumbnail: 0.1,
    make: || {
        let mut show = touching("stepladder", &["contact force", "constraint drift", "constraint forces"])?;
        show.scenery.camera = Camera { from: [1.2, -2.9, 1.3], to: [0.0, 0.0, 0.7], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};
