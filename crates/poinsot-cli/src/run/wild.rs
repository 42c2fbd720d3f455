//! Energy that nobody has put in: a run may end with numbers that are finite, and mean nothing.

use poinsot::Simulation;
use poinsot::audit::Line;
use serde_json::{Value, json};

/// More than this share of the largest kinetic energy is said.
const MUCH: f64 = 0.1;
/// Of a run to which more than so many times was given as it had by itself nothing is left.
const ALL: f64 = 10.0;
/// What is less than this of the energies is not looked at.
const ROUND_OFF: f64 = 1e-9;
/// Metres a second: what never moves faster is at rest.
const RESTING: f64 = 1e-9;

/// Energies as they were seen, J.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    /// It was looked at the beginning.
    began: bool,
    first: Option<(f64, f64)>,
    largest_kinetic: f64,
    /// The largest energy of any kind: what is far below it is round-off.
    largest: f64,
    /// The most by which the energy had grown that nobody had put in; and what the motion had from elsewhere: the kinetic energy of
    /// the beginning, and what gravity, springs and motors had added.
    most: f64,
    beside: f64,
}

impl Given {
    /// Looks at a moment of the run. That at the beginning does not count: the first step puts back what is beyond its range, which
    /// may lift it.
    pub fn look(&mut self, simulation: &mut Simulation) {
        if !std::mem::replace(&mut self.began, true) {
            return;
        }
        let (kinetic, potential) = simulation.energies();
        if kinetic <= 0.5 * simulation.model().mass() * RESTING * RESTING {
            return;
        }
        let (first_kinetic, first_potential) = *self.first.get_or_insert((kinetic, potential));
        self.largest_kinetic = self.largest_kinetic.max(kinetic);
        self.largest = self.largest.max(kinetic).max(potential.abs());
        let outside = [Line::Actuators, Line::Elements, Line::Medium];
        let put_in: f64 = match simulation.ledger() {
            Some(ledger) => outside.iter().map(|line| ledger.total().work(*line)).sum(),
            // without a ledger nobody knows who gave what, unless nothing else can
            None if simulation.model().is_conservative() => 0.0,
            None => return,
        };
        let fallen = first_potential - potential;
        self.most = self.most.max(kinetic - first_kinetic - fallen - put_in);
        self.beside = self.beside.max(first_kinetic + fallen.max(0.0) + put_in.max(0.0));
    }

    /// Of the largest kinetic energy.
    fn share(&self) -> f64 {
        let given = if self.most > ROUND_OFF * self.largest { self.most } else { 0.0 };
        given / self.largest_kinetic.max(f64::MIN_POSITIVE)
    }

    /// True when the motion is the integrator's.
    pub fn is_all(&self) -> bool {
        self.share() > MUCH && self.most > ALL * self.beside
    }

    /// What to say, if anything.
    pub fn sentence(&self, integrator: &str, dt: f64) -> Option<String> {
        if self.share() <= MUCH {
            return None;
        }
        let other = if integrator == "leapfrog" { "" } else { ", or --integrator leapfrog" };
        let wild = if self.is_all() {
            format!(
                "THIS MOTION MEANS NOTHING: it has {:.0e} times the energy that was put into it",
                self.most / self.beside.max(f64::MIN_POSITIVE)
            )
        } else {
            format!("the energy is wrong by {:.0} % of the largest kinetic energy", 100.0 * self.share())
        };
        Some(format!(
            "warning: {wild}; `{integrator}` gave {:.1e} J by its errors. Try a smaller step than {dt} s{other}",
            self.most
        ))
    }

    pub fn json(&self) -> Value {
        json!({"energy": self.most, "of_largest_kinetic": self.share(), "means_nothing": self.is_all()})
    }
}
