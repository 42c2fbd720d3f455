//! Quantities at a state: poses, velocities, Jacobians, energies, momenta.

use super::outward::free_axes;
use super::sweep::*;
use super::{State, Workspace};
use crate::algebra::lanes::Portable;
use crate::algebra::{M3, Real, V3};
use crate::model::{BodyId, Kind, Model, Tree};
use crate::spatial::{Force, Motion, Pose};
use nalgebra::DMatrix;

type One = OneState<Portable>;

/// A model at a state; made by [`Workspace::at`]. Everything is in world axes.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub(crate) model: &'a Model,
    pub(crate) scratch: &'a Scratch<crate::algebra::Lanes<8>, f64>,
    pub(crate) state: &'a State,
}

impl At<'_> {
    fn rot(&self, link: usize) -> M3 {
        link_at::<One>(&self.scratch.moving, link).rot()
    }
    pub(crate) fn link_position(&self, link: usize) -> V3 {
        link_at::<One>(&self.scratch.moving, link).p()
    }
    fn link_velocity(&self, link: usize) -> Motion {
        let m = link_at::<One>(&self.scratch.moving, link);
        Motion { ang: m.w(), lin: m.u() }
    }
    fn link_pose(&self, link: usize) -> Pose {
        Pose { rot: self.rot(link), pos: self.link_position(link) }
    }

    /// The pose of a body in the world.
    pub fn pose(&self, body: BodyId) -> Pose {
        let b = &self.model.bodies()[body.index()];
        self.link_pose(b.link) * b.pose_in_link
    }

    /// The velocity of a body: angular, and linear at the origin of the body frame.
    pub fn velocity(&self, body: BodyId) -> Motion {
        self.velocity_at(body, self.pose(body).pos)
    }

    /// The velocity of a body, linear part at the world point `point`.
    pub fn velocity_at(&self, body: BodyId, point: V3) -> Motion {
        let link = self.model.bodies()[body.index()].link;
        self.link_velocity(link).at(point - self.link_position(link))
    }

    /// The acceleration of a body if the joints accelerate with `qacc`: angular, and of the origin of the body frame, without gravity. Not
    /// for inner loops: it computes two Jacobians.
    pub fn acceleration(&self, body: BodyId, qacc: &[f64]) -> Motion {
        let point = self.pose(body).pos;
        let (j, dj) = (self.jacobian_at(body, point), self.jacobian_derivative_at(body, point));
        let mut out = [0.0; 6];
        for (row, x) in out.iter_mut().enumerate() {
            for k in 0..qacc.len() {
                *x += j[(row, k)] * qacc[k] + dj[(row, k)] * self.state.v[k];
            }
        }
        Motion { ang: V3::new(out[0], out[1], out[2]), lin: V3::new(out[3], out[4], out[5]) }
    }

    /// The Jacobian of a body: rows angular, then linear at the origin of the body frame; columns as qvel.
    pub fn jacobian(&self, body: BodyId) -> DMatrix<f64> {
        self.jacobian_at(body, self.pose(body).pos)
    }

    /// The Jacobian of a body, linear rows at the world point `point` of the body.
    pub fn jacobian_at(&self, body: BodyId, point: V3) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(6, self.model.nv());
        self.along_path(body, |dof, _, axis, origin| {
            set_column(&mut out, dof, axis.at(point - origin.p));
        });
        out
    }

    /// The time derivative of [`At::jacobian`].
    pub fn jacobian_derivative(&self, body: BodyId) -> DMatrix<f64> {
        self.jacobian_derivative_at(body, self.pose(body).pos)
    }

    /// The time derivative of [`At::jacobian_at`], for a point that moves with the body.
    pub fn jacobian_derivative_at(&self, body: BodyId, point: V3) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(6, self.model.nv());
        let speed = self.velocity_at(body, point).lin;
        self.along_path(body, |dof, carrier, axis, origin| {
            // an axis is fixed in its carrier: its components rotate with it
            let turned = Motion { ang: carrier.cross(axis.ang), lin: carrier.cross(axis.lin) };
            let moved = turned.at(point - origin.p);
            let lin = axis.ang.cross_add(speed - origin.u, moved.lin);
            set_column(&mut out, dof, Motion { ang: moved.ang, lin });
        });
        out
    }

    /// Calls `visit(dof, angular velocity of the frame the axis is fixed in, axis, origin)` for every degree of
    /// freedom between the world and the body; the axis is the motion at unit rate, at the origin.
    fn along_path(&self, body: BodyId, mut visit: impl FnMut(usize, V3, Motion, Origin)) {
        let tree = &self.model.tree;
        let mut i = self.model.bodies()[body.index()].link;
        while i != 0 {
            let (p, k) = (tree.parent[i], tree.v[i]);
            let origin = Origin { p: self.link_position(i), u: self.link_velocity(i).lin };
            let (w, w_p) = (self.link_velocity(i).ang, self.link_velocity(p).ang);
            let turn = |axis: V3| Motion { ang: axis, lin: V3::ZERO };
            let slide = |axis: V3| Motion { ang: V3::ZERO, lin: axis };
            let rot = self.rot(i);
            let mut ball = |first: usize| {
                for (c, axis) in [rot.x, rot.y, rot.z].into_iter().enumerate() {
                    visit(first + c, w, turn(axis), origin);
                }
            };
            match tree.kind[i] {
                Kind::World => {}
                Kind::Hinge => visit(k, w, turn(rot.z), origin),
                Kind::Screw => {
                    let [a, b, _] = tree.screw_of(i);
                    visit(k, w, Motion { ang: rot.z * a, lin: rot.z * b }, origin);
                }
                Kind::Ball => ball(k),
                Kind::Free => {
                    ball(k + 3);
                    let axes = free_axes::<One>(tree, &self.scratch.moving, i);
                    for (c, axis) in [axes.x, axes.y, axes.z].into_iter().enumerate() {
                        visit(k + c, w_p, slide(axis), origin);
                    }
                }
            }
            i = p;
        }
    }

    /// The joints between the world and a link, from the world on, each with its degrees of freedom and their motions at unit rate at the
    /// world's origin. A free joint counts as a translation followed by a rotation.
    pub(super) fn joints_on_the_way(&self, link: usize) -> Vec<Vec<(usize, Motion)>> {
        let (tree, mut i, mut joints) = (&self.model.tree, link, Vec::new());
        while i != 0 {
            let (rot, p, k) = (self.rot(i), self.link_position(i), tree.v[i]);
            let ball = |first: usize| {
                let axes = [rot.x, rot.y, rot.z].into_iter().enumerate();
                axes.map(|(c, axis)| (first + c, turning(axis, p))).collect()
            };
            match tree.kind[i] {
                Kind::World => {}
                Kind::Hinge => joints.push(vec![(k, turning(rot.z, p))]),
                Kind::Screw => {
                    let [a, b, _] = tree.screw_of(i);
                    let axis = turning(rot.z * a, p);
                    joints.push(vec![(k, Motion { lin: axis.lin + rot.z * b, ..axis })]);
                }
                Kind::Ball => joints.push(ball(k)),
                Kind::Free => {
                    joints.push(ball(k + 3));
                    let axes = free_axes::<One>(tree, &self.scratch.moving, i);
                    let slide = |(c, lin): (usize, V3)| (k + c, Motion { ang: V3::ZERO, lin });
                    joints.push([axes.x, axes.y, axes.z].into_iter().enumerate().map(slide).collect());
                }
            }
            i = tree.parent[i];
        }
        joints.reverse();
        joints
    }

    /// The momentum of a link that moves with m, both at the world's origin.
    pub(super) fn link_inertia_times(&self, link: usize, m: Motion) -> Force {
        let (rot, p) = (self.rot(link), self.link_position(link));
        let at = m.at(p);
        let own = Motion { ang: rot.tr_mul(at.ang), lin: rot.tr_mul(at.lin) };
        let momentum = self.model.tree.inertia_of(link).momentum(own);
        Force { moment: rot * momentum.moment, force: rot * momentum.force }.about(-p)
    }

    /// The momentum of one link about its own origin.
    fn link_momentum(&self, link: usize) -> Force {
        let (rot, v) = (self.rot(link), self.link_velocity(link));
        let own = Motion { ang: rot.tr_mul(v.ang), lin: rot.tr_mul(v.lin) };
        let momentum = self.model.tree.inertia_of(link).momentum(own);
        Force { moment: rot * momentum.moment, force: rot * momentum.force }
    }

    /// The kinetic energy, including that of rotors (armature).
    pub fn kinetic_energy(&self) -> f64 {
        let tree = &self.model.tree;
        let links = (1..tree.links()).map(|i| self.link_velocity(i).power(self.link_momentum(i)));
        let rotors = tree.armature.iter().zip(&self.state.v).map(|(a, v)| a * v * v);
        0.5 * (links.sum::<f64>() + rotors.sum::<f64>())
    }

    /// The potential energy of gravity, 0 if all mass is at the world's origin.
    pub fn gravity_energy(&self) -> f64 {
        -self.model.gravity().dot(self.first_moment())
    }

    /// The potential energy: gravity and gravity compensation, the springs of joints and of tendons.
    pub fn potential_energy(&self) -> f64 {
        let q = &self.state.q;
        let springs = self.model.spring_energy(q) + self.model.tendon_energy(q);
        self.gravity_energy() + self.compensation_energy() + springs
    }

    /// The potential energy of gravity compensation: it cancels the gravitational energy of the compensated weights.
    pub fn compensation_energy(&self) -> f64 {
        let carried = self.model.carried.as_deref();
        carried.map_or(0.0, |tree| self.model.gravity().dot(self.first_moment_of(tree)))
    }

    /// Kinetic plus potential energy.
    pub fn energy(&self) -> f64 {
        self.kinetic_energy() + self.potential_energy()
    }

    fn first_moment(&self) -> V3 {
        self.first_moment_of(&self.model.tree)
    }

    /// Σ m c of all links, with the masses of `tree`.
    fn first_moment_of(&self, tree: &Tree) -> V3 {
        (1..tree.links()).fold(V3::ZERO, |sum, i| {
            let inertia = tree.inertia_of(i);
            sum + self.rot(i) * inertia.first_moment + self.link_position(i) * inertia.mass
        })
    }

    /// The centre of mass of everything that can move; the origin if nothing can.
    pub fn com(&self) -> V3 {
        let mass = self.model.mass();
        if mass == 0.0 { V3::ZERO } else { self.first_moment() * (1.0 / mass) }
    }

    /// The momentum of the whole model, angular part about the world's origin.
    pub fn momentum(&self) -> Force {
        (1..self.model.tree.links()).fold(Force::default(), |sum, i| {
            let own = self.link_momentum(i);
            sum + own.about(-self.link_position(i))
        })
    }

    /// The momentum of the whole model, angular part about its centre of mass.
    pub fn centroidal_momentum(&self) -> Force {
        self.momentum().about(self.com())
    }

    /// The momentum of one body alone, in its own axes about the origin of its frame.
    pub fn body_momentum(&self, body: BodyId) -> Force {
        let (x, v) = (self.pose(body), self.velocity(body));
        let own = Motion { ang: x.rot.tr_mul(v.ang), lin: x.rot.tr_mul(v.lin) };
        self.model.bodies()[body.index()].inertia.momentum(own)
    }
}

