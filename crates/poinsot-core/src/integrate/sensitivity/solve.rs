//! The differentials of (1) to (4) of the [module](super), one after the other, for all columns at once.

use super::forces::ForceDerivatives;
use super::rows::{ActiveRows, RowsAt};
use super::touch::{Modes, Resting, Touch};
use super::{NoEquations, StepEquations};
use crate::constraint::RowTiming;
use crate::dynamics::{InverseDynamicsDerivatives, State};
use crate::integrate::System;
use crate::integrate::chart::triple;
use crate::model::Model;
use crate::spatial::{exp_so3, left_jacobian};
use nalgebra::{DMatrix, DVector, Dyn, LU};

/// Of the largest singular value of `J M⁻¹ Jᵀ`: what is less belongs to rows that depend on others.
const DEPENDENT: f64 = 1e-11;

/// The derivatives of the state at the end of a step: rows are those of q⁺ along the velocities, then those of v⁺.
#[derive(Clone, Debug, PartialEq)]
pub struct StepMatrices {
    /// By q, along the velocities: 2 nv × nv.
    pub by_position: DMatrix<f64>,
    /// By v.
    pub by_velocity: DMatrix<f64>,
    /// By the controls.
    pub by_control: DMatrix<f64>,
    /// By forces along the degrees of freedom.
    pub by_force: DMatrix<f64>,
    /// The degrees of freedom along which a contact that rests at a gap of 0 opens: their columns by q and v are those of one side, if the sides differ.
    pub one_sided: Vec<usize>,
}

impl System<'_> {
    /// The derivatives of the step of size h that the equations describe, which has led from `state` to `next`. To be called after that step, and
    /// changes what is remembered of it.
    ///
    /// # Errors
    /// Where the equations do not describe the step.
    pub fn step_matrices(
        &mut self,
        equations: &StepEquations,
        state: &State,
        next: &State,
        h: f64,
    ) -> Result<StepMatrices, NoEquations> {
        let (active, modes) = (ActiveRows::of(self)?, Modes::of(self)?);
        if modes.are_any() && !active.rows.is_empty() {
            return Err(NoEquations::Contact);
        }
        let step = Step::new(self, equations, (&active, &modes), state, h)?;
        let (position, velocity) = step.differentiate(self, state, next)?;
        if !position.iter().chain(velocity.iter()).all(|x| x.is_finite()) {
            return Err(NoEquations::Singular);
        }
        let (n, nu) = (self.model.nv(), self.model.actuators().len());
        let part = |first: usize, columns: usize| {
            let mut out = DMatrix::zeros(2 * n, columns);
            out.rows_mut(0, n).copy_from(&position.columns(first, columns));
            out.rows_mut(n, n).copy_from(&velocity.columns(first, columns));
            out
        };
        Ok(StepMatrices {
            by_position: part(0, n),
            by_velocity: part(n, n),
            by_control: part(2 * n, nu),
            by_force: part(2 * n + nu, n),
            one_sided: step.touch.iter().flat_map(Touch::opened).collect(),
        })
    }
}

/// What is the same in all equations of a step.
struct Step<'s> {
    equations: &'s StepEquations,
    active: &'s ActiveRows,
    h: f64,
    /// ρ.
    drift: f64,
    /// The state where (1) is taken: q₀ and v.
    place: State,
    /// τ − r K v, E, r K.
    tau: Vec<f64>,
    extra: DVector<f64>,
    ahead: DVector<f64>,
    forces: ForceDerivatives,
    rows: RowsAt<'s>,
    touch: Option<Touch<'s>>,
}

/// Differentials of all unknowns, a column for each of q, v, u and f.
struct Given {
    place: DMatrix<f64>,
    v: DMatrix<f64>,
    tau: DMatrix<f64>,
}

