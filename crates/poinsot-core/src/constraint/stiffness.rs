//! The stiffness of a soft constraint: the change of its forces when its bodies move.
//!
//! In the twelve coordinates (θ_a, x_a, θ_b, x_b), differential axis-angles and positions of its bodies in world axes,
//! with the energy `E = ½ Σ k C²`:
//!
//! ```math
//! (1)  gradient = Σ k C Jᵀ                          the forces are its opposite
//! (2)  Gauss–Newton = Σ k Jᵀ J                      second derivatives of rotations dropped
//! (3)  derivative of the gradient = (2) + Σ k C ∂Jᵀ/∂(θ, x)
//! (4)  Hessian of E = the symmetric part of (3)
//! ```
//! (3) is not symmetric: rotations do not commute, and the gradient is taken in axes that the next rotation turns. It differs from (4) by ½
//! [torque]× in the diagonal blocks of each body's rotation. The off-diagonal blocks are the forces on one body from motion of the other.

use super::Multipliers;
use super::kinds::{Pair, wrenches};
use super::rows::Rows;
use crate::algebra::{Dual, M3, V3};
use crate::dynamics::Workspace;
use crate::model::{Constraint, ConstraintId, Model};
use crate::spatial::{Force, Pose};
use nalgebra::{SMatrix, SVector};

/// Which second derivative of the energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondDerivative {
    /// (2) of the module page: without the second derivatives of rotations.
    GaussNewton,
    /// (3): the exact derivative of the forces and torques, not symmetric.
    OfGradient,
    /// (4): the exact Hessian.
    Hessian,
}

/// Twelve by twelve: θ_a, x_a, θ_b, x_b.
pub type Stiffness = SMatrix<f64, 12, 12>;

impl Multipliers {
    /// The energy of a soft constraint between two bodies at q, its gradient and a second derivative; `None` for rigid constraints and for
    /// those between joints.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, constraint::{Multipliers, SecondDerivative}, dynamics::Workspace, model::*};
    /// let mut b = ModelBuilder::new("a ball on a spring");
    /// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").at(V3::Z * -1.5).solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// b.joint(bob, Joint::free());
    /// let hook = Mount::new(BodyId::WORLD, V3::ZERO);
    /// let spring = b.constraint(Constraint::distance(hook, Mount::new(bob, V3::ZERO), 1.0).soft(100.0, 0.0));
    /// let model = b.build()?;
    /// let mut multipliers = Multipliers::new(&model);
    /// let found = multipliers.stiffness(&model, &mut Workspace::new(&model), &model.neutral(), spring, SecondDerivative::Hessian);
    /// let (energy, _, hessian) = found.unwrap();
    /// assert!((energy - 12.5).abs() < 1e-12);
    /// assert!((hessian[(11, 11)] - 100.0).abs() < 1e-12); // along the spring
    /// assert!((hessian[(9, 9)] - 50.0 / 1.5).abs() < 1e-12); // across: its force over its length
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stiffness(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        constraint: ConstraintId,
        second: SecondDerivative,
    ) -> Option<(f64, SVector<f64, 12>, Stiffness)> {
        let stated = &model.constraints()[constraint.index()];
        stated.bodies().filter(|_| stated.softness.is_some())?;
        self.rows.evaluate(model, ws, q, None);
        let (mut energy, mut gradient, mut total) = (0.0, SVector::zeros(), Stiffness::zeros());
        let rows = self.rows.of(constraint.index());
        let mut pulls = [0.0; 6];
        for (pull, row) in pulls.iter_mut().zip(rows) {
            let Some(k) = self.rows.kinds[row].terms.stiffness() else { continue };
            let j = column(self.rows.on_a[row], self.rows.on_b[row]);
            *pull = k * self.rows.value[row];
            energy += 0.5 * *pull * self.rows.value[row];
            gradient += j * *pull;
            total += j * j.transpose() * k;
        }
        match second {
            SecondDerivative::GaussNewton => {}
            SecondDerivative::OfGradient => total += geometric(model, ws, stated, &pulls),
            SecondDerivative::Hessian => total += symmetric(geometric(model, ws, stated, &pulls)),
        }
        Some((energy, gradient, total))
    }
}

impl Rows {
    /// The Hessian of Σ pull C of a constraint, at the poses in the workspace.
    pub(super) fn bending(
        &self,
        model: &Model,
        ws: &Workspace,
        constraint: usize,
        pulls: &[f64; 6],
    ) -> Stiffness {
        symmetric(geometric(model, ws, &model.constraints()[constraint], pulls))
    }
}

fn symmetric(m: Stiffness) -> Stiffness {
    (m + m.transpose()) * 0.5
}

/// Σ pull ∂Jᵀ/∂(θ, x).
fn geometric(model: &Model, ws: &Workspace, constraint: &Constraint, pulls: &[f64; 6]) -> Stiffness {
    let Some([a, b]) = constraint.kind.mounts() else { return Stiffness::zeros() };
    let (x_a, x_b) = (ws.body_pose(model, a.body), ws.body_pose(model, b.body));
    let pair = Pair::new(along(x_a, 0), a.pose, along(x_b, 6), b.pose);
    let j = wrenches(constraint, &pair);
    let mut out = Stiffness::zeros();
    for (k, pull) in pulls.iter().enumerate().take(j.count) {
        let entries = [j.on_a[k].moment, j.on_a[k].force, j.on_b[k].moment, j.on_b[k].force];
        for (row, entry) in entries.into_iter().flat_map(V3::array).enumerate() {
            for (column, eps) in entry.eps.into_iter().enumerate() {
                out[(row, column)] = pull.mul_add(eps, out[(row, column)]);
            }
        }
    }
    out
}

/// A pose with derivatives along its own six directions, which start at index `first`.
fn along(x: Pose, first: usize) -> Pose<Dual<12>> {
    let number = |re: f64| Dual { re, eps: [0.0; 12] };
    let axes = [V3::X, V3::Y, V3::Z];
    let turned = |v: V3| {
        let mut out = v.array().map(number);
        for (k, axis) in axes.into_iter().enumerate() {
            let rate = axis.cross(v).array();
            out.iter_mut().zip(rate).for_each(|(entry, rate)| entry.eps[first + k] = rate);
        }
        let [x, y, z] = out;
        V3 { x, y, z }
    };
    let mut pos = x.pos.array().map(number);
    pos.iter_mut().enumerate().for_each(|(k, entry)| entry.eps[first + 3 + k] = 1.0);
    let [px, py, pz] = pos;
    let rot = M3::columns(turned(x.rot.x), turned(x.rot.y), turned(x.rot.z));
    Pose { rot, pos: V3 { x: px, y: py, z: pz } }
}

fn column(on_a: Force, on_b: Force) -> SVector<f64, 12> {
    let parts = [on_a.moment, on_a.force, on_b.moment, on_b.force];
    SVector::from_iterator(parts.into_iter().flat_map(V3::array))
}
