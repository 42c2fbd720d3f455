//! Backward Euler: all forces, rigid and soft constraints taken at the end of the step.
//!
//! ```math
//! (1)  M(q⁺) (v⁺ − v)/h + c(q⁺, v⁺) + g(q⁺) = τ(q⁺, v⁺) + J(q⁺)ᵀ λ       q⁺ = q ⊕ h v⁺
//! (2)  C(q⁺) = 0   or, of a soft row,   λ = −k C(q⁺) − c Ċ(q⁺, v⁺)
//! ```
//! For free bodies v⁺ᵀ times (1) shows that gyroscopic terms take energy and never give any:
//! `ΔT = −½ (v⁺ − v)ᵀ M (v⁺ − v) + …`; soft joints of any stiffness stay stable at any step. It damps what moves in few
//! steps.
//!
//! Newton's method: with D, K of joints and servos, and rows of compliance 1/(h² k + h c),
//! `(M + h D + h² K) δ = h r + Jᵀ δΛ`, `J δ + E δΛ = −C/h`. The derivatives of c, g and τ in q are left to Broyden's method,
//! with the matrix of the last Newton step. Under a load of many times the mass that carries it that does not
//! converge; in maximal coordinates it is then done again with the geometric stiffness of the constraints in the matrix,
//! `h² ∂(−Jᵀλ)/∂q`.

use super::broyden::Broyden;
use super::chart::{put_triple, triple};
use super::{Integrator, Quadrature, Recall, StepError, System, accept, copy};
use crate::constraint::{Asked, Class, Multipliers};
use crate::dynamics::{State, Workspace};
use crate::model::Model;
use crate::spatial::left_jacobian_inverse;

const MOST_ITERATIONS: usize = 40;
/// Steps with a matrix of their own; then the last is kept.
const NEWTON_STEPS: usize = 4;

/// What many bodies in a row make of the round-off of positions.
const ROUND_OFF: f64 = 32.0 * f64::EPSILON;

/// See the module page.
#[derive(Clone, Debug)]
pub struct Backward {
    /// a, h r, the force τ, and what is implicit on the diagonal of M.
    a: Vec<f64>,
    residual: Vec<f64>,
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    correction: Vec<f64>,
    held: Option<Multipliers>,
    /// The impulses of this step, found from those of the last.
    impulse: Vec<f64>,
    before: Vec<f64>,
    /// The last step had to have geometric stiffness: the next tries that first.
    bent: bool,
    solver: Broyden,
    next: State,
}

