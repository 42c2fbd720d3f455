//! The rotation group: quaternions, exponential, logarithm and their derivatives.
//!
//! `exp: so(3) → SO(3)` is the rotation by θ = |φ| about φ, computed as the unit quaternion
//! `(cos θ/2, sin(θ/2) φ/θ)`. Its left-trivialised derivative is `d/dt exp φ = [J(φ) φ̇]× exp φ` with the left Jacobian
//! `J(φ) = 1 + ((1 − cos θ)/θ²)[φ]× + ((θ − sin θ)/θ³)[φ]×²` [Iserles00, section 2.6]. Near θ = 0 the
//! coefficients are summed as Taylor series; near θ = π the logarithm comes from the quaternion, whose vector
//! part does not vanish there.

use super::{Motion, Pose};
use crate::algebra::lanes::Eight;
use crate::algebra::{M3, Real, V3};

/// A unit quaternion w + xi + yj + zk: the rotation by 2 acos w about (x, y, z).
///
/// ```
/// use poinsot_core::{algebra::V3, spatial::Quat};
/// let q = Quat::exp(V3::Z * std::f64::consts::FRAC_PI_2);
/// assert!((q.matrix() * V3::X - V3::Y).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the names are the components
pub struct Quat<T = f64> {
    pub w: T,
    pub x: T,
    pub y: T,
    pub z: T,
}

impl Quat {
    /// No rotation.
    pub const IDENTITY: Quat = Quat { w: 1.0, x: 0.0, y: 0.0, z: 0.0 };

    /// The rotation by |φ| about φ.
    pub fn exp(phi: V3) -> Quat {
        let half = phi * 0.5;
        let a = half.norm();
        let (s, c) = (sinc(a), libm::cos(a));
        Quat { w: c, x: s * half.x, y: s * half.y, z: s * half.z }
    }

    /// As [`Quat::exp`] for eight rotations, bit for bit; `None` if one of the angles exceeds 1.5 rad.
    #[inline(always)]
    pub(crate) fn exp_eight<W: Eight>(phi: V3<W>) -> Option<Quat<W>> {
        let half = phi * W::from_f64(0.5);
        let a = half.dot(half).sqrt();
        if !a.all_at_most(0.75) {
            return None;
        }
        let (sin, cos) = libm_sin_cos(a);
        let near_zero = W::one() - a * a / W::from_f64(6.0);
        let s = a.choose_below(NEAR_ZERO, near_zero, sin / a);
        Some(Quat { w: cos, x: s * half.x, y: s * half.y, z: s * half.z })
    }

    /// The rotation vector φ with `exp φ = self` and |φ| ≤ π.
    pub fn log(self) -> V3 {
        let v = self.vector();
        let (s, w) = (v.norm(), self.w);
        // q and −q are one rotation: take the one with w ≥ 0, so that |φ| ≤ π
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let k = if s < 1e-8 { 2.0 / w.abs() } else { 2.0 * libm::atan2(s, w.abs()) / s };
        v * (sign * k)
    }

    /// The quaternion of a rotation matrix, with w ≥ 0 if that is not ambiguous [Shepperd78].
    pub fn from_matrix(r: M3) -> Quat {
        let (xx, yy, zz) = (r.x.x, r.y.y, r.z.z);
        let candidates = [xx + yy + zz, xx, yy, zz];
        let largest = (0..4).fold(0, |b, k| if candidates[k] > candidates[b] { k } else { b });
        let (sx, sy, sz) = (r.y.z - r.z.y, r.z.x - r.x.z, r.x.y - r.y.x);
        let q = match largest {
            0 => Quat { w: 1.0 + xx + yy + zz, x: sx, y: sy, z: sz },
            1 => Quat { w: sx, x: 1.0 + xx - yy - zz, y: r.x.y + r.y.x, z: r.x.z + r.z.x },
            2 => Quat { w: sy, x: r.x.y + r.y.x, y: 1.0 + yy - xx - zz, z: r.y.z + r.z.y },
            _ => Quat { w: sz, x: r.x.z + r.z.x, y: r.y.z + r.z.y, z: 1.0 + zz - xx - yy },
        };
        q.normalized()
    }

