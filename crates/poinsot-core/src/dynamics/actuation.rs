//! Actuator forces: from control signals or activations to τ, through joints, tendons and sites.
//!
//! Each actuator has a moment m, which defines its velocity `l̇ = m · v` and its generalised forces `τ += m p`. The moment of a site is
//! that of a wrench on its body: along the path to the world, joint by joint, `m = S · w`.

use super::Workspace;
use super::outward::free_axes;
use super::sweep::*;
use crate::algebra::lanes::{Isa, Kernel, Portable, dispatch};
use crate::algebra::{Lanes, V3};
use crate::model::{
    Actuator, ActuatorDynamics, ActuatorId, FixedTendon, JointId, JointKind, Kind, Model, Transmission,
};
use crate::spatial::{Force, Pose, Quat};

type One = OneState<Portable>;

/// The length, velocity and force of an actuator.
///
/// ```
/// # use poinsot_core::{algebra::V3, dynamics::*, model::*};
/// # let mut b = ModelBuilder::new("arm");
/// # let arm = b.body(BodyId::WORLD, BodySpec::new("arm").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # let elbow = b.joint(arm, Joint::revolute(V3::Y));
/// let servo = b.actuator(Actuator::position(elbow, 100.0).damping(5.0));
/// let model = b.build()?;
/// let control = Control { signal: &[0.5], activation: &[] };
/// let reading = Workspace::new(&model).actuator_reading(&model, servo, &[0.2], &[1.0], control);
/// assert_eq!(reading, ActuatorReading { length: 0.2, velocity: 1.0, force: 100.0 * 0.3 - 5.0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorReading {
    /// l: the length of its transmission.
    pub length: f64,
    /// l̇.
    pub velocity: f64,
    /// p, clamped to the force range of the actuator.
    pub force: f64,
}

/// The inputs of the actuators: a signal for each, and an activation for each that has dynamics.
#[derive(Clone, Copy, Debug)]
pub struct Control<'a> {
    /// In the order of [`Model::actuators`].
    pub signal: &'a [f64],
    /// Indexed by [`Actuator::activation`].
    pub activation: &'a [f64],
}

impl Control<'_> {
    fn check(&self, model: &Model) {
        let (signals, activations) = (model.actuators.len(), model.activations());
        assert_eq!(self.signal.len(), signals, "\"{}\" has {signals} actuators", model.name());
        assert_eq!(self.activation.len(), activations, "\"{}\" has {activations} activations", model.name());
    }
    /// The signal of actuator `k`, clamped to its range.
    #[inline(always)]
    fn clamped(&self, actuator: &Actuator, k: usize) -> f64 {
        clamp(self.signal[k], actuator.control_range)
    }
    /// u: the activation, or the signal if there is none.
    #[inline(always)]
    fn input(&self, actuator: &Actuator, k: usize) -> f64 {
        actuator.activation.map_or_else(|| self.clamped(actuator, k), |at| self.activation[at])
    }
}

/// Clamps x; NaN stays NaN, so that it is noticed.
#[inline(always)]
fn clamp(x: f64, range: Option<(f64, f64)>) -> f64 {
    range.map_or(x, |(lower, upper)| x.clamp(lower, upper))
}

/// c₀ + c₁ l + c₂ l̇.
#[inline(always)]
fn affine(c: [f64; 3], length: f64, velocity: f64) -> f64 {
    c[1].mul_add(length, c[2].mul_add(velocity, c[0]))
}

impl Workspace {
    /// Adds the generalised forces of all actuators at (q, v) to τ. Their sum on a joint is clamped to the joint's
    /// [`actuator_force_range`](crate::model::Joint::actuator_force_range).
    ///
    /// # Panics
    /// If a slice does not fit the model.
    pub fn add_actuator_forces(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        control: Control,
        tau: &mut [f64],
    ) {
        control.check(model);
        if model.actuators.is_empty() {
            return;
        }
        let on_bodies = |a: &Actuator| matches!(a.transmission, Transmission::Site { .. });
        if model.actuators.iter().any(on_bodies) {
            self.poses(model, q);
        }
        let Workspace { scratch, actuation, .. } = self;
        dispatch(Actuate { place: Place { model, scratch, q }, v, control, actuation });
        for joint in model.layout.force_limited.iter().map(|k| &model.joints[*k]) {
            let sum = &mut actuation[joint.first_v];
            *sum = clamp(*sum, joint.actuator_force_range);
        }
        for (t, f) in tau.iter_mut().zip(actuation.iter()) {
            *t += f;
        }
    }

    /// The length, velocity and force of one actuator at (q, v).
    ///
    /// # Panics
    /// If a slice does not fit the model.
    pub fn actuator_reading(
        &mut self,
        model: &Model,
        actuator: ActuatorId,
        q: &[f64],
        v: &[f64],
        control: Control,
    ) -> ActuatorReading {
        control.check(model);
        let k = actuator.index();
        let actuator = &model.actuators[k];
        if matches!(actuator.transmission, Transmission::Site { .. }) {
            self.poses(model, q);
        }
        Place { model, scratch: &self.scratch, q }.read(actuator, v, control.input(actuator, k))
    }

