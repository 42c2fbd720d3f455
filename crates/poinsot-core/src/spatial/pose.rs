//! Rigid transformations.

use super::{Force, Motion};
use crate::algebra::{M3, Real, V3};
use std::ops::Mul;

/// `X_AB`: the pose of frame B in frame A; maps points and vectors in B to A by `p_A = R p_B + t`.
///
/// ```
/// use poinsot_core::{algebra::V3, spatial::Pose};
/// let x = Pose::translation(V3::new(1.0, 0.0, 0.0)) * Pose::rotation_vector(V3::Z * std::f64::consts::PI);
/// assert!((x.point(V3::X)).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<T = f64> {
    /// The rotation: its columns are the axes of B in A.
    pub rot: M3<T>,
    /// The origin of B in A.
    pub pos: V3<T>,
}

impl Pose {
    /// The identity: both frames coincide.
    pub const IDENTITY: Pose = Pose { rot: M3::IDENTITY, pos: V3::ZERO };
    /// A frame with parallel axes, its origin at `pos`.
    pub const fn translation(pos: V3) -> Pose {
        Pose { rot: M3::IDENTITY, pos }
    }
    /// A frame with the same origin, rotated by |φ| about φ.
    pub fn rotation_vector(phi: V3) -> Pose {
        Pose { rot: super::exp_so3(phi), pos: V3::ZERO }
    }
    /// Converts to another number type.
    #[inline(always)]
    pub fn lift<T: Real>(self) -> Pose<T> {
        Pose { rot: self.rot.lift(), pos: self.pos.lift() }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Pose::IDENTITY
    }
}

impl<T: Real> Pose<T> {
    /// The point `p`, given in B, in A.
    #[inline(always)]
    pub fn point(self, p: V3<T>) -> V3<T> {
        self.rot.mul_add(p, self.pos)
    }
    /// `X_BA`.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let rot = self.rot.transpose();
        Self { rot, pos: -(rot * self.pos) }
    }
    /// A motion given in B, referred to and expressed in A.
    #[inline(always)]
    pub fn motion(self, m: Motion<T>) -> Motion<T> {
        let ang = self.rot * m.ang;
        Motion { ang, lin: self.pos.cross_add(ang, self.rot * m.lin) }
    }
    /// A force given in B, referred to and expressed in A.
    #[inline(always)]
    pub fn force(self, f: Force<T>) -> Force<T> {
        let force = self.rot * f.force;
        Force { force, moment: self.pos.cross_add(force, self.rot * f.moment) }
    }
}

impl<T: Real> Mul for Pose<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { rot: self.rot * o.rot, pos: self.point(o.pos) }
    }
}
