//! Inverse kinematics: a configuration that places bodies at their targets, within the limits of the joints.
//!
//! With e(q) the vector of all deviations and J its Jacobian, Levenberg–Marquardt steps are taken [Nakamura86],
//!
//! ```math
//! (1)  δ = −J_fᵀ (J_f J_fᵀ + λ 1)⁻¹ e          λ = μ (½ |e|² + ε)
//! (2)  q ← clamp(q ⊕ δ)
//! ```
//! where J_f has the columns of the coordinates that are free to move: one at its limit is left out while the gradient Jᵀe pushes it
//! outward. The damping follows the squared error [Sugihara11], so convergence is quadratic if a solution is reachable, and steps stay
//! finite at singular configurations; μ grows if a step does not reduce e. A start that makes no more progress is abandoned, and the next
//! one is taken from a fixed sequence of random configurations.
//!
//! Rigid constraints of the model, such as closed loops, are rows of e like the targets: C(q), which is 0 where they are satisfied. Soft
//! constraints, ropes and rolling are left out.
//!
//! A deviation of position is the difference in world axes (m), one of orientation the remaining rotation vector (rad).

mod reach;
mod rows;
mod solve;

use crate::algebra::{M3, V3};
use crate::model::{Frame, Model};
use crate::spatial::Pose;
pub use solve::InverseKinematics;
use thiserror::Error;

/// A target in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// The origin of a frame of a body.
    Position(Frame, V3),
    /// The axes of a frame of a body.
    Orientation(Frame, M3),
    /// Origin and axes of a frame of a body.
    Pose(Frame, Pose),
    /// The centre of mass of everything that can move.
    CentreOfMass(V3),
}

/// The options of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The largest deviation of any target that counts as reached, m and rad.
    pub tolerance: f64,
    /// Steps from each start.
    pub iterations: usize,
    /// Starts: the given configuration, then random ones.
    pub starts: usize,
    /// The first of the random configurations.
    pub seed: u64,
    /// Whether joint limits are respected.
    pub limits: bool,
    /// A preferred configuration, approached as far as the targets leave freedom.
    pub posture: Option<Vec<f64>>,
}

impl Default for Search {
    /// To 1e-9, from up to 64 starts of up to 100 steps, within limits.
    fn default() -> Search {
        Search { tolerance: 1e-9, iterations: 100, starts: 64, seed: 0, limits: true, posture: None }
    }
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every target is reached to the tolerance, and rigid constraints are met to it.
    Converged,
    /// A position is farther from the first joint than the total length of all links, so nothing can reach it.
    Unreachable,
    /// From every start, the steps end at a configuration that is not close enough: this is the best of them. There may be no better one.
    LocalMinimum,
}

/// The deviation from a target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// The distance, m; 0 for a target without position.
    pub distance: f64,
    /// The angle, rad; 0 for a target without orientation.
    pub angle: f64,
}

/// A configuration, and its quality.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The configuration.
    pub q: Vec<f64>,
    /// The outcome of the search.
    pub outcome: Outcome,
    /// For each target, the deviation of the configuration from it, recomputed at the end from the poses alone.
    pub deviations: Vec<Deviation>,
    /// How far the rigid constraints of the model are from being met, m or rad: the largest |C| of them, computed anew at the end.
    pub gap: f64,
    /// Steps taken, over all starts.
    pub iterations: usize,
    /// Starts tried.
    pub starts: usize,
    /// Coordinates (indices in qvel) that are at a limit, to the tolerance.
    pub at_limit: Vec<usize>,
}

impl Solution {
    /// The largest deviation of any target, and of closed loops, m or rad.
    pub fn error(&self) -> f64 {
        self.deviations.iter().fold(self.gap, |m, d| m.max(d.distance).max(d.angle))
    }
}

