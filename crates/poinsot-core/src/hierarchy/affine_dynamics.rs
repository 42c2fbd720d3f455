//! The mechanics of an [`AffineModel`]: energies, momenta, inverse and forward dynamics, multipliers.
//!
//! ```math
//! M a + c + g = τ − k (q − rest) − d v + Jᵀ λ          J a + J̇ v = 0
//! ```
//! Forward dynamics without constraints takes one pass of [`super::articulated`]; with constraints, one more solve for each row gives
//! `(J M⁻¹ Jᵀ) λ = −C̈` of the unconstrained motion, with least norm if rows depend on each other.

use super::affine::Tensor;
use super::articulated::Articulated;
use super::conditions::{Condition, Row};
use super::stepping::StepScratch;
use super::{Affine, AffineError, AffineModel, Hierarchy, PointForce};
use crate::algebra::{M3, Real, Semidefinite, V3};
use crate::spatial::Pose;
use nalgebra::DMatrix;

/// Pivots of `J M⁻¹ Jᵀ` and of M, scaled to unit diagonal, that count as 0: the row or degree of freedom depends on others.
const DEPENDENT: f64 = 1e-12;

/// Evaluates and steps an [`AffineModel`].
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::*, model::{BodyId, Shape}, spatial::Pose};
/// let mut b = AffineBuilder::new();
/// let arm = b.node(BodyId::WORLD, "arm", Affine::identity(), &[
///     NodeMotion::Turn { axis: V3::Y },
///     NodeMotion::Stretch { axis: V3::X },
/// ])?;
/// b.solid(arm, &Shape::Box { size: V3::new(1.0, 0.1, 0.1) }, 2.0, Pose { pos: V3::X * 0.5, ..Pose::IDENTITY })?;
/// b.spring(b.dof(arm, 1)?, 300.0, 0.0, 1.0)?;
/// let mut arm = AffineDynamics::new(b.build());
/// let (q, v, mut a, mut tau) = ([0.3, 1.1], [2.0, -0.5], [0.0; 2], [0.0; 2]);
/// arm.forward_dynamics(&q, &v, &[0.0; 2], &[], &mut a)?;
/// arm.inverse_dynamics(&q, &v, &a, &[], &mut tau)?;
/// // what the joints delivered is what the spring gave
/// assert!(tau[0].abs() < 1e-12 && (tau[1] + 300.0 * 0.1).abs() < 1e-11);
/// # Ok::<(), AffineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AffineDynamics {
    pub(super) model: AffineModel,
    pub(super) hierarchy: Hierarchy,
    articulated: Articulated,
    /// τ with springs.
    driven: Vec<f64>,
    pub(super) rows: Rows,
    pub(super) step_scratch: StepScratch,
    /// A correction of a projection, along the degrees of freedom and of the coordinates.
    pub(super) correction: (Vec<f64>, Vec<f64>),
}

/// The rows of the constraints at a state.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// C and J̇ v.
    pub value: Vec<f64>,
    pub curvature: Vec<f64>,
    /// J, row by row, and M⁻¹ Jᵀ likewise.
    pub jacobian: Vec<f64>,
    response: Vec<f64>,
    /// J M⁻¹ Jᵀ.
    delassus: Vec<f64>,
    factor: Semidefinite,
    floor: Vec<f64>,
    pub lambda: Vec<f64>,
}

impl AffineModel {
    /// The hierarchy of the nodes, over any number type.
    pub fn hierarchy<T: Real>(&self) -> Hierarchy<T> {
        let bodies = self.nodes.iter().map(|n| (n.link, Pose::IDENTITY)).collect();
        Hierarchy::of_nodes(self.gravity, self.links.clone(), bodies, vec![0.0; self.nv], self.nq)
    }
}

