//! Three-vectors with explicit fused multiply-adds.
//!
//! Our own small `Copy` types, because rustc never contracts `a * b + c`, of which a sweep mostly consists.

use super::Real;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A vector of three components.
///
/// ```
/// use poinsot_core::algebra::V3;
/// let (x, y) = (V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0));
/// assert_eq!(x.cross(y), V3::new(0.0, 0.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3<T = f64> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

impl V3 {
    /// The unit vector along x.
    pub const X: V3 = V3::new(1.0, 0.0, 0.0);
    /// The unit vector along y.
    pub const Y: V3 = V3::new(0.0, 1.0, 0.0);
    /// The unit vector along z.
    pub const Z: V3 = V3::new(0.0, 0.0, 1.0);
    /// The null vector.
    pub const ZERO: V3 = V3::new(0.0, 0.0, 0.0);

    /// The length, without overflow for components up to 1e154.
    #[inline(always)]
    pub fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }
    /// The unit vector along `self`, or `None` if its length is not a positive finite number.
    pub fn unit(self) -> Option<V3> {
        let n = self.norm();
        (n > 0.0 && n.is_finite()).then(|| self * (1.0 / n))
    }
    /// Converts to another number type.
    #[inline(always)]
    pub fn lift<T: Real>(self) -> V3<T> {
        V3::new(T::from_f64(self.x), T::from_f64(self.y), T::from_f64(self.z))
    }
    /// True if no component is infinite or NaN.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl<T> V3<T> {
    /// The vector (x, y, z).
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
}

impl<T: Real> V3<T> {
    /// The null vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(T::zero(), T::zero(), T::zero())
    }
    /// The components as an array.
    #[inline(always)]
    pub fn array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }
    /// The dot product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.z.mul_add(o.z, self.y.mul_add(o.y, self.x * o.x))
    }
    /// The cross product `self × o`.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y.mul_add(o.z, -(self.z * o.y)),
            self.z.mul_add(o.x, -(self.x * o.z)),
            self.x.mul_add(o.y, -(self.y * o.x)),
        )
    }
    /// `self × o + c`, one multiply-add more accurate and cheaper than the sum.
    #[inline(always)]
    pub fn cross_add(self, o: Self, c: Self) -> Self {
        Self::new(
            self.y.mul_add(o.z, (-self.z).mul_add(o.y, c.x)),
            self.z.mul_add(o.x, (-self.x).mul_add(o.z, c.y)),
            self.x.mul_add(o.y, (-self.y).mul_add(o.x, c.z)),
        )
    }
    /// `self * s + c`.
    #[inline(always)]
    pub fn mul_add(self, s: T, c: Self) -> Self {
        Self::new(self.x.mul_add(s, c.x), self.y.mul_add(s, c.y), self.z.mul_add(s, c.z))
    }
}

impl<T> From<[T; 3]> for V3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        Self::new(x, y, z)
    }
}
impl<T> From<V3<T>> for [T; 3] {
    #[inline(always)]
    fn from(v: V3<T>) -> Self {
        [v.x, v.y, v.z]
    }
}
impl<T: Real> Add for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}
impl<T: Real> Sub for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}
impl<T: Real> Neg for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}
impl<T: Real> Mul<T> for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}
impl<T: Real> AddAssign for V3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real> SubAssign for V3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
