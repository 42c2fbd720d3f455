//! The variational midpoint rule on the configuration group: symplectic and symmetric. Momenta that belong to a symmetry are conserved to
//! round-off: all in free space, about the vertical for a top, but not about the centre of mass of a falling tree.
//!
//! The discrete Lagrangian is `h L(q̄, v̄)` with `q⁺ = q ⊕ h v̄` and `q̄ = q ⊕ ½h v̄` [MarsdenWest01, section 2.3].
//! With ξ = h v̄, μ = M(q̄) v̄, F = ∂L/∂q(q̄, v̄) and all other forces at the midpoint, J the left Jacobian of the
//! rotation group, its discrete Euler–Lagrange equations in body coordinates are
//!
//! ```math
//! (1)  p  = J(−ξ)⁻¹ (μ − ½h J(−½ξ) F)        p = M(q) v: solved for v̄
//! (2)  p⁺ = J(ξ)⁻¹  (μ + ½h J(½ξ) F)         v⁺ = M(q⁺)⁻¹ p⁺
//! ```
//! where J = 1 for scalar coordinates. Derivation: δq = q η moves the midpoint by `Ad exp(−½ξ) η + ½ J(½ξ)ᵀ δξ` and
//! `δξ = J(−ξ)⁻¹ η⁺ − J(ξ)⁻¹ η`, transposes of Jacobians being J(−·); and `2 J(−ξ) exp(½ξ) = J(½ξ) + J(−½ξ)`. (1) is solved by Broyden's
//! method starting from (M(q̄) + ½h D + ¼h² K)⁻¹, so dampers, springs and servos may be stiff. Constraints: [`super::rattle`].

use super::broyden::Broyden;
use super::chart::{put_triple, triple};
use super::events::between_events;
use super::rattle::Impulses;
use super::{Integrator, StepError, Stepping, System, accept, copy};
use crate::constraint::Multipliers;
use crate::dynamics::State;
use crate::model::Model;
use crate::spatial::{left_jacobian, left_jacobian_inverse};

const MOST_ITERATIONS: usize = 60;
/// The C at the end of a step that counts as satisfied, relative to the distance from the origin.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;
/// More iterations than any step needs that converges to round-off.
const MANY_ITERATIONS: usize = 20;

/// See the module page.
#[derive(Clone, Debug)]
pub struct Midpoint {
    /// p, μ, F, residual or p⁺, correction.
    p: Vec<f64>,
    mu: Vec<f64>,
    force: Vec<f64>,
    other: Vec<f64>,
    correction: Vec<f64>,
    diagonal: Vec<f64>,
    /// The largest of the forces that sum to F.
    largest_force: f64,
    /// The midpoint of the step: q̄ and v̄.
    mid: State,
    impulses: Option<Impulses>,
    solver: Broyden,
    next: State,
}

impl Midpoint {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let impulses = (Multipliers::count(model) > 0).then(|| Impulses::new(model));
        let unknowns = model.nv() + impulses.as_ref().map_or(0, |i| i.impulse.len());
        Midpoint {
            p: zeros(),
            mu: zeros(),
            force: zeros(),
            other: zeros(),
            correction: vec![0.0; unknowns],
            diagonal: zeros(),
            largest_force: 0.0,
            mid: State::new(model),
            impulses,
            solver: Broyden::new(unknowns),
            next: State::new(model),
        }
    }

    /// Evaluates q̄, μ and F for the current v̄.
    fn evaluate(&mut self, system: &mut System, state: &State, with_rows: bool, h: f64) {
        let model = &*system.model();
        self.mid.q.copy_from_slice(&state.q);
        model.integrate(&mut self.mid.q, &self.mid.v, 0.5 * h);
        system.forces_elsewhere(&self.mid, &mut self.other);
        let ws = system.workspace();
        ws.mass_times(model, &self.mid.q, &self.mid.v, &mut self.mu);
        ws.lagrangian_force(model, &self.mid.q, &self.mid.v, &mut self.force);
        self.largest_force = 0.0;
        for (f, g) in self.force.iter_mut().zip(&self.other) {
            self.largest_force = self.largest_force.max(f.abs()).max(g.abs());
            *f += g;
        }
        if let (Some(impulses), true, (ws, Some(multipliers))) =
            (&mut self.impulses, with_rows, system.constraints())
        {
            impulses.at_middle(model, (ws, multipliers), &self.mid.q, &self.mid.v, h, &mut self.force);
        }
    }

    /// J(sξ)⁻¹ (μ + ½sh J(½sξ) F), the momentum at one end: s = −1 gives the right-hand side of (1), s = 1 that of (2).
    fn end_momentum(&mut self, model: &Model, h: f64, s: f64) {
        for k in 0..self.mu.len() {
            self.other[k] = (0.5 * s * h).mul_add(self.force[k], self.mu[k]);
        }
        for k in model.attitudes() {
            let (xi, mu, f) = (triple(&self.mid.v, k) * h, triple(&self.mu, k), triple(&self.force, k));
            let pushed = left_jacobian(xi * (0.5 * s)) * f;
            put_triple(&mut self.other, k, left_jacobian_inverse(xi * s) * pushed.mul_add(0.5 * s * h, mu));
        }
    }
}

impl Integrator for Midpoint {
    fn name(&self) -> &'static str {
        "midpoint"
    }
    fn stepping(&self) -> Stepping {
        Stepping::Events
    }
    fn order(&self) -> u32 {
        2
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        between_events(system, state, dt, |system, state, h| self.smooth_step(system, state, h))
    }
}