impl<'s> Step<'s> {
    fn new(
        system: &mut System,
        equations: &'s StepEquations,
        (active, modes): (&'s ActiveRows, &'s Modes),
        state: &State,
        h: f64,
    ) -> Result<Step<'s>, NoEquations> {
        let model = system.model();
        let n = model.nv();
        let (drift, reach) = match equations.timing {
            RowTiming::Begin | RowTiming::End => (0.0, h),
            RowTiming::Middle => (0.5 * h, 0.5 * h),
        };
        let mut place = state.clone();
        place.time += drift;
        model.integrate(&mut place.q, &state.v, drift);
        let (mut tau, mut diagonal) = (vec![0.0; n], model.tree.armature.to_vec());
        let mut ahead = DVector::zeros(n);
        if equations.stiff {
            if model.medium().is_some() {
                return Err(NoEquations::Drag);
            }
            system.stiff_forces(&place, (h, reach), &mut tau, &mut diagonal);
            for joint in model.joints() {
                joint.dofs().for_each(|k| ahead[k] += reach * joint.stiffness);
            }
            system.each_servo(&place, |k, stiffness, _| ahead[k] += reach * stiffness);
        } else {
            system.forces_but_soft(&place, &mut tau);
        }
        let extra = diagonal.iter().zip(&model.tree.armature).map(|(d, own)| d - own);
        let extra = DVector::from_iterator(n, extra);
        let forces = ForceDerivatives::at(system, &place);
        let rows = RowsAt::new(system, &place.q, &active.rows);
        if rows.are_singular(system) {
            return Err(NoEquations::Dependent);
        }
        let touch = modes.are_any().then(|| Touch::at(system, modes, &place, (h - drift, h))).transpose()?;
        Ok(Step { equations, active, h, drift, place, tau, extra, ahead, forces, rows, touch })
    }

    /// dq⁺ and dv⁺.
    fn differentiate(
        &self,
        system: &mut System,
        state: &State,
        next: &State,
    ) -> Result<(DMatrix<f64>, DMatrix<f64>), NoEquations> {
        let (model, h) = (system.model(), self.h);
        let given = self.given(&model, &state.v);
        let v_hat = self.mean_velocity(system, &given)?;
        let a = &self.equations.a;
        let dynamics = Dynamics::at(system, self, &self.equations.v_hat, a)?;
        let da = dynamics.acceleration(system, self, &given, &v_hat, a);
        let v_star: Vec<f64> = state.v.iter().zip(a).map(|(v, a)| h.mul_add(*a, *v)).collect();
        let rest = h - self.drift;
        let mut dv_star = &given.v + da * h;
        // the velocity that moves positions: contacts that rest, but are open at the middle of the step, close in it and then come to rest
        let mut dv_moving = dv_star.clone();
        if let Some(touch) = &self.touch {
            let free = dv_star + dynamics.solve(&(touch.loaded() * &given.place));
            let solve = |b: &DMatrix<f64>| dynamics.solve(b);
            let motion = (&free, &given.place, &v_star[..]);
            dv_star = touch.hold(motion, rest, Resting::Stays, solve)?;
            dv_moving = match self.equations.timing {
                RowTiming::Middle => touch.hold(motion, rest, Resting::Closes, solve)?,
                RowTiming::Begin | RowTiming::End => dv_star.clone(),
            };
        }
        let moved: Vec<f64> = v_star.iter().map(|v| rest * v).collect();
        let dq_star = carry(&model, &moved, &given.place, &(&dv_moving * rest));
        if self.active.positions == 0 {
            return Ok((dq_star, dv_star));
        }
        let mut q_star = self.place.q.clone();
        model.integrate(&mut q_star, &v_star, rest);
        self.project(system, &dynamics, &given, (&q_star, &v_star), (dq_star, dv_star), next)
    }

    fn given(&self, model: &Model, v: &[f64]) -> Given {
        let (n, nu) = (v.len(), self.forces.by_control.ncols());
        let columns = 3 * n + nu;
        let unit = |first: usize| {
            let mut out = DMatrix::zeros(n, columns);
            (0..n).for_each(|k| out[(k, first + k)] = 1.0);
            out
        };
        let (q, v_given) = (unit(0), unit(n));
        let drifted: Vec<f64> = v.iter().map(|v| self.drift * v).collect();
        let place = carry(model, &drifted, &q, &(&v_given * self.drift));
        let mut by_velocity = self.forces.by_velocity.clone();
        (0..n).for_each(|k| by_velocity[(k, k)] -= self.ahead[k]);
        let mut tau = &self.forces.by_position * &place + by_velocity * &v_given + unit(2 * n + nu);
        let mut controls = tau.columns_mut(2 * n, nu);
        controls += &self.forces.by_control;
        Given { place, v: v_given, tau }
    }

    /// dv̂.
    fn mean_velocity(&self, system: &mut System, given: &Given) -> Result<DMatrix<f64>, NoEquations> {
        let mut v_hat = given.v.clone();
        let spins = |v_hat: &mut DMatrix<f64>| {
            if let Some(loose) = self.equations.loose.as_ref().filter(|_| !self.equations.spins_corrected) {
                let at = (&self.place.q[..], &self.equations.v_hat[..], &self.tau[..]);
                loose.differentiate(at, self.h, (&given.place, &given.v, &given.tau), v_hat);
            }
        };
        if let Some(before) = &self.equations.found_before {
            // what it was found with is v, but the mean spins of loose bodies
            let mut first = self.place.v.clone();
            if let Some(loose) = &self.equations.loose {
                loose.mean(&self.place.q, &self.place.v, &self.tau, self.h, &mut first);
            }
            spins(&mut v_hat);
            let dynamics = Dynamics::at(system, self, &first, before)?;
            let found = dynamics.acceleration(system, self, given, &v_hat, before);
            v_hat = &given.v + found * (0.5 * self.h);
        }
        spins(&mut v_hat);
        Ok(v_hat)
    }

    /// (3) and (4).
    fn project(
        &self,
        system: &mut System,
        dynamics: &Dynamics,
        given: &Given,
        (q_star, v_star): (&[f64], &[f64]),
        (dq_star, dv_star): (DMatrix<f64>, DMatrix<f64>),
        next: &State,
    ) -> Result<(DMatrix<f64>, DMatrix<f64>), NoEquations> {
        let model = system.model();
        let n = model.nv();
        let mut moved = vec![0.0; n];
        model.difference(q_star, &next.q, &mut moved);
        let by_rows = dynamics.solve(&self.rows.j.transpose());
        let end = RowsAt::new(system, &next.q, &self.active.rows);
        let change = dynamics.pushed(system, self, &moved) * &given.place;
        let base = carry(&model, &moved, &dq_star, &change);
        let by_mu = carry(&model, &moved, &DMatrix::zeros(n, by_rows.ncols()), &by_rows);
        let mu = pseudo_inverse(&end.j * &by_mu)? * (&end.j * &base);
        let dq = base - by_mu * mu;
        let kicked: Vec<f64> = next.v.iter().zip(v_star).map(|(to, from)| to - from).collect();
        let base = dv_star + dynamics.pushed(system, self, &kicked) * &given.place;
        let open = &end.j * &base + end.turned(system, &next.v) * &dq;
        let nu = pseudo_inverse(&end.j * &by_rows)? * open;
        Ok((dq, base - by_rows * nu))
    }
}

