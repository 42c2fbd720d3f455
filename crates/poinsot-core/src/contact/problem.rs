//! The problem: velocities `u = (G + E) λ + q`, and a law for each group of rows.

use super::delassus::Delassus;
use super::dense::Cholesky;
use thiserror::Error;

/// The most rows a contact has: its normal, two directions of sliding, one axis of torsion, two of rolling.
pub const MOST_ROWS: usize = 6;

/// The most negative eigenvalue that rounding errors can cause in a matrix with unit diagonal.
const ROUNDING: f64 = 1e-9;

/// The law of a group of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// One row: `lower ≤ λ ≤ upper`, and u = 0 as far as that allows; u ≥ 0 at the lower end, u ≤ 0 at the upper.
    Interval {
        /// The lower bound of the impulse; may be −∞.
        lower: f64,
        /// The upper bound of the impulse; may be ∞.
        upper: f64,
    },
    /// A contact with Coulomb's law: its normal and `count` further rows, in which λ lies within the ellipsoid with half axes μ_k λ_n and
    /// dissipates the most power.
    Contact {
        /// The number of rows in addition to the normal: 0, 2, 3 or 5.
        count: usize,
        /// μ_k: no unit for sliding, m for torsion and rolling.
        friction: [f64; MOST_ROWS - 1],
    },
}

impl Law {
    /// u = 0: a loop, a joint.
    pub const EQUALITY: Law = Law::Interval { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    /// u ≥ 0, λ ≥ 0: a limit, or a contact without friction given by its normal alone.
    pub const AT_LEAST: Law = Law::Interval { lower: 0.0, upper: f64::INFINITY };

    /// |λ| ≤ `most`: dry friction of a joint.
    pub fn within(most: f64) -> Law {
        Law::Interval { lower: -most, upper: most }
    }

    /// A contact of three rows, the normal first.
    pub fn contact(friction: f64) -> Law {
        Law::elliptic(&[friction; 2])
    }

    /// A contact with its own μ for every row other than the normal: sliding (2), then torsion (1), then rolling (2), as in MuJoCo's
    /// `condim` 1, 3, 4 and 6. Solving fails if there are more than five.
    pub fn elliptic(friction: &[f64]) -> Law {
        let mut all = [0.0; MOST_ROWS - 1];
        let count = friction.len();
        let some = count.min(all.len());
        all[..some].copy_from_slice(&friction[..some]);
        Law::Contact { count, friction: all }
    }

    /// The number of its rows.
    pub fn rows(&self) -> usize {
        match self {
            Law::Interval { .. } => 1,
            Law::Contact { count, .. } => 1 + count,
        }
    }
}

/// One island: `u = (G + E) λ + q` and its laws, in the order of the rows.
#[derive(Debug)]
pub struct Problem<'a, D> {
    /// G.
    pub matrix: &'a D,
    /// q, the velocities without any impulse.
    pub free: &'a [f64],
    /// The law of each group of rows.
    pub laws: &'a [Law],
    /// The diagonal of E, non-negative; empty if everything is rigid.
    pub compliance: &'a [f64],
}

impl<D> Clone for Problem<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D> Copy for Problem<'_, D> {}

/// An error in the data of a problem.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum ProblemError {
    /// A matrix that is not square.
    #[error("a matrix of {size} rows needs {size} × {size} numbers, and {count} are given")]
    Numbers {
        /// The number of rows.
        size: usize,
        /// The number of entries given.
        count: usize,
    },
    /// A block that does not fit.
    #[error("block ({row}, {column}) of a sparse matrix has {count} numbers, or is outside the matrix")]
    Block {
        /// Its group of rows.
        row: usize,
        /// Its group of columns.
        column: usize,
        /// The number of entries given.
        count: usize,
    },
    /// A vector of another length.
    #[error("{what} has {count} entries where {expected} are needed")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        count: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A number that is not finite.
    #[error("{what} has the entry {value} in row {row}: all must be finite")]
    NotFinite {
        /// Which vector or matrix.
        what: &'static str,
        /// The row.
        row: usize,
        /// The value.
        value: f64,
    },
    /// μ < 0, or NaN.
    #[error("the coefficient of friction of contact {contact} is {value}: it must be at least 0 and finite")]
    Friction {
        /// The index of the law.
        contact: usize,
        /// The value.
        value: f64,
    },
    /// Not 1, 3, 4 or 6 rows.
    #[error("contact {contact} has {rows} rows: contacts have 1, 3, 4 or 6")]
    Rows {
        /// The index of the law.
        contact: usize,
        /// The number of rows.
        rows: usize,
    },
    /// An empty interval.
    #[error("law {law} allows impulses from {lower} to {upper}, which is empty")]
    Bounds {
        /// The index of the law.
        law: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A negative number on the diagonal of G or E.
    #[error("{what} has {value} on the diagonal in row {row}: it must not be negative")]
    Negative {
        /// Which matrix.
        what: &'static str,
        /// The row.
        row: usize,
        /// The value.
        value: f64,
    },
    /// xᵀ G x < 0 for some x.
    #[error(
        "the matrix is indefinite (found at row {row}): a matrix J M⁻¹ Jᵀ is positive semidefinite; check the inertias and signs it was made with"
    )]
    Indefinite {
        /// Where the factorisation found it.
        row: usize,
    },
    /// An invalid inverse mass.
    #[error(
        "the inverse mass of body {body} is not symmetric, finite and positive semidefinite; check its mass and inertia"
    )]
    Mass {
        /// The number of the body.
        body: usize,
    },
    /// A body that does not exist.
    #[error("row {row} acts on body {body}, and there are {count}")]
    Body {
        /// The row.
        row: usize,
        /// The number given.
        body: usize,
        /// How many bodies there are.
        count: usize,
    },
    /// A contact of a body with itself.
    #[error("contact {contact} is between body {body} and itself: a rigid body has none")]
    Itself {
        /// The index of the contact.
        contact: usize,
        /// The body.
        body: usize,
    },
    /// A normal that is not of length 1.
    #[error("the normal of contact {contact} has the length {length}: it must be 1")]
    Normal {
        /// The index of the contact.
        contact: usize,
        /// Its length.
        length: f64,
    },
    /// Radii of spheres that are none.
    #[error("the spheres of contact {contact} have the radii {radii:?}: both must be positive and finite")]
    Radii {
        /// The index of the contact.
        contact: usize,
        /// The radii.
        radii: [f64; 2],
    },
    /// An invalid step.
    #[error(
        "a step of {step} s in {substeps} substeps: the step must be positive and finite, and there must be a substep"
    )]
    Step {
        /// Its size.
        step: f64,
        /// The number of substeps.
        substeps: usize,
    },
    /// A tolerance that is not positive.
    #[error("the tolerance is {0}: it must be positive")]
    Tolerance(f64),
    /// A polyhedral cone needs at least three edges.
    #[error("a friction cone with {0} edges has no volume: give at least 3")]
    Facets(usize),
}

