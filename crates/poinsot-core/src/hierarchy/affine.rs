//! The 4×4 matrices of the trace form, without their constant rows.
//!
//! A transform is `[A t; 0 1]`, its derivatives are `[A t; 0 0]`: both are stored as (A, t), and the product rule for each supplies the
//! last row. `M Ẅᵀ` is 4×4 with a zero last column: it is stored as a 3×3 block and its last row.

use crate::algebra::{M3, Real, Sym3, V3};
use crate::spatial::{MassTensor, Pose};
use std::ops::{Add, Mul};

/// The upper three rows `[A t]` of a transform, or of a derivative of one. A need not be a rotation.
///
/// ```
/// use poinsot_core::{algebra::{M3, V3}, hierarchy::Affine};
/// let stretch = Affine { linear: M3::columns(V3::X * 2.0, V3::Y, V3::Z), shift: V3::Z };
/// assert_eq!((stretch * stretch).point(V3::X), V3::new(4.0, 0.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine<T = f64> {
    /// The linear part A.
    pub linear: M3<T>,
    /// The last column t.
    pub shift: V3<T>,
}

impl From<Pose> for Affine {
    fn from(x: Pose) -> Self {
        Affine { linear: x.rot, shift: x.pos }
    }
}

impl Affine {
    /// Converts to another number type.
    #[inline(always)]
    pub fn lift<T: Real>(self) -> Affine<T> {
        Affine { linear: self.linear.lift(), shift: self.shift.lift() }
    }
}

impl<T: Real> Affine<T> {
    /// The unit transform.
    #[inline(always)]
    pub fn identity() -> Self {
        Affine { linear: M3::identity(), shift: V3::zero() }
    }
    /// The null derivative.
    #[inline(always)]
    pub fn zero() -> Self {
        Affine { linear: M3::default(), shift: V3::zero() }
    }
    /// `[A t] (x; 1)`.
    #[inline(always)]
    pub fn point(self, x: V3<T>) -> V3<T> {
        self.linear.mul_add(x, self.shift)
    }
    /// `self · d` for a derivative d, whose last row is 0.
    #[inline(always)]
    pub fn on_derivative(self, d: Self) -> Self {
        Affine { linear: self.linear * d.linear, shift: self.linear * d.shift }
    }
    /// `k self`, for a derivative.
    #[inline(always)]
    pub fn scaled(self, k: T) -> Self {
        Affine { linear: self.linear.scale(k), shift: self.shift * k }
    }
}

/// `self · o` for a transform o, whose last row is 0 0 0 1; `self` may be either.
impl<T: Real> Mul for Affine<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Affine { linear: self.linear * o.linear, shift: self.point(o.shift) }
    }
}

impl<T: Real> Add for Affine<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Affine { linear: self.linear + o.linear, shift: self.shift + o.shift }
    }
}

/// A 4×3 matrix such as `M Ẅᵀ`: three rows and the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix4x3<T> {
    pub block: M3<T>,
    pub last: V3<T>,
}

impl<T: Real> Matrix4x3<T> {
    /// (x; w) fᵀ.
    #[inline(always)]
    pub fn outer(x: V3<T>, w: T, f: V3<T>) -> Self {
        Matrix4x3 { block: M3::outer(x, f), last: f * w }
    }
    /// `R self`: a term of (4), transformed to the parent.
    #[inline(always)]
    pub fn carried(self, r: Affine<T>) -> Self {
        Matrix4x3 { block: r.linear * self.block + M3::outer(r.shift, self.last), last: self.last }
    }
    /// `tr(d self)` for a derivative d.
    #[inline(always)]
    pub fn trace_with(self, d: Affine<T>) -> T {
        let (b, a) = (self.block, d.linear.transpose());
        a.x.dot(b.x) + a.y.dot(b.y) + a.z.dot(b.z) + d.shift.dot(self.last)
    }
    #[inline(always)]
    pub fn minus(self, o: Self) -> Self {
        Matrix4x3 { block: self.block - o.block, last: self.last - o.last }
    }
    #[inline(always)]
    pub fn plus(self, o: Self) -> Self {
        Matrix4x3 { block: self.block + o.block, last: self.last + o.last }
    }
}

/// A mass tensor `[Σ h; hᵀ m]` of any number type: that of a node, or of its whole subtree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tensor<T> {
    s: Sym3<T>,
    h: V3<T>,
    m: T,
}

impl<T: Real> Tensor<T> {
    /// The four columns `Σ e_k; h_k`, and last `h; m`, each as (V3, scalar).
    #[inline(always)]
    pub fn columns(self) -> [(V3<T>, T); 4] {
        let s = self.s.full();
        [(s.x, self.h.x), (s.y, self.h.y), (s.z, self.h.z), (self.h, self.m)]
    }
    #[inline(always)]
    pub fn lift(m: &MassTensor) -> Self {
        Tensor { s: m.second_moments.lift(), h: m.first_moment.lift(), m: T::from_f64(m.mass) }
    }
    /// `M dᵀ` for a derivative d.
    #[inline(always)]
    pub fn times_transposed(self, d: Affine<T>) -> Matrix4x3<T> {
        let block = self.s.full() * d.linear.transpose() + M3::outer(self.h, d.shift);
        Matrix4x3 { block, last: d.linear.mul_add(self.h, d.shift * self.m) }
    }
    /// `R M Rᵀ`: the same mass seen from the parent.
    #[inline(always)]
    pub fn carried(self, r: Affine<T>) -> Self {
        let h = r.linear * self.h;
        let cross = M3::outer(h, r.shift);
        let two = T::from_f64(2.0);
        let shift = cross.symmetric_part().scaled(two) + Sym3::outer(r.shift, self.m);
        Tensor { s: self.s.rotated(r.linear) + shift, h: r.shift.mul_add(self.m, h), m: self.m }
    }
    #[inline(always)]
    pub fn plus(self, o: Self) -> Self {
        Tensor { s: self.s + o.s, h: self.h + o.h, m: self.m + o.m }
    }
}