impl Backward {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let held = (!model.constraints().is_empty()).then(|| Multipliers::bending(model));
        let rows = held.as_ref().map_or(0, |h| h.len());
        Backward {
            a: zeros(),
            residual: zeros(),
            tau: zeros(),
            diagonal: zeros(),
            correction: vec![0.0; model.nv() + rows],
            impulse: vec![0.0; rows],
            before: vec![0.0; rows],
            bent: false,
            solver: Broyden::new(model.nv() + rows),
            held,
            next: State::new(model),
        }
    }

    /// h r at the end of the step as it now stands; the rows are evaluated there.
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
        for (a, (v, before)) in self.a.iter_mut().zip(v.iter().zip(&state.v)) {
            *a = (v - before) / h;
        }
        let ws = system.workspace();
        ws.inverse_dynamics(model, q, v, &self.a, &mut self.residual);
        for (r, tau) in self.residual.iter_mut().zip(&self.tau) {
            *r = h * (tau - *r);
        }
        if let Some(held) = &mut self.held {
            held.rows.evaluate(model, ws, q, Some(v));
            self.push_rows(h);
        }
    }

    /// Adds the impulses of all rows to h r, and sets what the rows ask for.
    fn push_rows(&mut self, h: f64) {
        let Some(held) = &mut self.held else { return };
        for row in 0..held.len() {
            let kind = held.rows.kinds[row];
            let (value, rate) = (held.rows.value[row], held.rows.rate[row]);
            let (impulse, asked) = match (kind.class, kind.soft) {
                (Class::Rotor(inertia), _) => {
                    let acceleration = held.rows.dot(row, &self.a) + held.rows.bias[row];
                    (-h * inertia * acceleration, 0.0)
                }
                (_, Some((k, c))) => (-h * (k * value + c * rate), 0.0),
                (Class::Velocity, None) => (self.impulse[row], -rate),
                (_, None) => (self.impulse[row], -value / h),
            };
            held.rows.add(row, impulse, &mut self.residual);
            held.asked[row] = asked;
        }
    }

    /// The corrections of v⁺ and of the impulses; with a new matrix if `fresh`.
    fn correct(&mut self, model: &Model, ws: &mut Workspace, h: f64, fresh: bool, bent: bool) {
        let q = &self.next.q;
        let Some(held) = &mut self.held else {
            ws.mass_solve_with(model, q, &self.residual, &self.diagonal, &mut self.correction);
            return;
        };
        if fresh {
            for (row, pull) in held.pulls.iter_mut().enumerate() {
                let soft = held.rows.kinds[row].soft;
                *pull = soft.map_or(-self.impulse[row] / h, |(k, _)| k * held.rows.value[row]);
            }
            let (stiffness, damping) = (h * h, h);
            let asked =
                if bent { Asked::Bent { stiffness, damping } } else { Asked::Soft { stiffness, damping } };
            held.factor(model, ws, q, asked, &self.diagonal);
        }
        held.force.copy_from_slice(&self.residual);
        let (velocities, impulses) = self.correction.split_at_mut(self.residual.len());
        held.solve_asked(model, ws, q, velocities);
        impulses.copy_from_slice(held.lambda());
        if bent {
            // what was found turns the end of the step; the velocity that does is J(−hΩ)⁻¹ of it
            for k in model.attitudes() {
                let (phi, turn) = (triple(&self.next.v, k) * h, triple(velocities, k));
                put_triple(velocities, k, left_jacobian_inverse(-phi) * turn);
            }
        }
    }

    /// Newton's and Broyden's steps from the state at the beginning; what was left when they did not converge.
    fn solve(&mut self, system: &mut System, state: &State, dt: f64, bent: bool) -> Result<(), Left> {
        let model = &*system.model();
        let n = model.nv();
        copy(&mut self.next, state);
        self.next.time = state.time + dt;
        let mut last = f64::INFINITY;
        for iteration in 0..MOST_ITERATIONS {
            self.evaluate(system, state, dt);
            let fresh = iteration < NEWTON_STEPS;
            self.correct(model, system.workspace(), dt, fresh, bent);
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
            if largest <= 1e-15 * size || (largest >= 0.3 * last && largest <= round_off) {
                self.next.q.copy_from_slice(&state.q);
                model.integrate(&mut self.next.q, &self.next.v, dt);
                return Ok(());
            }
            last = largest;
            if iteration + 1 == MOST_ITERATIONS || !size.is_finite() || largest.is_nan() {
                return Err(Left { iterations: iteration + 1, correction: largest, place });
            }
        }
        Ok(())
    }
}

/// Where a solution was not found.
struct Left {
    iterations: usize,
    correction: f64,
    place: usize,
}

impl Integrator for Backward {
    fn name(&self) -> &'static str {
        "backward"
    }
    fn order(&self) -> u32 {
        1
    }
    fn quadrature(&self) -> Quadrature {
        Quadrature::End
    }
    fn memory(&self, out: &mut Vec<f64>) {
        out.push(f64::from(self.bent));
        out.extend(&self.impulse);
        out.extend(self.held.iter().flat_map(Multipliers::turns));
    }
    fn recall(&mut self, from: &mut Recall<'_>) {
        self.bent = from.flag();
        from.fill(&mut self.impulse);
        self.held.iter_mut().flat_map(Multipliers::turns_mut).for_each(|turn| *turn = from.number());
    }
    fn step(&mut self, system: &mut System, state: &mut State, dt: f64) -> Result<(), StepError> {
        self.before.copy_from_slice(&self.impulse);
        let mut outcome = self.solve(system, state, dt, self.bent);
        if outcome.is_err() && self.held.is_some() {
            self.impulse.copy_from_slice(&self.before);
            self.bent = !self.bent;
            outcome = self.solve(system, state, dt, self.bent);
        }
        if let Err(Left { iterations, correction, place }) = outcome {
            self.impulse.fill(0.0);
            self.bent = false;
            let (time, what) = (state.time, system.model().dof_name(place));
            return Err(StepError::NotConverged {
                time,
                dt,
                method: "backward",
                iterations,
                correction,
                what,
            });
        }
        accept(system, state, &mut self.next, dt)
    }
}
