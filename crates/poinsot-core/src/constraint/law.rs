//! Laws: what a row asks for, and the force it answers with.
//!
//! A row has a value C, a rate Ċ = J v and a multiplier λ, the force along growing C. Its law ties the three:
//!
//! | law | asks that | λ | who has it |
//! |---|---|---|---|
//! | rigid | C = 0; a row of rates: Ċ = 0 | any | joints, loops, rolling |
//! | soft | nothing | −k C − c Ċ | springs, soft joints |
//! | rotor | nothing | −I C̈ | armatures between free bodies; with I = 0, rates on which springs, dampers and servos act |
//! | at least | C ≥ 0 | ≥ 0, and 0 while C > 0 | limits, ropes |
//! | within | Ċ = 0 as far as F allows | −F ≤ λ ≤ F, and ∓F while Ċ ≷ 0 | dry friction |
//!
//! The last two are inequalities. While one is *held* it is a rigid row; while it is not, it takes no part, but that dry
//! friction which gives way pushes with its constant force. Which are held is decided by [`super::pivoting`] in a step and at
//! the events of a motion. Nothing outside this file matches on a law: the chapter asks a row for its
//! compliance in a system, for what it asks for there, for its energy and its power.

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

/// What C is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A length or, of a coupling, a coordinate.
    Length,
    Angle,
    /// There is no C, only a rate.
    Rate,
}

/// What an inequality does now; equalities are always held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Status {
    /// It takes no part.
    #[default]
    Off,
    /// It is a rigid row.
    Held,
    /// It pushes with a constant force.
    Pushing(f64),
}

impl Status {
    /// As numbers that a snapshot holds.
    pub fn numbers(self) -> [f64; 2] {
        match self {
            Status::Off => [0.0, 0.0],
            Status::Held => [1.0, 0.0],
            Status::Pushing(force) => [2.0, force],
        }
    }
    /// The inverse of [`Status::numbers`].
    pub fn of_numbers([kind, force]: [f64; 2]) -> Status {
        match kind {
            1.0 => Status::Held,
            2.0 => Status::Pushing(force),
            _ => Status::Off,
        }
    }
}

/// Which system rows are part of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// Rigid rows of C; rotors resist.
    Positions,
    /// Rigid rows of C and those of rates; rotors resist.
    Velocities,
    /// All of these, and soft rows with the compliance 1/(a k + b c).
    Soft { stiffness: f64, damping: f64 },
    /// The same, and M has a times the Hessian of Σ `pulls` C of the constraints in the tree of free bodies.
    WithGeometricStiffness { stiffness: f64, damping: f64 },
}

/// What counts as round-off in forces and in slacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tolerance {
    pub force: f64,
    pub slack: f64,
}

