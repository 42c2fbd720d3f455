//! The polhode: the curve of the body momentum M = RᵀL in torque-free rotation, and the precession along it.
//!
//! **The curve.** |M| = G, in principal axes named j, 2, k: 2 is the middle moment, j and k the extremes in either order. With
//! d_ab = |I_a − I_b|, the constants of motion are sums of squares, except the last:
//! ```math
//! D_j = |G² − 2E I_j| = M₂² d_j2/I₂ + M_k² d_jk/I_k        D_k = M_j² d_jk/I_j + M₂² d_2k/I₂                  (1)
//! Δ   = ±(G² − 2E I₂) = M_k² d_2k/I_k − M_j² d_j2/I_j                                                         (2)
//! ```
//! M circles the axis k if Δ ≥ 0, and j if Δ < 0 (Δ = 0: the separatrix through the middle axis):
//! ```math
//! about k:  M = (A_j cn, A₂ sn, ±A_k dn)    λ² = d_2k D_j/(I_j I₂ I_k)    m₁ =  Δ d_jk/(d_2k D_j)
//! about j:  M = (±A_j dn, A₂ sn, A_k cn)    λ² = d_j2 D_k/(I_j I₂ I_k)    m₁ = −Δ d_jk/(d_j2 D_k)             (3)
//! A_j² = I_j D_k/d_jk    A_k² = I_k D_j/d_jk    A₂² = I₂ D_k/d_2k (about k),  I₂ D_j/d_j2 (about j)
//! ```
//! at u = u₀ ± λt [LandauLifshitz76, section 37]. A step needs no inverse function: sn, cn, dn at u₀ + v follow from those at u₀ by the
//! addition theorem, up to a common factor that sn² + cn² = 1 restores. A long v is divided into parts of at most 2: in a single part past
//! the middle axis, cn would be a difference of nearly equal numbers.
//!
//! **The precession.** The angle ψ of the axis k about L grows as
//! ```math
//! ψ̇ = G (2E − M_k²/I_k)/(G² − M_k²) = G/I_j − G (1/I_j − 1/I_k) ν sn²/(1 + ν sn²)                             (4)
//! ν = I_k d_j2/(I_j d_2k) (about k),   I_k D_j/(I_j D_k) (about j)
//! ```
//! The two extremes are not equally suitable: ρ_k = I_j d_2k/(I₂ d_jk) and ρ_j = I_k d_j2/(I₂ d_jk) sum to 1, and k is chosen with ρ_k ≥ ½.
//! Then 0 ≤ ν ≤ 1 in both cases of (4), k is never nearly parallel to M unless the body spins about it, and thin rods, flat discs and
//! nearly symmetric bodies need no special treatment.
//!
//! With `N(u) = ∫₀ᵘ ν sn²/(1 + ν sn²) = (ν/3) sn³ R_J(cn², dn², 1, 1 + ν sn²)` for |u| ≤ K, the addition theorem
//! of the third kind [ByrdFriedman71], [DLMF, 19.11] is
//! ```math
//! N(u₁) − N(u₀) = N(v) + (ν/√δ) arctan(√δ s₀ s s₁ / (1 + ν s₁² − ν s₀ s c₁ d₁)),   δ = ν (1 + ν)(ν + m)       (5)
//! ```
//! so that N is evaluated at v alone, which is the same in every step of the same length.

use super::PrincipalFrame;
use crate::algebra::{Jacobi, M3, V3, carlson_rj};

/// Below this cn is 0 on the separatrix, and m₁ is 0 below its square.
const TINY: f64 = 1e-140;
/// The longest part for the addition theorem.
const LONGEST_PART: f64 = 2.0;
/// Beyond this phase cosh u > 1/TINY: on the separatrix there is no further change; off it K < 330.
const FARTHEST: f64 = 350.0;

/// The form of the curve, in units of G.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Form {
    /// True if M circles k, false if j.
    about_k: bool,
    /// A_j, A_k, A₂/A_j; and A₂ over the amplitude of cn.
    aj: f64,
    ak: f64,
    a2_by_aj: f64,
    a2_by_cn: f64,
    /// λ/G > 0.
    rate: f64,
    m1: f64,
    nu: f64,
}

