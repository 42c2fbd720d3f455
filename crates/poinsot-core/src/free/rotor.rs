//! The exact motion of a rigid body without torque, by Jacobi's elliptic functions [Jacobi50],
//! [vanZonSchofield07], [Celledoni08].
//!
//! **Body momentum.** Let M = RᵀL, |M| = G, in principal axes named j, 2, k: 2 is the middle moment, j and k the
//! extremes in either order. With d_ab = |I_a − I_b| the constants of motion are sums of squares but the last,
//! ```text
//! D_j = |G² − 2E I_j| = M₂² d_j2/I₂ + M_k² d_jk/I_k        D_k = M_j² d_jk/I_j + M₂² d_2k/I₂                  (1)
//! Δ   = ±(G² − 2E I₂) = M_k² d_2k/I_k − M_j² d_j2/I_j                                                         (2)
//! ```
//! M circles the axis k where Δ ≥ 0, and j where Δ < 0 (Δ = 0: the separatrix through the middle axis):
//! ```text
//! about k:  M = (A_j cn, A₂ sn, ±A_k dn)    λ² = d_2k D_j/(I_j I₂ I_k)    m₁ =  Δ d_jk/(d_2k D_j)
//! about j:  M = (±A_j dn, A₂ sn, A_k cn)    λ² = d_j2 D_k/(I_j I₂ I_k)    m₁ = −Δ d_jk/(d_j2 D_k)             (3)
//! A_j² = I_j D_k/d_jk    A_k² = I_k D_j/d_jk    A₂² = I₂ D_k/d_2k (about k),  I₂ D_j/d_j2 (about j)
//! ```
//! at u = u₀ ± λt. A step needs no inverse function: sn, cn, dn at u₀ + v follow from those at u₀ by the addition
//! theorem, up to a common factor that sn² + cn² = 1 restores. A long v is taken in
//! paces of at most 2: past the middle axis at once, cn would be a difference of nearly equal numbers.
//!
//! **Attitude.** R takes M to L; what is left is the angle ψ of the axis k about L, with
//! ```text
//! ψ̇ = G (2E − M_k²/I_k)/(G² − M_k²) = G/I_j − G (1/I_j − 1/I_k) ν sn²/(1 + ν sn²)                             (4)
//! ν = I_k d_j2/(I_j d_2k) (about k),   I_k D_j/(I_j D_k) (about j)
//! ```
//! The two extremes serve differently: of ρ_k = I_j d_2k/(I₂ d_jk) and ρ_j = I_k d_j2/(I₂ d_jk) the sum is 1, so k
//! is chosen with ρ_k ≥ ½. Then 0 ≤ ν ≤ 1 in both cases of (4), k is never nearly parallel to M unless the body
//! spins about it, and thin rods, flat discs and nearly symmetric bodies are no exceptions.
//!
//! With `N(u) = ∫₀ᵘ ν sn²/(1 + ν sn²) = (ν/3) sn³ R_J(cn², dn², 1, 1 + ν sn²)` for |u| ≤ K, the addition theorem
//! of the third kind [ByrdFriedman71], [DLMF, 19.11] is
//! ```text
//! N(u₁) − N(u₀) = N(v) + (ν/√δ) arctan(√δ s₀ s s₁ / (1 + ν s₁² − ν s₀ s c₁ d₁)),   δ = ν (1 + ν)(ν + m)       (5)
//! ```
//! so that N is evaluated at v alone, which is the same in every step of the same length.
//!
//! **Round-off.** L is never touched. The constants (1)–(3) and the phase are carried from step to step, not read
//! again from R: near the separatrix reading them again would let Δ, hence the time of the next flip, walk at
//! random. Each new R takes M to L anew, so its errors do not add up, but for ψ.

use super::FreeBody;
use crate::algebra::{Jacobi, M3, V3, carlson_rj, sin_cos};
use crate::spatial::Quat;

/// Below this cn is 0 on the separatrix, and m₁ is 0 below its square.
const TINY: f64 = 1e-140;
/// The longest pace for the addition theorem.
const LONGEST_PACE: f64 = 2.0;
/// Beyond this phase cosh u > 1/TINY: on the separatrix nothing more happens; off it K < 330.
const FARTHEST: f64 = 350.0;

/// Principal moments and axes in the order j, 2, k of the rotor: the middle one second, and as third the extreme
/// that the attitude is best counted by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalFrame {
    /// I_j, I₂, I_k.
    pub moments: V3,
    /// The axes in body coordinates, as columns: a rotation.
    pub axes: M3,
}

