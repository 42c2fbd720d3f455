//! Forces within their cones that best produce a given acceleration: the problem without De Saxcé's term, which is convex.
//!
//! ```math
//! min ½ λᵀ (G + E) λ + qᵀ λ,   λ in its cones      ⟺      u = (G + E) λ + q in the dual cones,   λᵀ u = 0
//! ```
//! With `G = J M⁻¹ Jᵀ` and −q the required acceleration, the solution minimises the residual acceleration in the mass metric, and leaves
//! none if some forces explain all of it. It is found by the [interior-point method](super::interior).

use super::certificate::Status;
use super::cone::Rows;
use super::delassus::{Delassus, Dense};
use super::exact::{Options, check};
use super::full::Full;
use super::interior::{Interior, Sliding};
use super::iterate::{Answer, Iterate};
use super::problem::{Law, Problem, ProblemError};
use super::scaled::Scaled;
use super::verdict::Verdict;

const MOST_STEPS: usize = 100;
/// A complementarity gap below this, relative to the squared velocities, counts as zero.
const CLOSED: f64 = 1e-32;

/// Solves this problem. Reuses its memory between problems.
///
/// A block of 1 kg should be held against an upward pull of 5 N. The ground can push but not pull, so 5 m/s² remain.
/// ```
/// use poinsot_core::contact::{Conic, Dense, Law, Problem, Status};
/// let g = Dense::new(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])?;
/// let problem = Problem { matrix: &g, free: &[5.0, 0.0, 0.0], laws: &[Law::contact(0.5)], compliance: &[] };
/// let (mut force, mut left) = ([0.0; 3], [0.0; 3]);
/// assert_eq!(Conic::default().solve(&problem, &mut force, &mut left)?, Status::Solved);
/// assert!(force[0].abs() < 1e-12 && (left[0] - 5.0).abs() < 1e-12);
/// # Ok::<(), poinsot_core::contact::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Conic {
    scaled: Scaled,
    full: Full,
    interior: Interior,
    answer: Answer,
    best: Iterate,
    verdict: Verdict,
    /// For the auxiliary problem of solutions with the same velocities: its columns and its vectors.
    columns: Vec<(usize, Rows)>,
    laws: Vec<Law>,
    matrix: Vec<f64>,
    column: Vec<f64>,
    free: Vec<f64>,
    found: [Vec<f64>; 2],
}

impl Conic {
    /// Solves for λ; `velocity` becomes `(G + E) λ + q`. The status tells whether λ is unique.
    pub fn solve<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        lambda: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<Status, ProblemError> {
        check(problem, Options::default(), lambda, velocity)?;
        problem.check()?;
        self.scaled.prepare(problem);
        self.full.load(problem, &self.scaled);
        self.interior.begin(&self.scaled);
        let mut least = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            if self.interior.step(&mut self.full, &self.scaled, Sliding::Held, 1e-10).is_none() {
                break;
            }
            let gap = self.interior.gap(&self.scaled).abs();
            let size = self.scaled.speed * self.scaled.speed;
            if gap < least || least == f64::INFINITY {
                least = gap;
                self.best.clone_from_iterate(&self.interior.at);
            }
            if gap <= CLOSED * size {
                break;
            }
        }
        if least == f64::INFINITY {
            self.best.x.clear();
            self.best.x.resize(self.scaled.row_of.len(), 0.0);
        }
        self.scaled.project(&mut self.best.x);
        self.answer.take(problem, &self.scaled, &mut self.best, 1e-10);
        lambda.copy_from_slice(&self.answer.lambda);
        velocity.copy_from_slice(&self.answer.u);
        let others = self.verdict.has_others(problem, &self.scaled, &self.best);
        Ok(if others { Status::NotUnique } else { Status::Solved })
    }

    /// True if other λ than the given one satisfy the laws with the same velocities u. Separating and sliding contacts keep their state. Of
    /// the remaining solutions, an interior point is in the middle, from where it shows how far each λ may move. Velocities up to `still`
    /// count as zero.
    pub(super) fn has_others<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        lambda: &[f64],
        u: &[f64],
        still: f64,
    ) -> bool {
        self.choose(problem, u, still);
        let (n, m) = (lambda.len(), self.columns.len());
        if m == 0 {
            return false;
        }
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        self.free.clear();
        self.free.resize(m, 0.0);
        self.column.clear();
        self.column.resize(n, 0.0);
        for (i, (row, along)) in self.columns.iter().enumerate() {
            // G + E times the direction of column i
            self.column.fill(0.0);
            for (k, d) in along.iter().enumerate().filter(|(_, d)| **d != 0.0) {
                problem.matrix.row(row + k, |first, numbers| {
                    for (to, x) in self.column[first..].iter_mut().zip(numbers) {
                        *to += d * x;
                    }
                });
                if let Some(soft) = problem.compliance.get(row + k) {
                    self.column[row + k] += d * soft;
                }
            }
            // q = −G λ: so λ itself is among the solutions
            self.free[i] = -self.column.iter().zip(lambda).map(|(g, x)| g * x).sum::<f64>();
            for (j, (row, along)) in self.columns.iter().enumerate() {
                let entries = self.column[*row..].iter().zip(along);
                self.matrix[i * m + j] = entries.map(|(g, d)| g * d).sum();
            }
        }
        let (laws, matrix, free) = (
            std::mem::take(&mut self.laws),
            std::mem::take(&mut self.matrix),
            std::mem::take(&mut self.free),
        );
        let [mut x, mut left] = std::mem::take(&mut self.found);
        for numbers in [&mut x, &mut left] {
            numbers.clear();
            numbers.resize(m, 0.0);
        }
        let found = Dense::new(m, &matrix).and_then(|matrix| {
            let problem = Problem { matrix: &matrix, free: &free, laws: &laws, compliance: &[] };
            self.solve(&problem, &mut x, &mut left)
        });
        (self.laws, self.matrix, self.free, self.found) = (laws, matrix, free, [x, left]);
        found.is_ok_and(|status| status == Status::NotUnique)
    }

    /// Selects the directions in which λ may change, with their laws.
    fn choose<D: Delassus>(&mut self, problem: &Problem<D>, u: &[f64], still: f64) {
        self.columns.clear();
        self.laws.clear();
        let unit = |k: usize| std::array::from_fn(|r| f64::from(r == k));
        let mut row = 0;
        for law in problem.laws {
            let own = &u[row..row + law.rows()];
            match *law {
                // at the end that the velocity points to
                Law::Interval { .. } if own[0].abs() > still => {}
                Law::Interval { .. } => {
                    self.columns.push((row, unit(0)));
                    self.laws.push(*law);
                }
                Law::Contact { .. } if own[0] > still => {}
                Law::Contact { count, friction } => {
                    let squares: f64 = (0..count).map(|k| (friction[k] * own[1 + k]).powi(2)).sum();
                    let slides = own[1..].iter().zip(friction).any(|(u, mu)| mu > 0.0 && u.abs() > still);
                    if slides && squares > 0.0 {
                        let mut along: Rows = unit(0);
                        for k in 0..count {
                            along[1 + k] = -friction[k] * friction[k] * own[1 + k] / squares.sqrt();
                        }
                        self.columns.push((row, along));
                        self.laws.push(Law::AT_LEAST);
                    } else {
                        self.columns.extend((0..=count).map(|k| (row, unit(k))));
                        self.laws.push(*law);
                    }
                }
            }
            row += law.rows();
        }
    }
}
