//! Coulomb's law with the exact friction cone, to round-off: a cascade of methods, each starting from the result of the previous one.
//!
//! 1. The warm start: for bodies at rest, the impulses of the last step are already the solution.
//! 2. [Newton's method](super::newton) from there, which converges quadratically if the contacts keep their state.
//! 3. A few [Gauss–Seidel sweeps](super::sweep), which identify separating, sticking and sliding contacts; then Newton's method again.
//! 4. An [interior-point method](super::interior), which needs no good initial guess, and Newton's method from there. With many contacts,
//!    the sliding term is held at 0 first: that problem is convex, and its solution is that of a pile at rest.
//! 5. [Softened problems](super::proximal), for many contacts that slide at once.
//! 6. The interior-point method again, with the sliding term held fixed and updated between solves.
//!
//! Each method alone fails somewhere: sweeps on stacks with large mass ratios, Newton's method far from the solution, the interior-point
//! method in the last digits and with sliding contacts. If all fail, the best iterate is returned with its residual and a
//! status that says so.

use super::body_space::BodySpace;
use super::by_rows::{ByRows, Scratch};
use super::cascade::Cascade;
use super::certificate::{Certificate, Status};
use super::conic::Conic;
use super::delassus::Delassus;
use super::full::Full;
use super::iterate::{Answer, Iterate};
use super::joint_space::JointSpace;
use super::problem::{Problem, ProblemError, finite};
use super::scaled::{Cone, Distance, Scaled};
use super::verdict::Verdict;

/// Contacts that slide or separate more slowly than this, relative to the largest free velocity, may be doing neither.
const STILL: f64 = 1e-8;

/// The options of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The residual that counts as solved, relative to the largest free velocity; rounding errors are allowed on top of it.
    pub tolerance: f64,
    /// The residual in m/s that counts as solved if sweeps and Newton's method reach it: no other method is tried. A fiftieth of it ends
    /// the search at once. With 0, `tolerance` alone decides.
    pub still: f64,
    /// The most Gauss–Seidel sweeps.
    pub most_sweeps: usize,
    /// The most steps of Newton's method and of the interior-point method together; each factors a matrix. Most problems need a few. The
    /// limit keeps hopeless problems, such as velocities that contradict each other by little more than the tolerance, from taking
    /// hundreds.
    pub most_steps: usize,
    /// The most rows for which dense matrices are factored; larger problems without free bodies are left to sweeps.
    pub most_rows: usize,
    /// Whether to continue to round-off once the tolerance is reached, if a Newton step gets there.
    pub refine: bool,
    /// Whether to check if other impulses also solve the problem. This factors one more matrix.
    pub tell_uniqueness: bool,
    /// Whether to check, for an unsolved problem, if it has a solution at all. This is another pivoting problem.
    pub tell_impossible: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            tolerance: 1e-10,
            still: 0.0,
            most_sweeps: 1000,
            most_steps: 1000,
            most_rows: 2000,
            refine: false,
            tell_uniqueness: false,
            tell_impossible: true,
        }
    }
}

impl Options {
    /// The residual in m/s that ends the search.
    pub(super) fn enough(&self) -> f64 {
        if self.refine { 0.0 } else { 0.02 * self.still }
    }
}

/// Solves problems with the exact friction cone. Reuses its memory between problems.
///
/// A block of 1 kg on the ground, μ = 0.5, to which gravity and a push have given 0.1 m/s downwards and 0.2 m/s sideways. It keeps sliding:
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
    /// The options.
    pub options: Options,
    scaled: Scaled,
    answer: Answer,
    cascade: Cascade,
    full: Full,
    body_space: BodySpace,
    joint_space: JointSpace,
    rows: Scratch,
    verdict: Verdict,
    conic: Option<Box<Conic>>,
}

impl Exact {
    /// A solver with these options.
    pub fn new(options: Options) -> Exact {
        Exact { options, ..Exact::default() }
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
        begin(
            problem,
            &mut self.scaled,
            &mut self.answer,
            &mut self.cascade.best,
            self.options.tolerance,
            impulse,
        )?;
        let Distance { excess, residual, .. } = self.cascade.best.distance;
        if (excess > 1.0 && residual > self.options.enough()) || self.options.refine {
            self.run(problem, &mut certificate);
            self.scaled.project(&mut self.cascade.best.x);
            self.answer.take(problem, &self.scaled, &mut self.cascade.best, self.options.tolerance);
        }
        self.say(problem, &mut certificate);
        impulse.copy_from_slice(&self.answer.lambda);
        velocity.copy_from_slice(&self.answer.u);
        Ok(certificate)
    }

