//! Poinsot's picture of a body without torque [LandauLifshitz76, section 37]: in the space of angular velocities ω the ellipsoid
//! of constant energy is fixed to the body and rolls, without slipping, on a plane that never moves.
//!
//! ```math
//! energy      ωᵀ I ω = 2E                half axes √(2E/I_k)                                                   (1)
//! momentum    |I ω| = |L|                half axes |L|/I_k                                                     (2)
//! plane       ω · L = 2E                 normal to L, at the distance 2E/|L| from the centre                   (3)
//! ```
//! The tip of ω is where (1) touches (3). On the ellipsoid it draws the polhode, which is where (1) and (2) meet; on the
//! plane it draws the herpolhode.

use super::{Instrument, Moment, Place};
use crate::look::z_to;
use crate::show::{ArrowInfo, ChannelInfo, Frame, On, Scenery, SolidInfo, TraceInfo};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, Model};
use poinsot::spatial::Pose;

/// Draws both ellipsoids, the plane, polhode and herpolhode, ω and L of one body.
pub struct PoinsotMotion {
    /// The body.
    pub body: BodyId,
    /// The centre of the picture from the body's centre of mass.
    pub beside: V3,
    /// The largest half axis of the energy ellipsoid, m.
    pub radius: f64,
    /// Metres for rad/s, found in the first frame.
    scale: Option<f64>,
}

impl PoinsotMotion {
    /// The picture of `body`, drawn `beside` it and as large as `radius`.
    pub fn new(body: BodyId, beside: V3, radius: f64) -> PoinsotMotion {
        PoinsotMotion { body, beside, radius, scale: None }
    }
}

const ENERGY: [f64; 4] = [0.0, 0.447, 0.698, 0.55];
const MOMENTUM: [f64; 4] = [0.8, 0.475, 0.655, 0.25];
const PLANE: [f64; 4] = [0.6, 0.6, 0.6, 0.35];
const POLHODE: [f64; 3] = [0.902, 0.624, 0.0];
const HERPOLHODE: [f64; 3] = [0.835, 0.369, 0.0];

impl Instrument for PoinsotMotion {
    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        let energy = scenery.solids.len();
        for (name, form, rgba, layer) in [
            ("energy ellipsoid", "ellipsoid", ENERGY, "Poinsot"),
            ("momentum ellipsoid", "ellipsoid", MOMENTUM, "momentum ellipsoid"),
            ("invariable plane", "disc", PLANE, "Poinsot"),
        ] {
            scenery.solids.push(SolidInfo { name: name.into(), form, rgba, layer });
        }
        for (name, colour, on) in
            [("polhode", POLHODE, On::Solid(energy)), ("herpolhode", HERPOLHODE, On::World)]
        {
            scenery.traces.push(TraceInfo { name: name.into(), colour, layer: "Poinsot", on, lasts: None });
        }
        for (name, colour) in [("angular velocity ω", POLHODE), ("angular momentum L", [0.8, 0.475, 0.655])]
        {
            scenery.arrows.push(ArrowInfo { name: name.into(), colour, layer: "Poinsot" });
        }
        for axis in ["x", "y", "z"] {
            let (name, group) = (format!("ω {axis}"), "angular velocity in the body".to_string());
            scenery.channels.push(ChannelInfo { name, unit: "rad/s", group, track: place.track });
        }
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let inertia = &now.model.bodies()[self.body.index()].inertia;
        let (pose, omega) = (now.at.pose(self.body), now.at.velocity(self.body).ang);
        let ([a, b, c], axes) = inertia.principal_axes();
        let axes = pose.rot * axes;
        let own = axes.tr_mul(omega);
        let l = axes * V3::new(a * own.x, b * own.y, c * own.z);
        let (twice, size) = (omega.dot(l), l.norm());
        let energy = V3::new((twice / a).sqrt(), (twice / b).sqrt(), (twice / c).sqrt());
        let momentum = V3::new(size / a, size / b, size / c);
        let s = *self.scale.get_or_insert(self.radius / energy.x.max(1e-300));
        let centre = now.offset + pose.point(inertia.com()) + self.beside;
        let frame_of = Pose { rot: axes, pos: centre };
        let up = l.unit().unwrap_or(V3::Z);
        frame.solid(frame_of, energy * s);
        frame.solid(frame_of, momentum * s);
        let (plane, wide) = (centre + up * (s * twice / size), 1.3 * self.radius);
        frame.solid(Pose { rot: z_to(up), pos: plane }, V3::new(wide, wide, 0.0));
        frame.trace(own * s);
        frame.trace(centre + omega * s);
        frame.arrow(centre, omega * s);
        frame.arrow(centre, up * (1.2 * self.radius));
        frame.channels.extend(pose.rot.tr_mul(omega).array());
    }

    fn reset(&mut self) {
        self.scale = None;
    }
}
