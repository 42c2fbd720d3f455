//! Spurious energy: a run may end with numbers that are finite but meaningless.

use crate::Simulation;
use crate::audit::Line;
use crate::model::Bias;

/// A gain above this share of the largest kinetic energy is reported.
const MUCH: f64 = 0.1;
/// If a run gained more than this many times the energy it had of its own, its motion is meaningless.
const ALL: f64 = 10.0;
/// Gains below this share of the energies are ignored.
const ROUND_OFF: f64 = 1e-9;
/// A model that never moves faster than this is at rest, in metres a second.
const RESTING: f64 = 1e-9;
/// Energy from dampers is reported above this share of the work of all forces.
const DAMPERS: f64 = 1e-3;

/// How much energy the errors of an integrator have added to a motion, as far as that can be known: always with a ledger; without one, as
/// long as nothing drives the model.
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
    /// True once the initial values have been recorded.
    began: bool,
    /// True if something has driven the model and no ledger was kept.
    unknown: bool,
    /// True if bodies overlapped at the start: pushing them apart raises their energy.
    overlapped: bool,
    /// At the first record of a motion: kinetic and potential energy, and the energy that had been put in by then.
    first: Option<(f64, f64, f64)>,
    largest_kinetic: f64,
    /// The largest energy of any kind; anything far below it is round-off.
    largest: f64,
    /// The largest unexplained gain of energy; and the energy from known sources: the initial kinetic energy, and what gravity, springs and
    /// motors have added.
    most: f64,
    beside: f64,
    /// The largest energy that dampers have added, which should only remove energy; and the sum of the work of all forces, in absolute
    /// value.
    from_dampers: f64,
    exchanged: f64,
    /// The largest energy that contacts have added, if all of them are springs.
    from_springs: f64,
}

impl EnergyGain {
    /// Records a moment of the run. The initial state does not count: the first step moves coordinates back within their ranges, which may
    /// raise the energy.
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
        // pushing apart bodies that overlapped at the start is not an error of the integrator
        let outside = &outside[..if self.overlapped { 4 } else { 3 }];
        let springs = simulation.contact().is_some_and(|c| c.penalty.is_some());
        let put_in: f64 = match simulation.ledger() {
            Some(ledger) => {
                let work = |line: &Line| ledger.total().work(*line);
                self.from_dampers = self.from_dampers.max(work(&Line::Dampers));
                if springs {
                    self.from_springs = self.from_springs.max(work(&Line::Contact));
                }
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
        // energy put in before the first record is included in the energies of that record
        let (first_kinetic, first_potential, put_in_before) =
            *self.first.get_or_insert((kinetic, potential, put_in));
        let (fallen, put_in) = (first_potential - potential, put_in - put_in_before);
        self.most = self.most.max(kinetic - first_kinetic - fallen - put_in);
        self.beside = self.beside.max(first_kinetic + fallen.max(0.0) + put_in.max(0.0));
    }

    /// The largest gain, J.
    pub fn energy(&self) -> f64 {
        self.most
    }

    /// The largest gain relative to the largest kinetic energy; 0 if it is round-off.
    pub fn share(&self) -> f64 {
        let given = if self.most > ROUND_OFF * self.largest { self.most } else { 0.0 };
        given / self.largest_kinetic.max(f64::MIN_POSITIVE)
    }

    /// True if the errors of the integrator dominate the motion.
    pub fn is_all(&self) -> bool {
        self.share() > MUCH && self.most > ALL * self.beside
    }

    /// The message, if there is one; `advice` is what the user might do.
    pub fn sentence(&self, integrator: &str, dt: f64, advice: &str) -> Option<String> {
        if self.share() <= MUCH {
            let enough = (DAMPERS * self.exchanged).max(ROUND_OFF * self.largest);
            return (self.from_dampers > enough).then(|| {
                let given = self.from_dampers;
                format!(
                    "dampers added {given:.1e} J, although dampers can only remove energy: `{integrator}` does not resolve them. \
                     Try {advice} than {dt} s"
                )
            });
        }
        let wild = if self.is_all() {
            format!(
                "THIS MOTION IS MEANINGLESS: it has {:.0e} times the energy that was put into it",
                self.most / self.beside.max(f64::MIN_POSITIVE)
            )
        } else {
            format!("the energy is wrong by {:.0} % of the largest kinetic energy", 100.0 * self.share())
        };
        if self.overlapped {
            let cause = "pushing apart bodies that overlapped at the start";
            return Some(format!(
                "{wild}; {:.1e} J came from {cause}, or from errors of `{integrator}`",
                self.most
            ));
        }
        let given = if 2.0 * self.from_springs > self.most {
            format!("the contact springs gave {:.1e} J", self.most)
        } else {
            format!("the error of `{integrator}` added {:.1e} J", self.most)
        };
        Some(format!("{wild}; {given}. Try {advice} than {dt} s"))
    }
}

/// True if energy may be put in, by motors, by applied forces or by wind.
fn is_driven(simulation: &Simulation) -> bool {
    let model = simulation.model();
    let motors = model.actuators().iter().zip(simulation.control());
    motors.into_iter().any(|(a, signal)| *signal != 0.0 || a.bias != Bias::None)
        || simulation.activation().iter().any(|a| *a != 0.0)
        || model.medium().is_some()
        || simulation.applied_forces().iter().any(|f| *f != 0.0)
        || !simulation.loads().is_empty()
}