impl PrincipalFrame {
    /// From ascending moments and the rotation of their axes.
    pub(super) fn new(moments: [f64; 3], axes: M3) -> PrincipalFrame {
        let [small, middle, large] = moments;
        // ρ of the largest against ρ of the smallest
        if small * (large - middle) > large * (middle - small) {
            PrincipalFrame { moments: V3::new(small, middle, large), axes }
        } else {
            let axes = M3::columns(axes.z, axes.y, -axes.x);
            PrincipalFrame { moments: V3::new(large, middle, small), axes }
        }
    }
}

/// A body in torque-free rotation, at one attitude of it.
///
/// ```
/// use poinsot_core::{algebra::{Sym3, V3}, free::{FreeBody, FreeRotor}, spatial::{Inertia, Quat}};
/// let body = FreeBody::new(&Inertia::new(1.0, V3::ZERO, Sym3::diagonal(1.0, 2.0, 3.0))?)?;
/// let mut rotor = FreeRotor::new(&body, Quat::IDENTITY, V3::new(0.01, 4.0, 0.03));
/// let period = rotor.period().expect("it tumbles");
/// let before = rotor.body_momentum();
/// rotor.advance(0.5 * period);
/// assert!((rotor.body_momentum().y + before.y).abs() < 1e-10); // Dzhanibekov's flip
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeRotor {
    frame: PrincipalFrame,
    rot: Quat,
    l: V3,
    course: Course,
}

/// How M moves in the body.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Course {
    /// Not at all: ω is constant.
    Steady { omega: V3 },
    /// On a closed curve, or on the separatrix.
    Polhode(Polhode),
}

impl FreeRotor {
    /// The motion through attitude `rot` with angular momentum `l` in world axes.
    pub fn new(body: &FreeBody, rot: Quat, l: V3) -> FreeRotor {
        let frame = *body.principal();
        let course = match Polhode::through(&frame, rot, l) {
            Some(polhode) => Course::Polhode(polhode),
            None => Course::Steady { omega: body.world_spin(rot.matrix(), l) },
        };
        FreeRotor { frame, rot, l, course }
    }

    /// True when this is the motion of `body` at just this attitude and momentum.
    #[inline(always)]
    pub fn is_at(&self, body: &FreeBody, rot: Quat, l: V3) -> bool {
        self.rot == rot && self.l == l && self.frame == *body.principal()
    }

    /// The attitude: body to world.
    pub fn attitude(&self) -> Quat {
        self.rot
    }

    /// RᵀL, body axes.
    pub fn body_momentum(&self) -> V3 {
        self.rot.matrix().tr_mul(self.l)
    }

    /// The time in which the angular velocity comes back in the body; none if it is constant or never comes back.
    pub fn period(&self) -> Option<f64> {
        match &self.course {
            Course::Polhode(p) if p.m1 > 0.0 => Some(4.0 * p.jacobi().quarter_period() / p.rate.abs()),
            _ => None,
        }
    }

    /// The angle about L by which the attitude has advanced after one period, up to whole turns.
    pub fn precession_per_period(&self) -> Option<f64> {
        let period = self.period()?;
        match &self.course {
            Course::Polhode(p) => {
                Some(p.precession * period - 4.0 * p.excess * p.complete() * p.rate.signum())
            }
            Course::Steady { .. } => None,
        }
    }

    /// Turns the body for time `dt` of any length and sign.
    #[inline(always)]
    pub fn advance(&mut self, dt: f64) {
        let next = match &mut self.course {
            Course::Steady { omega } => (Quat::exp(*omega * dt) * self.rot).normalized(),
            Course::Polhode(polhode) => {
                let axis = self.l * (1.0 / self.l.norm());
                let before = polhode.frame_about_momentum();
                let angle = polhode.advance(dt);
                let after = polhode.frame_about_momentum();
                let from = self.rot.matrix() * (self.frame.axes * before.y);
                let world = turned_frame(axis, from, angle);
                Quat::from_matrix(world * (self.frame.axes * after).transpose())
            }
        };
        self.rot = same_sheet(next, self.rot);
    }
}

/// The right-handed frame with first axis `axis` and second axis `from`, made perpendicular and turned by `angle`.
#[inline(always)]
fn turned_frame(axis: V3, from: V3, angle: f64) -> M3 {
    let across = axis.cross(from);
    let across = across * (1.0 / across.norm());
    let along = across.cross(axis);
    let (sin, cos) = sin_cos(angle);
    let second = along * cos + across * sin;
    M3::columns(axis, second, axis.cross(second))
}

