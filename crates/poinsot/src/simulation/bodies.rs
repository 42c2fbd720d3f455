//! In maximal coordinates: the free bodies that are stepped instead of the model.

use crate::constraint::{Maximal, Stabilisation};
use crate::dynamics::State;
use crate::integrate::{ForceElement, JointForces, ModelRef, SharedElements, Signals, System};
use crate::model::{Model, ModelError};
use std::sync::Arc;

/// The free bodies, their state, and the model they represent.
pub(super) struct Bodies<'a> {
    pub maximal: Arc<Maximal>,
    pub state: State,
    /// The controls and activations of the model, for the forces of its joints.
    pub signals: Signals,
    /// The model itself, for queries at its own state; it has the control signals.
    pub original: System<'a>,
    elements: SharedElements<'a>,
}

impl<'a> Bodies<'a> {
    /// Converts a model at `state` to free bodies, and creates the system that steps them.
    pub fn new(model: &ModelRef<'a>, state: &State) -> Result<(Bodies<'a>, System<'a>), ModelError> {
        let elements = SharedElements::default();
        let mut original = System::of(model.clone());
        original.push(elements.clone());
        let (maximal, signals, system) = stepped(model, state, &elements)?;
        let state = maximal.state(state);
        Ok((Bodies { maximal, state, signals, original, elements }, system))
    }

    /// Restarts at another state, from which turns are counted; returns the system that steps it.
    pub fn begin_at(&mut self, model: &ModelRef<'a>, state: &State) -> Result<System<'a>, ModelError> {
        let (maximal, signals, mut system) = stepped(model, state, &self.elements)?;
        signals.set(self.original.control(), &state.activation);
        system.stabilise(self.original.stabilisation());
        self.state = maximal.state(state);
        (self.maximal, self.signals) = (maximal, signals);
        Ok(system)
    }

    /// Adds a force element to the model.
    pub fn push(&self, element: impl ForceElement + 'a) {
        self.elements.push(element);
    }

    pub fn stabilise(&mut self, by: Stabilisation) {
        self.original.stabilise(by);
    }

    /// Passes controls and activations on to the joint forces; true if they have changed.
    pub fn signal(&self, activation: &[f64]) -> bool {
        let control = self.original.control();
        let changed = !self.signals.are(control, activation);
        if changed {
            self.signals.set(control, activation);
        }
        changed
    }
}

/// The maximal coordinates of a model starting at `state`, and their system, with the joint forces as an element.
fn stepped<'a>(
    model: &ModelRef<'a>,
    state: &State,
    elements: &SharedElements<'a>,
) -> Result<(Arc<Maximal>, Signals, System<'a>), ModelError> {
    let shared: Arc<Model> = match model {
        ModelRef::Borrowed(model) => Arc::new((*model).clone()),
        ModelRef::Shared(model) => model.clone(),
    };
    let maximal = Arc::new(Maximal::beginning_at(&shared, &state.q)?);
    let mut system = System::of(ModelRef::Shared(Arc::new(maximal.model().clone())));
    let forces = JointForces::of(shared, maximal.clone()).with_elements(elements.clone());
    let signals = forces.signals();
    signals.set(&vec![0.0; model.actuators().len()], &state.activation);
    system.push(forces);
    Ok((maximal, signals, system))
}
