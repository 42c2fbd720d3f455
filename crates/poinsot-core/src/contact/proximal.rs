//! The proximal point method: a sequence of softened problems, each solved by Newton's method.
//!
//! A compliance ε that acts on the change of λ alone,
//!
//! ```math
//! u = (G + E) λ + q + ε (λ − λ_k)      λ_{k+1} its solution
//! ```
//! makes every problem well conditioned and its contacts all but independent, while what the λ_k converge to solves the rigid
//! problem [Rockafellar76]. How soft is learnt on the way: while Newton's method needs few steps ε falls, where it needs many the step
//! is undone and ε rises.

use super::delassus::Delassus;
use super::iterate::Iterate;
use super::newton::Newton;
use super::problem::Problem;
use super::scaled::Scaled;

/// Steps of Newton's method in one softened problem, and how many count as few.
const INNER: usize = 12;
const FEW: usize = 5;
const SOFTEST: f64 = 1e3;

#[derive(Clone, Debug, Default)]
pub(super) struct Proximal {
    compliance: Vec<f64>,
    free: Vec<f64>,
    inner: Iterate,
    found: Iterate,
}

impl Proximal {
    /// At most `most` steps of Newton's method from `at`; `best` becomes the best answer to the rigid problem. How many were made.
    #[expect(clippy::too_many_arguments)]
    pub fn run<D: Delassus>(
        &mut self,
        problem: &Problem<D>,
        scaled: &Scaled,
        newton: &mut Newton,
        tolerance: f64,
        most: usize,
        at: &mut Iterate,
        best: &mut Iterate,
    ) -> usize {
        let (mut soft, mut steps) = (1e-1, 0);
        while steps < most && best.distance.excess > 1.0 {
            let inner_tolerance = (0.1 * at.distance.residual / scaled.speed).max(tolerance);
            self.soften(problem, scaled, soft, &at.lambda);
            let softened = Problem { compliance: &self.compliance, free: &self.free, ..*problem };
            self.inner.lambda.clone_from(&at.lambda);
            self.inner.evaluate(&softened, scaled, inner_tolerance);
            self.found.clone_from_iterate(&self.inner);
            let taken =
                newton.run(&softened, scaled, inner_tolerance, INNER, &mut self.inner, &mut self.found);
            steps += taken.max(1);
            if self.found.distance.excess <= 1.0 {
                self.inner.lambda.clone_from(&self.found.lambda);
                self.inner.evaluate(problem, scaled, tolerance);
                best.keep_better(&self.inner);
                at.clone_from_iterate(&self.inner);
                if taken <= FEW {
                    soft = (soft / 3.0).max(1e-11);
                }
            } else {
                soft *= 5.0;
                if soft > SOFTEST {
                    break;
                }
            }
        }
        steps
    }

    fn soften<D: Delassus>(&mut self, problem: &Problem<D>, scaled: &Scaled, soft: f64, centre: &[f64]) {
        self.compliance.clear();
        self.free.clear();
        for (row, q) in problem.free.iter().enumerate() {
            let own = soft / (scaled.scale[row] * scaled.scale[row]);
            self.compliance.push(own + problem.compliance.get(row).unwrap_or(&0.0));
            self.free.push(q - own * centre[row]);
        }
    }
}
