//! Dynamics of trees in reduced coordinates. The interface uses words; the sweeps use the letters of the textbooks.

mod aba;
mod accelerations;
mod actuation;
mod crba;
mod derivatives;
mod energy;
mod forces;
mod free_roots;
mod kinematics;
mod lagrangian_force;
mod medium;
mod outward;
pub mod pinocchio;
mod rnea;
mod state;
mod sweep;
mod transmit;
mod workspace;

pub use actuation::{ActuatorReading, Control};
pub use crba::MassMatrix;
pub use derivatives::{
    CentroidalDerivatives, ForwardDynamicsDerivatives, InverseDynamicsDerivatives, Regressor, SquareView,
};
pub(crate) use energy::Energies;
pub use forces::ExternalForces;
pub use kinematics::At;
pub(crate) use medium::DragMatrix;
pub use state::State;
pub use workspace::{BatchWorkspace, GenericWorkspace, Workspace};
