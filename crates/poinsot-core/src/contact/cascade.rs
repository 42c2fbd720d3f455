//! The cascade of [`Exact`](super::Exact): each method begun where the one before ended.

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

/// Newton's method may use this many steps at a time.
const NEWTON_STEPS: usize = 10;
/// And this many from the impulses given.
const WARM_STEPS: usize = 3;
const REFINEMENTS: usize = 2;
const SOFT_STEPS: usize = 500;
const INTERIOR_STEPS: usize = 40;
/// How often the sliding term is brought up to date.
const OUTER_STEPS: usize = 12;
/// Up to this many blocks sweeps cost less than factors.
const FEW: usize = 20;
/// From this many blocks on the sliding term is held first: linearised, it is no way through hundreds of contacts.
const MANY: usize = 100;
/// Solves with the sliding term held before and after softened problems.
const HELD_FIRST: usize = 3;
/// In multiples of what stops the fastest: few contacts whose impulses are larger are asked whether smaller ones do, and larger
/// than the second no ratio of mass explains.
const LARGE: f64 = 1e2;
const RUNAWAY: f64 = 1e8;
/// Sweeps that look for smaller ones.
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
    /// m/s: a residual that ends the search whatever moves.
    enough: f64,
}

/// What is being solved, and how well.
struct Task<'a, O> {
    operator: &'a mut O,
    scaled: &'a Scaled,
    options: Options,
    /// A little more than is asked for: the last projection onto the cones may move the answer.
    aim: f64,
    certificate: &'a mut Certificate,
}

impl<O> Task<'_, O> {
    /// Steps that may still be made.
    fn left(&self) -> usize {
        let made = self.certificate.newton_steps + self.certificate.interior_steps;
        self.options.most_steps.saturating_sub(made)
    }
}

impl Cascade {
    /// Improves on `best`.
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
        self.stages(&mut task);
        self.look_for_smaller(&mut task);
        if options.refine && self.solved() && O::FACTORS {
            self.refine(&mut task);
        }
    }

    fn solved(&self) -> bool {
        self.best.distance.excess <= 1.0
    }

    /// Sweeps go on to the tolerance: what they leave, the next step would begin with.
    fn is_enough(&self) -> bool {
        self.solved() || self.best.distance.residual <= self.enough
    }

    /// The largest impulse, as the velocity that it would give alone.
    fn size(&self, scaled: &Scaled) -> f64 {
        let own = |block: &Block| block.root * norm(&self.best.x[block.places()]);
        scaled.blocks.iter().map(own).fold(0.0, f64::max)
    }

    /// A body wedged between others may be squeezed by any impulse, and where the line between two contacts lies on the edges of
    /// their cones the residual falls as the squeeze grows without end. Sweeps from nothing find answers of the size of what moves.
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
        // impulses of the step before: most contacts do as they did
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
        if !self.solved() && count <= 5 * FEW {
            self.at.clone_from_iterate(&self.best);
            let left = task.options.most_sweeps.saturating_sub(task.certificate.sweeps);
            self.sweeps(task, left);
        }
    }

    /// Sweeps to and fro.
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

    /// Newton's method from `at`.
    fn polish<O: Operator>(&mut self, task: &mut Task<O>, stage: Stage, most: usize) {
        let (before, most) = (self.best.distance.excess, most.min(task.left()));
        task.certificate.newton_steps +=
            self.newton.run(task.operator, task.scaled, None, task.aim, most, &mut self.at, &mut self.best);
        if self.best.distance.excess < before {
            task.certificate.stage = stage;
        }
    }

    /// Softened problems from `at`.
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

    /// The sliding term held, and brought up to date after each solve.
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

    /// Steps inwards along the path; Newton's method is tried each time the residual has fallen far.
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

    /// The same answer to more digits.
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
