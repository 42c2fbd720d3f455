//! The system that an integrator steps: a model with its springs, dampers and actuators, and all other forces on it.

use super::contacts::Contacts;
use super::events::Segments;
use super::joint_forces::JointLaws;
use super::late_drag::LateDrag;
use super::path::Path;
use super::spin::LooseBodies;
use super::{Integrator, MemoryReader, ModelRef, StepError, StepReport};
use crate::constraint::{ConstraintError, Maximal, Multipliers, RowTiming, Stabilisation};
use crate::dynamics::{At, Control, State, Workspace};
use crate::model::Model;

/// A force on the model, such as a controller or wind. Implement it to add your own.
pub trait ForceElement: Send {
    /// Adds its generalised forces at (t, q, v) to τ.
    fn add_forces(&self, model: &Model, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]);
    /// True if its forces depend on q and v alone. A body at rest then remains so without further evaluation.
    fn is_steady(&self) -> bool {
        false
    }
    /// Writes its internal state, as [`Integrator::memory`] does.
    fn memory(&self, _out: &mut Vec<f64>) {}
    /// Restores what [`ForceElement::memory`] of an element of the same kind wrote.
    fn restore_memory(&mut self, _from: &mut MemoryReader<'_>) {}
    /// The interface of the joint forces in maximal coordinates; `None` for all other elements.
    #[doc(hidden)]
    fn joints(&self) -> Option<&dyn JointLaws> {
        None
    }
    /// Its potential energy, if it has one.
    fn potential_energy(&self, _model: &Model, _time: f64, _q: &[f64]) -> f64 {
        0.0
    }
}

/// A model, its scratch, and the forces on it.
///
/// ```
/// # use poinsot_core::{algebra::V3, dynamics::State, integrate::{self, System}, model::*};
/// # let mut b = ModelBuilder::new("pendulum");
/// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::new(0.0, 0.0, 1.0)));
/// # let model = b.build()?;
/// let mut system = System::new(&model);
/// let mut state = State::new(&model);
/// state.q[0] = 1.0;
/// let mut integrator = integrate::by_name("midpoint", &model)?;
/// let before = system.energy(&state);
/// for _ in 0..1000 { integrator.step(&mut system, &mut state, 1e-3)?; }
/// assert!((system.energy(&state) - before).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct System<'a> {
    pub(super) model: ModelRef<'a>,
    pub(crate) workspace: Workspace,
    pub(super) elements: Vec<Box<dyn ForceElement + 'a>>,
    /// The model's constraints; `None` if it has none.
    pub(crate) held: Option<Box<Multipliers>>,
    pub(super) stabilisation: Stabilisation,
    /// The report of the last step.
    pub(super) report: StepReport,
    /// Scratch for the ledger; `None` without one.
    pub(super) path: Option<Box<Path>>,
    pub(super) segments: Segments,
    /// `None` without a medium.
    pub(super) late_drag: Option<Box<LateDrag>>,
    pub(super) tau: Vec<f64>,
    pub(super) control: Vec<f64>,
    /// The contact source, and the scratch for it.
    pub(super) contacts: Option<Box<Contacts<'a>>>,
    /// Called between the parts of a long step to decide whether to end it.
    interrupt: Option<Box<dyn Fn() -> bool + Send + 'a>>,
}

