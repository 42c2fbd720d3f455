//! How a simulation is put together.

use super::{Contact, Formulation, Simulation, SimulationError};
use crate::constraint::Stabilisation;
use crate::dynamics::State;
use crate::integrate::{Method, ModelRef};

/// What a simulation is made of; [`Simulation::builder`] begins one.
#[derive(Clone, Debug)]
#[must_use]
pub struct SimulationBuilder<'a> {
    model: ModelRef<'a>,
    state: Option<State>,
    control: Vec<f64>,
    method: Method,
    formulation: Formulation,
    stabilisation: Stabilisation,
    dt: f64,
    ledger: bool,
    contact: Option<Contact>,
}

impl<'a> SimulationBuilder<'a> {
    pub(super) fn new(model: ModelRef<'a>) -> SimulationBuilder<'a> {
        SimulationBuilder {
            control: vec![0.0; model.actuators().len()],
            model,
            state: None,
            method: Method::default(),
            formulation: Formulation::default(),
            stabilisation: Stabilisation::default(),
            dt: 1e-3,
            ledger: false,
            contact: None,
        }
    }
    /// Where it begins [default: at rest in the neutral configuration].
    pub fn state(mut self, state: State) -> Self {
        self.state = Some(state);
        self
    }
    /// The control signals it begins with [default: 0].
    pub fn control(mut self, control: Vec<f64>) -> Self {
        self.control = control;
        self
    }
    /// The integrator [default: semi-implicit].
    pub fn integrator(mut self, method: Method) -> Self {
        self.method = method;
        self
    }
    /// The coordinates in which it is stepped [default: those of the joints].
    pub fn formulation(mut self, formulation: Formulation) -> Self {
        self.formulation = formulation;
        self
    }
    /// How constraints are kept from drifting [default: projection].
    pub fn stabilisation(mut self, by: Stabilisation) -> Self {
        self.stabilisation = by;
        self
    }
    /// The size of a [`Simulation::step`], s [default: 1e-3].
    pub fn dt(mut self, dt: f64) -> Self {
        self.dt = dt;
        self
    }
    /// Whether every step is accounted for, as [`Simulation::keep_ledger`] does [default: no].
    pub fn ledger(mut self, kept: bool) -> Self {
        self.ledger = kept;
        self
    }
    /// How bodies that touch are kept apart [default: they are not].
    pub fn contact(mut self, contact: impl Into<Option<Contact>>) -> Self {
        self.contact = contact.into();
        self
    }
    /// The simulation, or what does not fit.
    pub fn build(self) -> Result<Simulation<'a>, SimulationError> {
        if !(self.dt > 0.0 && self.dt.is_finite()) {
            return Err(SimulationError::BadStep(self.dt));
        }
        let state = self.state.unwrap_or_else(|| State::new(&self.model));
        let mut simulation = Simulation::begin(self.model, state, self.method, self.formulation)?;
        simulation.dt = self.dt;
        if let Some(contact) = self.contact {
            simulation.touch(contact)?;
        }
        simulation.stabilise(self.stabilisation);
        simulation.set_control(&self.control)?;
        if self.ledger {
            simulation.keep_ledger();
        }
        Ok(simulation)
    }
}
