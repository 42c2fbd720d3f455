//! Laws: what a row requires, and the force with which it responds.
//!
//! A row has a value C, a rate Ċ = J v and a multiplier λ, the force in the direction of increasing C. Its law relates these three:
//!
//! | law | requires | λ | used by |
//! |---|---|---|---|
//! | rigid | C = 0; a row of rates: Ċ = 0 | any | joints, loops, rolling |
//! | soft | nothing | −k C − c Ċ | springs, soft joints |
//! | rotor | nothing | −I C̈ | armatures between free bodies; with I = 0, rates on which springs, dampers and servos act |
//! | at least | C ≥ 0 | ≥ 0, and 0 while C > 0 | limits, ropes |
//! | within | Ċ = 0 as far as F allows | −F ≤ λ ≤ F, and ∓F while Ċ ≷ 0 | dry friction |
//!
//! The last two are inequalities. An *active* one is a rigid row. An inactive one takes no part, except that slipping dry friction exerts
//! its constant force. [`super::pivoting`] decides which are active, in a step and at the events of a motion. Nothing outside this file
//! matches on a law: other modules ask a row for its compliance in a system, its target there, its energy and its power.

use super::stabilisation::Stabilisation;

/// See the module page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    Rigid,
    Soft {
        stiffness: f64,
        damping: f64,
    },
    Rotor {
        inertia: f64,
    },
    /// After an impact the rate is −e times that before.
    AtLeast {
        restitution: f64,
    },
    Within {
        force: f64,
    },
}

/// The unit of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A length or, for a coupling, a coordinate.
    Length,
    Angle,
    /// There is no C, only a rate.
    Rate,
}

/// The current status of an inequality; equalities are always active.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Status {
    /// It takes no part.
    #[default]
    Inactive,
    /// It is a rigid row.
    Active,
    /// Dry friction that slips, with its constant force.
    Slipping(f64),
}

impl Status {
    /// As numbers, for a snapshot.
    pub fn numbers(self) -> [f64; 2] {
        match self {
            Status::Inactive => [0.0, 0.0],
            Status::Active => [1.0, 0.0],
            Status::Slipping(force) => [2.0, force],
        }
    }
    /// The inverse of [`Status::numbers`].
    pub fn of_numbers([kind, force]: [f64; 2]) -> Status {
        match kind {
            1.0 => Status::Active,
            2.0 => Status::Slipping(force),
            _ => Status::Inactive,
        }
    }
}

/// The system of equations in which rows take part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowSystem {
    /// Rigid rows of C; rotors resist.
    Positions,
    /// Rigid rows of C and those of rates; rotors resist.
    Velocities,
    /// All of these, and soft rows with the compliance 1/(a k + b c).
    Soft { stiffness: f64, damping: f64 },
    /// As `Soft`, and M contains a times the Hessian of Σ `pulls` C of the constraints in the tree of free bodies.
    WithGeometricStiffness { stiffness: f64, damping: f64 },
}

/// Round-off thresholds for forces and for slacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tolerance {
    pub force: f64,
    pub slack: f64,
}

/// The unit and the law of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    pub unit: Unit,
    pub law: Law,
}

/// C, Ċ and J̇v of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    pub value: f64,
    pub rate: f64,
    pub bias: f64,
}

impl Terms {
    pub fn is_soft(self) -> bool {
        matches!(self.law, Law::Soft { .. })
    }
    pub fn is_rotor(self) -> bool {
        matches!(self.law, Law::Rotor { .. })
    }
    /// True for a rigid equality and for a rotor with inertia.
    pub fn is_always_active(self) -> bool {
        !self.is_soft() && !self.is_inequality() && self.inertia() != Some(0.0)
    }
    /// The restitution of a row C ≥ 0.
    pub fn at_least(self) -> Option<f64> {
        if let Law::AtLeast { restitution } = self.law { Some(restitution) } else { None }
    }
    /// The largest force of dry friction.
    pub fn within(self) -> Option<f64> {
        if let Law::Within { force } = self.law { Some(force) } else { None }
    }
    /// True for inequalities, which are active or inactive.
    pub fn is_inequality(self) -> bool {
        matches!(self.law, Law::AtLeast { .. } | Law::Within { .. })
    }
    /// The initial status.
    pub fn first_status(self) -> Status {
        if self.is_inequality() { Status::Inactive } else { Status::Active }
    }
    /// True for a row that requires C = 0 while it is active.
    pub fn constrains_position(self) -> bool {
        self.unit != Unit::Rate && matches!(self.law, Law::Rigid | Law::AtLeast { .. })
    }
    /// True for a row that requires Ċ = 0 while it is active, and nothing about C.
    pub fn constrains_rate(self) -> bool {
        self.unit == Unit::Rate && !self.is_soft() && !self.is_rotor()
    }
    pub fn is_angle(self) -> bool {
        self.unit == Unit::Angle
    }
    /// The inertia of a rotor.
    pub fn inertia(self) -> Option<f64> {
        if let Law::Rotor { inertia } = self.law { Some(inertia) } else { None }
    }
    /// k of a soft row.
    pub fn stiffness(self) -> Option<f64> {
        if let Law::Soft { stiffness, .. } = self.law { Some(stiffness) } else { None }
    }