    /// Calls `visit(degree of freedom, stiffness, damping)` for every actuator that resists motion of a joint of one coordinate, with
    /// −∂τ/∂q and −∂τ/∂v; saturated actuators are left out. To be called after [`Workspace::add_actuator_forces`] at the same state, which
    /// stores the sums that were clamped.
    pub(crate) fn each_servo(
        &self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        control: Control,
        mut visit: impl FnMut(usize, f64, f64),
    ) {
        let place = Place { model, scratch: &self.scratch, q };
        for (k, actuator) in model.actuators.iter().enumerate() {
            let Transmission::Joint { joint, .. } = actuator.transmission else { continue };
            let joint = &model.joints[joint.index()];
            if joint.kind.nv() != 1 {
                continue;
            }
            let ([_, gl, gv], [_, bl, bv]) = (actuator.gain.coefficients(), actuator.bias.coefficients());
            if [gl, gv, bl, bv] == [0.0; 4] {
                continue;
            }
            let (dof, u) = (joint.first_v, control.input(actuator, k));
            let within = |f: f64, range: Option<(f64, f64)>| range.is_none_or(|(a, b)| a < f && f < b);
            let force = place.read(actuator, v, u).force;
            let free = within(force, actuator.force_range)
                && within(self.actuation[dof], joint.actuator_force_range);
            if !free {
                continue;
            }
            let resisting = |slope: f64| (-slope * actuator.gear[0] * actuator.gear[0]).max(0.0);
            visit(dof, resisting(gl.mul_add(u, bl)), resisting(gv.mul_add(u, bv)));
        }
    }
}

/// Computes the sum of all actuators for each degree of freedom, before clamping.
struct Actuate<'a> {
    place: Place<'a>,
    v: &'a [f64],
    control: Control<'a>,
    actuation: &'a mut [f64],
}

impl Kernel for Actuate<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Actuate { place, v, control, actuation } = self;
        actuation.fill(0.0);
        for (k, actuator) in place.model.actuators.iter().enumerate() {
            let force = place.read(actuator, v, control.input(actuator, k)).force;
            place.moments(actuator, |dof, m| actuation[dof] = m.mul_add(force, actuation[dof]));
        }
    }
}

/// A model at a configuration; the poses are up to date if an actuator has a site.
struct Place<'a> {
    model: &'a Model,
    scratch: &'a Scratch<Lanes<8>, f64>,
    q: &'a [f64],
}

impl Place<'_> {
    #[inline(always)]
    fn read(&self, actuator: &Actuator, v: &[f64], u: f64) -> ActuatorReading {
        let length = self.length(actuator);
        let mut velocity = 0.0;
        self.moments(actuator, |dof, m| velocity = m.mul_add(v[dof], velocity));
        let gain = affine(actuator.gain.coefficients(), length, velocity);
        let bias = affine(actuator.bias.coefficients(), length, velocity);
        ActuatorReading { length, velocity, force: clamp(gain.mul_add(u, bias), actuator.force_range) }
    }

    #[inline(always)]
    fn length(&self, actuator: &Actuator) -> f64 {
        let g = &actuator.gear;
        match actuator.transmission {
            Transmission::Joint { joint, in_parent } => {
                let joint = &self.model.joints[joint.index()];
                let q = &self.q[joint.coordinates()];
                match joint.kind {
                    JointKind::Free => 0.0,
                    JointKind::Spherical => {
                        let attitude = Quat { w: q[0], x: q[1], y: q[2], z: q[3] };
                        attitude.log().dot(in_body(attitude, V3::new(g[0], g[1], g[2]), in_parent))
                    }
                    _ => q.iter().zip(g).map(|(q, g)| q * g).sum(),
                }
            }
            Transmission::Tendon(tendon) => {
                g[0] * self.model.tendons[tendon.index()].length(self.model, self.q)
            }
            Transmission::Site { .. } => 0.0,
        }
    }

    /// Calls `visit(degree of freedom, moment)` for every degree of freedom the actuator acts on.
    #[inline(always)]
    fn moments(&self, actuator: &Actuator, mut visit: impl FnMut(usize, f64)) {
        let g = &actuator.gear;
        match actuator.transmission {
            Transmission::Joint { joint, in_parent } => self.joint_moments(joint, in_parent, g, visit),
            Transmission::Tendon(tendon) => {
                for (joint, c) in &self.model.tendons[tendon.index()].terms {
                    visit(self.model.joints[joint.index()].first_v, g[0] * c);
                }
            }
            Transmission::Site { body, pose } => {
                let body = &self.model.bodies[body.index()];
                let site = link_pose(self.scratch, body.link) * body.pose_in_link * pose;
                let force = site.rot * V3::new(g[0], g[1], g[2]);
                let torque = site.rot * V3::new(g[3], g[4], g[5]);
                let push = Force::at_point(force, site.pos) + Force { moment: torque, force: V3::ZERO };
                wrench_moments(self.model, self.scratch, body.link, push, visit);
            }
        }
    }

    #[inline(always)]
    fn joint_moments(
        &self,
        joint: JointId,
        in_parent: bool,
        g: &[f64; 6],
        mut visit: impl FnMut(usize, f64),
    ) {
        let joint = &self.model.joints[joint.index()];
        let (q, first) = (&self.q[joint.coordinates()], joint.first_v);
        // the number of force components before the torque, if there is one
        let forces = match joint.kind {
            JointKind::Spherical => 0,
            JointKind::Free => 3,
            other => other.nv(),
        };
        for (c, g) in g.iter().enumerate().take(forces) {
            visit(first + c, *g);
        }
        if let [w, x, y, z] = q[forces.min(q.len())..] {
            let torque = V3::new(g[forces], g[forces + 1], g[forces + 2]);
            let torque = in_body(Quat { w, x, y, z }, torque, in_parent);
            torque.array().into_iter().enumerate().for_each(|(c, x)| visit(first + forces + c, x));
        }
    }
}

