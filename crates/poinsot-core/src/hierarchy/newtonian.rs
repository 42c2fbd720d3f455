//! Equation (2) as a constraint on q, q̇, q̈ and λ, with its Jacobians, for spacetime optimisation [WitkinKass88].
//!
//! ```math
//! C_j(q, q̇, q̈, λ) = Σ_i [ tr(∂W_i/∂q_j M_i Ẅ_iᵀ) − m_i g·(∂W_i/∂q_j c_i) ] − Σ_k F_k·(∂W_k/∂q_j x_k) + k (q_j − rest) + d q̇_j − Σ_l λ_l ∂C_l/∂q_j − τ_j
//! ```
//! with i over the primitives. λ is an unknown like q. Along a motion all C_j are 0.

use super::{AffineDynamics, AffineError, Condition, Hierarchy, PointForce};
use crate::algebra::{Dual, Real, V3};
use nalgebra::DMatrix;

/// Directions differentiated at once.
const WIDTH: usize = 8;

/// The derivatives of the residual: row j is C_j. Those with respect to q are along the degrees of freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobians {
    /// ∂C/∂q.
    pub q: DMatrix<f64>,
    /// ∂C/∂q̇.
    pub v: DMatrix<f64>,
    /// ∂C/∂q̈: the mass matrix.
    pub a: DMatrix<f64>,
    /// ∂C/∂λ = −Jᵀ.
    pub lambda: DMatrix<f64>,
}

/// Where the residual is evaluated.
struct At<'a> {
    lambda: &'a [f64],
    forces: &'a [PointForce],
}

