//! The integrators by name.

use super::{
    Adaptive, Backward, FreeBodies, Implicit, Integrator, IntegratorError, Leapfrog, Midpoint, Rkmk4,
    SemiImplicit,
};
use crate::free::free_integrator;
use crate::model::Model;
use std::fmt;
use std::str::FromStr;

/// An integrator, selected in code or by its name.
///
/// ```
/// # use poinsot_core::{model::*, integrate::Method};
/// # let mut b = ModelBuilder::new("ball");
/// # let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid(&Shape::Sphere { radius: 1.0 }, 1.0)?);
/// # b.joint(ball, Joint::free());
/// # let model = b.build()?;
/// let method: Method = "rkmk4".parse()?;
/// assert_eq!(method, Method::Rkmk4);
/// assert_eq!(method.integrator(&model)?.order(), 4);
/// assert!("rk5".parse::<Method>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)] // [`Method::sentence`] says what they are
pub enum Method {
    SemiImplicit,
    Implicit,
    #[default]
    Leapfrog,
    Backward,
    Rkmk4,
    Adaptive,
    Midpoint,
    Lecture,
    LectureUnnormalised,
    LectureMomenta,
    EulerForward,
    EulerBackward,
    Rk4,
    EulerForwardMomenta,
    EulerBackwardMomenta,
    Rk4Momenta,
    EulerForwardMatrix,
    EulerBackwardMatrix,
    Rk4Matrix,
    Momentum,
    Buss,
    BussAugmented,
    Exact,
    Exact4,
}

/// How limits, dry friction and contacts are integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stepping {
    /// Time stepping: by impulses over whole steps, imposed at their end; any number of contacts, at first order.
    #[default]
    Time,
    /// Event-driven: by forces in a smooth motion, from event to event; at the order of the method.
    Events,
}

impl Stepping {
    /// The word shown to users and parsed.
    pub const fn word(self) -> &'static str {
        match self {
            Stepping::Time => "time",
            Stepping::Events => "events",
        }
    }
    /// The default integrator of this kind: the usual one if it is of this kind, otherwise `leapfrog`, or `adaptive`, whose errors do not
    /// depend on the step.
    pub fn method(self, usual: Method) -> Method {
        match self {
            _ if usual.stepping() == Some(self) => usual,
            Stepping::Time => Method::Leapfrog,
            Stepping::Events => Method::Adaptive,
        }
    }
}

impl fmt::Display for Stepping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Stepping {
    type Err = String;
    fn from_str(word: &str) -> Result<Stepping, String> {
        let known = [Stepping::Time, Stepping::Events].into_iter().find(|s| s.word() == word);
        known.ok_or_else(|| format!("there is no stepping \"{word}\"; give time or events"))
    }
}

impl Method {
    /// How it steps through contact; `None` if it does not support contact.
    ///
    /// ```
    /// use poinsot_core::integrate::{Method, Stepping};
    /// assert_eq!(Method::Leapfrog.stepping(), Some(Stepping::Time));
    /// assert_eq!(Method::Rkmk4.stepping(), Some(Stepping::Events));
    /// assert_eq!(Method::Backward.stepping(), None);
    /// ```
    pub const fn stepping(self) -> Option<Stepping> {
        match self {
            Method::SemiImplicit | Method::Implicit | Method::Leapfrog => Some(Stepping::Time),
            Method::Rkmk4 | Method::Adaptive | Method::Midpoint => Some(Stepping::Events),
            _ => None,
        }
    }

    /// All methods: first those for any tree, then those for free bodies and tops.
    pub const ALL: [Method; 24] = [
        Method::SemiImplicit,
        Method::Implicit,
        Method::Leapfrog,
        Method::Backward,
        Method::Rkmk4,
        Method::Adaptive,
        Method::Midpoint,
        Method::Lecture,
        Method::LectureUnnormalised,
        Method::LectureMomenta,
        Method::EulerForward,
        Method::EulerBackward,
        Method::Rk4,
        Method::EulerForwardMomenta,
        Method::EulerBackwardMomenta,
        Method::Rk4Momenta,
        Method::EulerForwardMatrix,
        Method::EulerBackwardMatrix,
        Method::Rk4Matrix,
        Method::Momentum,
        Method::Buss,
        Method::BussAugmented,
        Method::Exact,
        Method::Exact4,
    ];
    /// The methods for any tree; they support constraints and external forces.
    pub const TREE: [Method; 7] = [
        Method::SemiImplicit,
        Method::Implicit,
        Method::Leapfrog,
        Method::Backward,
        Method::Rkmk4,
        Method::Adaptive,
        Method::Midpoint,
    ];

