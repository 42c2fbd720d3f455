//! Constraints: loops of a tree, joints between free bodies, couplings, rolling; rigid or soft; limits and dry friction.
//!
//! A constraint requires C(q) = 0, or for a rolling wheel J(q) v = 0. With its Jacobian J, `Ċ = J v`, the equations of motion have a
//! multiplier λ for each row:
//!
//! ```math
//! (1)  M v̇ + c + g = τ + Jᵀ λ
//! (2)  J v̇ + E λ = −J̇ v
//! ```
//! *Signs.* λ is the force in the direction of increasing C: a distance constraint that pulls has λ < 0. E is diagonal: 0 for rigid rows;
//! 1/I for the rotor of a joint; and the [compliance of a soft row](soft) in a step that is implicit in it. So rigid is the limit of soft,
//! computed by the same code.
//!
//! (1) and (2) are solved with methods that are already O(n). In reduced coordinates M⁻¹ is the articulated-body algorithm, and there are
//! few rows: `(J M⁻¹ Jᵀ + E) λ = …` is small and dense [Featherstone08, section 8.5]. In maximal coordinates M is block diagonal, and the
//! rows of the joints, a tree, are eliminated together with the bodies in O(n) [Baraff96]; the rows that close loops are left for the small
//! dense system, Baraff's auxiliary constraints. Rows that depend on others share their load by least norm and are reported.

mod assemble;
mod bodies_tree;
mod bounds;
mod columns;
mod forward;
mod halves;
mod inequality;
mod islands;
mod joint_tree;
mod kinds;
mod kkt;
mod law;
mod locked_joints;
mod maximal;
mod measured;
mod pivoting;
mod project;
mod reactions;
mod rows;
mod sizes;
mod soft;
mod solver;
mod sparse;
mod stabilisation;
mod stiffness;
mod touch;
mod unilateral;

pub use assemble::{Assembled, AssemblyError};
pub use inequality::Inequality;
pub(crate) use kinds::{Pair, rates};
pub use kkt::Kkt;
pub(crate) use law::{RowSystem, Status};
pub use maximal::{Maximal, Source};
pub use pivoting::Pivots;
pub use project::{LimitViolation, Violation};
pub use reactions::Reactions;
pub(crate) use rows::Owner;
pub use solver::{ConstraintError, Mobility, Multipliers};
pub use stabilisation::Stabilisation;
pub use stiffness::{SecondDerivative, Stiffness};
pub(crate) use touch::{
    AT_IMPACT, AXES, ContactWork, InverseForces, RestProblem, RestThresholds, RestingContact,
};
pub use touch::{
    Collision, ContactKey, ContactPoint, ContactResult, ContactSettings, ContactSoftness, ContactSolver,
    ContactSource, FirstTouch, Impacts, Restitution, Surface, SweepRule,
};
pub use unilateral::EventKind;
pub(crate) use unilateral::{ImpulseWork, RESTING, RowTiming, TOUCHING};
