//! The equation d/dt ∂K/∂Ω = 0 in body axes, which is wrong [Chern23]: it overlooks that Ω is not the derivative of coordinates.
//!
//! ```math
//! I Ω̇ = 0                      Ω stays as it was, R(t) = R₀ exp(t [Ω]×)                                         (1)
//! I Ω̇ = −Ω × I Ω               the right one: δΩ = η̇ + Ω × η                                                   (2)
//! ```
//! A body that obeys (1) turns forever about one fixed axis of its own, and its momentum R I Ω goes round with it, although no torque acts on
//! it.

use super::{Instrument, Moment, Place};
use crate::show::{ArrowInfo, ChannelInfo, Frame, On, Scenery, SolidInfo, TraceInfo};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, Model};
use poinsot::spatial::{Pose, Quat};

/// Draws a body that obeys the wrong equation next to one that obeys the right one, with both momenta.
pub struct NaiveEquation {
    body: BodyId,
    /// Its position relative to the simulated body.
    offset: V3,
    /// Half axes of the drawing.
    half: V3,
    /// Time, attitude and Ω at the beginning.
    first: Option<(f64, Quat, V3)>,
}

impl NaiveEquation {
    /// Next to `body`, drawn as an ellipsoid.
    pub fn new(body: BodyId, offset: V3, half: V3) -> NaiveEquation {
        NaiveEquation { body, offset, half, first: None }
    }
}

const WRONG: [f64; 3] = [0.835, 0.369, 0.0];
const RIGHT: [f64; 3] = [0.0, 0.447, 0.698];

impl Instrument for NaiveEquation {
    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        let [r, g, b] = WRONG;
        let (name, layer) = ("body obeying the wrong equation".to_string(), "wrong equation");
        scenery.solids.push(SolidInfo { name, form: "ellipsoid", rgba: [r, g, b, 0.8], layer });
        for (name, colour) in [("L of the wrong equation", WRONG), ("L of the right equation", RIGHT)] {
            scenery.arrows.push(ArrowInfo { name: name.into(), colour, layer });
        }
        let name = "tip of L".to_string();
        scenery.traces.push(TraceInfo { name, colour: WRONG, layer, on: On::World, lasts: Some(6.0) });
        for name in ["wrong equation", "right equation"] {
            let (name, group) = (name.to_string(), "angle between L and its initial direction".to_string());
            scenery.channels.push(ChannelInfo { name, unit: "rad", group, track: place.track });
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let (pose, omega) = (now.at.pose(self.body), now.at.velocity(self.body).ang);
        let here = (now.state.time, Quat::from_matrix(pose.rot), pose.rot.tr_mul(omega));
        let (begin, rot, spin) = *self.first.get_or_insert(here);
        let inertia = now.model.bodies()[self.body.index()].inertia.about_com();
        let wrong = (rot * Quat::exp(spin * (now.state.time - begin))).matrix(); // (1)
        let l_first = rot.matrix() * (inertia * spin);
        let l_wrong = wrong * (inertia * spin);
        let l_right = pose.rot * (inertia * pose.rot.tr_mul(omega));
        let (centre, right) = (now.offset + pose.pos + self.offset, now.offset + pose.pos);
        let length = 1.8 * self.half.x.max(self.half.y).max(self.half.z) / l_first.norm().max(1e-300);
        frame.solid(Pose { rot: wrong, pos: centre }, self.half);
        frame.arrow(centre, l_wrong * length);
        frame.arrow(right, l_right * length);
        frame.trace(centre + l_wrong * length);
        let angle = |l: V3| l.cross(l_first).norm().atan2(l.dot(l_first));
        frame.channels.extend([angle(l_wrong), angle(l_right)]);
    }

    fn reset(&mut self) {
        self.first = None;
    }
}
