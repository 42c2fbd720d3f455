//! A hierarchy of stretching nodes as a system: forces along its degrees of freedom are controls, and points may be in contact with the
//! ground.

use super::points::{Points, Seen};
use super::{Evaluation, Moment, Names, System};
use crate::error::OptimizeError;
use poinsot::algebra::{Dual, Real, V3};
use poinsot::hierarchy::AffineModel;
use poinsot::model::BodyId;

/// Nodes that rotate, translate, scale, stretch and shear, with controls, points and feet.
#[derive(Clone, Debug)]
pub struct AffineSystem {
    model: AffineModel,
    names: Vec<String>,
    actuated: Vec<usize>,
    points: Points,
}

impl AffineSystem {
    /// Creates a system from a hierarchy with names of its coordinates, forces at these degrees of freedom, and points.
    ///
    /// # Errors
    /// If nodes rotate by quaternions, or have constraints.
    pub fn new(
        model: AffineModel,
        names: Vec<String>,
        actuated: Vec<usize>,
        points: Points,
    ) -> Result<AffineSystem, OptimizeError> {
        let what = if !model.has_coordinate_rates() {
            Some("motions \"ball\" or \"free\"")
        } else if !model.conditions().is_empty() {
            Some("constraints between nodes")
        } else {
            None
        };
        match what {
            Some(what) => Err(OptimizeError::Model { model: "of nodes".into(), what }),
            None => Ok(AffineSystem { model, names, actuated, points }),
        }
    }

    /// The hierarchy.
    pub fn model(&self) -> &AffineModel {
        &self.model
    }

    /// Points and their first and second derivatives, for coordinates moving with v and a.
    fn see<T: Real>(&self, at: &Moment<T>) -> Vec<Seen<T>> {
        let places: Vec<(BodyId, V3)> = self.points.points.iter().map(|p| (p.body, p.at)).collect();
        let moving = |k: usize| Dual {
            re: Dual { re: at.q[k], eps: [at.v[k]] },
            eps: [Dual { re: at.v[k], eps: [at.a[k]] }],
        };
        let q: Vec<Dual<1, Dual<1, T>>> = (0..at.q.len()).map(moving).collect();
        let parts = |p: V3<Dual<1, Dual<1, T>>>| {
            let of = |pick: fn(Dual<1, Dual<1, T>>) -> T| V3::new(pick(p.x), pick(p.y), pick(p.z));
            [of(|x| x.re.re), of(|x| x.re.eps[0]), of(|x| x.eps[0].eps[0])]
        };
        let moved = self.model.places(&places, &q).into_iter();
        let mut seen: Vec<Seen<T>> = moved.map(|p| Seen { motion: parts(p), columns: Vec::new() }).collect();
        for k in 0..at.v.len() {
            let mut along: Vec<Dual<1, T>> = at.q.iter().map(|q| Dual { re: *q, eps: [T::zero()] }).collect();
            along[k].eps = [T::one()];
            for (seen, p) in seen.iter_mut().zip(self.model.places(&places, &along)) {
                seen.columns.push((k, V3::new(p.x.eps[0], p.y.eps[0], p.z.eps[0])));
            }
        }
        seen
    }

    fn centre<T: Real>(&self, at: &Moment<T>) -> [V3<T>; 2] {
        let q: Vec<Dual<1, T>> = at.q.iter().zip(at.v).map(|(q, v)| Dual { re: *q, eps: [*v] }).collect();
        let c = self.model.centre(&q);
        [V3::new(c.x.re, c.y.re, c.z.re), V3::new(c.x.eps[0], c.y.eps[0], c.z.eps[0])]
    }
}

impl System for AffineSystem {
    fn names(&self) -> Names {
        let u = self.actuated.iter().map(|k| self.names[*k].clone()).collect();
        let (q, v) = (self.names.clone(), self.names.clone());
        Names { q, v, u, f: self.points.forces(), outputs: self.points.outputs() }
    }

    fn neutral(&self) -> Vec<f64> {
        self.model.rest()
    }

    fn evaluate<T: Real>(&self, at: Moment<T>, mut out: Evaluation<T>) {
        out.rate.copy_from_slice(at.v);
        self.model.hierarchy().inverse_dynamics(at.q, at.v, at.a, &[], out.balance);
        for s in self.model.springs() {
            let stretch = at.q[s.dof] - T::from_f64(s.rest);
            out.balance[s.dof] += T::from_f64(s.stiffness) * stretch + T::from_f64(s.damping) * at.v[s.dof];
        }
        for (k, u) in self.actuated.iter().zip(at.u) {
            out.balance[*k] -= *u;
        }
        self.points.touch(self.centre(&at), &self.see(&at), &at, &mut out);
    }
}
