//! Machines with closed loops.

use super::{Exhibit, GREY, painted, plots, rod, shaped, thicken};
use crate::cast::{Actor, Show};
use crate::instrument::Trail;
use crate::look::COLOURS;
use crate::show::Camera;
use poinsot::algebra::V3;
use poinsot::constraint::Stabilisation;
use poinsot::integrate::Method;
use poinsot::model::{BodyId, Shape};
use poinsot::scenes::{self, SceneError};

/// A view along y, from the front.
fn front(middle: V3, far: f64) -> Camera {
    let from = middle + V3::new(0.22, -1.0, 0.25) * far;
    Camera { from: from.array(), to: middle.array(), up: [0.0, 0.0, 1.0] }
}

fn path(body: BodyId, point: V3, lasts: f64) -> Trail {
    Trail { body, point, lasts: Some(lasts), colour: Some(COLOURS[3]) }
}

/// The scene with bars that are seen well, and the ground between its pivots.
fn four_bar() -> Result<Actor, SceneError> {
    let mut actor = Actor::of_scene(scenes::by_name("four-bar")?);
    thicken(&mut actor.look, 0.018);
    rod(&mut actor, BodyId::WORLD, [V3::ZERO, V3::X * 0.9], 0.01, GREY);
    Ok(actor)
}

pub const FOUR_BAR: Exhibit = Exhibit {
    name: "four-bar",
    title: "Four bars in a loop",
    physics: "Crank, coupler, rocker and the ground between them: three hinges form a tree, and a fourth \
              closes the loop with forces found in each step.",
    try_this: "Show the joint reactions; move the crank's slider and watch the others follow; pull on the \
               coupler.",
    watch: "The crank goes round, the rocker swings, and a point of the coupler draws its curve. The loop \
            stays closed to the last digits: see the drift plot.",
    thumbnail: 1.6,
    make: || {
        let mut actor = four_bar()?;
        let coupler = actor.model.body("coupler").unwrap_or(BodyId::WORLD);
        // the coupler is a triangle, whose corner draws
        let (knee, corner) = (V3::new(0.749, 0.0, 0.281), V3::new(0.305, 0.0, 0.328));
        rod(&mut actor, coupler, [V3::ZERO, corner], 0.008, COLOURS[1]);
        rod(&mut actor, coupler, [knee, corner], 0.008, COLOURS[1]);
        let mut show = Show::of("four-bar", vec![actor.with(path(coupler, corner, 3.0))]);
        show.scenery.plots = plots(&["constraint drift", "joint rocker_hinge", "constraint forces"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.camera = front(V3::new(0.42, 0.0, 0.28), 1.75);
        Ok(show)
    },
};

pub const PARALLELOGRAMS: Exhibit = Exhibit {
    name: "n-four-bar:4",
    title: "Bars that could fold",
    physics: "Four parallelograms in a row move as one. When all bars lie flat, each could fold on its own: \
              there the loop equations lose rank, and methods that divide by their determinant fail.",
    try_this: "Step through the moment when the uprights lie flat; choose other integrators.",
    watch: "The row passes through the flat position again and again and stays a row; energy is conserved.",
    thumbnail: 0.9,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("n-four-bar:4")?);
        thicken(&mut actor.look, 0.04);
        rod(&mut actor, BodyId::WORLD, [V3::ZERO, V3::X * 4.0], 0.02, GREY);
        let mut show = Show::of("n-four-bar:4", vec![actor]);
        show.scenery.plots = plots(&["energy change", "constraint drift", "constraint forces"]);
        show.scenery.camera = front(V3::new(2.0, 0.0, 0.0), 6.6);
        Ok(show)
    },
};

