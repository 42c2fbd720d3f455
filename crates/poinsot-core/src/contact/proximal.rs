//! The proximal point method: a sequence of softened problems, each solved by Newton's method.
//!
//! With a compliance ε on the change of λ alone,
//!
//! ```math
//! u = (G + E) λ + q + ε (λ − λ_k)      λ_{k+1} its solution
//! ```
//! every problem is well conditioned and its contacts are nearly independent, while the limit of the λ_k solves the rigid problem
//! [Rockafellar76]. ε adapts: while Newton's method needs few steps it decreases; if Newton's method needs many, the step is undone and ε
//! increases.

use super::iterate::{Iterate, Soft};
use super::newton::Newton;
use super::operator::Operator;
use super::scaled::Scaled;

/// The most Newton steps in one softened problem, and how many count as few.
const INNER: usize = 12;
const FEW: usize = 5;
const ACCEPT: f64 = 0.5;
const SOFTEST: f64 = 1e3;

#[derive(Clone, Debug, Default)]
pub(super) struct Proximal {
    centre: Vec<f64>,
    inner: Iterate,
    found: Iterate,
}

impl Proximal {
    /// Takes at most `most` steps of Newton's method from `at`; `best` becomes the best solution of the rigid problem. Returns the number
    /// of steps.
    #[expect(clippy::too_many_arguments)]
    pub fn run<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        newton: &mut Newton,
        tolerance: f64,
        most: usize,
        at: &mut Iterate,
        best: &mut Iterate,
    ) -> usize {
        let (mut soft, mut steps) = (1e-1, 0);
        // the softness below which Newton's method failed recently
        let mut failed = 0.0f64;
        while steps < most && best.distance.excess > 1.0 {
            let inner_tolerance = (0.1 * at.distance.residual / scaled.speed).max(tolerance);
            self.centre.clone_from(&at.x);
            let softened = Some(Soft { compliance: soft, centre: &self.centre });
            self.inner.x.clone_from(&at.x);
            self.inner.evaluate(operator, scaled, softened, inner_tolerance, &mut newton.room);
            self.found.clone_from_iterate(&self.inner);
            let taken = newton.run(
                operator,
                scaled,
                softened,
                inner_tolerance,
                INNER.min(most - steps),
                &mut self.inner,
                &mut self.found,
            );
            steps += taken.max(1);
            let (solved, nearer) = (
                self.found.distance.excess <= 1.0,
                self.found.distance.residual < ACCEPT * at.distance.residual,
            );
            if solved || nearer {
                self.inner.x.clone_from(&self.found.x);
                self.inner.evaluate(operator, scaled, None, tolerance, &mut newton.room);
                best.keep_better(&self.inner);
                at.clone_from_iterate(&self.inner);
            }
            if solved && taken <= FEW {
                let next = soft / 3.0;
                soft = if next > failed { next.max(1e-11) } else { soft };
                failed *= 0.7;
            } else if !solved {
                failed = soft;
                soft *= if nearer { 2.0 } else { 5.0 };
                if soft > SOFTEST {
                    break;
                }
            }
        }
        steps
    }
}
