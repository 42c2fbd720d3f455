//! Values, first and second derivatives of the equations of a system: the one place that knows how they are made.

use super::{Given, Moment, Names, System};
use crate::number::Pair;
use poinsot::algebra::{Dual, Real};

/// Directions at once.
const WIDE: usize = 8;

/// The equations of a system as functions of z = (q, v, a, u, f), with values (q̇, balance, outputs).
pub trait Equations {
    /// What there is.
    fn names(&self) -> &Names;
    /// Coordinates where nobody says others.
    fn neutral(&self) -> Vec<f64>;
    /// The values at z.
    fn values(&self, z: &[f64], out: &mut [f64]);
    /// The values, and their derivatives row by row.
    fn jacobian(&self, z: &[f64], out: &mut [f64], jacobian: &mut [f64]);
    /// The second derivatives of `weights · values`, row by row; both halves.
    fn hessian(&self, z: &[f64], weights: &[f64], hessian: &mut [f64]);
}

/// A system with derivatives by dual numbers.
#[derive(Clone, Debug)]
pub struct ByDuals<S> {
    system: S,
    names: Names,
}

impl<S: System> ByDuals<S> {
    /// The equations of this system.
    pub fn new(system: S) -> ByDuals<S> {
        let names = system.names();
        ByDuals { system, names }
    }
}

impl<S: System> Equations for ByDuals<S> {
    fn names(&self) -> &Names {
        &self.names
    }

    fn neutral(&self) -> Vec<f64> {
        self.system.neutral()
    }

    fn values(&self, z: &[f64], out: &mut [f64]) {
        evaluate(&self.system, &self.names, z, &mut self.system.scratch(), out);
    }

    fn jacobian(&self, z: &[f64], out: &mut [f64], jacobian: &mut [f64]) {
        let (names, mut scratch) = (&self.names, self.system.scratch::<Dual<WIDE>>());
        let (n, mut at) = (z.len(), vec![Dual::default(); z.len()]);
        let mut values = vec![Dual::default(); out.len()];
        for first in (0..n.max(1)).step_by(WIDE) {
            seed(z, first, &mut at);
            evaluate(&self.system, names, &at, &mut scratch, &mut values);
            for (row, value) in values.iter().enumerate() {
                out[row] = value.re;
                for (k, slope) in value.eps.iter().enumerate().take(n - first.min(n)) {
                    jacobian[row * n + first + k] = *slope;
                }
            }
        }
    }

    fn hessian(&self, z: &[f64], weights: &[f64], hessian: &mut [f64]) {
        let (names, mut scratch) = (&self.names, self.system.scratch::<Pair<Dual<WIDE>>>());
        let (n, mut inner) = (z.len(), vec![Dual::default(); z.len()]);
        let mut values = vec![Pair::default(); weights.len()];
        for first in (0..n).step_by(WIDE) {
            seed(z, first, &mut inner);
            let mut at: Vec<Pair<Dual<WIDE>>> =
                inner.iter().map(|re| Pair { re: *re, eps: Dual::default() }).collect();
            for row in 0..n.min(first + WIDE) {
                at[row].eps = Dual::from_f64(1.0);
                evaluate(&self.system, names, &at, &mut scratch, &mut values);
                at[row].eps = Dual::default();
                for k in 0..WIDE.min(n - first) {
                    let curved = |(w, v): (&f64, &Pair<Dual<WIDE>>)| w * v.eps.eps[k];
                    let second = weights.iter().zip(&values).map(curved).sum();
                    hessian[row * n + first + k] = second;
                    hessian[(first + k) * n + row] = second;
                }
            }
        }
    }
}

/// The k-th of the numbers from `first` on is the k-th variable.
fn seed(z: &[f64], first: usize, out: &mut [Dual<WIDE>]) {
    for (k, (z, d)) in z.iter().zip(out).enumerate() {
        *d = if (first..first + WIDE).contains(&k) {
            Dual::variable(*z, k - first)
        } else {
            Dual::from_f64(*z)
        };
    }
}

fn evaluate<S: System, T: Real>(
    system: &S,
    names: &Names,
    z: &[T],
    scratch: &mut S::Scratch<T>,
    out: &mut [T],
) {
    let (q, z) = z.split_at(names.q.len());
    let (v, z) = z.split_at(names.v.len());
    let (a, z) = z.split_at(names.v.len());
    let (u, f) = z.split_at(names.u.len());
    let (rate, out) = out.split_at_mut(names.q.len());
    let (balance, outputs) = out.split_at_mut(names.v.len());
    system.evaluate(Moment { q, v, a, u, f }, scratch, Given { rate, balance, outputs });
}
