//! Contacts, friction, limits and equalities solved together, on plain matrices.
//!
//! An island of touching bodies is described by its [Delassus matrix](Delassus) `G = J M⁻¹ Jᵀ`, the velocities q that its contacts would
//! have without impulses, and a [`Law`] for each of them. The unknowns are impulses λ and velocities u with
//!
//! ```math
//! u = (G + E) λ + q      contact:  0 ≤ λ_n ⟂ u_n ≥ 0,  ‖λ_T‖ ≤ μ λ_n,  λ_T = −μ λ_n u_T/‖u_T‖ while it slides
//! ```
//! Forces and accelerations satisfy a problem of the same form. E ≥ 0 is a diagonal compliance, 0 for a rigid contact. All solvers support
//! it, start from the given impulses, and return a [`Certificate`] computed from the solution itself.
//!
//! | solver | cone | for |
//! |---|---|---|
//! | [`Exact`] | exact | solutions to round-off |
//! | [`Polyhedral`] | with any number of edges | the classical linear complementarity problem, by pivoting |
//! | [`Pgs`] | exact | very many contacts, a few digits |
//! | [`SoftSubsteps`] | exact | piles of thousands of bodies, with a step divided into small ones |
//! | [`RestingSolver`] | exact | forces and accelerations between events, with sliding contacts |
//!
//! G is given as a [dense](Dense) matrix, in [blocks](Blocks), or by its [free bodies](FreeBodies). With free bodies the work of a sweep is
//! proportional to the number of contacts, and each step of Newton's method is a sparse system with six unknowns per body.
//!
//! [`Lcp`] and [`minimise`] solve linear complementarity problems and quadratic programmes in their own right.

mod alone;
mod block_lu;
mod body_space;
mod by_rows;
mod cascade;
mod certificate;
mod cone;
mod conic;
mod delassus;
mod dense;
mod exact;
mod factored;
mod free_bodies;
mod full;
mod interior;
mod inverses;
mod iterate;
mod joint_space;
mod lcp;
mod local;
mod nesterov_todd;
mod newton;
mod operator;
mod pgs;
mod polyhedral;
mod problem;
mod proximal;
mod qp;
mod resting;
mod scaled;
mod substeps;
mod sweep;
mod verdict;

pub use certificate::{Certificate, Level, Stage, Status};
pub use conic::Conic;
pub use delassus::{Blocks, Delassus, Dense};
pub(crate) use dense::Lu;
pub use exact::{Exact, Options};
pub(crate) use factored::Factored;
pub use free_bodies::FreeBodies;
pub use lcp::{Lcp, LcpSolution, Method as LcpMethod};
pub use pgs::Pgs;
pub use polyhedral::Polyhedral;
pub use problem::{Law, MOST_ROWS, Problem, ProblemError};
pub use qp::{QpSolution, QpStatus, minimise};
pub use resting::{Mode, Resting, RestingSolver};
pub use substeps::{PileBody, PileContact, PileReport, SoftSubsteps, Softness};