/// (1) at its solution, linear in the differentials.
struct Dynamics {
    /// M + E.
    mass: DMatrix<f64>,
    /// Of M + E; of M + E + ½ h ∂c/∂v P where the mean spins contain ½ h a (P: spins).
    factor: LU<f64, Dyn, Dyn>,
    by_position: DMatrix<f64>,
    by_velocity: DMatrix<f64>,
    /// M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹.
    holds: DMatrix<f64>,
    /// ∂(Jᵀ λ)/∂q.
    loaded: DMatrix<f64>,
    /// ∂(M x)/∂q for x = 0 is this: that of gravity.
    gravity: DMatrix<f64>,
}

impl Dynamics {
    fn at(system: &mut System, step: &Step, v_hat: &[f64], a: &[f64]) -> Result<Dynamics, NoEquations> {
        let model = system.model();
        let (n, q) = (model.nv(), &step.place.q);
        let mut d = InverseDynamicsDerivatives::new(&model);
        let ws = system.workspace();
        ws.inverse_dynamics_derivatives(&model, q, v_hat, a, &mut d);
        let [by_position, by_velocity] = [d.by_position(), d.by_velocity()].map(|m| m.clone_owned());
        let residual = (0..n).map(|k| d.tau()[k] + step.extra[k] * a[k] - step.tau[k]);
        let residual = DVector::from_iterator(n, residual);
        let mut mass = d.by_acceleration().clone_owned();
        (0..n).for_each(|k| mass[(k, k)] += step.extra[k]);
        let mut factored = mass.clone();
        if let Some(loose) = step.equations.loose.as_ref().filter(|_| step.equations.spins_corrected) {
            for k in loose.spins() {
                let mut column = factored.column_mut(k);
                column += by_velocity.column(k) * (0.5 * step.h);
            }
        }
        let factor = factored.lu();
        if !factor.is_invertible() {
            return Err(NoEquations::Singular);
        }
        let rest = vec![0.0; n];
        ws.inverse_dynamics_derivatives(&model, q, &rest, &rest, &mut d);
        let gravity = d.by_position().clone_owned();
        let mut out = Dynamics {
            mass,
            factor,
            by_position,
            by_velocity,
            holds: DMatrix::zeros(n, 0),
            loaded: DMatrix::zeros(n, n),
            gravity,
        };
        let j = &step.rows.j;
        if j.nrows() > 0 {
            let columns = out.solve(&j.transpose());
            out.holds = &columns * pseudo_inverse(j * &columns)?;
            let lambda = out.holds.tr_mul(&residual);
            out.loaded = step.rows.loaded(system, &lambda);
        }
        Ok(out)
    }

