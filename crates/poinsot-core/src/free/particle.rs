//! A particle under gravity and linear drag: the introductory example, with its exact solution.
//!
//! ```math
//! m a = m g − k v                                                                                              (1)
//! euler          p ← p + v h,              v ← v + a h                                                         (2)
//! with ½ a h²    p ← p + v h + ½ a h²,     v ← v + a h                                                         (3)
//! exact          with T = m/k and v∞ = g T:   v(t) = v∞ + (v₀ − v∞) e^(−t/T)
//!                p(t) = p₀ + v∞ t + (v₀ − v∞) T (1 − e^(−t/T))                                                 (4)
//! ```
//! Update (3) is exact for constant acceleration; with drag, v is still only of first order, and so is p.

use crate::algebra::V3;

/// Position and velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Position.
    pub pos: V3,
    /// Velocity.
    pub vel: V3,
}

/// The position update of [`DragParticle::step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParticleUpdate {
    /// Equations (2).
    Euler,
    /// Equations (3).
    EulerHalfA,
}

/// A mass falling with linear drag.
///
/// ```
/// use poinsot_core::{algebra::V3, free::{DragParticle, Particle, ParticleUpdate}};
/// let fall = DragParticle { mass: 1.0, drag: 0.0, gravity: V3::new(0.0, -9.8, 0.0) };
/// let start = Particle { pos: V3::ZERO, vel: V3::new(10.0, 20.0, 10.0) };
/// let thrown = fall.step(ParticleUpdate::EulerHalfA, 2.0, start);
/// assert!((thrown.pos - fall.exact(2.0, start).pos).norm() < 1e-14);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DragParticle {
    /// Mass m > 0.
    pub mass: f64,
    /// Drag coefficient k ≥ 0 in N s/m.
    pub drag: f64,
    /// g.
    pub gravity: V3,
}

impl DragParticle {
    /// Equation (1).
    pub fn acceleration(&self, vel: V3) -> V3 {
        self.gravity - vel * (self.drag / self.mass)
    }

    /// One step.
    pub fn step(&self, update: ParticleUpdate, h: f64, s: Particle) -> Particle {
        let a = self.acceleration(s.vel);
        let half_a = match update {
            ParticleUpdate::Euler => V3::ZERO,
            ParticleUpdate::EulerHalfA => a * 0.5,
        };
        Particle { pos: s.pos + s.vel * h + half_a * (h * h), vel: s.vel + a * h }
    }

    /// The state after time t, equation (4), in a form that is regular at k = 0.
    pub fn exact(&self, t: f64, s: Particle) -> Particle {
        let x = t * self.drag / self.mass;
        let (one, two) = decay_integrals(x);
        let a = self.acceleration(s.vel);
        Particle { pos: s.pos + s.vel * t + a * (t * t * two), vel: s.vel + a * (t * one) }
    }
}

/// φ₁ = (1 − e⁻ˣ)/x and φ₂ = (1 − φ₁)/x = (x − 1 + e⁻ˣ)/x², x ≥ 0, without cancellation.
fn decay_integrals(x: f64) -> (f64, f64) {
    if x < 0.5 {
        // Σ (−x)ᵏ / (k + 2)!
        let terms = 14;
        let two = (0..terms).rev().fold(0.0, |acc, k| (1.0 - acc * x) / f64::from(k + 2));
        (1.0 - x * two, two)
    } else {
        let one = -libm::expm1(-x) / x;
        (one, (1.0 - one) / x)
    }
}
