//! First and second derivatives of the energies by dual numbers.
//!
//! All required derivatives are along lines through (q, q̇) that move coordinate k with weight w_q and velocity k with weight w_v at once:
//! (1, 0) is ∂/∂q_k, (0, 1) is ∂/∂q̇_k, and (1 − α, −1/h) is ∂/∂q⁰_k of the discrete Lagrangian.
#![allow(clippy::needless_range_loop)] // indices as in the formulas, of several arrays at once

use super::Lagrangian;
use crate::algebra::{Analytic, Dual, Real};

/// Directions differentiated at once.
const WIDTH: usize = 4;
type First = Dual<WIDTH>;
type Second = Dual<WIDTH, Dual<1>>;
type Twice = Dual<1, Dual<1>>;

/// The function to differentiate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Kinetic,
    Potential,
    Lagrangian,
}

impl Part {
    pub fn of<T: Analytic, L: Lagrangian>(self, energies: &L, q: &[T], v: &[T]) -> T {
        match self {
            Part::Kinetic => energies.kinetic(q, v),
            Part::Potential => energies.potential(q),
            Part::Lagrangian => energies.kinetic(q, v) - energies.potential(q),
        }
    }
}

/// Weights (w_q, w_v) of a line.
pub(super) type Line = (f64, f64);
pub(super) const ALONG_Q: Line = (1.0, 0.0);
pub(super) const ALONG_V: Line = (0.0, 1.0);

/// Scratch for dual coordinates and velocities.
#[derive(Clone, Debug)]
pub(super) struct Derivatives {
    first: (Vec<First>, Vec<First>),
    second: (Vec<Second>, Vec<Second>),
    twice: Vec<Twice>,
    c_first: Vec<First>,
    c_twice: Vec<Twice>,
}

impl Derivatives {
    pub fn new(coordinates: usize, constraints: usize) -> Self {
        let n = coordinates;
        Derivatives {
            first: (vec![First::default(); n], vec![First::default(); n]),
            second: (vec![Second::default(); n], vec![Second::default(); n]),
            twice: vec![Twice::default(); n],
            c_first: vec![First::default(); constraints],
            c_twice: vec![Twice::default(); constraints],
        }
    }

    /// The derivative along the line of each coordinate.
    pub fn gradient<L: Lagrangian>(
        &mut self,
        energies: &L,
        part: Part,
        (q, v): (&[f64], &[f64]),
        line: Line,
        out: &mut [f64],
    ) {
        let (dq, dv) = &mut self.first;
        for start in (0..q.len()).step_by(WIDTH) {
            for i in 0..q.len() {
                (dq[i], dv[i]) = (First::from_f64(q[i]), First::from_f64(v[i]));
            }
            let end = q.len().min(start + WIDTH);
            for i in start..end {
                (dq[i].eps[i - start], dv[i].eps[i - start]) = line;
            }
            let value = part.of(energies, dq, dv);
            out[start..end].copy_from_slice(&value.eps[..end - start]);
        }
    }

    /// The n × n second derivatives, row i along `rows` and column k along `columns`.
    pub fn hessian<L: Lagrangian>(
        &mut self,
        energies: &L,
        part: Part,
        at: (&[f64], &[f64]),
        (rows, columns): (Line, Line),
        mut put: impl FnMut(usize, usize, f64),
    ) {
        let n = at.0.len();
        for row in 0..n {
            for start in (0..n).step_by(WIDTH) {
                self.begin_second(at);
                let (dq, dv) = &mut self.second;
                (dq[row].re.eps[0], dv[row].re.eps[0]) = rows;
                let end = n.min(start + WIDTH);
                for k in start..end {
                    (dq[k].eps[k - start].re, dv[k].eps[k - start].re) = columns;
                }
                let value = part.of(energies, dq, dv);
                for k in start..end {
                    put(row, k, value.eps[k - start].eps[0]);
                }
            }
        }
    }

    /// The rate of the derivatives along `rows` as (q, q̇) moves with the rates (q̇, 0): `∂²L/∂q̇∂q q̇` for rows along q̇.
    pub fn drift<L: Lagrangian>(
        &mut self,
        energies: &L,
        part: Part,
        at: (&[f64], &[f64]),
        rows: Line,
        out: &mut [f64],
    ) {
        let n = at.0.len();
        for start in (0..n).step_by(WIDTH) {
            self.begin_second(at);
            let (dq, dv) = &mut self.second;
            for (dq, v) in dq.iter_mut().zip(at.1) {
                dq.re.eps[0] = *v;
            }
            let end = n.min(start + WIDTH);
            for k in start..end {
                (dq[k].eps[k - start].re, dv[k].eps[k - start].re) = rows;
            }
            let value = part.of(energies, dq, dv);
            out[start..end].iter_mut().zip(&value.eps).for_each(|(out, e)| *out = e.eps[0]);
        }
    }

    fn begin_second(&mut self, (q, v): (&[f64], &[f64])) {
        let (dq, dv) = &mut self.second;
        for i in 0..q.len() {
            (dq[i], dv[i]) = (Second::from_f64(q[i]), Second::from_f64(v[i]));
        }
    }

    /// J = ∂C/∂q.
    pub fn jacobian<L: Lagrangian>(
        &mut self,
        energies: &L,
        q: &[f64],
        mut put: impl FnMut(usize, usize, f64),
    ) {
        let dq = &mut self.first.0;
        for start in (0..q.len()).step_by(WIDTH) {
            for i in 0..q.len() {
                dq[i] = First::from_f64(q[i]);
            }
            let end = q.len().min(start + WIDTH);
            dq[start..end].iter_mut().enumerate().for_each(|(k, x)| x.eps[k] = 1.0);
            self.c_first.fill(First::zero());
            energies.constrain(dq, &mut self.c_first);
            for (row, c) in self.c_first.iter().enumerate() {
                (start..end).for_each(|k| put(row, k, c.eps[k - start]));
            }
        }
    }

    /// J̇ q̇: the second derivative of C along the velocity.
    pub fn curvature<L: Lagrangian>(&mut self, energies: &L, (q, v): (&[f64], &[f64]), out: &mut [f64]) {
        for (t, (q, v)) in self.twice.iter_mut().zip(q.iter().zip(v)) {
            *t = Dual { re: Dual { re: *q, eps: [*v] }, eps: [Dual::from_f64(*v)] };
        }
        self.c_twice.fill(Twice::zero());
        energies.constrain(&self.twice, &mut self.c_twice);
        out.iter_mut().zip(&self.c_twice).for_each(|(out, c)| *out = c.eps[0].eps[0]);
    }
}
