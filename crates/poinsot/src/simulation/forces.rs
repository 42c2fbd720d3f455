//! The current acceleration, and the corresponding forces.

use super::Simulation;
use crate::constraint::Reactions;
use crate::dynamics::ExternalForces;
use crate::model::{BodyId, ConstraintId, JointId};
use crate::spatial::Force;

impl Simulation<'_> {
    /// The current acceleration; with contact, under the mean contact forces of the last step.
    pub fn acceleration(&mut self) -> Vec<f64> {
        self.under_contacts(|simulation| {
            let (system, state) = simulation.queried();
            let mut a = vec![0.0; state.v.len()];
            system.acceleration(state, &mut a);
            a
        })
    }
    /// The current force of each constraint, rigid or soft, row by row in the direction of increasing C, N or N m.
    pub fn constraint_forces(&mut self) -> Vec<(ConstraintId, Vec<f64>)> {
        self.acceleration();
        let (system, _) = self.queried();
        let Some(multipliers) = system.multipliers() else { return Vec::new() };
        let of = |id: ConstraintId| multipliers.rows_of(id).map(|row| multipliers.force(row)).collect();
        system.model().constraint_ids().map(|id| (id, of(id))).collect()
    }
    /// The wrench that each joint currently transmits to its body, in world axes about the joint's anchor. Forces of the medium, of gravity
    /// compensation and of actuators on sites count as transmitted by joints; those of constraints, rigid or soft, do not.
    ///
    /// ```
    /// use poinsot::{Simulation, algebra::V3, dynamics::State, integrate::Method, model::*, spatial::Pose};
    /// // a weight of 1 kg in the middle of a bar, which is multipliers by a hinge and at its end by a spring
    /// let mut b = ModelBuilder::new("bar");
    /// let weight = (&Shape::Sphere { radius: 0.1 }, 1.0, Pose::translation(V3::X * 0.5));
    /// let bar = b.body(BodyId::WORLD, BodySpec::new("bar").solid_at(weight.0, weight.1, weight.2)?);
    /// b.joint(bar, Joint::revolute(V3::Y));
    /// let (hook, end) = (Mount::new(BodyId::WORLD, V3::X + V3::Z), Mount::new(bar, V3::X));
    /// b.constraint(Constraint::distance(hook, end, 1.0 - 0.5 * 9.81 / 100.0).soft(100.0, 0.0));
    /// let model = b.build()?;
    /// let mut simulation = Simulation::new(&model, State::new(&model), Method::Rkmk4)?;
    /// let up = simulation.reactions()[0].1.force.z;
    /// assert!((up - 0.5 * 9.81).abs() < 1e-12); // each bears half
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reactions(&mut self) -> Vec<(JointId, Force)> {
        let (a, applied, contacts) = (self.acceleration(), self.applied.clone(), self.contact_loads());
        let (system, state) = self.queried();
        let model = system.model();
        let mut reactions = Reactions::new(&model);
        let mut outside = ExternalForces::new(&model);
        applied.iter().for_each(|applied| applied.push_loads(&system.at(state), &mut outside));
        Simulation::push_contacts(&contacts, &system.at(state), &mut outside);
        let (ws, multipliers) = system.constraints();
        let multipliers = multipliers.map(|h| &*h);
        multipliers.iter().for_each(|h| h.push_soft_forces(&mut outside));
        reactions.find(&model, ws, &state.q, &state.v, &a, multipliers, Some(&outside));
        model.joint_ids().map(|id| (id, reactions.of(id))).collect()
    }
    /// The forces of constraints on bodies at the last computed acceleration, about the world's origin.
    pub(super) fn constraint_loads(&mut self) -> Vec<(BodyId, Force)> {
        let (system, _) = self.queried();
        let model = system.model();
        let (ws, multipliers) = system.constraints();
        multipliers.map_or_else(Vec::new, |multipliers| multipliers.forces_on_bodies(&model, ws))
    }
}
