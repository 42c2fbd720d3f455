//! Coulomb's law with its true cone, to round-off: a cascade of methods, each begun where the one before ended.
//!
//! 1. The impulses given: at rest from one step to the next they are the answer already.
//! 2. A few sweeps of [Gauss–Seidel](super::sweep), which find out what opens, sticks and slides.
//! 3. [Newton's method](super::newton), which squares the error where they have.
//! 4. An [interior point](super::interior), which needs no good start, and Newton's method from there.
//! 5. [Softened problems](super::proximal), where many contacts slide at once.
//! 6. The interior point once more, with the sliding term held.
//!
//! Each alone fails somewhere: sweeps on stacks with large ratios of mass, Newton's method far from the answer, the interior point
//! short of the last digits and among sliding contacts. Where all fail, the best answer met is returned with its residual, and it
//! says that it is none.

use super::certificate::{Certificate, Stage, Status};
use super::delassus::Delassus;
use super::interior::{Interior, Sliding};
use super::iterate::Iterate;
use super::newton::Newton;
use super::problem::{Problem, ProblemError, finite};
use super::proximal::Proximal;
use super::scaled::{Cone, Distance, Scaled};
use super::sweep::{Way, sweep};
use super::verdict::Verdict;

/// What is asked of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The residual that counts as solved, as a part of the greatest free velocity; rounding errors are allowed on top of it.
    pub tolerance: f64,
    /// The most Gauss–Seidel sweeps.
    pub most_sweeps: usize,
    /// The most rows for which matrices are factored; larger problems are left to sweeps.
    pub most_rows: usize,
    /// Whether to go on to round-off once the tolerance is reached, where a step of Newton's method gets there.
    pub refine: bool,
    /// Whether to find out if other impulses solve the problem as well, or if none do. That factors a matrix once more.
    pub tell_uniqueness: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            tolerance: 1e-10,
            most_sweeps: 1000,
            most_rows: 2000,
            refine: false,
            tell_uniqueness: false,
        }
    }
}

/// Solves problems with the true cone of friction. Keeps its memory from one to the next.
///
/// A block of 1 kg on the ground, μ = 0.5, that gravity and a push have given 0.1 m/s downwards and 0.2 m/s sideways: it slides on.
/// ```
/// use poinsot_core::contact::{Dense, Exact, Law, Problem, Status};
/// let g = Dense::new(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])?;
/// let problem = Problem { matrix: &g, free: &[-0.1, 0.2, 0.0], laws: &[Law::contact(0.5)], compliance: &[] };
/// let (mut impulse, mut velocity) = ([0.0; 3], [0.0; 3]);
/// let certificate = Exact::default().solve(&problem, &mut impulse, &mut velocity)?;
/// assert_eq!(certificate.status, Status::Solved);
/// assert!((impulse[0] - 0.1).abs() < 1e-15 && (impulse[1] + 0.05).abs() < 1e-15);
/// assert!((velocity[1] - 0.15).abs() < 1e-15 && certificate.residual < 1e-15);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Exact {
    /// What is asked of it.
    pub options: Options,
    scaled: Scaled,
    at: Iterate,
    best: Iterate,
    newton: Newton,
    proximal: Proximal,
    interior: Interior,
    verdict: Verdict,
}

/// Newton's method may use this many steps at a time.
const NEWTON_STEPS: usize = 10;
const REFINEMENTS: usize = 2;
const SOFT_STEPS: usize = 500;
const INTERIOR_STEPS: usize = 40;
/// How often the sliding term is brought up to date.
const OUTER_STEPS: usize = 12;
/// Up to this many blocks sweeps cost less than factors.
const FEW: usize = 20;

impl Exact {
    /// A solver that is asked for this.
    pub fn new(options: Options) -> Exact {
        Exact { options, ..Exact::default() }
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
        // a little more than is asked for: the last projection onto the cones may move the answer
        let aim = 0.25 * self.options.tolerance;
        self.at.evaluate(problem, &self.scaled, aim);
        self.best.clone_from_iterate(&self.at);
        self.cascade(problem, aim, &mut certificate);
        if self.options.refine && self.solved() && problem.matrix.size() <= self.options.most_rows {
            self.refine(problem, &mut certificate);
        }
        self.finish(problem, &mut certificate);
        impulse.copy_from_slice(&self.best.lambda);
        velocity.copy_from_slice(&self.best.u);
        Ok(certificate)
    }

