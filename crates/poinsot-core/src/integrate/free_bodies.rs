//! The methods of [`crate::free`] for models whose bodies are all free, rotate about a fixed point, or are particles on three slides.
//!
//! A free body and a particle are represented by their centre of mass, a body on a ball joint by its pivot. Momenta are stored between
//! steps, and reused as long as nothing else has changed the state: so a method that conserves L conserves it to the last bit, although the
//! state of a tree contains velocities.
//!
//! All forces that are functions of time and of the state of one body are included: gravity, springs and dampers of joints, actuators on
//! joints and sites, gravity compensation, a medium; for a model with one body also force elements, tendons and soft constraints, which may
//! couple bodies. Each body is stepped by itself, so the others are not at their true positions while a stage is evaluated.

use super::{Integrator, IntegratorError, MemoryReader, StepError, System, accept};
use crate::algebra::{M3, Sym3, V3};
use crate::dynamics::State;
use crate::free::{FreeBody, FreeIntegrator, Kinematics, MomentumState, VelocityState};
use crate::model::{Kind, Model, Transmission};
use crate::spatial::{Force, Inertia, Pose, Quat};
use std::cell::RefCell;
use std::ops::Range;

/// A method for free bodies, stepping each body of a model.
pub struct FreeBodies {
    method: &'static dyn FreeIntegrator,
    parts: Vec<Part>,
    next: State,
    /// A stage of a step: the state of one body, with the others as they were.
    stage: State,
    tau: Vec<f64>,
}

/// How a body is connected to the world.
#[derive(Clone, Copy, PartialEq)]
enum Attachment {
    Free,
    /// Fixed at the origin of its link.
    Ball,
    /// On three slides at right angles, without rotation.
    Slides,
}

/// One body: its indices in the state and its connection to the world.
struct Part {
    body: FreeBody,
    attachment: Attachment,
    /// The centre of mass, in link axes, from the origin of the link; 0 for a particle.
    com: V3,
    /// m g.
    weight: V3,
    /// The joint frame in the world; the axes of slides.
    frame: Pose,
    frame_rot: Quat,
    stiffness: f64,
    /// The rest pose of the spring, in the joint frame.
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
        let mut link = 1;
        while link < tree.links() {
            // a particle is three links: one for each slide
            let slides = is_slide(model, link);
            let last = if slides { link + 2 } else { link };
            let part = if slides { Part::particle(model, link) } else { Part::new(model, link) };
            parts.push(part.map_err(|why| {
                let body = model.bodies().iter().find(|b| b.link == last || b.link == link);
                let body = body.map_or_else(|| format!("link {link}"), |b| b.name.clone());
                IntegratorError::NotFree { name: method.name(), body, why }
            })?);
            link = last + 1;
        }
        Ok(FreeBodies {
            method,
            parts,
            next: State::new(model),
            stage: State::new(model),
            tau: vec![0.0; model.nv()],
        })
    }

    /// The forces on the model that these methods do not support.
    fn unknown(&self, system: &System) -> Option<&'static str> {
        let model = &*system.model();
        let on_tendon = |a: &crate::model::Actuator| matches!(a.transmission, Transmission::Tendon(_));
        let several = self.parts.len() > 1;
        let soft = model.constraints().iter().all(|c| c.softness.is_some());
        [
            (!soft, "rigid constraints"),
            (!model.bounds().is_empty(), "limits or dry friction"),
            (several && system.has_elements(), "force elements on several bodies"),
            (several && !model.constraints().is_empty(), "soft constraints of several bodies"),
            (several && !model.tendons().is_empty(), "tendons of several bodies"),
            (several && model.actuators().iter().any(on_tendon), "actuators on tendons of several bodies"),
        ]
        .into_iter()
        .find_map(|(there, what)| there.then_some(what))
    }
}

/// True for a prismatic joint on the world.
fn is_slide(model: &Model, link: usize) -> bool {
    let tree = &model.tree;
    tree.parent[link] == 0 && tree.kind[link] == Kind::Screw && screw(model, link)[..2] == [0.0, 1.0]
}

/// Rotation and translation per unit of q, and the reference coordinate.
fn screw(model: &Model, link: usize) -> [f64; 3] {
    model.tree.screw[link / 8].map(|field| field.0[link % 8])
}

