//! Coordinates, and constraints that yield or hold only velocities.

use super::{Exhibit, painted, plots, rod, shaped, thicken};
use crate::cast::{Actor, Show};
use crate::instrument::{ConstraintForce, Deviation, Trail};
use crate::look::{COLOURS, Look, Part};
use crate::show::Camera;
use poinsot::Formulation;
use poinsot::algebra::V3;
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::model::{BodyId, BodySpec, Constraint, Joint, ModelBuilder, Mount, Shape};
use poinsot::scenes::{self, SceneError};
use poinsot::spatial::Pose;

pub const COORDINATES: Exhibit = Exhibit {
    name: "coordinates",
    title: "One machine, two ways to write it",
    physics: "On the left, a double pendulum in the coordinates of its ball joints. On the right, each bar \
              is a free body and constraints hold the joints: twice six degrees of freedom minus six \
              conditions.",
    try_this: "Pull on one of the two and watch them diverge; switch the coordinates of a track while it \
               runs.",
    watch: "The distance between them starts far below what can be seen and then grows, because this \
            pendulum is chaotic. The joint drift on the right stays at round-off.",
    thumbnail: 2.0,
    make: coordinates,
};

fn coordinates() -> Result<Show, SceneError> {
    let (first, second) = Deviation::pair();
    let mut actors = Vec::new();
    for (k, instrument) in [first, second].into_iter().enumerate() {
        let actor = Actor::of_scene(scenes::by_name("ball-chain")?).at(V3::X * (2.6 * k as f64));
        let trail = Trail { body: actor.last_body(), point: V3::Z * -1.0, lasts: Some(3.0), colour: None };
        let mut actor = actor.with(trail).with(instrument);
        (actor.formulation, actor.label) = match k {
            0 => (Formulation::Reduced, "reduced".into()),
            _ => (Formulation::Maximal, "maximal".into()),
        };
        actor.integrator = Method::Rkmk4;
        painted(&mut actor, COLOURS[[0, 3][k]]);
        actors.push(actor);
    }
    let mut show = Show::of("coordinates", actors);
    show.scenery.plots = plots(&["separation", "constraint drift", "energy change"]);
    show.scenery.camera = Camera { from: [1.3, -6.2, 0.6], to: [1.3, 0.0, -0.7], up: [0.0, 0.0, 1.0] };
    Ok(show)
}

