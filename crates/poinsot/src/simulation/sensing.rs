//! Sensor readings.
//!
//! With the pose X of a frame, its velocity (ω, u) and acceleration (α, a) in world axes, and r from the body's origin to that of the
//! frame:
//!
//! ```math
//! a_frame = a + α × r + ω × (ω × r)
//! W = Σ [ d/dt (momentum) − gravity − forces from outside ]      over a body and all beyond it
//! ```
//! W is the reading of force and torque sensors. For a body on joints it is the [reaction](Simulation::reactions) of the last of them; for
//! one that is fixed to its parent, without a joint or by a fixed one, it is summed over the bodies fixed to it, plus the reactions of joints
//! attached to these. The forces of constraints, such as welds and ropes, count as external: no parent transmits them.
//!
//! With contact, external forces include contact forces: the mean over the last step, which touch sensors read.

use super::Simulation;
use crate::algebra::V3;
use crate::dynamics::{At, Control};
use crate::model::{BodyId, Frame, FrameQuantity, JointId, JointKind, Measure, Model, SensorId, Shape};
use crate::spatial::{Force, Inertia, Motion, Pose, Quat};
use poinsot_collide::ray_meets;

/// The acceleration and derived quantities; computed when a sensor first needs them.
struct Accelerated {
    a: Vec<f64>,
    reactions: Vec<(JointId, Force)>,
    constraints: Vec<(BodyId, Force)>,
}

