//! Derivatives of a whole step, by implicit differentiation of its equations.
//!
//! Where nothing is met and nothing is left, a step of size h of `semi-implicit`, `implicit` or `leapfrog` solves
//!
//! ```math
//! (1)  (M + E) a + c(q_0, \hat v) = τ(q_0, v, u) + f − r K v + Jᵀ λ          q_0 = q ⊕ ρ v
//! (2)  v̄ = v + h a                                                         q̄ = q_0 ⊕ (h − ρ) v̄
//! (3)  (M + E) δ = Jᵀ μ,   C(q⁺) = 0                                        q⁺ = q̄ ⊕ δ
//! (4)  (M + E) w = Jᵀ ν,   J(q⁺) v⁺ = 0                                    v⁺ = v̄ + w
//! ```
//! with M and J at q₀, and E = h (D + r K) the implicit part ([`super::stiff`]). (3) and (4) are the projections onto
//! the constraints, with the factor of the step.
//!
//! | | ρ | r | v̂ | rows of (1) |
//! |---|---|---|---|---|
//! | `semi-implicit` | 0 | no E | v | J a + J̇ v = 0 |
//! | `implicit` | 0 | h | v | C + h J v* = 0 |
//! | `leapfrog` | ½ h | ½ h | v + ½ h a₋, and (1) of [`super::spin`] | J (v + v*) = 0 |
//!
//! Contacts are further rows, with the equations of their modes in place of Ċ = 0 ([`touch`]). Dry friction that slips is a constant force;
//! where it sticks, J v* = 0. Every equation is linear in the differentials of its unknowns, so the derivatives follow one after the other,
//! for all columns at once. They need:
//!
//! ```math
//! (5)  ∂(M a + c)/∂q, ∂c/∂v, M          [`dynamics`](crate::dynamics), analytic
//! (6)  ∂_x (J y) = S(x, y) + ½ J (x × y)          S(x, y) = ¼ [b(x + y) − b(x − y)],   b(v) = J̇ v
//! (7)  d(q ⊕ x) = exp(−x) dq + J_r(x) dx          of attitudes, in body axes; of lines, dq + dx
//! ```
//! (6) is exact: b, the J̇ v of the rows, is a quadratic form in v, S is its polar form, and the rest is the bracket of rotations about body
//! axes.

mod forces;
mod rows;
mod solve;
mod touch;

pub use solve::StepMatrices;

use super::spin::LooseBodies;
use crate::constraint::RowTiming;

/// The equations (1) of a step where it begins, with what they have led to.
#[derive(Clone, Debug)]
pub struct StepEquations {
    /// When the rows are imposed.
    pub(super) timing: RowTiming,
    /// D and K are taken at the end.
    pub(super) stiff: bool,
    /// a and v̂.
    pub(super) a: Vec<f64>,
    pub(super) v_hat: Vec<f64>,
    /// a₋, where it was found for this step from v̂ = v.
    pub(super) found_before: Option<Vec<f64>>,
    /// Bodies whose v̂ is the mean spin.
    pub(super) loose: Option<LooseBodies>,
    /// These mean spins are ω + ½ h a, with what contacts do.
    pub(super) spins_corrected: bool,
}

/// Why a step has no derivatives by its equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEquations {
    /// The method has none.
    Method,
    /// Constraints are kept by letting errors decay.
    Decay,
    /// Some constraints are soft.
    Soft,
    /// Some constraints hold velocities alone, as rolling does.
    Rolling,
    /// Dry friction holds beside closed loops.
    Stuck,
    /// An end of a range is met, held or left.
    Ends,
    /// Bodies touch and collide, yield, roll or overlap, or are about to slide, or close loops.
    Contact,
    /// The step was made in parts.
    Parts,
    /// Constraints depend on one another only while loops are closed.
    Dependent,
    /// The mass matrix is singular.
    Singular,
    /// The drag of a medium is implicit.
    Drag,
}

impl NoEquations {
    /// What a user reads.
    pub fn reason(self) -> &'static str {
        match self {
            NoEquations::Method => "the method is not `semi-implicit`, `implicit` or `leapfrog`",
            NoEquations::Decay => "errors of constraints decay and are not projected",
            NoEquations::Soft => "some constraints are soft",
            NoEquations::Rolling => "some constraints hold velocities alone",
            NoEquations::Stuck => "dry friction holds a joint of a mechanism with closed loops",
            NoEquations::Ends => "the end of a range is met, held or left in the step",
            NoEquations::Contact => "bodies collide, or touch in a way for which there are no equations",
            NoEquations::Parts => "the step was made in parts",
            NoEquations::Dependent => "constraints depend on one another only while loops are closed",
            NoEquations::Singular => "the mass matrix is singular",
            NoEquations::Drag => "the drag of the medium is evaluated at the end of the step",
        }
    }
}
