//! Given a motion, the forces of contacts that explain it.

use super::contact::Contact;
use super::{Simulation, SimulationError, error};
use crate::contact::{Certificate, Level, Status};
use crate::dynamics::State;
use crate::integrate::{Explaining, Explanation, ModelRef, System};
use crate::model::Model;

/// Of no more contacts than this it is found out whether other impulses would have done.
const FEW: usize = 12;

/// Finds the forces of contacts, limits and dry friction that explain motions of a model, or what none of them explain.
///
/// A block of 2 kg on the floor: at rest the floor bears its weight; pulled up with 1 m/s² it would have to be glued to rise more slowly than it
/// falls, and no force explains 1 m/s² downwards through the floor either.
/// ```
/// use poinsot::prelude::*;
/// use poinsot::{Explainer, integrate::Explaining};
/// let mut b = ModelBuilder::new("a block on the floor");
/// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
/// let cube = Geom::new(Shape::Box { size: V3::new(0.2, 0.2, 0.2) });
/// let block = b.body(BodyId::WORLD, BodySpec::new("block").at(V3::Z * 0.1).solid_geom(cube, 2.0)?);
/// b.joint(block, Joint::free());
/// let model = b.build()?;
/// let mut explainer = Explainer::new(&model)?;
/// let state = State::new(&model);
/// let rest = explainer.explain(&state, &[0.0; 6], None, Explaining::default())?;
/// let weight: f64 = rest.contacts.iter().map(|c| c.impulse.z).sum();
/// assert!(rest.explained && (weight - 2.0 * 9.81).abs() < 1e-9);
/// assert!(!rest.unique); // four corners, and three would do
/// let pulled = explainer.explain(&state, &[0.0, 0.0, -12.0, 0.0, 0.0, 0.0], None, Explaining::default())?;
/// assert!(!pulled.explained && (pulled.residual[2] + 12.0 - 9.81).abs() < 1e-9); // the floor does not pull
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Explainer<'a> {
    model: ModelRef<'a>,
    system: System<'a>,
}

impl<'a> Explainer<'a> {
    /// For a model. Geoms of one robot that overlap in its reference configuration never touch.
    pub fn new(model: impl Into<ModelRef<'a>>) -> Result<Explainer<'a>, SimulationError> {
        let model = model.into();
        let reference = State::new(&model).q;
        Explainer::beginning_at(model, &reference, Contact::default())
    }

    pub(super) fn beginning_at(
        model: ModelRef<'a>,
        q: &[f64],
        contact: Contact,
    ) -> Result<Explainer<'a>, SimulationError> {
        let mut system = System::of(model.clone());
        contact.begin(&model, q, None, &mut system)?;
        Ok(Explainer { model, system })
    }

    /// The control signals under which motions are explained, in the order of the model's actuators.
    pub fn control_mut(&mut self) -> &mut [f64] {
        self.system.control_mut()
    }

    /// The forces that explain the acceleration v̇ = `a` at a state, under the generalised forces τ of everything but gravity, constraints,
    /// limits, dry friction and contacts; none: those of the model's springs, dampers and actuators.
    pub fn explain(
        &mut self,
        state: &State,
        a: &[f64],
        tau: Option<&[f64]>,
        how: Explaining,
    ) -> Result<Explanation, SimulationError> {
        error::check(&self.model, state)?;
        check("accelerations", a, &self.model)?;
        if let Some(tau) = tau {
            check("forces", tau, &self.model)?;
        }
        Ok(self.system.explain(state, a, tau, how)?)
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
    /// The generalised forces now of springs, dampers, soft constraints, actuators, elements and what is applied: all but those that
    /// [`Simulation::explain`] finds, and gravity.
    ///
    /// # Panics
    /// When `tau` has not one number for each degree of freedom.
    pub fn known_forces(&mut self, tau: &mut [f64]) {
        let (system, state) = self.asked();
        system.known_forces(state, tau);
    }

    /// The forces of contacts that explain the acceleration v̇ = `a` at the state now, under all that acts on the model: springs, dampers,
    /// actuators, elements and applied forces. Nothing is changed by it.
    pub fn explain(&mut self, a: &[f64], how: Explaining) -> Result<Explanation, SimulationError> {
        let mut tau = vec![0.0; self.model.nv()];
        self.known_forces(&mut tau);
        let contact = Contact { penalty: None, soft: false, ..self.contact.unwrap_or_default() };
        let model = self.model.clone();
        let mut explainer = match self.explainer.take() {
            Some(explainer) => explainer,
            None => Box::new(Explainer::beginning_at(model, &self.state.q, contact)?),
        };
        let found = explainer.explain(&self.state, a, Some(&tau), how);
        self.explainer = Some(explainer);
        found
    }

    /// The certificate of the last step. Of a step in time that was solved, with twelve contacts or fewer, it is found out now whether other
    /// impulses would have done as well, as on a table with four legs; motions by events say so themselves.
    pub fn certificate(&mut self) -> Option<Certificate> {
        let mut found = self.report().certificate?;
        let pushing = self.contacts().iter().filter(|c| c.impulse.norm() > 0.0).count();
        if found.status == Status::Solved && found.level == Level::Velocity && (1..=FEW).contains(&pushing) {
            let a = self.acceleration();
            let how =
                Explaining { gap: 1e-4, speed: 1e-4, acceleration: f64::INFINITY, ..Explaining::default() };
            if self.explain(&a, how).is_ok_and(|by| !by.unique) {
                (found.status, found.reason) = (Status::NotUnique, "other impulses give the same velocities");
            }
        }
        Some(found)
    }
}
