//! # Spacetime constraints
//!
//! A motion is specified by conditions at times (poses, velocities), conditions at all times (bounds, equations of motion, contacts) and a
//! cost to minimise (effort, time, roughness). Direct collocation transcribes this to a nonlinear program, and an interior-point method on
//! the chain of times solves it. [`Problem`] is the specification, [`Solution`] the result.
//!
//! ```
//! use poinsot_optimize::{Problem, Scheme};
//! // a block moved by 1 m in 1 s, from rest to rest, with the least ∫u² dt: 12 N² s
//! let problem = Problem::from_toml(r#"
//!     intervals = 10
//!     [system]
//!     kind = "particle"
//!     mass = 1.0
//!     [time]
//!     duration = 1.0
//!     [[at]]
//!     time = "start"
//!     q = 0.0
//!     v = 0.0
//!     [[at]]
//!     time = "end"
//!     q = 1.0
//!     v = 0.0
//!     [[minimize]]
//!     term = "effort"
//! "#)?;
//! let found = problem.solve(&mut |_| true)?;
//! assert!(found.is_solved() && (found.cost - 12.0).abs() < 1e-5);
//! # Ok::<(), poinsot_optimize::OptimizeError>(())
//! ```
#![forbid(unsafe_code)]

mod error;
mod explain;
mod file;
mod nodes;
mod problem;
mod program;
mod restart;
mod solution;
mod system;
mod tape;
mod transcribe;

pub use error::OptimizeError;
pub use explain::{Explained, explain, explain_rows};
pub use nodes::{NodeStart, Nodes};
pub use problem::{
    Bound, Condition, Cost, Guess, Phase, Problem, Quantity, Scheme, Target, TrajectoryRow, When, ZeroSum,
};
pub use program::{Ending, Settings, Step};
pub use solution::{Exceeded, Solution, Violated};
pub use system::{
    AffineSystem, Brachistochrone, CartPole, Equations, Evaluation, Foot, ModelSystem, Moment, Names,
    Particle, Pendulum, Point, Points, System, Taped,
};
