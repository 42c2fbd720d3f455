//! What a track steps, and its books.

use poinsot::audit::Line;
use poinsot::constraint::{AssemblyError, Stabilisation};
use poinsot::dynamics::State;
use poinsot::integrate::{self, INTEGRATORS, ModelRef};
use poinsot::model::{Model, ModelError};
use poinsot::{Formulation, MachineError};
use std::sync::Arc;
use thiserror::Error;

/// How a track is stepped.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The coordinates.
    pub formulation: Formulation,
    /// The name of the integrator.
    pub integrator: String,
    /// How constraints are kept from drifting.
    pub stabilisation: Stabilisation,
}

/// Why a track cannot be stepped so.
#[derive(Debug, Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum TrackError {
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// The names of all integrators that can step this model in its own coordinates.
pub fn integrators_for(model: &Model) -> Vec<String> {
    let names = INTEGRATORS.iter().map(|(name, _)| *name);
    names.filter(|n| integrate::by_name(n, model).is_ok()).map(str::to_string).collect()
}

/// The lines of a ledger, J, in the order of [`Line::ALL`], and the change of kinetic energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Books {
    /// The work of each line.
    pub work: [f64; Line::ALL.len()],
    /// What the motion has won.
    pub kinetic: f64,
}

impl Books {
    fn and(mut self, more: &Books) -> Books {
        self.work.iter_mut().zip(more.work).for_each(|(a, b)| *a += b);
        self.kinetic += more.kinetic;
        self
    }
}

/// All that is needed to go on from a moment.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    /// The state in the model's own coordinates.
    pub state: State,
    /// Control signals.
    pub control: Vec<f64>,
    /// The state of the free bodies, of a track in maximal coordinates.
    pub free: Option<State>,
    /// The ledger until then, where one was kept.
    pub books: Option<Books>,
}

/// A machine that shares its model, and its books.
pub struct Machine {
    machine: poinsot::Machine<'static>,
    /// What the ledger had before the machine was made.
    carried: Option<Books>,
}

impl Machine {
    /// Begins where `from` was saved.
    pub fn new(model: &Arc<Model>, from: &Saved, way: &Way) -> Result<Machine, MachineError> {
        let (model, state) = (ModelRef::Shared(model.clone()), from.state.clone());
        let machine = poinsot::Machine::new(model, state, &way.integrator, way.formulation)?;
        let mut machine = Machine { machine, carried: None };
        machine.machine.simulation_mut().stabilise(way.stabilisation);
        machine.go_to(from)?;
        Ok(machine)
    }

    /// What is stepped.
    pub fn inner(&self) -> &poinsot::Machine<'static> {
        &self.machine
    }
    /// The same, to be changed.
    pub fn inner_mut(&mut self) -> &mut poinsot::Machine<'static> {
        &mut self.machine
    }

    /// All that is needed to go on from here.
    pub fn saved(&self) -> Saved {
        Saved {
            state: self.machine.state().clone(),
            control: self.machine.control().to_vec(),
            free: self.machine.free_state().cloned(),
            books: self.books(),
        }
    }
    /// Goes on from another moment; in maximal coordinates from one less than half a turn away.
    pub fn go_to(&mut self, moment: &Saved) -> Result<(), MachineError> {
        self.machine.set_state(&moment.state, moment.free.as_ref())?;
        self.machine.set_control(&moment.control);
        if self.carried.is_some() {
            self.keep_books(moment.books.unwrap_or_default());
        }
        Ok(())
    }

    /// How far the rigid constraint that is worst met is from being met, m or rad; 0 where there is none. In maximal
    /// coordinates joints are constraints.
    pub fn drift(&mut self) -> f64 {
        self.machine.violation().map_or(0.0, |(_, size)| size)
    }
    /// Keeps a ledger from here on, which had `carried` already.
    pub fn keep_books(&mut self, carried: Books) {
        self.carried = Some(carried);
        self.machine.simulation_mut().keep_ledger();
    }
    /// The ledger, if one is kept.
    pub fn books(&self) -> Option<Books> {
        let total = self.machine.simulation().ledger()?.total();
        Some(Books { work: total.energy, kinetic: total.kinetic }.and(&self.carried?))
    }
}
