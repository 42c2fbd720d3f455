//! Inverse contact dynamics: forces that explain an acceleration, the inverse of [resting contact](super::resting).
//!
//! Given v̇, finds forces f of contacts, limits and dry friction with `v̇ = v̇₀ + M⁻¹ Jᵀ f`, where v̇₀ is the acceleration without them and
//! with loops closed. Of all f within their cones it returns the one that leaves the least acceleration in the mass metric:
//!
//! ```math
//! min ‖M⁻¹ Jᵀ f + v̇₀ − v̇‖_M      ⟸      G f + J (v̇₀ − v̇) = 0
//! ```
//! A sliding contact can only oppose its slip, so it has one unknown; a separating contact has none.

use super::step::Rows;
use super::step_rows::Of;
use super::{ContactWorkspace, RestingContact};
use crate::constraint::law::RowSystem;
use crate::constraint::{Inequality, Multipliers, Stabilisation, TOUCHING};
use crate::contact::{Conic, Dense, Law, MOST_ROWS, Mode, Problem, ProblemError, Resting, Status};
use crate::dynamics::Workspace;
use crate::model::Model;

/// The forces that explain an acceleration.
#[derive(Clone, Debug, Default)]
pub(crate) struct InverseForces {
    /// The forces of all rows of each contact, in the order of the input.
    pub force: Vec<[f64; MOST_ROWS]>,
    /// The forces of limits and dry friction in play.
    pub bounds: Vec<(Inequality, f64)>,
    /// The residual acceleration, and the residual generalised forces.
    pub left: Vec<f64>,
    pub residual_force: Vec<f64>,
    /// v̇ without any of these forces.
    pub without: Vec<f64>,
    pub status: Status,
    conic: Conic,
    g: Vec<f64>,
    b: Vec<f64>,
    others: Vec<usize>,
    columns: Vec<(usize, [f64; MOST_ROWS])>,
    laws: Vec<Law>,
    reduced: Vec<f64>,
    free: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
    rows: Vec<f64>,
    tau: Vec<f64>,
    found: Vec<f64>,
}

/// Velocities and accelerations below these count as zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestThresholds {
    pub speed: f64,
    pub acceleration: f64,
}

impl Multipliers {
    /// The forces that explain the acceleration a at (q, v) under the generalised forces τ, which have no dry friction.
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub(crate) fn inverse_contact(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        (q, v, a): (&[f64], &[f64], &[f64]),
        tau: &[f64],
        contacts: &[RestingContact],
        still: RestThresholds,
        out: &mut InverseForces,
    ) -> Result<(), ProblemError> {
        let Some(mut t) = self.touching.take() else { return Ok(()) };
        self.rows.evaluate(model, ws, q, Some(v));
        self.begin_operator(&mut t, model, ws, q, RowSystem::Velocities, &model.tree.armature);
        ws.bias(model, q, v, &mut self.smooth);
        out.tau.clear();
        out.tau.extend(tau.iter().zip(&self.smooth).map(|(tau, bias)| tau - bias));
        out.found.resize(a.len(), 0.0);
        self.answer_with(&t, model, ws, q, &out.tau, &mut out.found);
        out.without.clone_from(&out.found);
        self.list_all(&mut t, contacts);
        // the bias was computed with the poses in the frames of the links
        ws.poses(model, q);
        self.make_step_rows(&mut t, model, ws, q, Rows::All);
        out.left.clear();
        out.left.extend(out.found.iter().zip(a).map(|(found, a)| found - a));
        t.step_rows.times(&out.left, &mut out.b);
        t.step_rows.times(a, &mut out.rows);
        t.respond_all(&mut out.g, &mut out.others);
        self.choose_unknowns(&t, contacts, still, out);
        let solved = out.solve();
        self.read_forces(&t, contacts, out);
        t.step_rows.add_all(1.0, &out.rows, &mut out.tau);
        self.answer_with(&t, model, ws, q, &out.tau, &mut out.found);
        out.left.clear();
        out.left.extend(a.iter().zip(&out.found).map(|(a, found)| a - found));
        out.residual_force.resize(a.len(), 0.0);
        ws.mass_times(model, q, &out.left, &mut out.residual_force);
        for group in &t.step_rows.groups {
            if let Of::Bound(row) = group.of {
                self.lambda[row] = out.rows[group.rows.start];
            }
        }
        self.touching = Some(t);
        solved
    }

    /// v̇ under the given forces, with loops closed.
    fn answer_with(
        &mut self,
        t: &ContactWorkspace,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        force: &[f64],
        a: &mut [f64],
    ) {
        for row in 0..self.rows.len() {
            let terms = self.rows.kinds[row].terms;
            self.targets[row] = terms.acceleration_target(self.rows.measured_at(row), Stabilisation::Nothing);
        }
        self.apply_operator(t, model, ws, q, force, a);
    }