/// The generalised forces of a wrench on a link, about the world's origin in world axes.
#[inline(always)]
pub(super) fn wrench_moments(
    model: &Model,
    scratch: &Scratch<Lanes<8>, f64>,
    link: usize,
    wrench: Force,
    mut visit: impl FnMut(usize, f64),
) {
    let tree = &model.tree;
    let mut i = link;
    while i != 0 {
        let (k, Pose { rot, pos }) = (tree.v[i], link_pose(scratch, i));
        let Force { moment: n, force: f } = wrench.about(pos);
        let mut three = |first: usize, x: V3| {
            x.array().into_iter().enumerate().for_each(|(c, x)| visit(first + c, x));
        };
        match tree.kind[i] {
            Kind::World => {}
            Kind::Hinge => visit(k, rot.z.dot(n)),
            Kind::Screw => {
                let [a, b, _] = tree.screw_of(i);
                visit(k, a.mul_add(rot.z.dot(n), b * rot.z.dot(f)));
            }
            Kind::Ball => three(k, rot.tr_mul(n)),
            Kind::Free => {
                three(k, free_axes::<One>(tree, &scratch.moving, i).tr_mul(f));
                three(k + 3, rot.tr_mul(n));
            }
        }
        i = tree.parent[i];
    }
}

#[inline(always)]
fn link_pose(scratch: &Scratch<Lanes<8>, f64>, link: usize) -> Pose {
    let m = link_at::<One>(&scratch.moving, link);
    Pose { rot: m.rot(), pos: m.p() }
}

/// A torque in the axes of the body, converted if it was given in those of the parent.
fn in_body(attitude: Quat, torque: V3, in_parent: bool) -> V3 {
    if in_parent { attitude.matrix().tr_mul(torque) } else { torque }
}

impl Model {
    /// Advances the activations by a step `dt` with constant control signals, by Euler's method or exactly, as the actuator specifies; then
    /// clamps them to their ranges.
    ///
    /// # Panics
    /// If a slice does not fit the model.
    pub fn advance_activations(&self, signal: &[f64], activation: &mut [f64], dt: f64) {
        Control { signal, activation }.check(self);
        for (k, actuator) in self.actuators.iter().enumerate() {
            let Some(at) = actuator.activation else { continue };
            let u = Control { signal, activation }.clamped(actuator, k);
            let a = activation[at];
            let moved = match actuator.dynamics {
                ActuatorDynamics::None => a,
                ActuatorDynamics::Integrator => dt.mul_add(u, a),
                ActuatorDynamics::Filter { time_constant } => (dt / time_constant).mul_add(u - a, a),
                ActuatorDynamics::FilterExact { time_constant } => {
                    // 1 − exp(−h/T), accurate for small h too
                    (-libm::expm1(-dt / time_constant)).mul_add(u - a, a)
                }
            };
            activation[at] = clamp(moved, actuator.activation_range);
        }
    }

    /// Adds the forces of the tendons' springs and dampers at (q, v) to τ.
    pub fn add_tendon_forces(&self, q: &[f64], v: &[f64], tau: &mut [f64]) {
        for tendon in self.tendons.iter().filter(|t| t.stiffness > 0.0 || t.damping > 0.0) {
            let stretch = tendon.stretch(tendon.length(self, q));
            let pull = -tendon.stiffness * stretch - tendon.damping * tendon.rate(self, v);
            for (joint, c) in &tendon.terms {
                let k = self.joints[joint.index()].first_v;
                tau[k] = c.mul_add(pull, tau[k]);
            }
        }
    }

    /// The energy in the springs of tendons.
    pub fn tendon_energy(&self, q: &[f64]) -> f64 {
        let of_one = |t: &FixedTendon| 0.5 * t.stiffness * t.stretch(t.length(self, q)).powi(2);
        self.tendons.iter().filter(|t| t.stiffness > 0.0).map(of_one).sum()
    }
}