    /// The word shown to users and parsed.
    pub const fn word(self) -> &'static str {
        match self {
            Method::SemiImplicit => "semi-implicit",
            Method::Implicit => "implicit",
            Method::Leapfrog => "leapfrog",
            Method::Backward => "backward",
            Method::Rkmk4 => "rkmk4",
            Method::Adaptive => "adaptive",
            Method::Midpoint => "midpoint",
            Method::Lecture => "lecture",
            Method::LectureUnnormalised => "lecture-unnormalised",
            Method::LectureMomenta => "lecture-momenta",
            Method::EulerForward => "euler-forward",
            Method::EulerBackward => "euler-backward",
            Method::Rk4 => "rk4",
            Method::EulerForwardMomenta => "euler-forward-momenta",
            Method::EulerBackwardMomenta => "euler-backward-momenta",
            Method::Rk4Momenta => "rk4-momenta",
            Method::EulerForwardMatrix => "euler-forward-matrix",
            Method::EulerBackwardMatrix => "euler-backward-matrix",
            Method::Rk4Matrix => "rk4-matrix",
            Method::Momentum => "momentum",
            Method::Buss => "buss",
            Method::BussAugmented => "buss-augmented",
            Method::Exact => "exact",
            Method::Exact4 => "exact-4",
        }
    }

    /// A description in one sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Method::SemiImplicit => {
                "Velocity first, then position with the new velocity. First order, one evaluation."
            }
            Method::Implicit => {
                "Like semi-implicit, but with joint dampers, springs and servos treated implicitly: stable at any stiffness. First order."
            }
            Method::Leapfrog => {
                "Half a drift, a kick, half a drift; implicit like the above; substeps where energy would grow. Second order (default)."
            }
            Method::Backward => {
                "Backward Euler: all forces and constraints at the end of the step. Stable, damps. First order."
            }
            Method::Rkmk4 => "Classical Runge–Kutta in the Lie algebra. Fourth order.",
            Method::Adaptive => "Extrapolation with error control, for reference solutions. Order up to 16.",
            Method::Midpoint => {
                "Variational midpoint rule: symplectic, conserves momenta in free space, energy does not drift. Second order."
            }
            Method::Lecture => {
                "Free bodies: the lecture notes' loop, p += ṗh + ½p̈h², q += ½ωqh renormalised, world ω. First order; gains energy."
            }
            Method::LectureUnnormalised => {
                "lecture without renormalisation: q grows, and the matrix computed from it stretches the body. For demonstration."
            }
            Method::LectureMomenta => {
                "lecture with momenta as the state: conserves angular momentum, not energy. First order."
            }
            Method::EulerForward => {
                "Free bodies: forward Euler on quaternion entries. First order; gains energy."
            }
            Method::EulerBackward => {
                "Free bodies: backward Euler on quaternion entries. First order; loses energy."
            }
            Method::Rk4 => {
                "Free bodies: Runge–Kutta on quaternion entries. Fourth order; conserves nothing exactly."
            }
            Method::EulerForwardMomenta => {
                "euler-forward with momenta as the state: conserves angular momentum, not energy."
            }
            Method::EulerBackwardMomenta => "euler-backward with momenta as the state.",
            Method::Rk4Momenta => "rk4 with momenta as the state.",
            Method::EulerForwardMatrix => {
                "euler-forward on the nine entries of the rotation matrix, which grows and shears. For demonstration."
            }
            Method::EulerBackwardMatrix => {
                "euler-backward on the nine entries of the rotation matrix, which shrinks. For demonstration."
            }
            Method::Rk4Matrix => {
                "rk4 on the nine entries of the rotation matrix, which slowly ceases to be a rotation. For demonstration."
            }
            Method::Momentum => {
                "Free bodies: rotation by the angular velocity computed from the stored momentum. First order; conserves momentum exactly."
            }
            Method::Buss => "Free bodies: Buss's second-order method; conserves momentum exactly.",
            Method::BussAugmented => {
                "Free bodies: Buss's augmented second-order method; conserves momentum exactly."
            }
            Method::Exact => {
                "Free bodies: exact rotation by elliptic functions, symmetric splitting under forces. Second order."
            }
            Method::Exact4 => "Free bodies: exact, composed to fourth order.",
        }
    }

    /// True for methods that step any tree, with constraints and external forces.
    pub fn is_for_trees(self) -> bool {
        Method::TREE.contains(&self)
    }

    /// Creates the integrator with scratch for `model`; an error says why it does not fit the model.
    pub fn integrator(self, model: &Model) -> Result<Box<dyn Integrator>, IntegratorError> {
        Ok(match self {
            Method::SemiImplicit => Box::new(SemiImplicit::new(model)),
            Method::Implicit => Box::new(Implicit::new(model)),
            Method::Leapfrog => Box::new(Leapfrog::new(model)),
            Method::Backward => Box::new(Backward::new(model)),
            Method::Rkmk4 => Box::new(Rkmk4::new(model)),
            Method::Adaptive => Box::new(Adaptive::new(model)),
            Method::Midpoint => Box::new(Midpoint::new(model)),
            free => match free_integrator(free.word()) {
                Some(method) => Box::new(FreeBodies::new(method, model)?),
                None => return Err(IntegratorError::Unknown { name: free.word().to_string() }),
            },
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Method {
    type Err = IntegratorError;
    fn from_str(word: &str) -> Result<Method, IntegratorError> {
        let known = Method::ALL.into_iter().find(|m| m.word() == word);
        known.ok_or_else(|| IntegratorError::Unknown { name: word.to_string() })
    }
}
