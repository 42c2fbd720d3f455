//! Sites and sensors: named frames on bodies, and measured quantities.

use super::actuator::pose_fault;
use super::builder::check_names;
use super::{
    ActuatorId, Body, BodyId, GeomId, Joint, JointId, JointKind, Model, ModelError, Shape, TendonId,
};
use crate::spatial::Pose;

/// A frame on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Its name, unique among sites.
    pub name: String,
    /// The body it is fixed to.
    pub body: BodyId,
    /// Its pose in the body's frame.
    pub pose: Pose,
}

/// A measured frame: a site without a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The body it is fixed to.
    pub body: BodyId,
    /// Its pose in the body's frame.
    pub pose: Pose,
}

impl From<&Site> for Frame {
    fn from(site: &Site) -> Frame {
        Frame { body: site.body, pose: site.pose }
    }
}

/// The measured quantity of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameQuantity {
    /// Its position.
    Position,
    /// Its orientation: a quaternion w x y z.
    Quaternion,
    /// Its axis 0, 1 or 2.
    Axis(u8),
    /// The velocity of its origin.
    LinearVelocity,
    /// Its angular velocity.
    AngularVelocity,
    /// The acceleration of its origin minus that of gravity.
    LinearAcceleration,
    /// Its angular acceleration.
    AngularAcceleration,
}

/// The measured quantity of two sets of geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NearestQuantity {
    /// Their distance, m; negative where they overlap.
    Distance,
    /// The unit vector from the first to the second, in the world; 0 if they are too far apart.
    Normal,
    /// The two points, in the world; 0 if they are too far apart.
    Points,
}

/// The measured quantity of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitQuantity {
    /// What is left until the limit: 0 or less.
    Distance,
    /// Its rate.
    Rate,
    /// The force of the limit, N or N m: the mean over the last step.
    Force,
}

/// What a sensor measures. Readings are SI; signs are those of [`crate::dynamics`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Measure {
    /// The coordinates of a joint: one, or the quaternion of a ball.
    JointPosition(JointId),
    /// The velocities of a joint: one, or the angular velocity of a ball in body axes.
    JointVelocity(JointId),
    /// The force of all actuators along a joint of one degree of freedom.
    JointActuatorForce(JointId),
    /// The length of a tendon.
    TendonLength(TendonId),
    /// Its rate.
    TendonVelocity(TendonId),
    /// The length that an actuator reads.
    ActuatorLength(ActuatorId),
    /// Its rate.
    ActuatorVelocity(ActuatorId),
    /// The force that an actuator delivers, before its gear.
    ActuatorForce(ActuatorId),
    /// A quantity of a frame, in the axes of the world or of another frame, and relative to the motion of the latter.
    Frame {
        /// The quantity.
        quantity: FrameQuantity,
        /// The frame.
        of: Frame,
        /// The reference frame; ignored for accelerations.
        from: Option<Frame>,
    },
    /// The angular velocity of a frame, in its own axes.
    Gyro(Frame),
    /// The velocity of the origin of a frame, in its own axes.
    Velocimeter(Frame),
    /// The acceleration of the origin of a frame minus that of gravity, in its own axes.
    Accelerometer(Frame),
    /// The force by which the parent moves the frame's body and everything outboard of it, in the axes of the frame.
    Force(Frame),
    /// The moment of this force about the origin of the frame.
    Torque(Frame),
    /// The sum of the normal forces of contacts on the frame's body, for contacts within a shape in this frame or whose outward ray meets
    /// it: the mean over the last step.
    Touch(Frame, Shape),
    /// The distance from a frame along its z axis to the surface that is met first, m, those of its own body left out; −1: there is none.
    Range(Frame),
    /// The nearest points of two sets of geoms, where they are nearer than a distance.
    Nearest {
        /// What of them.
        quantity: NearestQuantity,
        /// The first geoms.
        of: Vec<GeomId>,
        /// The others.
        to: Vec<GeomId>,
        /// The distance that is read if nothing is nearer, m.
        within: f64,
    },
    /// The limit at which a joint is; 0 while it is at none.
    JointLimit(JointId, LimitQuantity),
    /// The centre of mass of a body with all beyond it.
    SubtreeCom(BodyId),
    /// Its velocity.
    SubtreeVelocity(BodyId),
    /// The angular momentum of the subtree of a body, about its centre of mass.
    SubtreeMomentum(BodyId),
    /// The time.
    Clock,
    /// The kinetic energy.
    KineticEnergy,
    /// The potential energy.
    PotentialEnergy,
}

/// A sensor.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*, spatial::Pose};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// let hinge = b.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z));
/// let tip = b.site(Site { name: "tip".into(), body: bob, pose: Pose::translation(-V3::Z) });
/// b.sensor(Sensor::new("angle", Measure::JointPosition(hinge)));
/// let model = b.build()?;
/// assert_eq!((model.site("tip"), model.sensors()[0].name.as_str()), (Some(tip), "angle"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Its name, unique among sensors.
    pub name: String,
    /// What it measures.
    pub measure: Measure,
    /// Readings are clamped to ± this value, except those of quaternions and axes.
    pub cutoff: Option<f64>,
}

