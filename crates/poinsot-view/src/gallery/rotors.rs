//! Free bodies.

use super::{Exhibit, painted, plots};
use crate::cast::{Actor, Show};
use crate::instrument::{NaiveEquation, PoinsotMotion, RawAttitude, Trail};
use crate::look::COLOURS;
use crate::show::Camera;
use poinsot::algebra::V3;
use poinsot::free::free_integrator;
use poinsot::integrate::Method;
use poinsot::scenes::{self, SceneError};

pub const DZHANIBEKOV: Exhibit = Exhibit {
    name: "dzhanibekov",
    title: "The turn of a free body",
    physics: "A free body spun about its middle axis turns over, again and again; in Poinsot's picture an \
              ellipsoid of constant energy rolls on a plane that never moves. On the right, in the space of \
              momenta, L in the body runs along the curve in which the energy ellipsoid meets the momentum sphere.",
    try_this: "Pull on the body; switch the integrator to euler-forward and watch the energy grow and the \
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
    show.scenery.camera = Camera { from: [6.6, -7.5, -17.0], to: [6.2, 0.5, 0.0], up: [0.0, -1.0, 0.0] };
    Ok(show)
}

pub const RACE: Exhibit = Exhibit {
    name: "rotor-race",
    title: "Seven ways to turn a body",
    physics: "One free body, stepped by seven integrators at 0.05 s: some conserve energy, some angular \
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

pub const NAIVE: Exhibit = Exhibit {
    name: "naive-equation",
    title: "The equation one would write first",
    physics: "In body axes the kinetic energy depends on Ω alone, so one would set d/dt ∂K/∂Ω = 0: the orange body \
              obeys that and turns steadily about one of its own axes. Its angular momentum goes round in space, \
              although no torque acts on it; the other body has the missing term, −Ω × IΩ, and its L stays fixed.",
    try_this: "Pull on the body on the left and reset; the body on the right has no forces, only its equation.",
    watch: "The two arrows of L, and the plot of the angle between each and its initial direction.",
    thumbnail: 5.0,
    make: || {
        let actor = Actor::of_scene(scenes::by_name("dzhanibekov")?);
        let body = actor.last_body();
        let actor = actor.with(NaiveEquation::new(body, V3::X * 6.0, V3::new(1.6, 1.2, 0.6)));
        let mut show = Show::of("naive-equation", vec![actor]);
        // L begins almost along an axis: a spin between the axes shows more
        show.actors[0].start.state.v[3..6].copy_from_slice(&[1.0, 2.0, 0.5]);
        show.scenery.plots = plots(&["angle between L and its initial direction", "angular momentum"]);
        show.scenery.camera = Camera { from: [3.0, -13.0, 5.0], to: [3.0, 0.0, 0.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const SHEAR: Exhibit = Exhibit {
    name: "shear",
    title: "Matrices that are not rotations",
    physics: "The nine entries of R, or the four of q, are stepped as if they were independent numbers, and nothing brings them \
              back. RᵀR drifts away from 1, and what should only turn grows, shrinks or shears.",
    try_this: "Reset and watch the first seconds; switch a track to rk4, which renormalises.",
    watch: "The balls: each is multiplied by the R of its method. The arrows are the columns of R, which should stay at right angles and of \
            length one.",
    thumbnail: 4.0,
    make: shear,
};

fn shear() -> Result<Show, SceneError> {
    let methods = [
        Method::EulerForwardMatrix,
        Method::EulerBackwardMatrix,
        Method::LectureUnnormalised,
        Method::Rk4Matrix,
    ];
    let mut actors = Vec::new();
    for (k, method) in methods.into_iter().enumerate() {
        let mut actor = Actor::of_scene(scenes::by_name("dzhanibekov")?).at(V3::X * (6.0 * k as f64));
        (actor.integrator, actor.label, actor.dt) = (method, method.to_string(), 0.02);
        painted(&mut actor, COLOURS[k]);
        actor.start.state.v[3..6].copy_from_slice(&[1.0, -0.6, 0.8]);
        let body = actor.last_body();
        let raw = free_integrator(method.word()).map(|m| RawAttitude::new(body, m, actor.dt, 1.2));
        actors.push(match raw {
            Some(raw) => actor.with(raw),
            None => actor,
        });
    }
    let mut show = Show::of("shear", actors);
    show.scenery.plots = plots(&["orthogonality", "energy change"]);
    show.scenery.logarithmic = plots(&["orthogonality"]);
    show.scenery.camera = Camera { from: [9.0, -22.0, 6.0], to: [9.0, 0.0, 0.0], up: [0.0, 0.0, 1.0] };
    Ok(show)
}

pub const LECTURE: Exhibit = Exhibit {
    name: "lecture",
    title: "The loop of the lecture notes",
    physics: "A body thrown with ṗ = (10, 20, 10) and ω = (1, 2, 3), pushed by a force that is fixed in it. Three loops step it at 0.05 s: \
              that of the notes, with velocities as the state; the notes' other choice, with momenta; and the exact rotation.",
    try_this: "Halve the step and reset: the first two are of first order, so they part half as far.",
    watch: "The lines that one corner of each body draws, and the energy: with the exact rotation it changes only by the work of the force; \
            the two loops add their errors.",
    thumbnail: 1.5,
    make: lecture,
};

fn lecture() -> Result<Show, SceneError> {
    let methods = [Method::Lecture, Method::LectureMomenta, Method::Exact];
    let mut actors = Vec::new();
    for (k, method) in methods.into_iter().enumerate() {
        let mut actor = Actor::of_scene(scenes::by_name("lecture")?);
        (actor.integrator, actor.label, actor.dt) = (method, method.to_string(), 0.05);
        painted(&mut actor, COLOURS[k]);
        let body = actor.last_body();
        let corner = Trail { body, point: V3::new(1.5, 1.0, 0.5), lasts: None, colour: None };
        actors.push(actor.with(corner));
    }
    let mut show = Show::of("lecture", actors);
    show.scenery.plots = plots(&["energy", "angular momentum", "energy change"]);
    show.scenery.camera = Camera { from: [20.0, 14.0, 68.0], to: [20.0, 8.0, 20.0], up: [0.0, 1.0, 0.0] };
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
