//! Pendulums and chains.

use super::{Exhibit, painted, plots, thicken};
use crate::cast::{Actor, Show};
use crate::instrument::{Deviation, Separation, Trail};
use crate::look::{COLOURS, Look};
use poinsot::Formulation;
use poinsot::algebra::{Sym3, V3};
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::model::{BodyId, BodySpec, Joint, ModelBuilder};
use poinsot::scenes::{self, SceneError};
use poinsot::spatial::Inertia;
use std::f64::consts::FRAC_PI_2;

pub const TWINS: Exhibit = Exhibit {
    name: "twins",
    title: "Twins that part",
    physics: "Two double pendulums start a ten-thousandth of a degree apart. The distance grows tenfold \
              again and again, until the two have nothing in common.",
    try_this: "Reset, and count the seconds until you can see two; a smaller step does not help.",
    watch: "The distance, on a logarithmic scale: it rises in jags, but on average along a straight line, which is what chaos means. After \
            some 20 s it is as large as the pendulums themselves. Energy is conserved all the while.",
    thumbnail: 14.0,
    make: twins,
};

/// Two double pendulums at one place, the second turned by 2e-6 more.
fn twins() -> Result<Show, SceneError> {
    let mut b = ModelBuilder::new("twins");
    let bob = Inertia::new(1.0, V3::Z * -1.0, Sym3::diagonal(0.0, 0.0, 0.0))?;
    let mut ends = Vec::new();
    for twin in ["first", "second"] {
        let (mut parent, mut at) = (BodyId::WORLD, V3::ZERO);
        for part in ["upper", "lower"] {
            parent = b.body(parent, BodySpec::new(format!("{twin} {part}")).at(at).inertia(bob));
            b.joint(parent, Joint::revolute(-V3::Y).named(format!("{twin} {part} hinge")));
            at = V3::Z * -1.0;
        }
        ends.push(parent);
    }
    let model = b.build()?;
    let mut state = State::new(&model);
    (state.q[0], state.q[2]) = (FRAC_PI_2, FRAC_PI_2 + 2e-6);
    (state.q[1], state.q[3]) = (0.3, 0.3);
    let mut look = Look::of_model(&model);
    for part in &mut look.parts {
        let colour = COLOURS[if part.body.index() < 3 { 0 } else { 3 }];
        part.rgba[..3].copy_from_slice(&colour);
    }
    let point = V3::Z * -1.0;
    let trail = |k: usize, colour: usize| Trail {
        body: ends[k],
        point,
        lasts: Some(3.0),
        colour: Some(COLOURS[colour]),
    };
    let apart = Separation { bodies: [ends[0], ends[1]], point, between: V3::ZERO };
    let actor = Actor::new(model, look, state, Method::Midpoint, 1e-3)
        .with(trail(0, 0))
        .with(trail(1, 3))
        .with(apart);
    let mut show = Show::of("twins", vec![actor]);
    show.scenery.plots = plots(&["separation", "energy change"]);
    show.scenery.camera.from = [0.0, -6.5, -0.2];
    show.scenery.camera.to = [0.0, 0.0, -0.2];
    Ok(show)
}

pub const FIVE: Exhibit = Exhibit {
    name: "chain5",
    title: "Five links",
    physics: "The five-link chain of the lecture notes (docs/sources.md) in both coordinates: in front, five joint angles, with which no joint \
              can come apart; behind, five free rods with thirty coordinates, held together by constraint forces.",
    try_this: "Take an end and swing it; single-step while the last rod flips over.",
    watch: "The distance between the two, on a logarithmic scale: it begins at round-off and grows with the chaos of the chain. The joints \
            behind stay closed, and the energy of both stays constant.",
    thumbnail: 0.8,
    make: || {
        let (first, second) = Deviation::pair();
        let mut actors = Vec::new();
        for (k, instrument) in [first, second].into_iter().enumerate() {
            let actor = Actor::of_scene(scenes::by_name("chain5")?).at(V3::Y * k as f64);
            let end = actor.last_body();
            let trail = Trail { body: end, point: V3::Z * -0.5, lasts: Some(2.0), colour: None };
            let mut actor = actor.with(trail).with(instrument);
            (actor.formulation, actor.label) = match k {
                0 => (Formulation::Reduced, "reduced".into()),
                _ => (Formulation::Maximal, "maximal".into()),
            };
            actor.integrator = Method::Rkmk4;
            painted(&mut actor, COLOURS[[0, 3][k]]);
            actors.push(actor);
        }
        let mut show = Show::of("chain5", actors);
        show.scenery.plots = plots(&["separation", "constraint drift", "energy"]);
        show.scenery.camera.from = [2.0, -6.5, 0.6];
        show.scenery.camera.to = [0.0, 0.4, -0.6];
        Ok(show)
    },
};

pub const LONG: Exhibit = Exhibit {
    name: "chain:200",
    title: "A long chain",
    physics: "Two hundred links on hinges with alternating axes: the cost of a step grows with the number of \
              links, not with its cube.",
    try_this: "Pull the end, and let go.",
    watch: "The wave that runs up the chain and back, and the real-time speed shown below the picture.",
    thumbnail: 3.0,
    make: || {
        let mut scene = scenes::by_name("chain:200")?;
        // enough of a push to be seen
        for (k, v) in scene.state.v.iter_mut().enumerate() {
            *v = if k % 2 == 0 { 0.06 * (k as f64 * 0.06).sin() } else { 0.06 * (k as f64 * 0.05).cos() };
        }
        let mut actor = Actor::of_scene(scene);
        thicken(&mut actor.look, 0.12);
        let mut show = Show::of("chain:200", vec![actor]);
        show.scenery.camera.from = [10.0, -26.0, -6.0];
        show.scenery.camera.to = [0.0, 0.0, -10.0];
        Ok(show)
    },
};

pub const RACE: Exhibit = Exhibit {
    name: "energy-race",
    title: "Who keeps the energy?",
    physics: "The five links with three integrators at steps of 0.01 s. What a method gains or loses \
              shows in the plot long before it shows in the motion.",
    try_this: "Halve the step and reset: the error of a second-order method falls to about a quarter, that \
               of a first-order method to about a half.",
    watch: "The energy error of each method; midpoint oscillates but does not drift.",
    thumbnail: 0.45,
    make: || {
        let methods = [Method::SemiImplicit, Method::Midpoint, Method::Rkmk4];
        let mut actors = Vec::new();
        for (k, method) in methods.into_iter().enumerate() {
            let mut actor = Actor::of_scene(scenes::by_name("chain5")?).at(V3::Y * (1.2 * k as f64));
            // a swing that stays a swing: no method is asked for more than it can give
            actor.start.state.q[0] = 0.7;
            (actor.integrator, actor.label, actor.dt) = (method, method.to_string(), 0.01);
            actor.colour = COLOURS[k];
            thicken(&mut actor.look, 0.05);
            for part in &mut actor.look.parts {
                part.rgba[..3].copy_from_slice(&actor.colour);
            }
            actors.push(actor);
        }
        let mut show = Show::of("energy-race", actors);
        show.scenery.plots = plots(&["energy change", "joint hinge5"]);
        show.scenery.camera.from = [3.4, -4.6, 1.4];
        show.scenery.camera.to = [0.3, 1.2, -0.7];
        Ok(show)
    },
};
