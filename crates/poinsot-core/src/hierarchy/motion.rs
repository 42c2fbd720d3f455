//! The local transforms of the nodes, and their first and second derivatives.
//!
//! With F the frame of the joint on the parent, the local transform is `R = F B(q)`, and along its degrees of
//! freedom, at rates v and accelerations a,
//!
//! ```math
//! Ṙ = Σ_k ∂R/∂k v_k          R̈ = Σ_k ∂R/∂k a_k + Γ(v, v)
//! turning by θ = αq and advancing by βq along z:
//!      B = [Rz(θ) | βq z]    ∂B = [α Rz′(θ) | βz]               Γ = [−α² v² Rz(θ) without its zz | 0]
//! turning by q about n:     B = Q(q)          ∂B = Q [n]×           Γ = Q [n]×² v²
//! sliding by q along n:     B = [1 | q n]     ∂B = [0 | n]          Γ = 0
//! turning any way:  B = [Q | 0]        ∂B/∂k = [Q [e_k]× | 0]   Γ = [Q [Ω]×² | 0]
//! moving any way:   B = [Q | p]        and ∂B/∂p_k = [0 | e_k]
//! scaling all by q:         B = q 1           ∂B = 1                Γ = 0
//! stretching along n by q:  B = 1 + (q − 1) n nᵀ   ∂B = n nᵀ        Γ = 0
//! shearing:                 B = 1 + q a nᵀ    ∂B = a nᵀ             Γ = 0
//! stretching along n, volume kept:   B = q n nᵀ + q^(−½) (1 − n nᵀ)
//!      ∂B = n nᵀ − ½ q^(−3/2) (1 − n nᵀ)      Γ = ¾ q^(−5/2) v² (1 − n nᵀ)
//! any affine map:           B = [A | t], the twelve entries being coordinates:   Γ = 0
//! ```
//! The last five are not rigid motions. The recursions do not change, since they need only B, ∂B/∂k and Γ.

use super::Affine;
use crate::algebra::{M3, Real, V3};
use crate::spatial::Quat;
use std::str::FromStr;

/// The motion of a node in the frame of its joint. A new kind of node is a new variant here and nothing else.
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
    /// No motion: the root.
    Fixed,
    /// Rotates about z by `turn` and translates along z by `advance` per unit of (q − reference).
    Screw {
        /// Radians per unit of q.
        turn: f64,
        /// Metres per unit of q.
        advance: f64,
        /// The coordinate of zero motion.
        reference: f64,
    },
    /// Any rotation: quaternion w x y z, rates in the axes of the node.
    Ball,
    /// Any rigid motion: position and quaternion; linear rates in the frame of the joint, angular in the node's axes.
    Free,
    /// Rotates about the unit vector `axis` by q radians.
    Turn {
        /// n.
        axis: V3,
    },
    /// Translates along the unit vector `axis` by q metres.
    Slide {
        /// n.
        axis: V3,
    },
    /// Scales everything by q; 1 leaves it unchanged.
    Scale,
    /// Stretches along the unit vector `axis` by the factor q; 1 leaves it unchanged.
    Stretch {
        /// n.
        axis: V3,
    },
    /// Moves points at the distance 1 along `normal` by q along `along`.
    Shear {
        /// a, a unit vector.
        along: V3,
        /// n, a unit vector.
        normal: V3,
    },
    /// Stretches along the unit vector `axis` by q > 0 and contracts across it by q^(−½): the volume is conserved.
    Squash {
        /// n.
        axis: V3,
    },
    /// Any affine map: the columns of A, then t; rates are those of the entries.
    Affine,
}

impl NodeMotion {
    /// The number of coordinates.
    pub fn nq(self) -> usize {
        match self {
            NodeMotion::Fixed => 0,
            NodeMotion::Screw { .. } => 1,
            NodeMotion::Ball => 4,
            NodeMotion::Free => 7,
            NodeMotion::Affine => 12,
            _ => 1,
        }
    }

