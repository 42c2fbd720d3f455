//! The force of a point constraint, as an arrow at its point of action.

use super::{Instrument, Moment, Place};
use crate::show::{ArrowInfo, Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::constraint::Kkt;
use poinsot::model::{ConstraintKind, Model};

/// Draws the force of the only constraint of a model, on its first body: λ of the equations of all free bodies, solved as one matrix.
/// Bodies pulled by hand are not included.
pub struct ConstraintForce {
    /// Metres per newton.
    scale: f64,
}

impl ConstraintForce {
    /// Drawn with this many metres per newton.
    pub fn new(scale: f64) -> ConstraintForce {
        ConstraintForce { scale }
    }
}

impl Instrument for ConstraintForce {
    fn declare(&mut self, _: &Model, _: Place, scenery: &mut Scenery) {
        let name = "constraint force on the first body".to_string();
        scenery.arrows.push(ArrowInfo { name, colour: [0.835, 0.369, 0.0], layer: "constraint force" });
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let first = now.model.constraints().first().map(|c| &c.kind);
        let Some(ConstraintKind::Point { a, .. }) = first else {
            return frame.arrow(now.offset, V3::ZERO);
        };
        let at = now.offset + now.at.pose(a.body).point(a.pose.pos);
        let zero = vec![0.0; now.model.nv()];
        let force = Kkt::of(now.model, now.state, &zero).map_or(V3::ZERO, |kkt| {
            let lambda = &kkt.solution.as_slice()[kkt.accelerations..];
            V3::new(lambda[0], lambda[1], lambda[2])
        });
        frame.arrow(at, force * self.scale);
    }
}