    /// The vector part.
    pub fn vector(self) -> V3 {
        V3::new(self.x, self.y, self.z)
    }
    /// w, x, y, z.
    pub fn array(self) -> [f64; 4] {
        [self.w, self.x, self.y, self.z]
    }
}

impl<T: Real> Quat<T> {
    /// The squared length.
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.w.mul_add(self.w, self.x.mul_add(self.x, self.y.mul_add(self.y, self.z * self.z)))
    }
    /// The length of the four components.
    #[inline(always)]
    pub fn norm(self) -> T {
        self.norm_squared().sqrt()
    }
    /// The unit quaternion of the same direction. NaN if the length is 0.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        let k = T::one() / self.norm();
        Self { w: self.w * k, x: self.x * k, y: self.y * k, z: self.z * k }
    }
    /// The inverse rotation.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self { w: self.w, x: -self.x, y: -self.y, z: -self.z }
    }
    /// The rotation matrix of `self / |self|`: a quaternion whose length has drifted still gives a rotation.
    #[inline(always)]
    pub fn matrix(self) -> M3<T> {
        let Self { w, x, y, z } = self;
        let one = T::one();
        let k = (one + one) / self.norm_squared();
        let (kx, ky, kz) = (k * x, k * y, k * z);
        let (xx, yy, zz) = (kx * x, ky * y, kz * z);
        let (xy, xz, yz) = (kx * y, kx * z, ky * z);
        let (wx, wy, wz) = (kx * w, ky * w, kz * w);
        M3::columns(
            V3::new(one - yy - zz, xy + wz, xz - wy),
            V3::new(xy - wz, one - xx - zz, yz + wx),
            V3::new(xz + wy, yz - wx, one - xx - yy),
        )
    }
    /// ½ (0, ω) ⊗ self: the rate of a quaternion whose body turns with world angular velocity ω.
    pub fn rate_world(self, w: V3<T>) -> Self {
        let half = T::from_f64(0.5);
        let omega = Self { w: T::zero(), x: w.x * half, y: w.y * half, z: w.z * half };
        omega * self
    }
}

impl<T: Real> std::ops::Mul for Quat<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self {
            w: self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            x: self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            y: self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            z: self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        }
    }
}

impl<T> From<[T; 4]> for Quat<T> {
    #[inline(always)]
    fn from([w, x, y, z]: [T; 4]) -> Self {
        Self { w, x, y, z }
    }
}

/// Below this sin θ / θ is summed as a series.
const NEAR_ZERO: f64 = 1e-4;

/// Sine and cosine with the bits of libm for 1e-8 < |x| < π/4, and the cosine also closer to 0: its kernels [fdlibm93], operation by
/// operation. ([`crate::algebra::sin_cos`] fuses operations, and gives other bits.)
#[inline(always)]
fn libm_sin_cos<T: Real>(x: T) -> (T, T) {
    let k = T::from_f64;
    let z = x * x;
    let w = z * z;
    let r = k(8.333_333_333_322_49e-3)
        + z * (k(-1.984_126_982_985_795e-4) + z * k(2.755_731_370_707_006_8e-6))
        + z * w * (k(-2.505_076_025_340_686_4e-8) + z * k(1.589_690_995_211_55e-10));
    let sin = x + z * x * (k(-1.666_666_666_666_663_2e-1) + z * r);
    let low =
        k(4.166_666_666_666_66e-2) + z * (k(-1.388_888_888_887_411e-3) + z * k(2.480_158_728_947_673e-5));
    let high = k(-2.755_731_435_139_066_3e-7)
        + z * (k(2.087_572_321_298_175e-9) + z * k(-1.135_964_755_778_819_5e-11));
    let r = z * low + w * w * high;
    let half = k(0.5) * z;
    let most = T::one() - half;
    (sin, most + (((T::one() - most) - half) + z * r))
}

