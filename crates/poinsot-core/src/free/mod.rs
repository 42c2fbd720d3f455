//! One free rigid body: its states, the loads on it, and the ways to step it.
//!
//! The body rotates with `Ṙ = [ω]× R` and obeys
//! ```math
//! Ṗ = F,   L̇ = τ,      P = m v,   L = I_W ω,   I_W = R I Rᵀ
//! ```
//! with everything in world axes except I, which is constant in body axes. Two choices of variables are supported: velocities (p, q, ṗ, ω),
//! in which Euler's gyroscopic term must be integrated, and momenta (x, q, P, L), in which it disappears and a body without torque keeps L
//! to the last bit.
//!
//! | name | file | order | without torque |
//! |---|---|---|---|
//! | `lecture` | `lecture.rs` | 1 | gains energy, L drifts; world ω, the loop of [NEWTONEULER] |
//! | `euler-forward` | `forward.rs` | 1 | gains energy, L drifts |
//! | `euler-backward` | `backward.rs` | 1 | loses energy, L drifts |
//! | `rk4` | `rk4.rs` | 4 | energy and L drift slowly |
//! | `momentum` | `lie.rs` | 1 | L exact, gains energy |
//! | `buss` | `buss.rs` | 2 | L exact |
//! | `buss-augmented` | `buss.rs` | 2 | L exact |
//! | `exact` | `exact.rs` | 2 | exact for every step |
//! | `exact-4` | `exact4.rs` | 4 | exact for every step |
//!
//! `lecture`, `euler-forward`, `euler-backward` and `rk4` also run on momenta (`…-momenta`). To show how they fail, the last three run on
//! raw [`MatrixEntries`] (`…-matrix`), and the first without renormalisation (`lecture-unnormalised`).

mod backward;
mod body;
mod buss;
mod entries;
mod exact;
mod exact4;
mod forward;
mod integrator;
mod lecture;
mod lie;
mod loads;
mod matrix_entries;
mod memory;
mod particle;
mod polhode;
mod raw;
mod rk4;
mod rotor;
mod state;

pub use backward::BackwardEuler;
pub use body::{FreeBody, FreeBodyError};
pub use buss::Buss;
pub use entries::{Entries, Flat, InMomenta, InVelocities, QuatEntries, Scheme};
pub use exact::Exact;
pub use exact4::Exact4;
pub use forward::ForwardEuler;
pub use integrator::{FreeIntegrator, FreeStepError, free_integrator, free_integrators};
pub use lecture::Lecture;
pub use lie::MomentumConserving;
pub use loads::{ForceAxes, Loads, NoLoad, PivotWeight, PointForce, UniformGravity};
pub use matrix_entries::{InMatrices, MatrixEntries};
pub use particle::{DragParticle, Particle, ParticleUpdate};
pub use rk4::Rk4;
pub use rotor::{FreeRotor, PrincipalFrame};
pub use state::{Kinematics, MomentumState, VelocityState};
