//! Settings of the contact solver.

use std::fmt;
use std::str::FromStr;

/// The solver of contact impulses.
///
/// ```
/// use poinsot_core::constraint::ContactSolver;
/// assert_eq!("lcp:8".parse(), Ok(ContactSolver::Lcp { facets: 8 }));
/// assert!("best".parse::<ContactSolver>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ContactSolver {
    /// The exact friction cone, [to round-off](crate::contact::Exact).
    #[default]
    Exact,
    /// [Polyhedral cones](crate::contact::Polyhedral) by Lemke's method.
    Lcp {
        /// The edges of each cone.
        facets: usize,
    },
    /// [Projected Gauss–Seidel](crate::contact::Pgs), to the accuracy it reaches.
    Pgs,
}

impl fmt::Display for ContactSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContactSolver::Exact => f.pad("exact"),
            ContactSolver::Lcp { facets: 4 } => f.pad("lcp"),
            ContactSolver::Lcp { facets } => write!(f, "lcp:{facets}"),
            ContactSolver::Pgs => f.pad("pgs"),
        }
    }
}

impl FromStr for ContactSolver {
    type Err = String;
    /// `exact`, `pgs`, `lcp` or `lcp:EDGES`.
    fn from_str(text: &str) -> Result<ContactSolver, String> {
        match (text, text.strip_prefix("lcp:").map(str::parse::<usize>)) {
            ("exact", _) => Ok(ContactSolver::Exact),
            ("pgs", _) => Ok(ContactSolver::Pgs),
            ("lcp", _) => Ok(ContactSolver::Lcp { facets: 4 }),
            (_, Some(Ok(facets))) if (3..=64).contains(&facets) => Ok(ContactSolver::Lcp { facets }),
            _ => Err("give exact, pgs, lcp, or lcp: and the number of edges of a cone, 3 to 64, as in lcp:8"
                .into()),
        }
    }
}

/// The law for several contacts that collide at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Impacts {
    /// All at once: each rebounds with its own e times its own approach.
    #[default]
    Simultaneous,
    /// One after the other, the fastest first, until none approaches: as in Newton's cradle.
    Sequential,
}

impl Impacts {
    /// The word that a user types.
    pub fn word(self) -> &'static str {
        match self {
            Impacts::Simultaneous => "simultaneous",
            Impacts::Sequential => "sequential",
        }
    }
}

impl FromStr for Impacts {
    type Err = String;
    fn from_str(text: &str) -> Result<Impacts, String> {
        [Impacts::Simultaneous, Impacts::Sequential]
            .into_iter()
            .find(|law| law.word() == text)
            .ok_or_else(|| "give simultaneous or sequential".into())
    }
}

/// The law of restitution, which gives e its meaning.
///
/// # Which to choose
/// Without friction, and for one contact whose normal passes through the centres of mass, both laws agree. Otherwise Newton's law gives the
/// rebound velocity that e defines, and Poisson's the energy that a spring in the contact would return. Newton's may require more energy
/// than there was, if friction turns the bodies while they are pressed together: such a collision follows Poisson's law instead, and the
/// report says so (`StepReport::bounded`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Restitution {
    /// Newton's, for velocities: each contact separates with e times its speed of approach.
    #[default]
    Newton,
    /// Poisson's, for impulses: bodies are pressed together until no contact approaches, then pushed apart by e times the normal impulses
    /// of this compression; friction acts in both phases.
    Poisson,
}

impl Restitution {
    /// The word that a user types.
    pub fn word(self) -> &'static str {
        match self {
            Restitution::Newton => "newton",
            Restitution::Poisson => "poisson",
        }
    }
}

impl FromStr for Restitution {
    type Err = String;
    fn from_str(text: &str) -> Result<Restitution, String> {
        [Restitution::Newton, Restitution::Poisson]
            .into_iter()
            .find(|law| law.word() == text)
            .ok_or_else(|| format!("there is no law of restitution \"{text}\"; give newton or poisson"))
    }
}

/// How contacts are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// The solver of impulses.
    pub solver: ContactSolver,
    /// The law for simultaneous collisions.
    pub impacts: Impacts,
    /// The law of restitution.
    pub restitution: Restitution,
    /// γ, m/s: a slower approach comes to rest instead of rebounding. None: [1 mm/s](ContactSettings::RESTING), and
    /// [2 µm/s](ContactSettings::RESTING_BETWEEN_EVENTS) from event to event.
    pub resting: Option<f64>,
    /// Whether fast bodies are swept along their paths through a step, so that none passes through another, and rebounds happen at their
    /// own time.
    pub swept: bool,
    /// The number of threads that solve islands of contacts; the result is the same to the last bit for any number. With more than one, steps may allocate.
    pub threads: usize,
}

impl ContactSettings {
    /// The default γ of time stepping, m/s.
    pub const RESTING: f64 = 1e-3;
    /// The default γ of event-driven motion, m/s: a bounce at this speed is as high as the accuracy of gaps.
    pub const RESTING_BETWEEN_EVENTS: f64 = 2e-6;

    /// γ as it is used.
    pub(crate) fn gamma(&self) -> f64 {
        self.resting.unwrap_or(ContactSettings::RESTING)
    }
}

impl Default for ContactSettings {
    fn default() -> ContactSettings {
        ContactSettings {
            solver: ContactSolver::default(),
            impacts: Impacts::default(),
            restitution: Restitution::default(),
            resting: None,
            swept: true,
            threads: 1,
        }
    }
}
