//! Derivatives in the peer's coordinates: the chain rule through the conversions of coordinates, on dual numbers.

use poinsot_core::algebra::{Dual, Real};
use poinsot_core::dynamics::{SquareView, pinocchio};
use poinsot_core::model::{JointKind, Model};
use poinsot_core::spatial::Quat;

type D = Dual<1>;

fn lift(x: &[f64]) -> Vec<D> {
    x.iter().map(|x| D::from_f64(*x)).collect()
}

/// q + ε along the velocity `v`.
fn along(model: &Model, q: &[f64], v: &[f64]) -> Vec<D> {
    let mut out = lift(q);
    for joint in model.joints() {
        let (at, k) = (joint.coordinates().start, joint.dofs().start);
        let lines = match joint.kind {
            JointKind::Spherical => 0,
            JointKind::Free => 3,
            other => other.nv(),
        };
        (0..lines).for_each(|c| out[at + c].eps[0] = v[k + c]);
        if joint.coordinates().len() > lines {
            let (at, k) = (at + lines, k + lines);
            let here = Quat { w: q[at], x: q[at + 1], y: q[at + 2], z: q[at + 3] };
            let rate = here * Quat { w: 0.0, x: 0.5 * v[k], y: 0.5 * v[k + 1], z: 0.5 * v[k + 2] };
            rate.array().into_iter().enumerate().for_each(|(c, x)| out[at + c].eps[0] = x);
        }
    }
    out
}

/// What the derivatives of τ by (q, v, a), or of a by (q, v, τ), are in the peer's coordinates, row by row.
pub struct Case<'a> {
    pub model: &'a Model,
    /// q, v, the third argument and the result, in our coordinates.
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub x: &'a [f64],
    pub y: &'a [f64],
    /// True when the third argument is a force and the result an acceleration.
    pub forward: bool,
    pub by: [SquareView<'a>; 3],
}

impl Case<'_> {
    pub fn for_peer(&self) -> Vec<f64> {
        let (m, n) = (self.model, self.model.nv());
        let (mut v_p, mut x_p) = (self.v.to_vec(), self.x.to_vec());
        pinocchio::velocity_to(m, self.q, &mut v_p);
        if self.forward {
            pinocchio::force_to(m, self.q, &mut x_p);
        } else {
            pinocchio::acceleration_to(m, self.q, self.v, &mut x_p);
        }
        let mut out = vec![0.0; 3 * n * n];
        for part in 0..3 {
            for k in 0..n {
                let mut unit = vec![0.0; n];
                unit[k] = 1.0;
                let column = self.column(part, &unit, &v_p, &x_p);
                (0..n).for_each(|row| out[(part * n + row) * n + k] = column[row]);
            }
        }
        out
    }

    /// The derivative of the result along one direction of one of the peer's arguments.
    fn column(&self, part: usize, unit: &[f64], v_p: &[f64], x_p: &[f64]) -> Vec<f64> {
        let (m, n) = (self.model, self.model.nv());
        let moved = |x: &[f64], which: usize| -> Vec<D> {
            let eps = |e: f64| if part == which { e } else { 0.0 };
            x.iter().zip(unit).map(|(x, e)| D { re: *x, eps: [eps(*e)] }).collect()
        };
        let mut dq = if part == 0 { unit.to_vec() } else { vec![0.0; n] };
        pinocchio::velocity_from(m, self.q, &mut dq);
        let q = along(m, self.q, &dq);
        let (mut v, mut x) = (moved(v_p, 1), moved(x_p, 2));
        pinocchio::velocity_from(m, &q, &mut v);
        if self.forward {
            pinocchio::force_from(m, &q, &mut x);
        } else {
            pinocchio::acceleration_from(m, &q, &v, &mut x);
        }
        let entry = |row: usize| -> f64 {
            let [by_q, by_v, by_x] = &self.by;
            let term = |k: usize| {
                by_q[(row, k)] * dq[k] + by_v[(row, k)] * v[k].eps[0] + by_x[(row, k)] * x[k].eps[0]
            };
            (0..n).map(term).sum()
        };
        let mut y: Vec<D> = (0..n).map(|row| D { re: self.y[row], eps: [entry(row)] }).collect();
        if self.forward {
            pinocchio::acceleration_to(m, &q, &v, &mut y);
        } else {
            pinocchio::force_to(m, &q, &mut y);
        }
        y.iter().map(|y| y.eps[0]).collect()
    }
}