/// What a row measures, and its law.
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
    pub fn is_held_always(self) -> bool {
        !self.is_soft() && !self.is_inequality() && self.inertia() != Some(0.0)
    }
    /// The restitution of a row C ≥ 0.
    pub fn at_least(self) -> Option<f64> {
        if let Law::AtLeast { restitution } = self.law { Some(restitution) } else { None }
    }
    /// The greatest force of dry friction.
    pub fn within(self) -> Option<f64> {
        if let Law::Within { force } = self.law { Some(force) } else { None }
    }
    /// True for inequalities, which are held or not.
    pub fn is_inequality(self) -> bool {
        matches!(self.law, Law::AtLeast { .. } | Law::Within { .. })
    }
    /// How it stands before anything is decided.
    pub fn first_status(self) -> Status {
        if self.is_inequality() { Status::Off } else { Status::Held }
    }
    /// True for a row that asks for C = 0 while it is held.
    pub fn holds_position(self) -> bool {
        self.unit != Unit::Rate && matches!(self.law, Law::Rigid | Law::AtLeast { .. })
    }
    /// True for a row that asks for Ċ = 0 while it is held, and for nothing of C.
    pub fn holds_rate(self) -> bool {
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

    /// How an inequality stands before anything is known but its rate: dry friction gives way to motion.
    pub fn guess(self, rate: f64, still: f64) -> Status {
        match self.law {
            Law::Within { force } if rate.abs() > still => Status::Pushing(-force.copysign(rate)),
            Law::Within { .. } => Status::Held,
            _ => self.first_status(),
        }
    }

    /// Where an inequality contradicts its status, the status to try next. `force` is the one its status gives it, `slack`
    /// what it leaves of C ≥ 0, or its rate if it is dry friction.
    pub fn revise(self, status: Status, force: f64, slack: f64, off: Tolerance) -> Option<Status> {
        match (self.law, status) {
            (Law::AtLeast { .. }, Status::Held) => (force < -off.force).then_some(Status::Off),
            (Law::AtLeast { .. }, _) => (slack < -off.slack).then_some(Status::Held),
            (Law::Within { force: most }, Status::Held) => {
                (force.abs() > most + off.force).then_some(Status::Pushing(most.copysign(force)))
            }
            (Law::Within { .. }, Status::Pushing(push)) => {
                (slack * push.signum() > off.slack).then_some(Status::Held)
            }
            (Law::Within { .. }, Status::Off) => Some(Status::Held),
            _ => None,
        }
    }

    /// How far an inequality is from contradicting its status: below 0 it does. Measured in C, in a force or in a rate.
    pub fn margin(self, status: Status, at: Measure, force: f64) -> f64 {
        match (self.law, status) {
            (Law::AtLeast { .. }, Status::Held) => force,
            (Law::AtLeast { .. }, _) => at.value,
            (Law::Within { force: most }, Status::Held) => most - force.abs(),
            (Law::Within { .. }, Status::Pushing(push)) => -at.rate * push.signum(),
            _ => f64::INFINITY,
        }
    }

    /// The status to try where the margin is used up.
    pub fn give_way(self, status: Status, force: f64) -> Status {
        match (self.law, status) {
            (Law::AtLeast { .. }, Status::Held) => Status::Off,
            (Law::AtLeast { .. }, _) => Status::Held,
            (Law::Within { force: most }, Status::Held) => Status::Pushing(most.copysign(force)),
            _ => Status::Held,
        }
    }

    /// E in the system `asked`; infinite for a row that takes no part. `resistance` is what springs, dampers and servos on
    /// the rate of a rotor add to its inertia in a step that is implicit in them.
    pub fn compliance(self, status: Status, asked: Asked, resistance: f64) -> f64 {
        match (self.law, asked) {
            (Law::Rotor { inertia }, Asked::Soft { .. } | Asked::WithGeometricStiffness { .. }) => {
                1.0 / (inertia + resistance)
            }
            (Law::Rotor { inertia }, _) => 1.0 / inertia,
            // a row without stiffness asks for nothing: 1/0
            (
                Law::Soft { stiffness: k, damping: c },
                Asked::Soft { stiffness, damping } | Asked::WithGeometricStiffness { stiffness, damping },
            ) => 1.0 / stiffness.mul_add(k, damping * c),
            (Law::Soft { .. }, _) => f64::INFINITY,
            _ if status != Status::Held || (self.unit == Unit::Rate && asked == Asked::Positions) => {
                f64::INFINITY
            }
            _ => 0.0,
        }
    }

    /// The force of the row: of one that is held, the multiplier found for it.
    pub fn force(self, at: Measure, status: Status, lambda: f64) -> f64 {
        match (self.law, status) {
            (Law::Soft { stiffness, damping }, _) => -stiffness * at.value - damping * at.rate,
            (_, Status::Pushing(force)) => force,
            _ => lambda,
        }
    }

    /// Energy in the spring of a soft row, and in the motion of a rotor.
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

    /// g of `J v̇ + E λ = g`: −J̇v, and what lets errors decay.
    pub fn ask_acceleration(self, at: Measure, stabilisation: Stabilisation) -> f64 {
        let g = -at.bias;
        match stabilisation {
            Stabilisation::Baumgarte { time_constant } if !self.is_rotor() => {
                let pull = 1.0 / time_constant;
                g - pull * (2.0 * at.rate + pull * at.value)
            }
            _ => g,
        }
    }

    /// g of `J v̇ + E λ = g` for a step of size h that is implicit in the row: (3) of [soft constraints](super::soft), and
    /// its limit for rigid ones. The velocity of its end moves positions for the time `reach`.
    pub fn ask_implicitly(self, at: Measure, h: f64, reach: f64) -> f64 {
        let toward = match (self.law, self.unit) {
            (Law::Rotor { .. }, _) => return -at.bias,
            (_, Unit::Rate) => 0.0,
            (Law::Soft { stiffness: k, damping }, _) => k * at.value / reach.mul_add(k, damping),
            _ => at.value / reach,
        };
        -(toward + at.rate) / h
    }

    /// g of `J v̇ + E λ = g` for a step of size h whose rows are those of its middle, from where positions go on for ½ h: rigid
    /// rows rest in the mean, J (v + v⁺) = 0, where positions are projected, and soft ones are implicit.
    pub fn ask_midway(self, at: Measure, h: f64, stabilisation: Stabilisation) -> f64 {
        match (self.law, stabilisation) {
            (Law::Soft { .. }, _) => self.ask_implicitly(at, h, 0.5 * h),
            (Law::Rigid, Stabilisation::Projection) => -2.0 * at.rate / h,
            _ => self.ask_acceleration(at, stabilisation),
        }
    }

    /// The rate at which a row that is held closes over a step of size h: what is open is closed; what is passed is left
    /// to the projection of positions, which gives no speed, or decays.
    pub fn closing_rate(self, value: f64, h: f64, stabilisation: Stabilisation) -> f64 {
        match stabilisation {
            _ if self.unit == Unit::Rate => 0.0,
            _ if value >= 0.0 => value / h,
            Stabilisation::Baumgarte { time_constant } => value / time_constant.max(h),
            _ => 0.0,
        }
    }

    /// g of `J δ + E λ = g` for a change δ of the velocity after which rigid rows rest.
    pub fn ask_rest(self, rate: f64) -> f64 {
        if self.is_rotor() { 0.0 } else { -rate }
    }

    /// At the end of a backward step: the impulse over h, and g of `J δ + E δΛ = g` for the change δ of the velocity.
    /// `impulse` is the one found so far, `acceleration` J v̇ + J̇ v.
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
            (_, Status::Off) => (0.0, 0.0),
            (_, Status::Pushing(force)) => (h * force, 0.0),
            _ if self.unit == Unit::Rate => (impulse, -at.rate),
            _ => (impulse, -at.value / h),
        }
    }

    /// The force along falling C whose geometric stiffness counts in a backward step.
    pub fn pull(self, at: Measure, impulse: f64, h: f64) -> f64 {
        if let Law::Soft { stiffness, .. } = self.law { stiffness * at.value } else { -impulse / h }
    }
}