impl<'a> System<'a> {
    /// The model with its springs, dampers and actuators, all controls 0, and no other forces.
    pub fn new(model: &'a Model) -> System<'a> {
        System::of(ModelRef::Borrowed(model))
    }
    /// As [`System::new`], for a model that is borrowed or shared.
    pub fn of(model: ModelRef<'a>) -> System<'a> {
        let has_rows = !model.constraints().is_empty() || !model.bounds().is_empty();
        System {
            workspace: Workspace::new(&model),
            elements: Vec::new(),
            held: has_rows.then(|| Box::new(Multipliers::new(&model))),
            stabilisation: Stabilisation::default(),
            report: StepReport::default(),
            path: None,
            segments: Segments::default(),
            late_drag: LateDrag::of(&model),
            tau: vec![0.0; model.nv()],
            control: vec![0.0; model.actuators().len()],
            contacts: None,
            interrupt: None,
            model,
        }
    }
    /// Ends a step early, with [`StepError::Interrupted`], if `asked` returns true: it is called between the parts of a step (events,
    /// substeps, iterations), of which there may be very many, so it should be fast.
    ///
    /// ```
    /// # use poinsot_core::{algebra::V3, dynamics::State, integrate::{self, StepError, System}, model::*};
    /// # let mut b = ModelBuilder::new("pendulum");
    /// # let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// # b.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z));
    /// # let model = b.build()?;
    /// let (mut system, mut state) = (System::new(&model), State { q: vec![1.0], ..State::new(&model) });
    /// system.interrupt_when(|| true);
    /// let outcome = integrate::by_name("adaptive", &model)?.step(&mut system, &mut state, 1.0);
    /// assert!(matches!(outcome, Err(StepError::Interrupted { .. })) && state.q == [1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn interrupt_when(&mut self, asked: impl Fn() -> bool + Send + 'a) {
        self.interrupt = Some(Box::new(asked));
    }
    /// Copies the interrupt of another system.
    pub fn interrupt_as(&mut self, other: &mut System<'a>) {
        self.interrupt = other.interrupt.take();
    }
    /// An error if the step at `time` should end early.
    pub fn go_on(&self, time: f64) -> Result<(), StepError> {
        match &self.interrupt {
            Some(asked) if asked() => Err(StepError::Interrupted { time }),
            _ => Ok(()),
        }
    }
    /// Adds a force element.
    pub fn push(&mut self, element: impl ForceElement + 'a) {
        self.elements.push(Box::new(element));
    }
    /// The model. It is not borrowed from the system, which can be used and changed independently.
    pub fn model(&self) -> ModelRef<'a> {
        self.model.clone()
    }
    /// The model at `state`: poses, velocities, energies, momenta.
    pub fn at<'s>(&'s mut self, state: &'s State) -> At<'s> {
        self.workspace.at(&self.model, state)
    }
    /// The scratch for sweeps over the model.
    pub fn workspace(&mut self) -> &mut Workspace {
        &mut self.workspace
    }

    /// True if there are force elements.
    pub fn has_elements(&self) -> bool {
        !self.elements.is_empty()
    }

    /// The control signals, in the order of the model's actuators. They are constant over a step.
    pub fn control(&self) -> &[f64] {
        &self.control
    }
    /// The control signals, mutable.
    pub fn control_mut(&mut self) -> &mut [f64] {
        &mut self.control
    }

    /// Takes one step: the integrator moves the state with controls and activations held constant, then the activations follow.
    /// [`Integrator::step`] alone does not change activations.
    pub fn step(
        &mut self,
        integrator: &mut dyn Integrator,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        self.advance(integrator, state, dt)?;
        self.advance_activations(state, dt);
        Ok(())
    }
    /// Advances the activations by the time `dt`, towards the controls.
    pub fn advance_activations(&self, state: &mut State, dt: f64) {
        self.model.advance_activations(&self.control, &mut state.activation, dt);
    }