impl Simulation<'_> {
    /// The current reading of one sensor.
    ///
    /// ```
    /// use poinsot::{Simulation, algebra::V3, dynamics::State, integrate::Method, model::*, spatial::Pose};
    /// let mut b = ModelBuilder::new("a ball that falls");
    /// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// b.joint(ball, Joint::free());
    /// let at = Frame { body: ball, pose: Pose::IDENTITY };
    /// let weightless = b.sensor(Sensor::new("accelerometer", Measure::Accelerometer(at)));
    /// let model = b.build()?;
    /// let mut simulation = Simulation::new(&model, State::new(&model), Method::Rkmk4)?;
    /// assert!(simulation.sense(weightless).iter().all(|a| a.abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sense(&mut self, sensor: SensorId) -> Vec<f64> {
        self.read_sensor(sensor, &mut None)
    }
    /// The current readings of all sensors, in the order of [`Model::sensors`].
    pub fn sense_all(&mut self) -> Vec<Vec<f64>> {
        let mut accelerated = None;
        let ids = self.model.sensor_ids();
        ids.map(|id| self.read_sensor(id, &mut accelerated)).collect()
    }

    fn read_sensor(&mut self, id: SensorId, accelerated: &mut Option<Accelerated>) -> Vec<f64> {
        let model = self.model.clone();
        let sensor = &model[id];
        let mut reading = self.measure(&model, &sensor.measure, accelerated);
        let turns = matches!(
            sensor.measure,
            Measure::Frame { quantity: FrameQuantity::Quaternion | FrameQuantity::Axis(_), .. }
        ) || matches!(sensor.measure, Measure::JointPosition(j) if model[j].kind == JointKind::Spherical);
        if let (Some(most), false) = (sensor.cutoff, turns) {
            reading.iter_mut().for_each(|x| *x = x.clamp(-most, most));
        }
        reading
    }

    fn accelerated<'c>(&mut self, cached: &'c mut Option<Accelerated>) -> &'c Accelerated {
        cached.get_or_insert_with(|| {
            let (a, reactions) = (self.acceleration(), self.reactions());
            Accelerated { a, reactions, constraints: self.constraint_loads() }
        })
    }

    fn measure(&mut self, model: &Model, what: &Measure, cached: &mut Option<Accelerated>) -> Vec<f64> {
        match *what {
            Measure::JointPosition(j) => self.state.q[model[j].coordinates()].to_vec(),
            Measure::JointVelocity(j) => self.state.v[model[j].dofs()].to_vec(),
            Measure::JointActuatorForce(j) => vec![self.actuator_forces()[model[j].dofs().start]],
            Measure::TendonLength(t) => vec![model[t].length(model, &self.state.q)],
            Measure::TendonVelocity(t) => vec![model[t].rate(model, &self.state.v)],
            Measure::ActuatorLength(id) | Measure::ActuatorVelocity(id) | Measure::ActuatorForce(id) => {
                let signal = self.control().to_vec();
                let (system, state) = self.queried();
                let control = Control { signal: &signal, activation: &state.activation };
                let read = system.workspace().actuator_reading(model, id, &state.q, &state.v, control);
                vec![match what {
                    Measure::ActuatorLength(_) => read.length,
                    Measure::ActuatorVelocity(_) => read.velocity,
                    _ => read.force,
                }]
            }
            Measure::Frame { quantity, of, from } => self.frame(quantity, of, from, cached),
            Measure::Gyro(f) => self.in_frame(f, |_, m| m.ang),
            Measure::Velocimeter(f) => self.in_frame(f, |_, m| m.lin),
            Measure::Accelerometer(f) => {
                let moved = self.frame_acceleration(f, cached).lin - model.gravity();
                self.in_frame(f, |_, _| moved)
            }
            Measure::Force(f) => {
                let wrench = self.transmitted(model, f.body, cached);
                self.in_frame(f, |_, _| wrench.force)
            }
            Measure::Torque(f) => {
                let wrench = self.transmitted(model, f.body, cached);
                self.in_frame(f, |x, _| wrench.about(x.pos).moment)
            }
            Measure::Touch(f, ref within) => vec![self.touched(model, f, within)],
            Measure::Range(f) => vec![self.range(model, f)],
            Measure::Nearest { quantity, ref of, ref to, within } => {
                self.nearest(model, quantity, [of, to], within)
            }
            Measure::JointLimit(j, quantity) => vec![self.joint_limit(model, j, quantity)],
            Measure::SubtreeCom(body) => subtree(model, &self.at(), body).com.array().to_vec(),
            Measure::SubtreeVelocity(body) => subtree(model, &self.at(), body).velocity.array().to_vec(),
            Measure::SubtreeMomentum(body) => subtree(model, &self.at(), body).momentum.array().to_vec(),
            Measure::Clock => vec![self.state.time],
            Measure::KineticEnergy => vec![self.energies().0],
            Measure::PotentialEnergy => vec![self.energies().1],
            // the enum may grow: an unknown kind reads nothing
            _ => Vec::new(),
        }
    }

    /// The sum of normal forces on a body from contacts that lie within a shape, or whose outward ray meets it.
    fn touched(&mut self, model: &Model, frame: Frame, within: &Shape) -> f64 {
        let pushes = self.pushes();
        let (place, _) = placed(&self.at(), frame);
        let mut sum = 0.0;
        for push in pushes {
            let (bodies, pressed) = (push.geoms.map(|g| model[g].body()), push.force.dot(push.normal));
            if pressed <= 0.0 || !bodies.contains(&frame.body) {
                continue;
            }
            let outward = if bodies[1] == frame.body { -push.normal } else { push.normal };
            // the model has rejected invalid shapes
            let met = ray_meets(within, place, push.position, outward);
            if met.is_ok_and(|met| met.is_some()) {
                sum += pressed;
            }
        }
        sum
    }

    fn actuator_forces(&mut self) -> Vec<f64> {
        let (model, signal) = (self.model.clone(), self.control().to_vec());
        let (system, state) = self.queried();
        let control = Control { signal: &signal, activation: &state.activation };
        let mut tau = vec![0.0; model.nv()];
        system.workspace().add_actuator_forces(&model, &state.q, &state.v, control, &mut tau);
        tau
    }

    /// A world vector in the axes of a frame.
    fn in_frame(&mut self, frame: Frame, read: impl Fn(Pose, Motion) -> V3) -> Vec<f64> {
        let (pose, moving) = placed(&self.at(), frame);
        pose.rot.tr_mul(read(pose, moving)).array().to_vec()
    }

    fn frame(
        &mut self,
        quantity: FrameQuantity,
        of: Frame,
        from: Option<Frame>,
        cached: &mut Option<Accelerated>,
    ) -> Vec<f64> {
        match quantity {
            FrameQuantity::LinearAcceleration => {
                let gravity = self.model.gravity();
                return (self.frame_acceleration(of, cached).lin - gravity).array().to_vec();
            }
            FrameQuantity::AngularAcceleration => {
                return self.frame_acceleration(of, cached).ang.array().to_vec();
            }
            _ => {}
        }
        let at = self.at();
        let ((x, moving), origin) = (placed(&at, of), from.map(|from| placed(&at, from)));
        let (base, carried) = origin.unwrap_or((Pose::IDENTITY, Motion::default()));
        let arm = x.pos - base.pos;
        let turned = |v: V3| base.rot.tr_mul(v).array().to_vec();
        match quantity {
            FrameQuantity::Position => turned(arm),
            FrameQuantity::Quaternion => Quat::from_matrix((base.inverse() * x).rot).array().to_vec(),
            FrameQuantity::Axis(0) => turned(x.rot.x),
            FrameQuantity::Axis(1) => turned(x.rot.y),
            FrameQuantity::Axis(_) => turned(x.rot.z),
            FrameQuantity::LinearVelocity => turned(moving.lin - carried.lin - carried.ang.cross(arm)),
            FrameQuantity::AngularVelocity => turned(moving.ang - carried.ang),
            _ => Vec::new(),
        }
    }

    /// (α, a_frame) of the module page, without gravity.
    fn frame_acceleration(&mut self, frame: Frame, cached: &mut Option<Accelerated>) -> Motion {
        let a = self.accelerated(cached).a.clone();
        let at = self.at();
        let (arm, spin) = (at.pose(frame.body).rot * frame.pose.pos, at.velocity(frame.body).ang);
        let of_body = at.acceleration(frame.body, &a);
        let lin = of_body.lin + of_body.ang.cross(arm) + spin.cross(spin.cross(arm));
        Motion { ang: of_body.ang, lin }
    }

    /// W of the module page, about the world's origin.
    fn transmitted(&mut self, model: &Model, body: BodyId, cached: &mut Option<Accelerated>) -> Force {
        let (a, reactions, constraints) = {
            let found = self.accelerated(cached);
            (found.a.clone(), found.reactions.clone(), found.constraints.clone())
        };
        let (loads, contacts) = (self.loads(), self.contact_loads());
        let at = self.at();
        let through = |id: JointId, body: BodyId| {
            let anchor = if model[id].kind == JointKind::Free { V3::ZERO } else { model[id].anchor };
            let (_, wrench) = reactions[id.index()];
            wrench.about(-at.pose(body).point(anchor))
        };
        // a fixed joint does not let a body move: nothing is known of it but what hangs on it
        let moves_by = |body: BodyId| {
            let moves = |joint: &usize| !model.joints()[*joint].dofs().is_empty();
            model[body].joints.clone().rev().find(moves).map(|last| reactions[last].0)
        };
        if let Some(last) = moves_by(body) {
            return through(last, body);
        }
        let mut fixed = vec![false; model.bodies().len()];
        let mut sum = Force::default();
        for id in model.body_ids().skip(body.index()) {
            let own = &model[id];
            let hangs = id != body && fixed[own.parent.index()];
            match moves_by(id) {
                Some(last) if hangs => sum = sum + through(last, id),
                None if hangs || id == body => {
                    fixed[id.index()] = true;
                    sum = sum + needed(&own.inertia, &at, id, &a, model.gravity());
                }
                _ => {}
            }
        }
        for load in loads.iter().filter(|load| fixed[load.body.index()]) {
            let place = at.pose(load.body).point(load.point);
            sum = sum - Force::at_point(load.wrench.force, place);
            sum.moment -= load.wrench.moment;
        }
        let own = contacts.iter().chain(&constraints).filter(|(body, _)| fixed[body.index()]);
        own.fold(sum, |sum, (_, force)| sum - *force)
    }
}

