//! The exact path of a particle with drag, next to the simulated one.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, On, Scenery, SolidInfo, TraceInfo};
use poinsot::algebra::V3;
use poinsot::free::{DragParticle, Particle};
use poinsot::model::Model;
use poinsot::spatial::Pose;

/// Draws the exact position of the particle, and plots the distance of the simulated one from it. For a body on three slides along x, y, z,
/// all with the same damping.
pub struct ExactPath {
    /// The radius of the ball that is drawn.
    radius: f64,
    first: Option<(f64, Particle)>,
}

impl ExactPath {
    /// Drawn as a ball of this radius.
    pub fn new(radius: f64) -> ExactPath {
        ExactPath { radius, first: None }
    }
}

const COLOUR: [f64; 3] = [0.902, 0.624, 0.0];

impl Instrument for ExactPath {
    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        let name = || "exact".to_string();
        let [r, g, b] = COLOUR;
        let rgba = [r, g, b, 0.5];
        scenery.solids.push(SolidInfo { name: name(), form: "ellipsoid", rgba, layer: "exact" });
        scenery.traces.push(TraceInfo {
            name: name(),
            colour: COLOUR,
            layer: "exact",
            on: On::World,
            lasts: None,
        });
        let (name, group) = ("distance from exact".to_string(), "error".to_string());
        scenery.channels.push(ChannelInfo { name, unit: "m", group, track: place.track });
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let vector = |x: &[f64]| V3::new(x[0], x[1], x[2]);
        let here = Particle { pos: vector(&now.state.q), vel: vector(&now.state.v) };
        let (begin, first) = *self.first.get_or_insert((now.state.time, here));
        let drag = now.model.joints()[0].damping;
        let fall = DragParticle { mass: now.model.mass(), drag, gravity: now.model.gravity() };
        let exact = fall.exact(now.state.time - begin, first).pos;
        let r = self.radius;
        frame.solid(Pose::translation(now.offset + exact), V3::new(r, r, r));
        frame.trace(now.offset + exact);
        frame.channels.push((here.pos - exact).norm());
    }

    fn reset(&mut self) {
        self.first = None;
    }
}
