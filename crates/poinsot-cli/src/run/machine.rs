//! What a run steps: the model itself, or the same in maximal coordinates, always seen in the model's own.

use crate::failure::{Outcome, failure};
use clap::ValueEnum;
use poinsot::Simulation;
use poinsot::constraint::{Maximal, Stabilisation};
use poinsot::dynamics::State;
use poinsot::integrate::{JointForces, Signals, TREE_INTEGRATORS};
use poinsot::model::Model;

/// The coordinates in which a run is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Formulation {
    /// Those of the joints; loops by multipliers
    #[default]
    Reduced,
    /// Every body free, every joint a constraint
    Maximal,
}

impl Formulation {
    /// The model in maximal coordinates, when it is to be run so from the coordinates q.
    pub fn maximal(self, model: &Model, q: &[f64], integrator: &str) -> Outcome<Option<Maximal>> {
        if self == Formulation::Reduced {
            return Ok(None);
        }
        if !TREE_INTEGRATORS.contains(&integrator) {
            let help = format!("give --integrator one of: {}", TREE_INTEGRATORS.join(", "));
            return Err(failure(format!("`{integrator}` does not step constraints")).help(help));
        }
        Ok(Some(Maximal::beginning_at(model, q)?))
    }
}

/// `projection`, `baumgarte:SECONDS` or `nothing`.
pub fn stabilisation(text: &str) -> Result<Stabilisation, String> {
    match (text, text.strip_prefix("baumgarte:")) {
        ("projection", _) => Ok(Stabilisation::Projection),
        ("nothing", _) => Ok(Stabilisation::Nothing),
        (_, Some(seconds)) => {
            super::positive(seconds).map(|time_constant| Stabilisation::Baumgarte { time_constant })
        }
        _ => {
            Err("give projection, nothing, or baumgarte: and a time in seconds, as in baumgarte:0.05".into())
        }
    }
}

/// A simulation, and the model beside it when it is simulated in maximal coordinates.
pub struct Machine<'a> {
    pub simulation: Simulation<'a>,
    beside: Option<Beside<'a>>,
}

/// The model whose free bodies are simulated.
struct Beside<'a> {
    model: &'a Model,
    maximal: &'a Maximal,
    state: State,
    signals: Signals,
    control: Vec<f64>,
    activation: Vec<f64>,
}

impl<'a> Machine<'a> {
    /// Begins at `state`, with the integrator of this name.
    pub fn new(
        model: &'a Model,
        maximal: Option<&'a Maximal>,
        state: State,
        integrator: &str,
    ) -> Outcome<Machine<'a>> {
        let Some(maximal) = maximal else {
            return Ok(Machine { simulation: Simulation::new(model, state, integrator)?, beside: None });
        };
        let mut simulation = Simulation::new(maximal.model(), maximal.state(&state), integrator)?;
        let forces = JointForces::new(model, maximal);
        let signals = forces.signals();
        simulation.push(forces);
        let (control, activation) = (vec![0.0; model.actuators().len()], vec![0.0; model.activations()]);
        let beside = Beside { model, maximal, state, signals, control, activation };
        Ok(Machine { simulation, beside: Some(beside) })
    }

    /// Makes `steps` steps of `dt`, then looks at energy and momentum.
    pub fn run(&mut self, steps: usize, dt: f64) -> Outcome<()> {
        let Some(beside) = &mut self.beside else { return Ok(self.simulation.run(steps, dt)?) };
        // activations follow after each step, which the free bodies do not know of
        let stretch = if beside.activation.is_empty() { steps } else { 1 };
        for done in (0..steps).step_by(stretch.max(1)) {
            let last = done + stretch >= steps;
            let outcome =
                if last { self.simulation.run(stretch, dt) } else { self.simulation.advance(stretch, dt) };
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
    /// Sets the control signals.
    pub fn set_control(&mut self, signals: &[f64]) {
        match &mut self.beside {
            None => self.simulation.control_mut().copy_from_slice(signals),
            Some(b) => {
                b.control.copy_from_slice(signals);
                b.signals.set(&b.control, &b.activation);
                self.simulation.elements_changed();
            }
        }
    }
    /// True when joints of the free bodies have springs, dampers or servos.
    pub fn has_stiff_joints(&self) -> bool {
        let stiff = |m: &Model| m.joints().iter().any(|j| j.damping > 0.0 || j.stiffness > 0.0);
        self.beside.as_ref().is_some_and(|b| stiff(b.model) || !b.model.actuators().is_empty())
    }
    /// The word for the coordinates.
    pub fn formulation(&self) -> &'static str {
        if self.beside.is_some() { "maximal" } else { "reduced" }
    }
    /// The rigid constraint furthest from being met now, joints of free bodies among them.
    pub fn violation(&mut self) -> Option<(String, f64)> {
        let (name, size) = self.simulation.violation()?;
        let name = if self.beside.is_some() { name.trim_end_matches(":constraint").into() } else { name };
        Some((name, size))
    }
}
