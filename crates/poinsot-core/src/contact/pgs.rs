//! Projected Gauss–Seidel: sweeps alone, for many contacts and a tolerance to match.
//!
//! Each sweep costs one pass over the matrix and needs no memory but the impulses. It converges to the same answer as
//! [`Exact`](super::Exact), by a factor per sweep that nears 1 with long chains of contacts and large ratios of mass: at best a few
//! digits on a stack of ten. The certificate says how many.

use super::certificate::{Certificate, Stage, Status};
use super::delassus::Delassus;
use super::exact::{Options, check};
use super::iterate::Iterate;
use super::problem::{Problem, ProblemError};
use super::scaled::Scaled;
use super::sweep::{Way, sweep};

/// Solves by projected sweeps. Keeps its memory from one problem to the next.
///
/// ```
/// use poinsot_core::contact::{Dense, Law, Pgs, Problem};
/// let g = Dense::new(2, &[2.0, 1.0, 1.0, 2.0])?;
/// let laws = [Law::AT_LEAST, Law::EQUALITY];
/// let problem = Problem { matrix: &g, free: &[-5.0, -6.0], laws: &laws, compliance: &[] };
/// let (mut impulse, mut velocity) = ([0.0; 2], [0.0; 2]);
/// let certificate = Pgs::default().solve(&problem, &mut impulse, &mut velocity)?;
/// assert!(certificate.status.is_solved() && (impulse[0] - 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pgs {
    /// What is asked of it.
    pub options: Options,
    scaled: Scaled,
    at: Iterate,
    best: Iterate,
}

/// Residuals are looked at after this many sweeps: it costs as much as one.
const BETWEEN: usize = 5;

impl Pgs {
    /// A solver that is asked for this.
    pub fn new(options: Options) -> Pgs {
        Pgs { options, ..Pgs::default() }
    }

    /// Solves for the impulses, beginning with those given; `velocity` becomes `(G + E) λ + q`.
    pub fn solve<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        check(problem, self.options, impulse, velocity)?;
        let mut certificate = Certificate::default();
        self.scaled.prepare(problem);
        self.at.lambda.clear();
        self.at.lambda.extend_from_slice(impulse);
        self.scaled.project(&mut self.at.lambda);
        self.at.evaluate(problem, &self.scaled, self.options.tolerance);
        self.best.clone_from_iterate(&self.at);
        while self.best.distance.excess > 1.0 && certificate.sweeps < self.options.most_sweeps {
            for _ in 0..BETWEEN.min(self.options.most_sweeps - certificate.sweeps) {
                let backward = certificate.sweeps % 2 == 1;
                sweep(problem, &self.scaled, Way::Projected, backward, &mut self.at.lambda);
                certificate.sweeps += 1;
            }
            self.at.evaluate(problem, &self.scaled, self.options.tolerance);
            if self.best.keep_better(&self.at) {
                certificate.stage = Stage::Sweeps;
            }
        }
        certificate.measure(problem, &self.scaled, &self.best.distance, &self.best.lambda, &self.best.u);
        if self.best.distance.excess <= 1.0 {
            certificate.status = Status::Solved;
        } else {
            certificate.reason = "the sweeps did not reach the tolerance; the best answer met is given";
        }
        impulse.copy_from_slice(&self.best.lambda);
        velocity.copy_from_slice(&self.best.u);
        Ok(certificate)
    }
}
