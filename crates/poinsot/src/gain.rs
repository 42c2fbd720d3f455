//! Energy that nobody has put in: a run may end with numbers that are finite, and mean nothing.

use crate::Simulation;
use crate::audit::Line;
use crate::model::Bias;

/// More than this share of the largest kinetic energy is said.
const MUCH: f64 = 0.1;
/// Of a run to which more than so many times was given as it had by itself nothing is left.
const ALL: f64 = 10.0;
/// What is less than this of the energies is not looked at.
const ROUND_OFF: f64 = 1e-9;
/// Metres a second: what never moves faster is at rest.
const RESTING: f64 = 1e-9;
/// What dampers give is told from this share of the work of all forces on.
const DAMPERS: f64 = 1e-3;

/// How much energy the errors of an integrator have given to a motion, as far as that can be told: with a ledger always; without one
/// while nothing drives the model.
///
/// ```
/// use poinsot::{EnergyGain, Simulation, integrate::Method};
/// let scene = poinsot::scenes::by_name("double-pendulum")?;
/// let mut simulation = Simulation::new(&scene.model, scene.state, Method::Rkmk4)?;
/// let mut gain = EnergyGain::default();
/// for _ in 0..100 {
///     simulation.advance(10, 1e-3)?;
///     gain.look(&mut simulation);
/// }
/// assert!(gain.share() < 1e-6 && gain.sentence("rkmk4", 1e-3, "smaller steps").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct EnergyGain {
    /// It was looked at the beginning.
    began: bool,
    /// Something has driven the model, and no ledger was kept.
    unknown: bool,
    /// Bodies began inside one another: pushing them apart lifts them.
    overlapped: bool,
    /// At the first look at a motion: kinetic and potential energy, and what had been put in by then.
    first: Option<(f64, f64, f64)>,
    largest_kinetic: f64,
    /// The largest energy of any kind: what is far below it is round-off.
    largest: f64,
    /// The most by which the energy had grown that nobody had put in; and what the motion had from elsewhere: the kinetic energy of
    /// the beginning, and what gravity, springs and motors had added.
    most: f64,
    beside: f64,
    /// The most that dampers had given, which can only take energy; and what all forces together had given and taken.
    from_dampers: f64,
    exchanged: f64,
}

impl EnergyGain {
    /// Looks at a moment of the run. That at the beginning does not count: the first step puts back what is beyond its range, which
    /// may lift it.
    pub fn look(&mut self, simulation: &mut Simulation) {
        if !std::mem::replace(&mut self.began, true) {
            return;
        }
        self.overlapped = !simulation.overlaps().is_empty();
        let (kinetic, potential) = simulation.energies();
        if kinetic <= 0.5 * simulation.model().mass() * RESTING * RESTING {
            return;
        }
        self.largest_kinetic = self.largest_kinetic.max(kinetic);
        self.largest = self.largest.max(kinetic).max(potential.abs());
        let outside = [Line::Actuators, Line::Elements, Line::Medium, Line::Stabilisation];
        // pushing apart what began inside one another is not an error of the integrator
        let outside = &outside[..if self.overlapped { 4 } else { 3 }];
        let put_in: f64 = match simulation.ledger() {
            Some(ledger) => {
                let work = |line: &Line| ledger.total().work(*line);
                self.from_dampers = self.from_dampers.max(work(&Line::Dampers));
                self.exchanged = self.exchanged.max(Line::ALL.iter().map(|line| work(line).abs()).sum());
                outside.iter().map(work).sum()
            }
            // without a ledger the source is unknown, unless there is no other
            None => {
                self.unknown |= is_driven(simulation);
                0.0
            }
        };
        if self.unknown {
            return;
        }
        // what was put in before the first look is in the energies of that look
        let (first_kinetic, first_potential, put_in_before) =
            *self.first.get_or_insert((kinetic, potential, put_in));
        let (fallen, put_in) = (first_potential - potential, put_in - put_in_before);
        self.most = self.most.max(kinetic - first_kinetic - fallen - put_in);
        self.beside = self.beside.max(first_kinetic + fallen.max(0.0) + put_in.max(0.0));
    }

    /// The most that was given, J.
    pub fn energy(&self) -> f64 {
        self.most
    }

    /// The same, of the largest kinetic energy; 0 where it is round-off.
    pub fn share(&self) -> f64 {
        let given = if self.most > ROUND_OFF * self.largest { self.most } else { 0.0 };
        given / self.largest_kinetic.max(f64::MIN_POSITIVE)
    }

    /// True when the motion is the integrator's.
    pub fn is_all(&self) -> bool {
        self.share() > MUCH && self.most > ALL * self.beside
    }

    /// What to say, if anything; `advice` is what the user might do.
    pub fn sentence(&self, integrator: &str, dt: f64, advice: &str) -> Option<String> {
        if self.share() <= MUCH {
            let enough = (DAMPERS * self.exchanged).max(ROUND_OFF * self.largest);
            return (self.from_dampers > enough).then(|| {
                let given = self.from_dampers;
                format!(
                    "dampers gave {given:.1e} J, which they can only take: `{integrator}` does not resolve them. \
                     Try {advice} than {dt} s"
                )
            });
        }
        let wild = if self.is_all() {
            format!(
                "THIS MOTION MEANS NOTHING: it has {:.0e} times the energy that was put into it",
                self.most / self.beside.max(f64::MIN_POSITIVE)
            )
        } else {
            format!("the energy is wrong by {:.0} % of the largest kinetic energy", 100.0 * self.share())
        };
        if self.overlapped {
            let cause = "pushing apart what began inside one another";
            return Some(format!(
                "{wild}; {:.1e} J came from {cause}, or from errors of `{integrator}`",
                self.most
            ));
        }
        let given = format!("`{integrator}` gave {:.1e} J by its errors", self.most);
        Some(format!("{wild}; {given}. Try {advice} than {dt} s"))
    }
}

/// True where somebody may put energy in: motors, forces that a user applies, wind.
fn is_driven(simulation: &Simulation) -> bool {
    let model = simulation.model();
    let motors = model.actuators().iter().zip(simulation.control());
    motors.into_iter().any(|(a, signal)| *signal != 0.0 || a.bias != Bias::None)
        || simulation.activation().iter().any(|a| *a != 0.0)
        || model.medium().is_some()
        || simulation.applied_forces().iter().any(|f| *f != 0.0)
        || !simulation.loads().is_empty()
}