/// The pose and velocity of a frame.
fn placed(at: &At, frame: Frame) -> (Pose, Motion) {
    let pose = at.pose(frame.body) * frame.pose;
    (pose, at.velocity_at(frame.body, pose.pos))
}

/// The wrench that produces this motion of a body, less its weight, about the world's origin.
fn needed(inertia: &Inertia, at: &At, body: BodyId, a: &[f64], gravity: V3) -> Force {
    let (x, spin, moved) = (at.pose(body), at.velocity(body).ang, at.acceleration(body, a));
    let (i, h) = (inertia.rotational.rotated(x.rot), x.rot * inertia.first_moment);
    let lin = moved.lin - gravity;
    let own = Force {
        moment: i * moved.ang + spin.cross(i * spin) + h.cross(lin),
        force: lin * inertia.mass + moved.ang.cross(h) + spin.cross(spin.cross(h)),
    };
    own.about(-x.pos)
}

/// A body with its subtree.
struct Subtree {
    com: V3,
    velocity: V3,
    /// Angular momentum, about the centre of mass.
    momentum: V3,
}

fn subtree(model: &Model, at: &At, root: BodyId) -> Subtree {
    let mut within = vec![false; model.bodies().len()];
    let (mut mass, mut moment, mut momentum) = (0.0, V3::ZERO, Force::default());
    for id in model.body_ids().skip(root.index()) {
        let own = &model[id];
        within[id.index()] = id == root || within[own.parent.index()];
        if !within[id.index()] {
            continue;
        }
        mass += own.inertia.mass;
        moment += at.pose(id).rot * own.inertia.first_moment + at.pose(id).pos * own.inertia.mass;
        momentum = momentum + at.pose(id).force(at.body_momentum(id));
    }
    if mass == 0.0 {
        return Subtree { com: at.pose(root).pos, velocity: V3::ZERO, momentum: V3::ZERO };
    }
    let com = moment * (1.0 / mass);
    Subtree { com, velocity: momentum.force * (1.0 / mass), momentum: momentum.about(com).moment }
}
