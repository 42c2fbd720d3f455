//! A model being stepped, watched.

use crate::audit::Ledger;
use crate::constraint::{Reactions, Stabilisation};
use crate::dynamics::{ExternalForces, State};
use crate::integrate::{self, ForceElement, Integrator, IntegratorError, ModelRef, StepError, System};
use crate::model::{ConstraintId, JointId, Model};
use crate::spatial::Force;
use crate::watch::{Drift, Watch};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Why a simulation could not begin or go on.
#[derive(Debug, Error)]
pub enum SimulationError {
    /// No such integrator, or not for this model.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The step is not a positive number.
    #[error("the time step is {0} s; give a positive finite number of seconds")]
    BadStep(f64),
    /// The initial state does not fit the model or has a number that is not finite.
    #[error("the initial state is wrong: {0}")]
    BadState(String),
}

/// A model, a state, an integrator, and a watch over energy and momentum. Example: [crate].
pub struct Simulation<'a> {
    system: System<'a>,
    state: State,
    integrator: Box<dyn Integrator>,
    watch: Watch,
    ledger: Option<Box<Ledger>>,
    stepping: Duration,
    steps: usize,
    clock: Clock,
}

/// Steps of one size since some time: time is begin + steps · dt, for a million sums of 0.01 are off by 1e-10.
struct Clock {
    dt: f64,
    begin: f64,
    steps: usize,
}

impl<'a> Simulation<'a> {
    /// Begins at `state` with the integrator of this name.
    pub fn new(model: &'a Model, state: State, integrator: &str) -> Result<Simulation<'a>, SimulationError> {
        Simulation::with(model, state, integrate::by_name(integrator, model)?)
    }

    /// Begins at `state` with an integrator of your own.
    pub fn with(
        model: &'a Model,
        state: State,
        integrator: Box<dyn Integrator>,
    ) -> Result<Simulation<'a>, SimulationError> {
        Simulation::of(ModelRef::Borrowed(model), state, integrator)
    }