pub const SIX_R: Exhibit = Exhibit {
    name: "six-r",
    title: "It ought not to move",
    physics: "Six bars and six hinges in one loop: six degrees of freedom minus six conditions leave none. \
              Bricard's linkage moves anyway, because one of its conditions follows from the others.",
    try_this: "Turn gravity off; pull on a corner; show the joint reactions.",
    watch: "Five bars turn against the grey one, and the ring stays closed at every moment: see the drift \
            plot.",
    thumbnail: 0.7,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("six-r")?);
        thicken(&mut actor.look, 0.035);
        rod(&mut actor, BodyId::WORLD, [V3::ZERO, V3::X], 0.035, GREY);
        let middle = actor.model.body("bar3").unwrap_or(BodyId::WORLD);
        let mut show = Show::of("six-r", vec![actor.with(path(middle, V3::ZERO, 2.0))]);
        show.scenery.plots = plots(&["constraint drift", "energy change", "constraint forces"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.camera = Camera { from: [3.4, -3.0, 1.9], to: [0.6, 0.4, 0.2], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const SLIDER_CRANK: Exhibit = Exhibit {
    name: "slider-crank",
    title: "What the bearings bear",
    physics: "A crank drives a piston, or a piston drives a crank. The arrows are the forces that the joints \
              transmit, to carry weight and to change motion.",
    try_this: "Turn gravity off and see which arrows are left: inertia alone. Add a plot of the ledger.",
    watch: "The force on the main bearing rotates with the crank and reaches ten times the weight of the \
            machine; the slide can push only across its direction.",
    thumbnail: 0.25,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("slider-crank")?);
        thicken(&mut actor.look, 0.015);
        let piston = actor.last_body();
        shaped(&mut actor, piston, Shape::Box { size: V3::new(0.15, 0.1, 0.1) }, V3::ZERO);
        // arrows are seen through what they are in
        actor.look.parts.iter_mut().for_each(|part| part.rgba[3] = 0.45);
        rod(&mut actor, BodyId::WORLD, [V3::X * 0.3, V3::X * 0.9], 0.006, GREY);
        let mut show = Show::of("slider-crank", vec![actor]);
        show.scenery.plots = plots(&["reaction forces", "energy change", "constraint drift"]);
        show.scenery.shown = plots(&["joint reactions"]);
        show.scenery.camera = front(V3::new(0.32, 0.0, 0.02), 1.45);
        Ok(show)
    },
};

pub const STEWART: Exhibit = Exhibit {
    name: "stewart",
    title: "A table on six legs",
    physics: "The Gough–Stewart platform: each leg stands on a universal joint, slides against a spring and \
              holds the platform by a ball joint. Twenty-four degrees of freedom of the tree minus eighteen \
              conditions leave six.",
    try_this: "Push the platform; move the slider of one leg; show the joint reactions.",
    watch: "The platform oscillates in all six directions at once; the springs exchange energy, and the sum \
            is conserved.",
    thumbnail: 1.0,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("stewart")?);
        actor.dt = 5e-3;
        let platform = actor.model.body("platform").unwrap_or(BodyId::WORLD);
        let mut show = Show::of("stewart", vec![actor.with(path(platform, V3::X * 0.6, 3.0))]);
        show.scenery.plots = plots(&["energy", "constraint drift", "constraint forces"]);
        show.scenery.floor = Some(0.0);
        show.scenery.camera = Camera { from: [2.1, -2.4, 1.7], to: [0.0, 0.0, 0.6], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const DRIFT: Exhibit = Exhibit {
    name: "drift-race",
    title: "Three ways to keep a loop closed",
    physics: "Constraint forces keep a loop from opening further, but not the error that each step leaves. \
              If nothing is done, it grows; Baumgarte's springs pull it back; a projection after each step \
              removes it.",
    try_this: "Halve the step and reset: how much lower is each line?",
    watch: "The drift on its logarithmic scale: within ten seconds the first loop opens by centimetres at \
            its knee, and within a minute it comes apart. The other plot shows what each cure does to the \
            energy.",
    thumbnail: 9.0,
    make: drift_race,
};

fn drift_race() -> Result<Show, SceneError> {
    let ways = [
        ("nothing", Stabilisation::Nothing),
        ("Baumgarte", Stabilisation::Baumgarte { time_constant: 0.1 }),
        ("projection", Stabilisation::Projection),
    ];
    let mut actors = Vec::new();
    for (k, (label, stabilisation)) in ways.into_iter().enumerate() {
        let mut actor = four_bar()?.at(V3::Y * (0.8 * k as f64));
        (actor.label, actor.stabilisation) = (label.into(), stabilisation);
        (actor.integrator, actor.dt) = (Method::Rkmk4, 0.01);
        painted(&mut actor, COLOURS[[4, 1, 0][k]]);
        actors.push(actor);
    }
    let mut show = Show::of("drift-race", actors);
    show.scenery.plots = plots(&["constraint drift", "energy change"]);
    show.scenery.shown = plots(&["constraints"]);
    show.scenery.camera = Camera { from: [2.0, -1.9, 1.5], to: [0.35, 0.75, 0.12], up: [0.0, 0.0, 1.0] };
    Ok(show)
}
