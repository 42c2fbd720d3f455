//! Forces of the medium on the equivalent boxes of the bodies, as in MuJoCo's inertia-based fluid model.
//!
//! In the frame of a box with edges b, moving with (ω, v) relative to the medium of density ρ and viscosity β, and with
//! `d = (b_x + b_y + b_z)/3`:
//!
//! ```math
//! f_x = −3π d β v_x − ½ ρ b_y b_z |v_x| v_x         n_x = −π d³ β ω_x − ρ/64 b_x (b_y⁴ + b_z⁴) |ω_x| ω_x
//! ```
//! and likewise for y and z: the drag of a sphere in a viscous medium [Stokes51], and the momentum of the medium that meets the faces.
//!
//! With its coefficients at these speeds the drag is linear, −B (ω, v) with a diagonal B, and the generalised force of all boxes is −C v,
//!
//! ```math
//! (1)  C = Σ Jᵀ B J
//! ```
//! C has the sparsity of M, since J of a box has a column for each degree of freedom on its path to the root only.

use super::sweep::*;
use super::workspace::Velocities;
use super::{MassMatrix, Workspace};
use crate::algebra::lanes::{Isa, Kernel, Portable, dispatch};
use crate::algebra::{Lanes, M3, V3};
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
        let moving = HullMotion::of(&self.scratch, hull, medium);
        let (own, axes) = (drag(hull.edges, moving.own, medium), moving.axes);
        (moving.rot, Force { moment: axes * own.moment, force: axes * own.force })
    }

    /// Adds h C, equation (1) with the coefficients at (q, v), to a matrix with the sparsity of M.
    pub(crate) fn add_drag(&mut self, model: &Model, q: &[f64], v: &[f64], h: f64, to: &mut DragMatrix) {
        let Some(medium) = model.medium else { return };
        self.jacobians(model, q, &mut to.axes);
        dispatch(Velocities { m: model, s: &mut self.scratch, q, v });
        dispatch(AddDrag { scratch: &self.scratch, hulls: &model.hulls, medium, h, to });
    }
}

/// M with terms of the medium, and scratch for them.
#[derive(Clone, Debug)]
pub(crate) struct DragMatrix {
    pub matrix: MassMatrix,
    /// The motion at unit rate of each degree of freedom, at the world's origin.
    axes: Vec<Motion>,
    /// For each box, the last degree of freedom on its path, as a place in the matrix.
    ends: Vec<usize>,
    /// Columns of `(h B)^½ J` of a box, by place.
    columns: Vec<[f64; 6]>,
}

impl DragMatrix {
    pub fn new(model: &Model) -> DragMatrix {
        let (matrix, tree) = (MassMatrix::new(model), &model.tree);
        let last = |hull: &Hull| tree.v[hull.link] + tree.kind[hull.link].nv() - 1;
        let ends = model.hulls.iter().map(|hull| matrix.place_of(last(hull))).collect();
        let rest = Motion { ang: V3::ZERO, lin: V3::ZERO };
        DragMatrix { matrix, axes: vec![rest; model.nv()], ends, columns: vec![[0.0; 6]; model.nv()] }
    }
}

/// A box that moves: the rotation of its link, its axes and its centre in the world, its velocity relative to the medium in its own axes.
struct HullMotion {
    rot: M3,
    axes: M3,
    centre: V3,
    own: Motion,
}

impl HullMotion {
    #[inline(always)]
    fn of(scratch: &Scratch<Lanes<8>, f64>, hull: &Hull, medium: Medium) -> HullMotion {
        let m = link_at::<One>(&scratch.moving, hull.link);
        let rot = m.rot();
        let moving = Motion { ang: m.w(), lin: m.u() };
        let lever = rot * hull.frame.pos;
        let at = moving.at(lever);
        let axes = rot * hull.frame.rot;
        let own = Motion { ang: axes.tr_mul(at.ang), lin: axes.tr_mul(at.lin - medium.wind) };
        HullMotion { rot, axes, centre: m.p() + lever, own }
    }
}

/// [`Workspace::add_drag`], from Jacobians and velocities.
struct AddDrag<'a> {
    scratch: &'a Scratch<Lanes<8>, f64>,
    hulls: &'a [Hull],
    medium: Medium,
    h: f64,
    to: &'a mut DragMatrix,
}

impl Kernel for AddDrag<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let AddDrag { scratch, hulls, medium, h, to: DragMatrix { matrix, axes, ends, columns } } = self;
        for (hull, end) in hulls.iter().zip(ends) {
            let HullMotion { axes: box_axes, centre, own, .. } = HullMotion::of(scratch, hull, medium);
            let [about, along] =
                resistance(hull.edges, own, medium).map(|b| b.array().map(|b| (h * b).sqrt()));
            let column = |dof: usize| {
                let unit = axes[dof].at(centre);
                let (ang, lin) = (box_axes.tr_mul(unit.ang).array(), box_axes.tr_mul(unit.lin).array());
                [0, 1, 2, 3, 4, 5].map(|k| if k < 3 { about[k] * ang[k] } else { along[k - 3] * lin[k - 3] })
            };
            matrix.add_gram(*end, column, columns);
        }
    }
}

fn about_link(hull: &Hull, rot: M3, force: Force) -> Force {
    let lever = rot * hull.frame.pos;
    Force { moment: lever.cross_add(force.force, force.moment), force: force.force }
}

/// The force on a box in its own axes.
fn drag(edges: V3, own: Motion, medium: Medium) -> Force {
    let [about, along] = resistance(edges, own, medium);
    let against = |b: V3, x: V3| V3::new(-x.x * b.x, -x.y * b.y, -x.z * b.z);
    Force { moment: against(about, own.ang), force: against(along, own.lin) }
}

/// B: the force per speed, about and along the axes of a box.
#[inline(always)]
fn resistance(b: V3, Motion { ang: w, lin: v }: Motion, medium: Medium) -> [V3; 2] {
    let Medium { density: rho, viscosity: beta, .. } = medium;
    let d = (b.x + b.y + b.z) / 3.0;
    let (thin, thick) = (3.0 * PI * d * beta, PI * d * d * d * beta);
    let fourth = |x: f64| x * x * x * x;
    let along = |across: f64, speed: f64| thin + 0.5 * rho * across * speed.abs();
    let about =
        |own: f64, y: f64, z: f64, rate: f64| thick + rho / 64.0 * own * (fourth(y) + fourth(z)) * rate.abs();
    [
        V3::new(about(b.x, b.y, b.z, w.x), about(b.y, b.z, b.x, w.y), about(b.z, b.x, b.y, w.z)),
        V3::new(along(b.y * b.z, v.x), along(b.z * b.x, v.y), along(b.x * b.y, v.z)),
    ]
}
