//! Motion from energies: a user writes K(q, q̇) and U(q), or the positions of point masses, and the equations follow [LandauLifshitz76, §§
//! 1–5].
//!
//! ```text
//! (1)  L(q, q̇) = K(q, q̇) − U(q)                        Lagrangian
//! (2)  S(q) = ∫ L(q, q̇) dt                             action; a motion makes it stationary: δS = 0
//! (3)  d/dt ∂K/∂q̇ = ∂K/∂q − ∂U/∂q  (+ Jᵀλ,  C(q) = 0)   change of momentum = fictitious force + force
//! (4)  p = ∂K/∂q̇ = b q̇                                 momentum: the flat of the velocity by the metric b = ∂²K/∂q̇²
//! (5)  b ∇q̇/dt = −dU                                   the same without coordinates; with U = 0, a geodesic of b
//! (6)  x_a = f_a(q):   K = ∫ ½ |df_a q̇|² da,   U = ∫ u(f_a(q)) da
//! ```
//! Energies are functions generic over [`crate::algebra::Analytic`]; derivatives are taken by dual numbers and exact to
//! round-off. [`EquationsOfMotion`] evaluates (1) to (5) and steps; [`Atoms`] is (6); [`FormulaLagrangian`] reads energies from text.
//!
//! Rotations and poses have no global coordinates to differentiate by: [`OnGroup`] uses velocities in body axes, and states the
//! corresponding form of (3) and (5).
//!
//! Sums over all degrees of freedom are dense: these equations are for systems with up to some tens of coordinates and arbitrary energies.
//! Trees of many bodies belong to [`crate::dynamics`], those whose nodes stretch to [`crate::hierarchy`].
//!
//! | method | file | order | conserves |
//! |---|---|---|---|
//! | `semi-implicit` | `semi_implicit.rs` | 1 | bounded energy error if K does not depend on q |
//! | `rk4` | `rk4.rs` | 4 | nothing exactly |
//! | `midpoint` | `variational.rs` | 2 | momenta of symmetries and quadratic invariants; bounded energy error |
//! | `verlet` | `variational.rs` | 2 | momenta of symmetries; bounded energy error |
//! | `variational-4` | `variational.rs` | 4 | as `midpoint` |

mod action;
mod atoms;
mod derivatives;
mod energies;
mod equations;
mod error;
mod expression;
mod formulas;
mod group;
mod group_formulas;
mod method;
mod on_group;
mod parse;
mod rk4;
mod semi_implicit;
mod stretching;
mod variational;

pub use action::Rule;
pub use atoms::{Atoms, FromAtoms};
pub use energies::Lagrangian;
pub use equations::EquationsOfMotion;
pub use error::LagrangeError;
pub use expression::Expression;
pub use formulas::{FormulaAtom, FormulaError, FormulaLagrangian};
pub use group::{Factor, GroupLagrangian};
pub use group_formulas::FormulaOnGroup;
pub use method::{LagrangeMethod, Phase};
pub use on_group::{GroupEquation, GroupPhase, OnGroup};
pub use parse::ExpressionError;
pub use stretching::Stretching;
