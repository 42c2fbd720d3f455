//! A simulation: a model that is stepped and monitored.

mod applied;
mod bodies;
mod builder;
mod contact;
mod continuation;
mod derivatives;
mod digest;
mod error;
mod feedback;
mod finder;
mod forces;
mod formulation;
mod inverse_contact;
mod overlap;
mod ranging;
mod sensing;
mod snapshot;
mod surfaces;
mod touching;

pub use applied::Load;
pub use builder::SimulationBuilder;
pub use contact::{Contact, Penalty};
pub use derivatives::{Kink, Origin, StepDerivatives};
pub use error::SimulationError;
pub use feedback::UnstableFeedback;
pub use formulation::Formulation;
pub use inverse_contact::InverseContact;
pub use overlap::Overlap;
pub use snapshot::{Snapshot, SnapshotError};
pub use touching::{ContactEvent, ContactEventKind};

use crate::audit::Ledger;
use crate::constraint::{Source, Stabilisation};
use crate::dynamics::{At, State};
use crate::integrate::{
    Event, ForceElement, Integrator, MemoryReader, Method, ModelRef, StepError, StepReport, System,
};
use crate::model::Model;
use crate::tally::{NamedEvent, Tally};
use crate::watch::{Drift, Watch};
use applied::Applied;
use bodies::Bodies;
use feedback::FeedbackWatch;
use overlap::Overlaps;
use poinsot_collide::CollideError;
use ranging::Sights;
use snapshot::Clock;
use std::time::{Duration, Instant};
use touching::ContactHistory;

/// The most events stored by a call that makes steps.
const MOST_EVENTS: usize = 1_000_000;
/// Sizes of steps, s: squares and inverses of others are not numbers of full precision.
const STEPS: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// A model, a state, an integrator, and monitoring of energy and momentum. State, controls and all results are in the coordinates of the
/// given model, whichever coordinates are stepped.
///
/// ```
/// use poinsot::{Formulation, Simulation, integrate::Method};
/// let scene = poinsot::scenes::by_name("four-bar")?;
/// let end = |formulation| -> Result<f64, Box<dyn std::error::Error>> {
///     let mut simulation = Simulation::builder(&scene.model)
///         .state(scene.state.clone())
///         .integrator(Method::Rkmk4)
///         .formulation(formulation)
///         .dt(1e-3)
///         .build()?;
///     simulation.run(100, simulation.dt())?;
///     Ok(simulation.state().q[0])
/// };
/// let (reduced, maximal) = (end(Formulation::Reduced)?, end(Formulation::Maximal)?);
/// assert!((reduced - maximal).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation<'a> {
    model: ModelRef<'a>,
    state: State,
    /// The stepped system: the model or, in maximal coordinates, its free bodies.
    system: System<'a>,
    bodies: Option<Box<Bodies<'a>>>,
    /// Applied forces; `None` until there are any.
    applied: Option<Applied>,
    integrator: Box<dyn Integrator>,
    /// `None` for a user's own integrator.
    method: Option<Method>,
    /// The memory of integrator and system before the first step.
    fresh: Vec<f64>,
    watch: Watch,
    /// True if steps were made since energy and momentum were last recorded.
    unseen: bool,
    tally: Tally,
    /// The events of the last call that made steps.
    events: Vec<Event>,
    feedback: FeedbackWatch,
    ledger: Option<Box<Ledger>>,
    stepping: Duration,
    steps: usize,
    substeps: usize,
    clock: Clock,
    dt: f64,
    contact: Option<Contact>,
    /// Geoms without contact because they cannot be read; and whether that is accepted.
    left_out: Vec<CollideError>,
    /// Geoms that overlapped at the start.
    overlaps: Overlaps,
    sights: Sights,
    lenient: bool,
    touching: ContactHistory,
    /// Made on first use.
    inverse: Option<Box<InverseContact<'a>>>,
}

