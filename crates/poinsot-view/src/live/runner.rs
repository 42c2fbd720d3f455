//! One track being stepped.

use super::hand::{Grip, Hand, Target};
use super::interrupt::Interrupt;
use super::saved::Saved;
use crate::cast::{Start, TrackSetup};
use crate::instrument::{Load, Touch};
use crate::projector::{moving, soft_constraints, stiffened};
use crate::way::{EnergyAccount, TrackError, Way};
use poinsot::algebra::V3;
use poinsot::constraint::Stabilisation;
use poinsot::dynamics::{State, Workspace};
use poinsot::integrate::{Method, StepError};
use poinsot::model::{BodyId, Model};
use poinsot::{
    Contact, Formulation, InitialProjection, NamedEvent, OutOfRange, Penalty, Simulation, SimulationError,
    begin_on_constraints, begin_within_ranges, beyond_range, fallback_sentence,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A track: its simulation, and how it is run.
pub struct Runner {
    /// The initial state, and the original model.
    pub setup: TrackSetup,
    /// The model being run: perhaps without gravity, or with other stiffnesses.
    model: Arc<Model>,
    simulation: Simulation<'static>,
    /// The requested integrator, formulation and contact.
    pub way: Way,
    /// The step, s.
    pub dt: f64,
    gravity: bool,
    /// The stiffness of each soft constraint.
    stiffness: Vec<f64>,
    /// Bodies that were given another mass, kg.
    masses: Vec<(BodyId, f64)>,
    grip: Option<Grip>,
    /// The ledger, if one is kept, of earlier simulations of this track.
    carried: Option<EnergyAccount>,
    /// For the force of the hand.
    scratch: Workspace,
    /// How its initial state was moved onto its constraints.
    pub moved: Option<InitialProjection>,
    /// The limit that its initial state exceeds most.
    pub beyond: Option<OutOfRange>,
    /// Why its bodies pass through one another against the request.
    pub untouched: Option<String>,
    /// Why it stopped.
    pub stopped: Option<String>,
    /// True if the last steps were interrupted by a command.
    pub interrupted: bool,
    interrupt: Interrupt,
    contacts: Watch,
    /// Seconds that a step takes.
    pace: f64,
    /// The time spent in steps.
    pub spent: Duration,
    /// Events and fallbacks since they were last read.
    pub events: Vec<NamedEvent>,
    pub notices: BTreeMap<&'static str, String>,
}

/// The contacts of a track for display.
#[derive(Default)]
struct Watch {
    /// True while they are shown: then every step is read, so that no impact between two frames is missed.
    on: bool,
    /// Which bodies can move.
    moves: Vec<bool>,
    /// The largest loads of a step since they were last read.
    load: Load,
    /// True if they were read since the last step.
    read: bool,
    /// True if the last report belongs to the present moment, which it does not after a jump in time.
    reported: bool,
    /// The contacts being shown.
    shown: Option<Touch>,
}

/// A run of steps takes no longer than this, s, so that commands are handled.
const LONGEST: f64 = 2e-3;

type Done = Result<(), TrackError>;

impl Runner {
    /// Starts a track, projected onto the constraints of the model if necessary; the interrupt interrupts long steps.
    pub fn new(mut setup: TrackSetup, interrupt: Interrupt) -> Result<Runner, TrackError> {
        let beyond = within(&setup.model, &mut setup.start.state, setup.way.stabilisation);
        let moved = begin_on_constraints(&setup.model, &mut setup.start.state)?;
        let (model, way, dt) = (setup.model.clone(), setup.way, setup.dt);
        let (mut simulation, untouched) = way.simulation(&model, &setup.start.state, &setup.start.control)?;
        interrupt_steps(&mut simulation, &interrupt);
        Ok(Runner {
            stiffness: soft_constraints(&model).map(|(_, _, s)| s.stiffness).collect(),
            scratch: Workspace::new(&model),
            contacts: Watch { moves: moving(&model), reported: true, ..Watch::default() },
            setup,
            model,
            simulation,
            way,
            dt,
            gravity: true,
            masses: Vec::new(),
            grip: None,
            carried: None,
            moved,
            beyond,
            untouched,
            stopped: None,
            interrupted: false,
            interrupt,
            pace: 1e-6,
            spent: Duration::ZERO,
            events: Vec::new(),
            notices: BTreeMap::new(),
        })
    }

    /// Warnings about geoms without contact and about bodies that overlap at the start: the severity and a line each.
    pub fn remarks(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("warning", self.simulation.overlap_sentence()),
            ("note", self.simulation.passing_sentence()),
            ("note", self.simulation.rigid_sentence("`poinsot run --soft-contact` has it yield")),
        ];
        all.into_iter().filter_map(|(word, text)| Some((word, text?))).collect()
    }

    /// The model being run.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// The current state, in the model's own coordinates.
    pub fn state(&self) -> &State {
        self.simulation.state()
    }
    /// The current control signals.
    pub fn control(&self) -> &[f64] {
        self.simulation.control()
    }
    /// The ledger, if one is kept.
    pub fn account(&self) -> Option<EnergyAccount> {
        let total = self.simulation.ledger()?.total();
        Some(EnergyAccount { work: total.energy, kinetic: total.kinetic }.and(&self.carried?))
    }
    /// Everything needed to continue from here.
    pub fn saved(&self) -> Saved {
        let touch = self.contacts.shown.clone();
        Saved { snapshot: self.simulation.snapshot(), account: self.account(), touch }
    }
    /// How contact is solved; `None` if the integrator steps no contact.
    pub fn contact_now(&self) -> Option<Contact> {
        self.way.contact.filter(|_| Contact::is_stepped_by(self.way.integrator))
    }
    /// The integrator in use: while the hand pulls, one that accepts external forces.
    pub fn integrator_now(&self) -> &str {
        self.simulation.integrator()
    }
    /// The stiffness of each soft constraint.
    pub fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }
    /// The largest violation of a rigid constraint, m or rad; 0 if there is none. In maximal
    /// coordinates joints are constraints.
    pub fn drift(&mut self) -> f64 {
        self.simulation.violation().map_or(0.0, |(_, size)| size)
    }
    /// The contacts at this moment; `None` if they are not shown, or bodies pass through one another.
    pub fn touch(&self) -> Option<&Touch> {
        self.contacts.shown.as_ref()
    }
    /// Reads the contacts of the last steps, if they are shown.
    pub fn read_contacts(&mut self, wanted: bool) {
        let seen = wanted && self.simulation.contact().is_some();
        if !seen {
            self.contacts.shown = None;
        } else if self.contacts.reported {
            let load = self.contacts.load;
            self.contacts.shown = Some(Touch::after(self.simulation.report(), self.dt, load));
        }
        (self.contacts.on, self.contacts.read) = (seen, true);
    }
    /// Records a step.
    fn note_contacts(&mut self) {
        let begun = if self.contacts.read { Load::default() } else { self.contacts.load };
        let contacts = &self.simulation.report().contacts;
        let load = Load::of(contacts, self.dt, &self.contacts.moves, self.model.gravity());
        (self.contacts.load, self.contacts.read, self.contacts.reported) = (begun.max(load), false, true);
    }
    /// Shows these contacts from now on: the last report is of another moment.
    fn show_contacts(&mut self, shown: Option<Touch>) {
        (self.contacts.shown, self.contacts.reported) = (shown, false);
    }
    /// The body that is pulled, the point, and the force on it.
    pub fn pull(&mut self) -> Option<(BodyId, V3, V3)> {
        let grip = self.grip.as_ref()?;
        let (point, force) = grip.pull(&self.scratch.at(&self.model, self.simulation.state()));
        Some((grip.body, point, force))
    }

    /// Goes back to a moment before it stopped, and stays stopped: the result of a diverging step is not part of the motion.
    pub fn stop_at(&mut self, moment: &Saved) -> Done {
        let why = self.stopped.take();
        let done = self.go_to(moment);
        self.stopped = why;
        done
    }
    /// Continues from another moment.
    pub fn go_to(&mut self, moment: &Saved) -> Done {
        // it may have been stepped in another way then
        if self.simulation.restore(&moment.snapshot).is_err() {
            self.begin(moment.snapshot.state().clone(), moment.snapshot.control(), moment.account)?;
        } else {
            self.continue_account(moment.account);
            self.stopped = None;
        }
        self.show_contacts(moment.touch.clone());
        Ok(())
    }
    fn begin(&mut self, state: State, control: &[f64], account: Option<EnergyAccount>) -> Done {
        self.simulation.set_state(state)?;
        self.simulation.set_control(control)?;
        self.continue_account(account);
        self.show_contacts(None);
        self.stopped = None;
        Ok(())
    }
    /// The ledger, if one is kept, continues from this account.
    fn continue_account(&mut self, account: Option<EnergyAccount>) {
        if let Some(carried) = &mut self.carried {
            *carried = account.unwrap_or_default();
            self.simulation.keep_ledger();
        }
    }
    /// Restarts from an initial state, projected onto the constraints.
    pub fn begin_at(&mut self, start: &Start) -> Done {
        let mut state = start.state.clone();
        let beyond = within(&self.model, &mut state, self.way.stabilisation);
        begin_on_constraints(&self.model, &mut state)?;
        self.notices.clear();
        self.notices.extend(beyond.map(|b| ("beyond", b.sentence(self.way.stabilisation))));
        self.begin(state, &start.control, None)
    }
    /// Sets a control signal.
    pub fn set_control(&mut self, actuator: usize, value: f64) {
        self.simulation.control_mut()[actuator] = value;
    }
    /// Sets a coordinate, and the velocity of its joint to 0; with closed loops, the other joints follow.
    pub fn set_joint(&mut self, joint: usize, value: f64) -> Done {
        let (mut state, joint) = (self.state().clone(), &self.model.joints()[joint]);
        state.q[joint.coordinates().start] = value;
        joint.dofs().for_each(|k| state.v[k] = 0.0);
        begin_on_constraints(&self.model, &mut state)?;
        let (control, account) = (self.control().to_vec(), self.account());
        self.begin(state, &control, account)
    }

    /// Switches to another integrator.
    pub fn set_integrator(&mut self, integrator: Method) -> Done {
        let way = Way { integrator, ..self.way };
        self.rebuild(self.model.clone(), way, self.grip.clone())
    }
    /// Switches to other coordinates; with `midpoint` if these do not allow the integrator.
    pub fn set_formulation(&mut self, formulation: Formulation) -> Done {
        let kept = formulation == Formulation::Reduced || self.way.integrator.is_for_trees();
        let integrator = if kept { self.way.integrator } else { Method::Midpoint };
        let way = Way { formulation, integrator, ..self.way };
        self.rebuild(self.model.clone(), way, self.grip.clone())
    }
    /// Switches to another way of solving contact, or to none.
    pub fn set_contact(&mut self, contact: Option<Contact>) -> Done {
        self.rebuild(self.model.clone(), Way { contact, ..self.way }, self.grip.clone())
    }
    /// Sets the gains of penalty contact, N/m and N s/m.
    pub fn set_gains(&mut self, gains: [f64; 2]) -> Done {
        let stiffened = |penalty: Penalty| Penalty { gains: Some(gains), ..penalty };
        let contact = self.way.contact.map(|c| Contact { penalty: c.penalty.map(stiffened), ..c });
        self.set_contact(contact)
    }
    /// Switches gravity on or off.
    pub fn set_gravity(&mut self, on: bool) -> Done {
        let model = self.changed(on, &self.stiffness, &self.masses)?;
        self.rebuild(model, self.way, self.grip.clone())?;
        self.gravity = on;
        Ok(())
    }
    /// Sets the stiffness of a soft constraint.
    pub fn set_stiffness(&mut self, soft: usize, value: f64) -> Done {
        let mut stiffness = self.stiffness.clone();
        stiffness[soft] = value;
        let model = self.changed(self.gravity, &stiffness, &self.masses)?;
        self.rebuild(model, self.way, self.grip.clone())?;
        self.stiffness = stiffness;
        Ok(())
    }
    /// Sets the mass of a body.
    pub fn set_mass(&mut self, body: BodyId, mass: f64) -> Done {
        let mut masses = self.masses.clone();
        masses.retain(|(other, _)| *other != body);
        masses.push((body, mass));
        let model = self.changed(self.gravity, &self.stiffness, &masses)?;
        self.rebuild(model, self.way, self.grip.clone())?;
        self.masses = masses;
        Ok(())
    }
    /// Grasps a point of a body, or releases it.
    pub fn set_grip(&mut self, held: Option<(BodyId, V3, Target)>) -> Done {
        let grip =
            held.map(|(body, point, target)| Grip::new(&self.model, self.state(), body, point, target));
        self.rebuild(self.model.clone(), self.way, grip)
    }
    /// Switches the ledger on or off.
    pub fn keep_ledger(&mut self, on: bool) -> Done {
        if on == self.carried.is_some() {
            return Ok(());
        }
        self.carried = on.then(EnergyAccount::default);
        self.rebuild(self.model.clone(), self.way, self.grip.clone())
    }

    /// The original model with these changes.
    fn changed(
        &self,
        gravity: bool,
        stiffness: &[f64],
        masses: &[(BodyId, f64)],
    ) -> Result<Arc<Model>, TrackError> {
        let given = &self.setup.model;
        let mut model = if gravity { Model::clone(given) } else { given.with_gravity(V3::ZERO) };
        for ((id, _, softness), stiffness) in soft_constraints(given).zip(stiffness) {
            model = model.with_softness(id, stiffened(softness, *stiffness))?;
        }
        for (body, mass) in masses {
            model = model.with_mass(*body, *mass)?;
        }
        Ok(Arc::new(model))
    }

    /// Continues from here with these settings; on an error nothing changes.
    fn rebuild(&mut self, model: Arc<Model>, way: Way, grip: Option<Grip>) -> Done {
        let mut used = way;
        // the methods for free bodies accept no external forces
        if grip.is_some() && !used.integrator.is_for_trees() {
            used.integrator = Method::Rkmk4;
        }
        let (mut simulation, untouched) = used.simulation(&model, self.state(), self.control())?;
        let account = self.account();
        interrupt_steps(&mut simulation, &self.interrupt);
        if let Some(grip) = grip.clone() {
            simulation.push(Hand::new(&model, grip));
        }
        (self.simulation, self.model, self.way, self.grip) = (simulation, model, way, grip);
        (self.stopped, self.untouched) = (None, untouched);
        self.show_contacts(None);
        self.continue_account(account);
        Ok(())
    }

    /// Steps towards `until` within a limited time; true if it has arrived or cannot continue.
    pub fn advance(&mut self, until: f64) -> bool {
        if self.stopped.is_some() {
            return true;
        }
        // within half a step is on time
        let left = ((until - self.state().time) / self.dt + 0.5).floor();
        if left < 1.0 {
            return true;
        }
        let steps = left.min((LONGEST / self.pace).max(1.0));
        let begin = Instant::now();
        self.steps(steps as usize);
        self.pace = (begin.elapsed().as_secs_f64() / steps).max(1e-9);
        steps == left || self.stopped.is_some() || self.interrupted
    }

    /// Takes this many steps, fewer if interrupted; on an error it stops and stores the reason.
    pub fn steps(&mut self, steps: usize) {
        let before = self.simulation.stepping_time();
        self.interrupt.begin();
        self.interrupted = false;
        match self.step(steps) {
            Err(SimulationError::Step(StepError::Interrupted { .. })) => self.interrupted = true,
            Err(error) => self.stopped = Some(error.to_string()),
            Ok(()) => {}
        }
        self.interrupt.end();
        self.spent += self.simulation.stepping_time() - before;
        for (fallback, times) in self.simulation.tally().fallbacks() {
            self.notices.insert(fallback.word(), fallback_sentence(fallback, times));
        }
    }
    /// Steps one by one while contacts are shown: a report covers one step.
    fn step(&mut self, steps: usize) -> Result<(), SimulationError> {
        let (times, each) = if self.contacts.on { (steps, 1) } else { (1, steps) };
        for _ in 0..times {
            let outcome = self.simulation.advance(each, self.dt);
            self.events.extend(self.simulation.events());
            outcome?;
            self.note_contacts();
        }
        Ok(())
    }
}

/// Moves joints that begin beyond their limits to these, if the steps enforce limits; returns the one farthest beyond.
fn within(model: &Model, state: &mut State, by: Stabilisation) -> Option<OutOfRange> {
    match by {
        Stabilisation::Projection => begin_within_ranges(model, state),
        _ => beyond_range(model, state),
    }
}

/// Interrupts long steps when the interrupt has requested.
fn interrupt_steps(simulation: &mut Simulation<'static>, interrupt: &Interrupt) {
    let interrupt = interrupt.clone();
    simulation.interrupt_when(move || interrupt.is_requested());
}
