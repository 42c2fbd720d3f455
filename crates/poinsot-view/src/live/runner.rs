//! One track being stepped.

use super::hand::{Hand, Target};
use crate::cast::{Role, Start};
use poinsot::algebra::V3;
use poinsot::dynamics::State;
use poinsot::integrate::{self, ModelRef, TREE_INTEGRATORS};
use poinsot::model::{BodyId, Model};
use poinsot::{Simulation, SimulationError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A body that is held by the hand.
#[derive(Clone)]
pub struct Grip {
    /// The body.
    pub body: BodyId,
    /// The point, in its frame.
    pub point: V3,
    /// Where it is pulled to.
    pub target: Target,
}

/// A track: its simulation, and how it is run.
pub struct Runner {
    /// Where it begins, and the model as it was given.
    pub role: Role,
    /// The model as it is run: perhaps without gravity.
    model: Arc<Model>,
    simulation: Simulation<'static>,
    /// The integrator that was asked for.
    pub integrator: String,
    /// The step, s.
    pub dt: f64,
    grip: Option<Grip>,
    /// Why it could not go on.
    pub stopped: Option<String>,
    /// Seconds that a step takes.
    pace: f64,
    /// The time spent in steps.
    pub spent: Duration,
}

/// Steps in one go take no longer than this, s, so that commands are heard.
const LONGEST: f64 = 2e-3;

impl Runner {
    /// Begins.
    pub fn new(role: Role) -> Result<Runner, SimulationError> {
        let (model, integrator, dt) = (role.model.clone(), role.integrator.clone(), role.dt);
        let simulation = simulate(&model, &role.start, &integrator)?;
        Ok(Runner {
            role,
            model,
            simulation,
            integrator,
            dt,
            grip: None,
            stopped: None,
            pace: 1e-6,
            spent: Duration::ZERO,
        })
    }

    /// The model as it is run.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// The state now.
    pub fn state(&self) -> &State {
        self.simulation.state()
    }
    /// The control signals.
    pub fn control(&self) -> &[f64] {
        self.simulation.control()
    }
    /// The integrator that is used: while the hand pulls, one that knows forces from outside.
    pub fn integrator_now(&self) -> &str {
        self.simulation.integrator()
    }
    /// All that is needed to go on from here.
    pub fn snapshot(&self) -> (State, Vec<f64>, Vec<f64>) {
        let s = &self.simulation;
        (s.state().clone(), s.control().to_vec(), s.activation().to_vec())
    }

    /// Goes on from another moment.
    pub fn go_to(
        &mut self,
        (state, control, activation): &(State, Vec<f64>, Vec<f64>),
    ) -> Result<(), SimulationError> {
        self.simulation.set_state(state.clone())?;
        self.simulation.control_mut().copy_from_slice(control);
        self.simulation.activation_mut().copy_from_slice(activation);
        self.stopped = None;
        Ok(())
    }
    /// Begins at a start.
    pub fn begin_at(&mut self, start: &Start) -> Result<(), SimulationError> {
        self.go_to(&(start.state.clone(), start.control.clone(), start.activation.clone()))
    }
    /// Sets a control signal.
    pub fn set_control(&mut self, actuator: usize, value: f64) {
        self.simulation.control_mut()[actuator] = value;
    }
    /// Sets a coordinate, and the velocity of its joint to 0.
    pub fn set_joint(&mut self, joint: usize, value: f64) -> Result<(), SimulationError> {
        let (mut state, joint) = (self.state().clone(), &self.model.joints()[joint]);
        state.q[joint.coordinates().start] = value;
        joint.dofs().for_each(|k| state.v[k] = 0.0);
        self.stopped = None;
        self.simulation.set_state(state)
    }

    /// Runs with another integrator.
    pub fn set_integrator(&mut self, name: &str) -> Result<(), SimulationError> {
        integrate::by_name(name, &self.model)?;
        self.integrator = name.to_string();
        self.stopped = None;
        self.rebuild()
    }
    /// Runs another model with the same bodies and joints.
    pub fn set_model(&mut self, model: Arc<Model>) -> Result<(), SimulationError> {
        self.model = model;
        self.rebuild()
    }
    /// Takes hold of a body, or lets go.
    pub fn set_grip(&mut self, grip: Option<Grip>) -> Result<(), SimulationError> {
        self.grip = grip;
        self.rebuild()
    }

    fn rebuild(&mut self) -> Result<(), SimulationError> {
        let (state, control, activation) = self.snapshot();
        let name = match &self.grip {
            // the methods for free bodies know no forces from outside
            Some(_) if !TREE_INTEGRATORS.contains(&self.integrator.as_str()) => "rkmk4",
            _ => &self.integrator,
        };
        let start = Start { name: String::new(), state, control, activation };
        self.simulation = simulate(&self.model, &start, name)?;
        if let Some(Grip { body, point, target }) = self.grip.clone() {
            let hand = Hand::new(&self.model, &start.state, body, point, target);
            self.simulation.push(hand);
        }
        Ok(())
    }

    /// Steps towards `until`, for no longer than a while; true when it is there, or can go no further.
    pub fn advance(&mut self, until: f64) -> bool {
        if self.stopped.is_some() {
            return true;
        }
        // half a step late is on time
        let left = ((until - self.state().time) / self.dt + 0.5).floor();
        if left < 1.0 {
            return true;
        }
        let steps = left.min((LONGEST / self.pace).max(1.0));
        let begin = Instant::now();
        self.steps(steps as usize);
        self.pace = (begin.elapsed().as_secs_f64() / steps).max(1e-9);
        steps == left || self.stopped.is_some()
    }

    /// Makes so many steps; on an error it stops, and says why.
    pub fn steps(&mut self, steps: usize) {
        let before = self.simulation.stepping_time();
        if let Err(error) = self.simulation.advance(steps, self.dt) {
            self.stopped = Some(error.to_string());
        }
        self.spent += self.simulation.stepping_time() - before;
    }
}

fn simulate(
    model: &Arc<Model>,
    start: &Start,
    integrator: &str,
) -> Result<Simulation<'static>, SimulationError> {
    let method = integrate::by_name(integrator, model)?;
    let mut simulation = Simulation::of(ModelRef::Shared(model.clone()), start.state.clone(), method)?;
    simulation.control_mut().copy_from_slice(&start.control);
    simulation.activation_mut().copy_from_slice(&start.activation);
    Ok(simulation)
}