    /// The same for a model that is borrowed or shared: a `Simulation<'static>` shares its model.
    pub fn of(
        model: ModelRef<'a>,
        state: State,
        integrator: Box<dyn Integrator>,
    ) -> Result<Simulation<'a>, SimulationError> {
        check(&model, &state)?;
        let mut system = System::of(model);
        let watch = Watch::begin(&mut system, &state);
        let clock = Clock { dt: 0.0, begin: state.time, steps: 0 };
        Ok(Simulation {
            system,
            state,
            integrator,
            watch,
            ledger: None,
            stepping: Duration::ZERO,
            steps: 0,
            clock,
        })
    }

    /// Makes `steps` steps of `dt`, then looks at energy and momentum. On an error the state is the last good one.
    pub fn run(&mut self, steps: usize, dt: f64) -> Result<(), SimulationError> {
        let outcome = self.advance(steps, dt);
        if !matches!(outcome, Err(SimulationError::BadStep(_))) {
            self.look();
        }
        outcome
    }

    /// Looks at energy and momentum, for [`Simulation::drift`].
    pub fn look(&mut self) {
        self.watch.look(&mut self.system, &self.state);
    }

    /// The same without a look at energy and momentum: for those who look themselves.
    pub fn advance(&mut self, steps: usize, dt: f64) -> Result<(), SimulationError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(SimulationError::BadStep(dt));
        }
        if dt != self.clock.dt {
            self.clock = Clock { dt, begin: self.state.time, steps: 0 };
        }
        let mut outcome = Ok(());
        let mut begin = Instant::now();
        for _ in 0..steps {
            if let Some(ledger) = &mut self.ledger {
                ledger.prepare(&mut self.system, &self.state);
                begin = Instant::now();
            }
            outcome = self.integrator.step(&mut self.system, &mut self.state, dt);
            if outcome.is_err() {
                break;
            }
            if let Some(ledger) = &mut self.ledger {
                self.stepping += begin.elapsed();
                ledger.account(&mut self.system, self.integrator.quadrature(), &self.state, dt);
                begin = Instant::now();
            }
            self.system.advance_activations(&mut self.state, dt);
            self.steps += 1;
            self.clock.steps += 1;
            self.state.time = self.clock.begin + self.clock.steps as f64 * dt;
        }
        self.stepping += begin.elapsed();
        Ok(outcome?)
    }

    /// Adds something that pushes the model. Energy and momentum are watched from here on.
    pub fn push(&mut self, element: impl ForceElement + 'a) {
        self.system.push(element);
        self.begin_watch();
    }

    /// To be called when an element pushes differently from now on, as a [`integrate::JointForces`] whose signals were set:
    /// the ledger looks anew.
    pub fn elements_changed(&mut self) {
        if let Some(ledger) = &mut self.ledger {
            ledger.restart(&mut self.system, &self.state);
        }
    }

    fn begin_watch(&mut self) {
        self.watch = Watch::begin(&mut self.system, &self.state);
        if let Some(ledger) = &mut self.ledger {
            ledger.restart(&mut self.system, &self.state);
        }
    }

    /// Accounts for every step from here on, which takes several times as long as the steps do.
    ///
    /// ```
    /// use poinsot::audit::Line;
    /// let scene = poinsot::scenes::by_name("double-pendulum")?;
    /// let mut simulation = poinsot::Simulation::new(&scene.model, scene.state, "rkmk4")?;
    /// simulation.keep_ledger();
    /// simulation.run(1000, 1e-3)?;
    /// let total = simulation.ledger().unwrap().total();
    /// assert!((total.work(Line::Gravity) - total.kinetic).abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_ledger(&mut self) {
        self.ledger = Some(Box::new(Ledger::begin(&mut self.system, &self.state)));
    }
    /// The ledger, if one is kept.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_deref()
    }

    /// Sets how constraints are kept from drifting.
    pub fn stabilise(&mut self, by: Stabilisation) {
        self.system.stabilise(by);
    }
    /// The rigid constraint furthest from being met now, by name, and by how many metres or radians; none when the model has
    /// no constraints.
    pub fn violation(&mut self) -> Option<(String, f64)> {
        let model = self.system.model();
        let (ws, held) = self.system.constraints();
        let worst = held?.violation(&model, ws, &self.state.q);
        Some((model.constraints()[worst.constraint].name.clone(), worst.size))
    }
    /// The acceleration now.
    pub fn acceleration(&mut self) -> Vec<f64> {
        let mut a = vec![0.0; self.state.v.len()];
        self.system.acceleration(&self.state, &mut a);
        a
    }
    /// The force of each constraint now, rigid or soft, row by row along growing C, N or N m.
    pub fn constraint_forces(&mut self) -> Vec<(String, Vec<f64>)> {
        self.acceleration();
        let model = self.system.model();
        let Some(held) = self.system.multipliers() else { return Vec::new() };
        let of = |id: ConstraintId| held.rows_of(id).map(|row| held.force(row)).collect();
        model.constraint_ids().map(|id| (model.constraints()[id.index()].name.clone(), of(id))).collect()
    }
    /// What each joint transmits to its body now, in world axes about the joint's anchor. Forces of the medium, of gravity
    /// compensation and of actuators on sites count as coming through the joints; those of constraints, rigid or soft, do not.
    ///
    /// ```
    /// use poinsot::{Simulation, algebra::V3, dynamics::State, model::*, spatial::Pose};
    /// // a weight of 1 kg in the middle of a bar, which is held by a hinge and at its end by a spring
    /// let mut b = ModelBuilder::new("bar");
    /// let weight = (&Shape::Sphere { radius: 0.1 }, 1.0, Pose::translation(V3::X * 0.5));
    /// let bar = b.body(BodyId::WORLD, BodySpec::new("bar").solid_at(weight.0, weight.1, weight.2)?);
    /// b.joint(bar, Joint::revolute(V3::Y));
    /// let (hook, end) = (Mount::new(BodyId::WORLD, V3::X + V3::Z), Mount::new(bar, V3::X));
    /// b.constraint(Constraint::distance(hook, end, 1.0 - 0.5 * 9.81 / 100.0).soft(100.0, 0.0));
    /// let model = b.build()?;
    /// let mut simulation = Simulation::new(&model, State::new(&model), "rkmk4")?;
    /// let up = simulation.reactions()[0].1.force.z;
    /// assert!((up - 0.5 * 9.81).abs() < 1e-12); // each bears half
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reactions(&mut self) -> Vec<(String, Force)> {
        let a = self.acceleration();
        let model = self.system.model();
        let mut reactions = Reactions::new(&model);
        let (ws, held) = self.system.constraints();
        let (held, mut outside) = (held.map(|h| &*h), ExternalForces::new(&model));
        held.iter().for_each(|h| h.push_soft_forces(&mut outside));
        reactions.find(&model, ws, &self.state.q, &self.state.v, &a, held, Some(&outside));
        let of = |id: JointId| (model.joints()[id.index()].name.clone(), reactions.of(id));
        model.joint_ids().map(of).collect()
    }

    /// Goes on from another state; energy and momentum are watched from here on. Controls stay.
    pub fn set_state(&mut self, state: State) -> Result<(), SimulationError> {
        check(&self.system.model(), &state)?;
        self.clock = Clock { dt: 0.0, begin: state.time, steps: 0 };
        self.state = state;
        self.begin_watch();
        Ok(())
    }

    /// The control signals, in the order of the model's actuators.
    pub fn control(&self) -> &[f64] {
        self.system.control()
    }
    /// The control signals, to be set; they hold until they are set again.
    ///
    /// ```
    /// # use poinsot::{Simulation, algebra::V3, dynamics::State, model::*};
    /// # let mut b = ModelBuilder::new("wheel");
    /// # let wheel = b.body(BodyId::WORLD, BodySpec::new("wheel").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// # let axle = b.joint(wheel, Joint::revolute(V3::Y));
    /// b.actuator(Actuator::position(axle, 100.0).damping(2.0));
    /// let model = b.build()?;
    /// let mut simulation = Simulation::new(&model, State::new(&model), "implicit")?;
    /// simulation.control_mut()[0] = 0.7;
    /// simulation.run(1000, 1e-3)?;
    /// assert!((simulation.state().q[0] - 0.7).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn control_mut(&mut self) -> &mut [f64] {
        self.system.control_mut()
    }
    /// The activations of the actuators that have dynamics.
    pub fn activation(&self) -> &[f64] {
        &self.state.activation
    }
    /// The activations, to be set.
    pub fn activation_mut(&mut self) -> &mut [f64] {
        &mut self.state.activation
    }
    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }
    /// The name of the integrator.
    pub fn integrator(&self) -> &'static str {
        self.integrator.name()
    }
    /// How many steps have been made.
    pub fn steps(&self) -> usize {
        self.steps
    }
    /// The time spent in steps.
    pub fn stepping_time(&self) -> Duration {
        self.stepping
    }
    /// Kinetic plus potential energy now.
    pub fn energy(&mut self) -> f64 {
        self.system.energy(&self.state)
    }
    /// Kinetic energy, that of rotors included, and potential energy, that of springs, soft constraints and elements included.
    pub fn energies(&mut self) -> (f64, f64) {
        self.system.energies(&self.state)
    }
    /// How far energy and momentum have departed from the beginning, at worst, wherever it was looked.
    pub fn drift(&self) -> Drift {
        self.watch.drift()
    }
    /// The model at the state now: poses, velocities, energies, momenta.
    pub fn at(&mut self) -> crate::dynamics::At<'_> {
        self.system.at(&self.state)
    }
}

/// Refuses a state that does not fit the model or has a number that is not finite.
pub(crate) fn check(model: &Model, state: &State) -> Result<(), SimulationError> {
    for (what, given, wanted) in [
        ("coordinates", state.q.len(), model.nq()),
        ("velocities", state.v.len(), model.nv()),
        ("activations", state.activation.len(), model.activations()),
    ] {
        if given != wanted {
            let wants = format!("{given} {what} for a model that has {wanted}");
            return Err(SimulationError::BadState(wants));
        }
    }
    if let Some(what) = state.first_not_finite(model) {
        return Err(SimulationError::BadState(format!("the {what} is not finite")));
    }
    if !state.time.is_finite() {
        return Err(SimulationError::BadState("the time is not finite".into()));
    }
    if let Some(joint) = state.first_zero_quaternion(model) {
        return Err(SimulationError::BadState(format!("the quaternion of joint \"{joint}\" is 0")));
    }
    Ok(())
}
