//! Accelerations of all links, for given accelerations of the joints.
//!
//! For a link i on its parent p, with r between their origins and joint rates s:
//!
//! ```math
//! α = α_p + ω_p × (ω − ω_p) + Σ axis ṡ             a = a_p + α_p × r + ω_p × (ω_p × r) + 2 ω_p × u_s + Σ slide ṡ
//! ```
//! u_s is the velocity of the origin as seen from the parent. These are classical accelerations of the link's own origin, without gravity.

use super::Workspace;
use super::actuation::wrench_moments;
use super::outward::free_axes;
use super::sweep::*;
use super::workspace::Velocities;
use crate::algebra::V3;
use crate::algebra::lanes::{Isa, Kernel, Portable, dispatch};
use crate::model::{BodyId, Kind, Model};
use crate::spatial::{Force, Motion, Pose};

type One = OneState<Portable>;

/// The motion of a point at r from an axis, at unit rate of turning.
#[inline(always)]
fn turn(axis: V3, r: V3) -> Motion {
    Motion { ang: axis, lin: axis.cross(r) }
}

/// The motion at unit rate of sliding.
#[inline(always)]
fn slide(axis: V3) -> Motion {
    Motion { ang: V3::ZERO, lin: axis }
}

struct BodyPoses<'a> {
    ws: &'a Workspace,
    model: &'a Model,
    out: &'a mut Vec<Pose>,
}

impl Kernel for BodyPoses<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for body in self.model.body_ids() {
            self.out.push(self.ws.body_pose(self.model, body));
        }
    }
}

struct BodyMotions<'a> {
    ws: &'a Workspace,
    model: &'a Model,
    out: &'a mut Vec<Motion>,
}

impl Kernel for BodyMotions<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for body in self.model.body_ids() {
            self.out.push(self.ws.body_velocity(self.model, body));
        }
    }
}

impl Workspace {
    /// Computes the poses and velocities of all links at (q, v), stored in the workspace.
    pub(crate) fn move_to(&mut self, model: &Model, q: &[f64], v: &[f64]) {
        dispatch(Velocities { m: model, s: &mut self.scratch, q, v });
    }

    #[inline(always)]
    pub(crate) fn link_pose(&self, link: usize) -> Pose {
        let m = link_at::<One>(&self.scratch.moving, link);
        Pose { rot: m.rot(), pos: m.p() }
    }

    #[inline(always)]
    pub(crate) fn link_velocity(&self, link: usize) -> Motion {
        let m = link_at::<One>(&self.scratch.moving, link);
        Motion { ang: m.w(), lin: m.u() }
    }

    /// The velocity of a body, linear part at the origin of its frame; after [`Workspace::move_to`].
    #[inline(always)]
    pub(crate) fn body_velocity(&self, model: &Model, body: BodyId) -> Motion {
        let b = &model.bodies[body.index()];
        self.link_velocity(b.link).at(self.link_pose(b.link).rot * b.pose_in_link.pos)
    }

    /// The poses of all bodies; after [`Workspace::poses`] or [`Workspace::move_to`].
    pub(crate) fn body_poses(&self, model: &Model, out: &mut Vec<Pose>) {
        out.clear();
        dispatch(BodyPoses { ws: self, model, out });
    }

    /// The poses and velocities of all bodies; after [`Workspace::move_to`].
    pub(crate) fn body_motions(&self, model: &Model, poses: &mut Vec<Pose>, motions: &mut Vec<Motion>) {
        self.body_poses(model, poses);
        motions.clear();
        dispatch(BodyMotions { ws: self, model, out: motions });
    }

