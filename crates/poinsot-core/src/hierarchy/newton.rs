//! The Newtonian constraint of a hierarchy as a function: the condition of spacetime optimisation [WitkinKass88].
//!
//! With τ of equation (2) of the [chapter](super), external forces F_k, and attached points,
//!
//! ```math
//! (1)  C_j(q, q̇, q̈, λ) = τ_j(q, q̇, q̈) − Σ_k F_k·∂x_k/∂q_j − Σ_r λ_r·∂P_r/∂q_j          P_r = x_a − x_b
//! ```
//! is the force that actuators must supply at joint j; it is 0 for a hierarchy that moves by itself. λ_r is the force, in world axes, on
//! the first of two attached points: an unknown like q. A point of the world holds a point of a body in place.
//!
//! The Jacobians are analytic: those of τ from [`crate::dynamics`], so that the trace form on dual numbers checks them. A force F at a
//! point x of link i, with u_j = ∂x/∂q_j, adds for k on the path from the root to j, and for k outboard of j on the path to i,
//!
//! ```math
//! (2)  ∂(F·u_j)/∂q_k = F·(s_k × u_j)          ∂(F·u_j)/∂q_k = F·(s_j × u_k)          s the angular part of the screws
//! ```
//! which is a single formula, symmetric except for the axes of a ball, where the first form holds both ways.

use super::{Hierarchy, PointForce};
use crate::algebra::V3;
use crate::dynamics::{InverseDynamicsDerivatives, Workspace};
use crate::model::{BodyId, Kind, Model};
use crate::spatial::Motion;
use nalgebra::DMatrix;

/// Two points that coincide: of the frames of two bodies, or of a body and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The first body, and its point in the body frame. λ is the force on it.
    pub first: (BodyId, V3),
    /// The second.
    pub second: (BodyId, V3),
}

/// The Newtonian constraint of one model, with forces on its points and attached points.
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::{Attachment, NewtonianConstraint}, model::*};
/// let mut b = ModelBuilder::new("hung");
/// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 0.1 }, 2.0)?);
/// b.joint(ball, Joint::free());
/// let hook = Attachment { first: (ball, V3::ZERO), second: (BodyId::WORLD, V3::ZERO) };
/// let model = b.build()?;
/// let (q, rest, mut c) = (model.neutral(), [0.0; 6], [0.0; 6]);
/// let mut newton = NewtonianConstraint::new(&model, &[], &[hook]);
/// newton.residual(&q, &rest, &rest, &[0.0, 0.0, 2.0 * 9.81], &mut c);
/// assert!(c.iter().all(|x| x.abs() < 1e-13)); // the hook carries the weight
/// newton.jacobians(&q, &rest, &rest, &[0.0, 0.0, 2.0 * 9.81]);
/// assert_eq!(newton.by_multipliers()[(2, 2)], -1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NewtonianConstraint<'a> {
    model: &'a Model,
    hierarchy: Hierarchy,
    workspace: Workspace,
    derivatives: InverseDynamicsDerivatives,
    forces: Vec<PointForce>,
    attachments: Vec<Attachment>,
    /// The forces, then those of λ on both points of each attachment.
    all: Vec<PointForce>,
    axes: Vec<Motion>,
    by_position: DMatrix<f64>,
    by_velocity: DMatrix<f64>,
    by_acceleration: DMatrix<f64>,
    by_multipliers: DMatrix<f64>,
}

impl<'a> NewtonianConstraint<'a> {
    /// The constraint of `model` under these forces and attachments.
    pub fn new(model: &'a Model, forces: &[PointForce], attachments: &[Attachment]) -> Self {
        let (n, square) = (model.nv(), DMatrix::zeros(model.nv(), model.nv()));
        NewtonianConstraint {
            model,
            hierarchy: Hierarchy::new(model),
            workspace: Workspace::new(model),
            derivatives: InverseDynamicsDerivatives::new(model),
            forces: forces.to_vec(),
            attachments: attachments.to_vec(),
            all: Vec::with_capacity(forces.len() + 2 * attachments.len()),
            axes: vec![Motion::default(); n],
            by_position: square.clone(),
            by_velocity: square.clone(),
            by_acceleration: square,
            by_multipliers: DMatrix::zeros(n, 3 * attachments.len()),
        }
    }

    /// The number of multipliers: three for each attachment.
    pub fn multipliers(&self) -> usize {
        3 * self.attachments.len()
    }

