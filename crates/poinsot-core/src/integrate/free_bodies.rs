//! The methods of [`crate::free`] for models whose bodies are all free, or turn about a fixed point.
//!
//! A free body is followed by its centre of mass, one on a ball joint by its pivot. Between steps the momenta are
//! kept, and used again as long as nobody else has changed the state: so a method that keeps L keeps it to the last
//! bit, although the state of a tree holds velocities.

use super::{Integrator, IntegratorError, Recall, StepError, System, accept};
use crate::algebra::V3;
use crate::dynamics::State;
use crate::free::{FreeBody, FreeIntegrator, Kinematics, MomentumState, VelocityState};
use crate::model::{Kind, Model};
use crate::spatial::{Force, Pose, Quat};

/// A method for free bodies, stepping each body of a model.
pub struct FreeBodies {
    method: &'static dyn FreeIntegrator,
    parts: Vec<Part>,
    next: State,
}

/// One body: its place in the state and how it hangs on the world.
struct Part {
    body: FreeBody,
    /// Free in space; otherwise held at the origin of its link.
    free: bool,
    /// The centre of mass, in link axes, from the origin of the link.
    com: V3,
    /// m g.
    weight: V3,
    /// The joint frame in the world.
    frame: Pose,
    frame_rot: Quat,
    stiffness: f64,
    /// Where the spring is at rest: in the joint frame.
    rest: V3,
    rest_rot: Quat,
    damping: f64,
    q: usize,
    v: usize,
    /// The momenta after the last step, and the coordinates and velocities they were written as.
    memory: Option<(MomentumState, [f64; 7], [f64; 6])>,
}

impl FreeBodies {
    /// Scratch for `model`, or why the method does not fit it.
    pub fn new(method: &'static dyn FreeIntegrator, model: &Model) -> Result<Self, IntegratorError> {
        let tree = &model.tree;
        let mut parts = Vec::with_capacity(tree.links());
        for link in 1..tree.links() {
            let part = Part::new(model, link).map_err(|why| {
                let body = model.bodies().iter().find(|b| b.link == link);
                let body = body.map_or_else(|| format!("link {link}"), |b| b.name.clone());
                IntegratorError::NotFree { name: method.name(), body, why }
            })?;
            parts.push(part);
        }
        Ok(FreeBodies { method, parts, next: State::new(model) })
    }
}

impl Part {
    fn new(model: &Model, link: usize) -> Result<Part, String> {
        let tree = &model.tree;
        let free = match tree.kind[link] {
            _ if tree.parent[link] != 0 => return Err("hangs on another body".into()),
            Kind::Free => true,
            Kind::Ball => false,
            Kind::World | Kind::Hinge | Kind::Screw => return Err("is on a joint with an axis".into()),
        };
        // joints are in the order of their degrees of freedom
        let number = model.joints().partition_point(|j| j.dofs().end <= tree.v[link]);
        let joint = model.joints().get(number).ok_or("has no joint")?;
        if joint.armature > 0.0 {
            return Err("has a rotor inertia (armature) on its joint".into());
        }
        let rest = joint.spring_reference;
        let inertia = tree.inertia_of(link);
        let body = if free { FreeBody::new(&inertia) } else { FreeBody::about_pivot(&inertia) };
        let frame = tree.frame_of(link);
        Ok(Part {
            body: body.map_err(|e| e.to_string())?,
            free,
            com: inertia.com(),
            weight: model.gravity() * inertia.mass,
            frame,
            frame_rot: Quat::from_matrix(frame.rot),
            stiffness: joint.stiffness,
            rest: joint.spring_pose.map_or(V3::new(rest, rest, rest), |pose| pose.pos),
            rest_rot: joint.spring_pose.map_or(Quat::IDENTITY, |pose| Quat::from_matrix(pose.rot)),
            damping: joint.damping,
            q: tree.q[link],
            v: tree.v[link],
            memory: None,
        })
    }

    /// This body's coordinates and velocities; a ball joint fills the angular places.
    fn read(&self, state: &State) -> ([f64; 7], [f64; 6]) {
        let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
        let (nq, nv) = if self.free { (7, 6) } else { (4, 3) };
        q[7 - nq..].copy_from_slice(&state.q[self.q..self.q + nq]);
        v[6 - nv..].copy_from_slice(&state.v[self.v..self.v + nv]);
        (q, v)
    }

    fn momenta(&self, q: &[f64; 7], v: &[f64; 6]) -> MomentumState {
        let rot = (self.frame_rot * Quat { w: q[3], x: q[4], y: q[5], z: q[6] }).normalized();
        let r = rot.matrix();
        let omega = r * V3::new(v[3], v[4], v[5]);
        let origin = self.frame.point(V3::new(q[0], q[1], q[2]));
        let (pos, vel) = if self.free {
            let arm = r * self.com;
            (origin + arm, omega.cross_add(arm, self.frame.rot * V3::new(v[0], v[1], v[2])))
        } else {
            (origin, V3::ZERO)
        };
        self.body.to_momentum(&VelocityState { pos, rot, vel, omega })
    }