/// sin θ / θ.
fn sinc(t: f64) -> f64 {
    if t.abs() < NEAR_ZERO { 1.0 - t * t / 6.0 } else { libm::sin(t) / t }
}

/// ((1 − cos θ)/θ², (θ − sin θ)/θ³), each to round-off for every θ ≥ 0.
fn jacobian_coefficients(t: f64) -> (f64, f64) {
    let b = 0.5 * sinc(0.5 * t) * sinc(0.5 * t);
    if t < 0.5 {
        // Σ (−1)ᵏ θ²ᵏ / (2k+3)!
        let z = t * t;
        let series = [1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362_880.0, 1.0 / 39_916_800.0];
        (b, series.iter().rev().fold(-1.0 / 6_227_020_800.0, |acc, k| acc * z + k))
    } else {
        (b, (t - libm::sin(t)) / (t * t * t))
    }
}

/// The rotation matrix by |φ| about φ.
///
/// ```
/// use poinsot_core::{algebra::V3, spatial::{exp_so3, log_so3}};
/// let phi = V3::new(0.3, -0.2, 3.1);
/// assert!((log_so3(exp_so3(phi)) - phi).norm() < 1e-14);
/// ```
pub fn exp_so3(phi: V3) -> M3 {
    Quat::exp(phi).matrix()
}

/// The rotation vector of a rotation matrix, |φ| ≤ π.
pub fn log_so3(r: M3) -> V3 {
    Quat::from_matrix(r).log()
}

/// J(φ) with `exp(φ + δ) ≈ exp(J(φ) δ) exp φ`. The right Jacobian is `J(−φ) = J(φ)ᵀ`.
///
/// ```
/// use poinsot_core::{algebra::V3, spatial::{exp_so3, left_jacobian, log_so3}};
/// let (phi, d) = (V3::new(1.0, 2.0, -0.5), V3::new(1e-6, -2e-6, 1e-6));
/// let world = log_so3(exp_so3(phi + d) * exp_so3(phi).transpose());
/// assert!((left_jacobian(phi) * d - world).norm() < 1e-11);
/// ```
pub fn left_jacobian(phi: V3) -> M3 {
    let (b, c) = jacobian_coefficients(phi.norm());
    let k = M3::skew(phi);
    M3::IDENTITY + k.scale(b) + (k * k).scale(c)
}

/// `J(φ)⁻¹ = 1 − ½[φ]× + κ [φ]×²`, κ = (1 − (θ/2) cot(θ/2))/θ²; finite for θ < 2π.
pub fn left_jacobian_inverse(phi: V3) -> M3 {
    let t = phi.norm();
    let kappa = if t < 0.5 {
        // Σ |B₂ₖ| θ²ᵏ⁻² / (2k)!
        let z = t * t;
        let series = [1.0 / 12.0, 1.0 / 720.0, 1.0 / 30_240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0];
        series.iter().rev().fold(691.0 / 1_307_674_368_000.0, |acc, k| acc * z + k)
    } else {
        let h = 0.5 * t;
        (1.0 - h * libm::cos(h) / libm::sin(h)) / (t * t)
    };
    let k = M3::skew(phi);
    M3::IDENTITY - k.scale(0.5) + (k * k).scale(kappa)
}

/// The pose reached in unit time by a body in the constant motion ξ: (exp ω, J(ω) v).
pub fn exp_se3(xi: Motion) -> Pose {
    Pose { rot: exp_so3(xi.ang), pos: left_jacobian(xi.ang) * xi.lin }
}