/// Of q and −q the one nearer to `old`, so that attitudes of short steps are continuous.
#[inline(always)]
fn same_sheet(q: Quat, old: Quat) -> Quat {
    let dot = q.w * old.w + q.x * old.x + q.y * old.y + q.z * old.z;
    if dot < 0.0 { Quat { w: -q.w, x: -q.x, y: -q.y, z: -q.z } } else { q }
}

/// The curve of M on the sphere |M| = G, and the place on it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Polhode {
    /// M circles k, not j.
    about_k: bool,
    /// The sign of the component along the axis it circles.
    sign: f64,
    /// A_j/G, A_k/G, A₂/A_j.
    aj: f64,
    ak: f64,
    a2_by_aj: f64,
    /// ±λ.
    rate: f64,
    m1: f64,
    nu: f64,
    /// √δ and ν/√δ.
    root_delta: f64,
    nu_by_root_delta: f64,
    /// G/I_j and G (1/I_j − 1/I_k)/rate.
    precession: f64,
    excess: f64,
    /// sn, cn, dn now.
    sn: f64,
    cn: f64,
    dn: f64,
    /// The last step made; the next is likely to be as long.
    stride: Stride,
}

/// What a step of length dt adds, wherever it starts: v = rate · dt = 2Kj + w, |w| ≤ K.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stride {
    dt: f64,
    /// w in equal paces, and sn, cn, dn of one.
    paces: u32,
    pace: (f64, f64, f64),
    /// sn w.
    sn: f64,
    /// (−1)ʲ.
    flip: f64,
    /// N(v).
    third: f64,
}

impl Polhode {
    /// Equations (1)–(4); none where M does not move.
    fn through(frame: &PrincipalFrame, rot: Quat, l: V3) -> Option<Polhode> {
        let V3 { x: ij, y: i2, z: ik } = frame.moments;
        let (dj2, d2k, djk) = ((i2 - ij).abs(), (ik - i2).abs(), (ik - ij).abs());
        let g = l.norm();
        let m = frame.axes.tr_mul(rot.matrix().tr_mul(l)) * (1.0 / g);
        let (mj, m2, mk) = (m.x, m.y, m.z);
        let dj = m2 * m2 * dj2 / i2 + mk * mk * djk / ik;
        let dk = mj * mj * djk / ij + m2 * m2 * d2k / i2;
        let delta = mk * mk * d2k / ik - mj * mj * dj2 / ij;
        let about_k = delta >= 0.0;
        let pace = if about_k { d2k * dj } else { dj2 * dk };
        let rate = g * (pace / (ij * i2 * ik)).sqrt();
        if !(rate > 0.0 && g > 0.0) {
            return None;
        }
        let sign = if about_k { mk } else { mj }.signum();
        let rate = rate * sign * if ij <= ik { 1.0 } else { -1.0 };
        let m1 = (delta.abs() * djk / pace).min(1.0);
        let m1 = if m1 < TINY * TINY { 0.0 } else { m1 };
        let (nu, a2_by_aj) = if about_k {
            let nu = ik * dj2 / (ij * d2k);
            (nu, (1.0 + nu).sqrt())
        } else {
            (ik * dj / (ij * dk), (i2 * djk * dj / (ij * dj2 * dk)).sqrt())
        };
        let root_delta = (nu * (1.0 + nu) * (nu + (1.0 - m1))).sqrt();
        let mut polhode = Polhode {
            about_k,
            sign,
            aj: (ij * dk / djk).sqrt(),
            ak: (ik * dj / djk).sqrt(),
            a2_by_aj,
            rate,
            m1,
            nu,
            root_delta,
            nu_by_root_delta: if root_delta > 0.0 { nu / root_delta } else { 0.0 },
            precession: g / ij,
            excess: g * ((ik - ij) / (ij * ik)) / rate,
            sn: 0.0,
            cn: 1.0,
            dn: 1.0,
            stride: Stride { dt: 0.0, paces: 0, pace: (0.0, 1.0, 1.0), sn: 0.0, flip: 1.0, third: 0.0 },
        };
        // cn : sn = M_j/A_j : M₂/A₂ or M_k/A_k : M₂/A₂
        if about_k {
            polhode.settle(m2, mj * a2_by_aj);
        } else {
            polhode.settle(m2, mk * (i2 * djk / (ik * dj2)).sqrt());
        }
        Some(polhode)
    }

