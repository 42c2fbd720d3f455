//! The most commonly used items: `use poinsot::prelude::*`.
//!
//! ```
//! use poinsot::prelude::*;
//! let mut b = ModelBuilder::new("pendulum");
//! let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
//! b.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z));
//! let model = b.build()?;
//! let mut simulation = Simulation::builder(&model)
//!     .state(State { q: vec![1.0], ..State::new(&model) })
//!     .integrator(Method::Midpoint)
//!     .formulation(Formulation::Maximal)
//!     .dt(1e-3)
//!     .build()?;
//! simulation.step()?;
//! assert_eq!(simulation.steps(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::algebra::V3;
pub use crate::audit::Line;
pub use crate::constraint::{Source, Stabilisation};
pub use crate::dynamics::{State, Workspace};
pub use crate::integrate::{ForceElement, Integrator, Method, Stepping};
pub use crate::model::{
    Actuator, ActuatorId, BodyId, BodySpec, Constraint, ConstraintId, FixedTendon, Geom, Joint, JointId,
    Material, Model, ModelBuilder, Mount, Shape, TendonId,
};
pub use crate::spatial::{Pose, Quat};
pub use crate::{Contact, Formulation, Simulation, SimulationBuilder, SimulationError, Snapshot};
