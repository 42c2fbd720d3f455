//! The agreement of formulations: for each quantity, the worst disagreement and where it is.

use std::fmt;

/// A quantity that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Quantity {
    /// Accelerations of all bodies, reduced and maximal coordinates.
    MaximalAcceleration,
    /// Accelerations of all bodies, reduced coordinates and the trace form.
    TraceAcceleration,
    /// Reactions of joints, reduced and maximal coordinates.
    Reaction,
    /// Multipliers of loops, reduced and maximal coordinates.
    MaximalMultiplier,
    /// Multipliers of constraints, reduced coordinates and the trace form.
    TraceMultiplier,
    /// Kinetic energy, reduced and maximal coordinates.
    MaximalKinetic,
    /// Kinetic energy, reduced coordinates and the trace form.
    TraceKinetic,
    /// Potential energy of gravity, reduced and maximal coordinates.
    Potential,
    /// The generalised force equation of the trace form, with all multipliers, for the acceleration of reduced coordinates.
    Residual,
    /// Positions of bodies after some time, simulated in reduced and in maximal coordinates.
    Motion,
}

impl Quantity {
    /// All quantities, in the order of a report.
    pub const ALL: [Quantity; 10] = [
        Quantity::MaximalAcceleration,
        Quantity::TraceAcceleration,
        Quantity::Reaction,
        Quantity::MaximalMultiplier,
        Quantity::TraceMultiplier,
        Quantity::MaximalKinetic,
        Quantity::TraceKinetic,
        Quantity::Potential,
        Quantity::Residual,
        Quantity::Motion,
    ];

    /// The words shown to users: the quantity, and the formulations compared.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Quantity::MaximalAcceleration => ("acceleration", "reduced – maximal"),
            Quantity::TraceAcceleration => ("acceleration", "reduced – trace"),
            Quantity::Reaction => ("reaction", "reduced – maximal"),
            Quantity::MaximalMultiplier => ("multiplier", "reduced – maximal"),
            Quantity::TraceMultiplier => ("multiplier", "reduced – trace"),
            Quantity::MaximalKinetic => ("kinetic energy", "reduced – maximal"),
            Quantity::TraceKinetic => ("kinetic energy", "reduced – trace"),
            Quantity::Potential => ("potential energy", "reduced – maximal"),
            Quantity::Residual => ("force equation", "reduced in trace form"),
            Quantity::Motion => ("motion", "reduced – maximal"),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, between) = self.words();
        write!(f, "{what} ({between})")
    }
}

/// The worst disagreement of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The quantity.
    pub quantity: Quantity,
    /// The difference, relative to the largest of its kind in the model.
    pub worst: f64,
    /// The time at which it occurs.
    pub time: f64,
    /// The body, joint or constraint where it occurs.
    pub place: String,
}

/// The worst disagreements of all quantities that were compared.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub(super) entries: Vec<Agreement>,
}

impl Report {
    /// One entry for each quantity that was compared.
    pub fn entries(&self) -> &[Agreement] {
        &self.entries
    }
    /// The worst of all; `None` if nothing was compared.
    pub fn worst(&self) -> Option<&Agreement> {
        // NaN counts as the worst
        self.entries.iter().max_by(|a, b| a.worst.total_cmp(&b.worst))
    }

    /// Records a difference |Δ| relative to the largest of its kind, `scale`.
    pub(super) fn note(
        &mut self,
        quantity: Quantity,
        time: f64,
        off: f64,
        scale: f64,
        place: impl FnOnce() -> String,
    ) {
        let worst = if off == 0.0 { 0.0 } else { off / scale };
        // NaN must not be hidden
        let worst = if worst.is_nan() { f64::INFINITY } else { worst };
        match self.entries.iter_mut().find(|e| e.quantity == quantity) {
            Some(e) if worst > e.worst => *e = Agreement { quantity, worst, time, place: place() },
            Some(_) => {}
            None => {
                self.entries.push(Agreement { quantity, worst, time, place: place() });
                self.entries.sort_by_key(|e| e.quantity);
            }
        }
    }
}
