//! Poinsot's picture of a body without torque [LandauLifshitz76, section 37]: in the space of angular velocities ω the ellipsoid
//! of constant energy is fixed to the body and rolls, without slipping, on a plane that never moves.
//!
//! ```math
//! energy      ωᵀ I ω = 2E                half axes √(2E/I_k)                                                   (1)
//! momentum    |I ω| = |L|                half axes |L|/I_k                                                     (2)
//! plane       ω · L = 2E                 normal to L, at the distance 2E/|L| from the centre                   (3)
//! ```
//! In the space of momenta L, in body axes, the same two constants are an ellipsoid and a sphere:
//! ```math
//! energy      Lᵀ I⁻¹ L = 2E              half axes √(2E I_k)                                                   (4)
//! momentum    |L| = constant             a sphere                                                              (5)
//! ```
//! The tip of L in the body runs along the curve in which (4) and (5) meet.
//!
//! The tip of ω is where (1) touches (3). On the ellipsoid it draws the polhode, which is where (1) and (2) meet; on the
//! plane it draws the herpolhode.

use super::{Instrument, Moment, Place};
use crate::look::z_to;
use crate::show::{ArrowInfo, ChannelInfo, Frame, On, Scenery, SolidInfo, TraceInfo};
use poinsot::algebra::V3;
use poinsot::model::{BodyId, Model};
use poinsot::spatial::Pose;

/// Draws both ellipsoids, the plane, polhode and herpolhode, ω and L of one body; and, in momentum space, ellipsoid and sphere.
pub struct PoinsotMotion {
    /// The body.
    pub body: BodyId,
    /// The centre of the picture of angular velocities from the body's centre of mass.
    pub offset: V3,
    /// The largest half axis of the energy ellipsoid, m.
    pub radius: f64,
    /// The centre of the picture in momentum space from the body's centre of mass.
    pub momentum_space: V3,
    /// Metres for rad/s and for N m s, found in the first frame.
    scales: Option<[f64; 2]>,
}

impl PoinsotMotion {
    /// The picture of `body`, as large as `radius`: that of angular velocities at `offset` from it, that of momenta at twice the offset.
    pub fn new(body: BodyId, offset: V3, radius: f64) -> PoinsotMotion {
        PoinsotMotion { body, offset, radius, momentum_space: offset * 2.0, scales: None }
    }
}

const ENERGY: [f64; 4] = [0.0, 0.447, 0.698, 0.55];
const MOMENTUM: [f64; 4] = [0.8, 0.475, 0.655, 0.25];
const SPHERE: [f64; 4] = [0.8, 0.475, 0.655, 0.4];
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
            ("energy ellipsoid of L", "ellipsoid", ENERGY, "momentum space"),
            ("momentum sphere of L", "ellipsoid", SPHERE, "momentum space"),
        ] {
            scenery.solids.push(SolidInfo { name: name.into(), form, rgba, layer });
        }
        for (name, colour, on) in
            [("polhode", POLHODE, On::Solid(energy)), ("herpolhode", HERPOLHODE, On::World)]
        {
            scenery.traces.push(TraceInfo { name: name.into(), colour, layer: "Poinsot", on, lasts: None });
        }
        let (name, on) = ("L in the body".to_string(), On::Solid(energy + 3));
        scenery.traces.push(TraceInfo { name, colour: POLHODE, layer: "momentum space", on, lasts: None });
        for (name, colour) in [("angular velocity ω", POLHODE), ("angular momentum L", [0.8, 0.475, 0.655])]
        {
            scenery.arrows.push(ArrowInfo { name: name.into(), colour, layer: "Poinsot" });
        }
        let (name, colour) = ("L on its sphere".to_string(), [0.8, 0.475, 0.655]);
        scenery.arrows.push(ArrowInfo { name, colour, layer: "momentum space" });
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
        let energy_of_l = V3::new((twice * a).sqrt(), (twice * b).sqrt(), (twice * c).sqrt()); // (4)
        let [s, s_l] = *self
            .scales
            .get_or_insert([self.radius / energy.x.max(1e-300), self.radius / energy_of_l.z.max(1e-300)]);
        let centre = now.offset + pose.point(inertia.com()) + self.offset;
        let frame_of = Pose { rot: axes, pos: centre };
        let up = l.unit().unwrap_or(V3::Z);
        frame.solid(frame_of, energy * s);
        frame.solid(frame_of, momentum * s);
        let (plane, wide) = (centre + up * (s * twice / size), 1.3 * self.radius);
        frame.solid(Pose { rot: z_to(up), pos: plane }, V3::new(wide, wide, 0.0));
        let at_l = now.offset + pose.point(inertia.com()) + self.momentum_space;
        let ball = size * s_l; // (5)
        frame.solid(Pose { rot: axes, pos: at_l }, energy_of_l * s_l);
        frame.solid(Pose { rot: axes, pos: at_l }, V3::new(ball, ball, ball));
        frame.trace(own * s);
        frame.trace(centre + omega * s);
        frame.trace(axes.tr_mul(l) * s_l);
        frame.arrow(centre, omega * s);
        frame.arrow(centre, up * (1.2 * self.radius));
        frame.arrow(at_l, l * s_l);
        frame.channels.extend(pose.rot.tr_mul(omega).array());
    }

    fn reset(&mut self) {
        self.scales = None;
    }
}
