//! The energies and constraints of a hierarchy as functions on any number type, for [`crate::lagrange`] to differentiate.

use super::{Affine, AffineModel, Condition, Hierarchy};
use crate::algebra::{Real, V3};
use crate::model::BodyId;

impl AffineModel {
    /// ½ Σ tr(Ẇ M Ẇᵀ).
    ///
    /// # Panics
    /// If a slice does not fit the model; also for the methods below.
    pub fn kinetic<T: Real>(&self, q: &[T], v: &[T]) -> T {
        self.hierarchy().kinetic_energy(q, v)
    }

    /// The energy of gravity and of springs.
    pub fn potential<T: Real>(&self, q: &[T]) -> T {
        let transforms = self.world(q);
        let mut energy = T::zero();
        let gravity = self.gravity.lift();
        for (link, w) in self.links.iter().zip(&transforms) {
            let mass = T::from_f64(link.mass.mass);
            energy -= gravity.dot(w.linear.mul_add(link.mass.first_moment.lift(), w.shift * mass));
        }
        for s in &self.springs {
            let stretch = q[s.coordinate] - T::from_f64(s.rest);
            energy += T::from_f64(0.5 * s.stiffness) * stretch * stretch;
        }
        energy
    }

    /// C of every row.
    pub fn constraint_values<T: Real>(&self, q: &[T], c: &mut [T]) {
        let transforms = self.world(q);
        let rows = self.conditions.iter().flat_map(|c| (0..c.rows()).map(move |row| (c, row)));
        for ((condition, row), c) in rows.zip(c) {
            *c = match condition {
                Condition::Coupling { terms, offset } => {
                    let value = |dof: usize| self.coordinate(dof).map_or(T::zero(), |k| q[k]);
                    let sum = |sum: T, (dof, factor): &(usize, f64)| sum + T::from_f64(*factor) * value(*dof);
                    terms.iter().fold(T::from_f64(-offset), sum)
                }
                other => other.row_value(self, row, &transforms),
            };
        }
    }

    /// The positions of points fixed to nodes, each at its own point x of the node.
    pub fn places<T: Real>(&self, points: &[(BodyId, V3)], q: &[T]) -> Vec<V3<T>> {
        let transforms = self.world(q);
        points.iter().map(|(node, x)| transforms[self.nodes[node.index()].link].point(x.lift())).collect()
    }

    /// The centre of mass.
    pub fn centre<T: Real>(&self, q: &[T]) -> V3<T> {
        let mass: f64 = self.links.iter().map(|link| link.mass.mass).sum();
        let mut sum = V3::zero();
        for (link, w) in self.links.iter().zip(self.world(q)).filter(|_| mass > 0.0) {
            let (own, moment) = (T::from_f64(link.mass.mass / mass), link.mass.first_moment * (1.0 / mass));
            sum += w.linear.mul_add(moment.lift(), w.shift * own);
        }
        sum
    }

    /// W of every link.
    fn world<T: Real>(&self, q: &[T]) -> Vec<Affine<T>> {
        let mut h: Hierarchy<T> = self.hierarchy();
        let still = vec![T::zero(); self.nv];
        (1..self.links.len()).for_each(|i| h.move_node(i, q, &still, None));
        h.moved.iter().map(|m| m.world).collect()
    }
}
