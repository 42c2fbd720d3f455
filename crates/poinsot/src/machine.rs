//! What is stepped: a model, or the same in maximal coordinates, always seen in the model's own.

use crate::constraint::Maximal;
use crate::dynamics::State;
use crate::integrate::{self, JointForces, ModelRef, Signals, TREE_INTEGRATORS};
use crate::model::{BodyId, Model, ModelError};
use crate::simulation::{Simulation, SimulationError};
use std::sync::Arc;
use thiserror::Error;

/// The coordinates in which a model is stepped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Those of the joints; loops by multipliers.
    #[default]
    Reduced,
    /// Every body free, every joint a constraint.
    Maximal,
}

impl Formulation {
    /// Both.
    pub const ALL: [Formulation; 2] = [Formulation::Reduced, Formulation::Maximal];
    /// The word a user reads and types.
    pub fn word(self) -> &'static str {
        match self {
            Formulation::Reduced => "reduced",
            Formulation::Maximal => "maximal",
        }
    }
}

/// Why a model cannot be stepped so.
#[derive(Debug, Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum MachineError {
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(
        "`{name}` does not step constraints, which joints are in maximal coordinates; use one of: {}",
        TREE_INTEGRATORS.join(", ")
    )]
    NotForConstraints { name: String },
}

/// A simulation in either formulation. State, controls and activations are those of the model it was made for.
///
/// ```
/// use poinsot::{Formulation, Machine, integrate::ModelRef};
/// let scene = poinsot::scenes::by_name("four-bar")?;
/// let end = |formulation| -> Result<f64, Box<dyn std::error::Error>> {
///     let model = ModelRef::Borrowed(&scene.model);
///     let mut machine = Machine::new(model, scene.state.clone(), "rkmk4", formulation)?;
///     machine.run(100, 1e-3)?;
///     Ok(machine.state().q[0])
/// };
/// let (reduced, maximal) = (end(Formulation::Reduced)?, end(Formulation::Maximal)?);
/// assert!((reduced - maximal).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Machine<'a> {
    simulation: Simulation<'a>,
    beside: Option<Beside>,
}

/// The model whose free bodies are simulated.
struct Beside {
    model: Arc<Model>,
    maximal: Arc<Maximal>,
    state: State,
    signals: Signals,
    control: Vec<f64>,
}