    /// The number of degrees of freedom.
    pub fn nv(self) -> usize {
        match self {
            NodeMotion::Fixed => 0,
            NodeMotion::Screw { .. } => 1,
            NodeMotion::Ball => 3,
            NodeMotion::Free => 6,
            NodeMotion::Affine => 12,
            _ => 1,
        }
    }

    /// True if the rates are the derivatives of the coordinates: for all motions except those with a quaternion.
    pub fn has_coordinate_rates(self) -> bool {
        !matches!(self, NodeMotion::Ball | NodeMotion::Free)
    }

    /// The coordinates of zero motion.
    ///
    /// # Panics
    /// If `q` has fewer than nq numbers.
    pub fn rest(self, q: &mut [f64]) {
        q[..self.nq()].fill(0.0);
        match self {
            NodeMotion::Screw { reference, .. } => q[0] = reference,
            NodeMotion::Ball | NodeMotion::Scale | NodeMotion::Stretch { .. } | NodeMotion::Squash { .. } => {
                q[0] = 1.0
            }
            NodeMotion::Free => q[3] = 1.0,
            NodeMotion::Affine => (q[0], q[4], q[8]) = (1.0, 1.0, 1.0),
            NodeMotion::Fixed
            | NodeMotion::Turn { .. }
            | NodeMotion::Slide { .. }
            | NodeMotion::Shear { .. } => {}
        }
    }

    /// The derivatives of the coordinates at the rates v.
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn rates<T: Real>(self, q: &[T], v: &[T], out: &mut [T]) {
        let turning = |q: &[T], w: &[T], out: &mut [T]| {
            let half = T::from_f64(0.5);
            let rate = Quat { w: q[0], x: q[1], y: q[2], z: q[3] }
                * Quat { w: T::zero(), x: w[0] * half, y: w[1] * half, z: w[2] * half };
            out[..4].copy_from_slice(&[rate.w, rate.x, rate.y, rate.z]);
        };
        match self {
            NodeMotion::Ball => turning(q, v, out),
            NodeMotion::Free => {
                out[..3].copy_from_slice(&v[..3]);
                turning(&q[3..], &v[3..], &mut out[3..]);
            }
            other => out[..other.nv()].copy_from_slice(&v[..other.nv()]),
        }
    }

    /// B(q).
    ///
    /// # Panics
    /// If `q` has fewer than nq numbers.
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
            NodeMotion::Turn { axis } => linear(turn(axis, q[0])),
            NodeMotion::Slide { axis } => Affine { linear: M3::identity(), shift: axis.lift() * q[0] },
            NodeMotion::Scale => linear(M3::identity().scale(q[0])),
            NodeMotion::Stretch { axis } => linear(M3::identity() + dyad(axis, axis).scale(q[0] - T::one())),
            NodeMotion::Shear { along, normal } => linear(M3::identity() + dyad(along, normal).scale(q[0])),
            NodeMotion::Squash { axis } => linear(squash(axis, q[0], T::one() / q[0].sqrt())),
            NodeMotion::Affine => {
                let column = |k: usize| V3::new(q[k], q[k + 1], q[k + 2]);
                Affine { linear: M3::columns(column(0), column(3), column(6)), shift: column(9) }
            }
        }
    }

    /// ∂B/∂k: the derivative along the k-th degree of freedom.
    ///
    /// # Panics
    /// If `q` has fewer than nq numbers or k is not below nv.
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
            NodeMotion::Turn { axis } => turning(turn(axis, q[0]), axis.lift()),
            NodeMotion::Slide { axis } => Affine { linear: M3::default(), shift: axis.lift() },
            NodeMotion::Scale => linear(M3::identity()),
            NodeMotion::Stretch { axis } => linear(dyad(axis, axis)),
            NodeMotion::Shear { along, normal } => linear(dyad(along, normal)),
            NodeMotion::Squash { axis } => {
                let narrowing = T::from_f64(-0.5) / (q[0] * q[0].sqrt());
                linear(squash(axis, T::one(), narrowing))
            }
            NodeMotion::Affine => {
                let unit = |c: usize| if k / 3 == c { axis(k % 3) } else { V3::zero() };
                Affine { linear: M3::columns(unit(0), unit(1), unit(2)), shift: unit(3) }
            }
        }
    }

    /// Γ(v, v): B̈ at the constant rates v.
    ///
    /// # Panics
    /// If `q` or `v` have fewer than nq or nv numbers.
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
            NodeMotion::Turn { axis } => spinning(turn(axis, q[0]), axis.lift() * v[0]),
            NodeMotion::Squash { axis } => {
                let narrowing = T::from_f64(0.75) * v[0] * v[0] / (q[0] * q[0] * q[0].sqrt());
                linear(squash(axis, T::zero(), narrowing))
            }
            NodeMotion::Slide { .. }
            | NodeMotion::Scale
            | NodeMotion::Stretch { .. }
            | NodeMotion::Shear { .. }
            | NodeMotion::Affine => Affine::zero(),
        }
    }
}

