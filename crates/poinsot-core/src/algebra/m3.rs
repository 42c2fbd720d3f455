//! 3×3 matrices stored by columns, and symmetric ones stored as six numbers.

use super::{Real, V3};
use std::ops::{Add, Mul, Sub};

/// A 3×3 matrix stored by columns: for a rotation R, `R.x`, `R.y`, `R.z` are the images of the axes.
///
/// ```
/// use poinsot_core::algebra::{M3, V3};
/// let r = M3::columns(V3::Y, V3::Z, V3::X);
/// assert_eq!(r * V3::new(1.0, 2.0, 3.0), V3::new(3.0, 1.0, 2.0));
/// assert_eq!(r.transpose() * (r * V3::X), V3::X);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct M3<T = f64> {
    /// First column.
    pub x: V3<T>,
    /// Second column.
    pub y: V3<T>,
    /// Third column.
    pub z: V3<T>,
}

impl M3 {
    /// The unit matrix.
    pub const IDENTITY: M3 = M3::columns(V3::X, V3::Y, V3::Z);

    /// The matrix with the given rows.
    pub fn from_rows(r: [[f64; 3]; 3]) -> M3 {
        M3::columns(V3::from(r[0]), V3::from(r[1]), V3::from(r[2])).transpose()
    }
    /// The rows as arrays.
    pub fn rows(self) -> [[f64; 3]; 3] {
        let t = self.transpose();
        [t.x.array(), t.y.array(), t.z.array()]
    }
    /// Converts to another number type.
    #[inline(always)]
    pub fn lift<T: Real>(self) -> M3<T> {
        M3::columns(self.x.lift(), self.y.lift(), self.z.lift())
    }
    /// The largest absolute entry.
    pub fn max_abs(self) -> f64 {
        let abs = |v: V3| v.x.abs().max(v.y.abs()).max(v.z.abs());
        abs(self.x).max(abs(self.y)).max(abs(self.z))
    }
    /// The determinant.
    pub fn determinant(self) -> f64 {
        self.x.dot(self.y.cross(self.z))
    }
    /// The inverse, or `None` for a singular matrix.
    pub fn inverse(self) -> Option<M3> {
        let d = self.determinant();
        (d != 0.0 && d.is_finite()).then(|| {
            let k = 1.0 / d;
            M3::columns(self.y.cross(self.z) * k, self.z.cross(self.x) * k, self.x.cross(self.y) * k)
                .transpose()
        })
    }
}

impl<T> M3<T> {
    /// The matrix with columns x, y, z.
    #[inline(always)]
    pub const fn columns(x: V3<T>, y: V3<T>, z: V3<T>) -> Self {
        Self { x, y, z }
    }
}

impl<T: Real> M3<T> {
    /// The unit matrix.
    #[inline(always)]
    pub fn identity() -> Self {
        M3::IDENTITY.lift()
    }
    /// `[v]×`, the matrix with `[v]× u = v × u`.
    #[inline(always)]
    pub fn skew(v: V3<T>) -> Self {
        let o = T::zero();
        Self::columns(V3::new(o, v.z, -v.y), V3::new(-v.z, o, v.x), V3::new(v.y, -v.x, o))
    }
    /// `a bᵀ`.
    #[inline(always)]
    pub fn outer(a: V3<T>, b: V3<T>) -> Self {
        Self::columns(a * b.x, a * b.y, a * b.z)
    }
    /// The transposed matrix.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        Self::columns(
            V3::new(self.x.x, self.y.x, self.z.x),
            V3::new(self.x.y, self.y.y, self.z.y),
            V3::new(self.x.z, self.y.z, self.z.z),
        )
    }
    /// `selfᵀ v`.
    #[inline(always)]
    pub fn tr_mul(self, v: V3<T>) -> V3<T> {
        V3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }
    /// `self v + c`.
    #[inline(always)]
    pub fn mul_add(self, v: V3<T>, c: V3<T>) -> V3<T> {
        self.z.mul_add(v.z, self.y.mul_add(v.y, self.x.mul_add(v.x, c)))
    }
    /// The sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> T {
        self.x.x + self.y.y + self.z.z
    }
    /// The vector v with `[v]× = self − selfᵀ`: twice the axial vector of the skew part.
    #[inline(always)]
    pub fn vex2(self) -> V3<T> {
        V3::new(self.y.z - self.z.y, self.z.x - self.x.z, self.x.y - self.y.x)
    }
    /// `self * s`.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Self::columns(self.x * s, self.y * s, self.z * s)
    }
}

