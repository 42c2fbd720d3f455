//! The rows that a step holds, and how they turn: (6) of the [module](super).

use super::NoEquations;
use super::forces::{DISTANCE, fourth};
use crate::constraint::{Stabilisation, Status};
use crate::integrate::System;
use crate::integrate::chart::{put_triple, triple};
use crate::model::Model;
use nalgebra::{DMatrix, DVector};

/// How far aside ranks are compared, and the part of J that counts for them.
const ASIDE: f64 = 1e-3;
const INDEPENDENT: f64 = 1e-7;

/// Which rows the last step held: those of C = 0, then those of dry friction.
pub(super) struct Held {
    pub rows: Vec<usize>,
    /// How many of them hold positions.
    pub positions: usize,
}

impl Held {
    pub fn of(system: &System) -> Result<Held, NoEquations> {
        let (mut rows, mut frictions) = (Vec::new(), Vec::new());
        let Some(held) = system.held.as_deref() else { return Ok(Held { rows, positions: 0 }) };
        for (row, (kind, status)) in held.rows.kinds.iter().zip(&held.rows.status).enumerate() {
            let terms = kind.terms;
            if terms.at_least().is_some() {
                if *status == Status::Active || held.impulse[row] != 0.0 {
                    return Err(NoEquations::Ends);
                }
            } else if terms.within().is_some() {
                frictions.extend((*status == Status::Active).then_some(row));
            } else if terms.is_soft() || terms.is_rotor() {
                return Err(NoEquations::Soft);
            } else if terms.constrains_position() {
                rows.push(row);
            } else {
                return Err(NoEquations::Rolling);
            }
        }
        let positions = rows.len();
        if positions > 0 && system.stabilisation() != Stabilisation::Projection {
            return Err(NoEquations::Decay);
        }
        // beside rows of C, joints that rub and hold are projected with another factor than that of the step
        if positions > 0 && !frictions.is_empty() {
            return Err(NoEquations::Stuck);
        }
        rows.extend(frictions);
        Ok(Held { rows, positions })
    }
}

/// Rows at one configuration.
pub(super) struct RowsAt<'r> {
    q: Vec<f64>,
    rows: &'r [usize],
    pub j: DMatrix<f64>,
}

impl<'r> RowsAt<'r> {
    pub fn new(system: &mut System, q: &[f64], rows: &'r [usize]) -> RowsAt<'r> {
        let model = system.model();
        let mut j = DMatrix::zeros(rows.len(), model.nv());
        if let (ws, Some(held)) = system.constraints() {
            held.rows.evaluate(&model, ws, q, None);
            for (k, row) in rows.iter().enumerate() {
                held.rows.entries(*row).for_each(|(dof, x)| j[(k, dof)] = x);
            }
        }
        RowsAt { q: q.to_vec(), rows, j }
    }

    /// True if some rows depend on others here, but not beside: an overconstrained loop that moves. Errors of its
    /// position are not a smooth function of q.
    pub fn are_singular(&self, system: &mut System) -> bool {
        let (model, n) = (system.model(), self.j.ncols());
        let aside: Vec<f64> = (0..n).map(|k| ((k + 1) as f64).sin()).collect();
        let mut q = self.q.clone();
        model.integrate(&mut q, &aside, ASIDE);
        let rank = |j: &DMatrix<f64>| j.rank(INDEPENDENT * j.amax());
        self.j.nrows() > 0 && rank(&self.j) != rank(&RowsAt::new(system, &q, self.rows).j)
    }

    /// b(v).
    fn bias(&self, system: &mut System, q: &[f64], v: &[f64]) -> Vec<f64> {
        let model = system.model();
        let (ws, Some(held)) = system.constraints() else { return vec![0.0; self.rows.len()] };
        held.rows.evaluate(&model, ws, q, Some(v));
        self.rows.iter().map(|row| held.rows.bias[*row]).collect()
    }

    /// S(e_k, y) for all k: m × n.
    fn polar(&self, system: &mut System, y: &[f64]) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(self.rows.len(), y.len());
        let mut x = y.to_vec();
        for k in 0..y.len() {
            x[k] = y[k] + 1.0;
            let plus = self.bias(system, &self.q, &x);
            x[k] = y[k] - 1.0;
            let minus = self.bias(system, &self.q, &x);
            x[k] = y[k];
            let column = plus.iter().zip(&minus).map(|(p, m)| 0.25 * (p - m));
            out.set_column(k, &DVector::from_iterator(self.rows.len(), column));
        }
        out
    }

    /// ∂(J y)/∂q: m × n.
    pub fn turned(&self, system: &mut System, y: &[f64]) -> DMatrix<f64> {
        let mut out = self.polar(system, y);
        let model = system.model();
        for k in 0..y.len() {
            let mut column = out.column_mut(k);
            column += &self.j * bracket(&model, unit(y.len(), k).as_slice(), y) * 0.5;
        }
        out
    }

    /// ∂(J̇ v)/∂v.
    pub fn bias_by_velocity(&self, system: &mut System, v: &[f64]) -> DMatrix<f64> {
        self.polar(system, v) * 2.0
    }

    /// ∂(J̇ v)/∂q, to the fourth order of differences: what it changes is of the third order of the step, where attitudes turn.
    pub fn bias_by_position(&self, system: &mut System, v: &[f64]) -> DMatrix<f64> {
        let (model, n) = (system.model(), v.len());
        let mut out = DMatrix::zeros(self.rows.len(), n);
        for k in 0..n {
            let along = unit(n, k);
            let column = fourth(DISTANCE, |h| {
                let mut q = self.q.clone();
                model.integrate(&mut q, along.as_slice(), h);
                self.bias(system, &q, v)
            });
            out.set_column(k, &DVector::from_vec(column));
        }
        out
    }

    /// ∂(Jᵀ λ)/∂q: n × n.
    pub fn loaded(&self, system: &mut System, lambda: &DVector<f64>) -> DMatrix<f64> {
        let (model, n) = (system.model(), self.j.ncols());
        let mut out = DMatrix::zeros(n, n);
        if lambda.iter().all(|x| *x == 0.0) {
            return out;
        }
        let mut of = |x: &DVector<f64>| {
            let b = self.bias(system, &self.q, x.as_slice());
            b.iter().zip(lambda.iter()).map(|(b, l)| b * l).sum::<f64>()
        };
        let single: Vec<f64> = (0..n).map(|k| of(&unit(n, k))).collect();
        let force = self.j.tr_mul(lambda);
        for k in 0..n {
            out[(k, k)] = single[k];
            for i in 0..k {
                let (x, y) = (unit(n, k), unit(n, i));
                let both = 0.5 * (of(&(&x + &y)) - single[k] - single[i]);
                let turn = 0.5 * force.dot(&bracket(&model, x.as_slice(), y.as_slice()));
                (out[(i, k)], out[(k, i)]) = (both + turn, both - turn);
            }
        }
        out
    }
}

fn unit(n: usize, k: usize) -> DVector<f64> {
    let mut x = DVector::zeros(n);
    x[k] = 1.0;
    x
}

/// x × y of attitudes; lines have no bracket.
fn bracket(model: &Model, x: &[f64], y: &[f64]) -> DVector<f64> {
    let mut out = vec![0.0; x.len()];
    for k in model.attitudes() {
        put_triple(&mut out, k, triple(x, k).cross(triple(y, k)));
    }
    DVector::from_vec(out)
}