    /// The initial guess of a status if only the rate is known: dry friction slips if there is motion.
    pub fn guess(self, rate: f64, still: f64) -> Status {
        match self.law {
            Law::Within { force } if rate.abs() > still => Status::Slipping(-force.copysign(rate)),
            Law::Within { .. } => Status::Active,
            _ => self.first_status(),
        }
    }

    /// The status to try next if an inequality contradicts its current one. `force` is its force with that status; `slack` is its C, or its
    /// rate for dry friction.
    pub fn revise(self, status: Status, force: f64, slack: f64, off: Tolerance) -> Option<Status> {
        match (self.law, status) {
            (Law::AtLeast { .. }, Status::Active) => (force < -off.force).then_some(Status::Inactive),
            (Law::AtLeast { .. }, _) => (slack < -off.slack).then_some(Status::Active),
            (Law::Within { force: most }, Status::Active) => {
                (force.abs() > most + off.force).then_some(Status::Slipping(most.copysign(force)))
            }
            (Law::Within { .. }, Status::Slipping(push)) => {
                (slack * push.signum() > off.slack).then_some(Status::Active)
            }
            (Law::Within { .. }, Status::Inactive) => Some(Status::Active),
            _ => None,
        }
    }

    /// How far an inequality is from contradicting its status, in C, in a force or in a rate; negative if it does.
    pub fn margin(self, status: Status, at: Measure, force: f64) -> f64 {
        match (self.law, status) {
            (Law::AtLeast { .. }, Status::Active) => force,
            (Law::AtLeast { .. }, _) => at.value,
            (Law::Within { force: most }, Status::Active) => most - force.abs(),
            (Law::Within { .. }, Status::Slipping(push)) => -at.rate * push.signum(),
            _ => f64::INFINITY,
        }
    }

    /// The next status when the margin reaches zero.
    pub fn next_status(self, status: Status, force: f64) -> Status {
        match (self.law, status) {
            (Law::AtLeast { .. }, Status::Active) => Status::Inactive,
            (Law::AtLeast { .. }, _) => Status::Active,
            (Law::Within { force: most }, Status::Active) => Status::Slipping(most.copysign(force)),
            _ => Status::Active,
        }
    }

    /// E in a system of equations; infinite for an inactive row. `resistance` is what springs, dampers and servos on the rate of a rotor add
    /// to its inertia in a step that is implicit in them.
    pub fn compliance(self, status: Status, system: RowSystem, resistance: f64) -> f64 {
        match (self.law, system) {
            (Law::Rotor { inertia }, RowSystem::Soft { .. } | RowSystem::WithGeometricStiffness { .. }) => {
                1.0 / (inertia + resistance)
            }
            (Law::Rotor { inertia }, _) => 1.0 / inertia,
            // a row without stiffness imposes nothing: 1/0
            (
                Law::Soft { stiffness: k, damping: c },
                RowSystem::Soft { stiffness, damping }
                | RowSystem::WithGeometricStiffness { stiffness, damping },
            ) => 1.0 / stiffness.mul_add(k, damping * c),
            (Law::Soft { .. }, _) => f64::INFINITY,
            _ if status != Status::Active || (self.unit == Unit::Rate && system == RowSystem::Positions) => {
                f64::INFINITY
            }
            _ => 0.0,
        }
    }

    /// The force of the row; if it is active, the multiplier from the solve.
    pub fn force(self, at: Measure, status: Status, lambda: f64) -> f64 {
        match (self.law, status) {
            (Law::Soft { stiffness, damping }, _) => -stiffness * at.value - damping * at.rate,
            (_, Status::Slipping(force)) => force,
            _ => lambda,
        }
    }

