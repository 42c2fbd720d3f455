//! Tops.

use super::{Exhibit, plots};
use crate::cast::{Actor, Show};
use crate::instrument::Trail;
use crate::look::{COLOURS, Look};
use poinsot::algebra::V3;
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::model::{BodyId, BodySpec, Geom, Joint, ModelBuilder, Shape};
use poinsot::scenes::SceneError;
use poinsot::spatial::Quat;

pub const TOP: Exhibit = Exhibit {
    name: "top",
    title: "A heavy top nods",
    physics: "A fast top released at a slant does not fall: it precesses and nods, and its axis draws cusps.",
    try_this: "Push the disc with the mouse to see loops instead of cusps; turn gravity off.",
    watch: "The path of the tip, and the angular momentum along the vertical, which gravity cannot change.",
    thumbnail: 3.0,
    make: top,
};

/// A disc on a rod that stands on its tip, let go at a slant with no motion but its spin.
fn top() -> Result<Show, SceneError> {
    let (disc, high) = (Shape::Cylinder { radius: 0.5, length: 0.08 }, 0.8);
    let mut b = ModelBuilder::new("top");
    let ([r, g, blue], spot) = (COLOURS[0], COLOURS[1]);
    let disc = Geom::new(disc).at(V3::Z * high).rgba([r, g, blue, 1.0]);
    let rod = Geom::new(Shape::Capsule { radius: 0.025, length: 1.2 }).at(V3::Z * 0.6).visual();
    let mark = Geom::new(Shape::Sphere { radius: 0.07 }).at(V3::new(0.4, 0.0, high + 0.04)).visual();
    let spec = BodySpec::new("top").solid_geom(disc, 1.0)?.geom(rod.rgba([0.3, 0.3, 0.3, 1.0]));
    let body = b.body(BodyId::WORLD, spec.geom(mark.rgba([spot[0], spot[1], spot[2], 1.0])));
    b.joint(body, Joint::spherical().named("tip"));
    let model = b.build()?;
    let mut state = State::new(&model);
    state.q.copy_from_slice(&Quat::exp(V3::Y * 0.7).array());
    state.v.copy_from_slice(&[0.0, 0.0, 45.0]);
    let look = Look::of_model(&model);
    let trail = Trail { body, point: V3::Z * 1.2, lasts: None, colour: Some(COLOURS[3]) };
    let mut show = Show::of("top", vec![Actor::new(model, look, state, Method::Exact, 1e-3).with(trail)]);
    show.scenery.plots = plots(&["angular momentum", "energy change"]);
    show.scenery.floor = Some(0.0);
    show.scenery.camera.from = [1.9, -2.4, 1.9];
    show.scenery.camera.to = [0.0, 0.0, 0.6];
    Ok(show)
}
