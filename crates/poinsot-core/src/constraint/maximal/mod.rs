//! Maximal coordinates: every body free, every joint a constraint.
//!
//! [`Maximal`] is the same machine as another model: each body with joints is free in the world, its joints become constraints to its
//! parent, and rotors and constraints are carried over; couplings of joints relate the relative coordinates of bodies. A body with several
//! joints gets massless bodies between them. Everything that runs models runs it; if the constraints form a tree, in O(n).
//!
//! The forces in the joints of the original (springs, dampers, actuators, tendons) are not part of the maximal model:
//! [`Maximal::add_joint_forces`] applies generalised forces of the original to its bodies.

mod build;
mod joint;
mod state;

use crate::algebra::V3;
use crate::model::{BodyId, ConstraintId, JointId, JointKind, Model, Mount, axes_with_z};

/// A joint of the original, between two bodies of the maximal model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointMap {
    pub kind: JointKind,
    pub a: Mount,
    pub b: Mount,
    /// The coordinate at which the mounts coincide.
    pub reference: f64,
    /// Where its coordinates and velocities start in those of the original.
    pub q: usize,
    pub v: usize,
    /// The axes for its angle and rate, if it is a hinge.
    pub hinge: Option<Hinge>,
    /// The constraint it became; `None` for a free joint.
    pub constraint: Option<ConstraintId>,
    /// The constraint of its rates, if it has a rotor or something resists them.
    pub rotor: Option<ConstraintId>,
}

/// The axes x, y, z of a hinge in its body a, z along it, and x in its body b.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge {
    pub in_a: [V3; 3],
    pub in_b: V3,
}

impl Hinge {
    fn of(kind: &JointKind, a: &Mount, b: &Mount) -> Option<Hinge> {
        let JointKind::Revolute { axis } = *kind else { return None };
        let axes = axes_with_z(axis);
        let in_a = [axes.x, axes.y, axes.z].map(|e| a.pose.rot * e);
        Some(Hinge { in_a, in_b: b.pose.rot * axes.x })
    }
}

/// The origin of a constraint of the maximal model: a constraint of the original, or one of its joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The axes that a joint locks.
    Joint(JointId),
    /// The rates of a joint with a rotor, a spring, a damper or a servo.
    Rotor(JointId),
    /// A constraint.
    Constraint(ConstraintId),
}

impl Source {
    /// The name of the joint or constraint.
    pub fn name(self, model: &Model) -> &str {
        match self {
            Source::Joint(id) | Source::Rotor(id) => &model[id].name,
            Source::Constraint(id) => &model[id].name,
        }
    }
}

/// A model in maximal coordinates, and its correspondence to the original.
///
/// ```
/// use poinsot_core::{algebra::V3, constraint::Maximal, dynamics::State, model::*};
/// let mut b = ModelBuilder::new("pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// let model = b.build()?;
/// let twin = Maximal::of(&model)?;
/// assert_eq!((twin.model().nv(), twin.model().constraints()[0].rows()), (6, 5));
/// let state = State { q: vec![0.5], v: vec![2.0], ..State::new(&model) };
/// let there = twin.state(&state);
/// let back = twin.reduced(&there, &state.q);
/// assert!((back.q[0] - 0.5).abs() < 1e-15 && (back.v[0] - 2.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Maximal {
    pub(super) model: Model,
    pub(super) joint_maps: Vec<JointMap>,
    /// For each body of the original: the body it became.
    pub(super) bodies: Vec<BodyId>,
    /// For each body of the maximal model that is free: where its coordinates and velocities start.
    pub(super) places: Vec<Option<(usize, usize)>>,
    /// For each constraint of the maximal model: its origin.
    pub(super) sources: Vec<Source>,
    /// For each constraint of the original: the one it became.
    pub(super) constraints: Vec<ConstraintId>,
    /// For each joint of the original: its map; `None` for a fixed joint.
    pub(super) map_of: Vec<Option<usize>>,
    /// The coordinates of the original that turns are counted from.
    pub(super) begin: Vec<f64>,
    /// For each term of the relations: the coordinate of the original that it equals.
    pub(in crate::constraint) measured: Vec<Option<usize>>,
    /// The number of velocities of the original.
    pub(super) nv: usize,
}

impl Maximal {
    /// The model of free bodies.
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The body that a body of the original became.
    pub fn body(&self, original: BodyId) -> BodyId {
        self.bodies[original.index()]
    }
    /// The constraint that a constraint of the original became: couplings of joints and tendons become relations.
    pub fn constraint(&self, original: ConstraintId) -> ConstraintId {
        self.constraints[original.index()]
    }
    /// The origin of a constraint of the maximal model.
    pub fn source(&self, constraint: ConstraintId) -> Source {
        self.sources[constraint.index()]
    }
    /// The coordinates of the original that turns are counted from.
    pub fn begin(&self) -> &[f64] {
        &self.begin
    }
    /// The constraint of joint number `joint` of the original, and that of its rates if they are resisted.
    pub fn joint_constraints(&self, joint: usize) -> [Option<ConstraintId>; 2] {
        self.joint_map(joint).map_or([None; 2], |t| [t.constraint, t.rotor])
    }
    pub(crate) fn joint_map(&self, joint: usize) -> Option<&JointMap> {
        self.map_of[joint].map(|k| &self.joint_maps[k])
    }
}
