//! The distance between two bodies, on a logarithmic scale.

use super::{Instrument, Moment, Place};
use crate::show::{ChannelInfo, Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, Model};

/// log₁₀ of the distance between two points of two bodies, minus the distance of the worlds they are drawn in.
pub struct Separation {
    /// The bodies.
    pub bodies: [BodyId; 2],
    /// The point, in the frame of either.
    pub point: V3,
    /// The offset between the places where the two are drawn.
    pub between: V3,
}

impl Instrument for Separation {
    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        let (name, group) = ("log₁₀ of distance in m".to_string(), "separation".to_string());
        scenery.channels.push(ChannelInfo { name, unit: "", group, track: place.track });
    }
    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let [a, b] = self.bodies.map(|body| now.at.pose(body).point(self.point));
        frame.channels.push((b - a - self.between).norm().max(1e-16).log10());
    }
}
