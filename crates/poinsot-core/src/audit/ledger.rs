//! The ledger: what each step put into the kinetic energy and the momentum of a model, and who did it.
//!
//! The kinetic energy changes by the work of all forces:
//!
//! ```math
//! ΔT = gravity + springs + dampers + actuators + medium + elements + constraints + limits + contact + friction + stabilisation
//!      + integration
//! ```
//! Gravity and springs give what their potential energies lose, exactly. The work of the other forces is the integral of
//! their power along the step, by Simpson's rule with the middle from Hermite's cubic, `ū = ½u⁺ + ⅛h (u̇ − u̇⁺)`,
//! `u̇̄ = (3/2h) u⁺ − ¼(u̇ + u̇⁺)` in canonical coordinates; for an integrator that takes forces at the end of the step, their power there;
//! for one that tells what impulses it has applied (`leapfrog`), these times the mean of the velocities before and after.
//! Limits, contacts and friction, dry and of contacts, give what their impulses do, each times the mean of the rates before and after.
//! Stabilisation is what the projection onto the constraints changed. Integration is what is left: the error of the
//! method, which vanishes with the step at its order. The momentum is accounted for in the same way: gravity,
//! reactions (what the world exerts through joints and constraints, and whatever else acts from outside), stabilisation,
//! integration.

use super::{Account, Line};
use crate::constraint::{Reactions, Stabilisation};
use crate::dynamics::State;
use crate::integrate::{Integrator, Quadrature, StepError, System, chart_rate, chart_velocity, copy};
use crate::model::Model;
use crate::spatial::Force;

/// What there is at a state.
#[derive(Clone, Copy, Debug, Default)]
struct Stock {
    kinetic: f64,
    gravity: f64,
    springs: f64,
    momentum: Force,
}

/// Powers at a state: dampers, actuators, medium, elements, constraints; and the wrenches of gravity and of the world.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    powers: [f64; 5],
    gravity: Force,
    world: Force,
}

/// Keeps accounts of a simulation, step by step. No call allocates.
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
    middle: State,
    stock: Stock,
    flow: Flow,
    total: Account,
    last: Account,
    scale: f64,
    reactions: Reactions,
    tau: Vec<f64>,
    change: Vec<f64>,
    acceleration: Vec<f64>,
    /// The controls that `flow` is for.
    control: Vec<f64>,
}

impl Ledger {
    /// Begins at a state; the system notes from now on what its projections change.
    pub fn begin(system: &mut System, state: &State) -> Ledger {
        let model = &*system.model();
        let zeros = || vec![0.0; model.nv()];
        system.note_settlements();
        let mut ledger = Ledger {
            before: state.clone(),
            middle: state.clone(),
            stock: Stock::default(),
            flow: Flow::default(),
            total: Account::default(),
            last: Account::default(),
            scale: 0.0,
            reactions: Reactions::new(model),
            tau: zeros(),
            change: zeros(),
            acceleration: zeros(),
            control: system.control().to_vec(),
        };
        ledger.stock = stock(system, state);
        ledger.flow = ledger.flow_at(system, state);
        ledger.scale = ledger.stock.kinetic;
        ledger
    }

    /// All since the beginning.
    pub fn total(&self) -> &Account {
        &self.total
    }
    /// The last step.
    pub fn last(&self) -> &Account {
        &self.last
    }
    /// The largest kinetic energy met, or the largest work of a line if that is more: what imbalances are small against.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Makes one step, as [`System::step`] does, and accounts for it. `state` is where the last step has led.
    pub fn step(
        &mut self,
        system: &mut System,
        integrator: &mut dyn Integrator,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        self.prepare(system, state);
        system.advance(integrator, state, dt)?;
        self.account(system, integrator.quadrature(), state, dt);
        system.advance_activations(state, dt);
        Ok(())
    }

    /// To be called before a step from `state`: controls may have changed since the last.
    pub fn prepare(&mut self, system: &mut System, state: &State) {
        if self.control != system.control() || self.before.activation != state.activation {
            self.restart(system, state);
        }
    }

