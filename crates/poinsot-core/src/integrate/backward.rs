//! Backward Euler: all forces and the rigid and soft constraints are evaluated at the end of the step.
//!
//! ```math
//! (1)  M(q⁺) (v⁺ − v)/h + c(q⁺, v⁺) + g(q⁺) = τ(q⁺, v⁺) + J(q⁺)ᵀ λ       q⁺ = q ⊕ h v⁺
//! (2)  C(q⁺) = 0   or, of a soft row,   λ = −k C(q⁺) − c Ċ(q⁺, v⁺)
//! ```
//! For free bodies v⁺ᵀ times (1) shows that gyroscopic terms only remove energy: `ΔT = −½ (v⁺ − v)ᵀ M (v⁺ − v) + …`; soft joints of any
//! stiffness are stable at any step size. Motion over a few steps is damped.
//!
//! Newton's method: with D, K of joints and servos, and rows of compliance 1/(h² k + h c), `(M + h D + h² K) δ = h r + Jᵀ δΛ`,
//! `J δ + E δΛ = −C/h`. The derivatives of c, g and τ in q are left to Broyden's method, with the matrix of the last Newton step. Under a
//! load of many times the mass that carries it this does not converge; in maximal coordinates the step is then repeated with the geometric
//! stiffness of the constraints in the matrix, `h² ∂(−Jᵀλ)/∂q`.

use super::broyden::Broyden;
use super::chart::{put_triple, triple};
use super::powers::Kick;
use super::{Integrator, MemoryReader, StepError, System, accept_impacts, copy};
use crate::constraint::{Multipliers, RowSystem};
use crate::dynamics::State;
use crate::model::Model;
use crate::spatial::left_jacobian_inverse;

const MOST_ITERATIONS: usize = 40;
/// The number of steps with a matrix of their own; later ones reuse the last.
const NEWTON_STEPS: usize = 4;

/// More iterations than any step needs that converges to round-off; and the C that counts as satisfied, relative to the distance from the
/// origin.
const MANY_ITERATIONS: usize = 20;
const CLOSED: f64 = 4.0 * f64::EPSILON;

/// How often inequalities may be revised.
const MOST_ROUNDS: usize = 50;
/// The round-off of positions in long chains.
const ROUND_OFF: f64 = 32.0 * f64::EPSILON;

/// See the module page.
#[derive(Clone, Debug)]
pub struct Backward {
    /// a, h r, the force τ, and the implicit terms on the diagonal of M.
    a: Vec<f64>,
    residual: Vec<f64>,
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    correction: Vec<f64>,
    /// The impulses of this step, starting from those of the last.
    impulse: Vec<f64>,
    before: Vec<f64>,
    /// The impulses of the last step.
    last: Vec<f64>,
    /// True if the last step needed geometric stiffness: the next one starts with it.
    bent: bool,
    solver: Broyden,
    from: State,
    next: State,
}

