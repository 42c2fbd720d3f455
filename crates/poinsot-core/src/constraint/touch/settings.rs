//! How contacts are met: the choices of a user.

use std::fmt;
use std::str::FromStr;

/// What finds the impulses of contacts.
///
/// ```
/// use poinsot_core::constraint::ContactSolver;
/// assert_eq!("lcp:8".parse(), Ok(ContactSolver::Lcp { facets: 8 }));
/// assert!("best".parse::<ContactSolver>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ContactSolver {
    /// The true cone of friction, [to round-off](crate::contact::Exact).
    #[default]
    Exact,
    /// [Polyhedral cones](crate::contact::Polyhedral) by Lemke's method.
    Lcp {
        /// The edges of each cone.
        facets: usize,
    },
    /// [Gauss–Seidel sweeps](crate::contact::Pgs), as far as they come.
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

/// What several contacts that collide at the same time do.
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
    /// The word a user types.
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

/// What e says of a collision.
///
/// # Which to choose
/// Without friction, and for one contact whose normal passes through the centres of mass, both are the same. Otherwise Newton's law gives the
/// rebound that e names, and Poisson's the energy that a spring in the contact would give back. Newton's may ask for more energy than
/// there was, where friction turns the bodies while they are pressed together: that collision is then met by Poisson's law, and the
/// report says so (`StepReport::bounded`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Restitution {
    /// Of velocities: each contact that approached opens with e times the speed it came with.
    #[default]
    Newton,
    /// Of impulses: bodies are pressed together until no contact approaches, then pushed apart by e times the normal impulses that this
    /// took; friction acts in both phases.
    Poisson,
}

impl Restitution {
    /// The word a user types.
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

/// How contacts are met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// What finds the impulses.
    pub solver: ContactSolver,
    /// What several collisions at once do.
    pub impacts: Impacts,
    /// What e says of a collision.
    pub restitution: Restitution,
    /// γ, m/s: what approaches more slowly than this comes to rest instead of rebounding.
    pub resting: f64,
    /// Whether fast bodies are followed on their way through a step, so that none passes through another, and rebounds
    /// happen at their time.
    pub swept: bool,
}

impl ContactSettings {
    /// γ of motions from event to event unless it is chosen, m/s: a bounce at this speed is as high as gaps are known well.
    pub const RESTING_BETWEEN_EVENTS: f64 = 2e-6;
}

impl Default for ContactSettings {
    fn default() -> ContactSettings {
        ContactSettings {
            solver: ContactSolver::default(),
            impacts: Impacts::default(),
            restitution: Restitution::default(),
            resting: 1e-3,
            swept: true,
        }
    }
}
