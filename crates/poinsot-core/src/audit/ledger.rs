//! The ledger: what each step added to the kinetic energy and the momentum of a model, by source.
//!
//! The kinetic energy changes by the work of all forces:
//!
//! ```math
//! ΔT = gravity + springs + dampers + actuators + medium + elements + constraints + limits + contact + friction + stabilisation
//!      + integration
//! ```
//! The work of gravity and springs is the loss of their potential energies, exactly. A method that time-steps with impulses (`leapfrog`,
//! `semi-implicit`, `implicit`, `backward`) reports them: the work of a force is its impulse times the mean of the velocities before and
//! after. The other methods apply no such impulses: one with stages evaluates forces at states that the model never reaches, an exact one
//! evaluates none. For them the work is the integral of the power along the path, by Simpson's rule with the midpoint from Hermite's cubic,
//! of fourth order; if limits and dry friction make the motion non-smooth, from one event to the next. The work of limits, contacts and
//! friction is that of their impulses, each times the mean of the rates before and after. Stabilisation is the change made by the
//! projection onto the constraints. Integration is the remainder: the error of the method, which vanishes with the step at its order.
//!
//! The momentum is accounted for in the same way: gravity, reactions (the forces of the world through joints and constraints, including
//! impacts at limits, and all other external forces), stabilisation, integration.

use super::{Account, Line};
use crate::dynamics::State;
use crate::integrate::{Exerted, Flow, Integrator, MemoryReader, StepError, System, copy};
use crate::spatial::Force;

/// The totals at a state.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    kinetic: f64,
    gravity: f64,
    springs: f64,
    momentum: Force,
}

/// Keeps the accounts of a simulation, step by step. No call allocates.
///
/// ```
/// use poinsot_core::{algebra::V3, audit::{Ledger, Line}, dynamics::State, integrate::{self, System}, model::*};
/// let mut b = ModelBuilder::new("damped pendulum");
/// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z).damping(0.5));
/// let model = b.build()?;
/// let (mut system, mut rkmk4) = (System::new(&model), integrate::by_name("rkmk4", &model)?);
/// let mut state = State { q: vec![1.0], ..State::new(&model) };
/// let mut ledger = Ledger::begin(&mut system, &state);
/// for _ in 0..1000 {
///     ledger.step(&mut system, &mut *rkmk4, &mut state, 1e-3)?;
/// }
/// let total = ledger.total();
/// assert!(total.work(Line::Dampers) < -0.1 && total.work(Line::Gravity) > 0.1);
/// assert!(total.work(Line::Integration).abs() < 1e-9 && total.imbalance().abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ledger {
    before: State,
    totals: Totals,
    /// The powers at `before`, if known.
    flow: Option<Flow>,
    total: Account,
    last: Account,
    scale: f64,
    /// The controls for which `flow` was evaluated.
    control: Vec<f64>,
}

impl Ledger {
    /// Starts at a state; from now on the system records the changes made by its projections.
    pub fn begin(system: &mut System, state: &State) -> Ledger {
        system.note_corrections();
        let totals = totals(system, state);
        Ledger {
            before: state.clone(),
            totals,
            flow: None,
            total: Account::default(),
            last: Account::default(),
            scale: totals.kinetic,
            control: system.control().to_vec(),
        }
    }

    /// The totals since the start.
    pub fn total(&self) -> &Account {
        &self.total
    }
    /// The last step.
    pub fn last(&self) -> &Account {
        &self.last
    }
    /// The largest kinetic energy so far, or the largest work of a line if that is larger: the scale of an imbalance.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Makes one step, as [`System::step`] does, and accounts for it. `state` is the result of the last step.
    pub fn step(
        &mut self,
        system: &mut System,
        integrator: &mut dyn Integrator,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        self.prepare(system, state);
        system.advance(integrator, state, dt)?;
        self.account(system, state, dt);
        system.advance_activations(state, dt);
        Ok(())
    }

    /// To be called before a step from `state`, since controls may have changed.
    pub fn prepare(&mut self, system: &mut System, state: &State) {
        // a user's integrator may leave the report of another step
        system.begin_step();
        if self.control != system.control() || self.before.activation != state.activation {
            self.restart(system, state);
        }
    }

    /// Accounts for the step of size `dt` just made to `state`, before activations follow.
    pub fn account(&mut self, system: &mut System, state: &State, dt: f64) {
        let (was, now) = (self.totals, totals(system, state));
        let Exerted { works, gravity, world, .. } = self.exerted(system, state, dt);
        let report = system.report();
        let (settled, reactions) = (report.correction, world + report.impact);
        let mut energy = [0.0; Line::ALL.len()];
        energy[Line::Gravity as usize] = was.gravity - now.gravity;
        energy[Line::Springs as usize] = was.springs - now.springs;
        energy[Line::Dampers as usize..=Line::Constraints as usize].copy_from_slice(&works);
        energy[Line::Limits as usize] = report.limit_work;
        energy[Line::Contact as usize] = report.contact_work;
        energy[Line::Friction as usize] = report.friction_work;
        energy[Line::Stabilisation as usize] = settled.energy;
        let kinetic = now.kinetic - was.kinetic;
        energy[Line::Integration as usize] = kinetic - energy.iter().sum::<f64>();
        let momentum = now.momentum - was.momentum;
        self.last = Account {
            energy,
            kinetic,
            gravity,
            reactions,
            stabilisation: settled.momentum,
            integration: momentum - gravity - reactions - settled.momentum,
            momentum,
        };
        let largest = self.last.energy.iter().fold(now.kinetic, |s, w| s.max(w.abs()));
        self.scale = self.scale.max(largest);
        self.total.add(&self.last);
        self.totals = now;
        copy(&mut self.before, state);
    }

    /// The work of the forces in the step to `state`: as reported by the step, or otherwise along its path.
    fn exerted(&mut self, system: &mut System, state: &State, dt: f64) -> Exerted {
        let flow = self.flow.take();
        system.report().exerted.unwrap_or_else(|| {
            let (exerted, end) = system.along_path(&self.before, flow, state, dt);
            self.flow = Some(end);
            exerted
        })
    }

    /// Writes its totals and the last step as numbers.
    pub fn memory(&self, out: &mut Vec<f64>) {
        self.total.numbers(out);
        self.last.numbers(out);
        out.push(self.scale);
    }
    /// Restores what [`Ledger::memory`] wrote; the state is that of the last [`Ledger::restart`].
    pub fn restore_memory(&mut self, from: &mut MemoryReader<'_>) {
        (self.total, self.last) = (Account::of_numbers(from), Account::of_numbers(from));
        self.scale = from.number();
    }

    /// Continues from another state; the change in between is not accounted for.
    pub fn restart(&mut self, system: &mut System, state: &State) {
        copy(&mut self.before, state);
        self.control.copy_from_slice(system.control());
        self.totals = totals(system, state);
        self.flow = None;
    }
}

/// Energies and momentum at a state.
fn totals(system: &mut System, state: &State) -> Totals {
    let (soft, rotors) = system.constraint_energies(state);
    let soft = soft + system.joint_energy(&state.q);
    let at = system.at(state);
    let gravity = at.gravity_energy() + at.compensation_energy();
    Totals {
        kinetic: at.kinetic_energy() + rotors,
        gravity,
        springs: at.potential_energy() - gravity + soft,
        momentum: at.momentum(),
    }
}