    /// (M + E)⁻¹ b.
    fn solve(&self, b: &DMatrix<f64>) -> DMatrix<f64> {
        // invertible, as `at` has found
        self.factor.solve(b).unwrap_or_else(|| DMatrix::from_element(b.nrows(), b.ncols(), f64::NAN))
    }

    /// da.
    fn acceleration(
        &self,
        system: &mut System,
        step: &Step,
        given: &Given,
        v_hat: &DMatrix<f64>,
        a: &[f64],
    ) -> DMatrix<f64> {
        let right =
            &given.tau - (&self.by_position - &self.loaded) * &given.place - &self.by_velocity * v_hat;
        let free = self.solve(&right);
        let j = &step.rows.j;
        if j.nrows() == 0 {
            return free;
        }
        let open = targets(system, step, given, a) - j * &free;
        free + &self.holds * open
    }

    /// ∂x/∂q of (M + E) x = Jᵀ μ with μ held.
    fn pushed(&self, system: &mut System, step: &Step, x: &[f64]) -> DMatrix<f64> {
        let (model, n) = (system.model(), x.len());
        let mut d = InverseDynamicsDerivatives::new(&model);
        let rest = vec![0.0; n];
        system.workspace().inverse_dynamics_derivatives(&model, &step.place.q, &rest, x, &mut d);
        let turned = d.by_position() - &self.gravity;
        let momentum = &self.mass * DVector::from_column_slice(x);
        let mu = self.holds.tr_mul(&momentum);
        self.solve(&(step.rows.loaded(system, &mu) - turned))
    }
}

/// J da of the rows of (1).
fn targets(system: &mut System, step: &Step, given: &Given, a: &[f64]) -> DMatrix<f64> {
    let (rows, h, v) = (&step.rows, step.h, &step.place.v);
    let v_star: Vec<f64> = v.iter().zip(a).map(|(v, a)| h.mul_add(*a, *v)).collect();
    let j_dv = &rows.j * &given.v;
    let mut out = match step.equations.timing {
        RowTiming::Begin => {
            let mut by_place = rows.turned(system, a);
            if system.model().attitudes().next().is_some() {
                by_place += rows.bias_by_position(system, v);
            }
            -(by_place * &given.place) - rows.bias_by_velocity(system, v) * &given.v
        }
        RowTiming::End => {
            let turned = rows.turned(system, &v_star) * h + &rows.j;
            (turned * &given.place + &j_dv * h) * (-1.0 / (h * h))
        }
        RowTiming::Middle => {
            let both: Vec<f64> = v.iter().zip(&v_star).map(|(v, to)| v + to).collect();
            (rows.turned(system, &both) * &given.place + &j_dv * 2.0) * (-1.0 / h)
        }
    };
    // dry friction that holds: J v* = 0, along coordinates
    for row in step.active.positions..step.active.rows.len() {
        out.row_mut(row).copy_from(&(j_dv.row(row) * (-1.0 / h)));
    }
    out
}

/// d(q ⊕ x) = exp(−x) dq + J_r(x) dx: (7).
fn carry(model: &Model, x: &[f64], dq: &DMatrix<f64>, dx: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = dq + dx;
    for k in model.attitudes() {
        let turn = triple(x, k);
        let (back, right) = (exp_so3(-turn).rows(), left_jacobian(-turn).rows());
        for column in 0..out.ncols() {
            for c in 0..3 {
                out[(k + c, column)] = (0..3)
                    .map(|i| back[c][i] * dq[(k + i, column)] + right[c][i] * dx[(k + i, column)])
                    .sum();
            }
        }
    }
    out
}

pub(super) fn pseudo_inverse(m: DMatrix<f64>) -> Result<DMatrix<f64>, NoEquations> {
    let size = m.amax();
    if !size.is_finite() {
        return Err(NoEquations::Singular);
    }
    m.pseudo_inverse(DEPENDENT * size).map_err(|_| NoEquations::Singular)
}