/// `turn y`, `slide 1,0,1`, `scale`, `stretch z`, `shear x z` (along, normal), `squash z`, `ball`, `free`, `affine`.
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::NodeMotion};
/// assert_eq!("stretch 0,0,1".parse(), Ok(NodeMotion::Stretch { axis: V3::Z }));
/// assert!("twist z".parse::<NodeMotion>().is_err());
/// ```
impl FromStr for NodeMotion {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let direction = |word: &str| -> Result<V3, String> {
            match word {
                "x" => return Ok(V3::X),
                "y" => return Ok(V3::Y),
                "z" => return Ok(V3::Z),
                _ => {}
            }
            let numbers: Vec<f64> = word.split(',').filter_map(|x| x.parse().ok()).collect();
            <[f64; 3]>::try_from(numbers).map(V3::from).map_err(|_| {
                format!(
                    "in the motion {text:?}: {word:?} is not an axis; give x, y, z or three numbers as 1,0,1"
                )
            })
        };
        Ok(match words[..] {
            ["turn", axis] => NodeMotion::Turn { axis: direction(axis)? },
            ["slide", axis] => NodeMotion::Slide { axis: direction(axis)? },
            ["scale"] => NodeMotion::Scale,
            ["stretch", axis] => NodeMotion::Stretch { axis: direction(axis)? },
            ["shear", along, normal] => {
                NodeMotion::Shear { along: direction(along)?, normal: direction(normal)? }
            }
            ["squash", axis] => NodeMotion::Squash { axis: direction(axis)? },
            ["ball"] => NodeMotion::Ball,
            ["free"] => NodeMotion::Free,
            ["affine"] => NodeMotion::Affine,
            _ => {
                return Err(format!(
                    "there is no motion {text:?}; there are turn, slide, stretch and squash with an axis, shear with two (along, normal), \
                     scale, ball, free and affine"
                ));
            }
        })
    }
}

#[inline(always)]
fn linear<T: Real>(linear: M3<T>) -> Affine<T> {
    Affine { linear, shift: V3::zero() }
}

/// a bᵀ.
#[inline(always)]
fn dyad<T: Real>(a: V3, b: V3) -> M3<T> {
    M3::outer(a, b).lift()
}

/// `1 + sin q [n]× + (1 − cos q) [n]×²`.
#[inline(always)]
fn turn<T: Real>(n: V3, q: T) -> M3<T> {
    let (s, c) = q.sin_cos();
    let k = M3::skew(n.lift());
    M3::identity() + k.scale(s) + (k * k).scale(T::one() - c)
}

/// `s n nᵀ + r (1 − n nᵀ)`.
#[inline(always)]
fn squash<T: Real>(n: V3, s: T, r: T) -> M3<T> {
    M3::identity().scale(r) + dyad(n, n).scale(s - r)
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
