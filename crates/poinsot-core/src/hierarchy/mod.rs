//! The trace form: mechanics of a hierarchy of 4×4 transforms, without angular velocities or inertia tensors
//! [Hollerbach80].
//!
//! Node i maps points x (with a fourth coordinate 1) of its own frame to world points `W_i x`. Its mass tensor is `M_i = ∫ x xᵀ dm` (4×4),
//! its mass m_i, its centre of mass c_i. Then, with `W_i = W_p R_i` on the parent p,
//!
//! ```math
//! (1)  T   = ½ Σ_i tr(Ẇ_i M_i Ẇ_iᵀ)
//! (2)  τ_j = Σ_i [ tr(∂W_i/∂q_j M_i Ẅ_iᵀ) − m_i g·(∂W_i/∂q_j c_i) ] − Σ_k F_k·(∂W_k/∂q_j x_k)
//! ```
//! (2) is Lagrange's equation for (1): inertia, minus the work of gravity and of the forces F_k at the points x_k.
//!
//! *Signs.* τ is the force that the actuators must supply, as in [`crate::dynamics`]; g is the acceleration of free fall;
//! F_k acts on the hierarchy; a multiplier λ_l acts in the direction of increasing C_l, which adds `− λ_l ∂C_l/∂q_j` to (2). [HIERARCHIES]
//! writes all these terms with `+`: its g, F and λ are the negatives of ours.
//!
//! Below j, only `W_i = W_j W_i^j` depends on q_j, and only through W_j. So the sums over a subtree are two recursions over the children k
//! of i, and every degree of freedom needs only its own node, in O(n) for all:
//!
//! ```math
//! (3)  ĉ_i = m_i c_i + Σ_k R_k ĉ_k
//! (4)  M̂̈_i = M_i Ẅ_iᵀ − Σ x Fᵀ + Σ_k R_k M̂̈_k
//! (5)  τ_j = tr(∂W_j/∂q_j M̂̈_j) − g·(∂W_j/∂q_j ĉ_j)          ∂W_j/∂q_j = W_p ∂R_j/∂q_j
//! ```
//! Nothing here requires R to be a rotation: a node that scales or shears its frame obeys the same five equations. A degree of freedom may
//! be a velocity that is not the derivative of a coordinate (the body rates of a ball joint); then ∂/∂q_j is the derivative along the
//! corresponding motion.
//!
//! # Nodes that stretch
//!
//! An [`AffineModel`] is such a hierarchy: nodes that rotate, translate, scale, stretch and shear in any order ([`NodeMotion`]), with
//! primitives, springs along degrees of freedom and constraints. [`AffineDynamics`] has its forward dynamics in O(n), and evaluates (2),
//! with the multipliers λ as unknowns next to q, as a residual `C_j(q, q̇, q̈, λ)` with its Jacobians.

mod affine;
mod affine_dynamics;
mod articulated;
mod build;
mod conditions;
mod dynamics;
mod energies;
mod error;
mod motion;
mod newton;
mod newtonian;
mod stepping;
#[cfg(test)]
mod stretched;

pub use affine::Affine;
pub use affine_dynamics::AffineDynamics;
pub use build::{AffineBuilder, AffineModel, DofSpring, Primitive};
pub use conditions::Condition;
pub use dynamics::{Hierarchy, PointForce};
pub use error::AffineError;
pub use motion::NodeMotion;
pub use newton::{Attachment, NewtonianConstraint};
pub use newtonian::Jacobians;
pub use stepping::{AffineMethod, AffineState};
