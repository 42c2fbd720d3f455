//! Steps that make the discrete action stationary [MarsdenWest01, §§ 1.4 and 3.5].
//!
//! ```math
//! p + D₁L_d(q, q⁺) + J(q)ᵀ λ = 0,   C(q⁺) = 0          for q⁺ and the impulses λ
//! p⁺ = D₂L_d(q, q⁺) + J(q⁺)ᵀ μ,     J(q⁺) q̇⁺ = 0
//! ```
//! by Newton's method, with D₁D₂L_d from dual numbers. A symmetry of L_d conserves its momentum, to the accuracy of the iteration, and the
//! map (q, p) → (q⁺, p⁺) is symplectic. With the midpoint rule it is the implicit midpoint rule of Hamilton's equations: p⁺ = p + h ∂L/∂q
//! and ½(p + p⁺) = ∂L/∂q̇, both at the midpoint.

use super::action::ends;
use super::derivatives::Part;
use super::equations::{MOST_ROUNDS, settled};
use super::error::finite;
use super::{EquationsOfMotion, LagrangeError, Lagrangian, Phase, Rule};

/// γ, γ, 1 − 4γ, γ, γ with γ = 1/(4 − ∛4): symmetric second-order steps compose to one of fourth order [Suzuki90].
pub(super) const VARIATIONAL_4: [f64; 5] = [GAMMA, GAMMA, 1.0 - 4.0 * GAMMA, GAMMA, GAMMA];
const GAMMA: f64 = 0.414_490_771_794_375_7;

impl<L: Lagrangian> EquationsOfMotion<L> {
    /// Takes steps of `parts` times dt one after another.
    pub(super) fn variational_step(
        &mut self,
        rule: Rule,
        parts: &[f64],
        phase: &mut Phase,
        dt: f64,
    ) -> Result<(), LagrangeError> {
        let mut stages = std::mem::take(&mut self.scratch.stages);
        let [q, v, p, ..] = &mut stages;
        q.copy_from_slice(&phase.q);
        v.copy_from_slice(&phase.v);
        p.copy_from_slice(&phase.p);
        let time = phase.time;
        let failed = |e| match e {
            LagrangeError::NoConvergence { .. } => LagrangeError::NoConvergence { time, dt },
            other => other,
        };
        let done = parts.iter().try_for_each(|part| self.discrete_step(rule, part * dt, &mut stages));
        if done.is_ok() {
            phase.q.copy_from_slice(&stages[0]);
            phase.v.copy_from_slice(&stages[1]);
            phase.p.copy_from_slice(&stages[2]);
            phase.time += dt;
        }
        self.scratch.stages = stages;
        done.map_err(failed)
    }

    fn discrete_step(
        &mut self,
        rule: Rule,
        h: f64,
        [q, v, p, next, before, after, d]: &mut [Vec<f64>; 7],
    ) -> Result<(), LagrangeError> {
        let n = self.coordinates();
        d.iter_mut().zip(&*v).for_each(|(d, v)| *d = h * v);
        let mut last = f64::INFINITY;
        self.scratch.impulses.fill(0.0);
        let mut rounds = 0;
        loop {
            next.iter_mut().zip(q.iter().zip(&*d)).for_each(|(next, (q, d))| *next = q + d);
            self.momenta_along(rule, q, d, h, before, after);
            for k in 0..n {
                self.unknown[k] = before[k] - p[k];
            }
            self.newton_system(rule, h, (q, next), d)?;
            self.solve();
            let (change, size) = self.correct(d);
            let (sums, solved) = (&mut self.scratch.impulses, &self.unknown[n..]);
            sums.iter_mut().zip(solved).for_each(|(sum, d)| *sum += d);
            finite("the step", d, q)?;
            if settled(change, size, &mut last) {
                break;
            }
            rounds += 1;
            if rounds == MOST_ROUNDS {
                return Err(LagrangeError::NoConvergence { time: 0.0, dt: h });
            }
        }
        next.iter_mut().zip(q.iter().zip(&*d)).for_each(|(next, (q, d))| *next = q + d);
        self.momenta_along(rule, q, d, h, before, after);
        if self.constraints() == 0 {
            // p is −D₁L_d up to the iteration error: p⁺ − p is the exact sum of both derivatives
            after
                .iter_mut()
                .zip(p.iter().zip(&*before))
                .for_each(|(after, (p, before))| *after += p - before);
        }
        v.copy_from_slice(&self.scratch.rate);
        self.velocity(next, after, v)?;
        for (row, impulse) in self.scratch.impulses.iter().enumerate() {
            self.lambda[row] = (impulse + self.unknown[n + row]) / h;
        }
        q.copy_from_slice(next);
        if self.constraints() == 0 {
            p.copy_from_slice(after);
        } else {
            self.momentum(q, v, p);
        }
        Ok(())
    }

    /// Factors `[D₂D₁L_d J(q)ᵀ; J(q⁺) 0]` and completes the right-hand side: `p⁻ − p − J(q)ᵀλ` and −C(q⁺).
    fn newton_system(
        &mut self,
        rule: Rule,
        h: f64,
        (q, next): (&[f64], &[f64]),
        d: &[f64],
    ) -> Result<(), LagrangeError> {
        let (n, width) = (self.coordinates(), self.unknown.len());
        self.kkt.begin(width);
        for (weight, alpha) in rule.nodes() {
            self.place_node(*alpha, q, d, h);
            let EquationsOfMotion { energies, derivatives, kkt, scratch, .. } = &mut *self;
            let at = (&*scratch.middle, &*scratch.rate);
            derivatives.hessian(&*energies, Part::Lagrangian, at, ends(*alpha, h), |i, k, x| {
                kkt.a[i * width + k] = (h * weight).mul_add(x, kkt.a[i * width + k]);
            });
        }
        let EquationsOfMotion { energies, derivatives, kkt, scratch, unknown, .. } = &mut *self;
        derivatives.jacobian(&*energies, q, |row, k, x| {
            kkt.a[k * width + n + row] = x;
            unknown[k] -= x * scratch.impulses[row];
        });
        derivatives.jacobian(&*energies, next, |row, k, x| kkt.a[(n + row) * width + k] = x);
        energies.constrain(next, &mut scratch.c);
        for (row, c) in scratch.c.iter().enumerate() {
            unknown[n + row] = -c;
        }
        self.factor(next)
    }
}