impl<D: Delassus> Problem<'_, D> {
    /// Checks sizes, signs, and that all numbers are finite; of G, only what one pass over its entries shows.
    pub fn check(&self) -> Result<(), ProblemError> {
        self.check_vectors()?;
        (0..self.matrix.size()).try_for_each(|row| self.check_row(row))
    }

    /// As [`Problem::check`], except for the entries of G.
    pub(super) fn check_vectors(&self) -> Result<(), ProblemError> {
        let n = self.matrix.size();
        let length = |what, count, expected| {
            if count == expected { Ok(()) } else { Err(ProblemError::Length { what, count, expected }) }
        };
        length("the free velocity", self.free.len(), n)?;
        if !self.compliance.is_empty() {
            length("the compliance", self.compliance.len(), n)?;
        }
        for (contact, law) in self.laws.iter().enumerate() {
            check_law(contact, law)?;
        }
        length("the matrix", n, self.laws.iter().map(Law::rows).sum())?;
        finite("the free velocity", self.free)?;
        finite("the compliance", self.compliance)?;
        for (row, &value) in self.compliance.iter().enumerate() {
            if value < 0.0 {
                return Err(ProblemError::Negative { what: "the compliance", row, value });
            }
        }
        Ok(())
    }

    /// Checks that the symmetric part of G is positive semidefinite, to round-off. Solvers skip this check because it factors a matrix.
    pub fn check_definite(&self) -> Result<(), ProblemError> {
        let n = self.matrix.size();
        let mut factor = Cholesky::default();
        let a = factor.begin(n);
        for row in 0..n {
            self.matrix.row(row, |first, numbers| {
                for (k, x) in numbers.iter().enumerate() {
                    a[row * n + first + k] += 0.5 * x;
                    a[(first + k) * n + row] += 0.5 * x;
                }
            });
        }
        // scaled to unit diagonal, which is raised by the error that entries of a rank-deficient matrix may have
        let scale: Vec<f64> =
            (0..n).map(|k| a[k * n + k]).map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 }).collect();
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] *= scale[i] * scale[j];
            }
            a[i * n + i] += ROUNDING;
        }
        factor.factor().map_err(|row| ProblemError::Indefinite { row })
    }

    fn check_row(&self, row: usize) -> Result<(), ProblemError> {
        let mut bad = None;
        self.matrix.row(row, |_, numbers| {
            // a sum is finite only if all its terms are, apart from overflow
            if !numbers.iter().sum::<f64>().is_finite() {
                bad = bad.or(numbers.iter().copied().find(|x| !x.is_finite()));
            }
        });
        if let Some(value) = bad {
            return Err(ProblemError::NotFinite { what: "the matrix", row, value });
        }
        let value = self.matrix.entry(row, row);
        if value < 0.0 {
            return Err(ProblemError::Negative { what: "the matrix", row, value });
        }
        Ok(())
    }
}

fn check_law(contact: usize, law: &Law) -> Result<(), ProblemError> {
    match *law {
        Law::Interval { lower, upper } => {
            // NaN fails every comparison
            let some = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
            if some { Ok(()) } else { Err(ProblemError::Bounds { law: contact, lower, upper }) }
        }
        Law::Contact { count, friction } => {
            if ![0, 2, 3, 5].contains(&count) {
                return Err(ProblemError::Rows { contact, rows: count.saturating_add(1) });
            }
            match friction[..count].iter().find(|mu| !(mu.is_finite() && **mu >= 0.0)) {
                Some(&value) => Err(ProblemError::Friction { contact, value }),
                None => Ok(()),
            }
        }
    }
}

pub(super) fn finite(what: &'static str, x: &[f64]) -> Result<(), ProblemError> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(ProblemError::NotFinite { what, row, value: x[row] }),
        None => Ok(()),
    }
}