impl<'a> Machine<'a> {
    /// Begins at `state` with the integrator of this name; controls are 0.
    pub fn new(
        model: ModelRef<'a>,
        state: State,
        integrator: &str,
        formulation: Formulation,
    ) -> Result<Machine<'a>, MachineError> {
        if formulation == Formulation::Maximal {
            return Machine::maximal(model, state, integrator);
        }
        let method = integrate::by_name(integrator, &model).map_err(SimulationError::from)?;
        Ok(Machine { simulation: Simulation::of(model, state, method)?, beside: None })
    }

    fn maximal(model: ModelRef<'a>, state: State, integrator: &str) -> Result<Machine<'a>, MachineError> {
        if !TREE_INTEGRATORS.contains(&integrator) {
            return Err(MachineError::NotForConstraints { name: integrator.to_string() });
        }
        crate::simulation::check(&model, &state)?;
        let model = match model {
            ModelRef::Borrowed(model) => Arc::new(model.clone()),
            ModelRef::Shared(model) => model,
        };
        let maximal = Arc::new(Maximal::beginning_at(&model, &state.q)?);
        let free = Arc::new(maximal.model().clone());
        let method = integrate::by_name(integrator, &free).map_err(SimulationError::from)?;
        let mut simulation = Simulation::of(ModelRef::Shared(free), maximal.state(&state), method)?;
        let forces = JointForces::of(model.clone(), maximal.clone());
        let signals = forces.signals();
        simulation.push(forces);
        let control = vec![0.0; model.actuators().len()];
        signals.set(&control, &state.activation);
        let beside = Beside { model, maximal, state, signals, control };
        Ok(Machine { simulation, beside: Some(beside) })
    }

    /// The coordinates in which it is stepped.
    pub fn formulation(&self) -> Formulation {
        if self.beside.is_some() { Formulation::Maximal } else { Formulation::Reduced }
    }
    /// What is stepped: in maximal coordinates the free bodies.
    pub fn simulation(&self) -> &Simulation<'a> {
        &self.simulation
    }
    /// The same, to be changed.
    pub fn simulation_mut(&mut self) -> &mut Simulation<'a> {
        &mut self.simulation
    }
    /// In maximal coordinates, the model of free bodies, and what a body is there.
    pub fn stepped(&self, body: BodyId) -> Option<(&Model, BodyId)> {
        self.beside.as_ref().map(|b| (b.maximal.model(), b.maximal.body(body)))
    }

    /// Makes `steps` steps of `dt`, then looks at energy and momentum. On an error the state is the last good one.
    pub fn run(&mut self, steps: usize, dt: f64) -> Result<(), SimulationError> {
        let outcome = self.advance(steps, dt);
        if !matches!(outcome, Err(SimulationError::BadStep(_))) {
            self.simulation.look();
        }
        outcome
    }

    /// The same without looking.
    pub fn advance(&mut self, steps: usize, dt: f64) -> Result<(), SimulationError> {
        let Some(beside) = &mut self.beside else { return self.simulation.advance(steps, dt) };
        // activations follow after each step, which the free bodies do not know of
        let stretch = if beside.state.activation.is_empty() { steps } else { 1 };
        for _ in (0..steps).step_by(stretch.max(1)) {
            let outcome = self.simulation.advance(stretch, dt);
            beside.maximal.put_reduced(self.simulation.state(), &mut beside.state);
            outcome?;
            if !beside.state.activation.is_empty() {
                beside.model.advance_activations(&beside.control, &mut beside.state.activation, dt);
                beside.signals.set(&beside.control, &beside.state.activation);
                self.simulation.elements_changed();
            }
        }
        Ok(())
    }

    /// The state now, in the model's own coordinates.
    pub fn state(&self) -> &State {
        self.beside.as_ref().map_or(self.simulation.state(), |b| &b.state)
    }
    /// The state of the free bodies, in maximal coordinates.
    pub fn free_state(&self) -> Option<&State> {
        self.beside.as_ref().map(|_| self.simulation.state())
    }
    /// Goes on from another state: in maximal coordinates from one less than half a turn away, and where `free` is given
    /// from these very bodies.
    pub fn set_state(&mut self, state: &State, free: Option<&State>) -> Result<(), SimulationError> {
        let Some(beside) = &mut self.beside else { return self.simulation.set_state(state.clone()) };
        let free = free.cloned().unwrap_or_else(|| beside.maximal.state(state));
        self.simulation.set_state(free)?;
        beside.state.clone_from(state);
        beside.signals.set(&beside.control, &state.activation);
        self.simulation.elements_changed();
        Ok(())
    }

    /// The control signals, in the order of the model's actuators.
    pub fn control(&self) -> &[f64] {
        self.beside.as_ref().map_or(self.simulation.control(), |b| &b.control)
    }
    /// The activations of the actuators that have dynamics.
    pub fn activation(&self) -> &[f64] {
        self.beside.as_ref().map_or(self.simulation.activation(), |b| &b.state.activation)
    }
    /// Sets the control signals.
    ///
    /// # Panics
    /// When these are not as many as the model has actuators.
    pub fn set_control(&mut self, control: &[f64]) {
        match &mut self.beside {
            None => self.simulation.control_mut().copy_from_slice(control),
            Some(b) => {
                b.control.copy_from_slice(control);
                b.signals.set(&b.control, &b.state.activation);
                self.simulation.elements_changed();
            }
        }
    }
    /// Sets the activations.
    ///
    /// # Panics
    /// When these are not as many as the model has.
    pub fn set_activation(&mut self, activation: &[f64]) {
        match &mut self.beside {
            None => self.simulation.activation_mut().copy_from_slice(activation),
            Some(b) => {
                b.state.activation.copy_from_slice(activation);
                b.signals.set(&b.control, &b.state.activation);
                self.simulation.elements_changed();
            }
        }
    }

    /// The rigid constraint furthest from being met now, and by how much, m or rad; in maximal coordinates joints are
    /// among them.
    pub fn violation(&mut self) -> Option<(String, f64)> {
        let (name, size) = self.simulation.violation()?;
        let own = name.strip_suffix(":constraint").filter(|_| self.beside.is_some()).map(str::to_string);
        Some((own.unwrap_or(name), size))
    }
}
