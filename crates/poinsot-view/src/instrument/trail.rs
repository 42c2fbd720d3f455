//! The path of a point of a body.

use super::{Instrument, Moment, Place};
use crate::show::{Frame, On, Scenery, TraceInfo};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, Model};

/// Draws the path of a point of a body.
pub struct Trail {
    /// The body.
    pub body: BodyId,
    /// The point, in its frame.
    pub point: V3,
    /// How long the path stays, s; `None`: forever.
    pub lasts: Option<f64>,
    /// Its colour; `None`: the track's.
    pub colour: Option<[f64; 3]>,
}

impl Instrument for Trail {
    fn declare(&mut self, model: &Model, place: Place, scenery: &mut Scenery) {
        scenery.traces.push(TraceInfo {
            name: format!("path of {}", model.bodies()[self.body.index()].name),
            colour: self.colour.unwrap_or(place.colour),
            layer: "trails",
            on: On::World,
            lasts: self.lasts,
        });
    }
    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        frame.trace(now.offset + now.at.pose(self.body).point(self.point));
    }
}
