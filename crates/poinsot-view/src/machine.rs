//! What a track steps: its model, or the same in maximal coordinates, always seen in the model's own.

use poinsot::audit::Line;
use poinsot::constraint::{AssemblyError, Maximal, Stabilisation};
use poinsot::dynamics::State;
use poinsot::integrate::{self, ForceElement, INTEGRATORS, JointForces, ModelRef, Signals, TREE_INTEGRATORS};
use poinsot::model::{BodyId, Model, ModelError};
use poinsot::{Simulation, SimulationError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// The coordinates in which a track is stepped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Formulation {
    /// Those of the joints; loops by multipliers.
    #[default]
    Reduced,
    /// Every body free, every joint a constraint.
    Maximal,
}

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
pub enum MachineError {
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(
        "`{name}` does not step constraints, which joints are in maximal coordinates; use one of: {}",
        TREE_INTEGRATORS.join(", ")
    )]
    NotForConstraints { name: String },
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
    /// Activations.
    pub activation: Vec<f64>,
    /// The state of the free bodies, of a track in maximal coordinates.
    pub free: Option<State>,
    /// The ledger until then, where one was kept.
    pub books: Option<Books>,
}

/// A simulation that shares its model, and the model beside it when it is simulated in maximal coordinates.
pub struct Machine {
    simulation: Simulation<'static>,
    beside: Option<Beside>,
    /// What the ledger had before the simulation was made.
    carried: Option<Books>,
}

/// The model whose free bodies are simulated.
struct Beside {
    model: Arc<Model>,
    maximal: Arc<Maximal>,
    state: State,
    signals: Signals,
    control: Vec<f64>,
    activation: Vec<f64>,
}

impl Machine {
    /// Begins where `from` was saved.
    pub fn new(model: &Arc<Model>, from: &Saved, way: &Way) -> Result<Machine, MachineError> {
        let mut machine = match way.formulation {
            Formulation::Reduced => Machine::reduced(model, from, &way.integrator)?,
            Formulation::Maximal => Machine::maximal(model, from, &way.integrator)?,
        };
        machine.simulation.stabilise(way.stabilisation);
        machine.go_to(from)?;
        Ok(machine)
    }

    fn reduced(model: &Arc<Model>, from: &Saved, integrator: &str) -> Result<Machine, MachineError> {
        let method = integrate::by_name(integrator, model).map_err(SimulationError::from)?;
        let simulation = Simulation::of(ModelRef::Shared(model.clone()), from.state.clone(), method)?;
        Ok(Machine { simulation, beside: None, carried: None })
    }

    fn maximal(model: &Arc<Model>, from: &Saved, integrator: &str) -> Result<Machine, MachineError> {
        if !TREE_INTEGRATORS.contains(&integrator) {
            return Err(MachineError::NotForConstraints { name: integrator.to_string() });
        }
        let maximal = Arc::new(Maximal::beginning_at(model, &from.state.q)?);
        let free = Arc::new(maximal.model().clone());
        let method = integrate::by_name(integrator, &free).map_err(SimulationError::from)?;
        let mut simulation = Simulation::of(ModelRef::Shared(free), maximal.state(&from.state), method)?;
        let forces = JointForces::of(model.clone(), maximal.clone());
        let signals = forces.signals();
        simulation.push(forces);
        let beside = Beside {
            model: model.clone(),
            maximal,
            state: from.state.clone(),
            signals,
            control: from.control.clone(),
            activation: from.activation.clone(),
        };
        Ok(Machine { simulation, beside: Some(beside), carried: None })
    }