    /// The inverse of [`Part::momenta`].
    fn coordinates(&self, s: &MomentumState) -> ([f64; 7], [f64; 6]) {
        let VelocityState { pos, rot, vel, omega } = self.body.to_velocity(s);
        let r = rot.matrix();
        let spin = r.tr_mul(omega);
        let q = (self.frame_rot.conjugate() * rot).normalized();
        let (x, u) = if self.free {
            let arm = r * self.com;
            (self.frame.inverse().point(pos - arm), self.frame.rot.tr_mul(vel - omega.cross(arm)))
        } else {
            (V3::ZERO, V3::ZERO)
        };
        ([x.x, x.y, x.z, q.w, q.x, q.y, q.z], [u.x, u.y, u.z, spin.x, spin.y, spin.z])
    }

    /// Gravity, and the spring and damper of the joint, about the point the body is followed by.
    fn load(&self, at: &Kinematics) -> Force {
        let arm = at.rot * self.com;
        let weight = if self.free {
            Force { moment: V3::ZERO, force: self.weight }
        } else {
            Force { moment: arm.cross(self.weight), force: V3::ZERO }
        };
        if self.stiffness == 0.0 && self.damping == 0.0 {
            return weight;
        }
        let turned = ((self.frame_rot * self.rest_rot).conjugate() * Quat::from_matrix(at.rot)).log();
        let spin = at.rot.tr_mul(at.omega);
        let moment = at.rot * (turned * -self.stiffness - spin * self.damping);
        if !self.free {
            return weight + Force { moment, force: V3::ZERO };
        }
        let moved = self.frame.inverse().point(at.pos - arm) - self.rest;
        let rate = at.vel - at.omega.cross(arm);
        let force = self.frame.rot * (moved * -self.stiffness) - rate * self.damping;
        // the joint acts at the origin of the link, arm away from the centre of mass
        weight + Force { moment: moment - arm.cross(force), force }
    }
}

impl Integrator for FreeBodies {
    fn name(&self) -> &'static str {
        self.method.name()
    }
    fn order(&self) -> u32 {
        self.method.order()
    }
    fn memory(&self, out: &mut Vec<f64>) {
        for part in &self.parts {
            let (momenta, q, v) =
                part.memory.map_or(([0.0; MomentumState::NUMBERS], [0.0; 7], [0.0; 6]), |(s, q, v)| {
                    (s.numbers(&part.body), q, v)
                });
            out.push(f64::from(part.memory.is_some()));
            out.extend(momenta.iter().chain(&q).chain(&v));
        }
    }
    fn recall(&mut self, from: &mut Recall<'_>) {
        for part in &mut self.parts {
            let (some, mut momenta) = (from.flag(), [0.0; MomentumState::NUMBERS]);
            let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
            [&mut momenta[..], &mut q, &mut v].into_iter().for_each(|to| from.fill(to));
            part.memory = some.then(|| (MomentumState::of_numbers(&part.body, &momenta), q, v));
        }
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = &*system.model();
        for (there, what) in [
            (system.has_elements(), "force elements"),
            (!model.actuators().is_empty(), "actuators"),
            (model.carried.is_some(), "gravity compensation"),
            (model.medium.is_some(), "the medium"),
            (!model.constraints().is_empty(), "constraints"),
            (!model.bounds().is_empty(), "limits or dry friction"),
        ] {
            if there {
                return Err(StepError::Elements { method: self.method.name(), what });
            }
        }
        system.begin_step();
        self.next.time = state.time + dt;
        for part in &mut self.parts {
            let (q, v) = part.read(state);
            let mut momenta = match part.memory {
                Some((momenta, q0, v0)) if (q0, v0) == (q, v) => momenta,
                _ => part.momenta(&q, &v),
            };
            let this = &*part;
            let loads = |_: &FreeBody, at: &Kinematics| this.load(at);
            self.method.step(&part.body, &loads, state.time, dt, &mut momenta).map_err(|source| {
                let joint = model.joints().iter().find(|j| j.dofs().contains(&part.v));
                StepError::Free { joint: joint.map(|j| j.name.clone()).unwrap_or_default(), source }
            })?;
            let (q, v) = part.coordinates(&momenta);
            part.memory = Some((momenta, q, v));
            let (nq, nv) = if part.free { (7, 6) } else { (4, 3) };
            self.next.q[part.q..part.q + nq].copy_from_slice(&q[7 - nq..]);
            self.next.v[part.v..part.v + nv].copy_from_slice(&v[6 - nv..]);
        }
        accept(system, state, &mut self.next, dt)
    }
}
