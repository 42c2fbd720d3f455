//! Forces of the medium on the equivalent boxes of the bodies, as in MuJoCo's inertia-based fluid model.
//!
//! In the frame of a box with edges b, moving with (ω, v) relative to the medium of density ρ and viscosity β, and with
//! `d = (b_x + b_y + b_z)/3`:
//!
//! ```math
//! f_x = −3π d β v_x − ½ ρ b_y b_z |v_x| v_x         n_x = −π d³ β ω_x − ρ/64 b_x (b_y⁴ + b_z⁴) |ω_x| ω_x
//! ```
//! and likewise for y and z: the drag of a sphere in a viscous medium [Stokes51], and the momentum of the medium that meets the faces.

use super::Workspace;
use super::sweep::*;
use super::workspace::Velocities;
use crate::algebra::lanes::{Portable, dispatch};
use crate::algebra::{M3, V3};
use crate::model::{Hull, Medium, Model};
use crate::spatial::{Force, Motion};
use std::f64::consts::PI;

type One = OneState<Portable>;

impl Workspace {
    /// Adds the forces of the model's [medium](crate::model::Medium) at (q, v) to τ.
    pub fn add_medium_forces(&mut self, model: &Model, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let (Some(medium), Some(mut forces)) = (model.medium, self.medium.take()) else { return };
        dispatch(Velocities { m: model, s: &mut self.scratch, q, v });
        forces.clear();
        for hull in &model.hulls {
            let (rot, force) = self.on_hull(hull, medium);
            forces.push_on_link(hull.link, about_link(hull, rot, force));
        }
        self.add_external(model, q, &forces, 1.0, tau);
        self.medium = Some(forces);
    }

    /// The rotation of the link, and the force on the box, about its centre, in world axes.
    fn on_hull(&self, hull: &Hull, medium: Medium) -> (M3, Force) {
        let m = link_at::<One>(&self.scratch.moving, hull.link);
        let rot = m.rot();
        let moving = Motion { ang: m.w(), lin: m.u() };
        let at = moving.at(rot * hull.frame.pos);
        let axes = rot * hull.frame.rot;
        let own = drag(hull.edges, axes.tr_mul(at.ang), axes.tr_mul(at.lin - medium.wind), medium);
        (rot, Force { moment: axes * own.moment, force: axes * own.force })
    }
}

fn about_link(hull: &Hull, rot: M3, force: Force) -> Force {
    let lever = rot * hull.frame.pos;
    Force { moment: lever.cross_add(force.force, force.moment), force: force.force }
}

/// The force on a box in its own axes.
fn drag(b: V3, w: V3, v: V3, medium: Medium) -> Force {
    let Medium { density: rho, viscosity: beta, .. } = medium;
    let d = (b.x + b.y + b.z) / 3.0;
    let (thin, thick) = (3.0 * PI * d * beta, PI * d * d * d * beta);
    let fourth = |x: f64| x * x * x * x;
    let along = |across: f64, speed: f64| -speed * (thin + 0.5 * rho * across * speed.abs());
    let about = |own: f64, y: f64, z: f64, rate: f64| {
        -rate * (thick + rho / 64.0 * own * (fourth(y) + fourth(z)) * rate.abs())
    };
    Force {
        force: V3::new(along(b.y * b.z, v.x), along(b.z * b.x, v.y), along(b.x * b.y, v.z)),
        moment: V3::new(about(b.x, b.y, b.z, w.x), about(b.y, b.z, b.x, w.y), about(b.z, b.x, b.y, w.z)),
    }
}