/// The position of a joint and the velocity of its origin.
#[derive(Clone, Copy)]
struct Origin {
    p: V3,
    u: V3,
}

fn set_column(m: &mut DMatrix<f64>, column: usize, x: Motion) {
    let entries = [x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z];
    for (row, e) in entries.into_iter().enumerate() {
        m[(row, column)] = e;
    }
}

/// Computes the motion of each degree of freedom at unit rate, at the world's origin.
#[inline(always)]
pub(crate) fn fill_jacobians<A: Arithmetic>(
    tree: &Tree,
    s: &Scratch<A::Cell, A::In>,
    out: &mut [Motion<A::R>],
) {
    for i in 1..tree.links() {
        let (m, k) = (link_at::<A>(&s.moving, i), tree.v[i]);
        let p = m.p();
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge => out[k] = turning(m.z(), p),
            Kind::Screw => {
                let (z, [a, b, _]) = (m.z(), tree.screw_of(i).map(A::R::from_f64));
                out[k] = Motion { ang: z * a, lin: p.cross_add(z * a, z * b) };
            }
            Kind::Ball | Kind::Free => {
                let mut first = k;
                if tree.kind[i] == Kind::Free {
                    let axes = free_axes::<A>(tree, &s.moving, i);
                    for (c, axis) in [axes.x, axes.y, axes.z].into_iter().enumerate() {
                        out[k + c] = Motion { ang: V3::zero(), lin: axis };
                    }
                    first += 3;
                }
                let rot = m.rot();
                for (c, axis) in [rot.x, rot.y, rot.z].into_iter().enumerate() {
                    out[first + c] = turning(axis, p);
                }
            }
        }
    }
}

#[inline(always)]
fn turning<T: Real>(axis: V3<T>, p: V3<T>) -> Motion<T> {
    Motion { ang: axis, lin: p.cross(axis) }
}

impl Workspace {
    /// The pose of a body after [`Workspace::poses`] or [`Workspace::jacobians`].
    #[inline(always)]
    pub(crate) fn body_pose(&self, model: &Model, body: BodyId) -> Pose {
        let b = &model.bodies()[body.index()];
        let m = link_at::<One>(&self.scratch.moving, b.link);
        let link = Pose { rot: m.rot(), pos: m.p() };
        link * b.pose_in_link
    }
}