    /// The accelerations of all links if the joints accelerate with `a`, or with zero; after [`Workspace::move_to`] for the same v.
    pub(crate) fn link_accelerations(&self, model: &Model, v: &[f64], a: Option<&[f64]>, out: &mut [Motion]) {
        let tree = &model.tree;
        out[0] = Motion::default();
        for i in 1..tree.links() {
            let (p, k) = (tree.parent[i], tree.v[i]);
            let (x, w_p, above) = (self.link_pose(i), self.link_velocity(p).ang, out[p]);
            let r = x.pos - self.link_pose(p).pos;
            let of = |s: &[f64], k: usize| V3::new(s[k], s[k + 1], s[k + 2]);
            let (mut turning, mut sliding) = (V3::ZERO, V3::ZERO);
            let (mut turned, mut slid) = (V3::ZERO, V3::ZERO);
            match tree.kind[i] {
                Kind::World => {}
                Kind::Hinge => {
                    turning = x.rot.z * v[k];
                    turned = a.map_or(V3::ZERO, |a| x.rot.z * a[k]);
                }
                Kind::Screw => {
                    let [turn, advance, _] = tree.screw_of(i);
                    (turning, sliding) = (x.rot.z * (turn * v[k]), x.rot.z * (advance * v[k]));
                    if let Some(a) = a {
                        (turned, slid) = (x.rot.z * (turn * a[k]), x.rot.z * (advance * a[k]));
                    }
                }
                Kind::Ball => {
                    turning = x.rot * of(v, k);
                    turned = a.map_or(V3::ZERO, |a| x.rot * of(a, k));
                }
                Kind::Free => {
                    let axes = free_axes::<One>(tree, &self.scratch.moving, i);
                    (turning, sliding) = (x.rot * of(v, k + 3), axes * of(v, k));
                    if let Some(a) = a {
                        (turned, slid) = (x.rot * of(a, k + 3), axes * of(a, k));
                    }
                }
            }
            let carried = above.at(r).lin + w_p.cross(w_p.cross(r));
            out[i] = Motion {
                ang: above.ang + w_p.cross(turning) + turned,
                lin: carried + w_p.cross(sliding) * 2.0 + slid,
            };
        }
    }

    /// The acceleration of the origin of a body's frame, from those of the links.
    #[inline(always)]
    pub(crate) fn body_acceleration(&self, model: &Model, body: BodyId, links: &[Motion]) -> Motion {
        let b = &model.bodies[body.index()];
        let (r, w) = (self.link_pose(b.link).rot * b.pose_in_link.pos, self.link_velocity(b.link).ang);
        let moved = links[b.link].at(r);
        Motion { ang: moved.ang, lin: moved.lin + w.cross(w.cross(r)) }
    }

    /// The motions of the point `at` at unit rate of each degree of freedom of a link's joint, as many as it has; after
    /// [`Workspace::poses`]. Plain values, since a closure that is not inlined is compiled for the baseline.
    #[inline(always)]
    pub(crate) fn axes(&self, model: &Model, link: usize, at: V3) -> ([Motion; 6], usize) {
        let (tree, Pose { rot, pos }) = (&model.tree, self.link_pose(link));
        let r = at - pos;
        let mut axes = [Motion::default(); 6];
        match tree.kind[link] {
            Kind::World => {}
            Kind::Hinge => axes[0] = turn(rot.z, r),
            Kind::Screw => {
                let [a, b, _] = tree.screw_of(link);
                axes[0] = turn(rot.z, r) * a + slide(rot.z) * b;
            }
            Kind::Ball => (axes[0], axes[1], axes[2]) = (turn(rot.x, r), turn(rot.y, r), turn(rot.z, r)),
            Kind::Free => {
                let along = free_axes::<One>(tree, &self.scratch.moving, link);
                (axes[0], axes[1], axes[2]) = (slide(along.x), slide(along.y), slide(along.z));
                (axes[3], axes[4], axes[5]) = (turn(rot.x, r), turn(rot.y, r), turn(rot.z, r));
            }
        }
        (axes, tree.kind[link].nv())
    }

    /// Calls `visit(degree of freedom, moment)` with the generalised forces of a wrench on a link, in world axes about the world's origin;
    /// after [`Workspace::poses`].
    #[inline(always)]
    pub(crate) fn wrench_moments(
        &self,
        model: &Model,
        link: usize,
        wrench: Force,
        visit: impl FnMut(usize, f64),
    ) {
        wrench_moments(model, &self.scratch, link, wrench, visit);
    }
}