impl<'a> Simulation<'a> {
    /// A builder for a simulation of a model, borrowed or shared.
    pub fn builder(model: impl Into<ModelRef<'a>>) -> SimulationBuilder<'a> {
        SimulationBuilder::new(model.into())
    }

    /// Starts at `state`, in the coordinates of the joints.
    pub fn new(
        model: impl Into<ModelRef<'a>>,
        state: State,
        integrator: Method,
    ) -> Result<Simulation<'a>, SimulationError> {
        Simulation::begin(model.into(), state, integrator, Formulation::Reduced)
    }

    /// As [`Simulation::new`], with an integrator of your own, which must handle limits, friction and contact itself (see
    /// [`crate::integrate::Integrator`]). Loops are closed for it.
    pub fn with(
        model: impl Into<ModelRef<'a>>,
        state: State,
        integrator: Box<dyn Integrator>,
    ) -> Result<Simulation<'a>, SimulationError> {
        let model = model.into();
        error::refuse_singular(&model)?;
        error::check(&model, &state)?;
        let system = System::of(model.clone());
        Ok(Simulation::put_together(model, state, system, None, integrator, None))
    }

    fn begin(
        model: ModelRef<'a>,
        state: State,
        method: Method,
        formulation: Formulation,
    ) -> Result<Simulation<'a>, SimulationError> {
        error::refuse_singular(&model)?;
        error::check(&model, &state)?;
        let (bodies, system) = match formulation {
            Formulation::Reduced => (None, System::of(model.clone())),
            Formulation::Maximal if !method.is_for_trees() => {
                return Err(SimulationError::NotForConstraints { method });
            }
            Formulation::Maximal => {
                let (bodies, system) = Bodies::new(&model, &state)?;
                (Some(Box::new(bodies)), system)
            }
        };
        let integrator = method.integrator(&system.model())?;
        Ok(Simulation::put_together(model, state, system, bodies, integrator, Some(method)))
    }

    fn put_together(
        model: ModelRef<'a>,
        state: State,
        mut system: System<'a>,
        bodies: Option<Box<Bodies<'a>>>,
        integrator: Box<dyn Integrator>,
        method: Option<Method>,
    ) -> Simulation<'a> {
        let mut fresh = Vec::new();
        integrator.memory(&mut fresh);
        let stepped = bodies.as_ref().map_or(&state, |b| &b.state);
        let watch = Watch::begin(&model, &mut system, stepped);
        let clock = Clock::at(state.time);
        Simulation {
            model,
            state,
            system,
            bodies,
            applied: None,
            integrator,
            method,
            fresh,
            watch,
            unseen: false,
            tally: Tally::default(),
            events: Vec::new(),
            feedback: FeedbackWatch::default(),
            ledger: None,
            stepping: Duration::ZERO,
            steps: 0,
            substeps: 0,
            clock,
            dt: 1e-3,
            contact: None,
            left_out: Vec::new(),
            overlaps: Overlaps::default(),
            sights: Sights::default(),
            lenient: false,
            touching: ContactHistory::default(),
            inverse: None,
        }
    }

    /// Takes `steps` steps of `dt`, then records energy and momentum. On an error the state is the last good one.
    pub fn run(&mut self, steps: usize, dt: f64) -> Result<(), SimulationError> {
        let outcome = self.advance(steps, dt);
        if !matches!(outcome, Err(SimulationError::BadStep(_))) {
            self.look();
        }
        outcome
    }

    /// Records energy and momentum, for [`Simulation::drift`].
    pub fn look(&mut self) {
        self.unseen = false;
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        self.watch.look(&mut self.system, stepped);
    }

    /// Takes one step of the configured size. Unlike [`Simulation::run`], it does not record energy and momentum; [`Simulation::drift`]
    /// does when called, and so does [`Simulation::look`].
    pub fn step(&mut self) -> Result<(), SimulationError> {
        self.advance(1, self.dt)
    }

    /// Takes `steps` steps of `dt` without recording energy and momentum, for callers who do so themselves. On an error the state is the
    /// last good one.
    pub fn advance(&mut self, steps: usize, dt: f64) -> Result<(), SimulationError> {
        if !STEPS.contains(&dt) {
            return Err(SimulationError::BadStep(dt));
        }
        if dt != self.clock.dt {
            self.clock = Clock { dt, ..Clock::at(self.state.time) };
        }
        self.dt = dt;
        self.events.clear();
        self.touching.begin_call();
        self.hand_on_signals();
        self.note_feedback();
        let mut outcome = Ok(());
        let mut begin = Instant::now();
        for _ in 0..steps {
            let stepped = self.bodies.as_mut().map_or(&mut self.state, |b| &mut b.state);
            if let Some(ledger) = &mut self.ledger {
                ledger.prepare(&mut self.system, stepped);
                begin = Instant::now();
            }
            let time = stepped.time;
            let kept = self.method.is_none().then(|| stepped.clone());
            outcome = self
                .system
                .go_on(time)
                .and_then(|()| self.system.advance(&mut *self.integrator, stepped, dt));
            if let Some(before) = kept {
                outcome = settle_foreign(&mut self.system, stepped, before, dt, outcome);
            }
            if outcome.is_err() {
                self.count_turns_again();
                break;
            }
            if let Some(ledger) = &mut self.ledger {
                self.stepping += begin.elapsed();
                ledger.account(&mut self.system, stepped, dt);
                begin = Instant::now();
            }
            self.follow(dt);
            self.note_report();
        }
        self.stepping += begin.elapsed();
        outcome.map_err(|e| {
            let at_start = (self.steps() == 0).then(|| self.violation().map_or(0.0, |(_, size)| size));
            error::of_step(&self.model, at_start, dt, e)
        })
    }

    /// After a step: the model follows its free bodies, activations follow the controls, and the clock advances.
    fn follow(&mut self, dt: f64) {
        (self.steps, self.unseen) = (self.steps + 1, true);
        self.substeps += self.system.report().substeps.max(1);
        self.clock.steps += 1;
        let time = self.clock.begin + self.clock.steps as f64 * dt;
        if let Some(bodies) = &mut self.bodies {
            bodies.maximal.follow(&bodies.state, &mut self.state);
            bodies.state.time = time;
            bodies.original.advance_activations(&mut self.state, dt);
            self.hand_on_signals();
        } else {
            self.system.advance_activations(&mut self.state, dt);
        }
        self.state.time = time;
    }

    /// Counts the reports of the step, and stores its events.
    fn note_report(&mut self) {
        let report = self.system.report();
        self.tally.count(&self.system.model(), report, self.state.time);
        let left = MOST_EVENTS.saturating_sub(self.events.len());
        self.events.extend(report.events.iter().take(left));
        if self.contact.is_some() {
            self.touching.note(&self.model, report, self.state.time);
        }
    }

    /// In maximal coordinates, passes new controls and activations to the joint forces.
    fn hand_on_signals(&mut self) {
        let Some(bodies) = &self.bodies else { return };
        if bodies.signal(&self.state.activation)
            && let Some(ledger) = &mut self.ledger
        {
            ledger.restart(&mut self.system, &bodies.state);
        }
    }

    /// Restores counted turns: a failed step may have counted those of states that never occurred.
    fn count_turns_again(&mut self) {
        if let Some(bodies) = &self.bodies {
            bodies.signals.count_turns_near(&self.state.q);
            self.system.count_turns_near(&bodies.maximal, &self.state.q);
        }
    }

    /// Ends a call that makes steps early when `asked` returns true, with [`StepError::Interrupted`]: it is called before each step and
    /// between the parts of long ones, so it should be fast. The state is then that after the last whole step.
    ///
    /// [`StepError::Interrupted`]: crate::integrate::StepError::Interrupted
    pub fn interrupt_when(&mut self, asked: impl Fn() -> bool + Send + 'a) {
        self.system.interrupt_when(asked);
    }

    /// Adds a force element to the model. Monitoring of energy and momentum restarts.
    pub fn push(&mut self, element: impl ForceElement + 'a) {
        match &self.bodies {
            Some(bodies) => bodies.push(element),
            None => self.system.push(element),
        }
        self.begin_watch();
    }

    fn begin_watch(&mut self) {
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        (self.watch, self.unseen) = (Watch::begin(&self.model, &mut self.system, stepped), false);
        self.tally.forget();
        self.events.clear();
        self.feedback.forget();
        self.touching.forget();
        if let Some(ledger) = &mut self.ledger {
            ledger.restart(&mut self.system, stepped);
        }
    }

    /// Keeps a ledger of every step from now on, which takes several times as long as the steps themselves.
    ///
    /// ```
    /// use poinsot::{audit::Line, integrate::Method};
    /// let scene = poinsot::scenes::by_name("double-pendulum")?;
    /// let mut simulation = poinsot::Simulation::new(&scene.model, scene.state, Method::Rkmk4)?;
    /// simulation.keep_ledger();
    /// simulation.run(1000, 1e-3)?;
    /// let total = simulation.ledger().unwrap().total();
    /// assert!((total.work(Line::Gravity) - total.kinetic).abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_ledger(&mut self) {
        self.hand_on_signals();
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        self.ledger = Some(Box::new(Ledger::begin(&mut self.system, stepped)));
    }
    /// The ledger, if one is kept.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_deref()
    }

    /// The report of the last step: impulses, events, corrections by projection. In maximal coordinates the rows of joints are among those
    /// of constraints; bounds are those of the model.
    ///
    /// ```
    /// use poinsot::{Simulation, algebra::V3, dynamics::State, integrate::{EventKind, Method}, model::*};
    /// let mut b = ModelBuilder::new("a slider that meets its stop");
    /// let block = b.body(BodyId::WORLD, BodySpec::new("block").solid(&Shape::Sphere { radius: 0.1 }, 2.0)?);
    /// b.joint(block, Joint::prismatic(V3::X).limits(-1.0, 0.5));
    /// let model = b.build()?;
    /// let start = State { v: vec![3.0], ..State::new(&model) };
    /// let mut simulation = Simulation::new(&model, start, Method::SemiImplicit)?;
    /// while simulation.report().events.is_empty() {
    ///     simulation.run(1, 1e-3)?;
    /// }
    /// assert_eq!(simulation.report().events[0].kind, EventKind::Impact);
    /// assert!((simulation.state().q[0] - 0.5).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn report(&self) -> &StepReport {
        self.system.report()
    }

    /// The events of the last call that made steps, up to the first million.
    ///
    /// ```
    /// # use poinsot::{Simulation, algebra::V3, dynamics::State, integrate::{EventKind, Method}, model::*};
    /// # let mut b = ModelBuilder::new("a slider that meets its stop");
    /// # let block = b.body(BodyId::WORLD, BodySpec::new("block").solid(&Shape::Sphere { radius: 0.1 }, 2.0)?);
    /// b.joint(block, Joint::prismatic(V3::X).named("slide").limits(-1.0, 0.5));
    /// # let model = b.build()?;
    /// # let start = State { v: vec![3.0], ..State::new(&model) };
    /// let mut simulation = Simulation::new(&model, start, Method::Rkmk4)?;
    /// simulation.run(1000, 1e-3)?;
    /// let impact = &simulation.events()[0];
    /// assert!((impact.time - 0.5 / 3.0).abs() < 1e-12 && impact.kind == EventKind::Impact);
    /// assert_eq!((impact.at.as_str(), impact.place), ("slide", "upper end"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn events(&self) -> Vec<NamedEvent> {
        let model = self.system.model();
        let named = |e: &Event| NamedEvent {
            time: e.time,
            kind: e.kind,
            at: e.on.name(&model).to_string(),
            place: e.on.place(&model),
        };
        self.events.iter().map(named).collect()
    }

    /// The counts of events and fallbacks in all steps since energy and momentum have been monitored.
    ///
    /// ```
    /// # use poinsot::{Simulation, algebra::V3, dynamics::State, integrate::{EventKind, Fallback, Method}, model::*};
    /// # let mut b = ModelBuilder::new("a slider that bounces off its stop");
    /// # let block = b.body(BodyId::WORLD, BodySpec::new("block").solid(&Shape::Sphere { radius: 0.1 }, 2.0)?);
    /// b.joint(block, Joint::prismatic(V3::Z).named("slide").limits(-1.0, 0.5).restitution(0.5));
    /// # let model = b.build()?;
    /// let mut simulation = Simulation::new(&model, State::new(&model), Method::Rkmk4)?;
    /// simulation.run(200, 0.01)?;
    /// let tally = simulation.tally();
    /// assert!(tally.number(EventKind::Impact) > 10); // ever smaller ones, until it rests
    /// assert_eq!(tally.steps(Fallback::Unsolved), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Sets how constraint drift is prevented.
    pub fn stabilise(&mut self, by: Stabilisation) {
        self.system.stabilise(by);
        self.bodies.iter_mut().for_each(|b| b.stabilise(by));
    }
    /// How constraint drift is prevented.
    pub fn stabilisation(&self) -> Stabilisation {
        self.system.stabilisation()
    }
    /// The rigid constraint with the largest violation now, in metres or radians; in maximal coordinates this includes joints. `None` if
    /// nothing is constrained.
    pub fn violation(&mut self) -> Option<(Source, f64)> {
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        let model = self.system.model();
        let (ws, held) = self.system.constraints();
        let worst = held?.violation(&model, ws, &stepped.q);
        let id = worst.constraint?;
        let source = self.bodies.as_ref().map_or(Source::Constraint(id), |b| b.maximal.source(id));
        Some((source, worst.size))
    }
    /// The model as a system that can be queried at the current state.
    fn asked(&mut self) -> (&mut System<'a>, &State) {
        self.hand_on_signals();
        let system = self.bodies.as_mut().map_or(&mut self.system, |b| &mut b.original);
        (system, &self.state)
    }
    /// Restarts at another state: all memory is cleared, and energy and momentum are monitored from here on. Controls are kept.
    pub fn set_state(&mut self, state: State) -> Result<(), SimulationError> {
        error::check(&self.model, &state)?;
        if let (Some(bodies), Some(method)) = (&mut self.bodies, self.method) {
            // turns are counted from the initial state
            let mut system = bodies.begin_at(&self.model, &state)?;
            system.interrupt_as(&mut self.system);
            self.system = system;
            if let Some(contact) = self.contact {
                let begun = contact.begin(&self.model, &state.q, Some(&bodies.maximal), &mut self.system)?;
                self.overlaps = begun.1;
            }
            self.integrator = method.integrator(&self.system.model())?;
            if self.ledger.is_some() {
                self.system.note_corrections();
            }
        } else {
            self.integrator.restore_memory(&mut MemoryReader::of(&self.fresh));
            self.system.forget_steps();
            if let Some(passing) = self.system.begin_contacts_at(&state.q) {
                self.overlaps.passing = passing;
            }
        }
        self.clock = Clock::at(state.time);
        self.state = state;
        self.begin_watch();
        Ok(())
    }

    /// The control signals, in the order of the model's actuators.
    pub fn control(&self) -> &[f64] {
        self.bodies.as_ref().map_or(self.system.control(), |b| b.original.control())
    }
    /// Sets all control signals; they stay until they are set again.
    pub fn set_control(&mut self, control: &[f64]) -> Result<(), SimulationError> {
        self.check_control(control)?;
        self.control_mut().copy_from_slice(control);
        Ok(())
    }
    fn check_control(&self, control: &[f64]) -> Result<(), SimulationError> {
        let (given, wanted) = (control.len(), self.model.actuators().len());
        if given != wanted {
            return Err(SimulationError::BadControl { given, wanted });
        }
        let Some(k) = control.iter().position(|x| !x.is_finite()) else { return Ok(()) };
        let actuator = self.model.actuators()[k].name.clone();
        Err(SimulationError::ControlNotFinite { actuator, value: control[k] })
    }
    /// The control signals, mutable; they stay until they are set again.
    ///
    /// ```
    /// # use poinsot::{Simulation, algebra::V3, dynamics::State, integrate::Method, model::*};
    /// # let mut b = ModelBuilder::new("wheel");
    /// # let wheel = b.body(BodyId::WORLD, BodySpec::new("wheel").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// # let axle = b.joint(wheel, Joint::revolute(V3::Y));
    /// b.actuator(Actuator::position(axle, 100.0).damping(2.0));
    /// let model = b.build()?;
    /// let mut simulation = Simulation::new(&model, State::new(&model), Method::Implicit)?;
    /// simulation.control_mut()[0] = 0.7;
    /// simulation.run(1000, 1e-3)?;
    /// assert!((simulation.state().q[0] - 0.7).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn control_mut(&mut self) -> &mut [f64] {
        self.bodies.as_mut().map_or(&mut self.system, |b| &mut b.original).control_mut()
    }
    /// The activations of the actuators that have dynamics.
    pub fn activation(&self) -> &[f64] {
        &self.state.activation
    }
    /// The activations, mutable.
    pub fn activation_mut(&mut self) -> &mut [f64] {
        &mut self.state.activation
    }
    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The coordinates that are stepped.
    pub fn formulation(&self) -> Formulation {
        if self.bodies.is_some() { Formulation::Maximal } else { Formulation::Reduced }
    }
    /// The step size of the next [`Simulation::step`], and of the last steps.
    pub fn dt(&self) -> f64 {
        self.dt
    }
    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }
    /// The name of the integrator.
    pub fn integrator(&self) -> &'static str {
        self.integrator.name()
    }
    /// The largest entry of RᵀR − 1 after the last step, for an integrator that does not keep R a rotation (`rk4-matrix` and similar ones);
    /// `None` for all others.
    pub fn orthogonality_error(&self) -> Option<f64> {
        self.integrator.orthogonality_error()
    }
    /// The number of steps made.
    pub fn steps(&self) -> usize {
        self.steps
    }
    /// The number of parts in which they were made: more than the number of steps if `leapfrog` had to shorten some.
    pub fn substeps(&self) -> usize {
        self.substeps
    }
    /// The computing time spent in steps.
    pub fn stepping_time(&self) -> Duration {
        self.stepping
    }
    /// The current kinetic plus potential energy.
    pub fn energy(&mut self) -> f64 {
        self.hand_on_signals();
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        self.system.energy(stepped)
    }
    /// Kinetic energy, including that of rotors, and potential energy, including that of springs, soft constraints and elements.
    pub fn energies(&mut self) -> (f64, f64) {
        self.hand_on_signals();
        let stepped = self.bodies.as_ref().map_or(&self.state, |b| &b.state);
        self.system.energies(stepped)
    }
    /// The largest deviation of energy and momentum from their initial values, over all recorded times: now, and after each
    /// [`Simulation::run`].
    pub fn drift(&mut self) -> Drift {
        if self.unseen {
            self.look();
        }
        self.watch.drift()
    }
    /// As [`Simulation::drift`], without recording the current state.
    pub fn drift_seen(&self) -> Drift {
        self.watch.drift()
    }
    /// The model at the current state: poses, velocities, energies, momenta.
    pub fn at(&mut self) -> At<'_> {
        let (system, state) = self.asked();
        system.at(state)
    }
}

/// Ends a step of a user's integrator: closes loops, and undoes a step that failed or is not finite.
fn settle_foreign(
    system: &mut System,
    state: &mut State,
    before: State,
    dt: f64,
    outcome: Result<(), StepError>,
) -> Result<(), StepError> {
    let time = before.time;
    let finite = |system: &System, state: &State| match state.first_not_finite(&system.model()) {
        Some(what) => Err(StepError::NotFinite { time, dt, what }),
        None => Ok(()),
    };
    let settled = outcome
        .and_then(|()| finite(system, state))
        .and_then(|()| system.settle(state).map_err(|source| StepError::Constraint { time, dt, source }))
        .and_then(|()| finite(system, state));
    if settled.is_err() {
        *state = before;
    }
    settled
}