impl Part {
    fn new(model: &Model, link: usize) -> Result<Part, String> {
        let tree = &model.tree;
        let attachment = match tree.kind[link] {
            _ if tree.parent[link] != 0 => return Err("is attached to another body".into()),
            Kind::Free => Attachment::Free,
            Kind::Ball => Attachment::Ball,
            Kind::World | Kind::Hinge | Kind::Screw => return Err("is on a joint with an axis".into()),
        };
        // joints are in the order of their degrees of freedom
        let number = model.joints().partition_point(|j| j.dofs().end <= tree.v[link]);
        let joint = model.joints().get(number).ok_or("has no joint")?;
        if joint.armature > 0.0 {
            return Err(ROTOR.into());
        }
        let rest = joint.spring_reference;
        let inertia = tree.inertia_of(link);
        let body = if attachment == Attachment::Free {
            FreeBody::new(&inertia)
        } else {
            FreeBody::about_pivot(&inertia)
        };
        let frame = tree.frame_of(link);
        Ok(Part {
            body: body.map_err(|e| e.to_string())?,
            attachment,
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

    /// The body on the three slides that start with this link.
    fn particle(model: &Model, first: usize) -> Result<Part, String> {
        let tree = &model.tree;
        let links = [first, first + 1, first + 2];
        let on_slides = links[2] < tree.links()
            && links[1..].iter().all(|&l| {
                tree.parent[l] == l - 1 && tree.kind[l] == Kind::Screw && screw(model, l)[..2] == [0.0, 1.0]
            });
        if !on_slides {
            return Err("is on a joint with an axis".into());
        }
        if links[..2].iter().any(|&l| tree.inertia_of(l).mass > 0.0) {
            return Err("is attached to another body".into());
        }
        let v = tree.v[first];
        if tree.armature[v..v + 3].iter().any(|a| *a > 0.0) {
            return Err(ROTOR.into());
        }
        let inertia = tree.inertia_of(links[2]);
        if inertia.mass == 0.0 {
            return Err("has no mass".into());
        }
        let (mut pose, mut axes, mut reference) = (Pose::default(), [V3::ZERO; 3], [0.0; 3]);
        for (k, link) in links.into_iter().enumerate() {
            pose = pose * tree.frame_of(link);
            (axes[k], reference[k]) = (pose.rot * V3::Z, screw(model, link)[2]);
        }
        let axes = M3::columns(axes[0], axes[1], axes[2]);
        if (axes.transpose() * axes - M3::IDENTITY).max_abs() > 1e-12 {
            return Err("is on slides that are not at right angles".into());
        }
        let pos = pose.point(inertia.com()) - axes * V3::from(reference);
        // the inertia of a body that does not rotate is arbitrary
        let round = Sym3::diagonal(inertia.mass, inertia.mass, inertia.mass);
        let round = Inertia::new(inertia.mass, V3::ZERO, round).map_err(|e| e.to_string())?;
        Ok(Part {
            body: FreeBody::new(&round).map_err(|e| e.to_string())?,
            attachment: Attachment::Slides,
            com: V3::ZERO,
            weight: model.gravity() * inertia.mass,
            frame: Pose { rot: axes, pos },
            frame_rot: Quat::IDENTITY,
            stiffness: 0.0,
            rest: V3::ZERO,
            rest_rot: Quat::IDENTITY,
            damping: 0.0,
            q: tree.q[first],
            v,
            memory: None,
        })
    }

    /// Its coordinates and velocities among the seven and six of a free body.
    fn places(&self) -> (Range<usize>, Range<usize>) {
        match self.attachment {
            Attachment::Free => (0..7, 0..6),
            Attachment::Ball => (3..7, 3..6),
            Attachment::Slides => (0..3, 0..3),
        }
    }

    /// This body's coordinates and velocities in the layout of a free body.
    fn read(&self, state: &State) -> ([f64; 7], [f64; 6]) {
        let (mut q, mut v) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0; 6]);
        let (of_q, of_v) = self.places();
        q[of_q.clone()].copy_from_slice(&state.q[self.q..self.q + of_q.len()]);
        v[of_v.clone()].copy_from_slice(&state.v[self.v..self.v + of_v.len()]);
        (q, v)
    }

    /// The inverse of [`Part::read`].
    fn write(&self, (q, v): &([f64; 7], [f64; 6]), state: &mut State) {
        let (of_q, of_v) = self.places();
        state.q[self.q..self.q + of_q.len()].copy_from_slice(&q[of_q]);
        state.v[self.v..self.v + of_v.len()].copy_from_slice(&v[of_v]);
    }

    fn momenta(&self, q: &[f64; 7], v: &[f64; 6]) -> MomentumState {
        let rot = (self.frame_rot * Quat { w: q[3], x: q[4], y: q[5], z: q[6] }).normalized();
        let r = rot.matrix();
        let omega = r * V3::new(v[3], v[4], v[5]);
        let origin = self.frame.point(V3::new(q[0], q[1], q[2]));
        let (pos, vel) = match self.attachment {
            Attachment::Ball => (origin, V3::ZERO),
            _ => {
                let arm = r * self.com;
                (origin + arm, omega.cross_add(arm, self.frame.rot * V3::new(v[0], v[1], v[2])))
            }
        };
        self.body.to_momentum(&VelocityState { pos, rot, vel, omega })
    }

    /// The inverse of [`Part::momenta`].
    fn coordinates(&self, s: &VelocityState) -> ([f64; 7], [f64; 6]) {
        let VelocityState { pos, rot, vel, omega } = *s;
        let r = rot.matrix();
        let spin = r.tr_mul(omega);
        let q = (self.frame_rot.conjugate() * rot).normalized();
        let (x, u) = match self.attachment {
            Attachment::Ball => (V3::ZERO, V3::ZERO),
            _ => {
                let arm = r * self.com;
                (self.frame.inverse().point(pos - arm), self.frame.rot.tr_mul(vel - omega.cross(arm)))
            }
        };
        ([x.x, x.y, x.z, q.w, q.x, q.y, q.z], [u.x, u.y, u.z, spin.x, spin.y, spin.z])
    }

    /// Gravity, about the representative point of the body.
    fn gravity(&self, at: &Kinematics) -> Force {
        match self.attachment {
            Attachment::Ball => Force { moment: (at.rot * self.com).cross(self.weight), force: V3::ZERO },
            _ => Force { moment: V3::ZERO, force: self.weight },
        }
    }

    /// Gravity, and the spring and damper of the joint, about the representative point of the body.
    fn load(&self, at: &Kinematics) -> Force {
        let weight = self.gravity(at);
        if self.stiffness == 0.0 && self.damping == 0.0 {
            return weight;
        }
        let arm = at.rot * self.com;
        let turned = ((self.frame_rot * self.rest_rot).conjugate() * Quat::from_matrix(at.rot)).log();
        let spin = at.rot.tr_mul(at.omega);
        let moment = at.rot * (turned * -self.stiffness - spin * self.damping);
        if self.attachment == Attachment::Ball {
            return weight + Force { moment, force: V3::ZERO };
        }
        let moved = self.frame.inverse().point(at.pos - arm) - self.rest;
        let rate = at.vel - at.omega.cross(arm);
        let force = self.frame.rot * (moved * -self.stiffness) - rate * self.damping;
        // the joint acts at the origin of the link, arm away from the centre of mass
        weight + Force { moment: moment - arm.cross(force), force }
    }

    /// Gravity, and the generalised forces of everything else at this stage of a step.
    fn load_in(&self, system: &mut System, at: &Kinematics, stage: &mut State, tau: &mut [f64]) -> Force {
        let rot = Quat::from_matrix(at.rot);
        let motion = VelocityState { pos: at.pos, rot, vel: at.vel, omega: at.omega };
        self.write(&self.coordinates(&motion), stage);
        stage.time = at.t;
        system.forces(stage, tau);
        let mut six = [0.0; 6];
        let of_v = self.places().1;
        six[of_v.clone()].copy_from_slice(&tau[self.v..self.v + of_v.len()]);
        let force = self.frame.rot * V3::new(six[0], six[1], six[2]);
        let moment = at.rot * V3::new(six[3], six[4], six[5]);
        // generalised forces of a free joint are about the origin of the link, arm away from the centre of mass
        let arm = if self.attachment == Attachment::Free { at.rot * self.com } else { V3::ZERO };
        self.gravity(at) + Force { moment: moment - arm.cross(force), force }
    }
}

const ROTOR: &str = "has a rotor inertia (armature) on its joint";

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
    fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        for part in &mut self.parts {
            let (some, mut momenta) = (from.flag(), [0.0; MomentumState::NUMBERS]);
            let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
            [&mut momenta[..], &mut q, &mut v].into_iter().for_each(|to| from.fill(to));
            part.memory = some.then(|| (MomentumState::of_numbers(&part.body, &momenta), q, v));
        }
    }
    fn orthogonality_error(&self) -> Option<f64> {
        let errors =
            self.parts.iter().filter_map(|p| p.memory.as_ref()).map(|(s, ..)| s.orthogonality_error());
        (!self.method.keeps_rotations()).then(|| errors.fold(0.0, f64::max))
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        if let Some(what) = self.unknown(system) {
            return Err(StepError::Elements { method: self.method.name(), what });
        }
        let model = &*system.model();
        // springs and dampers of joints are fast on their own
        let more = system.has_elements()
            || !model.actuators().is_empty()
            || model.carried.is_some()
            || model.medium.is_some()
            || !model.tendons().is_empty()
            || !model.constraints().is_empty();
        system.begin_step();
        self.next.time = state.time + dt;
        self.stage.q.copy_from_slice(&state.q);
        self.stage.v.copy_from_slice(&state.v);
        self.stage.activation.copy_from_slice(&state.activation);
        for part in &mut self.parts {
            let (q, v) = part.read(state);
            let mut momenta = match part.memory {
                Some((momenta, q0, v0)) if (q0, v0) == (q, v) => momenta,
                _ => part.momenta(&q, &v),
            };
            let this = &*part;
            let inside = RefCell::new((&mut *system, &mut self.stage, &mut self.tau));
            let loads = |_: &FreeBody, at: &Kinematics| {
                if !more && this.attachment != Attachment::Slides {
                    return this.load(at);
                }
                let (system, stage, tau) = &mut *inside.borrow_mut();
                this.load_in(system, at, stage, tau)
            };
            self.method.step(&part.body, &loads, state.time, dt, &mut momenta).map_err(|source| {
                let joint = model.joints().iter().find(|j| j.dofs().contains(&part.v));
                StepError::Free { joint: joint.map(|j| j.name.clone()).unwrap_or_default(), source }
            })?;
            let (q, v) = part.coordinates(&part.body.to_velocity(&momenta));
            part.memory = Some((momenta, q, v));
            part.write(&(q, v), &mut self.next);
            // the other bodies see this one at its old position
            part.write(&part.read(state), &mut self.stage);
        }
        accept(system, state, &mut self.next, dt)
    }
}