impl Form {
    /// Equations (1)–(4) for the curve through the unit vector `m`; `None` if M is constant.
    #[inline(always)]
    fn through(moments: V3, m: V3) -> Option<Form> {
        let V3 { x: ij, y: i2, z: ik } = moments;
        let (dj2, d2k, djk) = ((i2 - ij).abs(), (ik - i2).abs(), (ik - ij).abs());
        let squares = V3::new(m.x * m.x / ij, m.y * m.y / i2, m.z * m.z / ik);
        let dj = squares.y * dj2 + squares.z * djk;
        let dk = squares.x * djk + squares.y * d2k;
        let delta = squares.z * d2k - squares.x * dj2;
        let about_k = delta >= 0.0;
        let square = if about_k { d2k * dj } else { dj2 * dk };
        let rate = (square / (ij * i2 * ik)).sqrt();
        if rate == 0.0 || rate.is_nan() {
            return None;
        }
        let m1 = (delta.abs() * djk / square).min(1.0);
        let (aj, ak) = ((ij * dk / djk).sqrt(), (ik * dj / djk).sqrt());
        let (nu, a2_by_aj, a2_by_cn) = if about_k {
            let nu = ik * dj2 / (ij * d2k);
            (nu, (1.0 + nu).sqrt(), (1.0 + nu).sqrt())
        } else {
            let by_ak = (i2 * djk / (ik * dj2)).sqrt();
            (ik * dj / (ij * dk), by_ak * ak / aj, by_ak)
        };
        let m1 = if m1 < TINY * TINY { 0.0 } else { m1 };
        Some(Form { about_k, aj, ak, a2_by_aj, a2_by_cn, rate, m1, nu })
    }
}

/// The curve of M, and the current point on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Polhode {
    form: Form,
    /// The sign of the component along the axis it circles.
    sign: f64,
    /// ±λ.
    rate: f64,
    /// √δ and ν/√δ.
    root_delta: f64,
    nu_by_root_delta: f64,
    /// G/I_j and G (1/I_j − 1/I_k)/rate.
    precession: f64,
    excess: f64,
    /// sn, cn, dn at the current point.
    sn: f64,
    cn: f64,
    dn: f64,
    /// The last increment; the next step probably has the same length.
    increment: Increment,
}

/// The increments of a step of length dt, independent of where it starts: v = rate · dt = 2Kj + w, |w| ≤ K.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Increment {
    dt: f64,
    /// The number of equal parts of w, and sn, cn, dn of one.
    parts: u32,
    part: (f64, f64, f64),
    /// sn w.
    sn: f64,
    /// (−1)ʲ.
    sign_j: f64,
    /// N(v).
    third: f64,
}

impl Increment {
    const NONE: Increment =
        Increment { dt: 0.0, parts: 0, part: (0.0, 1.0, 1.0), sn: 0.0, sign_j: 1.0, third: 0.0 };
}

impl Polhode {
    /// The curve through the body momentum `m` (body axes); `None` if M is constant.
    #[inline(always)]
    pub(super) fn through(frame: &PrincipalFrame, m: V3) -> Option<Polhode> {
        let V3 { x: ij, z: ik, .. } = frame.moments;
        let g = m.norm();
        let m = frame.axes.tr_mul(m) * (1.0 / g);
        let form = Form::through(frame.moments, m)?;
        let sign = if form.about_k { m.z } else { m.x }.signum();
        let rate = g * form.rate * sign * if ij <= ik { 1.0 } else { -1.0 };
        let root_delta = (form.nu * (1.0 + form.nu) * (form.nu + (1.0 - form.m1))).sqrt();
        let mut polhode = Polhode {
            form,
            sign,
            rate,
            root_delta,
            nu_by_root_delta: if root_delta > 0.0 { form.nu / root_delta } else { 0.0 },
            precession: g / ij,
            excess: g * ((ik - ij) / (ij * ik)) / rate,
            sn: 0.0,
            cn: 1.0,
            dn: 1.0,
            increment: Increment::NONE,
        };
        // sn : cn = M₂/A₂ : M_j/A_j or M₂/A₂ : M_k/A_k
        polhode.settle(m.y, form.a2_by_cn * if form.about_k { m.x } else { m.z });
        Some(polhode)
    }

    /// The number of values that describe the curve and the point on it.
    pub(super) const NUMBERS: usize = 17;

    /// The curve and the point on it; the increment follows from them.
    pub(super) fn numbers(&self) -> [f64; Self::NUMBERS] {
        let Form { about_k, aj, ak, a2_by_aj, a2_by_cn, rate, m1, nu } = self.form;
        [
            f64::from(about_k),
            aj,
            ak,
            a2_by_aj,
            a2_by_cn,
            rate,
            m1,
            nu,
            self.sign,
            self.rate,
            self.root_delta,
            self.nu_by_root_delta,
            self.precession,
            self.excess,
            self.sn,
            self.cn,
            self.dn,
        ]
    }

    /// The inverse of [`Polhode::numbers`].
    pub(super) fn of_numbers(n: &[f64; Self::NUMBERS]) -> Polhode {
        let [about_k, aj, ak, a2_by_aj, a2_by_cn, own_rate, m1, nu, ..] = *n;
        let [.., sign, rate, root_delta, nu_by_root_delta, precession, excess, sn, cn, dn] = *n;
        let form = Form { about_k: about_k != 0.0, aj, ak, a2_by_aj, a2_by_cn, rate: own_rate, m1, nu };
        let increment = Increment::NONE;
        Polhode { form, sign, rate, root_delta, nu_by_root_delta, precession, excess, sn, cn, dn, increment }
    }