    /// Writes what the next step depends on in addition to the state and the memory of the integrator: counted turns, statuses of
    /// inequalities, and the memory of elements.
    pub fn memory(&self, out: &mut Vec<f64>) {
        self.held.iter().for_each(|held| held.memory(out));
        self.elements.iter().for_each(|element| element.memory(out));
        self.contact_memory(out);
    }
    /// Restores what [`System::memory`] of a system of the same kind wrote.
    pub fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        self.held.iter_mut().for_each(|held| held.restore_memory(|| from.number()));
        self.elements.iter_mut().for_each(|element| element.restore_memory(from));
        self.restore_contact_memory(from);
    }

    /// In maximal coordinates: makes angles count from the turns nearest to the coordinates q of the original.
    pub fn count_turns_near(&mut self, maximal: &Maximal, q: &[f64]) {
        self.held.iter_mut().for_each(|held| held.count_turns_near(maximal, q));
    }

    /// The report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// How constraint drift is prevented.
    pub fn stabilisation(&self) -> Stabilisation {
        self.stabilisation
    }
    /// Sets how constraint drift is prevented.
    pub fn stabilise(&mut self, by: Stabilisation) {
        self.stabilisation = by;
    }
    /// The constraints and their last multipliers; `None` if the model has none.
    pub fn multipliers(&self) -> Option<&Multipliers> {
        self.held.as_deref()
    }
    /// The scratch for sweeps, and the constraints.
    pub fn constraints(&mut self) -> (&mut Workspace, Option<&mut Multipliers>) {
        (&mut self.workspace, self.held.as_deref_mut())
    }

    /// All generalised forces at a state except gravity and those of rigid constraints: springs and dampers of joints, tendons and soft
    /// constraints, gravity compensation, actuators and elements.
    pub fn forces(&mut self, state: &State, tau: &mut [f64]) {
        self.forces_but_soft(state, tau);
        if let Some(held) = self.held.as_mut().filter(|h| h.any_soft() || h.any_slipping()) {
            held.add_row_forces(&self.model, &mut self.workspace, &state.q, &state.v, tau);
        }
        self.add_rest_forces(state, tau);
    }

    /// As [`System::forces`], without changing the current rows of constraints.
    pub(crate) fn forces_elsewhere(&mut self, state: &State, tau: &mut [f64]) {
        self.forces_but_soft(state, tau);
        if let Some(held) = self.held.as_mut().filter(|h| h.any_soft() || h.any_slipping()) {
            let (model, ws) = (&self.model, &mut self.workspace);
            held.elsewhere(|held| held.add_row_forces(model, ws, &state.q, &state.v, tau));
        }
        self.add_rest_forces(state, tau);
    }

    /// The generalised forces of springs, dampers, soft constraints, actuators and elements: all but those of rigid constraints, limits,
    /// dry friction and contacts, which [`System::inverse_contact`] finds.
    pub fn known_forces(&mut self, state: &State, tau: &mut [f64]) {
        self.forces_but_friction(state, tau);
    }

    /// As [`System::known_forces`], without dry friction.
    pub(crate) fn forces_but_friction(&mut self, state: &State, tau: &mut [f64]) {
        self.forces_but_soft(state, tau);
        if let Some(held) = self.held.as_mut().filter(|h| h.any_soft()) {
            held.add_soft_forces(&self.model, &mut self.workspace, &state.q, &state.v, tau);
        }
    }

    /// As [`System::known_forces`], without soft constraints and dry friction.
    pub(crate) fn forces_but_soft(&mut self, state: &State, tau: &mut [f64]) {
        let State { time, q, v, activation } = state;
        tau.fill(0.0);
        self.model.add_spring_forces(q, tau);
        self.model.add_damping_forces(v, tau);
        self.model.add_tendon_forces(q, v, tau);
        self.workspace.add_gravity_compensation(&self.model, q, tau);
        self.workspace.add_medium_forces(&self.model, q, v, tau);
        let control = Control { signal: &self.control, activation };
        self.workspace.add_actuator_forces(&self.model, q, v, control, tau);
        for element in &self.elements {
            element.add_forces(&self.model, *time, q, v, tau);
        }
    }

    /// Calls `visit(degree of freedom, stiffness, damping)` for actuators that act like a spring or damper on one joint;
    /// to be called after [`System::forces`] for the same state.
    pub(crate) fn each_servo(&self, state: &State, visit: impl FnMut(usize, f64, f64)) {
        let control = Control { signal: &self.control, activation: &state.activation };
        self.workspace.each_servo(&self.model, &state.q, &state.v, control, visit);
    }

    /// In maximal coordinates: makes rows resist the rates of joints with `stiffness` times the k and `damping` times the d of springs,
    /// dampers and servos, in the system [`RowSystem::Soft`](crate::constraint::RowSystem). To be called after the forces at the same
    /// state.
    pub(crate) fn note_resistance(&mut self, stiffness: f64, damping: f64) {
        let Some(held) = &mut self.held else { return };
        held.clear_resistance();
        for joints in self.elements.iter().filter_map(|element| element.joints()) {
            joints.each_resistance(&mut |rotor, rate, k, d| {
                held.resist(rotor, rate, stiffness.mul_add(k, damping * d));
            });
        }
    }
    /// In maximal coordinates: adds the change of spring and servo forces over a step of size h at constant velocity.
    pub(crate) fn add_ahead(&self, q: &[f64], h: f64, tau: &mut [f64]) {
        self.elements.iter().filter_map(|e| e.joints()).for_each(|joints| joints.add_ahead(q, h, tau));
    }

    /// The acceleration at a state under all forces, including those of rigid constraints.
    pub fn acceleration(&mut self, state: &State, a: &mut [f64]) {
        let mut tau = std::mem::take(&mut self.tau);
        self.forces(state, &mut tau);
        let (q, v) = (&state.q, &state.v);
        match self.held.as_mut().filter(|h| h.any_active()) {
            Some(held) => {
                held.forward_dynamics(&self.model, &mut self.workspace, q, v, &tau, self.stabilisation, a);
            }
            None => self.workspace.forward_dynamics(&self.model, q, v, &tau, a),
        }
        self.tau = tau;
    }

    /// As [`System::acceleration`] within a step, where the rows need not be preserved for later queries.
    fn accelerate(&mut self, state: &State, a: &mut [f64]) {
        let decays = matches!(self.stabilisation, Stabilisation::Baumgarte { .. });
        if decays || !self.held.as_ref().is_some_and(|held| held.is_quick()) {
            return self.acceleration(state, a);
        }
        let mut tau = std::mem::take(&mut self.tau);
        self.forces(state, &mut tau);
        if let Some(held) = &mut self.held {
            held.accelerate_quickly(&self.model, &state.q, &state.v, &tau, a);
        }
        self.tau = tau;
    }

    /// The acceleration at a stage of a step. In maximal coordinates the stage is first moved onto the constraints: dependent rows become
    /// independent where the constraints are violated, and would have incompatible targets. The method keeps its order, since the vector
    /// field is the same where the constraints are met.
    pub(crate) fn stage_acceleration(
        &mut self,
        stage: &mut State,
        a: &mut [f64],
    ) -> Result<(), ConstraintError> {
        if let Some(held) = self.held.as_mut().filter(|h| h.is_maximal() && h.any_active())
            && self.stabilisation == Stabilisation::Projection
        {
            let (model, ws) = (&self.model, &mut self.workspace);
            // a factor from another state would make the vector field differ between stages
            held.forget_factors();
            held.settle_configuration(model, ws, &mut stage.q)?;
            held.forget_factor();
            held.settle_velocity(model, ws, &stage.q, &mut stage.v);
        }
        self.accelerate(stage, a);
        Ok(())
    }

    /// The acceleration over a step of size h, with limits imposed and dry friction resolved; soft constraints are forces at the start. If
    /// contacts are enabled, the spins of loose bodies are replaced by their mean over the step, on request.
    pub(super) fn step_acceleration(
        &mut self,
        state: &State,
        h: f64,
        mean: Option<(&LooseBodies, &mut [f64])>,
        a: &mut [f64],
    ) {
        self.find_contacts(&state.q, &state.v, h, h);
        let mean = mean.filter(|(loose, _)| self.touches() && loose.are_any());
        let inequalities = self.held.as_ref().is_some_and(|held| held.any_inequality() || held.any_contact());
        if !inequalities && mean.is_none() {
            return self.accelerate(state, a);
        }
        let mut tau = std::mem::take(&mut self.tau);
        self.forces_but_friction(state, &mut tau);
        let v_bias = mean.map(|(loose, v_hat)| {
            loose.mean(&state.q, &state.v, &tau, h, v_hat);
            &*v_hat
        });
        if let Some(held) = &mut self.held {
            let v_bias = v_bias.unwrap_or(&state.v);
            let (model, ws, at) = (&self.model, &mut self.workspace, (&state.q[..], &state.v[..], v_bias));
            let (armature, taken) = (&model.tree.armature, (RowTiming::Begin, self.stabilisation));
            let pivots = held.step_dynamics(model, ws, at, &tau, armature, taken, h, a);
            self.report.note(pivots);
        }
        self.tau = tau;
    }

    /// To be called at the start of a step: clears the report of the last one.
    pub(crate) fn begin_step(&mut self) {
        if self.contacts.as_ref().is_some_and(|c| c.in_parts) {
            return self.held.iter_mut().for_each(|held| held.forget_factor());
        }
        self.report.clear();
        if let Some(held) = &mut self.held {
            held.impulse.fill(0.0);
            held.forget_factor();
            held.touching.iter_mut().for_each(|t| t.spent = 0.0);
            self.report.impulses.resize(held.len(), 0.0);
        }
    }
    pub(crate) fn report_impulses(&mut self) {
        if let Some(held) = &self.held {
            self.report.impulses.copy_from_slice(&held.impulse);
        }
    }
    /// Records the impulses of rows over a step of size h that led to the velocity v.
    pub(crate) fn note_impulses(&mut self, h: f64, v: &[f64]) {
        let Some(held) = self.held.as_mut() else { return };
        let given = held.note_impulses(h, v);
        self.report.limit_work += given.limits;
        self.report.friction_work += given.friction;
        let works = held.contact_works();
        self.report.note_contact(works);
    }

    /// The parts of [`System::energy`]: kinetic, including rotors, and potential.
    pub fn energies(&mut self, state: &State) -> (f64, f64) {
        let of_elements: f64 =
            self.elements.iter().map(|e| e.potential_energy(&self.model, state.time, &state.q)).sum();
        let (soft, rotors) = self.constraint_energies(state);
        let at = self.at(state);
        (at.kinetic_energy() + rotors, at.potential_energy() + soft + of_elements)
    }

    /// Kinetic and potential energy, including that of springs, tendons, soft constraints, their rotors and elements.
    pub fn energy(&mut self, state: &State) -> f64 {
        let of_elements: f64 =
            self.elements.iter().map(|e| e.potential_energy(&self.model, state.time, &state.q)).sum();
        let of_constraints = self
            .held
            .as_mut()
            .map_or(0.0, |h| h.energy(&self.model, &mut self.workspace, &state.q, &state.v));
        self.workspace.at(&self.model, state).energy() + of_elements + of_constraints
    }
}
