//! Forces on the model: external forces on bodies, and the springs and dampers of joints.

use super::At;
use crate::algebra::{Lanes, V3};
use crate::model::{BodyId, Joint, JointKind, Model};
use crate::spatial::{Force, Quat};

/// External forces, collected for one configuration.
///
/// ```
/// # use poinsot_core::{algebra::V3, dynamics::*, model::*};
/// # let mut b = ModelBuilder::new("ball");
/// # let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 1.0 }, 2.0)?);
/// # b.joint(ball, Joint::free());
/// # let model = b.build()?;
/// let (mut workspace, state) = (Workspace::new(&model), State::new(&model));
/// let mut forces = ExternalForces::new(&model);
/// forces.push_at(&workspace.at(&model, &state), ball, V3::new(0.0, 0.0, 2.0 * 9.81), V3::ZERO);
/// let mut a = [1.0; 6];
/// workspace.forward_dynamics_with(&model, &state.q, &state.v, &[0.0; 6], None, Some(&forces), &mut a);
/// assert!(a.iter().all(|x| x.abs() < 1e-14));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExternalForces {
    /// For each link: moment about its own origin, and force, in world axes. Blocks of eight links.
    cells: Vec<[Lanes<8>; 6]>,
}

impl ExternalForces {
    /// No forces.
    pub fn new(model: &Model) -> ExternalForces {
        ExternalForces { cells: vec![[Lanes([0.0; 8]); 6]; model.tree.links().div_ceil(8)] }
    }
    pub(crate) fn cells(&self) -> &[[Lanes<8>; 6]] {
        &self.cells
    }
    /// Removes all forces.
    pub fn clear(&mut self) {
        self.cells.fill([Lanes([0.0; 8]); 6]);
    }
    /// Adds the force `f` on `body` at the world point `point`.
    pub fn push_at(&mut self, at: &At, body: BodyId, f: V3, point: V3) {
        self.push(at, body, Force::at_point(f, point));
    }
    /// Adds a force and moment on `body`, in world axes about the world's origin.
    pub fn push(&mut self, at: &At, body: BodyId, force: Force) {
        let link = at.model.bodies()[body.index()].link;
        self.push_on_link(link, force.about(at.link_position(link)));
    }
    /// The force on a link, in world axes about its own origin.
    pub(crate) fn on_link(&self, link: usize) -> Force {
        let [a, b, c, d, e, f] = self.cells[link / 8].map(|cell| cell.0[link % 8]);
        Force { moment: V3::new(a, b, c), force: V3::new(d, e, f) }
    }
    /// Adds a force and moment on a link, in world axes about its own origin.
    pub(crate) fn push_on_link(&mut self, link: usize, own: Force) {
        let (n, f) = (own.moment, own.force);
        for (cell, x) in self.cells[link / 8].iter_mut().zip([n.x, n.y, n.z, f.x, f.y, f.z]) {
            cell.0[link % 8] += x;
        }
    }
}

impl Model {
    /// Adds the forces of the joints' springs, −k (q − reference), to τ. The spring of a ball joint pulls the attitude to the identity,
    /// along the rotation vector between them. A joint with a `spring_pose` is pulled to that instead.
    pub fn add_spring_forces(&self, q: &[f64], tau: &mut [f64]) {
        for joint in self.layout.springs.iter().map(|k| &self.joints[*k]) {
            let (at, k) = (joint.first_q, joint.first_v);
            match joint.kind {
                JointKind::Spherical => {
                    add_attitude_spring(joint.stiffness, turn(joint, &q[at..]), &mut tau[k..k + 3])
                }
                JointKind::Free => {
                    for c in 0..3 {
                        tau[k + c] -= joint.stiffness * (q[at + c] - rest_position(joint)[c]);
                    }
                    let turned = turn(joint, &q[at + 3..]);
                    add_attitude_spring(joint.stiffness, turned, &mut tau[k + 3..k + 6]);
                }
                _ => {
                    for c in 0..joint.kind.nv() {
                        tau[k + c] -= joint.stiffness * (q[at + c] - joint.spring_reference);
                    }
                }
            }
        }
    }

    /// Adds the forces of the joints' dampers, −d v, to τ.
    pub fn add_damping_forces(&self, v: &[f64], tau: &mut [f64]) {
        for joint in self.layout.dampers.iter().map(|k| &self.joints[*k]) {
            for k in joint.dofs() {
                tau[k] = (-joint.damping).mul_add(v[k], tau[k]);
            }
        }
    }

    /// The energy in the springs of joints.
    pub fn spring_energy(&self, q: &[f64]) -> f64 {
        let mut energy = 0.0;
        for joint in self.layout.springs.iter().map(|k| &self.joints[*k]) {
            let at = joint.first_q;
            let line = |c: usize| (q[at + c] - joint.spring_reference).powi(2);
            let place = |c: usize| (q[at + c] - rest_position(joint)[c]).powi(2);
            let attitude = |c: usize| {
                let turn = turn(joint, &q[at + c..]);
                turn.dot(turn)
            };
            let squared: f64 = match joint.kind {
                JointKind::Spherical => attitude(0),
                JointKind::Free => (0..3).map(place).sum::<f64>() + attitude(3),
                _ => (0..joint.kind.nv()).map(line).sum(),
            };
            energy += 0.5 * joint.stiffness * squared;
        }
        energy
    }
}

/// The rest position of the spring of a free joint.
fn rest_position(joint: &Joint) -> [f64; 3] {
    joint.spring_pose.map_or([joint.spring_reference; 3], |rest| rest.pos.array())
}

/// The rotation vector, in body axes, from the rest attitude of the spring to the attitude at the start of q.
fn turn(joint: &Joint, q: &[f64]) -> V3 {
    let attitude = Quat { w: q[0], x: q[1], y: q[2], z: q[3] };
    match joint.spring_pose {
        None => attitude.log(),
        Some(rest) => (Quat::from_matrix(rest.rot).conjugate() * attitude).log(),
    }
}

/// E = ½ k |φ|², φ = log q: its gradient along a body rotation is k φ, since φ is an axis of q itself.
fn add_attitude_spring(k: f64, turn: V3, tau: &mut [f64]) {
    for (t, x) in tau.iter_mut().zip(turn.array()) {
        *t -= k * x;
    }
}