impl Sensor {
    /// A sensor without cutoff.
    pub fn new(name: impl Into<String>, measure: Measure) -> Sensor {
        Sensor { name: name.into(), measure, cutoff: None }
    }
}

/// The parts of a model that sensors refer to, for checks.
pub(super) struct Parts<'a> {
    pub bodies: &'a [Body],
    pub joints: &'a [Joint],
    pub tendons: usize,
    pub actuators: usize,
    pub geoms: usize,
}

pub(super) fn check_sites(sites: &[Site], bodies: &[Body]) -> Result<(), ModelError> {
    for site in sites {
        let wrong = |why: String| ModelError::Site { site: site.name.clone(), why };
        if site.body.index() >= bodies.len() {
            return Err(wrong(format!("there is no body {}", site.body.index())));
        }
        pose_fault(site.pose).map_err(wrong)?;
    }
    check_names("sites", sites.iter().map(|s| s.name.as_str()))
}

pub(super) fn check_sensors(sensors: &[Sensor], parts: &Parts) -> Result<(), ModelError> {
    for sensor in sensors {
        fault(sensor, parts)
            .map_or(Ok(()), |why| Err(ModelError::Sensor { sensor: sensor.name.clone(), why }))?;
    }
    check_names("sensors", sensors.iter().map(|s| s.name.as_str()))
}

fn fault(sensor: &Sensor, parts: &Parts) -> Option<String> {
    if sensor.cutoff.is_some_and(|c| !(c.is_finite() && c > 0.0)) {
        return Some("its cutoff must be a positive number".into());
    }
    let missing = |what: &str, index: usize, count: usize| {
        (index >= count).then(|| format!("there is no {what} {index}"))
    };
    let frame = |frame: &Frame| {
        missing("body", frame.body.index(), parts.bodies.len()).or_else(|| pose_fault(frame.pose).err())
    };
    let joint = |id: JointId, fits: fn(&JointKind) -> bool, wanted: &str| match parts.joints.get(id.index()) {
        None => Some(format!("there is no joint {}", id.index())),
        Some(j) if fits(&j.kind) => None,
        Some(j) => Some(format!("joint \"{}\" is {}; give {wanted}", j.name, j.kind.word())),
    };
    match sensor.measure {
        Measure::JointPosition(id) | Measure::JointVelocity(id) => {
            joint(id, |k| k.nv() == 1 || *k == JointKind::Spherical, "one of one coordinate, or a ball")
        }
        Measure::JointActuatorForce(id) => joint(id, |k| k.nv() == 1, "one of one coordinate"),
        Measure::TendonLength(id) | Measure::TendonVelocity(id) => {
            missing("tendon", id.index(), parts.tendons)
        }
        Measure::ActuatorLength(id) | Measure::ActuatorVelocity(id) | Measure::ActuatorForce(id) => {
            missing("actuator", id.index(), parts.actuators)
        }
        Measure::Frame { of, from, .. } => frame(&of).or_else(|| frame(&from?)),
        Measure::Gyro(f) | Measure::Velocimeter(f) | Measure::Accelerometer(f) => frame(&f),
        Measure::Force(f) | Measure::Torque(f) | Measure::Range(f) => frame(&f),
        Measure::Nearest { ref of, ref to, within, .. } => {
            let geom = |geom: &GeomId| missing("geom", geom.index(), parts.geoms);
            let far = (!within.is_finite()).then(|| "its largest distance must be finite".to_string());
            of.iter().chain(to).find_map(geom).or(far)
        }
        Measure::JointLimit(id, _) => {
            joint(id, |k| k.nv() == 1 || *k == JointKind::Spherical, "one of one coordinate, or a ball")
        }
        Measure::Touch(f, ref within) => {
            frame(&f).or_else(|| within.check().err().map(|why| format!("{}: {why}", within.word())))
        }
        Measure::SubtreeCom(body) | Measure::SubtreeVelocity(body) | Measure::SubtreeMomentum(body) => {
            missing("body", body.index(), parts.bodies.len())
        }
        Measure::Clock | Measure::KineticEnergy | Measure::PotentialEnergy => None,
    }
}

impl Model {
    /// All sites, in the order they were added.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }
    /// The site with this name.
    pub fn site(&self, name: &str) -> Option<super::SiteId> {
        self.sites.iter().position(|s| s.name == name).map(super::SiteId)
    }
    /// All sensors, in the order they were added.
    pub fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }
    /// The sensor with this name.
    pub fn sensor(&self, name: &str) -> Option<super::SensorId> {
        self.sensors.iter().position(|s| s.name == name).map(super::SensorId)
    }
    /// The ids of all sensors, in the order of [`Model::sensors`].
    pub fn sensor_ids(&self) -> impl ExactSizeIterator<Item = super::SensorId> + use<> {
        (0..self.sensors.len()).map(super::SensorId)
    }
}
