//! Typed indices, so that a body cannot be mistaken for a joint.

/// A body of a model. The world is body 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub(crate) usize);

impl BodyId {
    /// The world.
    pub const WORLD: BodyId = BodyId(0);
    /// The position in [`super::Model::bodies`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A joint of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointId(pub(crate) usize);

impl JointId {
    /// The position in [`super::Model::joints`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A tendon of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TendonId(pub(crate) usize);

impl TendonId {
    /// The position in [`super::Model::tendons`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// An actuator of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActuatorId(pub(crate) usize);

impl ActuatorId {
    /// The position in [`super::Model::actuators`], and in the controls of a system.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A constraint of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstraintId(pub(crate) usize);

impl ConstraintId {
    /// The position in [`super::Model::constraints`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A geom of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GeomId(pub(crate) usize);

impl GeomId {
    /// The position in [`super::Model::geoms`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A site of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub(crate) usize);

impl SiteId {
    /// The position in [`super::Model::sites`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A sensor of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SensorId(pub(crate) usize);

impl SensorId {
    /// The position in [`super::Model::sensors`].
    pub fn index(self) -> usize {
        self.0
    }
}
