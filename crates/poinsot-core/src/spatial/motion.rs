//! Spatial motions and forces [Featherstone08, chapter 2].

use crate::algebra::{Real, V3};
use std::ops::{Add, Mul, Sub};

/// A velocity, acceleration or displacement of a rigid body: angular part, and linear part of the origin.
///
/// ```
/// use poinsot_core::{algebra::V3, spatial::Motion};
/// let spin = Motion { ang: V3::Z, lin: V3::ZERO };
/// assert_eq!(spin.at(V3::X).lin, V3::Y);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion<T = f64> {
    /// Angular velocity (or acceleration).
    pub ang: V3<T>,
    /// Velocity (or acceleration) of the body point at the origin.
    pub lin: V3<T>,
}

impl<T: Real> Motion<T> {
    /// This motion referred to the point `p`: `v + ω × p`.
    #[inline(always)]
    pub fn at(self, p: V3<T>) -> Self {
        Self { ang: self.ang, lin: self.ang.cross_add(p, self.lin) }
    }
    /// The spatial cross product with a motion, `self × m`.
    #[inline(always)]
    pub fn cross(self, m: Self) -> Self {
        Self { ang: self.ang.cross(m.ang), lin: self.ang.cross_add(m.lin, self.lin.cross(m.ang)) }
    }
    /// The spatial cross product with a force, `self ×* f`.
    #[inline(always)]
    pub fn cross_force(self, f: Force<T>) -> Force<T> {
        Force {
            moment: self.ang.cross_add(f.moment, self.lin.cross(f.force)),
            force: self.ang.cross(f.force),
        }
    }
    /// The power of `f` on this motion, both referred to the same point.
    #[inline(always)]
    pub fn power(self, f: Force<T>) -> T {
        self.ang.dot(f.moment) + self.lin.dot(f.force)
    }
}

/// A force on a rigid body, or a momentum: moment about the origin, and resultant.
///
/// ```
/// use poinsot_core::{algebra::V3, spatial::Force};
/// let push = Force::at_point(V3::Y, V3::X);
/// assert_eq!(push.moment, V3::Z);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force<T = f64> {
    /// Moment about the origin (or angular momentum).
    pub moment: V3<T>,
    /// Resultant force (or linear momentum).
    pub force: V3<T>,
}

impl<T: Real> Force<T> {
    /// The force `f` acting at the point `p`.
    #[inline(always)]
    pub fn at_point(f: V3<T>, p: V3<T>) -> Self {
        Self { moment: p.cross(f), force: f }
    }
    /// This force with its moment about the point `p`.
    #[inline(always)]
    pub fn about(self, p: V3<T>) -> Self {
        Self { moment: self.moment - p.cross(self.force), force: self.force }
    }
}

macro_rules! vector_space {
    ($type:ident, $a:ident, $b:ident) => {
        impl<T: Real> Add for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self { $a: self.$a + o.$a, $b: self.$b + o.$b }
            }
        }
        impl<T: Real> Sub for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                Self { $a: self.$a - o.$a, $b: self.$b - o.$b }
            }
        }
        impl<T: Real> Mul<T> for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: T) -> Self {
                Self { $a: self.$a * s, $b: self.$b * s }
            }
        }
    };
}
vector_space!(Motion, ang, lin);
vector_space!(Force, moment, force);