/// The constant motion that reaches `x` in unit time, with |ω| ≤ π.
pub fn log_se3(x: Pose) -> Motion {
    let ang = log_so3(x.rot);
    Motion { ang, lin: left_jacobian_inverse(ang) * x.pos }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Lanes;
    use std::f64::consts::PI;

    fn axes() -> impl Iterator<Item = V3> {
        [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, -0.48, 0.64), (-0.36, 0.48, 0.8)]
            .into_iter()
            .map(|(x, y, z)| V3::new(x, y, z))
    }

    #[test]
    fn log_undoes_exp_from_zero_to_pi() {
        for n in axes() {
            for t in [0.0, 1e-300, 1e-12, 1e-8, 1e-5, 1e-3, 0.1, 0.5, 1.0, 2.0, 3.0, PI - 1e-4, PI - 1e-9] {
                let phi = n * t;
                let r = exp_so3(phi);
                assert!((r.transpose() * r - M3::IDENTITY).max_abs() < 1e-15, "{n:?} {t}");
                assert!((log_so3(r) - phi).norm() <= 2e-15 * (1.0 + t), "matrix {n:?} {t}: {:?}", log_so3(r));
                assert!((Quat::exp(phi).log() - phi).norm() <= 1e-15 * t.max(1e-300), "quat {n:?} {t}");
                assert!((Quat::exp(phi).matrix() - r).max_abs() < 1e-15);
            }
        }
    }

    #[test]
    fn eight_rotations_have_the_bits_of_one() {
        let sizes = [0.0, 1e-300, 3e-9, 1.9e-8, 1e-6, 1.99e-4, 2e-4, 2.01e-4, 0.01, 0.3, 0.9, 1.2, 1.4999];
        for n in axes() {
            for size in (0..2000).map(|k| 7.49e-4 * k as f64).chain(sizes) {
                let turns: [V3; 8] = std::array::from_fn(|k| n * (size * (1.0 - 0.03 * k as f64)));
                let part = |of: fn(&V3) -> f64| Lanes(turns.map(|t| of(&t)));
                let eight = Quat::exp_eight(V3::new(part(|t| t.x), part(|t| t.y), part(|t| t.z))).unwrap();
                for (k, turn) in turns.into_iter().enumerate() {
                    let found = [eight.w.0[k], eight.x.0[k], eight.y.0[k], eight.z.0[k]];
                    assert_eq!(
                        found.map(f64::to_bits),
                        Quat::exp(turn).array().map(f64::to_bits),
                        "{turn:?}"
                    );
                }
            }
        }
        let far = Lanes([0.0, 0.0, 0.0, 1.6, 0.0, 0.0, 0.0, 0.0]);
        assert!(Quat::exp_eight(V3::new(far, far, far)).is_none());
        assert!(Quat::exp_eight(V3::new(far, far, Lanes([f64::NAN; 8]))).is_none());
    }

    #[test]
    fn jacobians_are_inverse_and_are_the_derivative() {
        for n in axes() {
            for t in [1e-9, 1e-4, 0.1, 0.499, 0.501, 1.5, 3.0, PI, 5.0] {
                let phi = n * t;
                let (j, i) = (left_jacobian(phi), left_jacobian_inverse(phi));
                assert!((j * i - M3::IDENTITY).max_abs() < 1e-13, "{t}");
                let h = 1e-6;
                let d = V3::new(0.3, -0.5, 0.7);
                let plus = exp_so3(phi + d * h);
                let minus = exp_so3(phi - d * h);
                let dr = (plus - minus).scale(0.5 / h) * exp_so3(phi).transpose();
                assert!((dr - M3::skew(j * d)).max_abs() < 1e-9, "{t}");
            }
        }
    }

    #[test]
    fn se3_log_undoes_exp() {
        for n in axes() {
            for t in [0.0, 1e-9, 0.3, 2.0, PI - 1e-6] {
                let xi = Motion { ang: n * t, lin: V3::new(1.0, -2.0, 0.5) };
                let back = log_se3(exp_se3(xi));
                assert!((back.ang - xi.ang).norm() + (back.lin - xi.lin).norm() < 1e-13, "{t}");
            }
        }
    }
}
