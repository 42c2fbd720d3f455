//! The local transforms of the nodes, and their first and second derivatives.
//!
//! With F the frame of the joint on the parent, the local transform is `R = F B(q)`, and along its degrees of
//! freedom, at rates v and accelerations a,
//!
//! ```math
//! Ṙ = Σ_k ∂R/∂k v_k          R̈ = Σ_k ∂R/∂k a_k + Γ(v, v)
//! turning by θ = αq and advancing by βq along z:
//!      B = [Rz(θ) | βq z]    ∂B = [α Rz′(θ) | βz]               Γ = [−α² v² Rz(θ) without its zz | 0]
//! turning any way:  B = [Q | 0]        ∂B/∂k = [Q [e_k]× | 0]   Γ = [Q [Ω]×² | 0]
//! moving any way:   B = [Q | p]        and ∂B/∂p_k = [0 | e_k]
//! ```
//! A node that scales or shears is one more row of this table: B, ∂B/∂k and Γ.

use super::Affine;
use crate::algebra::{M3, Real, V3};
use crate::spatial::Quat;

/// How a node moves in the frame of its joint. A new kind of node is a new variant here and nothing else.
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::NodeMotion};
/// let screw = NodeMotion::Screw { turn: 1.0, advance: 0.1, reference: 0.0 };
/// let quarter = std::f64::consts::FRAC_PI_2;
/// assert!((screw.transform(&[quarter]).point(V3::X) - V3::new(0.0, 1.0, 0.1 * quarter)).norm() < 1e-15);
/// assert_eq!(screw.along(&[0.0], 0).point(V3::X), V3::new(0.0, 1.0, 0.1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeMotion {
    /// Does not move: the root.
    Fixed,
    /// Turns about z by `turn` and advances along z by `advance` per unit of (q − reference).
    Screw {
        /// Radians per unit of q.
        turn: f64,
        /// Metres per unit of q.
        advance: f64,
        /// The coordinate of no motion.
        reference: f64,
    },
    /// Turns any way: quaternion w x y z, rates in the axes of the node.
    Ball,
    /// Moves any way: position and quaternion; linear rates in the frame of the joint, angular in the node's axes.
    Free,
}

impl NodeMotion {
    /// The number of coordinates.
    pub fn nq(self) -> usize {
        match self {
            NodeMotion::Fixed => 0,
            NodeMotion::Screw { .. } => 1,
            NodeMotion::Ball => 4,
            NodeMotion::Free => 7,
        }
    }

    /// The number of degrees of freedom.
    pub fn nv(self) -> usize {
        match self {
            NodeMotion::Fixed => 0,
            NodeMotion::Screw { .. } => 1,
            NodeMotion::Ball => 3,
            NodeMotion::Free => 6,
        }
    }

    /// B(q).
    ///
    /// # Panics
    /// When `q` has fewer than nq numbers.
    #[inline(always)]
    pub fn transform<T: Real>(self, q: &[T]) -> Affine<T> {
        match self {
            NodeMotion::Fixed => Affine::identity(),
            NodeMotion::Screw { turn, advance, reference } => {
                let moved = q[0] - T::from_f64(reference);
                let (s, c) = (moved * T::from_f64(turn)).sin_cos();
                let (o, i) = (T::zero(), T::one());
                let linear = M3::columns(V3::new(c, s, o), V3::new(-s, c, o), V3::new(o, o, i));
                Affine { linear, shift: V3::new(o, o, moved * T::from_f64(advance)) }
            }
            NodeMotion::Ball => Affine { linear: attitude(&q[0..4]), shift: V3::zero() },
            NodeMotion::Free => Affine { linear: attitude(&q[3..7]), shift: V3::new(q[0], q[1], q[2]) },
        }
    }

    /// ∂B/∂k: the derivative along the k-th degree of freedom.
    ///
    /// # Panics
    /// When `q` has fewer than nq numbers or k is not below nv.
    #[inline(always)]
    pub fn along<T: Real>(self, q: &[T], k: usize) -> Affine<T> {
        match self {
            NodeMotion::Fixed => Affine::zero(),
            NodeMotion::Screw { turn, advance, reference } => {
                let rate = T::from_f64(turn);
                let (s, c) = ((q[0] - T::from_f64(reference)) * rate).sin_cos();
                let (o, s, c) = (T::zero(), s * rate, c * rate);
                let linear = M3::columns(V3::new(-s, c, o), V3::new(-c, -s, o), V3::zero());
                Affine { linear, shift: V3::new(o, o, T::from_f64(advance)) }
            }
            NodeMotion::Ball => turning(attitude(&q[0..4]), axis(k)),
            NodeMotion::Free if k < 3 => Affine { linear: M3::default(), shift: axis(k) },
            NodeMotion::Free => turning(attitude(&q[3..7]), axis(k - 3)),
        }
    }

    /// Γ(v, v): B̈ at the rates v when the rates do not change.
    ///
    /// # Panics
    /// When `q` or `v` have fewer than nq or nv numbers.
    #[inline(always)]
    pub fn bias<T: Real>(self, q: &[T], v: &[T]) -> Affine<T> {
        match self {
            NodeMotion::Fixed => Affine::zero(),
            NodeMotion::Screw { turn, reference, .. } => {
                let rate = v[0] * T::from_f64(turn);
                let (s, c) = ((q[0] - T::from_f64(reference)) * T::from_f64(turn)).sin_cos();
                let (o, k) = (T::zero(), -(rate * rate));
                let linear = M3::columns(V3::new(c * k, s * k, o), V3::new(-s * k, c * k, o), V3::zero());
                Affine { linear, shift: V3::zero() }
            }
            NodeMotion::Ball => spinning(attitude(&q[0..4]), V3::new(v[0], v[1], v[2])),
            NodeMotion::Free => spinning(attitude(&q[3..7]), V3::new(v[3], v[4], v[5])),
        }
    }
}

#[inline(always)]
fn attitude<T: Real>(q: &[T]) -> M3<T> {
    Quat { w: q[0], x: q[1], y: q[2], z: q[3] }.matrix()
}

#[inline(always)]
fn axis<T: Real>(k: usize) -> V3<T> {
    [V3::X, V3::Y, V3::Z][k].lift()
}

/// [Q [e]× | 0].
#[inline(always)]
fn turning<T: Real>(q: M3<T>, e: V3<T>) -> Affine<T> {
    Affine { linear: q * M3::skew(e), shift: V3::zero() }
}

/// [Q [Ω]×² | 0].
#[inline(always)]
fn spinning<T: Real>(q: M3<T>, omega: V3<T>) -> Affine<T> {
    let k = M3::skew(omega);
    Affine { linear: q * (k * k), shift: V3::zero() }
}
