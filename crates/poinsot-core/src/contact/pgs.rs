//! Projected Gauss–Seidel: sweeps alone, for many contacts and low accuracy.
//!
//! Each sweep costs one pass over the matrix and needs no memory except the impulses. It converges to the same solution as
//! [`Exact`](super::Exact), but the convergence factor approaches 1 for long chains of contacts and large mass ratios: at best a few digits
//! on a stack of ten. The certificate says how many.

use super::body_space::BodySpace;
use super::by_rows::{ByRows, Scratch};
use super::certificate::{Certificate, Stage, Status};
use super::delassus::Delassus;
use super::exact::{Options, begin, check};
use super::full::Full;
use super::iterate::{Answer, Iterate};
use super::operator::Operator;
use super::problem::{Problem, ProblemError};
use super::scaled::Scaled;
use super::sweep::Relaxation;

/// Solves by projected sweeps. Reuses its memory between problems.
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
    /// The options.
    pub options: Options,
    /// The last sweep is the answer, and not the one with the least residual. Sweeps come ever nearer to the answer in energy, but among many
    /// redundant rows the residual may grow at first.
    pub(crate) last: bool,
    scaled: Scaled,
    answer: Answer,
    sweeps: Sweeps,
    full: Full,
    body_space: BodySpace,
    rows: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Sweeps {
    at: Iterate,
    best: Iterate,
    room: Vec<f64>,
}

/// The residual is computed once in this many sweeps, since it costs as much as one.
const BETWEEN: usize = 5;

impl Pgs {
    /// A solver with these options.
    pub fn new(options: Options) -> Pgs {
        Pgs { options, ..Pgs::default() }
    }

    /// Solves for the impulses, starting from those given; `velocity` becomes `(G + E) λ + q`.
    pub fn solve<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        impulse: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Certificate, ProblemError> {
        check(problem, self.options, impulse, velocity)?;
        let mut certificate = Certificate::default();
        let (scaled, sweeps, options) = (&mut self.scaled, &mut self.sweeps, self.options);
        begin(problem, scaled, &mut self.answer, &mut sweeps.best, options.tolerance, impulse)?;
        if sweeps.best.distance.excess > 1.0 {
            if let Some(bodies) = problem.matrix.free_bodies() {
                self.body_space.load(bodies, scaled);
                sweeps.run(&mut self.body_space, scaled, options, self.last, &mut certificate);
            } else if problem.matrix.size() <= options.most_rows {
                self.full.load(problem, scaled);
                sweeps.run(&mut self.full, scaled, options, self.last, &mut certificate);
            } else {
                let mut rows = ByRows { problem, room: &mut self.rows };
                sweeps.run(&mut rows, scaled, options, self.last, &mut certificate);
            }
            self.answer.take(problem, scaled, &mut sweeps.best, options.tolerance);
        }
        certificate.measure(problem, scaled, &sweeps.best, &self.answer.lambda, &self.answer.u);
        if sweeps.best.distance.excess <= 1.0 {
            certificate.status = Status::Solved;
        } else {
            certificate.reason = "the sweeps did not reach the tolerance; the best answer met is given";
        }
        impulse.copy_from_slice(&self.answer.lambda);
        velocity.copy_from_slice(&self.answer.u);
        Ok(certificate)
    }
}

impl Sweeps {
    /// Sweeps forwards and backwards; improves `best`.
    fn run<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        options: Options,
        last: bool,
        certificate: &mut Certificate,
    ) {
        self.at.clone_from_iterate(&self.best);
        while self.best.distance.excess > 1.0 && certificate.sweeps < options.most_sweeps {
            for _ in 0..BETWEEN.min(options.most_sweeps - certificate.sweeps) {
                let backward = certificate.sweeps % 2 == 1;
                operator.sweep(scaled, Relaxation::Projected, backward, &mut self.at.x);
                certificate.sweeps += 1;
            }
            // the solution is measured once more in its final form
            self.at.evaluate(operator, scaled, None, 0.5 * options.tolerance, &mut self.room);
            if last {
                self.best.clone_from_iterate(&self.at);
            }
            if last || self.best.keep_better(&self.at) {
                certificate.stage = Stage::Sweeps;
            }
        }
    }
}
