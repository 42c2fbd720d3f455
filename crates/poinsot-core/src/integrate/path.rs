//! The work of forces along a smooth path: powers and wrenches, integrated.
//!
//! Between two states separated by a time h, Simpson's rule is used; the midpoint is that of Hermite's cubic in [canonical
//! coordinates](super::chart) u about the start:
//!
//! ```math
//! ∫ p dt = h/6 (p + 4 p̄ + p⁺)        ū = ½u⁺ + ⅛h (u̇ − u̇⁺)        u̇̄ = (3/2h) u⁺ − ¼(u̇ + u̇⁺)
//! ```
//! This is for methods that do not change the velocity by an impulse: those with several stages, event-driven ones, and exact ones. A path
//! contains neither impacts nor changes of status.

use super::report::Exerted;
use super::{System, chart_rate, chart_velocity, copy};
use crate::constraint::{ContactWork, Reactions, Stabilisation};
use crate::dynamics::State;
use crate::model::Model;
use crate::spatial::Force;

/// Powers at a state: dampers, actuators, medium, elements, constraints; and the wrenches of gravity and of the world about the world's
/// origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    powers: [f64; 5],
    /// The powers of contact normal forces and of contact friction.
    contacts: [f64; 2],
    gravity: Force,
    world: Force,
}

/// Scratch of a system that has a ledger.
#[derive(Clone, Debug)]
pub(super) struct Path {
    middle: State,
    change: Vec<f64>,
    tau: Vec<f64>,
    acceleration: Vec<f64>,
    pub(super) reactions: Reactions,
}

impl Path {
    pub(super) fn new(model: &Model) -> Path {
        let zeros = || vec![0.0; model.nv()];
        Path {
            middle: State::new(model),
            change: zeros(),
            tau: zeros(),
            acceleration: zeros(),
            reactions: Reactions::new(model),
        }
    }

    /// Evaluates Hermite's cubic at the midpoint, in canonical coordinates u about the start.
    fn place_middle(&mut self, model: &Model, from: &State, to: &State, h: f64) {
        copy(&mut self.middle, from);
        model.difference(&from.q, &to.q, &mut self.change);
        chart_rate(model, &self.change, &to.v, &mut self.tau);
        for k in 0..self.change.len() {
            let (u, v, w) = (self.change[k], from.v[k], self.tau[k]);
            self.tau[k] = 1.5 * u / h - 0.25 * (v + w);
            self.change[k] = 0.5 * u + 0.125 * h * (v - w);
        }
        chart_velocity(model, &self.change, &self.tau, &mut self.middle.v);
        model.integrate(&mut self.middle.q, &self.change, 1.0);
        self.middle.time = 0.5 * (from.time + to.time);
    }

    fn flow(&mut self, system: &mut System, state: &State) -> Flow {
        let model = &*system.model();
        let [dampers, actuators, medium, elements] = system.powers(state, &mut self.tau);
        let mut powers = [dampers, actuators, medium, elements, 0.0];
        system.acceleration(state, &mut self.acceleration);
        if let (Some(multipliers), true) =
            (system.multipliers(), system.stabilisation() != Stabilisation::Projection)
        {
            powers[4] = multipliers.power();
        }
        let gravity = system.weight(state);
        let workspace = system.workspace();
        self.reactions.find(model, workspace, &state.q, &state.v, &self.acceleration, None, None);
        Flow { powers, contacts: system.rest_power(), gravity, world: self.reactions.of_world() }
    }
}

impl System<'_> {
    /// The work of forces on a smooth path of duration h between two states, and the powers at its end; `begin` are the powers at its
    /// start, if known.
    pub(crate) fn along_path(
        &mut self,
        from: &State,
        begin: Option<Flow>,
        to: &State,
        h: f64,
    ) -> (Exerted, Flow) {
        let Some(mut path) = self.path.take() else { return <(Exerted, Flow)>::default() };
        let begin = begin.unwrap_or_else(|| path.flow(self, from));
        path.place_middle(&self.model(), from, to, h);
        let middle = std::mem::take(&mut path.middle);
        let halfway = path.flow(self, &middle);
        path.middle = middle;
        let end = path.flow(self, to);
        self.path = Some(path);
        let mut sum = Exerted::default();
        for (Flow { powers, contacts, gravity, world }, weight) in [(begin, 1.0), (halfway, 4.0), (end, 1.0)]
        {
            let weight = weight * h / 6.0;
            sum.add(&Exerted {
                works: powers.map(|p| weight * p),
                contacts: contacts.map(|p| weight * p),
                gravity: gravity * weight,
                world: world * weight,
            });
        }
        (sum, end)
    }

    /// Records the work of forces on such a path, if there is a ledger. The current rows are those of its end.
    pub(super) fn note_path(&mut self, from: &State, to: &State, h: f64) {
        if self.path.is_none() {
            return;
        }
        let along = if h > 0.0 { self.along_path(from, None, to, h).0 } else { Exerted::default() };
        self.report.exerted.get_or_insert_default().add(&along);
        self.report.note_contact(ContactWork { normal: along.contacts[0], friction: along.contacts[1] });
    }

    /// The weight of the model about the world's origin.
    pub(super) fn weight(&mut self, state: &State) -> Force {
        let weight = self.model.gravity() * self.model.mass();
        Force::at_point(weight, self.at(state).com())
    }
}