impl<T: Real> Mul<V3<T>> for M3<T> {
    type Output = V3<T>;
    #[inline(always)]
    fn mul(self, v: V3<T>) -> V3<T> {
        self.z.mul_add(v.z, self.y.mul_add(v.y, self.x * v.x))
    }
}
impl<T: Real> Mul for M3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self::columns(self * o.x, self * o.y, self * o.z)
    }
}
impl<T: Real> Add for M3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::columns(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}
impl<T: Real> Sub for M3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::columns(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

/// A symmetric 3×3 matrix stored as six numbers.
///
/// ```
/// use poinsot_core::algebra::{Sym3, V3};
/// let i = Sym3::diagonal(1.0, 2.0, 3.0);
/// assert_eq!(i * V3::new(1.0, 1.0, 1.0), V3::new(1.0, 2.0, 3.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)] // the names are the entries
pub struct Sym3<T = f64> {
    pub xx: T,
    pub xy: T,
    pub xz: T,
    pub yy: T,
    pub yz: T,
    pub zz: T,
}

impl Sym3 {
    /// The diagonal matrix with the given entries.
    pub const fn diagonal(xx: f64, yy: f64, zz: f64) -> Sym3 {
        Sym3 { xx, yy, zz, xy: 0.0, xz: 0.0, yz: 0.0 }
    }
    /// Converts to another number type.
    #[inline(always)]
    pub fn lift<T: Real>(self) -> Sym3<T> {
        Sym3::from(self.array().map(T::from_f64))
    }
    /// The inverse, or `None` for a singular matrix.
    pub fn inverse(self) -> Option<Sym3> {
        self.full().inverse().map(M3::symmetric_part)
    }
}

impl<T: Real> Sym3<T> {
    /// The null matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::from([T::zero(); 6])
    }
    /// `s` on the diagonal.
    #[inline(always)]
    pub fn scalar(s: T) -> Self {
        let o = T::zero();
        Self { xx: s, yy: s, zz: s, xy: o, xz: o, yz: o }
    }
    /// `k v vᵀ`.
    #[inline(always)]
    pub fn outer(v: V3<T>, k: T) -> Self {
        let w = v * k;
        Self { xx: v.x * w.x, xy: v.x * w.y, xz: v.x * w.z, yy: v.y * w.y, yz: v.y * w.z, zz: v.z * w.z }
    }
    /// xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    pub fn array(self) -> [T; 6] {
        [self.xx, self.xy, self.xz, self.yy, self.yz, self.zz]
    }
    /// All nine entries.
    #[inline(always)]
    pub fn full(self) -> M3<T> {
        M3::columns(
            V3::new(self.xx, self.xy, self.xz),
            V3::new(self.xy, self.yy, self.yz),
            V3::new(self.xz, self.yz, self.zz),
        )
    }
    /// The sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> T {
        self.xx + self.yy + self.zz
    }
    /// The inverse by cofactors, for matrices known to be well conditioned: no check and no pivoting.
    #[inline(always)]
    pub fn cofactor_inverse(self) -> Self {
        let Self { xx, xy, xz, yy, yz, zz } = self;
        let c_xx = yy.mul_add(zz, -(yz * yz));
        let c_xy = xz.mul_add(yz, -(xy * zz));
        let c_xz = xy.mul_add(yz, -(xz * yy));
        let by = T::one() / xx.mul_add(c_xx, xy.mul_add(c_xy, xz * c_xz));
        Self {
            xx: c_xx * by,
            xy: c_xy * by,
            xz: c_xz * by,
            yy: xx.mul_add(zz, -(xz * xz)) * by,
            yz: xy.mul_add(xz, -(xx * yz)) * by,
            zz: xx.mul_add(yy, -(xy * xy)) * by,
        }
    }
    /// `k self`.
    #[inline(always)]
    pub fn scaled(self, k: T) -> Self {
        Self::from(self.array().map(|x| x * k))
    }
    /// `R self Rᵀ`.
    #[inline(always)]
    pub fn rotated(self, r: M3<T>) -> Self {
        let a = r * self.full();
        let (at, rt) = (a.transpose(), r.transpose());
        Self {
            xx: at.x.dot(rt.x),
            xy: at.x.dot(rt.y),
            xz: at.x.dot(rt.z),
            yy: at.y.dot(rt.y),
            yz: at.y.dot(rt.z),
            zz: at.z.dot(rt.z),
        }
    }
    /// `self − a bᵀ` where `a bᵀ` is known to be symmetric.
    #[inline(always)]
    pub fn sub_outer(self, a: V3<T>, b: V3<T>) -> Self {
        Self {
            xx: (-a.x).mul_add(b.x, self.xx),
            xy: (-a.x).mul_add(b.y, self.xy),
            xz: (-a.x).mul_add(b.z, self.xz),
            yy: (-a.y).mul_add(b.y, self.yy),
            yz: (-a.y).mul_add(b.z, self.yz),
            zz: (-a.z).mul_add(b.z, self.zz),
        }
    }
}

impl<T: Real> M3<T> {
    /// `½(self + selfᵀ)`.
    pub fn symmetric_part(self) -> Sym3<T> {
        let half = |a: T, b: T| (a + b) * T::from_f64(0.5);
        Sym3 {
            xx: self.x.x,
            yy: self.y.y,
            zz: self.z.z,
            xy: half(self.x.y, self.y.x),
            xz: half(self.x.z, self.z.x),
            yz: half(self.y.z, self.z.y),
        }
    }
}

impl<T> From<[T; 6]> for Sym3<T> {
    #[inline(always)]
    fn from([xx, xy, xz, yy, yz, zz]: [T; 6]) -> Self {
        Self { xx, xy, xz, yy, yz, zz }
    }
}
impl<T: Real> Mul<V3<T>> for Sym3<T> {
    type Output = V3<T>;
    #[inline(always)]
    fn mul(self, v: V3<T>) -> V3<T> {
        self.full() * v
    }
}
impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yy: self.yy + o.yy,
            yz: self.yz + o.yz,
            zz: self.zz + o.zz,
        }
    }
}
impl<T: Real> Sub for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self {
            xx: self.xx - o.xx,
            xy: self.xy - o.xy,
            xz: self.xz - o.xz,
            yy: self.yy - o.yy,
            yz: self.yz - o.yz,
            zz: self.zz - o.zz,
        }
    }
}