    /// The energy in the spring of a soft row, and in the motion of a rotor.
    pub fn energies(self, at: Measure) -> (f64, f64) {
        match self.law {
            Law::Soft { stiffness, .. } => (0.5 * stiffness * at.value * at.value, 0.0),
            Law::Rotor { inertia } => (0.0, 0.5 * inertia * at.rate * at.rate),
            _ => (0.0, 0.0),
        }
    }

    /// The power of the damper of a soft row.
    pub fn damping_power(self, rate: f64) -> f64 {
        if let Law::Soft { damping, .. } = self.law { -damping * rate * rate } else { 0.0 }
    }

    /// The target g of `J v̇ + E λ = g`: −J̇v, and the stabilising terms by which errors decay.
    pub fn acceleration_target(self, at: Measure, stabilisation: Stabilisation) -> f64 {
        let g = -at.bias;
        match stabilisation {
            Stabilisation::Baumgarte { time_constant } if !self.is_rotor() => {
                let pull = 1.0 / time_constant;
                g - pull * (2.0 * at.rate + pull * at.value)
            }
            _ => g,
        }
    }

    /// The target g of `J v̇ + E λ = g` for a step of size h that is implicit in the row: (3) of [soft constraints](super::soft), and its
    /// limit for rigid rows. The final velocity moves positions for the time `reach`.
    pub fn implicit_target(self, at: Measure, h: f64, reach: f64) -> f64 {
        let toward = match (self.law, self.unit) {
            (Law::Rotor { .. }, _) => return -at.bias,
            (_, Unit::Rate) => 0.0,
            (Law::Soft { stiffness: k, damping }, _) => k * at.value / reach.mul_add(k, damping),
            _ => at.value / reach,
        };
        -(toward + at.rate) / h
    }

    /// The target g of `J v̇ + E λ = g` for a step of size h with the rows of its midpoint, from where positions move on for ½ h. With
    /// projection of positions, rigid rows satisfy J (v + v⁺) = 0; soft ones are implicit.
    pub fn midpoint_target(self, at: Measure, h: f64, stabilisation: Stabilisation) -> f64 {
        match (self.law, stabilisation) {
            (Law::Soft { .. }, _) => self.implicit_target(at, h, 0.5 * h),
            (Law::Rigid, Stabilisation::Projection) => -2.0 * at.rate / h,
            _ => self.acceleration_target(at, stabilisation),
        }
    }

    /// The rate at which an active row closes over a step of size h. An open row closes exactly; a violated one is left to the projection
    /// of positions, which adds no velocity, or decays.
    pub fn closing_rate(self, value: f64, h: f64, stabilisation: Stabilisation) -> f64 {
        match stabilisation {
            _ if self.unit == Unit::Rate => 0.0,
            _ if value >= 0.0 => value / h,
            Stabilisation::Baumgarte { time_constant } => value / time_constant.max(h),
            _ => 0.0,
        }
    }

    /// The target g of `J δ + E λ = g` for a change δ of the velocity after which rigid rows are at rest.
    pub fn rest_target(self, rate: f64) -> f64 {
        if self.is_rotor() { 0.0 } else { -rate }
    }

    /// At the end of a backward step: the impulse over h, and the target g of `J δ + E δΛ = g` for the change δ of the velocity. `impulse`
    /// is the current iterate, `acceleration` J v̇ + J̇ v.
    pub fn at_end(
        self,
        at: Measure,
        status: Status,
        impulse: f64,
        acceleration: impl FnOnce() -> f64,
        h: f64,
    ) -> (f64, f64) {
        match (self.law, status) {
            (Law::Rotor { inertia }, _) => (-h * inertia * acceleration(), 0.0),
            (Law::Soft { stiffness: k, damping: c }, _) => (-h * (k * at.value + c * at.rate), 0.0),
            (_, Status::Inactive) => (0.0, 0.0),
            (_, Status::Slipping(force)) => (h * force, 0.0),
            _ if self.unit == Unit::Rate => (impulse, -at.rate),
            _ => (impulse, -at.value / h),
        }
    }

    /// The force in the direction of decreasing C whose geometric stiffness is included in a backward step.
    pub fn pull(self, at: Measure, impulse: f64, h: f64) -> f64 {
        if let Law::Soft { stiffness, .. } = self.law { stiffness * at.value } else { -impulse / h }
    }
}
