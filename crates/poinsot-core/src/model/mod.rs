//! The model: bodies connected in a tree, made with a builder, and compiled once into the form that the sweeps use.

mod actuator;
mod bound;
mod builder;
mod compile;
mod constraint;
mod coordinates;
mod edit;
mod error;
mod geom;
mod geometry;
mod height_field;
mod hull;
mod ids;
mod index;
mod joint;
mod material;
mod medium;
mod mesh;
mod redundancy;
mod relation;
mod sensor;
mod shape;
mod tendon;

pub use actuator::{Actuator, ActuatorDynamics, Bias, Gain, Transmission};
pub use bound::{Bound, BoundKind, Bounded, Stop};
pub use builder::{BodySpec, ModelBuilder};
pub(crate) use compile::{Kind, Tree, axes_with_z};
pub use constraint::{Constraint, ConstraintKind, Mount, Softness};
pub(crate) use coordinates::Layout;
pub use error::ModelError;
pub use geom::{Filter, Geom, Role};
pub use geometry::ContactPair;
pub(crate) use geometry::{ContactRules, Geometry};
pub use height_field::{HeightField, Heights};
pub use hull::convex_hull;
pub use ids::{ActuatorId, BodyId, ConstraintId, GeomId, JointId, SensorId, SiteId, TendonId};
pub use joint::{Joint, JointKind};
pub use material::{Material, SolverParameters};
pub(crate) use medium::Hull;
pub use medium::Medium;
pub use mesh::{Mesh, MeshError, TriangleMesh, mesh_inertia};
pub use relation::{Part, Relation, Relative};
pub use sensor::{Frame, FrameQuantity, LimitQuantity, Measure, NearestQuantity, Sensor, Site};
pub use shape::{Shape, ShapeError};
pub use tendon::FixedTendon;

use crate::algebra::V3;
use crate::spatial::{Inertia, Pose};
use std::ops::Range;
use std::sync::Arc;

/// A body of a [`Model`].
#[derive(Clone, Debug)]
pub struct Body {
    /// The name, unique in the model.
    pub name: String,
    /// The parent body; the world is its own parent.
    pub parent: BodyId,
    /// The pose in the parent's frame with all its joints at their reference.
    pub pose: Pose,
    /// The inertia, in the body frame.
    pub inertia: Inertia,
    /// Its joints, in the order they act from parent to body; empty if it is fixed to the parent.
    pub joints: Range<usize>,
    /// The part of its weight that is compensated: a passive force of −factor · m g at its centre of mass.
    pub gravity_compensation: f64,
    /// The compiled link the body is fixed to, and its pose there.
    pub(crate) link: usize,
    pub(crate) pose_in_link: Pose,
}

/// An immutable, shareable model: bodies, joints, gravity, and the compiled tree.
///
/// ```
/// use poinsot_core::model::{BodyId, BodySpec, Joint, ModelBuilder, Shape};
/// use poinsot_core::algebra::V3;
/// let mut b = ModelBuilder::new("pendulum");
/// let rod = b.body(BodyId::WORLD, BodySpec::new("rod").solid(&Shape::Capsule { radius: 0.02, length: 1.0 }, 1.0)?);
/// b.joint(rod, Joint::revolute(V3::Y).named("hinge").anchor(V3::new(0.0, 0.0, 0.5)));
/// let model = b.build()?;
/// assert_eq!((model.nq(), model.nv(), model.body("rod")), (1, 1, Some(rod)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) name: String,
    pub(crate) gravity: V3,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) tendons: Vec<FixedTendon>,
    pub(crate) actuators: Vec<Actuator>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) sites: Vec<Site>,
    pub(crate) sensors: Vec<Sensor>,
    pub(crate) bounds: Vec<Bound>,
    pub(crate) geometry: Arc<Geometry>,
    pub(crate) tree: Tree,
    /// The tree with only the compensated masses; `None` if no weight is compensated.
    pub(crate) carried: Option<Box<Tree>>,
    /// The medium, and the equivalent boxes of the bodies in it.
    pub(crate) medium: Option<Medium>,
    pub(crate) hulls: Vec<Hull>,
    pub(crate) layout: Layout,
    pub(crate) defects: Vec<ModelError>,
}

