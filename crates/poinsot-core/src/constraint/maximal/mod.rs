//! Maximal coordinates: every body free, every joint a constraint.
//!
//! [`Maximal`] is the same machine as a model of another kind: each body that has joints hangs free in the world, its
//! joints are constraints to its parent, rotors and constraints go along; couplings of joints tie the coordinates that bodies
//! show. A body with several joints gets massless bodies
//! between them. All that runs models runs it; where the constraints form a tree, in O(n).
//!
//! What the joints of the original know (springs, dampers, actuators, tendons) is not in the maximal model:
//! [`Maximal::add_joint_forces`] brings generalised forces of the original to its bodies.

mod build;
mod joint;
mod state;

use crate::model::{BodyId, ConstraintId, JointId, JointKind, Model, Mount};

/// A joint of the original, between two bodies of the maximal model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    pub kind: JointKind,
    pub a: Mount,
    pub b: Mount,
    /// The coordinate at which the mounts coincide.
    pub reference: f64,
    /// First places in the coordinates and velocities of the original.
    pub q: usize,
    pub v: usize,
    /// The constraint it became; none for a free joint.
    pub constraint: Option<ConstraintId>,
    /// Its rates, if it has a rotor or something resists them.
    pub rotor: Option<ConstraintId>,
}

/// What of a model is held: one of its constraints or, in maximal coordinates, one of its joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The axes that a joint does not leave free.
    Joint(JointId),
    /// The rates of a joint, on which a rotor, a spring, a damper or a servo is.
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

/// A model in maximal coordinates, and how it belongs to the original.
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
    pub(super) ties: Vec<Tie>,
    /// For each body of the original: the body it became.
    pub(super) bodies: Vec<BodyId>,
    /// For each body of the maximal model that is free: where its coordinates and velocities begin.
    pub(super) places: Vec<Option<(usize, usize)>>,
    /// For each constraint of the maximal model: what it came from.
    pub(super) sources: Vec<Source>,
    /// For each constraint of the original: the one it became.
    pub(super) constraints: Vec<ConstraintId>,
    /// For each joint of the original: its tie; none for a fixed joint.
    pub(super) tie_of: Vec<Option<usize>>,
    /// The coordinates of the original that turns are counted from.
    pub(super) begin: Vec<f64>,
    /// For each term of the relations: the coordinate of the original that it is.
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
    /// What a constraint of the maximal model came from.
    pub fn source(&self, constraint: ConstraintId) -> Source {
        self.sources[constraint.index()]
    }
    /// The coordinates of the original that turns are counted from.
    pub fn begin(&self) -> &[f64] {
        &self.begin
    }
    /// The constraint that holds the joint number `joint` of the original, and that of its rates if these are resisted.
    pub fn joint_constraints(&self, joint: usize) -> [Option<ConstraintId>; 2] {
        self.tie(joint).map_or([None; 2], |t| [t.constraint, t.rotor])
    }
    pub(crate) fn tie(&self, joint: usize) -> Option<&Tie> {
        self.tie_of[joint].map(|k| &self.ties[k])
    }
}
