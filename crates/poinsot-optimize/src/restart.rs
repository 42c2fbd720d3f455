//! Other starts, where a search ends at a point near which nothing satisfies the conditions.
//!
//! Such a point belongs to a mesh and a barrier: on another mesh, or farther from the bounds, the search takes another way. A motion that is
//! found there is the guess on the mesh asked for. All starts share the iterations of the settings.

use crate::error::OptimizeError;
use crate::problem::{Bound, Guess, Problem, Quantity};
use crate::program::{self, Ending, Settings, Step};
use crate::solution::{Exceeded, Solution};
use crate::transcribe::Transcription;

/// Where a search begins.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The number of intervals of each phase.
    pub intervals: Vec<usize>,
    /// The duration of each phase, s.
    pub durations: Vec<f64>,
    pub guess: Guess,
    /// The initial weight of the bounds.
    pub barrier: f64,
    /// Whether controls keep their bounds.
    pub bounded: bool,
}

/// The other starts: the most intervals of a phase, and the least weight of the bounds. Coarse meshes are cheap, and fail less often.
const OTHERS: [(usize, f64); 6] =
    [(50, 0.0), (usize::MAX, 10.0), (50, 10.0), (25, 0.0), (25, 10.0), (100, 0.0)];
/// The iterations of a search for what stands in the way.
const EXPLAINING: usize = 300;
/// The weight of the bounds where the guess is a solution on another mesh, and where the search from there fails.
const NEAR: [f64; 2] = [0.01, 0.1];

impl Start {
    /// That of the problem.
    pub fn of(problem: &Problem) -> Start {
        Start {
            intervals: problem.phases.iter().map(|p| p.intervals).collect(),
            durations: problem.phases.iter().map(|p| p.guess).collect(),
            guess: problem.guess.clone(),
            barrier: problem.settings.barrier,
            bounded: true,
        }
    }

    /// Another mesh and barrier.
    fn changed(&self, most: usize, barrier: f64) -> Start {
        let intervals = self.intervals.iter().map(|n| *n.min(&most)).collect();
        Start { intervals, barrier: self.barrier.max(barrier), ..self.clone() }
    }

    fn is_like(&self, other: &Start) -> bool {
        self.intervals == other.intervals && self.barrier == other.barrier
    }

    /// On this mesh, from a solution on another.
    fn from(&self, found: &Solution, barrier: f64) -> Start {
        let whole: f64 = found.durations.iter().sum();
        let row =
            |k: usize| (found.time[k] / whole, found.q[k].clone(), found.v[k].clone(), found.u[k].clone());
        Start {
            intervals: self.intervals.clone(),
            durations: found.durations.clone(),
            guess: Guess::Trajectory((0..found.time.len()).map(row).collect()),
            barrier,
            bounded: true,
        }
    }
}

/// The searches of a problem, and the iterations they have taken.
struct Search<'a> {
    problem: &'a Problem,
    iterations: usize,
    watch: &'a mut dyn FnMut(&Step) -> bool,
}