impl Model {
    /// The name given to the builder.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The acceleration of gravity.
    pub fn gravity(&self) -> V3 {
        self.gravity
    }
    /// A copy with another gravity.
    pub fn with_gravity(&self, gravity: V3) -> Model {
        Model { gravity, ..self.clone() }
    }
    /// A copy with another stiffness and damping for one soft constraint.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, model::*};
    /// let mut b = ModelBuilder::new("a ball on a spring");
    /// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// b.joint(ball, Joint::free());
    /// let (hook, eye) = (Mount::new(BodyId::WORLD, V3::Z), Mount::new(ball, V3::ZERO));
    /// let spring = b.constraint(Constraint::distance(hook, eye, 1.0).soft(100.0, 0.0));
    /// let model = b.build()?;
    /// let softness = model.constraints()[0].softness.unwrap();
    /// let stiffer = model.with_softness(spring, Softness { stiffness: 200.0, ..softness })?;
    /// assert_eq!(stiffer.constraints()[0].softness.unwrap().stiffness, 200.0);
    /// assert!(model.with_softness(spring, Softness { stiffness: -1.0, ..softness }).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_softness(&self, constraint: ConstraintId, softness: Softness) -> Result<Model, ModelError> {
        let mut model = self.clone();
        let changed = &mut model.constraints[constraint.index()];
        if changed.softness.is_none() {
            let why = "it is rigid; give it a softness where the model is built".into();
            return Err(ModelError::Constraint { constraint: changed.name.clone(), why });
        }
        changed.softness = Some(softness);
        changed.check(&self.bodies, &self.joints, &self.tendons)?;
        Ok(model)
    }
    /// The number of configuration coordinates.
    pub fn nq(&self) -> usize {
        self.tree.nq
    }
    /// The number of degrees of freedom.
    pub fn nv(&self) -> usize {
        self.tree.nv
    }
    /// All bodies; the world is the first.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }
    /// The ids of all bodies, in the order of [`Model::bodies`].
    pub fn body_ids(&self) -> impl ExactSizeIterator<Item = BodyId> + use<> {
        (0..self.bodies.len()).map(BodyId)
    }
    /// The ids of all joints, in the order of [`Model::joints`].
    pub fn joint_ids(&self) -> impl ExactSizeIterator<Item = JointId> + use<> {
        (0..self.joints.len()).map(JointId)
    }
    /// The ids of all constraints, in the order of [`Model::constraints`].
    pub fn constraint_ids(&self) -> impl ExactSizeIterator<Item = ConstraintId> + use<> {
        (0..self.constraints.len()).map(ConstraintId)
    }
    /// All joints, in the order of their coordinates.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }
    /// All tendons, in the order they were added.
    pub fn tendons(&self) -> &[FixedTendon] {
        &self.tendons
    }
    /// All actuators, in the order they were added: the order of the controls.
    pub fn actuators(&self) -> &[Actuator] {
        &self.actuators
    }
    /// All constraints outside the tree, in the order they were added.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    /// The limits and the dry friction of joints and tendons: joints first, in the order of their coordinates.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }
    /// The constraint with this name.
    pub fn constraint(&self, name: &str) -> Option<ConstraintId> {
        self.constraints.iter().position(|c| c.name == name).map(ConstraintId)
    }
    /// The number of actuators with dynamics: the number of activations.
    pub fn activations(&self) -> usize {
        self.actuators.iter().filter(|a| a.activation.is_some()).count()
    }
    /// The tendon with this name.
    pub fn tendon(&self, name: &str) -> Option<TendonId> {
        self.tendons.iter().position(|t| t.name == name).map(TendonId)
    }
    /// The actuator with this name.
    pub fn actuator(&self, name: &str) -> Option<ActuatorId> {
        self.actuators.iter().position(|a| a.name == name).map(ActuatorId)
    }
    /// The medium; `None` for vacuum.
    pub fn medium(&self) -> Option<Medium> {
        self.medium
    }
    /// True if nothing in the model can change its energy: no damper, dry friction, actuator or medium, and no limit or rope
    /// that dissipates energy in impacts.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, model::*};
    /// let with = |joint: Joint| -> Result<Model, Box<dyn std::error::Error>> {
    ///     let mut b = ModelBuilder::new("door");
    ///     let door = b.body(BodyId::WORLD, BodySpec::new("door").solid(&Shape::Sphere { radius: 1.0 }, 1.0)?);
    ///     b.joint(door, joint);
    ///     Ok(b.build()?)
    /// };
    /// assert!(with(Joint::revolute(V3::Z))?.is_conservative());
    /// assert!(!with(Joint::revolute(V3::Z).limits(0.0, 1.0))?.is_conservative());
    /// assert!(with(Joint::revolute(V3::Z).limits(0.0, 1.0).restitution(1.0))?.is_conservative());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_conservative(&self) -> bool {
        let rebounds = |limits: Option<(f64, f64)>, stop: Stop| {
            limits.is_none() || stop.softness.map_or(stop.restitution == 1.0, |(_, damping)| damping == 0.0)
        };
        let still = |j: &Joint| j.damping == 0.0 && j.friction_loss == 0.0 && rebounds(j.limits, j.stop);
        let springy =
            |t: &FixedTendon| t.damping == 0.0 && t.friction_loss == 0.0 && rebounds(t.limits, t.stop);
        let slack = |c: &Constraint| matches!(c.kind, ConstraintKind::Rope { .. }) && c.softness.is_none();
        self.actuators.is_empty()
            && self.medium.is_none()
            && self.joints.iter().all(still)
            && self.tendons.iter().all(springy)
            && !self.constraints.iter().any(slack)
            && self
                .constraints
                .iter()
                .all(|c| c.softness.is_none_or(|s| s.damping == 0.0 && s.turning_damping == 0.0))
    }
    /// Errors accepted by a [lenient](ModelBuilder::lenient) builder: impossible inertias and joints that move no mass.
    pub fn defects(&self) -> &[ModelError] {
        &self.defects
    }
    /// True if some joint moves no mass, so that accelerations are not determined.
    pub fn is_singular(&self) -> bool {
        let singular =
            |e: &ModelError| matches!(e, ModelError::Massless { .. } | ModelError::Redundant { .. });
        self.defects.iter().any(singular)
    }
    /// The body with this name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(BodyId)
    }
    /// The joint with this name.
    pub fn joint(&self, name: &str) -> Option<JointId> {
        self.joints.iter().position(|j| j.name == name).map(JointId)
    }
    /// The total mass of all bodies that can move.
    pub fn mass(&self) -> f64 {
        self.bodies.iter().filter(|b| b.link != 0).map(|b| b.inertia.mass).sum()
    }
    /// A name for messages about the degree of freedom `dof`: its joint, or the joint and the component.
    pub fn dof_name(&self, dof: usize) -> String {
        match self.joints.iter().find(|j| j.dofs().contains(&dof)) {
            Some(j) if j.dofs().len() == 1 => format!("joint \"{}\"", j.name),
            Some(j) => format!("joint \"{}\" component {}", j.name, dof - j.dofs().start),
            None => format!("degree of freedom {dof}"),
        }
    }
}