/// An error in the targets or configurations.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TargetError {
    /// There are no targets.
    #[error("there are no targets; give at least one")]
    None,
    /// Other kinds of targets than those of the search.
    #[error("the new targets differ in kind or body from those that they replace; make a new search")]
    Kinds,
    /// A number is infinite or NaN.
    #[error("target {index} is not finite; give metres, and a rotation")]
    NotFinite {
        /// Which target.
        index: usize,
    },
    /// A matrix is not a rotation.
    #[error(
        "target {index} has a matrix that is not a rotation (RᵀR is off by {off:e}); give orthonormal columns"
    )]
    NoRotation {
        /// Which target.
        index: usize,
        /// The largest entry of RᵀR − 1.
        off: f64,
    },
    /// A body is not one of the model's.
    #[error("target {index} is of body number {body}, and the model has {bodies}")]
    NoBody {
        /// Which target.
        index: usize,
        /// The number of the body.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A configuration does not fit.
    #[error("{what} has {found} numbers, and the model has {nq} coordinates")]
    Length {
        /// Which configuration.
        what: &'static str,
        /// Its numbers.
        found: usize,
        /// The model's.
        nq: usize,
    },
    /// A configuration is not finite.
    #[error("{what} is not finite; give finite coordinates")]
    Configuration {
        /// Which configuration.
        what: &'static str,
    },
}

/// Searches for a configuration that reaches the targets, starting from `start`.
///
/// ```
/// use poinsot_core::{algebra::{M3, V3}, inverse_kinematics::*, model::*, spatial::Pose};
/// let mut b = ModelBuilder::new("arm");
/// let mut parent = BodyId::WORLD;
/// for (name, axis) in [("shoulder", V3::Z), ("upper", V3::Y), ("lower", V3::Y)] {
///     let spec = BodySpec::new(name).at(V3::new(if name == "lower" { 0.5 } else { 0.0 }, 0.0, 0.0));
///     parent = b.body(parent, spec.solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
///     b.joint(parent, Joint::revolute(axis).limits(-3.0, 3.0));
/// }
/// let model = b.build()?;
/// let hand = Frame { body: parent, pose: Pose { rot: M3::IDENTITY, pos: V3::new(0.4, 0.0, 0.0) } };
/// let reached = solve(&model, &[Target::Position(hand, V3::new(0.3, 0.4, 0.2))], &[0.1; 3], &Search::default())?;
/// assert!(reached.outcome == Outcome::Converged && reached.error() < 1e-9);
/// let beyond = solve(&model, &[Target::Position(hand, V3::new(0.0, 2.0, 0.0))], &[0.1; 3], &Search::default())?;
/// assert_eq!(beyond.outcome, Outcome::Unreachable);
/// assert!((beyond.error() - 1.1).abs() < 1e-9); // 2 m away, and the arm is 0.9 m long
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a target or a configuration does not belong to this model.
pub fn solve(
    model: &Model,
    targets: &[Target],
    start: &[f64],
    search: &Search,
) -> Result<Solution, TargetError> {
    InverseKinematics::new(model, targets)?.solve(start, search)
}

/// Rejects invalid targets.
fn check(model: &Model, targets: &[Target]) -> Result<(), TargetError> {
    if targets.is_empty() {
        return Err(TargetError::None);
    }
    for (index, target) in targets.iter().enumerate() {
        let (frame, pos, rot) = match *target {
            Target::Position(f, p) => (Some(f), p, M3::IDENTITY),
            Target::Orientation(f, r) => (Some(f), V3::ZERO, r),
            Target::Pose(f, x) => (Some(f), x.pos, x.rot),
            Target::CentreOfMass(p) => (None, p, M3::IDENTITY),
        };
        let (bodies, own) = (model.bodies().len(), frame.map_or(Pose::IDENTITY, |f| f.pose));
        if let Some(body) = frame.map(|f| f.body.index()).filter(|k| *k >= bodies) {
            return Err(TargetError::NoBody { index, body, bodies });
        }
        for r in [rot, own.rot] {
            let finite = r.rows().iter().flatten().all(|x| x.is_finite());
            if !finite || !pos.is_finite() || !own.pos.is_finite() {
                return Err(TargetError::NotFinite { index });
            }
            let off = (r.transpose() * r + M3::IDENTITY.scale(-1.0)).max_abs();
            if off > 1e-9 || r.determinant() < 0.0 {
                return Err(TargetError::NoRotation { index, off });
            }
        }
    }
    Ok(())
}
