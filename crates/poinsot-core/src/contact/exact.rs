//! Coulomb's law with its true cone, to round-off: a cascade of methods, each begun where the one before ended.
//!
//! 1. The impulses given: at rest from one step to the next they are the answer already.
//! 2. [Newton's method](super::newton) from there, which squares the error where contacts do as they did.
//! 3. A few sweeps of [Gauss–Seidel](super::sweep), which find out what opens, sticks and slides; and Newton's method again.
//! 4. An [interior point](super::interior), which needs no good start, and Newton's method from there. Among many contacts the
//!    sliding term is held at 0 first: that is a convex problem, and the answer of a pile at rest.
//! 5. [Softened problems](super::proximal), where many contacts slide at once.
//! 6. The interior point once more, with the sliding term held and brought up to date.
//!
//! Each alone fails somewhere: sweeps on stacks with large ratios of mass, Newton's method far from the answer, the interior point
//! short of the last digits and among sliding contacts. Where all fail, the best answer met is returned with its residual, and it
//! says that it is none.

use super::body_space::BodySpace;
use super::by_rows::{ByRows, Room};
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

/// Of the greatest free velocity: what slides or opens more slowly may do neither.
const STILL: f64 = 1e-8;

/// What is asked of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The residual that counts as solved, as a part of the greatest free velocity; rounding errors are allowed on top of it.
    pub tolerance: f64,
    /// The residual in m/s below which no more is done than sweeps and Newton's method give, and which counts as solved; a fiftieth of it
    /// ends the search at once. 0 leaves it to `tolerance` alone.
    pub still: f64,
    /// The most Gauss–Seidel sweeps.
    pub most_sweeps: usize,
    /// The most steps of Newton's method and of the interior-point method together: each factors a matrix. Most problems need a few;
    /// a budget keeps hopeless ones, as velocities that contradict each other by little more than the tolerance, from taking hundreds.
    pub most_steps: usize,
    /// The most rows for which dense matrices are factored; larger problems not known by their bodies are left to sweeps.
    pub most_rows: usize,
    /// Whether to go on to round-off once the tolerance is reached, where a step of Newton's method gets there.
    pub refine: bool,
    /// Whether to find out if other impulses solve the problem as well. That factors a matrix once more.
    pub tell_uniqueness: bool,
    /// Whether to find out, of a problem that was not solved, if it has a solution at all. That is another problem of pivoting.
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
    answer: Answer,
    cascade: Cascade,
    full: Full,
    body_space: BodySpace,
    joint_space: JointSpace,
    rows: Room,
    verdict: Verdict,
    conic: Option<Box<Conic>>,
}

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

    /// Of the last problem, how each law responds to its own impulses: the mean of the diagonal of its part of G, at its first row.
    pub(crate) fn responses(&self, out: &mut [f64]) {
        for block in &self.scaled.blocks {
            out[self.scaled.row_of[block.first]] = block.root * block.root;
        }
    }

    /// The cascade on what suits the problem: its bodies, one dense matrix, or its rows.
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

    /// The measurements, and what is to be said of an answer that is none or not the only one.
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

/// Scales a problem and measures the impulses to begin with.
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
    // what is not finite in G shows in u: that spares looking at all its numbers in every solve
    if !sound || !at.distance.residual.is_finite() {
        problem.check()?;
    }
    Ok(())
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
    problem.check_vectors()?;
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
        let row = scaled.row_of[block.first];
        let mut still = scaled.compliance[block.first] == 0.0;
        // G is positive semidefinite: 0 on the diagonal is 0 in all of its row
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