    /// Lists all forces: those given, and λ.
    fn act(&mut self, lambda: &[f64]) {
        assert_eq!(lambda.len(), self.multipliers(), "three multipliers for each attachment");
        self.all.clear();
        self.all.extend(&self.forces);
        for (r, Attachment { first, second }) in self.attachments.iter().enumerate() {
            let force = V3::new(lambda[3 * r], lambda[3 * r + 1], lambda[3 * r + 2]);
            self.all.push(PointForce { body: first.0, point: first.1, force });
            self.all.push(PointForce { body: second.0, point: second.1, force: -force });
        }
    }

    /// C at (q, v, a, λ), by the trace form.
    ///
    /// # Panics
    /// If a slice does not fit.
    pub fn residual(&mut self, q: &[f64], v: &[f64], a: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.act(lambda);
        self.hierarchy.inverse_dynamics(q, v, a, &self.all, out);
    }

    /// The four Jacobians of C at (q, v, a, λ), for the accessors below.
    ///
    /// # Panics
    /// If a slice does not fit.
    pub fn jacobians(&mut self, q: &[f64], v: &[f64], a: &[f64], lambda: &[f64]) {
        self.act(lambda);
        self.workspace.inverse_dynamics_derivatives(self.model, q, v, a, &mut self.derivatives);
        self.by_position.copy_from(&self.derivatives.by_position());
        self.by_velocity.copy_from(&self.derivatives.by_velocity());
        self.by_acceleration.copy_from(&self.derivatives.by_acceleration());
        self.workspace.jacobians(self.model, q, &mut self.axes);
        for k in 0..self.all.len() {
            self.subtract_force(self.all[k]);
        }
        self.by_multipliers.fill(0.0);
        for r in 0..self.attachments.len() {
            let Attachment { first, second } = self.attachments[r];
            self.subtract_point(first, 3 * r, 1.0);
            self.subtract_point(second, 3 * r, -1.0);
        }
    }

    /// ∂C/∂q, along velocities.
    pub fn by_position(&self) -> &DMatrix<f64> {
        &self.by_position
    }
    /// ∂C/∂q̇.
    pub fn by_velocity(&self) -> &DMatrix<f64> {
        &self.by_velocity
    }
    /// ∂C/∂q̈ = M.
    pub fn by_acceleration(&self) -> &DMatrix<f64> {
        &self.by_acceleration
    }
    /// ∂C/∂λ.
    pub fn by_multipliers(&self) -> &DMatrix<f64> {
        &self.by_multipliers
    }

    /// The next degree of freedom towards the root: that before `dof` on link i, or the last of the link above.
    fn visit(&self, body: BodyId, mut f: impl FnMut(usize, usize)) {
        let tree = &self.model.tree;
        let mut link = self.model.bodies()[body.index()].link;
        while link != 0 {
            (tree.v[link]..tree.v[link] + tree.kind[link].nv()).rev().for_each(|dof| f(link, dof));
            link = tree.parent[link];
        }
    }

    /// Equation (2) for one force.
    fn subtract_force(&mut self, PointForce { body, point, force }: PointForce) {
        let x = self.workspace.body_pose(self.model, body).point(point);
        let mut path = Vec::new();
        self.visit(body, |link, dof| path.push((link, dof)));
        for (place, (link, j)) in path.iter().enumerate() {
            let (s_j, u_j) = (self.axes[*j].ang, self.axes[*j].at(x).lin);
            for (other, (above, k)) in path.iter().enumerate() {
                let (s_k, u_k) = (self.axes[*k].ang, self.axes[*k].at(x).lin);
                // on the path to the root from j, or another axis of the same ball
                let carries = other >= place || (link == above && is_turn(self.model, *link, *j, *k));
                let change = if carries { s_k.cross(u_j) } else { s_j.cross(u_k) };
                self.by_position[(*j, *k)] -= force.dot(change);
            }
        }
    }

    /// −∂x/∂q of a point, in three columns.
    fn subtract_point(&mut self, (body, point): (BodyId, V3), column: usize, sign: f64) {
        let x = self.workspace.body_pose(self.model, body).point(point);
        let mut path = Vec::new();
        self.visit(body, |_, dof| path.push(dof));
        for dof in path {
            for (c, u) in self.axes[dof].at(x).lin.array().into_iter().enumerate() {
                self.by_multipliers[(dof, column + c)] -= sign * u;
            }
        }
    }
}

/// True if both degrees of freedom are axes of the link's ball.
fn is_turn(model: &Model, link: usize, j: usize, k: usize) -> bool {
    let first = model.tree.v[link];
    match model.tree.kind[link] {
        Kind::Ball => true,
        Kind::Free => j.min(k) >= first + 3,
        Kind::World | Kind::Hinge | Kind::Screw => false,
    }
}