impl Backward {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let rows = Multipliers::count(model);
        Backward {
            a: zeros(),
            residual: zeros(),
            tau: zeros(),
            diagonal: zeros(),
            correction: vec![0.0; model.nv() + rows],
            impulse: vec![0.0; rows],
            before: vec![0.0; rows],
            last: vec![0.0; rows],
            bent: false,
            solver: Broyden::new(model.nv() + rows),
            from: State::new(model),
            next: State::new(model),
        }
    }

    /// Evaluates h r at the current end of the step, where the rows are evaluated too.
    fn evaluate(&mut self, system: &mut System, state: &State, h: f64) {
        let model = &*system.model();
        self.next.q.copy_from_slice(&state.q);
        model.integrate(&mut self.next.q, &self.next.v, h);
        let (q, v) = (&self.next.q, &self.next.v);
        system.forces_but_soft(&self.next, &mut self.tau);
        for joint in model.joints() {
            self.diagonal[joint.dofs()].fill(joint.armature + h * (joint.damping + h * joint.stiffness));
        }
        system.each_servo(&self.next, |k, stiffness, damping| {
            self.diagonal[k] += h * (damping + h * stiffness);
        });
        system.note_resistance(h * h, h);
        for (a, (v, before)) in self.a.iter_mut().zip(v.iter().zip(&state.v)) {
            *a = (v - before) / h;
        }
        let ws = system.workspace();
        ws.inverse_dynamics(model, q, v, &self.a, &mut self.residual);
        for (r, tau) in self.residual.iter_mut().zip(&self.tau) {
            *r = h * (tau - *r);
        }
        if let (ws, Some(multipliers)) = system.constraints() {
            multipliers.rows.evaluate_for_end(model, ws, q, v);
            self.push_rows(multipliers, h);
        }
    }

    /// Adds the impulses of all rows to h r, and sets the targets of the rows.
    fn push_rows(&mut self, multipliers: &mut Multipliers, h: f64) {
        for row in 0..multipliers.len() {
            let (rows, a) = (&multipliers.rows, &self.a);
            let (impulse, target) = rows.kinds[row].terms.at_end(
                rows.measured_at(row),
                rows.status[row],
                self.impulse[row],
                || rows.dot(row, a) + rows.bias[row],
                h,
            );
            multipliers.rows.add(row, impulse, &mut self.residual);
            multipliers.targets[row] = target;
        }
    }

    /// Computes the corrections of v⁺ and of the impulses; with a new matrix if `fresh`.
    fn correct(&mut self, system: &mut System, h: f64, fresh: bool, bent: bool) {
        let (model, q) = (&*system.model(), &self.next.q);
        let (ws, Some(multipliers)) = system.constraints() else {
            let ws = system.workspace();
            ws.mass_solve_with(model, q, &self.residual, &self.diagonal, &mut self.correction);
            return;
        };
        if fresh {
            for (row, pull) in multipliers.pulls.iter_mut().enumerate() {
                *pull = multipliers.rows.kinds[row].terms.pull(
                    multipliers.rows.measured_at(row),
                    self.impulse[row],
                    h,
                );
            }
            let (stiffness, damping) = (h * h, h);
            let row_system = if bent {
                RowSystem::WithGeometricStiffness { stiffness, damping }
            } else {
                RowSystem::Soft { stiffness, damping }
            };
            multipliers.factor(model, ws, q, row_system, &self.diagonal);
        }
        multipliers.force.copy_from_slice(&self.residual);
        let (velocities, impulses) = self.correction.split_at_mut(self.residual.len());
        multipliers.solve_for_targets(model, ws, q, velocities);
        impulses.copy_from_slice(multipliers.lambda());
        if bent {
            // the correction rotates the end of the step; the velocity that causes it is J(−hΩ)⁻¹ times this
            for k in model.attitudes() {
                let (phi, turn) = (triple(&self.next.v, k) * h, triple(velocities, k));
                put_triple(velocities, k, left_jacobian_inverse(-phi) * turn);
            }
        }
    }

    /// Solves with the current statuses, and revises those that the solution contradicts.
    fn solve_inequalities(&mut self, system: &mut System, state: &State, dt: f64) -> Result<(), Unsolved> {
        for round in 0.. {
            self.solve_or_bend(system, state, dt)?;
            let (_, Some(multipliers)) = system.constraints() else { break };
            if !multipliers.any_inequality() {
                break;
            }
            multipliers.set_lambda(&self.impulse, dt);
            let pivots = multipliers.revise_at_end(round);
            if pivots.unsolved == 0 || round == MOST_ROUNDS {
                system.report.note(pivots);
                break;
            }
        }
        Ok(())
    }

    /// Applies Newton's method, with geometric stiffness if it does not converge without.
    fn solve_or_bend(&mut self, system: &mut System, state: &State, dt: f64) -> Result<(), Unsolved> {
        self.before.copy_from_slice(&self.impulse);
        let mut outcome = self.solve(system, state, dt, self.bent);
        if matches!(outcome, Err(Unsolved::Left { .. })) && system.multipliers().is_some() {
            self.impulse.copy_from_slice(&self.before);
            self.bent = !self.bent;
            outcome = self.solve(system, state, dt, self.bent);
        }
        outcome
    }

    /// Takes Newton and Broyden steps from the initial state; the error is the residual if they did not converge.
    fn solve(&mut self, system: &mut System, state: &State, dt: f64, bent: bool) -> Result<(), Unsolved> {
        let model = &*system.model();
        let n = model.nv();
        copy(&mut self.next, state);
        self.next.time = state.time + dt;
        let mut last = f64::INFINITY;
        for iteration in 0..MOST_ITERATIONS {
            if iteration > 0 {
                system.go_on(state.time).map_err(Unsolved::Interrupted)?;
            }
            self.evaluate(system, state, dt);
            let fresh = iteration < NEWTON_STEPS;
            let open = system.multipliers().map_or(f64::INFINITY, |multipliers| multipliers.rows.worst().1);
            self.correct(system, dt, fresh, bent);
            if fresh {
                self.solver.restart();
            }
            self.solver.improve(&mut self.correction);
            let (mut largest, mut place, mut size) = (0.0f64, 0, 1e-300f64);
            for (k, (v, d)) in self.next.v.iter_mut().zip(&self.correction).enumerate() {
                *v += d;
                size = size.max(v.abs());
                if d.abs() > largest || d.is_nan() {
                    (largest, place) = (d.abs(), k);
                }
            }
            for (p, d) in self.impulse.iter_mut().zip(&self.correction[n..]) {
                *p += d;
            }
            let farthest = self.next.q.iter().fold(0.0f64, |far, q| far.max(q.abs()));
            let round_off = (1e-12 * size).max(ROUND_OFF * farthest / dt.abs());
            // at a fold, the round-off of C is divided by the sine of a small angle: once C is satisfied, nothing better is possible
            let met = open <= CLOSED * farthest.max(1.0) && largest <= 1e-8 * size;
            let folded = iteration >= MANY_ITERATIONS && met;
            if largest <= 1e-15 * size || (largest >= 0.3 * last && (largest <= round_off || folded)) {
                self.next.q.copy_from_slice(&state.q);
                model.integrate(&mut self.next.q, &self.next.v, dt);
                return Ok(());
            }
            last = largest;
            if iteration + 1 == MOST_ITERATIONS || !size.is_finite() || largest.is_nan() {
                return Err(Unsolved::Left { iterations: iteration + 1, correction: largest, place });
            }
        }
        Ok(())
    }
}

