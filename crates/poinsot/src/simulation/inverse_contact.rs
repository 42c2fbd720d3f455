//! Inverse dynamics with contact: the forces behind a given motion.

use super::contact::Contact;
use super::{Simulation, SimulationError, error};
use crate::contact::{Certificate, Level, Status};
use crate::dynamics::State;
use crate::integrate::{InverseContactOptions, InverseContactSolution, ModelRef, System};
use crate::model::Model;

/// Uniqueness is only decided for this many contacts or fewer.
const FEW: usize = 12;

/// Inverse dynamics with contact: finds the forces of contacts, limits and dry friction that produce a given motion, or the part of the
/// motion that no admissible forces produce.
///
/// A block of 2 kg on the floor: at rest the floor carries its weight. Accelerated at −12 m/s², faster than free fall, it would have to be
/// pulled down, which the floor cannot do: the excess over gravity is the residual.
/// ```
/// use poinsot::prelude::*;
/// use poinsot::{InverseContact, integrate::InverseContactOptions};
/// let mut b = ModelBuilder::new("a block on the floor");
/// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
/// let cube = Geom::new(Shape::Box { size: V3::new(0.2, 0.2, 0.2) });
/// let block = b.body(BodyId::WORLD, BodySpec::new("block").at(V3::Z * 0.1).solid_geom(cube, 2.0)?);
/// b.joint(block, Joint::free());
/// let model = b.build()?;
/// let mut inverse = InverseContact::new(&model)?;
/// let state = State::new(&model);
/// let rest = inverse.solve(&state, &[0.0; 6], None, InverseContactOptions::default())?;
/// let weight: f64 = rest.contacts.iter().map(|c| c.impulse.z).sum();
/// assert!(rest.feasible && (weight - 2.0 * 9.81).abs() < 1e-9);
/// assert!(!rest.unique); // four corners, and three would do
/// let pulled = inverse.solve(&state, &[0.0, 0.0, -12.0, 0.0, 0.0, 0.0], None, InverseContactOptions::default())?;
/// assert!(!pulled.feasible && (pulled.residual[2] + 12.0 - 9.81).abs() < 1e-9); // the floor does not pull
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct InverseContact<'a> {
    model: ModelRef<'a>,
    system: System<'a>,
}

impl<'a> InverseContact<'a> {
    /// Prepares a model. Geoms of one robot that overlap in its reference configuration never touch.
    pub fn new(model: impl Into<ModelRef<'a>>) -> Result<InverseContact<'a>, SimulationError> {
        let model = model.into();
        let reference = State::new(&model).q;
        InverseContact::beginning_at(model, &reference, Contact::default())
    }

    pub(super) fn beginning_at(
        model: ModelRef<'a>,
        q: &[f64],
        contact: Contact,
    ) -> Result<InverseContact<'a>, SimulationError> {
        let mut system = System::of(model.clone());
        contact.begin(&model, q, None, &mut system)?;
        Ok(InverseContact { model, system })
    }

    /// The assumed control signals, in the order of the model's actuators.
    pub fn control_mut(&mut self) -> &mut [f64] {
        self.system.control_mut()
    }

    /// Finds the forces that produce the acceleration v̇ = `a` at a state, given the generalised forces τ of everything except gravity,
    /// constraints, limits, dry friction and contacts; without τ, those of the model's springs, dampers and actuators are used.
    pub fn solve(
        &mut self,
        state: &State,
        a: &[f64],
        tau: Option<&[f64]>,
        how: InverseContactOptions,
    ) -> Result<InverseContactSolution, SimulationError> {
        error::check(&self.model, state)?;
        check("accelerations", a, &self.model)?;
        if let Some(tau) = tau {
            check("forces", tau, &self.model)?;
        }
        Ok(self.system.inverse_contact(state, a, tau, how)?)
    }
}

fn check(what: &str, numbers: &[f64], model: &Model) -> Result<(), SimulationError> {
    let (given, wanted) = (numbers.len(), model.nv());
    if given != wanted {
        let text = format!("{given} {what} for a model of {wanted} degrees of freedom");
        return Err(SimulationError::BadForce(text));
    }
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(k) => {
            let text = format!("the {what} have {} at {}", numbers[k], model.dof_name(k));
            Err(SimulationError::BadForce(text))
        }
        None => Ok(()),
    }
}

impl Simulation<'_> {
    /// The current generalised forces of springs, dampers, soft constraints, actuators, elements and applied forces: everything except
    /// gravity and the forces found by [`Simulation::contact_forces`].
    ///
    /// # Panics
    /// If `tau` does not have one number for each degree of freedom.
    pub fn known_forces(&mut self, tau: &mut [f64]) {
        let (system, state) = self.queried();
        system.known_forces(state, tau);
    }

    /// The contact forces that produce the acceleration v̇ = `a` at the current state, under all other forces on the model: springs,
    /// dampers, actuators, elements and applied forces. The simulation is not changed.
    pub fn contact_forces(
        &mut self,
        a: &[f64],
        how: InverseContactOptions,
    ) -> Result<InverseContactSolution, SimulationError> {
        let mut tau = vec![0.0; self.model.nv()];
        self.known_forces(&mut tau);
        let contact = Contact { penalty: None, soft: false, ..self.contact.unwrap_or_default() };
        let model = self.model.clone();
        let mut inverse = match self.inverse.take() {
            Some(inverse) => inverse,
            None => Box::new(InverseContact::beginning_at(model, &self.state.q, contact)?),
        };
        let found = inverse.solve(&self.state, a, Some(&tau), how);
        self.inverse = Some(inverse);
        found
    }

    /// The certificate of the last step. For a solved time step with twelve contacts or fewer, this call also decides whether other
    /// impulses would give the same motion, as on a table with four legs; event-driven motion reports this by itself.
    pub fn certificate(&mut self) -> Option<Certificate> {
        let mut found = self.report().certificate?;
        let pushing = self.contacts().iter().filter(|c| c.impulse.norm() > 0.0).count();
        if found.status == Status::Solved && found.level == Level::Velocity && (1..=FEW).contains(&pushing) {
            let a = self.acceleration();
            let how = InverseContactOptions {
                gap: 1e-4,
                speed: 1e-4,
                acceleration: f64::INFINITY,
                ..InverseContactOptions::default()
            };
            if self.contact_forces(&a, how).is_ok_and(|by| !by.unique) {
                (found.status, found.reason) = (Status::NotUnique, "other impulses give the same velocities");
            }
        }
        Some(found)
    }
}