    fn solved(&self) -> bool {
        self.best.distance.excess <= 1.0
    }

    fn cascade<D: Delassus>(&mut self, problem: &Problem<D>, aim: f64, certificate: &mut Certificate) {
        if self.solved() {
            return;
        }
        let count = self.scaled.blocks.len();
        let factors = problem.matrix.size() <= self.options.most_rows;
        if !factors {
            self.sweeps(problem, aim, self.options.most_sweeps, certificate);
            return;
        }
        let rounds = if count <= FEW { [5, 10] } else { [10, 20] };
        for sweeps in rounds {
            self.sweeps(problem, aim, sweeps, certificate);
            if self.solved() {
                return;
            }
            self.polish(problem, aim, Stage::Newton, certificate);
            if self.solved() {
                return;
            }
            self.at.clone_from_iterate(&self.best);
        }
        self.interior.begin(problem, &self.scaled);
        self.descend(problem, aim, Sliding::Linearised, certificate);
        if self.solved() {
            return;
        }
        self.at.clone_from_iterate(&self.best);
        self.soften(problem, aim, certificate);
        if self.solved() {
            return;
        }
        self.interior(problem, aim, certificate);
        if !self.solved() && count <= 5 * FEW {
            self.at.clone_from_iterate(&self.best);
            let left = self.options.most_sweeps.saturating_sub(certificate.sweeps);
            self.sweeps(problem, aim, left, certificate);
        }
    }