impl Midpoint {
    fn smooth_step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = &*system.model();
        if system.multipliers().is_some_and(|multipliers| multipliers.any_rotor()) {
            return Err(StepError::Elements { method: "midpoint", what: "rotors between free bodies" });
        }
        let with_rows = system
            .multipliers()
            .is_some_and(|multipliers| multipliers.any_active() || multipliers.any_soft());
        if with_rows && system.any_resting() {
            return Err(StepError::Elements {
                method: "midpoint",
                what: "contacts together with constraints or limits",
            });
        }
        system.workspace().mass_times(model, &state.q, &state.v, &mut self.p);
        for joint in model.joints() {
            let added = dt * (0.5 * joint.damping + 0.25 * dt * joint.stiffness);
            self.diagonal[joint.dofs()].fill(joint.armature + added);
        }
        let n = model.nv();
        system.acceleration(state, &mut self.correction[..n]);
        system.each_servo(state, |k, stiffness, damping| {
            self.diagonal[k] += dt * (0.5 * damping + 0.25 * dt * stiffness);
        });
        system.note_resistance(0.25 * dt * dt, 0.5 * dt);
        if let Some(impulses) = self.impulses.as_mut().filter(|_| with_rows) {
            impulses.begin(system, state, &self.diagonal, dt);
        }
        copy(&mut self.mid, state);
        self.mid.time = state.time + 0.5 * dt;
        for k in 0..n {
            self.mid.v[k] = (0.5 * dt).mul_add(self.correction[k], state.v[k]);
        }
        let farthest = state.q.iter().fold(0.0f64, |far, q| far.max(q.abs()));
        let mut last = f64::INFINITY;
        self.solver.restart();
        for iteration in 0.. {
            system.go_on(state.time)?;
            self.evaluate(system, state, with_rows, dt);
            self.end_momentum(model, dt, -1.0);
            let (mut residual, mut momentum, mut open) = (0.0f64, 0.0f64, 0.0f64);
            for (r, p) in self.other.iter_mut().zip(&self.p) {
                *r = p - *r;
                residual = residual.max(r.abs());
                momentum = momentum.max(p.abs());
            }
            match (&mut self.impulses, system.constraints()) {
                (Some(impulses), (ws, Some(multipliers))) if with_rows => {
                    impulses.at_ends(model, (ws, multipliers), state, &self.mid.v, dt, &mut self.other);
                    residual = self.other.iter().fold(0.0, |most, r| most.max(r.abs()));
                    open = impulses.open(multipliers);
                    impulses.correct(model, (ws, multipliers), &state.q, &self.other, &mut self.correction);
                }
                (_, (ws, _)) => {
                    let (f, to) = (&self.other, &mut self.correction[..n]);
                    ws.mass_solve_with(model, &self.mid.q, f, &self.diagonal, to);
                    self.correction[n..].fill(0.0);
                }
            }
            self.solver.improve(&mut self.correction);
            if let Some(impulses) = &mut self.impulses {
                for (p, d) in impulses.impulse.iter_mut().zip(&self.correction[n..]) {
                    *p += d;
                }
            }
            let (mut largest, mut place, mut size) = (0.0f64, 0, 1e-300f64);
            for (k, (w, d)) in self.mid.v.iter_mut().zip(&self.correction).enumerate() {
                *w += d;
                size = size.max(w.abs());
                if d.abs() > largest {
                    (largest, place) = (d.abs(), k);
                }
            }
            // round-off: corrections no longer decrease, and are small absolutely or (long chains, where M is ill-conditioned) relative to
            // the momentum; at rest, where forces cancel, only the round-off of these is left
            let cancelled = residual <= 1e-15 * dt.abs() * self.largest_force;
            // a servo that rests far from 0, a loop whose crank has made many turns: their forces, and the effect of these, are no more
            // accurate than the coordinates
            let lost = iteration >= MANY_ITERATIONS && largest * dt.abs() <= f64::EPSILON * farthest;
            // at a fold, the residual of the rows is divided by the sine of a small angle, and so is the round-off of positions
            let closed = open <= ROUND_OFF * farthest.max(1.0) && residual <= 1e-12 * momentum;
            let small = largest <= 1e-12 * size || residual <= 1e-14 * momentum || cancelled || closed;
            if largest <= 4e-16 * size || lost || (largest >= 0.5 * last && small) {
                break;
            }
            if iteration >= MOST_ITERATIONS || !size.is_finite() {
                return Err(StepError::NotConverged {
                    time: state.time,
                    dt,
                    method: "midpoint",
                    iterations: iteration,
                    correction: largest,
                    what: model.dof_name(place),
                });
            }
            last = largest;
        }
        self.evaluate(system, state, with_rows, dt);
        self.end_momentum(model, dt, 1.0);
        copy(&mut self.next, state);
        model.integrate(&mut self.next.q, &self.mid.v, dt);
        let (q, v) = (&self.next.q, &mut self.next.v);
        match system.constraints() {
            (ws, Some(multipliers)) if with_rows => multipliers.velocity_of(model, ws, q, &self.other, v),
            (ws, _) => ws.mass_solve(model, q, &self.other, v),
        }
        self.next.time = state.time + dt;
        accept(system, state, &mut self.next, dt)
    }
}