    /// Writes the response of each law to its own impulses in the last problem: the mean of the diagonal of its part of G, at its first
    /// row.
    pub(crate) fn responses(&self, out: &mut [f64]) {
        for block in &self.scaled.blocks {
            out[self.scaled.row_of[block.first]] = block.root * block.root;
        }
    }

    /// Runs the cascade on the form that suits the problem: its bodies, one dense matrix, or its rows.
    fn run<D: Delassus>(&mut self, problem: &Problem<D>, certificate: &mut Certificate) {
        let (cascade, scaled, options) = (&mut self.cascade, &self.scaled, self.options);
        if let Some(bodies) = problem.matrix.free_bodies() {
            self.body_space.load(bodies, scaled);
            cascade.run(&mut self.body_space, scaled, options, certificate);
        } else if let Some(factored) = problem.matrix.factored() {
            self.joint_space.load(factored, scaled);
            cascade.run(&mut self.joint_space, scaled, options, certificate);
        } else if problem.matrix.size() <= options.most_rows {
            self.full.load(problem, scaled);
            cascade.run(&mut self.full, scaled, options, certificate);
        } else {
            cascade.run(&mut ByRows { problem, room: &mut self.rows }, scaled, options, certificate);
        }
    }

    /// Fills in the measures, and the status if there is no solution or more than one.
    fn say<D: Delassus>(&mut self, problem: &Problem<D>, certificate: &mut Certificate) {
        let best = &self.cascade.best;
        certificate.measure(problem, &self.scaled, best, &self.answer.lambda, &self.answer.u);
        let few = problem.matrix.size() <= self.options.most_rows;
        (certificate.status, certificate.reason) =
            if best.distance.excess <= 1.0 || best.distance.residual <= self.options.still {
                let other = self.options.tell_uniqueness
                    && few
                    && (self.verdict.has_others(problem, &self.scaled, best) || {
                        let still = STILL * self.scaled.speed + self.options.still;
                        let Answer { lambda, u, .. } = &self.answer;
                        self.conic.get_or_insert_default().has_others(problem, lambda, u, still)
                    });
                (if other { Status::NotUnique } else { Status::Solved }, "")
            } else if blocked(problem, &self.scaled) {
                (Status::NoSolution, "a row that no impulse moves violates its law")
            } else if self.options.tell_impossible && few && self.verdict.is_impossible(problem) {
                (Status::NoSolution, "no impulses keep all contacts, limits and equalities at once")
            } else if few || problem.matrix.free_bodies().is_some() || problem.matrix.factored().is_some() {
                (Status::Unsolved, "no method reached the tolerance; the best answer met is given")
            } else {
                (Status::Unsolved, "too many rows to factor, and the sweeps did not reach the tolerance")
            };
    }
}

/// Scales a problem and measures the initial impulses.
pub(super) fn begin<D: Delassus>(
    problem: &Problem<D>,
    scaled: &mut Scaled,
    answer: &mut Answer,
    at: &mut Iterate,
    tolerance: f64,
    impulse: &[f64],
) -> Result<(), ProblemError> {
    let sound = scaled.prepare(problem);
    scaled.impulses(impulse, &mut at.x);
    scaled.project(&mut at.x);
    answer.take(problem, scaled, at, tolerance);
    // an entry of G that is not finite shows in u, which saves a pass over G in every solve
    if !sound || !at.distance.residual.is_finite() {
        problem.check()?;
    }
    Ok(())
}

/// Validates the input; common to all solvers.
pub(super) fn check<D: Delassus>(
    problem: &Problem<D>,
    options: Options,
    impulse: &[f64],
    velocity: &[f64],
) -> Result<(), ProblemError> {
    if !(options.tolerance > 0.0 && options.tolerance.is_finite()) {
        return Err(ProblemError::Tolerance(options.tolerance));
    }
    problem.check_vectors()?;
    let expected = problem.matrix.size();
    for (what, count) in [("the impulse", impulse.len()), ("the velocity", velocity.len())] {
        if count != expected {
            return Err(ProblemError::Length { what, count, expected });
        }
    }
    finite("the impulse to begin with", impulse)
}

/// True if a row that no impulse moves is closing.
fn blocked<D: Delassus>(problem: &Problem<D>, scaled: &Scaled) -> bool {
    scaled.blocks.iter().any(|block| {
        let row = scaled.row_of[block.first];
        let mut still = scaled.compliance[block.first] == 0.0;
        // G is positive semidefinite: a zero diagonal entry means a zero row
        if still && problem.matrix.entry(row, row) == 0.0 {
            problem.matrix.row(row, |_, numbers| still &= numbers.iter().all(|x| *x == 0.0));
        } else {
            still = false;
        }
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
