//! Couplings between coordinates measured between bodies: the form that couplings of joints take if joints are constraints and have no
//! coordinates of their own.

use super::{JointKind, Mount};

/// The coordinate or rate of a joint between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The coordinate of this degree of freedom: a distance or an angle.
    Coordinate(usize),
    /// The angle between the mounts of a spherical joint.
    Swing,
    /// The rate of this degree of freedom, which has no coordinate.
    Rate(usize),
}

/// A coordinate of a joint between two bodies, measured between its mounts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relative {
    /// The joint.
    pub kind: JointKind,
    /// Which of its coordinates or rates.
    pub part: Part,
    /// The mounts of the joint.
    pub a: Mount,
    /// See `a`.
    pub b: Mount,
    /// The coordinate at which the mounts coincide.
    pub reference: f64,
    /// Angles are unwrapped to the turn nearest to this value at first, then to the last value.
    pub near: f64,
}

/// `y − y₀ = c₀ + c₁ x + c₂ x² + …` with y and x + x₀ sums of coordinates, each with its factor.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The terms of y.
    pub own: Vec<(Relative, f64)>,
    /// y₀.
    pub reference: f64,
    /// The terms of the other sum, and x₀.
    pub other: Option<(Vec<(Relative, f64)>, f64)>,
    /// c₀ to c₄.
    pub coefficients: [f64; 5],
}

impl Relation {
    /// The terms of both sums, those of y first.
    pub fn terms(&self) -> impl Iterator<Item = &(Relative, f64)> {
        self.own.iter().chain(self.other.iter().flat_map(|(terms, _)| terms))
    }

    /// Checks it; returns the first error. Normalises axes.
    pub(super) fn fault(&mut self) -> Option<String> {
        let others = self.other.iter_mut().flat_map(|(terms, _)| terms);
        for (term, factor) in self.own.iter_mut().chain(others) {
            if let Err(fault) = term.kind.normalise() {
                return Some(fault.to_string());
            }
            if term.kind.nv() != 1 {
                return Some(format!("a {} joint; couple joints of one coordinate", term.kind.word()));
            }
            if let Some(bad) = [*factor, term.reference, term.near].into_iter().find(|x| !x.is_finite()) {
                return Some(format!("a term has the number {bad}; give finite numbers"));
            }
        }
        None
    }
}
