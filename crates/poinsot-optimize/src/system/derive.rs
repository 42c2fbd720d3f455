//! Values, first and second derivatives of the equations of a system; the only module that knows how they are computed.

use super::{Evaluation, Moment, Names, System};
use crate::tape::Tape;
use poinsot::algebra::Real;

/// The equations of a system as functions of z = (q, v, a, u, f), with values (q̇, balance, outputs).
pub trait Equations {
    /// The names of all quantities.
    fn names(&self) -> &Names;
    /// The default coordinates.
    fn neutral(&self) -> Vec<f64>;
    /// Evaluates the values at z.
    fn values(&self, z: &[f64], out: &mut [f64]);
    /// Evaluates the values, and their derivatives row by row.
    fn jacobian(&self, z: &[f64], out: &mut [f64], jacobian: &mut [f64]);
    /// Evaluates the second derivatives of `weights · values`, row by row; both halves.
    fn hessian(&self, z: &[f64], weights: &[f64], hessian: &mut [f64]);
}

/// The equations of a system, recorded on a tape.
#[derive(Clone, Debug)]
pub struct Taped {
    names: Names,
    neutral: Vec<f64>,
    tape: Tape,
}

impl Taped {
    /// Records the equations of this system.
    pub fn new(system: &impl System) -> Taped {
        let names = system.names();
        let (nq, nv) = (names.q.len(), names.v.len());
        let (variables, results) =
            (nq + 2 * nv + names.u.len() + names.f.len(), nq + nv + names.outputs.len());
        let tape = Tape::of(variables, |z| {
            let mut out = vec![Real::zero(); results];
            evaluate(system, &names, z, &mut out);
            out
        });
        Taped { neutral: system.neutral(), names, tape }
    }
}

impl Equations for Taped {
    fn names(&self) -> &Names {
        &self.names
    }
    fn neutral(&self) -> Vec<f64> {
        self.neutral.clone()
    }
    fn values(&self, z: &[f64], out: &mut [f64]) {
        self.tape.values(z, out);
    }
    fn jacobian(&self, z: &[f64], out: &mut [f64], jacobian: &mut [f64]) {
        self.tape.jacobian(z, out, jacobian);
    }
    fn hessian(&self, z: &[f64], weights: &[f64], hessian: &mut [f64]) {
        self.tape.hessian(z, weights, hessian);
    }
}

fn evaluate<T: Real>(system: &impl System, names: &Names, z: &[T], out: &mut [T]) {
    let (q, z) = z.split_at(names.q.len());
    let (v, z) = z.split_at(names.v.len());
    let (a, z) = z.split_at(names.v.len());
    let (u, f) = z.split_at(names.u.len());
    let (rate, out) = out.split_at_mut(names.q.len());
    let (balance, outputs) = out.split_at_mut(names.v.len());
    system.evaluate(Moment { q, v, a, u, f }, Evaluation { rate, balance, outputs });
}
