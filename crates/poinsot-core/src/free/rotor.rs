//! The exact torque-free motion of a rigid body, by Jacobi's elliptic functions [Jacobi50], [vanZonSchofield07], [Celledoni08].
//!
//! The body momentum M = RᵀL runs along a polhode, in closed form (`polhode.rs`). R maps M to L; this leaves the angle ψ, about L, of a
//! body axis k. Let F(M) be the frame of M, the part of k perpendicular to M, and their vector product. Then
//! ```math
//! R(t + h) = Rot(L, ψ(t + h) − ψ(t)) R(t) F(M(t)) F(M(t + h))ᵀ                                                (1)
//! ```
//! **Round-off.** L is never changed. The constants of motion and the phase are carried from step to step, not recomputed from R: near the
//! separatrix, recomputing them would let the time of the next flip random-walk. Each new R maps M to L anew, so its errors do not
//! accumulate, except in ψ.

use super::FreeBody;
use super::polhode::Polhode;
use crate::algebra::{M3, V3, sin_cos};
use crate::spatial::Quat;

/// Principal moments and axes in the order j, 2, k of the rotor: the middle one second, and third the extreme one that is better suited to
/// measure the attitude.
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
    path: MomentumPath,
}

/// The path of M in the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MomentumPath {
    /// Constant ω.
    Steady { omega: V3 },
    /// On a closed curve, or on the separatrix.
    Polhode(Polhode),
}

impl FreeRotor {
    /// The motion through attitude `rot` with angular momentum `l` in world axes.
    #[inline(always)]
    pub fn new(body: &FreeBody, rot: Quat, l: V3) -> FreeRotor {
        let frame = *body.principal();
        let path = match Polhode::through(&frame, rot.matrix().tr_mul(l)) {
            Some(polhode) => MomentumPath::Polhode(polhode),
            None => MomentumPath::Steady { omega: body.world_spin(rot.matrix(), l) },
        };
        FreeRotor { frame, rot, l, path }
    }

    /// The motion that has reached this attitude on a path.
    pub(super) fn on_path(body: &FreeBody, rot: Quat, l: V3, path: MomentumPath) -> FreeRotor {
        FreeRotor { frame: *body.principal(), rot, l, path }
    }
    pub(super) fn path(&self) -> &MomentumPath {
        &self.path
    }

    /// True if this is the motion of `body` with exactly this attitude and momentum.
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

    /// The period of the angular velocity in the body; `None` if it is constant or never returns.
    pub fn period(&self) -> Option<f64> {
        match &self.path {
            MomentumPath::Polhode(polhode) => polhode.period(),
            MomentumPath::Steady { .. } => None,
        }
    }

    /// The angle about L by which the attitude has advanced after one period, up to whole turns.
    pub fn precession_per_period(&self) -> Option<f64> {
        match &self.path {
            MomentumPath::Polhode(polhode) => polhode.precession_per_period(),
            MomentumPath::Steady { .. } => None,
        }
    }

    /// Rotates the body for time `dt` of any length and sign, equation (1).
    #[inline(always)]
    pub fn advance(&mut self, dt: f64) {
        let next = match &mut self.path {
            MomentumPath::Steady { omega } => (Quat::exp(*omega * dt) * self.rot).normalized(),
            MomentumPath::Polhode(polhode) => {
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

/// The right-handed frame with first axis `axis` and second axis `from`, made perpendicular and rotated by `angle`.
#[inline(always)]
fn turned_frame(axis: V3, from: V3, angle: f64) -> M3 {
    let across = axis.cross(from);
    let across = across * (1.0 / across.norm());
    let along = across.cross(axis);
    let (sin, cos) = sin_cos(angle);
    let second = along * cos + across * sin;
    M3::columns(axis, second, axis.cross(second))
}

/// Of q and −q, the one nearer to `old`, so that attitudes are continuous over short steps.
#[inline(always)]
fn same_sheet(q: Quat, old: Quat) -> Quat {
    let dot = q.w * old.w + q.x * old.x + q.y * old.y + q.z * old.z;
    if dot < 0.0 { Quat { w: -q.w, x: -q.x, y: -q.y, z: -q.z } } else { q }
}
