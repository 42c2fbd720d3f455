//! The entries of R or q under a method that lets them leave the set of rotations.
//!
//! A ball multiplied by R stays a ball as long as R is a rotation. The image of the unit ball under any R is the ellipsoid whose half axes
//! are the singular values of R, along the eigenvectors of R Rᵀ.

use super::{Instrument, Moment, Place};
use crate::show::{ArrowInfo, ChannelInfo, Frame, Scenery, SolidInfo};
use poinsot::algebra::{M3, V3};
use poinsot::free::{FreeBody, FreeIntegrator, MomentumState, NoLoad, VelocityState};
use poinsot::model::{BodyId, Model};
use poinsot::nalgebra::Matrix3;
use poinsot::spatial::{Pose, Quat};

/// Steps a free body without loads by its own method from the beginning of the track, and draws the image of a ball under its R, the
/// columns of R, and the deviation of R from a rotation.
pub struct RawAttitude {
    body: BodyId,
    method: &'static dyn FreeIntegrator,
    dt: f64,
    radius: f64,
    /// The body, and its state after this many steps from this time.
    run: Option<(FreeBody, MomentumState, f64, u32)>,
    colour: [f64; 3],
}

impl RawAttitude {
    /// For `body`, drawn as large as `radius`.
    pub fn new(body: BodyId, method: &'static dyn FreeIntegrator, dt: f64, radius: f64) -> RawAttitude {
        RawAttitude { body, method, dt, radius, run: None, colour: [0.5; 3] }
    }

    /// R at this moment; none if the body cannot be stepped.
    fn attitude(&mut self, now: &Moment) -> Option<M3> {
        if self.run.is_none() {
            let inertia = &now.model.bodies()[self.body.index()].inertia;
            let (pose, omega) = (now.at.pose(self.body), now.at.velocity(self.body).ang);
            let start = VelocityState { rot: Quat::from_matrix(pose.rot), omega, ..VelocityState::AT_REST };
            let body = FreeBody::new(inertia).ok()?;
            self.run = Some((body, body.to_momentum(&start), now.state.time, 0));
        }
        let (body, state, begin, steps) = self.run.as_mut()?;
        let wanted = ((now.state.time - *begin) / self.dt).round().max(0.0) as u32;
        while *steps < wanted {
            // a step that fails leaves the state as it was
            self.method.step(body, &NoLoad, 0.0, self.dt, state).ok()?;
            *steps += 1;
        }
        Some(state.attitude())
    }
}

/// Half axes and attitude of the image of the unit ball.
fn image_of_ball(r: M3) -> (V3, M3) {
    let rrt = r * r.transpose();
    let columns = [rrt.x, rrt.y, rrt.z].map(V3::array);
    let eigen = Matrix3::from_fn(|i, j| columns[j][i]).symmetric_eigen();
    let axis = |k: usize| {
        V3::new(eigen.eigenvectors[(0, k)], eigen.eigenvectors[(1, k)], eigen.eigenvectors[(2, k)])
    };
    let half = |k: usize| eigen.eigenvalues[k].max(0.0).sqrt();
    (V3::new(half(0), half(1), half(2)), M3::columns(axis(0), axis(1), axis(0).cross(axis(1))))
}

impl Instrument for RawAttitude {
    fn declare(&mut self, _: &Model, place: Place, scenery: &mut Scenery) {
        self.colour = place.colour;
        let name = |what: &str| format!("{what} under {}", self.method.name());
        let [r, g, b] = self.colour;
        let rgba = [r, g, b, 0.35];
        scenery.solids.push(SolidInfo { name: name("a ball"), form: "ellipsoid", rgba, layer: "R" });
        for axis in ["x", "y", "z"] {
            let name = name(&format!("{axis} axis"));
            scenery.arrows.push(ArrowInfo { name, colour: self.colour, layer: "R" });
        }
        let (name, group) = (name("largest entry of RᵀR − 1"), "orthogonality".to_string());
        scenery.channels.push(ChannelInfo { name, unit: "", group, track: place.track });
    }

    fn read(&mut self, now: &Moment, frame: &mut Frame) {
        let centre = now.offset + now.at.pose(self.body).pos;
        let r = self.attitude(now).unwrap_or(M3::IDENTITY);
        let (half, rot) = image_of_ball(r);
        frame.solid(Pose { rot, pos: centre }, half * self.radius);
        for column in [r.x, r.y, r.z] {
            frame.arrow(centre, column * (1.6 * self.radius));
        }
        frame.channels.push((r.transpose() * r - M3::IDENTITY).max_abs());
    }

    fn reset(&mut self) {
        self.run = None;
    }
}
