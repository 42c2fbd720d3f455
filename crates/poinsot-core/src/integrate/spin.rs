//! The mean angular velocity ω̂ of a loose body in a step, by the implicit midpoint rule for Euler's equations.
//!
//! ```math
//! (1)  (2/h) I (ω̂ − ω) + ω̂ × I ω̂ = τ
//! ```
//! I and the torque τ are about the centre of mass, in the body's axes. With the gyroscopic torque at ω̂, a body without external forces
//! keeps its kinetic energy at any speed and step size, and contact impulses, which are added separately, only remove energy. An ω̂
//! extrapolated from the last step would contain the collision impulses of that step, which are not a torque in this one.
//!
//! Contacts also turn a top that stands on the ground: with few contacts, ω̂ is corrected by the result of the step, as long as this
//! converges.

use crate::algebra::{M3, V3};
use crate::model::Model;
use crate::spatial::Quat;
use nalgebra::DMatrix;

/// The most Newton steps; two or three are usual.
const STEPS: usize = 12;
const ENOUGH: f64 = 1e-14;
/// Corrections that no longer decrease and are below this are round-off.
const ROUND_OFF: f64 = 1e-10;
/// The most steps of continuation.
const FOLLOWED: usize = 200;

/// Relative to the kinetic energy: means that are off by more are corrected.
pub(super) const CORRECTED: f64 = 1e-12;

/// A loose body: it floats, has no children, and is not constrained.
#[derive(Clone, Debug)]
struct Loose {
    /// Where its positions and velocities start.
    q: usize,
    v: usize,
    com: V3,
    inertia: M3,
    /// m c².
    offset: f64,
}

/// The loose bodies of a model.
#[derive(Clone, Debug)]
pub(super) struct LooseBodies {
    bodies: Vec<Loose>,
    /// True if there are no other bodies.
    all: bool,
}

impl LooseBodies {
    pub fn of(model: &Model) -> LooseBodies {
        let tree = &model.tree;
        let mut tied = vec![false; tree.links()];
        for body in model.constraints().iter().filter_map(|c| c.bodies()).flatten() {
            tied[model.bodies()[body.index()].link] = true;
        }
        let loose = |link: &usize| tree.is_loose(*link) && !tied[*link];
        let bodies: Vec<Loose> = (1..tree.links())
            .filter(loose)
            .map(|link| {
                let inertia = tree.inertia_of(link);
                let [q, v] = [tree.q[link], tree.v[link]];
                let com = inertia.com();
                let offset = inertia.mass * com.dot(com);
                Loose { q, v, com, inertia: inertia.about_com().full(), offset }
            })
            .collect();
        LooseBodies { all: bodies.len() + 1 == tree.links(), bodies }
    }

    /// True if the model has loose bodies.
    pub fn are_any(&self) -> bool {
        !self.bodies.is_empty()
    }

    /// True if all bodies are loose.
    pub fn are_all(&self) -> bool {
        self.all
    }

    /// Solves (1) for each body: ω̂ into `v_hat`, for the forces `tau` at q over a step of size h from v.
    #[inline(always)]
    pub fn mean(&self, q: &[f64], v: &[f64], tau: &[f64], h: f64, v_hat: &mut [f64]) {
        let three = |x: &[f64], at: usize| V3::new(x[at], x[at + 1], x[at + 2]);
        for body in &self.bodies {
            let mut torque = three(tau, body.v + 3);
            let force = three(tau, body.v);
            if force != V3::ZERO && body.com != V3::ZERO {
                let r = Quat { w: q[body.q + 3], x: q[body.q + 4], y: q[body.q + 5], z: q[body.q + 6] };
                torque -= body.com.cross(r.matrix().tr_mul(force));
            }
            let mean = mean_spin(body.inertia, three(v, body.v + 3), torque, h);
            v_hat[body.v + 3..body.v + 6].copy_from_slice(&[mean.x, mean.y, mean.z]);
        }
    }
}

impl LooseBodies {
    /// dω̂ of (1) into the rows of `dv_hat`, where (q, ω̂, τ) solve it, for the differentials of q, v and τ:
    /// `[(2/h) I + ω̂× I − (I ω̂)×] dω̂ = (2/h) I dω + dτ`.
    pub fn differentiate(
        &self,
        (q, v_hat, tau): (&[f64], &[f64], &[f64]),
        h: f64,
        (dq, dv, dtau): (&DMatrix<f64>, &DMatrix<f64>, &DMatrix<f64>),
        dv_hat: &mut DMatrix<f64>,
    ) {
        let three = |x: &[f64], at: usize| V3::new(x[at], x[at + 1], x[at + 2]);
        let column =
            |m: &DMatrix<f64>, at: usize, k: usize| V3::new(m[(at, k)], m[(at + 1, k)], m[(at + 2, k)]);
        for body in &self.bodies {
            let (mean, turn) = (three(v_hat, body.v + 3), body.v + 3);
            let r = Quat { w: q[body.q + 3], x: q[body.q + 4], y: q[body.q + 5], z: q[body.q + 6] }.matrix();
            let force = r.tr_mul(three(tau, body.v));
            let Some(inverse) = slope(body.inertia, mean, h).inverse() else { continue };
            for k in 0..dv_hat.ncols() {
                let own = r.tr_mul(column(dtau, body.v, k)) - column(dq, turn, k).cross(force);
                let torque = column(dtau, turn, k) - body.com.cross(own);
                let change = inverse * ((body.inertia * column(dv, turn, k)) * (2.0 / h) + torque);
                change.array().into_iter().enumerate().for_each(|(c, x)| dv_hat[(turn + c, k)] = x);
            }
        }
    }

