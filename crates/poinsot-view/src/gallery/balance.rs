//! What friction holds, and what it does not.

use super::{Exhibit, touching};
use crate::show::Camera;

pub const INCLINE: Exhibit = Exhibit {
    name: "incline",
    title: "To slide or not to slide",
    physics: "The slope has tan α = 0.5. One block has 1 % more friction than that, the other 1 % less: one \
              holds, the other slides, and there is nothing in between.",
    try_this: "Show the friction cones: the force on one block lies just inside its cone, on the other it \
               lies on the cone. Then choose pgs.",
    watch: "The block that holds does not creep: its velocity stays at round-off for as long as you watch.",
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
    physics: "The wall can only push, so friction on the floor alone keeps a ladder up. One ladder has 1 % \
              more friction than it needs, the other 1 % less.",
    try_this: "Pull down on the ladder that stands, first near its top, then near its foot.",
    watch: "The force of the floor leans as far as its cone allows. The other ladder begins to slide, \
            slowly, because only one percent is missing.",
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
    physics: "The weight and its two moments give three equations for the forces on four feet. One force \
              stays undetermined: a rigid table on a rigid floor has no way to decide.",
    try_this: "Move the weight over one leg; choose penalty, where springs share the load according to their \
               stiffness.",
    watch: "The four arrows: however they share the load, together they carry 19 kg and its moments. In the plot, 186 N rest on the world; \
            all normal forces are 49 N more, because the weight of 5 kg presses on the table.",
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
    physics: "Two fingers press a capsule of 45 g with twenty times the force needed to hold it. Where \
              friction is really a damper, the capsule creeps down anyway; here it sticks.",
    try_this: "Lift the hand with its slider; loosen the fingers to 0.3 N, then to 0.2 N; pull on the \
               capsule.",
    watch: "The capsule stays put in the hand. It slips when the fingers press with less than 0.28 N.",
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
    physics: "Two legs, a hinge and a bar form a closed loop on a frictionless floor. Only the bar holds the \
              legs together; contacts and loop are solved together.",
    try_this: "Push the top down; show the joint reactions; knock it over.",
    watch: "Each foot carries half the weight, and the loop stays closed to the last digits: see the drift \
            plot.",
    thumbnail: 0.1,
    make: || {
        let mut show = touching("stepladder", &["contact force", "constraint drift", "constraint forces"])?;
        show.scenery.camera = Camera { from: [1.2, -2.9, 1.3], to: [0.0, 0.0, 0.7], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const PAINLEVE: Exhibit = Exhibit {
    name: "painleve",
    title: "An impact without a collision",
    physics: "A rod at 60° slides on the ground with μ = 1.6. The harder the ground pushes, the more friction turns the rod into it, and no force \
              can keep it out: Painlevé's paradox of 1895. It stops at once, by an impulse. The other rod slides away from its foot, and is lifted.",
    try_this: "Step from the beginning and look for the event called jam. Then choose leapfrog, which finds the same impulse.",
    watch: "The kinetic energy, which drops in an instant; the contact force, where that instant is one high point; and the rod that slides.",
    thumbnail: 0.15,
    make: || {
        let mut show = touching("painleve", &["energy", "contact force", "contact residual"])?;
        show.speed = 0.3;
        show.scenery.shown.push("friction cones".into());
        show.scenery.camera = Camera { from: [0.6, -2.6, 1.1], to: [0.0, 0.0, 0.4], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};
