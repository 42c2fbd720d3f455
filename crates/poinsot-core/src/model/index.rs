//! Access by id: `model[id]`.

use super::{Actuator, ActuatorId, Body, BodyId, Constraint, ConstraintId, FixedTendon, Joint, JointId};
use super::{Model, Sensor, SensorId, Site, SiteId, TendonId};
use std::ops::Index;

/// ```
/// # use poinsot_core::model::*;
/// let mut b = ModelBuilder::new("ball");
/// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 1.0 }, 1.0)?);
/// let joint = b.joint(ball, Joint::free().named("root"));
/// let model = b.build()?;
/// assert_eq!((model[ball].name.as_str(), model[joint].name.as_str()), ("ball", "root"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Index<BodyId> for Model {
    type Output = Body;
    fn index(&self, id: BodyId) -> &Body {
        &self.bodies[id.index()]
    }
}

impl Index<JointId> for Model {
    type Output = Joint;
    fn index(&self, id: JointId) -> &Joint {
        &self.joints[id.index()]
    }
}

impl Index<ConstraintId> for Model {
    type Output = Constraint;
    fn index(&self, id: ConstraintId) -> &Constraint {
        &self.constraints[id.index()]
    }
}

impl Index<ActuatorId> for Model {
    type Output = Actuator;
    fn index(&self, id: ActuatorId) -> &Actuator {
        &self.actuators[id.index()]
    }
}

impl Index<TendonId> for Model {
    type Output = FixedTendon;
    fn index(&self, id: TendonId) -> &FixedTendon {
        &self.tendons[id.index()]
    }
}

impl Index<SiteId> for Model {
    type Output = Site;
    fn index(&self, id: SiteId) -> &Site {
        &self.sites[id.index()]
    }
}

impl Index<SensorId> for Model {
    type Output = Sensor;
    fn index(&self, id: SensorId) -> &Sensor {
        &self.sensors[id.index()]
    }
}