    fn jacobi(&self) -> Jacobi {
        Jacobi::with_complement(self.m1)
    }

    /// Puts the phase where sn : cn is as given, on the curve to round-off.
    #[inline(always)]
    fn settle(&mut self, sn: f64, cn: f64) {
        let length = (sn * sn + cn * cn).sqrt();
        (self.sn, self.cn) = if length > 0.0 { (sn / length, cn / length) } else { (0.0, 1.0) };
        if self.cn.abs() < TINY {
            self.cn = 0.0;
        }
        self.dn = (self.m1 + (1.0 - self.m1) * self.cn * self.cn).sqrt();
    }

    /// N(K), the complete integral.
    fn complete(&self) -> f64 {
        self.nu / 3.0 * carlson_rj(0.0, self.m1, 1.0, 1.0 + self.nu)
    }

    fn stride(&self, dt: f64) -> Stride {
        let jacobi = self.jacobi();
        let (j, w) = jacobi.reduce(self.rate * dt);
        let whole = if j == 0.0 { 0.0 } else { 2.0 * j * self.complete() };
        let (sn, cn, dn) = jacobi.at(w);
        let third = whole + self.third(w, sn, cn, dn);
        let way = w.clamp(-FARTHEST, FARTHEST);
        let paces = (way.abs() / LONGEST_PACE).ceil().max(1.0);
        let pace = if paces == 1.0 { (sn, cn, dn) } else { jacobi.at(way / paces) };
        let flip = if j % 2.0 == 0.0 { 1.0 } else { -1.0 };
        Stride { dt, paces: paces as u32, pace, sn, flip, third }
    }

    /// N(w) for |w| ≤ K.
    fn third(&self, w: f64, sn: f64, cn: f64, dn: f64) -> f64 {
        let nu = self.nu;
        if self.m1 == 0.0 {
            // sn = tanh w: elementary, and w may be long
            let root = nu.sqrt();
            (nu * w - root * libm::atan(root * sn)) / (1.0 + nu)
        } else {
            let s2 = sn * sn;
            nu / 3.0 * s2 * sn * carlson_rj(cn * cn, dn * dn, 1.0, 1.0 + nu * s2)
        }
    }

    /// Moves on by `dt` and returns the angle turned about L, equation (5).
    #[inline(always)]
    fn advance(&mut self, dt: f64) -> f64 {
        if self.stride.dt != dt {
            self.stride = self.stride(dt);
        }
        let Stride { paces, pace, sn: s, flip, third, .. } = self.stride;
        let s0 = self.sn;
        for _ in 0..paces {
            self.pace(pace);
        }
        let (s1, c1, d1) = (self.sn, self.cn, self.dn);
        let below = 1.0 + self.nu * (s1 * s1 - s0 * s * c1 * d1);
        let bend = self.nu_by_root_delta * libm::atan(self.root_delta * s0 * s * s1 / below);
        (self.sn, self.cn) = (flip * s1, flip * c1);
        self.precession * dt - self.excess * (third + bend)
    }

    /// The addition theorem; the common denominator falls out when the phase is settled.
    #[inline(always)]
    fn pace(&mut self, (s, c, d): (f64, f64, f64)) {
        let (s0, c0, d0) = (self.sn, self.cn, self.dn);
        self.settle(s0 * c * d + s * c0 * d0, c0 * c - s0 * d0 * s * d);
    }

    /// In principal axes, as columns: M/G; the part of k perpendicular to it, of length 1; their vector product.
    #[inline(always)]
    fn frame_about_momentum(&self) -> M3 {
        let (along_j, mk) = if self.about_k {
            (self.cn, self.sign * self.ak * self.dn)
        } else {
            (self.sign * self.dn, self.ak * self.cn)
        };
        let along_2 = self.a2_by_aj * self.sn;
        let length = (along_j * along_j + along_2 * along_2).sqrt();
        let (cos, sin) = (along_j / length, along_2 / length);
        let rho = self.aj * length;
        let g = 1.0 / (rho * rho + mk * mk).sqrt();
        let (rho, mk) = (rho * g, mk * g);
        M3::columns(
            V3::new(rho * cos, rho * sin, mk),
            V3::new(-mk * cos, -mk * sin, rho),
            V3::new(sin, -cos, 0.0),
        )
    }
}