    /// 4K/λ; `None` on the separatrix.
    pub(super) fn period(&self) -> Option<f64> {
        (self.form.m1 > 0.0).then(|| 4.0 * self.jacobi().quarter_period() / self.rate.abs())
    }

    /// The growth of ψ in one period.
    pub(super) fn precession_per_period(&self) -> Option<f64> {
        let around = 4.0 * self.complete() * self.rate.signum();
        self.period().map(|period| self.precession * period - self.excess * around)
    }

    fn jacobi(&self) -> Jacobi {
        Jacobi::with_complement(self.form.m1)
    }

    /// Sets the phase to the given ratio sn : cn, on the curve to round-off.
    #[inline(always)]
    fn settle(&mut self, sn: f64, cn: f64) {
        let length = (sn * sn + cn * cn).sqrt();
        (self.sn, self.cn) = if length > 0.0 { (sn / length, cn / length) } else { (0.0, 1.0) };
        if self.cn.abs() < TINY {
            self.cn = 0.0;
        }
        self.dn = (self.form.m1 + (1.0 - self.form.m1) * self.cn * self.cn).sqrt();
    }

    /// N(K), the complete integral.
    fn complete(&self) -> f64 {
        self.form.nu / 3.0 * carlson_rj(0.0, self.form.m1, 1.0, 1.0 + self.form.nu)
    }

    #[inline(always)]
    fn increment(&self, dt: f64) -> Increment {
        let jacobi = self.jacobi();
        let (j, w) = jacobi.reduce(self.rate * dt);
        let whole = if j == 0.0 { 0.0 } else { 2.0 * j * self.complete() };
        let (sn, cn, dn) = jacobi.at(w);
        let third = whole + self.third(w, sn, cn, dn);
        let way = w.clamp(-FARTHEST, FARTHEST);
        let parts = (way.abs() / LONGEST_PART).ceil().max(1.0);
        let part = if parts == 1.0 { (sn, cn, dn) } else { jacobi.at(way / parts) };
        let sign_j = if j % 2.0 == 0.0 { 1.0 } else { -1.0 };
        Increment { dt, parts: parts as u32, part, sn, sign_j, third }
    }

    /// N(w) for |w| ≤ K.
    #[inline(always)]
    fn third(&self, w: f64, sn: f64, cn: f64, dn: f64) -> f64 {
        let nu = self.form.nu;
        if self.form.m1 == 0.0 {
            // sn = tanh w: elementary, and w may be long
            let root = nu.sqrt();
            (nu * w - root * libm::atan(root * sn)) / (1.0 + nu)
        } else {
            let s2 = sn * sn;
            nu / 3.0 * s2 * sn * carlson_rj(cn * cn, dn * dn, 1.0, 1.0 + nu * s2)
        }
    }

    /// Advances by `dt`; returns the angle of rotation about L, equation (5).
    #[inline(always)]
    pub(super) fn advance(&mut self, dt: f64) -> f64 {
        if self.increment.dt != dt {
            self.increment = self.increment(dt);
        }
        let Increment { parts, part, sn: s, sign_j, third, .. } = self.increment;
        let s0 = self.sn;
        for _ in 0..parts {
            self.part(part);
        }
        let (s1, c1, d1) = (self.sn, self.cn, self.dn);
        let below = 1.0 + self.form.nu * (s1 * s1 - s0 * s * c1 * d1);
        let bend = self.nu_by_root_delta * libm::atan(self.root_delta * s0 * s * s1 / below);
        (self.sn, self.cn) = (sign_j * s1, sign_j * c1);
        self.precession * dt - self.excess * (third + bend)
    }

    /// The addition theorem; the common denominator cancels when the phase is settled.
    #[inline(always)]
    fn part(&mut self, (s, c, d): (f64, f64, f64)) {
        let (s0, c0, d0) = (self.sn, self.cn, self.dn);
        self.settle(s0 * c * d + s * c0 * d0, c0 * c - s0 * d0 * s * d);
    }

    /// In principal axes, as columns: M/G; the part of k perpendicular to it, of length 1; their vector product.
    #[inline(always)]
    pub(super) fn frame_about_momentum(&self) -> M3 {
        let (along_j, mk) = if self.form.about_k {
            (self.cn, self.sign * self.form.ak * self.dn)
        } else {
            (self.sign * self.dn, self.form.ak * self.cn)
        };
        let along_2 = self.form.a2_by_aj * self.sn;
        let length = (along_j * along_j + along_2 * along_2).sqrt();
        let (cos, sin) = (along_j / length, along_2 / length);
        let rho = self.form.aj * length;
        let g = 1.0 / (rho * rho + mk * mk).sqrt();
        let (rho, mk) = (rho * g, mk * g);
        M3::columns(
            V3::new(rho * cos, rho * sin, mk),
            V3::new(-mk * cos, -mk * sin, rho),
            V3::new(sin, -cos, 0.0),
        )
    }
}