impl AffineDynamics {
    /// Scratch for the sweeps of a model.
    pub fn new(model: AffineModel) -> Self {
        let (n, m) = (model.nv, model.rows());
        let mut factor = Semidefinite::default();
        factor.make_room(m);
        let rows = Rows {
            value: vec![0.0; m],
            curvature: vec![0.0; m],
            jacobian: vec![0.0; m * n],
            response: vec![0.0; m * n],
            delassus: vec![0.0; m * m],
            factor,
            floor: vec![0.0; m],
            lambda: vec![0.0; m],
        };
        AffineDynamics {
            hierarchy: model.hierarchy(),
            articulated: Articulated::new(model.links.len(), n),
            driven: vec![0.0; n],
            rows,
            step_scratch: StepScratch::default(),
            correction: (vec![0.0; n], vec![0.0; model.nq]),
            model,
        }
    }

    /// The model.
    pub fn model(&self) -> &AffineModel {
        &self.model
    }
    /// λ of the last forward dynamics, row by row in the order of the constraints.
    pub fn multipliers(&self) -> &[f64] {
        &self.rows.lambda
    }

    pub(super) fn check(&self, q: &[f64], tangent: &[(&'static str, usize)]) -> Result<(), AffineError> {
        let expected = [("q", self.model.nq, q.len())].into_iter();
        let all = expected.chain(tangent.iter().map(|(what, found)| (*what, self.model.nv, *found)));
        match all.into_iter().find(|(_, expected, found)| expected != found) {
            Some((what, expected, found)) => Err(AffineError::Length { what, expected, found }),
            None => Ok(()),
        }
    }

    fn check_forces(&self, forces: &[PointForce]) -> Result<(), AffineError> {
        match forces.iter().find(|f| f.body.index() >= self.model.nodes.len()) {
            Some(f) => Err(self.model.missing(f.body)),
            None => Ok(()),
        }
    }

    /// W of every node, the world first.
    pub fn transforms(&mut self, q: &[f64]) -> Result<Vec<Affine>, AffineError> {
        self.check(q, &[])?;
        let still = vec![0.0; self.model.nv];
        (1..self.model.links.len()).for_each(|i| self.hierarchy.move_node(i, q, &still, None));
        Ok(self.model.nodes.iter().map(|n| self.hierarchy.moved[n.link].world).collect())
    }

    /// ½ Σ tr(Ẇ M Ẇᵀ), equation (1).
    pub fn kinetic_energy(&mut self, q: &[f64], v: &[f64]) -> Result<f64, AffineError> {
        self.check(q, &[("v", v.len())])?;
        Ok(self.hierarchy.kinetic_energy(q, v))
    }

    /// The energy of gravity and of springs.
    pub fn potential_energy(&mut self, q: &[f64]) -> Result<f64, AffineError> {
        let transforms = self.transforms(q)?;
        let mut energy = 0.0;
        for p in &self.model.primitives {
            let w = transforms[p.node.index()];
            let moment = w.linear.mul_add(p.tensor.first_moment, w.shift * p.tensor.mass);
            energy -= self.model.gravity.dot(moment);
        }
        for s in &self.model.springs {
            energy += 0.5 * s.stiffness * (q[s.coordinate] - s.rest).powi(2);
        }
        Ok(energy)
    }

    /// Kinetic and potential energy together.
    pub fn energy(&mut self, q: &[f64], v: &[f64]) -> Result<f64, AffineError> {
        Ok(self.kinetic_energy(q, v)? + self.potential_energy(q)?)
    }

    /// Momentum, and angular momentum about the world's origin: of `∫ x ẋᵀ dm = W M Ẇᵀ`.
    pub fn momentum(&mut self, q: &[f64], v: &[f64]) -> Result<(V3, V3), AffineError> {
        self.check(q, &[("v", v.len())])?;
        let (mut linear, mut angular) = (V3::ZERO, V3::ZERO);
        for i in 1..self.model.links.len() {
            self.hierarchy.move_node(i, q, v, None);
            let (m, moved) = (&self.model.links[i].mass, &self.hierarchy.moved[i]);
            let carried = Tensor::lift(m).times_transposed(moved.rate).carried(moved.world);
            linear += carried.last;
            // Σ (x ẋᵀ)_ij ε_ijk
            angular += antisymmetric(carried.block);
        }
        Ok((linear, angular))
    }

    /// p_j = ∂T/∂v_j in O(n).
    pub fn generalised_momentum(&mut self, q: &[f64], v: &[f64], p: &mut [f64]) -> Result<(), AffineError> {
        self.check(q, &[("v", v.len()), ("p", p.len())])?;
        let h = &mut self.hierarchy;
        for i in 0..h.nodes.len() {
            if i > 0 {
                h.move_node(i, q, v, None);
            }
            h.moved[i].inertial = Tensor::lift(&h.nodes[i].mass).times_transposed(h.moved[i].rate);
        }
        for i in (1..h.nodes.len()).rev() {
            let own = h.moved[i];
            h.dofs(i).for_each(|k| p[k] = own.inertial.trace_with(h.along[k]));
            let above = &mut h.moved[h.nodes[i].parent].inertial;
            *above = above.plus(own.inertial.carried(own.local));
        }
        Ok(())
    }

    /// M(q).
    pub fn mass_matrix(&mut self, q: &[f64]) -> Result<DMatrix<f64>, AffineError> {
        self.check(q, &[])?;
        Ok(self.hierarchy.mass_matrix(q))
    }

    /// τ of equation (2): the forces required in addition to gravity and the forces at points; springs and multipliers are not included.
    pub fn inverse_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        forces: &[PointForce],
        tau: &mut [f64],
    ) -> Result<(), AffineError> {
        self.check(q, &[("v", v.len()), ("a", a.len()), ("tau", tau.len())])?;
        self.check_forces(forces)?;
        self.hierarchy.inverse_dynamics(q, v, a, forces, tau);
        Ok(())
    }

    /// Adds the forces of springs and dampers to `tau`.
    pub fn add_springs(&self, q: &[f64], v: &[f64], tau: &mut [f64]) -> Result<(), AffineError> {
        self.check(q, &[("v", v.len()), ("tau", tau.len())])?;
        for s in &self.model.springs {
            tau[s.dof] -= s.stiffness * (q[s.coordinate] - s.rest) + s.damping * v[s.dof];
        }
        Ok(())
    }

    /// a under τ, springs, forces at points and constraints.
    pub fn forward_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        forces: &[PointForce],
        a: &mut [f64],
    ) -> Result<(), AffineError> {
        self.check(q, &[("v", v.len()), ("tau", tau.len()), ("a", a.len())])?;
        self.check_forces(forces)?;
        let mut driven = std::mem::take(&mut self.driven);
        driven.copy_from_slice(tau);
        let sprung = self.add_springs(q, v, &mut driven);
        self.articulated.forward_dynamics(&mut self.hierarchy, (q, v), &driven, forces, a);
        self.driven = driven;
        sprung?;
        self.check_pivots()?;
        if !self.rows.value.is_empty() {
            self.evaluate_rows(q, v);
            self.respond();
            for row in 0..self.rows.value.len() {
                self.rows.lambda[row] = -self.rows.curvature[row] - self.along(row, a);
            }
            self.solve_rows();
            self.push(a);
        }
        if a.iter().chain(&self.rows.lambda).all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(AffineError::NotFinite { what: "the acceleration", time: 0.0 })
        }
    }

    /// With a single mass, the ratio of d to its value alone is the squared sine of the angle between this degree of freedom and those
    /// below it.
    fn check_pivots(&self) -> Result<(), AffineError> {
        let Articulated { pivot, alone, .. } = &self.articulated;
        match pivot.iter().zip(alone).position(|(d, alone)| *d <= DEPENDENT * alone || d.is_nan()) {
            Some(dof) => Err(AffineError::Massless { node: self.model.owner(dof), dof }),
            None => Ok(()),
        }
    }

    /// C, J and J̇ v at the state of the last sweep.
    pub(super) fn evaluate_rows(&mut self, q: &[f64], v: &[f64]) {
        let AffineDynamics { model, hierarchy: h, rows, .. } = self;
        rows.jacobian.fill(0.0);
        let (n, mut at) = (model.nv, 0);
        for condition in &model.conditions {
            for row in 0..condition.rows() {
                let jacobian = &mut rows.jacobian[at * n..(at + 1) * n];
                if let Condition::Coupling { terms, offset } = condition {
                    rows.curvature[at] = 0.0;
                    rows.value[at] = coupled(model, terms, *offset, q);
                    terms.iter().for_each(|(dof, factor)| jacobian[*dof] += factor);
                } else {
                    let Row { value, curvature, wrenches } =
                        condition.row(model, row, |link| (h.moved[link].world, h.moved[link].rate));
                    // C̈ with constant rates: the drift of the nodes
                    (rows.value[at], rows.curvature[at]) = (value, curvature);
                    for (link, wrench) in wrenches {
                        let (mut carried, mut node) = (wrench, link);
                        while node != 0 {
                            h.dofs(node).for_each(|k| jacobian[k] += carried.trace_with(h.along[k]));
                            carried = carried.carried(h.moved[node].local);
                            node = h.nodes[node].parent;
                        }
                        rows.curvature[at] += wrench.trace_with(h.drifting(link, q, v));
                    }
                }
                at += 1;
            }
        }
    }

    /// Computes M⁻¹ Jᵀ, and factors J M⁻¹ Jᵀ.
    pub(super) fn respond(&mut self) {
        let (n, m) = (self.model.nv, self.rows.value.len());
        for row in 0..m {
            let Rows { jacobian, response, delassus, .. } = &mut self.rows;
            let own = row * n..(row + 1) * n;
            self.articulated.apply_inverse(
                &self.hierarchy,
                &jacobian[own.clone()],
                &mut response[own.clone()],
            );
            for other in 0..=row {
                let entry = dot(&jacobian[other * n..(other + 1) * n], &response[own.clone()]);
                delassus[row * m + other] = entry;
                delassus[other * m + row] = entry;
            }
        }
        let Rows { factor, delassus, floor, .. } = &mut self.rows;
        factor.factor(delassus, floor, DEPENDENT);
    }

    /// J x of a row.
    pub(super) fn along(&self, row: usize, x: &[f64]) -> f64 {
        dot(&self.rows.jacobian[row * self.model.nv..(row + 1) * self.model.nv], x)
    }

    /// Replaces the targets of the rows by λ.
    pub(super) fn solve_rows(&mut self) {
        let Rows { factor, lambda, .. } = &mut self.rows;
        factor.solve(lambda, true);
    }

    /// x += M⁻¹ Jᵀ λ.
    pub(super) fn push(&self, x: &mut [f64]) {
        let n = self.model.nv;
        for (row, lambda) in self.rows.lambda.iter().enumerate() {
            let response = &self.rows.response[row * n..(row + 1) * n];
            x.iter_mut().zip(response).for_each(|(x, r)| *x = lambda.mul_add(*r, *x));
        }
    }

    /// Factors M at q for `respond`: forward dynamics without forces.
    pub(super) fn factor_at(&mut self, q: &[f64], v: &[f64]) -> Result<(), AffineError> {
        let (mut a, spare) = std::mem::take(&mut self.correction);
        self.driven.fill(0.0);
        self.articulated.forward_dynamics(&mut self.hierarchy, (q, v), &self.driven, &[], &mut a);
        self.correction = (a, spare);
        self.check_pivots()
    }
}

/// Σ factor q − offset.
fn coupled(model: &AffineModel, terms: &[(usize, f64)], offset: f64, q: &[f64]) -> f64 {
    let value = |dof: usize| model.coordinate(dof).map_or(0.0, |k| q[k]);
    terms.iter().fold(-offset, |sum, (dof, factor)| factor.mul_add(value(*dof), sum))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}

/// Σ_ij X_ij ε_ijk for X = ∫ x ẋᵀ.
fn antisymmetric(x: M3) -> V3 {
    let r = x.rows();
    V3::new(r[1][2] - r[2][1], r[2][0] - r[0][2], r[0][1] - r[1][0])
}
