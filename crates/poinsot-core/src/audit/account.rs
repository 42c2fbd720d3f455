//! An account: the contributions to the kinetic energy and the momentum of a model; see [`super::Ledger`].

use crate::algebra::V3;
use crate::integrate::MemoryReader;
use crate::spatial::Force;

/// The sources of kinetic energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the module page says what each is
#[non_exhaustive]
pub enum Line {
    Gravity,
    Springs,
    Dampers,
    Actuators,
    Medium,
    Elements,
    Constraints,
    Limits,
    Contact,
    Friction,
    Stabilisation,
    Integration,
}

impl Line {
    /// All lines, in the order they are printed.
    pub const ALL: [Line; 12] = [
        Line::Gravity,
        Line::Springs,
        Line::Dampers,
        Line::Actuators,
        Line::Medium,
        Line::Elements,
        Line::Constraints,
        Line::Limits,
        Line::Contact,
        Line::Friction,
        Line::Stabilisation,
        Line::Integration,
    ];
    /// The word shown to users and parsed.
    pub fn word(self) -> &'static str {
        match self {
            Line::Gravity => "gravity",
            Line::Springs => "springs",
            Line::Dampers => "dampers",
            Line::Actuators => "actuators",
            Line::Medium => "medium",
            Line::Elements => "elements",
            Line::Constraints => "constraints",
            Line::Limits => "limits",
            Line::Contact => "contact",
            Line::Friction => "friction",
            Line::Stabilisation => "stabilisation",
            Line::Integration => "integration",
        }
    }
}

/// Energies added to the motion, J, in the order of [`Line::ALL`], and momenta.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// The work of each line.
    pub energy: [f64; Line::ALL.len()],
    /// The change of kinetic energy.
    pub kinetic: f64,
    /// The impulse of gravity about the world's origin; of reactions; of the stabilisation; the error of integration.
    pub gravity: Force,
    /// See `gravity`.
    pub reactions: Force,
    /// See `gravity`.
    pub stabilisation: Force,
    /// See `gravity`.
    pub integration: Force,
    /// The change of momentum, its angular part about the world's origin.
    pub momentum: Force,
}

impl Account {
    /// The work of one line.
    pub fn work(&self, line: Line) -> f64 {
        self.energy[line as usize]
    }
    /// The change of kinetic energy minus the sum of all lines: round-off.
    pub fn imbalance(&self) -> f64 {
        self.kinetic - self.energy.iter().sum::<f64>()
    }

    /// Writes it as numbers.
    pub(super) fn numbers(&self, out: &mut Vec<f64>) {
        out.extend(self.energy);
        out.push(self.kinetic);
        for Force { moment: n, force: f } in
            [self.gravity, self.reactions, self.stabilisation, self.integration, self.momentum]
        {
            out.extend([n.x, n.y, n.z, f.x, f.y, f.z]);
        }
    }
    /// Reads it back.
    pub(super) fn of_numbers(from: &mut MemoryReader<'_>) -> Account {
        let mut account = Account::default();
        from.fill(&mut account.energy);
        account.kinetic = from.number();
        let mut force = || {
            let mut vector = || V3::new(from.number(), from.number(), from.number());
            Force { moment: vector(), force: vector() }
        };
        (account.gravity, account.reactions) = (force(), force());
        (account.stabilisation, account.integration, account.momentum) = (force(), force(), force());
        account
    }

    pub(super) fn add(&mut self, o: &Account) {
        self.energy.iter_mut().zip(o.energy).for_each(|(a, b)| *a += b);
        self.kinetic += o.kinetic;
        self.gravity = self.gravity + o.gravity;
        self.reactions = self.reactions + o.reactions;
        self.stabilisation = self.stabilisation + o.stabilisation;
        self.integration = self.integration + o.integration;
        self.momentum = self.momentum + o.momentum;
    }
}
