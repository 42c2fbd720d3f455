//! Forward dynamics with constraints: accelerations and multipliers of (1) and (2) of the [chapter](super).
//!
//! A step leaves errors in C and Ċ, which (2) alone lets grow. [Baumgarte72] lets them decay with a time constant T, critically damped:
//!
//! ```math
//! J v̇ + E λ = −J̇ v − (2/T) Ċ − (1/T²) C
//! ```

use super::law::RowSystem;
use super::{Multipliers, Stabilisation};
use crate::dynamics::Workspace;
use crate::model::Model;

impl Multipliers {
    /// The acceleration at (q, v) under the generalised forces τ, with rigid constraints enforced; soft ones are forces and belong in τ
    /// ([`Multipliers::add_soft_forces`]). The multipliers are in [`Multipliers::lambda`].
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, constraint::{Multipliers, Stabilisation}, dynamics::Workspace, model::*};
    /// let ball = Shape::Sphere { radius: 0.1 };
    /// let mut b = ModelBuilder::new("a ball on a bar");
    /// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").at(V3::new(0.0, 0.0, -2.0)).solid(&ball, 3.0)?);
    /// b.joint(bob, Joint::free());
    /// let hook = Mount::new(BodyId::WORLD, V3::ZERO);
    /// b.constraint(Constraint::distance(hook, Mount::new(bob, V3::ZERO), 2.0));
    /// let model = b.build()?;
    /// let (mut ws, mut multipliers) = (Workspace::new(&model), Multipliers::new(&model));
    /// let mut a = [0.0; 6];
    /// let (q, rest) = (model.neutral(), [0.0; 6]);
    /// multipliers.forward_dynamics(&model, &mut ws, &q, &rest, &rest, Stabilisation::Nothing, &mut a);
    /// assert!(a.iter().all(|x| x.abs() < 1e-14)); // it hangs
    /// assert!((multipliers.lambda()[0] + 3.0 * 9.81).abs() < 1e-12); // by a bar that pulls
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::too_many_arguments)] // each is a different physical quantity
    pub fn forward_dynamics(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        stabilisation: Stabilisation,
        a: &mut [f64],
    ) {
        self.rows.evaluate(model, ws, q, Some(v));
        for (row, g) in self.targets.iter_mut().enumerate() {
            *g = self.rows.kinds[row].terms.acceleration_target(self.rows.measured_at(row), stabilisation);
        }
        self.factor(model, ws, q, RowSystem::Velocities, &model.tree.armature);
        ws.bias(model, q, v, &mut self.force);
        for (f, tau) in self.force.iter_mut().zip(tau) {
            *f = tau - *f;
        }
        self.solve_for_targets(model, ws, q, a);
    }

    /// The corrections of an acceleration `a` and its multipliers for the residual forces `lack`, at the state and with the factor of the
    /// last [`Multipliers::forward_dynamics`].
    pub(crate) fn refine(
        &mut self,
        model: &Model,
        ws: &mut Workspace,
        q: &[f64],
        a: &[f64],
        lack: &[f64],
        change: &mut [f64],
    ) {
        for (row, g) in self.targets.iter_mut().enumerate() {
            *g = -self.rows.bias[row] - self.rows.dot(row, a);
        }
        self.force.copy_from_slice(lack);
        self.solve_for_targets(model, ws, q, change);
    }

    /// The multipliers of all rows, constraint by constraint, from the last solve: forces in the direction of increasing C, N or N m. After
    /// a projection they are impulses.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }
}