    /// Accounts for the step of size `dt` that has just been made to `state`, before activations follow.
    pub fn account(&mut self, system: &mut System, quadrature: Quadrature, state: &State, dt: f64) {
        let model = &*system.model();
        let (was, now) = (self.stock, stock(system, state));
        let (begin, end) = (self.flow, self.flow_at(system, state));
        let weights = match quadrature {
            Quadrature::Path => [dt / 6.0, 4.0 * dt / 6.0, dt / 6.0],
            Quadrature::End => [0.0, 0.0, dt],
        };
        let middle = if weights[1] != 0.0 {
            self.place_middle(model, state, dt);
            let middle = std::mem::take(&mut self.middle);
            let flow = self.flow_at(system, &middle);
            self.middle = middle;
            flow
        } else {
            Flow::default()
        };
        let flows = [begin, middle, end];
        let power = |k: usize| flows.iter().zip(weights).fold(0.0, |s, (f, w)| w.mul_add(f.powers[k], s));
        let settled = system.settlement();
        let mut energy = [0.0; Line::ALL.len()];
        energy[Line::Gravity as usize] = was.gravity - now.gravity;
        energy[Line::Springs as usize] = was.springs - now.springs;
        for (k, line) in [Line::Dampers, Line::Actuators, Line::Medium, Line::Elements, Line::Constraints]
            .into_iter()
            .enumerate()
        {
            energy[line as usize] = power(k);
        }
        let report = system.report();
        if let Some(works) = report.works {
            energy[Line::Dampers as usize..=Line::Elements as usize].copy_from_slice(&works);
        }
        energy[Line::Limits as usize] = report.limit_work;
        energy[Line::Contact as usize] = report.contact_work;
        energy[Line::Friction as usize] = report.friction_work;
        energy[Line::Stabilisation as usize] = settled.energy;
        let kinetic = now.kinetic - was.kinetic;
        energy[Line::Integration as usize] = kinetic - energy.iter().sum::<f64>();
        let wrench = |part: fn(&Flow) -> Force| {
            flows.iter().zip(weights).fold(Force::default(), |s, (f, w)| s + part(f) * w)
        };
        let gravity = wrench(|f| f.gravity);
        let reactions = wrench(|f| f.world) + system.report().contact_impulse;
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
        (self.stock, self.flow) = (now, end);
        copy(&mut self.before, state);
    }

    /// Goes on from another state, as if nothing had happened between.
    pub fn restart(&mut self, system: &mut System, state: &State) {
        copy(&mut self.before, state);
        self.control.copy_from_slice(system.control());
        self.stock = stock(system, state);
        self.flow = self.flow_at(system, state);
    }

    /// Hermite's cubic in canonical coordinates u about the beginning.
    fn place_middle(&mut self, model: &Model, state: &State, dt: f64) {
        model.difference(&self.before.q, &state.q, &mut self.change);
        chart_rate(model, &self.change, &state.v, &mut self.tau);
        for k in 0..self.change.len() {
            let (u, v, w) = (self.change[k], self.before.v[k], self.tau[k]);
            self.tau[k] = 1.5 * u / dt - 0.25 * (v + w);
            self.change[k] = 0.5 * u + 0.125 * dt * (v - w);
        }
        chart_velocity(model, &self.change, &self.tau, &mut self.middle.v);
        self.middle.q.copy_from_slice(&self.before.q);
        model.integrate(&mut self.middle.q, &self.change, 1.0);
        self.middle.time = 0.5 * (self.before.time + state.time);
        self.middle.activation.copy_from_slice(&self.before.activation);
    }

    fn flow_at(&mut self, system: &mut System, state: &State) -> Flow {
        let model = &*system.model();
        let [dampers, actuators, medium, elements] = system.powers(state, &mut self.tau);
        let mut powers = [dampers, actuators, medium, elements, 0.0];
        system.acceleration(state, &mut self.acceleration);
        if let (Some(held), true) =
            (system.multipliers(), system.stabilisation() != Stabilisation::Projection)
        {
            powers[4] = held.power();
        }
        let at = system.at(state);
        let weight = model.gravity() * model.mass();
        let gravity = Force::at_point(weight, at.com());
        let workspace = system.workspace();
        self.reactions.find(model, workspace, &state.q, &state.v, &self.acceleration, None, None);
        Flow { powers, gravity, world: self.reactions.of_world() }
    }
}

/// Energies and momentum at a state.
fn stock(system: &mut System, state: &State) -> Stock {
    let (soft, rotors) = system.constraint_energies(state);
    let soft = soft + system.joint_energy(&state.q);
    let at = system.at(state);
    let gravity = at.gravity_energy() + at.compensation_energy();
    Stock {
        kinetic: at.kinetic_energy() + rotors,
        gravity,
        springs: at.potential_energy() - gravity + soft,
        momentum: at.momentum(),
    }
}