/// Why there is no solution: the largest remaining correction and its place, or an interrupt.
enum Unsolved {
    Left { iterations: usize, correction: f64, place: usize },
    Interrupted(StepError),
}

impl Integrator for Backward {
    fn name(&self) -> &'static str {
        "backward"
    }
    fn order(&self) -> u32 {
        1
    }
    fn memory(&self, out: &mut Vec<f64>) {
        out.push(f64::from(self.bent));
        out.extend(&self.impulse);
    }
    fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        self.bent = from.flag();
        from.fill(&mut self.impulse);
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        let model = system.model();
        system.begin_step();
        copy(&mut self.from, state);
        if let (ws, Some(multipliers)) = system.constraints() {
            multipliers.allow_bending(&model);
            // a joint beyond its limit would return with the speed of one step
            if multipliers.any_inequality() && multipliers.activate_violated(&model, ws, &state.q) {
                let failed = |source| StepError::Constraint { time: state.time, dt, source };
                system.settle_impacts(&mut self.from).map_err(failed)?;
            }
        }
        if let (ws, Some(multipliers)) = system.constraints()
            && multipliers.any_inequality()
        {
            multipliers.begin_backward(&model, ws, &self.from.q, &self.from.v);
        }
        self.last.clone_from(&self.impulse);
        let bent = self.bent;
        let from = std::mem::take(&mut self.from);
        let outcome = self.solve_inequalities(system, &from, dt);
        self.from = from;
        match outcome {
            Ok(()) => {}
            Err(Unsolved::Interrupted(interrupted)) => {
                self.impulse.copy_from_slice(&self.last);
                self.bent = bent;
                return Err(interrupted);
            }
            Err(Unsolved::Left { iterations, correction, place }) => {
                self.impulse.fill(0.0);
                self.bent = false;
                let (time, what) = (state.time, system.model().dof_name(place));
                let method = "backward";
                return Err(StepError::NotConverged { time, dt, method, iterations, correction, what });
            }
        }
        if let (_, Some(multipliers)) = system.constraints() {
            multipliers.set_lambda(&self.impulse, dt);
        }
        let (from, to) = (&self.from.v[..], &self.next.v[..]);
        let kick = Kick { at: &self.next, v_bias: to, from, to, a: &self.a, h: dt, reach: None };
        system.note_kick(&kick, &mut self.tau);
        system.note_impulses(dt, &self.next.v);
        accept_impacts(system, state, &mut self.next, dt)
    }
}
