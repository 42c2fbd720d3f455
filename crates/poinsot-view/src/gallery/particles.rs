//! Particles.

use super::{Exhibit, plots};
use crate::cast::{Actor, Show};
use crate::instrument::{ExactPath, Trail};
use crate::show::Camera;
use poinsot::algebra::V3;
use poinsot::integrate::Method;
use poinsot::model::Shape;
use poinsot::scenes::{self, SceneError};

pub const DRAG: Exhibit = Exhibit {
    name: "particle-drag",
    title: "A throw through air",
    physics: "A ball thrown up through air with drag proportional to its speed. Its motion is known exactly \
              and is drawn next to the simulated one.",
    try_this: "Halve the step: the error of semi-implicit halves. Then switch to rkmk4.",
    watch: "The distance between the two balls, plotted as the error.",
    thumbnail: 2.4,
    make: drag,
};

fn drag() -> Result<Show, SceneError> {
    let mut actor = Actor::of_scene(scenes::by_name("particle-drag")?);
    (actor.integrator, actor.dt) = (Method::SemiImplicit, 0.05);
    for part in &mut actor.look.parts {
        part.shape = Shape::Sphere { radius: 0.8 };
    }
    let body = actor.last_body();
    let path = Trail { body, point: V3::ZERO, lasts: None, colour: None };
    let mut show = Show::of("particle-drag", vec![actor.with(path).with(ExactPath::new(0.8))]);
    show.scenery.plots = plots(&["error", "energy"]);
    show.scenery.camera = Camera { from: [14.0, 13.0, 62.0], to: [15.0, 8.0, 14.0], up: [0.0, 1.0, 0.0] };
    Ok(show)
}