    /// Sweeps to and fro.
    fn sweeps<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        aim: f64,
        most: usize,
        certificate: &mut Certificate,
    ) {
        let between = if self.scaled.blocks.len() <= FEW { 1 } else { 5 };
        for k in 0..most {
            sweep(problem, &self.scaled, Way::Exact, k % 2 == 1, &mut self.at.lambda);
            certificate.sweeps += 1;
            if (k + 1) % between == 0 || k + 1 == most {
                self.at.evaluate(problem, &self.scaled, aim);
                if self.best.keep_better(&self.at) {
                    certificate.stage = Stage::Sweeps;
                }
                if self.solved() {
                    return;
                }
            }
        }
    }

    /// Newton's method from `at`.
    fn polish<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        aim: f64,
        stage: Stage,
        certificate: &mut Certificate,
    ) {
        let before = self.best.distance.excess;
        certificate.newton_steps +=
            self.newton.run(problem, &self.scaled, aim, NEWTON_STEPS, &mut self.at, &mut self.best);
        if self.best.distance.excess < before {
            certificate.stage = stage;
        }
    }

    /// Softened problems from `at`.
    fn soften<D: Delassus>(&mut self, problem: &Problem<D>, aim: f64, certificate: &mut Certificate) {
        let before = self.best.distance.excess;
        certificate.newton_steps += self.proximal.run(
            problem,
            &self.scaled,
            &mut self.newton,
            aim,
            SOFT_STEPS,
            &mut self.at,
            &mut self.best,
        );
        if self.best.distance.excess < before {
            certificate.stage = Stage::Proximal;
        }
    }

    /// The sliding term held, and brought up to date after each solve.
    fn interior<D: Delassus>(&mut self, problem: &Problem<D>, aim: f64, certificate: &mut Certificate) {
        for outer in 0..OUTER_STEPS {
            self.interior.begin(problem, &self.scaled);
            if outer > 0 {
                self.interior.update_sliding(&self.scaled);
            }
            self.descend(problem, aim, Sliding::Held, certificate);
            if self.solved() {
                return;
            }
        }
    }

    /// Steps inwards along the path; Newton's method is tried each time the residual has fallen far.
    fn descend<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        aim: f64,
        sliding: Sliding,
        certificate: &mut Certificate,
    ) {
        let mut next = 1e-3 * self.scaled.speed;
        for _ in 0..INTERIOR_STEPS {
            let Some(part) = self.interior.step(problem, &self.scaled, sliding, aim) else { break };
            certificate.interior_steps += 1;
            if self.best.keep_better(&self.interior.at) {
                certificate.stage = Stage::Interior;
            }
            let Distance { residual, .. } = self.interior.at.distance;
            if residual <= next {
                next = 1e-2 * residual;
                self.try_newton(problem, aim, certificate);
            }
            let gap = self.interior.gap(&self.scaled);
            if self.solved() || part < 1e-3 || gap <= 1e-15 * self.scaled.speed * self.scaled.speed {
                break;
            }
        }
        if !self.solved() {
            self.try_newton(problem, aim, certificate);
        }
    }

    fn try_newton<D: Delassus>(&mut self, problem: &Problem<D>, aim: f64, certificate: &mut Certificate) {
        self.at.clone_from_iterate(&self.interior.at);
        self.polish(problem, aim, Stage::Interior, certificate);
    }

    /// The same answer to more digits.
    fn refine<D: Delassus>(&mut self, problem: &Problem<D>, certificate: &mut Certificate) {
        self.best.evaluate(problem, &self.scaled, f64::EPSILON);
        self.at.clone_from_iterate(&self.best);
        certificate.newton_steps +=
            self.newton.run(problem, &self.scaled, f64::EPSILON, REFINEMENTS, &mut self.at, &mut self.best);
    }

    /// The last projection, the measurements, and what is to be said of an answer that is none or not the only one.
    fn finish<D: Delassus>(&mut self, problem: &Problem<D>, certificate: &mut Certificate) {
        self.scaled.project(&mut self.best.lambda);
        self.best.evaluate(problem, &self.scaled, self.options.tolerance);
        certificate.measure(problem, &self.scaled, &self.best.distance, &self.best.lambda, &self.best.u);
        let factors = problem.matrix.size() <= self.options.most_rows;
        (certificate.status, certificate.reason) = if self.solved() {
            let other = self.options.tell_uniqueness
                && factors
                && self.verdict.has_others(problem, &self.scaled, &self.best);
            (if other { Status::NotUnique } else { Status::Solved }, "")
        } else if blocked(problem, &self.scaled) {
            (Status::NoSolution, "a row that no impulse moves violates its law")
        } else if factors && self.verdict.is_impossible(problem) {
            (Status::NoSolution, "no impulses keep all contacts, limits and equalities at once")
        } else if factors {
            (Status::Unsolved, "no method reached the tolerance; the best answer met is given")
        } else {
            (Status::Unsolved, "too many rows to factor, and the sweeps did not reach the tolerance")
        };
    }
}

/// What every solver asks of its input.
pub(super) fn check<D: Delassus>(
    problem: &Problem<D>,
    options: Options,
    impulse: &[f64],
    velocity: &[f64],
) -> Result<(), ProblemError> {
    if !(options.tolerance > 0.0 && options.tolerance.is_finite()) {
        return Err(ProblemError::Tolerance(options.tolerance));
    }
    problem.check()?;
    let expected = problem.matrix.size();
    for (what, count) in [("the impulse", impulse.len()), ("the velocity", velocity.len())] {
        if count != expected {
            return Err(ProblemError::Length { what, count, expected });
        }
    }
    finite("the impulse to begin with", impulse)
}

/// True where a row that no impulse moves closes.
fn blocked<D: Delassus>(problem: &Problem<D>, scaled: &Scaled) -> bool {
    scaled.blocks.iter().any(|block| {
        let row = block.rows[0];
        let still = problem.compliance.get(row).copied().unwrap_or(0.0) == 0.0
            && problem.matrix.row(row).all(|(_, numbers)| numbers.iter().all(|x| *x == 0.0));
        let q = problem.free[row];
        still
            && match block.cone {
                Cone::Friction { .. } => q < 0.0,
                Cone::Interval { lower, upper } => {
                    (q < 0.0 && upper == f64::INFINITY) || (q > 0.0 && lower == f64::NEG_INFINITY)
                }
            }
    })
}
