//! How a track is stepped, and its energy account.

use poinsot::audit::Line;
use poinsot::constraint::{AssemblyError, Stabilisation};
use poinsot::dynamics::State;
use poinsot::integrate::Method;
use poinsot::model::{Model, ModelError};
use poinsot::{Contact, Formulation, Simulation, SimulationError};
use std::sync::Arc;
use thiserror::Error;

/// How a track is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackSettings {
    /// The coordinates.
    pub formulation: Formulation,
    /// The integrator.
    pub integrator: Method,
    /// How constraints are kept from drifting.
    pub stabilisation: Stabilisation,
    /// How contact is solved, if the integrator steps contact.
    pub contact: Option<Contact>,
}

impl TrackSettings {
    /// A simulation that shares its model and begins here; and, if some bodies have no contact against the request, a sentence that says why.
    pub fn simulation(
        &self,
        model: &Arc<Model>,
        state: &State,
        control: &[f64],
    ) -> Result<(Simulation<'static>, Option<String>), SimulationError> {
        let build = |contact| {
            Simulation::builder(model.clone())
                .state(state.clone())
                .control(control.to_vec())
                .integrator(self.integrator)
                .formulation(self.formulation)
                .stabilisation(self.stabilisation)
                .contact(contact)
                .lenient()
                .build()
        };
        if self.contact.is_some() && !Contact::is_stepped_by(self.integrator) {
            return Ok((build(None)?, Some(Contact::not_stepped_sentence(self.integrator.word()))));
        }
        let simulation = build(self.contact)?;
        let sentence = simulation.left_out_sentence();
        Ok((simulation, sentence))
    }
}

/// Why a track cannot be stepped this way.
#[derive(Debug, Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum TrackError {
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// The integrators that can step this model in its own coordinates.
pub fn integrators_for(model: &Model) -> Vec<Method> {
    Method::ALL.into_iter().filter(|m| m.integrator(model).is_ok()).collect()
}

/// The lines of a ledger, J, in the order of [`Line::ALL`], and the change of kinetic energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyAccount {
    /// The work of each line.
    pub work: [f64; Line::ALL.len()],
    /// The gain in kinetic energy.
    pub kinetic: f64,
}

impl EnergyAccount {
    /// The sum of both.
    pub fn and(mut self, more: &EnergyAccount) -> EnergyAccount {
        self.work.iter_mut().zip(more.work).for_each(|(a, b)| *a += b);
        self.kinetic += more.kinetic;
        self
    }
}