impl AffineDynamics {
    /// C_j(q, q̇, q̈, λ), by the recursions (3) to (5).
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, hierarchy::*, model::{BodyId, Shape}, spatial::Pose};
    /// let mut b = AffineBuilder::new();
    /// let drop = b.node(BodyId::WORLD, "drop", Affine::identity(), &[NodeMotion::Affine])?;
    /// b.solid(drop, &Shape::Sphere { radius: 0.1 }, 1.0, Pose::IDENTITY)?;
    /// b.constraint(Condition::Volume { node: drop, factor: 1.0 })?;
    /// let mut motion = AffineDynamics::new(b.build());
    /// let (q, v) = (motion.model().rest(), vec![0.0; 12]);
    /// let (mut a, mut c) = (vec![0.0; 12], vec![0.0; 12]);
    /// motion.forward_dynamics(&q, &v, &[0.0; 12], &[], &mut a)?;
    /// let lambda = motion.multipliers().to_vec();
    /// motion.residual(&q, &v, &a, &lambda, &[0.0; 12], &[], &mut c)?;
    /// assert!(c.iter().all(|c| c.abs() < 1e-12));
    /// # Ok::<(), AffineError>(())
    /// ```
    #[allow(clippy::too_many_arguments)] // q, q̇, q̈, λ and τ are the arguments of C_j
    pub fn residual(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        lambda: &[f64],
        tau: &[f64],
        forces: &[PointForce],
        out: &mut [f64],
    ) -> Result<(), AffineError> {
        self.check_all(q, v, a, lambda, tau, out.len())?;
        let mut spring = vec![0.0; v.len()];
        self.add_springs(q, v, &mut spring)?;
        self.inverse_dynamics(q, v, a, forces, out)?;
        self.evaluate_rows(q, v);
        for (j, c) in out.iter_mut().enumerate() {
            let pull: f64 = (0..lambda.len()).map(|l| lambda[l] * self.rows.jacobian[l * v.len() + j]).sum();
            *c -= spring[j] + pull + tau[j];
        }
        Ok(())
    }

    /// The inertia and weight of C_j as the sum over all primitives, by definition: O(n²), to check the recursions.
    pub fn sum_over_primitives(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        out: &mut [f64],
    ) -> Result<(), AffineError> {
        self.inverse_dynamics(q, v, a, &[], out)?; // W, Ẅ and ∂W_j/∂q_j of all nodes
        out.fill(0.0);
        let (model, h) = (&self.model, &self.hierarchy);
        for p in &model.primitives {
            let link = model.nodes[p.node.index()].link;
            let tensor = super::affine::Tensor::lift(&p.tensor);
            // M Ẅᵀ and (m c; m), carried up: ∂W_i/∂q_j = ∂W_j/∂q_j W_i^j
            let mut force = tensor.times_transposed(h.moved[link].acceleration);
            let weight = super::affine::Matrix4x3::outer(p.tensor.first_moment, p.tensor.mass, model.gravity);
            force = force.minus(weight);
            let mut node = link;
            while node != 0 {
                h.dofs(node).for_each(|j| out[j] += force.trace_with(h.along[j]));
                force = force.carried(h.moved[node].local);
                node = h.nodes[node].parent;
            }
        }
        Ok(())
    }

    /// The derivatives of the residual, exact to round-off, by dual numbers. Forces at points keep their direction in the world.
    #[allow(clippy::too_many_arguments)] // as for the residual
    pub fn jacobians(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        lambda: &[f64],
        forces: &[PointForce],
    ) -> Result<Jacobians, AffineError> {
        self.check_all(q, v, a, lambda, v, v.len())?;
        if let Some(f) = forces.iter().find(|f| f.body.index() >= self.model.nodes.len()) {
            return Err(self.model.missing(f.body));
        }
        let n = v.len();
        let at = At { lambda, forces };
        let mut h: Hierarchy<Dual<WIDTH>> = self.model.hierarchy();
        let mut by_q = DMatrix::zeros(n, n);
        let mut by_v = DMatrix::zeros(n, n);
        let lift = |x: &[f64]| x.iter().map(|x| Dual::from_f64(*x)).collect::<Vec<Dual<WIDTH>>>();
        for start in (0..n).step_by(WIDTH) {
            let end = n.min(start + WIDTH);
            let mut moved = lift(q);
            for k in start..end {
                let (mut unit, mut rate) = (vec![0.0; n], vec![0.0; q.len()]);
                unit[k] = 1.0;
                self.model.rates(q, &unit, &mut rate);
                moved.iter_mut().zip(&rate).for_each(|(m, r)| m.eps[k - start] = *r);
            }
            let c = self.dual_residual(&mut h, &at, &moved, &lift(v), &lift(a));
            (0..n).for_each(|j| (start..end).for_each(|k| by_q[(j, k)] = c[j].eps[k - start]));
            let mut faster = lift(v);
            (start..end).for_each(|k| faster[k].eps[k - start] = 1.0);
            let c = self.dual_residual(&mut h, &at, &lift(q), &faster, &lift(a));
            (0..n).for_each(|j| (start..end).for_each(|k| by_v[(j, k)] = c[j].eps[k - start]));
        }
        let by_a = self.mass_matrix(q)?;
        (1..self.model.links.len()).for_each(|i| self.hierarchy.move_node(i, q, v, None));
        self.evaluate_rows(q, v);
        let by_lambda = DMatrix::from_fn(n, lambda.len(), |j, l| -self.rows.jacobian[l * n + j]);
        Ok(Jacobians { q: by_q, v: by_v, a: by_a, lambda: by_lambda })
    }

    /// The residual on dual numbers, without τ.
    fn dual_residual(
        &self,
        h: &mut Hierarchy<Dual<WIDTH>>,
        at: &At,
        q: &[Dual<WIDTH>],
        v: &[Dual<WIDTH>],
        a: &[Dual<WIDTH>],
    ) -> Vec<Dual<WIDTH>> {
        let mut out = vec![Dual::default(); v.len()];
        h.inverse_dynamics(q, v, a, at.forces, &mut out);
        for s in self.model.springs() {
            let (k, d) = (Dual::from_f64(s.stiffness), Dual::from_f64(s.damping));
            out[s.dof] += k * (q[s.coordinate] - Dual::from_f64(s.rest)) + d * v[s.dof];
        }
        let mut row = 0;
        for condition in self.model.conditions() {
            for component in 0..condition.rows() {
                let lambda = Dual::from_f64(at.lambda[row]);
                if let Condition::Coupling { terms, .. } = condition {
                    terms.iter().for_each(|(dof, factor)| out[*dof] -= lambda * Dual::from_f64(*factor));
                } else {
                    for (link, wrench) in condition.wrenches(&self.model, component, |l| h.moved[l].world) {
                        let (mut carried, mut node) = (wrench, link);
                        while node != 0 {
                            h.dofs(node).for_each(|k| out[k] -= lambda * carried.trace_with(h.along[k]));
                            carried = carried.carried(h.moved[node].local);
                            node = h.nodes[node].parent;
                        }
                    }
                }
                row += 1;
            }
        }
        out
    }

    fn check_all(
        &self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        lambda: &[f64],
        tau: &[f64],
        out: usize,
    ) -> Result<(), AffineError> {
        self.check(q, &[("v", v.len()), ("a", a.len()), ("tau", tau.len()), ("the residual", out)])?;
        let (expected, found) = (self.rows.value.len(), lambda.len());
        if expected == found { Ok(()) } else { Err(AffineError::Length { what: "lambda", expected, found }) }
    }
}

impl super::AffineModel {
    /// The derivatives of the coordinates at the rates v.
    pub(super) fn rates<T: Real>(&self, q: &[T], v: &[T], out: &mut [T]) {
        for link in &self.links {
            let (nq, nv) = (link.motion.nq(), link.motion.nv());
            let (q, v) = (&q[link.q..link.q + nq], &v[link.v..link.v + nv]);
            link.motion.rates(q, v, &mut out[link.q..link.q + nq]);
        }
    }

    /// The centre of mass of all primitives for these transforms of the nodes.
    pub fn centre_of_mass(&self, transforms: &[super::Affine]) -> V3 {
        let (mut moment, mut mass) = (V3::ZERO, 0.0);
        for p in &self.primitives {
            let w = transforms[p.node.index()];
            moment += w.linear.mul_add(p.tensor.first_moment, w.shift * p.tensor.mass);
            mass += p.tensor.mass;
        }
        if mass > 0.0 { moment * (1.0 / mass) } else { V3::ZERO }
    }
}
