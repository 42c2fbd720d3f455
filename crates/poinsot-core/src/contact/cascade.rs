//! The cascade of [`Exact`](super::Exact): each method starts from the result of the previous one.

use super::certificate::{Certificate, Stage};
use super::cone::norm;
use super::exact::Options;
use super::interior::{Interior, Sliding};
use super::iterate::Iterate;
use super::newton::Newton;
use super::operator::Operator;
use super::proximal::Proximal;
use super::scaled::{Block, Distance, Scaled};
use super::sweep::Way;

/// The most steps of one run of Newton's method.
const NEWTON_STEPS: usize = 10;
/// The most steps of Newton's method from the warm start.
const WARM_STEPS: usize = 3;
const REFINEMENTS: usize = 2;
const SOFT_STEPS: usize = 500;
const INTERIOR_STEPS: usize = 40;
/// How often the sliding term is updated.
const OUTER_STEPS: usize = 12;
/// Up to this many blocks, sweeps cost less than a factorisation.
const FEW: usize = 20;
/// From this many blocks on, the sliding term is first held fixed: linearised, it does not converge for hundreds of contacts.
const MANY: usize = 100;
/// The number of solves with the sliding term held, before and after softened problems.
const HELD_FIRST: usize = 3;
/// Bounds on impulses, in multiples of those that stop the fastest motion. Above `LARGE`, problems with few contacts are searched for a
/// smaller solution; above `RUNAWAY`, no mass ratio explains the impulses.
const LARGE: f64 = 1e2;
const RUNAWAY: f64 = 1e8;
/// The number of sweeps in the search for smaller impulses.
const SMALLER: usize = 300;

#[derive(Clone, Debug, Default)]
pub(super) struct Cascade {
    at: Iterate,
    pub best: Iterate,
    newton: Newton,
    proximal: Proximal,
    interior: Interior,
    larger: Iterate,
    room: Vec<f64>,
    /// A residual in m/s that ends the search at any speed.
    enough: f64,
}

/// The problem being solved, and its certificate.
struct Task<'a, O> {
    operator: &'a mut O,
    scaled: &'a Scaled,
    options: Options,
    /// The target residual, slightly below the tolerance: the final projection onto the cones may change the solution.
    aim: f64,
    certificate: &'a mut Certificate,
}

impl<O> Task<'_, O> {
    /// The number of steps left.
    fn left(&self) -> usize {
        let made = self.certificate.newton_steps + self.certificate.interior_steps;
        self.options.most_steps.saturating_sub(made)
    }
}

impl Cascade {
    /// Improves `best`.
    pub fn run<O: Operator>(
        &mut self,
        operator: &mut O,
        scaled: &Scaled,
        options: Options,
        certificate: &mut Certificate,
    ) {
        let mut task = Task { operator, scaled, options, aim: 0.25 * options.tolerance, certificate };
        self.enough = options.enough();
        self.best.distance = scaled.distance(&self.best.x, &self.best.u, &[], task.aim);
        self.at.clone_from_iterate(&self.best);
        if self.size(scaled) > RUNAWAY * scaled.speed {
            self.at.x.fill(0.0);
            self.at.evaluate(task.operator, scaled, None, task.aim, &mut self.room);
            self.best.clone_from_iterate(&self.at);
        }
        // what holds from the last step on was looked at there
        let known = self.solved();
        self.stages(&mut task);
        if !known {
            self.look_for_smaller(&mut task);
        }
        if options.refine && self.solved() && O::FACTORS {
            self.refine(&mut task);
        }
    }

    fn solved(&self) -> bool {
        self.best.distance.excess <= 1.0
    }

    /// True if `best` meets the tolerance or is close enough. Sweeps continue to the tolerance, because the next step starts from what they
    /// leave.
    fn is_enough(&self) -> bool {
        self.solved() || self.best.distance.residual <= self.enough
    }

    /// The largest impulse, as the velocity change that it would cause alone.
    fn size(&self, scaled: &Scaled) -> f64 {
        let own = |block: &Block| block.root * norm(&self.best.x[block.places()]);
        scaled.blocks.iter().map(own).fold(0.0, f64::max)
    }

    /// Searches for a solution with smaller impulses. A body wedged between others may be squeezed by any impulse; if the line between two
    /// contacts lies on the edges of their cones, the residual decreases as the squeeze grows without bound. Sweeps from zero find impulses
    /// in proportion to the motion.
    fn look_for_smaller<O: Operator>(&mut self, task: &mut Task<O>) {
        let size = self.size(task.scaled);
        let few = task.scaled.blocks.len() <= FEW;
        let speed = task.scaled.speed;
        if size <= if few { LARGE } else { RUNAWAY } * speed {
            return;
        }
        let stage = task.certificate.stage;
        self.larger.clone_from_iterate(&self.best);
        self.at.x.fill(0.0);
        self.at.evaluate(task.operator, task.scaled, None, task.aim, &mut self.room);
        self.best.clone_from_iterate(&self.at);
        self.sweeps(task, SMALLER);
        let (smaller, larger) = (self.best.distance.residual, self.larger.distance.residual);
        let as_good = self.solved() || smaller <= larger;
        if !as_good && (size <= RUNAWAY * speed || smaller > 0.1 * speed) {
            self.best.clone_from_iterate(&self.larger);
            task.certificate.stage = stage;
        }
    }