    /// Lists all contacts, the limits that are reached and all dry friction.
    fn list_all(&self, t: &mut ContactWorkspace, contacts: &[RestingContact]) {
        t.bounds_in.fill(false);
        for row in &self.rows.ends {
            t.bounds_in[*row] = self.rows.value[*row] <= TOUCHING;
        }
        self.rows.frictions.iter().for_each(|row| t.bounds_in[*row] = true);
        t.list.clear();
        t.list.extend(contacts.iter().map(|one| one.point));
        t.in_play.clear();
        t.in_play.resize(t.list.len(), true);
    }

    /// Chooses the unknowns of each group: one direction in its rows, or all of its rows.
    fn choose_unknowns(
        &self,
        t: &ContactWorkspace,
        contacts: &[RestingContact],
        still: RestThresholds,
        out: &mut InverseForces,
    ) {
        out.columns.clear();
        out.laws.clear();
        let unit = |k: usize| std::array::from_fn(|r| f64::from(r == k));
        for group in &t.step_rows.groups {
            let first = group.rows.start;
            match group.of {
                Of::Bound(row) => {
                    let (terms, rate) = (self.rows.kinds[row].terms, self.rows.rate[row]);
                    out.columns.push((first, unit(0)));
                    out.laws.push(match terms.within() {
                        Some(most) if rate.abs() > still.speed => {
                            let force = -most.copysign(rate);
                            Law::Interval { lower: force, upper: force }
                        }
                        Some(most) => Law::within(most),
                        None if rate > still.speed => Law::Interval { lower: 0.0, upper: 0.0 },
                        None => Law::AT_LEAST,
                    });
                }
                Of::Contact(at) => {
                    let one = &contacts[at];
                    let moves = |k: usize| out.rows[first + k] + one.bias[k];
                    let mut resting = one.resting;
                    if one.velocity[0] > still.speed || moves(0) > still.acceleration {
                        continue;
                    }
                    let begins: [f64; MOST_ROWS - 1] =
                        std::array::from_fn(|k| if k < resting.count { moves(1 + k) } else { 0.0 });
                    let fast = begins[..resting.count].iter().any(|a| a.abs() > still.acceleration);
                    if resting.mode != Mode::Slide
                        && fast
                        && let Some(along) = resting.against(&begins)
                    {
                        resting = Resting { mode: Mode::Slide, along, ..resting };
                    }
                    if resting.mode == Mode::Slide {
                        let mut direction = unit(0);
                        direction[1..].copy_from_slice(&resting.along);
                        out.columns.push((first, direction));
                        out.laws.push(Law::AT_LEAST);
                    } else {
                        out.columns.extend((0..resting.rows()).map(|k| (first, unit(k))));
                        out.laws.push(one.point.surface.law());
                    }
                }
            }
        }
    }

    fn read_forces(&self, t: &ContactWorkspace, contacts: &[RestingContact], out: &mut InverseForces) {
        out.rows.fill(0.0);
        for ((first, direction), x) in out.columns.iter().zip(&out.x) {
            for (row, d) in out.rows[*first..].iter_mut().zip(direction) {
                *row += d * x;
            }
        }
        out.force.clear();
        out.force.resize(contacts.len(), [0.0; MOST_ROWS]);
        out.bounds.clear();
        for group in &t.step_rows.groups {
            let rows = &out.rows[group.rows.clone()];
            match group.of {
                Of::Bound(row) => out.bounds.push((self.rows.kinds[row].owner.into(), rows[0])),
                Of::Contact(at) => out.force[at][..rows.len()].copy_from_slice(rows),
            }
        }
    }
}

impl InverseForces {
    /// Solves the problem restricted to the unknowns.
    fn solve(&mut self) -> Result<(), ProblemError> {
        let (n, m) = (self.b.len(), self.columns.len());
        self.status = Status::Solved;
        self.reduced.clear();
        self.free.clear();
        for (row, left) in &self.columns {
            let entries = |k: usize| (k < n - row && left[k] != 0.0).then_some(left[k]);
            let along = |x: &dyn Fn(usize) -> f64| -> f64 {
                (0..MOST_ROWS).filter_map(|k| entries(k).map(|d| d * x(row + k))).sum()
            };
            self.free.push(along(&|k| self.b[k]));
            for (column, right) in &self.columns {
                self.reduced.push(along(&|k| {
                    let row = &self.g[k * n + column..(k + 1) * n];
                    row.iter().zip(right).map(|(g, d)| g * d).sum()
                }));
            }
        }
        self.x.clear();
        self.x.resize(m, 0.0);
        self.u.clear();
        self.u.resize(m, 0.0);
        if m == 0 {
            return Ok(());
        }
        let matrix = Dense::new(m, &self.reduced)?;
        let problem = Problem { matrix: &matrix, free: &self.free, laws: &self.laws, compliance: &[] };
        self.status = self.conic.solve(&problem, &mut self.x, &mut self.u)?;
        Ok(())
    }
}