impl Search<'_> {
    fn run(&mut self, start: &Start) -> Result<Solution, OptimizeError> {
        let (before, watch) = (self.iterations, &mut *self.watch);
        let transcription = Transcription::new(self.problem, start)?;
        let given = &self.problem.settings;
        let left = given.iterations.saturating_sub(before);
        let settings = Settings { iterations: left, barrier: start.barrier, ..*given };
        let mut count = |step: &Step| watch(&Step { iteration: before + step.iteration, ..*step });
        let found = program::solve(&transcription, &transcription.first(), &settings, &mut count);
        let mut solution = self.problem.gather(&transcription, &found);
        self.iterations += solution.iterations;
        solution.iterations = self.iterations;
        Ok(solution)
    }

    /// True if the search may go on after this one.
    fn goes_on(&self, found: &Solution) -> bool {
        found.ending != Ending::Interrupted && self.iterations < self.problem.settings.iterations
    }

    /// A solution from one of the other starts; `None` if there is none.
    fn elsewhere(&mut self, start: &Start) -> Option<Solution> {
        let mut tried = vec![start.clone()];
        for (most, barrier) in OTHERS {
            let other = start.changed(most, barrier);
            if tried.iter().any(|t| t.is_like(&other)) {
                continue;
            }
            // moments that fall between the nodes of another mesh are no error of the problem
            let Ok(found) = self.run(&other) else { continue };
            let same_mesh = other.intervals == start.intervals;
            tried.push(other);
            if found.is_solved() {
                let on_mesh = if same_mesh { Some(found) } else { self.carried(start, found, most) };
                if on_mesh.is_some() {
                    return on_mesh;
                }
            } else if !self.goes_on(&found) {
                return (found.ending == Ending::Interrupted).then_some(found);
            }
        }
        None
    }

    /// The bounds of controls that a motion without them exceeds; none if there is no such motion, either.
    fn exceeded(&mut self, start: &Start) -> Vec<Exceeded> {
        let free = Start { bounded: false, ..start.clone() };
        // the iterations of the settings may be used up, and an explanation is worth some more
        self.iterations = self.iterations.min(self.problem.settings.iterations.saturating_sub(EXPLAINING));
        let Ok(found) = self.run(&free) else { return Vec::new() };
        if !found.is_solved() {
            return Vec::new();
        }
        self.problem.bounds.iter().filter_map(|bound| farthest(bound, &found)).collect()
    }

    /// A solution carried to the mesh of `start`, from one mesh to another with at most twice its intervals.
    fn carried(&mut self, start: &Start, found: Solution, most: usize) -> Option<Solution> {
        let (mut most, mut found) = (most, found);
        loop {
            most *= 2;
            let mesh = start.changed(most, 0.0);
            let mut tries = NEAR.iter().filter_map(|barrier| self.run(&mesh.from(&found, *barrier)).ok());
            found = tries.find(|found| found.is_solved() || found.ending == Ending::Interrupted)?;
            if mesh.intervals == start.intervals || found.ending == Ending::Interrupted {
                return Some(found);
            }
        }
    }
}

impl Problem {
    /// Solves the problem. `watch` is called in every iteration; it stops the search by returning false. A search that ends where nothing
    /// nearby satisfies the conditions is repeated from other meshes and barriers, within the iterations of the settings.
    ///
    /// # Errors
    /// If the problem is inconsistent; a motion that cannot be found is not an error, see [`Solution::ending`].
    pub fn solve(&self, watch: &mut dyn FnMut(&Step) -> bool) -> Result<Solution, OptimizeError> {
        let start = Start::of(self);
        let mut search = Search { problem: self, iterations: 0, watch };
        let mut first = search.run(&start)?;
        if matches!(first.ending, Ending::Infeasible | Ending::Failed)
            && search.goes_on(&first)
            && let Some(other) = search.elsewhere(&start)
        {
            return Ok(other);
        }
        first.iterations = search.iterations;
        if first.ending == Ending::Infeasible {
            first.exceeded = search.exceeded(&start);
        }
        Ok(first)
    }
}

/// Where a motion is farthest beyond the bound of a control.
fn farthest(bound: &Bound, found: &Solution) -> Option<Exceeded> {
    let Quantity::U(k) = bound.quantity else { return None };
    let (low, high) = bound.range;
    let beyond = |u: f64| (low - u).max(u - high);
    let rows = (0..found.time.len()).filter(|row| bound.phase.is_none_or(|p| p == found.phase[*row]));
    let row = rows.max_by(|a, b| beyond(found.u[*a][k]).total_cmp(&beyond(found.u[*b][k])))?;
    let value = found.u[row][k];
    (beyond(value) > 0.0).then(|| Exceeded {
        what: bound.quantity.name(&found.names),
        bound: if value > high { high } else { low },
        value,
        time: found.time[row],
    })
}