    fn stages<O: Operator>(&mut self, task: &mut Task<O>) {
        if self.solved() {
            return;
        }
        let count = task.scaled.blocks.len();
        if !O::FACTORS {
            self.sweeps(task, task.options.most_sweeps);
            return;
        }
        // warm start: most contacts keep their state
        if self.at.x.iter().any(|x| *x != 0.0) {
            self.polish(task, Stage::Newton, WARM_STEPS);
            if self.is_enough() {
                return;
            }
            self.at.clone_from_iterate(&self.best);
        }
        let rounds = if count <= FEW { [5, 10] } else { [10, 20] };
        for sweeps in rounds {
            self.sweeps(task, sweeps);
            if self.solved() {
                return;
            }
            self.polish(task, Stage::Newton, NEWTON_STEPS);
            if self.is_enough() {
                return;
            }
            self.at.clone_from_iterate(&self.best);
        }
        if self.best.distance.residual <= task.options.still {
            return;
        }
        if count >= MANY {
            self.interior(task, HELD_FIRST);
        } else {
            self.interior.begin(task.scaled);
            self.descend(task, Sliding::Linearised);
        }
        if self.solved() {
            return;
        }
        self.at.clone_from_iterate(&self.best);
        self.soften(task);
        if self.solved() {
            return;
        }
        self.interior(task, OUTER_STEPS);
        // each sweep solves a single block anew
        if !self.solved() && (2..=5 * FEW).contains(&count) {
            self.at.clone_from_iterate(&self.best);
            let left = task.options.most_sweeps.saturating_sub(task.certificate.sweeps);
            self.sweeps(task, left);
        }
    }

    /// Runs sweeps in alternating directions.
    fn sweeps<O: Operator>(&mut self, task: &mut Task<O>, most: usize) {
        let between = if task.scaled.blocks.len() <= FEW { 1 } else { 5 };
        for k in 0..most {
            task.operator.sweep(task.scaled, Way::Exact, k % 2 == 1, &mut self.at.x);
            task.certificate.sweeps += 1;
            if (k + 1) % between == 0 || k + 1 == most {
                self.at.evaluate(task.operator, task.scaled, None, task.aim, &mut self.room);
                if self.best.keep_better(&self.at) {
                    task.certificate.stage = Stage::Sweeps;
                }
                if self.solved() {
                    return;
                }
            }
        }
    }

    /// Runs Newton's method from `at`.
    fn polish<O: Operator>(&mut self, task: &mut Task<O>, stage: Stage, most: usize) {
        let (before, most) = (self.best.distance.excess, most.min(task.left()));
        task.certificate.newton_steps +=
            self.newton.run(task.operator, task.scaled, None, task.aim, most, &mut self.at, &mut self.best);
        if self.best.distance.excess < before {
            task.certificate.stage = stage;
        }
    }

    /// Runs softened problems from `at`.
    fn soften<O: Operator>(&mut self, task: &mut Task<O>) {
        let (before, most) = (self.best.distance.excess, SOFT_STEPS.min(task.left()));
        task.certificate.newton_steps += self.proximal.run(
            task.operator,
            task.scaled,
            &mut self.newton,
            task.aim,
            most,
            &mut self.at,
            &mut self.best,
        );
        if self.best.distance.excess < before {
            task.certificate.stage = Stage::Proximal;
        }
    }

    /// Runs the interior-point method with the sliding term held, and updates the term after each solve.
    fn interior<O: Operator>(&mut self, task: &mut Task<O>, most: usize) {
        for outer in 0..most {
            self.interior.begin(task.scaled);
            if outer > 0 {
                self.interior.update_sliding(task.scaled);
            }
            self.descend(task, Sliding::Held);
            if self.solved() || task.left() == 0 {
                return;
            }
        }
    }

    /// Follows the central path; tries Newton's method each time the residual has decreased substantially.
    fn descend<O: Operator>(&mut self, task: &mut Task<O>, sliding: Sliding) {
        let speed = task.scaled.speed;
        let mut next = 1e-3 * speed;
        for _ in 0..INTERIOR_STEPS {
            if task.left() == 0 {
                break;
            }
            let Some(part) = self.interior.step(task.operator, task.scaled, sliding, task.aim) else { break };
            task.certificate.interior_steps += 1;
            if self.best.keep_better(&self.interior.at) {
                task.certificate.stage = Stage::Interior;
            }
            let Distance { residual, .. } = self.interior.at.distance;
            if residual <= next {
                next = 1e-2 * residual;
                self.try_newton(task);
            }
            let gap = self.interior.gap(task.scaled);
            if self.solved() || part < 1e-3 || gap <= 1e-15 * speed * speed {
                break;
            }
        }
        if !self.solved() {
            self.try_newton(task);
        }
    }

    fn try_newton<O: Operator>(&mut self, task: &mut Task<O>) {
        self.at.clone_from_iterate(&self.interior.at);
        self.polish(task, Stage::Interior, NEWTON_STEPS);
    }

    /// Refines the solution to round-off.
    fn refine<O: Operator>(&mut self, task: &mut Task<O>) {
        self.best.evaluate(task.operator, task.scaled, None, f64::EPSILON, &mut self.room);
        self.at.clone_from_iterate(&self.best);
        task.certificate.newton_steps += self.newton.run(
            task.operator,
            task.scaled,
            None,
            f64::EPSILON,
            REFINEMENTS,
            &mut self.at,
            &mut self.best,
        );
    }
}