    /// Makes `steps` steps of `dt`.
    pub fn advance(&mut self, steps: usize, dt: f64) -> Result<(), SimulationError> {
        let Some(beside) = &mut self.beside else { return self.simulation.advance(steps, dt) };
        // activations follow after each step, which the free bodies do not know of
        let stretch = if beside.activation.is_empty() { steps } else { 1 };
        for _ in (0..steps).step_by(stretch.max(1)) {
            let outcome = self.simulation.advance(stretch, dt);
            beside.maximal.put_reduced(self.simulation.state(), &mut beside.state);
            outcome?;
            if !beside.activation.is_empty() {
                beside.model.advance_activations(&beside.control, &mut beside.activation, dt);
                beside.signals.set(&beside.control, &beside.activation);
                self.simulation.elements_changed();
            }
        }
        Ok(())
    }

    /// The state now, in the model's own coordinates.
    pub fn state(&self) -> &State {
        self.beside.as_ref().map_or(self.simulation.state(), |b| &b.state)
    }
    /// The control signals, in the order of the model's actuators.
    pub fn control(&self) -> &[f64] {
        self.beside.as_ref().map_or(self.simulation.control(), |b| &b.control)
    }
    /// The activations of the actuators that have dynamics.
    pub fn activation(&self) -> &[f64] {
        self.beside.as_ref().map_or(self.simulation.activation(), |b| &b.activation)
    }
    /// The integrator that is used.
    pub fn integrator(&self) -> &'static str {
        self.simulation.integrator()
    }
    /// The time spent in steps.
    pub fn stepping_time(&self) -> Duration {
        self.simulation.stepping_time()
    }

    /// Sets control signals and activations.
    pub fn set_signals(&mut self, control: &[f64], activation: &[f64]) {
        match &mut self.beside {
            None => {
                self.simulation.control_mut().copy_from_slice(control);
                self.simulation.activation_mut().copy_from_slice(activation);
            }
            Some(b) => {
                b.control.copy_from_slice(control);
                b.activation.copy_from_slice(activation);
                b.signals.set(control, activation);
                self.simulation.elements_changed();
            }
        }
    }

    /// All that is needed to go on from here.
    pub fn saved(&self) -> Saved {
        Saved {
            state: self.state().clone(),
            control: self.control().to_vec(),
            activation: self.activation().to_vec(),
            free: self.beside.as_ref().map(|_| self.simulation.state().clone()),
            books: self.books(),
        }
    }
    /// Goes on from another moment; in maximal coordinates from one less than half a turn away.
    pub fn go_to(&mut self, moment: &Saved) -> Result<(), SimulationError> {
        match &mut self.beside {
            None => self.simulation.set_state(moment.state.clone())?,
            Some(beside) => {
                let free = moment.free.clone().unwrap_or_else(|| beside.maximal.state(&moment.state));
                self.simulation.set_state(free)?;
                beside.state.clone_from(&moment.state);
            }
        }
        self.set_signals(&moment.control, &moment.activation);
        if self.carried.is_some() {
            self.keep_books(moment.books.unwrap_or_default());
        }
        Ok(())
    }

    /// Adds something that pushes the model that is stepped.
    pub fn push(&mut self, element: impl ForceElement + 'static) {
        self.simulation.push(element);
    }
    /// The model that is stepped, when it is not the track's own, and what a body is there.
    pub fn stepped(&self, body: BodyId) -> Option<(&Model, BodyId)> {
        self.beside.as_ref().map(|b| (b.maximal.model(), b.maximal.body(body)))
    }

    /// How far the rigid constraint that is worst met is from being met, m or rad; 0 where there is none. In maximal
    /// coordinates joints are constraints.
    pub fn drift(&mut self) -> f64 {
        self.simulation.violation().map_or(0.0, |(_, size)| size)
    }
    /// Keeps a ledger from here on, which had `carried` already.
    pub fn keep_books(&mut self, carried: Books) {
        self.carried = Some(carried);
        self.simulation.keep_ledger();
    }
    /// The ledger, if one is kept.
    pub fn books(&self) -> Option<Books> {
        let total = self.simulation.ledger()?.total();
        Some(Books { work: total.energy, kinetic: total.kinetic }.and(&self.carried?))
    }
}