pub const GOVERNOR: Exhibit = Exhibit {
    name: "governor",
    title: "A governor with stiff arms",
    physics: "Balls on a rotating shaft swing outward, and arms lift a block. The arms are springs of 800 \
              000 N/m with dampers: a benchmark for stiff machines.",
    try_this: "Lower the stiffness of both arms to 1000 N/m: they give, and their dampers absorb the \
               oscillation. Pull on a ball.",
    watch: "As the balls move out, the shaft slows down: nothing drives it, so its angular momentum is \
            constant.",
    thumbnail: 0.6,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("governor")?);
        let body = |name: &str| actor.model.body(name).unwrap_or(BodyId::WORLD);
        let (shaft, slider, balls) = (body("shaft"), body("slider"), [body("right"), body("left")]);
        shaped(&mut actor, shaft, Shape::Capsule { radius: 0.02, length: 1.0 }, V3::Z * 0.5);
        shaped(&mut actor, slider, Shape::Box { size: V3::new(0.1, 0.1, 0.1) }, V3::ZERO);
        for (ball, side) in balls.into_iter().zip([V3::X, -V3::X]) {
            shaped(&mut actor, ball, Shape::Sphere { radius: 0.1 }, side);
            rod(&mut actor, ball, [V3::ZERO, side], 0.015, COLOURS[5]);
        }
        let mut show = Show::of("governor", vec![actor]);
        show.scenery.plots = plots(&["joint slide", "velocity of shaft", "angular momentum"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.camera = Camera { from: [1.4, -3.0, 1.5], to: [0.0, 0.0, 0.55], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const ROLLING: Exhibit = Exhibit {
    name: "rolling",
    title: "A coin that rolls",
    physics: "The rim touches the floor and does not slip. This is a condition on velocities that no \
              condition on positions can express: the coin can return to its place with a different \
              orientation.",
    try_this: "Pull on the coin to change its course; step through one wave of its path.",
    watch: "The coin leans into its curve; the line marks where it has touched. Rolling costs no energy.",
    thumbnail: 2.5,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("rolling")?);
        // a spot on either side, to see it turn
        let (body, [r, g, b]) = (actor.last_body(), COLOURS[1]);
        let spot = Shape::Cylinder { radius: 0.035, length: 0.026 };
        let (pose, rgba) = (Pose::translation(V3::X * 0.13), [r, g, b, 1.0]);
        actor.look.parts.push(Part::seen(body, spot, pose, rgba));
        let mut show = Show::of("rolling", vec![actor]);
        show.scenery.plots = plots(&["energy change", "constraint forces", "constraint drift"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.floor = Some(0.0);
        show.scenery.camera = Camera { from: [0.6, -3.6, 2.6], to: [-0.95, 0.0, 0.0], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const HEAVY: Exhibit = Exhibit {
    name: "heavy-chain",
    title: "A hundred tonnes on a thread",
    physics: "Ten rods of 100 g carry a load a million times as heavy, and every joint bears all of it. Here \
              every rod is a free body, stepped by backward Euler at 1/60 s; in joint coordinates, midpoint \
              fails even at a millisecond.",
    try_this: "Switch the coordinates to reduced: the method soon finds no solution, and the track stops and \
               says so.",
    watch: "The chain stays straight and its joints stay closed to the last digits. Energy falls with each \
            swing, because backward Euler damps.",
    thumbnail: 1.2,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("heavy-chain:10")?);
        thicken(&mut actor.look, 0.06);
        (actor.formulation, actor.integrator, actor.dt) =
            (Formulation::Maximal, Method::Backward, 1.0 / 60.0);
        let load = Trail {
            body: actor.last_body(),
            point: V3::Z * -0.5,
            lasts: Some(5.0),
            colour: Some(COLOURS[3]),
        };
        let mut show = Show::of("heavy-chain", vec![actor.with(load)]);
        show.scenery.plots = plots(&["constraint drift", "energy", "reaction forces"]);
        show.scenery.camera = Camera { from: [0.0, -13.0, -1.0], to: [0.0, 0.0, -2.7], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const SOFT: Exhibit = Exhibit {
    name: "soft-joint",
    title: "From jelly to steel",
    physics: "Two cubes hang by their corners on springs of 10⁹ N/m. Such a spring would oscillate a hundred \
              times within one step of 1/60 s; a method that evaluates forces at the end of the step does not \
              mind.",
    try_this: "Lower a stiffness to 1000 N/m, then to 100, and watch the joint stretch; choose semi-implicit \
               at 10⁹ N/m.",
    watch: "backward is stable at any stiffness. It pays with energy: see the plot of its change.",
    thumbnail: 1.0,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("soft-joint")?);
        let bodies: Vec<BodyId> = actor.model.body_ids().skip(1).collect();
        for body in bodies {
            shaped(&mut actor, body, Shape::Box { size: V3::new(0.3, 0.3, 0.3) }, V3::ZERO);
        }
        let corner = V3::new(-0.15, -0.15, -0.15);
        let trail = Trail {
            body: actor.model.body("lower").unwrap_or(BodyId::WORLD),
            point: corner,
            lasts: Some(3.0),
            colour: Some(COLOURS[3]),
        };
        let mut show = Show::of("soft-joint", vec![actor.with(trail)]);
        show.scenery.plots = plots(&["constraint forces", "energy", "energy change"]);
        show.scenery.shown = plots(&["constraints"]);
        show.scenery.camera = Camera { from: [1.6, -2.0, 0.4], to: [0.0, 0.0, -0.42], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const BLOCKS: Exhibit = Exhibit {
    name: "two-blocks",
    title: "Two blocks on one point",
    physics: "Two free blocks, thrown; a constraint force F, equal and opposite on the two, keeps their corners together. Twelve accelerations \
              and three components of F are found at once, from fifteen linear equations.",
    try_this: "`poinsot eval two-blocks --compute kkt` prints those equations. Pull on one block: the other follows.",
    watch: "The arrow at the common corner is the constraint force on the first block. Their common centre of mass follows a parabola, because F cancels in \
            the sum.",
    thumbnail: 0.3,
    make: || {
        let mut actor = Actor::of_scene(scenes::by_name("two-blocks")?);
        actor.dt = 1e-3;
        let body = actor.model.body("block1").unwrap_or(BodyId::WORLD);
        let trail = Trail { body, point: V3::ZERO, lasts: Some(1.0), colour: Some(COLOURS[0]) };
        let force = ConstraintForce::new(0.02);
        let mut show = Show::of("two-blocks", vec![actor.with(trail).with(force)]);
        show.scenery.plots = plots(&["constraint forces", "constraint drift", "energy change"]);
        show.scenery.shown = plots(&["constraints"]);
        show.speed = 0.3;
        show.scenery.camera = Camera { from: [0.6, -3.6, 1.2], to: [0.4, 0.0, 0.6], up: [0.0, 0.0, 1.0] };
        Ok(show)
    },
};

pub const LIMIT: Exhibit = Exhibit {
    name: "soft-limit",
    title: "From springs to a joint",
    physics: "Four double pendulums of cubes whose corners are held by springs of 10², 10³ and 10⁵ N/m and by a rigid joint. As k grows the joint \
              stretches less and less, as 1/k, and the motion becomes that of the rigid joint.",
    try_this: "Change the stiffness of a spring while it runs; the rigid joint is the same code with 1/k = 0.",
    watch: "The plot of the constraint drift: how far each joint has opened. Energy falls a little in all four, because backward Euler damps.",
    thumbnail: 0.5,
    make: limit,
};

fn limit() -> Result<Show, SceneError> {
    let mut actors = Vec::new();
    let stiffnesses = [Some(1e2), Some(1e3), Some(1e5), None];
    for (k, stiffness) in stiffnesses.into_iter().enumerate() {
        let mut b = ModelBuilder::new("two cubes");
        let cube = Shape::Box { size: V3::new(0.3, 0.3, 0.3) };
        let corner = V3::new(0.15, 0.15, 0.15);
        let mut hook = Mount::new(BodyId::WORLD, V3::ZERO);
        for (n, name) in ["upper", "lower"].into_iter().enumerate() {
            let centre = corner * -(1.0 + 2.0 * n as f64);
            let body = b.body(BodyId::WORLD, BodySpec::new(name).at(centre).solid(&cube, 1.0)?);
            b.joint(body, Joint::free().named(name));
            let joint = Constraint::point(hook, Mount::new(body, corner)).named(format!("{name}_joint"));
            b.constraint(match stiffness {
                Some(k) => joint.soft(k, 0.0),
                None => joint,
            });
            hook = Mount::new(body, -corner);
        }
        let model = b.build()?;
        let (state, look) = (State::new(&model), Look::of_model(&model));
        let mut actor = Actor::new(model, look, state, Method::Backward, 2e-3).at(V3::X * (1.1 * k as f64));
        actor.label = stiffness.map_or("rigid".into(), |k| format!("{k:.0} N/m"));
        let bodies: Vec<BodyId> = actor.model.body_ids().skip(1).collect();
        for body in bodies {
            shaped(&mut actor, body, cube.clone(), V3::ZERO);
        }
        painted(&mut actor, COLOURS[k]);
        actors.push(actor);
    }
    let mut show = Show::of("soft-limit", actors);
    show.scenery.plots = plots(&["constraint drift", "constraint forces", "energy"]);
    show.scenery.logarithmic = plots(&["constraint drift"]);
    show.scenery.shown = plots(&["constraints"]);
    show.scenery.camera = Camera { from: [1.6, -5.2, 0.6], to: [1.5, 0.0, -0.5], up: [0.0, 0.0, 1.0] };
    Ok(show)
}
