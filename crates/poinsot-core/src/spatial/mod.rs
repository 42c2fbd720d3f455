//! Rotations, poses, motions, forces and inertias: the geometry of one rigid body.
//!
//! Frames are named by letters: `X_WB` is the pose of B in W and maps coordinates in B to coordinates in W.
//! Motions are (angular; linear), forces (moment; force), both referred to the origin of their frame.

mod eigen;
mod inertia;
mod mass_tensor;
mod motion;
mod pose;
mod rotation;

pub(crate) use eigen::eigen3;
pub use inertia::{Inertia, InertiaError};
pub use mass_tensor::MassTensor;
pub use motion::{Force, Motion};
pub use pose::Pose;
pub use rotation::{Quat, exp_se3, exp_so3, left_jacobian, left_jacobian_inverse, log_se3, log_so3};