    /// The relative change of kinetic energy in a step of size h from v with the acceleration a that arises because its mean angular
    /// velocity is not ω̂: `Σ |h (ω̂ × I ω̂) · (ω + ½h a − ω̂)|` over that energy, with a bound for an origin that is not the centre of
    /// mass.
    pub fn off(&self, v: &[f64], a: &[f64], h: f64, v_hat: &[f64]) -> f64 {
        let three = |x: &[f64], at: usize| V3::new(x[at], x[at + 1], x[at + 2]);
        let (mut off, mut kinetic) = (0.0, 0.0);
        for body in &self.bodies {
            let [omega, rate, mean] = [v, a, v_hat].map(|x| three(x, body.v + 3));
            let real = omega + rate * (0.5 * h);
            let wrong = real - mean;
            off += (h * mean.cross(body.inertia * mean).dot(wrong)).abs();
            // if the origin is not the centre of mass, also the force m ω̂ × (ω̂ × c)
            off += h * body.offset * mean.dot(mean) * wrong.norm();
            kinetic += 0.5 * omega.dot(body.inertia * omega);
        }
        if off == 0.0 { 0.0 } else { off / kinetic }
    }

    /// True if ω̂ is the mean that a step of size h with the acceleration a has found, to what [`LooseBodies::off`] tolerates.
    pub fn are_means(&self, v: &[f64], a: &[f64], h: f64, v_hat: &[f64]) -> bool {
        self.off(v, a, h, v_hat) <= CORRECTED
    }

    /// Their degrees of freedom of rotation.
    pub fn spins(&self) -> impl Iterator<Item = usize> + '_ {
        self.bodies.iter().flat_map(|body| body.v + 3..body.v + 6)
    }

    /// Sets ω̂ to the mean of the step.
    pub fn take_means(&self, v: &[f64], a: &[f64], h: f64, v_hat: &mut [f64]) {
        for k in self.spins() {
            v_hat[k] = (0.5 * h).mul_add(a[k], v[k]);
        }
    }
}

/// Solves (1). If Newton's method from ω fails, for steps of many turns, follows the solution from shorter steps to longer ones.
#[inline(always)]
fn mean_spin(inertia: M3, omega: V3, torque: V3, h: f64) -> V3 {
    newton(inertia, omega, torque, h, omega).unwrap_or_else(|| follow_mean_spin(inertia, omega, torque, h))
}

/// Newton's method for (1) from a guess.
#[inline(always)]
fn newton(inertia: M3, omega: V3, torque: V3, h: f64, guess: V3) -> Option<V3> {
    let (mut mean, mut last, rate) = (guess, f64::INFINITY, 2.0 / h);
    for _ in 0..STEPS {
        let spin = inertia * mean;
        let wrong = (inertia * (mean - omega)) * rate + mean.cross(spin) - torque;
        let correction = slope(inertia, mean, h).inverse()? * wrong;
        mean -= correction;
        let (by, size) = (correction.norm(), mean.norm());
        if by <= ENOUGH * size || by <= ROUND_OFF * size && by > 0.5 * last {
            return Some(mean);
        }
        last = by;
    }
    None
}

/// The derivative of (1) by ω̂.
#[inline(always)]
fn slope(inertia: M3, mean: V3, h: f64) -> M3 {
    inertia.scale(2.0 / h) + M3::skew(mean) * inertia - M3::skew(inertia * mean)
}

/// Follows the solution from a short step to h, as far as possible.
#[cold]
#[inline(never)]
fn follow_mean_spin(inertia: M3, omega: V3, torque: V3, h: f64) -> V3 {
    let (mut mean, mut done, mut more) = (omega, 0.0, h / 64.0);
    for _ in 0..FOLLOWED {
        let next = f64::min(done + more, h);
        match newton(inertia, omega, torque, next, mean) {
            Some(found) if next >= h => return found,
            Some(found) => (mean, done, more) = (found, next, 1.5 * more),
            None => more *= 0.25,
        }
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinetic energy after a step without torque is that before it, at any step size.
    #[test]
    fn energy_is_kept() {
        let block = M3::columns(V3::new(1.0, 0.1, 0.0), V3::new(0.1, 2.0, 0.2), V3::new(0.0, 0.2, 2.5));
        let rod = M3::columns(V3::X * 1e-5, V3::Y * 1e-5, V3::Z * 2e-7);
        let spins = [(block, V3::new(3.0, 5.0, -2.0)), (rod, V3::new(-29645.192, 10799.312, -2314.523))];
        for (inertia, omega) in spins {
            for turn in [1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0, 77.0, 1e3] {
                let mean = mean_spin(inertia, omega, V3::ZERO, turn / omega.norm());
                let after = mean * 2.0 - omega;
                let energy = |w: V3| 0.5 * w.dot(inertia * w);
                assert!((energy(after) / energy(omega) - 1.0).abs() < 1e-12, "{turn}");
                assert!(turn < 1e-2 || (after - omega).norm() > 1e-4 * omega.norm());
            }
        }
    }
}
